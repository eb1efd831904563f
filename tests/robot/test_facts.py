import itertools
import tomllib
import xml.etree.ElementTree as ET

import coal
import numpy as np
import pinocchio as pin
import pytest

from poise.robot import load_robot
from poise.robot.collision import SelfCollision, geometry_model
from poise.robot.facts import ZOO, fact_folders, written
from poise.robot.robot import GRAVITY
from poise.robot.sheet import Primitive, Sheet, read_sheet, right_twins

ROBOTS = ("hoap3", "hrp2", "nao")
# as they are told, and half a unit of the last digit told
MASS = {"nao": (5.19535, 5e-6), "hrp2": (58.0, 0.05), "hoap3": (8.8024, 5e-5)}  # [kg]
COM_HEIGHT = {"nao": (0.272, 5e-4), "hrp2": (0.8115, 5e-5), "hoap3": (0.2885, 5e-5)}  # [m]

each_robot = pytest.mark.parametrize("name", ROBOTS)


@pytest.fixture(scope="module")
def sheets() -> dict[str, Sheet]:
    return {name: read_sheet(ZOO / name) for name in ROBOTS}


def test_the_zoo_has_three_robots_written_from_facts():
    assert [folder.name for folder in fact_folders()] == sorted(ROBOTS)


@each_robot
def test_what_is_committed_is_what_the_facts_amount_to(name):
    for file, text in written(ZOO / name).items():
        assert (ZOO / name / file).read_text() == text, f"{name}/{file}: run the generator"


@each_robot
def test_links_and_joints_have_names_of_their_own(name, sheets):
    facts = sheets[name].facts
    names = [entry["name"] for kind in ("links", "joints") for entry in facts[kind]]
    assert len(set(names)) == len(names)


# -- mechanics -------------------------------------------------------------------------


@each_robot
def test_the_model_carries_the_masses_and_inertias_of_the_facts(name, sheets):
    model = load_robot(name).model
    for link in sheets[name].facts["links"]:
        body = model.inertias[model.frames[model.getFrameId(link["name"])].parentJoint]
        xx, xy, xz, yy, yz, zz = link["inertia"]
        assert body.mass == pytest.approx(link["mass"], rel=1e-9)
        np.testing.assert_allclose(body.lever, link["com"], atol=1e-12)
        np.testing.assert_allclose(
            body.inertia, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], rtol=1e-8, atol=1e-15
        )


@each_robot
def test_inertias_are_those_of_a_solid(name):
    """Positive, and no principal moment larger than the sum of the other two."""
    for body in load_robot(name).model.inertias[1:]:
        moments = np.linalg.eigvalsh(body.inertia)
        assert moments[0] > 0.0
        assert moments[2] < moments[0] + moments[1]


@each_robot
def test_half_sitting_is_where_the_sources_say(name, sheets):
    robot = load_robot(name)
    standing = robot.at(robot.half_sitting)
    for value, (told, half_digit) in (
        (robot.mass, MASS[name]),
        (standing.com[2], COM_HEIGHT[name]),
    ):
        assert value == pytest.approx(told, abs=half_digit)
    base_height = sheets[name].facts["postures"]["half_sitting"].get("base_height")
    if base_height is not None:
        assert robot.half_sitting[2] == pytest.approx(base_height, abs=1e-6)
    for foot in robot.feet:
        T_world_foot = standing.pose(foot)
        assert abs(T_world_foot.translation[2]) < 1e-6
        np.testing.assert_allclose(T_world_foot.rotation, np.eye(3), atol=1e-6)


@each_robot
def test_the_head_reaches_the_published_height_with_straight_legs(name, sheets):
    robot = load_robot(name)
    facts = sheets[name].facts
    zero = pin.neutral(robot.model)
    at_zero = robot.at(zero)
    top = max(
        at_zero.pose(shape.link).translation[2] + shape.xyz[2] + _reach_up(shape)
        for shape in sheets[name].visual
        if shape.link == robot.parts["head"]
    )
    height = top + facts["postures"]["zero"]["base_height"]
    assert height == pytest.approx(facts["published"]["height"], abs=0.01)


@each_robot
def test_standing_takes_less_than_half_of_every_torque_limit(name):
    robot = load_robot(name)
    torques = _standing_torques(robot)
    assert (np.abs(torques) < 0.5 * robot.effort_limit).all()


@each_robot
def test_ankles_sag_by_less_than_a_third_of_a_degree_on_their_servos(name):
    robot = load_robot(name)
    sag = np.degrees(np.abs(_standing_torques(robot)) / robot.servos.kp)
    for leg in ("left_leg", "right_leg"):
        assert sag[robot.indices(leg)[-2:]].max() < 0.3


@each_robot
def test_half_sitting_keeps_inside_the_joint_limits(name):
    robot = load_robot(name)
    joints = robot.half_sitting[7:]
    assert (joints >= robot.lower - 1e-9).all() and (joints <= robot.upper + 1e-9).all()


# -- the card --------------------------------------------------------------------------


@each_robot
def test_every_joint_is_in_one_group_and_groups_run_outwards(name):
    robot = load_robot(name)
    grouped = [joint for joints in robot.groups.values() for joint in joints]
    assert sorted(grouped) == sorted(robot.joint_names)
    depth = [len(list(support)) for support in robot.model.supports]
    for joints in robot.groups.values():
        depths = [depth[robot.model.getJointId(joint)] for joint in joints]
        assert depths == sorted(depths)


@each_robot
def test_a_mirrored_posture_puts_every_part_at_the_mirrored_place(name):
    robot = load_robot(name)
    turn = np.diag([1.0, -1.0, 1.0])
    generator = np.random.default_rng(3)
    for _ in range(5):
        q = robot.half_sitting.copy()
        q[7:] = generator.uniform(robot.lower, robot.upper)
        here, there = robot.at(q), robot.at(robot.mirrored(q))
        for part in robot.parts:
            twin = part.replace("left", "*").replace("right", "left").replace("*", "right")
            T, image = here.pose(part), there.pose(twin)
            np.testing.assert_allclose(image.translation, turn @ T.translation, atol=1e-6)
            np.testing.assert_allclose(image.rotation, turn @ T.rotation @ turn, atol=1e-5)


@each_robot
def test_soles_are_convex_counter_clockwise_and_hold_their_corners(name):
    for sole in load_robot(name).soles.values():
        edges = np.roll(sole.polygon, -1, axis=0) - sole.polygon
        turns = _cross(edges, np.roll(edges, -1, axis=0))
        assert (turns > 0.0).all()
        for corner in sole.corners:
            assert (_cross(edges, corner - sole.polygon) > -1e-9).all()


@each_robot
def test_the_bottom_of_the_foot_is_the_sole_plane(name, sheets):
    robot = load_robot(name)
    for shapes in (sheets[name].visual, sheets[name].collision):
        for place in (sheets[name].parts[foot] for foot in robot.feet):
            lowest = min(s.xyz[2] - _reach_up(s) for s in shapes if s.link == place.link)
            assert lowest == pytest.approx(place.xyz[2], abs=1e-6)


def test_joints_on_one_motor_are_coupled_and_stay_ordinary_joints(sheets):
    robot = load_robot("nao")
    (coupling,) = robot.couplings
    assert {coupling.joint, coupling.of} <= set(robot.joint_names)
    assert robot.na == 24
    (mimic,) = ET.parse(robot.urdf).getroot().iter("mimic")
    assert mimic.get("joint") == coupling.of
    assert not load_robot("hrp2").couplings and not load_robot("hoap3").couplings


@each_robot
def test_published_rotors_and_the_rule_fill_every_servo(name, sheets):
    card = tomllib.loads((ZOO / name / "robot.toml").read_text())
    facts = sheets[name].facts
    rotors = facts.get("rotor_inertia", {"values": {}})["values"]
    for joint in facts["joints"]:
        servo = card["servos"][joint["name"]]
        assert min(servo.values()) > 0.0
        if joint["name"] in rotors:
            reflected = rotors[joint["name"]] * joint["gear_ratio"] ** 2
            assert servo["armature"] == pytest.approx(reflected, rel=1e-3)


# -- shapes ----------------------------------------------------------------------------


@each_robot
def test_every_link_is_drawn_and_the_right_is_the_mirror_of_the_left(name, sheets):
    sheet = sheets[name]
    drawn = {shape.link for shape in sheet.visual}
    assert drawn == {link["name"] for link in sheet.facts["links"]}
    for left, right in right_twins(sheet).items():
        for shapes in (sheet.visual, sheet.collision):
            mirrored = {shape.mirrored(right) for shape in shapes if shape.link == left}
            assert mirrored == {shape for shape in shapes if shape.link == right}


@each_robot
@pytest.mark.parametrize("posture", ["zero", "half_sitting", "bent"])
def test_nothing_that_is_drawn_floats(name, posture, sheets):
    """Shapes that touch hang together; the whole robot is one piece, however it bends."""
    robot = load_robot(name)
    at = robot.at(_posture(robot, posture))
    solids = [(_solid(s), at.pose(s.link) * _pose(s)) for s in sheets[name].visual]
    piece = list(range(len(solids)))

    def root(k: int) -> int:
        while piece[k] != k:
            k = piece[k]
        return k

    for a, b in itertools.combinations(range(len(solids)), 2):
        if root(a) != root(b) and _touch(*solids[a], *solids[b]):
            piece[root(a)] = root(b)
    loose = {sheets[name].visual[k] for k in range(len(solids)) if root(k) != root(0)}
    assert not loose


@each_robot
@pytest.mark.parametrize("posture", ["zero", "half_sitting"])
def test_links_that_are_no_neighbours_keep_apart(name, posture):
    robot = load_robot(name)
    model = robot.model
    geometry, links = geometry_model(robot)
    for a, b in itertools.combinations(range(len(links)), 2):
        if not _neighbours(model, links[a], links[b], set(links)):
            geometry.addCollisionPair(pin.CollisionPair(a, b))
    results = pin.GeometryData(geometry)
    pin.computeDistances(model, model.createData(), geometry, results, _posture(robot, posture))
    distances = [result.min_distance for result in results.distanceResults]
    closest = geometry.collisionPairs[int(np.argmin(distances))]
    assert min(distances) > 0.002, (links[closest.first], links[closest.second])


@each_robot
def test_collision_shapes_leave_a_deep_squat_possible(name):
    robot = load_robot(name)
    watch = SelfCollision(robot)
    for depth in (0.4, 0.8, 1.2):  # [rad], of hip and ankle; twice as much of the knee
        bends = [-depth, 2 * depth, -depth]
        legs = [robot.groups[leg][2:5] for leg in ("left_leg", "right_leg")]
        q = robot.posture({j: b for leg in legs for j, b in zip(leg, bends, strict=True)})
        q[7:] = np.clip(q[7:], robot.lower, robot.upper)
        assert watch.closest(q).distance > 0.0


# -- helpers ---------------------------------------------------------------------------


def _standing_torques(robot) -> np.ndarray:
    """Joint torques of half-sitting, the weight shared by the corners of both soles [N m]."""
    at = robot.at(robot.half_sitting)
    rows = []
    for foot in robot.feet:
        J = at.jacobian(foot)
        for x, y, _ in robot.soles[foot].points:  # soles lie level, feet straight
            rows.append(J[2] + y * J[3] - x * J[4])
    J_up = np.array(rows)
    gravity = pin.computeGeneralizedGravity(robot.model, robot.model.createData(), at.q)
    assert robot.model.gravity.linear[2] == pytest.approx(-GRAVITY)
    forces = np.linalg.lstsq(J_up[:, :6].T, gravity[:6], rcond=None)[0]
    assert (forces > 0.0).all(), "half-sitting does not balance on its soles"
    residual = gravity - J_up.T @ forces
    np.testing.assert_allclose(residual[:6], 0.0, atol=1e-9)
    return residual[6:]


def _posture(robot, name: str) -> np.ndarray:
    q = robot.half_sitting.copy()
    if name == "zero":
        q[7:] = 0.0
    if name == "bent":
        q[7:] = np.clip(0.4 * np.sin(np.arange(robot.na)), robot.lower, robot.upper)
        q = robot.coupled(q)
    return q


def _neighbours(model, one: str, other: str, shaped: set[str]) -> bool:
    """One carries the other, through links without shapes, at most two joints apart."""
    owner = {model.frames[model.getFrameId(link)].parentJoint for link in shaped}
    a, b = (model.frames[model.getFrameId(link)].parentJoint for link in (one, other))
    if a == b:
        return True
    for low, high in ((a, b), (b, a)):
        joint, steps = model.parents[low], 1
        while joint > 0 and joint not in owner:
            joint, steps = model.parents[joint], steps + 1
        if joint == high and steps <= 2:
            return True
    return False


def _reach_up(shape: Primitive) -> float:
    """Half of the vertical extent of a shape that is not tilted out of the vertical plane [m]."""
    up = pin.rpy.rpyToMatrix(*shape.rpy)[2]
    if shape.kind == "box":
        return float(np.abs(up) @ shape.size) / 2
    if shape.kind == "sphere":
        return shape.size[0]
    radius, length = shape.size
    across = radius if shape.kind == "capsule" else radius * float(np.hypot(up[0], up[1]))
    return across + abs(up[2]) * length / 2


def _solid(shape: Primitive) -> coal.CollisionGeometry:
    kinds = {
        "box": coal.Box,
        "sphere": coal.Sphere,
        "cylinder": coal.Cylinder,
        "capsule": coal.Capsule,
    }
    return kinds[shape.kind](*shape.size)


def _pose(shape: Primitive) -> pin.SE3:
    return pin.SE3(pin.rpy.rpyToMatrix(*shape.rpy), np.array(shape.xyz))


def _touch(
    a: coal.CollisionGeometry, T_a: pin.SE3, b: coal.CollisionGeometry, T_b: pin.SE3
) -> bool:
    place = [coal.Transform3s(T.rotation, T.translation) for T in (T_a, T_b)]
    return bool(
        coal.collide(a, place[0], b, place[1], coal.CollisionRequest(), coal.CollisionResult())
    )


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
