"""What every robot that can be loaded by name keeps."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial import ConvexHull

from poise.robot import Robot, load_robot, robot_names
from poise.robot.collision import SelfCollision
from poise.robot.loading import ZOO, load_folder
from poise.robot.onboarding.shipped import shipped_folders
from poise.robot.parts import PARTS
from poise.robot.robot import BASE_Q, BASE_V

SHIPPED = [name for name in robot_names() if (ZOO / name).is_dir()]


@pytest.fixture(params=SHIPPED)
def robot(request: pytest.FixtureRequest) -> Robot:
    return load_robot(request.param)


def random_postures(robot: Robot, count: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    low, high = np.maximum(robot.lower, -2.0), np.minimum(robot.upper, 2.0)
    q = np.tile(robot.half_sitting, (count, 1))
    q[:, BASE_Q:] = random.uniform(low, high, (count, robot.na))
    q[:, :3] += random.uniform(-1.0, 1.0, (count, 3))
    q[:, 3:BASE_Q] = random.normal(size=(count, 4))
    q[:, 3:BASE_Q] /= np.linalg.norm(q[:, 3:BASE_Q], axis=1, keepdims=True)
    return robot.coupled(q)


def sole_points(robot: Robot, q: np.ndarray) -> np.ndarray:
    here = robot.at(q)
    return np.vstack([[here.pose(f).act(p) for p in robot.soles[f].outline] for f in robot.feet])


def model_asymmetry(robot: Robot) -> float:
    """Bound on how far limbs whose axes do not quite mirror each other can get apart [m]."""
    data = robot.model.createData()
    q = robot.half_sitting
    pin.computeJointJacobians(robot.model, data, q)
    flip = np.diag([1.0, -1.0, 1.0])
    bound = 0.0
    for k, other in enumerate(robot.mirror.index):
        a, b = (robot.model.getJointId(robot.joint_names[i]) for i in (k, int(other)))
        axis = [
            pin.getJointJacobian(robot.model, data, j, pin.LOCAL_WORLD_ALIGNED)[
                3:, robot.model.joints[j].idx_v
            ]
            for j in (a, b)
        ]
        image = -robot.mirror.sign[k] * flip @ axis[0]
        apart = data.oMi[b].translation - flip @ data.oMi[a].translation
        bound += float(np.linalg.norm(np.cross(apart, axis[1])))
        bound += float(np.linalg.norm(image - axis[1])) * robot.height
    return bound


def test_the_seven_robots_are_there() -> None:
    assert {"nao", "hrp2", "hoap3", "g1", "talos", "icub", "romeo"} <= set(robot_names())


def test_loading_a_robot_reads_no_mesh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Meshes are what takes seconds; whoever draws the robot reads them later."""

    def refuse(*_: object) -> None:
        raise AssertionError("a mesh was read")

    monkeypatch.setattr("coal.MeshLoader", refuse)
    for name in SHIPPED:
        load_folder(ZOO / name)


def test_the_mass_is_that_of_the_urdf(robot: Robot) -> None:
    root = ET.fromstring(robot.urdf.read_bytes())
    masses = [float(mass.get("value", "0")) for mass in root.iter("mass")]
    assert robot.mass == pytest.approx(sum(masses), rel=1e-9)
    assert robot.mass > 0.0


def test_the_mass_matrix_has_an_inverse(robot: Robot) -> None:
    for q in [robot.half_sitting, *random_postures(robot, 5)]:
        assert np.linalg.eigvalsh(robot.at(q).mass_matrix)[0] > 1e-6


def test_every_part_is_a_frame_and_every_joint_is_in_one_group(robot: Robot) -> None:
    for part in PARTS:
        assert robot.model.frames[robot.frame_id(part)].type == pin.FrameType.OP_FRAME
    grouped = [joint for joints in robot.groups.values() for joint in joints]
    assert sorted(grouped) == sorted(robot.joint_names)


def test_parts_look_forward_and_stand_upright_in_half_sitting(robot: Robot) -> None:
    here = robot.at(robot.half_sitting)
    ours = robot.folder in shipped_folders()  # a published trunk may lean forward a little
    for part in PARTS:
        R = here.pose(part).rotation
        if "foot" in part or ours:
            assert pytest.approx(np.eye(3), abs=1e-6) == R
        elif "hand" not in part:
            assert R[:, 1] == pytest.approx([0.0, 1.0, 0.0], abs=1e-6)
            assert np.linalg.norm(pin.log3(R)) < 0.15
    for part in ("foot", "hand"):
        left, right = (here.pose(f"{side}_{part}").translation for side in ("left", "right"))
        assert left[1] > 0.0 > right[1]
    heights = [here.pose(part).translation[2] for part in ("left_foot", "base", "chest", "head")]
    assert heights[0] < heights[1] <= heights[2] < heights[3]


def test_both_soles_lie_on_the_ground_in_half_sitting(robot: Robot) -> None:
    assert np.abs(sole_points(robot, robot.half_sitting)[:, 2]).max() < 1e-6


def test_soles_are_convex_counter_clockwise_outlines_around_their_corners(robot: Robot) -> None:
    for sole in robot.soles.values():
        for outline in (sole.polygon, sole.corners):
            edge = np.roll(outline, -1, axis=0) - outline
            after = np.roll(edge, -1, axis=0)
            turn = edge[:, 0] * after[:, 1] - edge[:, 1] * after[:, 0]
            assert (turn > 0.0).all()
        inside = ConvexHull(sole.polygon).equations
        assert (inside[:, :2] @ sole.corners.T + inside[:, 2:]).max() < 1e-6
        assert len(sole.corners) == 4


def test_the_two_soles_mirror_each_other(robot: Robot) -> None:
    left, right = (robot.soles[foot].polygon for foot in ("left_foot", "right_foot"))
    image = right * [1.0, -1.0]
    apart = np.linalg.norm(left[:, None] - image[None], axis=2)
    assert apart.min(axis=1).max() < 1e-6


def test_the_centre_of_mass_is_well_above_the_soles(robot: Robot) -> None:
    hull = ConvexHull(sole_points(robot, robot.half_sitting)[:, :2])
    com = robot.at(robot.half_sitting).com
    margin = -(hull.equations[:, :2] @ com[:2] + hull.equations[:, 2]).max()
    assert margin > 0.02 * robot.height
    assert abs(com[1]) < 0.01 * robot.height


def test_half_sitting_is_inside_all_limits(robot: Robot) -> None:
    joints = robot.half_sitting[BASE_Q:]
    room = np.minimum(joints - robot.lower, robot.upper - joints)
    assert (room >= 0.0).all()
    if robot.folder in shipped_folders():  # a posture of ours, not a published one
        assert (room > 0.01).all()


def test_limits_and_servos_are_positive_numbers(robot: Robot) -> None:
    for array in (robot.velocity_limit, robot.effort_limit, robot.upper - robot.lower):
        assert np.isfinite(array).all()
        assert (array > 0.0).all()
    for array in (robot.servos.kp, robot.servos.kd, robot.servos.armature):
        assert (array > 0.0).all()
    for array in (robot.servos.damping, robot.servos.friction):
        assert (array >= 0.0).all()


def test_couplings_hold_in_half_sitting(robot: Robot) -> None:
    for q in (robot.half_sitting, robot.comfort):
        assert np.abs(robot.coupled(q) - q).max() < 1e-12


def test_the_mirror_of_the_mirror_is_the_same_again(robot: Robot) -> None:
    q = random_postures(robot, 20)
    assert robot.mirrored(robot.mirrored(q)) == pytest.approx(q, abs=1e-12)
    for k, other in enumerate(robot.mirror.index):
        assert robot.mirror.index[other] == k
        assert robot.mirror.sign[other] == robot.mirror.sign[k]


def test_half_sitting_is_its_own_mirror_image(robot: Robot) -> None:
    q = np.array(robot.half_sitting)
    assert robot.mirrored(q)[BASE_Q:] == pytest.approx(q[BASE_Q:], abs=1e-8)


def test_left_parts_lie_where_right_parts_lie_in_the_mirror(robot: Robot) -> None:
    allowed = 1e-6 + model_asymmetry(robot)
    flip = np.diag([1.0, -1.0, 1.0])
    for q in random_postures(robot, 20):
        here, there = robot.at(q), robot.at(robot.mirrored(q))
        for part in ("foot", "hand"):
            left, right = here.pose(f"left_{part}"), there.pose(f"right_{part}")
            assert np.linalg.norm(flip @ left.translation - right.translation) < allowed
        for part in ("base", "chest", "head"):
            image = flip @ here.pose(part).rotation @ flip
            assert there.pose(part).rotation == pytest.approx(image, abs=allowed + 1e-6)


def test_models_are_nearly_symmetric(robot: Robot) -> None:
    assert model_asymmetry(robot) < 1e-3


def test_standing_takes_little_of_the_torque_limits(robot: Robot) -> None:
    here = robot.at(robot.half_sitting)
    jacobian = np.vstack([here.jacobian(foot) for foot in robot.feet])
    # the least foot wrenches that hold the base up; moments count like forces at a foot's length
    scale = np.tile([1.0, 1.0, 1.0, 10.0, 10.0, 10.0], len(robot.feet))
    base = (jacobian * scale[:, None])[:, :BASE_V].T
    wrenches = scale * np.linalg.lstsq(base, here.bias[:BASE_V], rcond=None)[0]
    torque = here.bias[BASE_V:] - jacobian[:, BASE_V:].T @ wrenches
    assert (np.abs(robot.motor_map @ torque) < 0.6 * robot.effort_limit).all()


def test_links_that_should_not_touch_are_apart_in_half_sitting(robot: Robot) -> None:
    watch = SelfCollision(robot)
    assert watch.closest(robot.half_sitting).distance > 0.0
    links = {shape.link for shape in robot.shapes}
    for part in ("left_foot", "right_foot"):
        assert robot.parts[part] in links


def test_sensors_sit_on_links_of_the_model(robot: Robot) -> None:
    kinds = [sensor.kind for sensor in robot.sensors]
    assert "imu" in kinds
    felt = {sensor.part for sensor in robot.sensors if sensor.kind != "imu"}
    assert {"left_foot", "right_foot", "left_hand", "right_hand"} <= felt
    for sensor in robot.sensors:
        assert robot.model.existFrame(sensor.link, pin.FrameType.BODY)


def test_every_alias_finds_its_robot(robot: Robot) -> None:
    for alias in robot.aliases:
        assert load_robot(alias).name == robot.name
