"""TRC with its force file, BVH, and AMC with its ASF."""

from pathlib import Path

import numpy as np
import pytest

from poise.engines.imitate.synthetic import captured, walking
from poise.errors import BadInput
from poise.io import read_recording
from poise.motion import Recording
from shared import mocap

Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # R_file_world


@pytest.fixture(scope="module")
def walk() -> Recording:
    return captured(walking())


def write_trc(path: Path, walk: Recording, units: str = "mm", R_file_world=Y_UP) -> None:
    metre = {"mm": 1e-3, "m": 1.0}[units]
    points = walk.markers @ R_file_world.T / metre
    head = ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units"]
    values = [walk.rate, walk.rate, len(walk), len(walk.marker_names), units]
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{path.name}",
        "\t".join(head),
        "\t".join(map(str, values)),
        "Frame#\tTime\t" + "\t\t\t".join(walk.marker_names),
        "\t\t" + "\t".join(f"{a}{k + 1}" for k in range(len(walk.marker_names)) for a in "XYZ"),
        "",
    ]
    for k, frame in enumerate(points):
        cells = ["" if np.isnan(x) else f"{x:.6f}" for x in frame.ravel()]
        lines.append("\t".join([str(k + 1), f"{k / walk.rate:.6f}", *cells]))
    path.write_text("\n".join(lines) + "\n")


def write_mot(path: Path, walk: Recording, metre: float = 1.0) -> None:
    names, columns = ["time"], [walk.plates[0].time]
    for k, plate in enumerate(walk.plates):
        cop = np.nan_to_num(plate.centre_of_pressure())
        stem = "" if k == 0 else f"{k}_"
        parts = {"force_v": plate.force, "force_p": cop / metre, "torque_": 0.0 * cop}
        for kind, array in parts.items():
            names += [f"{stem}ground_{kind}{a}" for a in "xyz"]
            columns += list((array @ Y_UP.T).T)
    rows = np.column_stack(columns)
    head = f"{path.name}\nversion=1\nnRows={len(rows)}\nnColumns={len(names)}\nendheader\n"
    body = "\n".join("\t".join(f"{x:.6f}" for x in row) for row in rows)
    path.write_text(head + "\t".join(names) + "\n" + body + "\n")


@pytest.mark.parametrize("units", ["mm", "m"])
def test_a_trc_file_stands_up_and_is_in_metres(walk: Recording, tmp_path: Path, units: str) -> None:
    write_trc(tmp_path / "walk.trc", walk, units)
    again = read_recording(tmp_path / "walk.trc")
    assert again.marker_names == walk.marker_names
    assert np.abs(again.markers - walk.markers).max() < 2e-6
    assert again.plates == ()


@pytest.mark.parametrize(
    ("name", "metre"), [("walk.mot", 1.0), ("walk_grf.mot", 1.0), ("grf_walk.mot", 1e-3)]
)
def test_the_force_file_beside_it_is_found_and_in_the_world(
    walk: Recording, tmp_path: Path, name: str, metre: float
) -> None:
    write_trc(tmp_path / "walk.trc", walk)
    write_mot(tmp_path / name, walk, metre)
    (tmp_path / "other.mot").write_text("endheader\ntime hip_flexion\n0 1\n")
    again = read_recording(tmp_path / "walk.trc")
    assert len(again.plates) == 2
    for mine, theirs in zip(again.plates, walk.plates, strict=True):
        assert np.abs(mine.force - theirs.force).max() < 1e-3
        on = theirs.force[:, 2] > 60.0
        apart = mine.centre_of_pressure()[on] - theirs.centre_of_pressure()[on]
        assert np.abs(apart).max() < 1e-4


def test_an_empty_cell_is_a_gap(walk: Recording, tmp_path: Path) -> None:
    markers = np.array(walk.markers)
    markers[5:9, 3] = np.nan
    write_trc(tmp_path / "holes.trc", Recording("x", walk.rate, walk.marker_names, markers))
    again = read_recording(tmp_path / "holes.trc")
    assert np.isnan(again.markers[5:9, 3]).all()
    assert np.isfinite(again.markers[9:, 3]).all()


def test_left_handed_axes_are_mirrored_and_it_is_said(walk: Recording, tmp_path: Path) -> None:
    write_trc(tmp_path / "mirror.trc", walk, R_file_world=np.diag([1.0, 1.0, -1.0]) @ Y_UP)
    again = read_recording(tmp_path / "mirror.trc")
    assert "left-handed" in again.notes["mirrored"]
    assert np.abs(again.markers - walk.markers).max() < 2e-6


def test_a_trc_file_that_is_cut_off_is_one_sentence(walk: Recording, tmp_path: Path) -> None:
    write_trc(tmp_path / "whole.trc", walk)
    text = (tmp_path / "whole.trc").read_text()
    for share in (0.001, 0.01, 0.3, 0.9, 0.9995):
        (tmp_path / "cut.trc").write_text(text[: int(share * len(text))])
        with pytest.raises(BadInput) as caught:
            read_recording(tmp_path / "cut.trc")
        assert "\n" not in str(caught.value)


def test_a_word_where_a_number_should_be_is_named(walk: Recording, tmp_path: Path) -> None:
    write_trc(tmp_path / "bad.trc", walk)
    lines = (tmp_path / "bad.trc").read_text().splitlines()
    lines[10] = lines[10].replace("\t0.0", "\tnothing", 1)
    (tmp_path / "bad.trc").write_text("\n".join(lines))
    with pytest.raises(BadInput, match=r"line 11, column 2 is 'nothing"):
        read_recording(tmp_path / "bad.trc")


BVH = """HIERARCHY
ROOT Hips
{{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT LeftUpLeg
  {{
    OFFSET 9 -8 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT LeftLeg
    {{
      OFFSET 0 -42 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      JOINT LeftFoot
      {{
        OFFSET 0 -41 0
        CHANNELS 3 Zrotation Xrotation Yrotation
        End Site
        {{
          OFFSET 0 -6 15
        }}
      }}
    }}
  }}
  JOINT RightUpLeg
  {{
    OFFSET -9 -8 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT RightLeg
    {{
      OFFSET 0 -42 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      JOINT RightFoot
      {{
        OFFSET 0 -41 0
        CHANNELS 3 Zrotation Xrotation Yrotation
        End Site
        {{
          OFFSET 0 -6 15
        }}
      }}
    }}
  }}
}}
MOTION
Frames: {frames}
Frame Time: 0.01
{rows}
"""


def _bvh(rows: list[list[float]], frames: int | None = None) -> str:
    text = "\n".join(" ".join(f"{x:g}" for x in row) for row in rows)
    return BVH.format(frames=len(rows) if frames is None else frames, rows=text)


def _row(knee: float) -> list[float]:
    row = [0.0] * 24
    row[1] = 95.0
    row[10] = knee  # Xrotation of LeftLeg
    return row


def test_a_bvh_file_is_in_metres_and_stands_up(tmp_path: Path) -> None:
    (tmp_path / "a.bvh").write_text(_bvh([_row(k) for k in range(30)]))
    recording = read_recording(tmp_path / "a.bvh")
    skeleton = recording.skeleton
    assert skeleton is not None
    assert recording.rate == pytest.approx(100.0)
    assert recording.notes["units"].startswith("cm")
    hip, foot = skeleton.names.index("LeftUpLeg"), skeleton.names.index("LeftFoot")
    assert skeleton.positions[0, hip] == pytest.approx([0.09, 0.0, 0.87])
    assert skeleton.positions[0, foot] == pytest.approx([0.09, 0.0, 0.04])
    # a turn of the knee about x brings the foot back, against the way the toes point
    end = skeleton.names.index("LeftFoot_end")
    toes = (skeleton.positions[0, end] - skeleton.positions[0, foot])[:2]
    back = (skeleton.positions[29, foot] - skeleton.positions[0, foot])[:2]
    angle = np.arcsin(-back @ toes / np.linalg.norm(toes) / 0.41)
    assert np.rad2deg(angle) == pytest.approx(29.0, abs=1e-6)


def test_a_t_pose_before_the_motion_is_left_out_and_time_goes_on(tmp_path: Path) -> None:
    walk = [_row(20.0 + 0.2 * k) for k in range(40)]
    pose = [0.0] * 24
    pose[1] = 95.0
    for k in range(6, 24):
        pose[k] = 40.0
    (tmp_path / "t.bvh").write_text(_bvh([pose, *walk]))
    recording = read_recording(tmp_path / "t.bvh")
    assert recording.notes["t_pose_frames"] == 1
    assert len(recording) == 40
    assert recording.start == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t[: len(t) // 3], "cut off|without its MOTION"),
        (lambda t: t.replace("Frames: 10", "Frames: 20"), "10 of 20 frames"),
        (lambda t: t.replace("Frame Time: 0.01", "Frame Time: 0"), "Frame Time"),
        (lambda t: t.replace("Zrotation", "Wrotation"), "CHANNELS"),
        (lambda t: t.replace("OFFSET 9", "OFFSET nine"), "OFFSET"),
        (lambda t: t.replace("Leg", "Bone").replace("Foot", "Thing"), "without"),
        (lambda t: t.replace("CHANNELS 6", "CHANNELS 99999999"), "CHANNELS"),
    ],
)
def test_a_damaged_bvh_file_is_one_sentence(tmp_path: Path, change, words: str) -> None:
    (tmp_path / "b.bvh").write_text(change(_bvh([_row(0.1 * k) for k in range(10)])))
    with pytest.raises(BadInput, match=words) as caught:
        read_recording(tmp_path / "b.bvh")
    assert "\n" not in str(caught.value)


def test_an_amc_file_needs_its_skeleton(tmp_path: Path) -> None:
    (tmp_path / "05_01.amc").write_text(":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 0 0 0 0 0\n")
    with pytest.raises(BadInput, match=r"05_01.asf or 05.asf"):
        read_recording(tmp_path / "05_01.amc")


def test_a_skeleton_without_a_motion_is_no_recording(tmp_path: Path) -> None:
    (tmp_path / "05.asf").write_text(":version 1.10\n:bonedata\n:hierarchy\n")
    with pytest.raises(BadInput, match="no motion"):
        read_recording(tmp_path / "05.asf")


@pytest.mark.parametrize("clip", ["02_01", "07_01", "08_01"])
def test_the_same_clip_as_bvh_and_as_amc_is_the_same_motion(clip: str) -> None:
    bvh, amc = mocap(f"cmu_bvh/{clip}.bvh"), mocap(f"cmu_amc/{clip}.amc")
    assert bvh.notes["t_pose_frames"] == 1
    a, b = bvh.skeleton, amc.skeleton
    assert a is not None and b is not None
    pairs = {"Hips": "root", "LeftUpLeg": "lfemur", "RightLeg": "rtibia", "LeftFoot": "lfoot"}
    pairs |= {"RightToeBase": "rtoes", "Spine1": "thorax"}
    for one, other in pairs.items():
        apart = a.positions[:, a.names.index(one)] - b.positions[:, b.names.index(other)]
        assert np.abs(apart).max() < 2e-4, one  # the files round to four digits


def test_a_real_trc_file_brings_its_plates() -> None:
    recording = mocap("bmc/walk1.trc")
    assert len(recording.plates) == 7
    loads = [plate.force[:, 2].max() for plate in recording.plates]
    assert sum(load > 700.0 for load in loads) == 4
