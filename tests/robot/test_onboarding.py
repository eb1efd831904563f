"""Any humanoid, however its URDF is written; and a clear word to everything else."""

from __future__ import annotations

import sys
import tomllib
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.errors import BadInput, PoiseError
from poise.robot import load_robot
from poise.robot.loading import ZOO, load_folder, package_share
from poise.robot.onboarding import Onboarding, look_at, robot_toml, write_folder
from poise.robot.onboarding import folder as folder_module
from poise.robot.onboarding.capsules import Primitive, enclose_points
from poise.robot.onboarding.clearance import Clearance
from poise.robot.onboarding.shipped import look_at_shipped
from poise.robot.onboarding.side_names import side_vote
from poise.robot.robot import BASE_Q
from poise.robot.urdf import geometries, read_urdf
from robot_helpers.box_humanoid import STYLES, Drawing, urdf

EXAMPLES = package_share("example-robot-data")
ROTATIONS = [
    np.array([signs[k] * np.eye(3)[row] for k, row in enumerate(order)])
    for order in permutations(range(3))
    for signs in product((1.0, -1.0), repeat=3)
]
ROTATIONS = [R for R in ROTATIONS if np.linalg.det(R) > 0.0]  # the 24 of a cube


def seen(folder: Path, drawing: Drawing, name: str | None = None) -> Onboarding:
    file = folder / "boxy.urdf"
    file.write_text(urdf(drawing))
    return look_at(file, name)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Onboarding:
    return seen(tmp_path_factory.mktemp("plain"), Drawing())


def said(onboarding: Onboarding, what: str) -> str:
    """All that was said about something."""
    return "; ".join(str(guess) for guess in onboarding.guesses if guess.what == what)


def same_robot(a: Onboarding, b: Onboarding) -> None:
    """Two drawings of one robot were understood alike, whatever their joints are called."""
    assert a.ok
    assert b.ok
    for group in a.robot.groups:
        angles = [o.robot.half_sitting[BASE_Q + o.robot.indices(group)] for o in (a, b)]
        assert angles[0] == pytest.approx(angles[1], abs=1e-6)
    here, there = a.robot.at(a.robot.half_sitting), b.robot.at(b.robot.half_sitting)
    for part in a.robot.parts:
        error = here.pose(part).inverse() * there.pose(part)
        assert np.linalg.norm(pin.log6(error).vector) < 1e-6
    for foot in a.robot.feet:
        corners = [sorted(o.robot.soles[foot].corners.round(4).tolist()) for o in (a, b)]
        assert np.array(corners[0]) == pytest.approx(np.array(corners[1]), abs=2e-4)


# -- what is found -------------------------------------------------------------------------


def test_the_parts_of_a_plain_humanoid_are_found(plain: Onboarding) -> None:
    assert plain.robot.parts == {
        "base": "pelvis",
        "left_foot": "left_ankle_roll_link",
        "right_foot": "right_ankle_roll_link",
        "left_hand": "left_wrist_yaw_link",
        "right_hand": "right_wrist_yaw_link",
        "chest": "waist_link",
        "head": "neck_pitch_link",
    }
    assert plain.robot.groups["torso"] == ("waist",)
    assert plain.robot.groups["head"] == ("neck_yaw", "neck_pitch")
    assert plain.robot.groups["left_leg"][3] == "left_knee"
    assert all(0.0 <= guess.certainty <= 1.0 for guess in plain.guesses)


def test_the_sole_is_the_underside_of_the_foot(plain: Onboarding) -> None:
    sole = plain.robot.soles["left_foot"]
    assert sole.polygon.min(axis=0) == pytest.approx([-0.07, -0.05], abs=1e-4)
    assert sole.polygon.max(axis=0) == pytest.approx([0.15, 0.05], abs=1e-4)
    ankle = plain.facts["parts"]["left_foot"]
    assert ankle["xyz"] == pytest.approx([0.0, 0.0, -0.08], abs=1e-9)


def test_half_sitting_bends_the_knees_and_balances(plain: Onboarding) -> None:
    robot = plain.robot
    assert 0.4 < robot.half_sitting[BASE_Q + robot.index("left_knee")] < 0.9
    sole = robot.soles["left_foot"].polygon[:, 0]
    com = robot.at(robot.half_sitting).com
    foot = robot.at(robot.half_sitting).pose("left_foot").translation
    assert com[0] - foot[0] == pytest.approx(0.5 * (sole.min() + sole.max()), abs=1e-6)
    elbow = robot.half_sitting[BASE_Q + robot.index("left_elbow")]
    assert elbow < -0.1  # the forearm points forward


def test_signs_of_the_mirror_follow_from_the_axes(plain: Onboarding) -> None:
    pairs = {left: (right, sign) for left, right, sign in plain.facts["mirror"]["pairs"]}
    assert pairs["left_knee"] == ("right_knee", 1)
    assert pairs["left_hip_roll"] == ("right_hip_roll", -1)
    assert dict(plain.facts["mirror"]["middle"]) == {"waist": -1, "neck_yaw": -1, "neck_pitch": 1}


@pytest.mark.parametrize("style", STYLES)
def test_left_and_right_are_told_apart_in_any_style(
    style: str, plain: Onboarding, tmp_path: Path
) -> None:
    found = seen(tmp_path, Drawing(namer=STYLES[style]))
    assert found.robot.parts["left_hand"] == STYLES[style]("left", "wrist_yaw_link")
    same_robot(found, plain)


def test_a_robot_without_any_names_is_understood_by_its_shape(
    plain: Onboarding, tmp_path: Path
) -> None:
    numbers: dict[tuple[str, str], str] = {}
    number = lambda side, name: numbers.setdefault((side, name), f"x{len(numbers)}")  # noqa: E731
    found = seen(tmp_path, Drawing(namer=number))
    assert found.robot.parts["left_foot"] == numbers["left", "ankle_roll_link"]
    assert "toes, knees, elbows" in said(found, "base")
    same_robot(found, plain)


@pytest.mark.parametrize("k", range(1, 24, 5))
def test_the_axes_of_the_root_link_do_not_matter(k: int, plain: Onboarding, tmp_path: Path) -> None:
    found = seen(tmp_path, Drawing(R_root_body=ROTATIONS[k]))
    same_robot(found, plain)
    assert found.robot.half_sitting[3:BASE_Q] == pytest.approx([0.0, 0.0, 0.0, 1.0], abs=1e-9)


def test_a_root_link_askew_does_not_matter_either(plain: Onboarding, tmp_path: Path) -> None:
    same_robot(seen(tmp_path, Drawing(R_root_body=pin.rpy.rpyToMatrix(0.4, -0.7, 1.1))), plain)


@pytest.mark.parametrize("kind", ["fixed", "floating"])
def test_a_dummy_world_before_the_root_is_passed_over(
    kind: str, plain: Onboarding, tmp_path: Path
) -> None:
    found = seen(tmp_path, Drawing(world=kind))
    assert found.robot.parts["base"] == "pelvis"
    same_robot(found, plain)


def test_cues_that_disagree_are_told(plain: Onboarding, tmp_path: Path) -> None:
    found = seen(tmp_path, Drawing(heels=True))
    assert "against toes" in said(found, "base")
    certainty = [guess.certainty for guess in found.guesses if guess.what == "base"]
    assert certainty < [guess.certainty for guess in plain.guesses if guess.what == "base"]
    assert found.robot.soles["left_foot"].polygon[:, 0].min() == pytest.approx(-0.15, abs=1e-4)


def test_fingers_are_locked_and_keep_their_mass(plain: Onboarding, tmp_path: Path) -> None:
    found = seen(tmp_path, Drawing(fingers=True))
    assert found.ok
    assert found.robot.na == plain.robot.na
    assert found.robot.mass == pytest.approx(plain.robot.mass + 6 * 0.02)
    assert set(found.facts["model"]["locked"]) == {
        f"{side}_finger{k}" for side in ("left", "right") for k in range(3)
    }
    assert "fingers" in said(found, "locked joints")


def test_coupled_joints_stay_coupled(tmp_path: Path) -> None:
    found = seen(tmp_path, Drawing(mimic=("hip_yaw", "hip_yaw")))
    assert found.ok
    (coupling,) = found.robot.couplings
    assert (coupling.joint, coupling.of) == ("right_hip_yaw", "left_hip_yaw")
    assert coupling.multiplier == -1.0
    half = found.robot.half_sitting
    assert found.robot.coupled(half) == pytest.approx(half, abs=1e-12)


def test_a_wrist_that_follows_its_elbow_does_so_in_half_sitting(tmp_path: Path) -> None:
    found = seen(tmp_path, Drawing(forearm=0.5))
    assert found.ok
    angles = found.facts["postures"]["half_sitting"]
    assert angles["left_elbow"] < -0.1
    assert angles["left_wrist_yaw"] == pytest.approx(0.5 * angles["left_elbow"], abs=1e-9)
    assert angles["right_wrist_yaw"] == pytest.approx(-0.5 * angles["right_elbow"], abs=1e-9)


def test_boots_do_not_widen_the_soles(plain: Onboarding, tmp_path: Path) -> None:
    same_robot(seen(tmp_path, Drawing(boots=True)), plain)


def test_soles_that_are_inclined_at_the_zero_posture_are_put_flat(tmp_path: Path) -> None:
    found = seen(tmp_path, Drawing(tilt=0.15))
    assert found.ok
    assert "inclined by 8.6 deg" in said(found, "soles")
    length = np.ptp(found.robot.soles["left_foot"].polygon[:, 0])
    assert length == pytest.approx(0.22, abs=1e-3)


@pytest.mark.parametrize(
    ("limits", "joint"), [("missing", "left_knee"), ("placeholders", "left_elbow")]
)
def test_limits_that_cannot_be_meant_are_estimated_and_told(
    limits: str, joint: str, tmp_path: Path
) -> None:
    found = seen(tmp_path, Drawing(limits=limits))
    assert found.ok
    assert joint in found.facts["limits"]
    assert 1.0 < found.robot.effort_limit[found.robot.index(joint)] < 500.0
    assert 1.0 < found.robot.velocity_limit[found.robot.index(joint)] < 50.0
    assert "effort limits" in [guess.what for guess in found.guesses]


def test_ranges_that_contradict_each_other_are_widened_and_told(tmp_path: Path) -> None:
    found = seen(tmp_path, Drawing(limits="contrary"))
    assert found.ok
    assert "contradict" in said(found, "joint ranges")
    assert 0.4 < found.robot.half_sitting[BASE_Q + found.robot.index("left_knee")] < 0.9


def test_a_robot_without_shapes_gets_soles_of_human_proportions(tmp_path: Path) -> None:
    found = seen(tmp_path, Drawing(shapes=False))
    assert found.ok
    (soles,) = [guess for guess in found.guesses if guess.what == "soles"]
    assert soles.certainty < 0.5
    assert "no shape" in soles.how


def test_a_missing_mesh_is_told_and_done_without(plain: Onboarding, tmp_path: Path) -> None:
    found = seen(tmp_path, Drawing(mesh="package://nowhere/chest.stl"))
    assert found.ok
    assert "1: a mesh of link waist_link" in said(found, "missing meshes")


def test_a_point_mass_gets_an_inertia_but_no_weight(plain: Onboarding, tmp_path: Path) -> None:
    found = seen(tmp_path, Drawing(point_head=True))
    assert found.ok
    assert list(found.facts["inertias"]) == ["neck_pitch_link"]
    assert found.robot.mass == pytest.approx(plain.robot.mass)
    half = found.robot.half_sitting
    assert np.linalg.eigvalsh(found.robot.at(half).mass_matrix)[0] > 1e-5


def test_primitives_of_the_whole_robot_are_clear_of_each_other(plain: Onboarding) -> None:
    robot = plain.robot
    shapes = [Primitive(s.link, s.kind, s.size, s.T_link_shape) for s in robot.shapes]
    assert "thinned" in said(plain, "collision primitives")
    clearance = Clearance(robot.model, shapes)
    for q in (robot.half_sitting, pin.neutral(robot.model)):
        assert clearance.distances(q).min() > 0.0


def test_what_was_found_reads_as_a_page(plain: Onboarding) -> None:
    page = str(plain)
    assert page.startswith("boxy: 25 joints, 51.7 kg, 1.54 m")
    for guess in plain.guesses:
        assert guess.value in page
        assert guess.how in page
    assert "Self-test: passed" in page
    assert all(test.sentence in page for test in plain.self_test)


def test_a_self_test_that_fails_says_so(tmp_path: Path) -> None:
    text = urdf(Drawing()).replace('effort="120.0"', 'effort="2.0"')
    (tmp_path / "weak.urdf").write_text(text)
    found = look_at(tmp_path / "weak.urdf")
    assert not found.ok
    failed = [test.name for test in found.self_test if not test.ok]
    assert failed == ["static torques"]


# -- what is not a humanoid ----------------------------------------------------------------

OTHERS = {
    "go2_description/urdf/go2.urdf": "4 alike limbs",
    "centauro_description/urdf/centauro.urdf": "4 alike limbs",
    "panda_description/urdf/panda.urdf": "no pair of limbs",
    "tiago_description/robots/tiago_dual.urdf": "one pair of limbs",
    "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf": "one pair of limbs",
    "alex_description/urdf/alex_nub_hands.urdf": "one pair of limbs",
    "allegro_hand_description/urdf/allegro_left_hand.urdf": "4 alike limbs",
    "iris_description/robots/iris.urdf": "no pair of limbs",
}


@pytest.mark.parametrize("path", OTHERS)
def test_what_is_no_humanoid_is_refused_in_one_sentence(path: str) -> None:
    assert EXAMPLES is not None
    with pytest.raises(BadInput, match=OTHERS[path]) as refusal:
        look_at(EXAMPLES / "robots" / path)
    assert "a humanoid: two legs and two arms" in str(refusal.value)
    assert str(refusal.value).count("\n") == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<robot/>",
        "<mujoco/>",
        "not xml at all",
        '<robot name="x"><link name="a"/></robot>',
        '<robot name="x"><link name="a"/><link name="a"/></robot>',
    ],
)
def test_a_file_that_is_no_robot_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.urdf").write_text(text)
    with pytest.raises(PoiseError):
        look_at(tmp_path / "x.urdf")


def test_a_robot_without_mass_is_refused(tmp_path: Path) -> None:
    text = "".join(piece.split("</inertial>")[-1] for piece in urdf(Drawing()).split("<inertial>"))
    (tmp_path / "air.urdf").write_text(text)
    with pytest.raises(BadInput, match="mass"):
        look_at(tmp_path / "air.urdf")


# -- writing -------------------------------------------------------------------------------


def test_a_written_folder_is_the_same_robot(plain: Onboarding, tmp_path: Path) -> None:
    written = write_folder(plain, tmp_path)
    assert written == tmp_path / "boxy"
    assert sorted(file.name for file in written.iterdir()) == ["model.urdf", "robot.toml"]
    again = load_robot(written)
    assert again.half_sitting == pytest.approx(plain.robot.half_sitting, abs=1e-9)
    assert again.joint_names == plain.robot.joint_names
    assert len(again.shapes) == len(plain.robot.shapes)
    assert again.servos.kp == pytest.approx(plain.robot.servos.kp)
    facts = tomllib.loads((written / "robot.toml").read_text())
    assert facts["model"] == {"urdf": "model.urdf", "packages": []}
    for table in ("mirror", "groups", "servos", "soles"):
        assert facts[table] == plain.facts[table]


def test_the_hash_of_a_model_does_not_depend_on_where_it_is(
    plain: Onboarding, tmp_path: Path
) -> None:
    assert seen(tmp_path, Drawing()).robot.model_hash == plain.robot.model_hash
    assert seen(tmp_path, Drawing(boots=True)).robot.model_hash != plain.robot.model_hash
    homes = [write_folder(plain, tmp_path / home) for home in ("a", "b")]
    assert len({load_robot(home).model_hash for home in homes}) == 1


def test_a_robot_added_by_the_user_loads_by_name(
    plain: Onboarding, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POISE_ROBOTS", str(tmp_path))
    write_folder(plain)
    assert load_robot("boxy").name == "boxy"


def test_a_folder_is_written_whole_or_not_at_all(
    plain: Onboarding, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = write_folder(plain, tmp_path)
    before = (written / "robot.toml").read_text()

    def fail(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(folder_module, "robot_toml", fail)
    with pytest.raises(KeyboardInterrupt):
        write_folder(plain, tmp_path, replace=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["boxy"]
    assert (written / "robot.toml").read_text() == before


def test_a_robot_is_not_overwritten_unless_asked(plain: Onboarding, tmp_path: Path) -> None:
    written = write_folder(plain, tmp_path)
    (written / "robot.toml").write_text("name = 'mine'")
    with pytest.raises(BadInput, match="already there"):
        write_folder(plain, tmp_path)
    assert (written / "robot.toml").read_text() == "name = 'mine'"
    write_folder(plain, tmp_path, replace=True)
    assert load_folder(written).name == "boxy"


def test_a_shipped_robot_cannot_be_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POISE_ROBOTS", str(tmp_path / "robots"))
    with pytest.raises(BadInput, match="shipped"):
        write_folder(seen(tmp_path, Drawing(), name="g1"))


def test_a_name_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="name"):
        seen(tmp_path, Drawing(), name="../elsewhere")


CUBE = "\n".join(
    ["solid cube"]
    + [
        "facet normal 0 0 0\nouter loop\n"
        + "\n".join(f"vertex {0.1 * x} {0.1 * y} {0.1 * z}" for x, y, z in corners)
        + "\nendloop\nendfacet"
        for corners in (
            ((0, 0, 0), (1, 0, 0), (0, 1, 0)),
            ((0, 0, 0), (0, 0, 1), (1, 0, 0)),
            ((0, 0, 0), (0, 1, 0), (0, 0, 1)),
            ((1, 0, 0), (0, 0, 1), (0, 1, 0)),
        )
    ]
    + ["endsolid cube"]
)


@pytest.mark.parametrize("address", ["../meshes/chest.stl", "package://boxes/meshes/chest.stl"])
def test_meshes_are_still_found_from_the_new_folder(address: str, tmp_path: Path) -> None:
    for sub in ("urdf", "meshes"):
        (tmp_path / "boxes" / sub).mkdir(parents=True)
    (tmp_path / "boxes" / "meshes" / "chest.stl").write_text(CUBE)
    found = seen(tmp_path / "boxes" / "urdf", Drawing(mesh=address))
    assert not said(found, "missing meshes")
    again = load_robot(write_folder(found, tmp_path / "home"))
    shapes = geometries(read_urdf(again.urdf), again.urdf, again.packages, "visual")
    (chest,) = [shape for shape in shapes if shape.link == "waist_link"]
    assert chest.mesh is not None
    assert chest.mesh.samefile(tmp_path / "boxes" / "meshes" / "chest.stl")


names = st.text(min_size=1, max_size=12)
numbers = st.floats(-1e6, 1e6).map(lambda x: float(f"{x:.9g}"))
rows = st.dictionaries(names, st.one_of(numbers, names, st.integers(-9, 9), st.lists(numbers)))


@given(title=names, parts=st.dictionaries(names, rows), sensors=st.lists(rows))
@settings(max_examples=100, deadline=None)
def test_facts_read_back_as_they_were_written(title: str, parts: dict, sensors: list) -> None:
    facts = {"title": title, "parts": parts, "sensors": sensors}
    again = tomllib.loads(robot_toml(facts, ["a comment"]))
    assert again.get("title") == title
    assert again.get("parts", {}) == parts
    assert again.get("sensors", []) == sensors


# -- pieces --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "vote"),
    [
        ("leg_left_1_joint", "leg_right_1_joint", 1),
        ("LLEG_HIP_R", "RLEG_HIP_R", 1),
        ("RElbowRoll", "LElbowRoll", -1),
        ("J_hip_l_yaw", "J_hip_r_yaw", 1),
        ("rightknee", "leftknee", -1),
        ("kneeL", "kneeR", 1),
        ("joint1", "joint2", 0),
        ("LF_HAA", "LH_HAA", 0),
        ("roll", "roll", 0),
    ],
)
def test_sides_are_read_where_two_names_differ(a: str, b: str, vote: int) -> None:
    assert side_vote(a, b) == vote
    assert side_vote(b, a) == -vote


@given(seed=st.integers(0, 1000), long=st.floats(0.2, 3.0), flat=st.floats(0.05, 1.0))
@settings(max_examples=25, deadline=None)
def test_primitives_enclose_what_they_stand_for(seed: int, long: float, flat: float) -> None:
    random = np.random.default_rng(seed)
    points = random.normal(size=(60, 3)) * [long, flat, 0.3] * 0.1
    points = points @ pin.exp3(random.normal(size=3)).T + random.normal(size=3)
    outside = np.full(len(points), np.inf)
    for shape in enclose_points("link", points):
        T = shape.T_link_shape
        local = (points - T.translation) @ T.rotation
        if shape.kind == "box":
            apart = np.max(np.abs(local) - 0.5 * np.array(shape.size), axis=1)
        else:
            half = 0.5 * shape.size[1] if shape.kind == "capsule" else 0.0
            local[:, 2] -= np.clip(local[:, 2], -half, half)
            apart = np.linalg.norm(local, axis=1) - shape.size[0]
        outside = np.minimum(outside, apart)
    assert outside.max() < 1e-3


DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="meter" meter="1"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 .1 0 0 0 .6 0 0 0 .1</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>
"""


@pytest.mark.parametrize(("centre", "turned"), [("0 0 0.3", True), ("0 0.3 0", False)])
def test_masses_tell_which_way_up_a_mesh_is_meant(
    centre: str, turned: bool, tmp_path: Path
) -> None:
    (tmp_path / "tall.dae").write_text(DAE)
    (tmp_path / "x.urdf").write_text(
        f'<robot name="x"><link name="a"><inertial><origin xyz="{centre}"/><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        '<visual><geometry><mesh filename="tall.dae"/></geometry></visual></link></robot>'
    )
    (shape,) = geometries(read_urdf(tmp_path / "x.urdf"), tmp_path / "x.urdf", (), "visual")
    upward = shape.T_link_shape.rotation @ [0.0, 1.0, 0.0]
    assert upward == pytest.approx([0.0, 0.0, 1.0] if turned else [0.0, 1.0, 0.0], abs=1e-12)


# -- real robots ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["icub", "romeo"])
def test_shipped_files_are_what_onboarding_finds(name: str) -> None:
    found = look_at_shipped(ZOO / name)
    assert found.ok
    shipped = load_folder(ZOO / name)
    assert found.robot.half_sitting == pytest.approx(shipped.half_sitting, abs=1e-6)
    assert found.robot.parts == shipped.parts
    for foot in shipped.feet:
        assert found.robot.soles[foot].polygon == pytest.approx(
            shipped.soles[foot].polygon, abs=1e-4
        )


ELSEWHERE = {
    # robots this project has never been told about, from packages the tests install
    "jvrc1": "jvrc_description/urdf/jvrc1.urdf",
    "iCubGazeboV2_5": "share/iCub/robots/iCubGazeboV2_5/model.urdf",
}


def elsewhere(address: str) -> Path:
    """A file below one of the places where packages are installed."""
    places = [Path(sys.prefix), *map(Path, sys.path)]
    return next(place / address for place in places if (place / address).is_file())


@pytest.mark.parametrize("name", ELSEWHERE)
def test_robots_of_other_packages_need_no_hand_edit(name: str, tmp_path: Path) -> None:
    file = elsewhere(ELSEWHERE[name])
    found = look_at(file)
    assert found.ok, [test.sentence for test in found.self_test if not test.ok]
    again = load_robot(write_folder(found, tmp_path))
    assert again.half_sitting == pytest.approx(found.robot.half_sitting, abs=1e-9)
    assert "finger" not in "".join(again.joint_names).lower()


@pytest.mark.parametrize(
    "path",
    [
        "human_description/robots/human.urdf",
        "simple_humanoid_description/urdf/simple_humanoid.urdf",
        "romeo_description/urdf/romeo_laas_small.urdf",
    ],
)
def test_odd_models_of_the_example_package_are_understood(path: str) -> None:
    assert EXAMPLES is not None
    found = look_at(EXAMPLES / "robots" / path)
    assert found.ok, [test.sentence for test in found.self_test if not test.ok]
