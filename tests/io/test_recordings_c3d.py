"""C3D files: what is written is read, whatever its axes and units; what is broken is refused."""

import random
import struct
from dataclasses import replace
from pathlib import Path

import ezc3d
import numpy as np
import pytest

from poise.engines.imitate.synthetic import captured, standing, walking, with_gaps
from poise.errors import BadInput, PoiseError
from poise.io import read_recording, write_c3d
from poise.io.recordings.c3d import c3d_data
from poise.io.recordings.c3d_parameters import DEC, decoded_floats, read_head
from poise.io.source import read_source
from poise.motion import Recording
from shared import shared


@pytest.fixture(scope="module")
def walk() -> Recording:
    return captured(walking())


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short file to damage."""
    path = tmp_path_factory.mktemp("c3d") / "small.c3d"
    write_c3d(captured(standing(seconds=0.1)), path)
    return path


def edited(path: Path, out: Path, change) -> Path:
    """A copy of a C3D file that another library wrote after a change."""
    file = ezc3d.c3d(str(path))
    change(file)
    del file["data"]["meta_points"]
    file.write(str(out))
    return out


def test_what_is_written_is_read(walk: Recording, tmp_path: Path) -> None:
    write_c3d(walk, tmp_path / "walk.c3d", {"mass": 72.0, "height": 1.78})
    again = read_recording(tmp_path / "walk.c3d")
    assert again.marker_names == walk.marker_names
    assert len(again.marker_names) == 37
    assert again.rate == walk.rate
    assert np.abs(again.markers - walk.markers).max() < 1e-6  # single precision, in mm
    assert again.notes["mass"] == pytest.approx(72.0)
    assert again.notes["height"] == pytest.approx(1.78)
    for mine, theirs in zip(again.plates, walk.plates, strict=True):
        assert np.abs(mine.corners - theirs.corners).max() < 1e-6
        assert np.abs(mine.force - theirs.force).max() < 1e-3
        on = theirs.force[:, 2] > 50.0
        apart = mine.centre_of_pressure()[on] - theirs.centre_of_pressure()[on]
        assert np.abs(apart).max() < 1e-5


def test_gaps_stay_gaps(walk: Recording, tmp_path: Path) -> None:
    holes = with_gaps(walk, 0.2)
    write_c3d(holes, tmp_path / "holes.c3d")
    again = read_recording(tmp_path / "holes.c3d")
    assert np.array_equal(np.isnan(again.markers), np.isnan(holes.markers))
    assert np.isnan(again.markers).any()


def test_a_marker_at_the_very_origin_was_not_seen(walk: Recording, tmp_path: Path) -> None:
    markers = np.array(walk.markers)
    markers[10:20, 0] = 0.0
    write_c3d(replace(walk, markers=markers), tmp_path / "zeros.c3d")
    again = read_recording(tmp_path / "zeros.c3d")
    assert np.isnan(again.markers[10:20, 0]).all()
    assert np.isfinite(again.markers[20:, 0]).all()


@pytest.mark.parametrize(("up", "sign"), [(0, 1), (0, -1), (1, 1), (1, -1), (2, -1)])
def test_whatever_axis_is_up_the_person_stands_upright(
    walk: Recording, tmp_path: Path, up: int, sign: int
) -> None:
    from poise.io.recordings.axes import rotation_to_z_up

    R = rotation_to_z_up(up, sign)  # R_world_file
    assert np.allclose(R @ R.T, np.eye(3)) and np.linalg.det(R) == pytest.approx(1.0)
    turned = [
        replace(p, corners=p.corners @ R, force=p.force @ R, moment=p.moment @ R)
        for p in walk.plates
    ]
    write_c3d(replace(walk, markers=walk.markers @ R, plates=tuple(turned)), tmp_path / "t.c3d")
    again = read_recording(tmp_path / "t.c3d")
    assert np.abs(again.markers - walk.markers).max() < 1e-5
    for mine, theirs in zip(again.plates, walk.plates, strict=True):
        assert np.abs(mine.force - theirs.force).max() < 1e-3
        assert mine.force[:, 2].max() > 500.0


def test_labels_lose_their_subject_and_nameless_points_are_dropped(
    small: Path, tmp_path: Path
) -> None:
    def rename(file) -> None:
        labels = file["parameters"]["POINT"]["LABELS"]["value"]
        labels[:] = [f"Anna:{name}" for name in labels]
        labels[0], labels[1], labels[2] = "*41", "LHipAngles", "Unlabeled 12"

    before = read_recording(small)
    again = read_recording(edited(small, tmp_path / "named.c3d", rename))
    assert again.marker_names == before.marker_names[3:]
    assert again.notes["points_left_out"] == 3


def test_a_unit_that_makes_a_giant_is_refused_and_the_right_one_is_named(
    small: Path, tmp_path: Path
) -> None:
    def giant(file) -> None:
        file["parameters"]["POINT"]["UNITS"]["value"] = ["m"]

    with pytest.raises(BadInput, match=r"POINT:UNITS is 'm'.*look like mm") as caught:
        read_recording(edited(small, tmp_path / "giant.c3d", giant))
    assert "\n" not in str(caught.value)


def test_a_dwarf_is_refused_too(small: Path, tmp_path: Path) -> None:
    def dwarf(file) -> None:
        file["data"]["points"][:3] *= 1e-3

    with pytest.raises(BadInput, match=r"POINT:UNITS is 'mm'.*look like m"):
        read_recording(edited(small, tmp_path / "dwarf.c3d", dwarf))


def test_without_a_unit_the_size_of_the_person_tells(small: Path, tmp_path: Path) -> None:
    def silent(file) -> None:
        file["parameters"]["POINT"]["UNITS"]["value"] = [""]

    again = read_recording(edited(small, tmp_path / "silent.c3d", silent))
    assert np.abs(again.markers - read_recording(small).markers).max() < 1e-6
    assert "from the size" in again.notes["units"]


def test_a_file_cut_anywhere_is_one_sentence(small: Path, tmp_path: Path) -> None:
    data = small.read_bytes()
    head = read_head(read_source(small))
    end = head.data_start + head.frames * head.bytes_per_frame
    for size in [1, 100, 511, 512, 600, 1023, 2000, *range(2500, end, (end - 2500) // 20), end - 1]:
        path = tmp_path / "cut.c3d"
        path.write_bytes(data[:size])
        with pytest.raises(BadInput) as caught:
            read_recording(path)
        assert "\n" not in str(caught.value)
        assert "cut.c3d" in str(caught.value)


def test_no_damage_crashes_or_stalls_the_reader(small: Path, tmp_path: Path) -> None:
    data, chance = small.read_bytes(), random.Random(7)
    path = tmp_path / "hurt.c3d"
    for _ in range(250):
        hurt = bytearray(data)
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(chance.choice([40, 3000, len(hurt)]))
            hurt[at] = chance.choice([0, 1, 127, 128, 255, chance.randrange(256)])
        path.write_bytes(hurt)
        try:
            read_recording(path)
        except PoiseError as error:
            assert "\n" not in str(error)


def test_a_promise_of_more_frames_than_there_are_is_refused(small: Path, tmp_path: Path) -> None:
    data = bytearray(small.read_bytes())
    struct.pack_into("<H", data, 8, 60_000)
    (tmp_path / "long.c3d").write_bytes(data)
    with pytest.raises(BadInput, match="of 60000 frames are there"):
        read_recording(tmp_path / "long.c3d")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.c3d", b"", "empty"),
        ("text.c3d", b"hello, this is no recording\n" * 50, "text of another kind"),
        ("zip.c3d", b"PK\x03\x04" + b"\0" * 600, "archive"),
        ("noise.c3d", bytes(range(256)) * 8, "binary"),
        ("missing.c3d", None, "missing"),
    ],
)
def test_what_is_no_recording_is_said_in_one_sentence(
    tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput, match=words) as caught:
        read_recording(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_a_folder_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="folder"):
        read_recording(tmp_path)


def test_floats_of_old_machines_are_floats() -> None:
    values = np.array([1.0, -0.1, 3.5e4, 1e-3], dtype="<f4")
    halves = (4.0 * values).astype("<f4").view("<u2").reshape(-1, 2)[:, ::-1]
    assert np.allclose(decoded_floats(halves.tobytes(), DEC), values, rtol=1e-6)


@pytest.mark.parametrize(
    "name",
    [
        "btkdata/functional/FunctionalWalk.c3d",  # unsigned integers
        "btkdata/functional/FunctionalStatic.c3d",  # DEC floats
        "bmc/Gait.c3d",
        "c3dparser/Sydney/dynamic/S4-AMGait03.c3d",
        "wavy1/rizoli/walk_001.c3d",
    ],
)
def test_points_and_channels_are_those_another_library_reads(name: str) -> None:
    path = shared(f"mocap/{name}")
    source = read_source(path)
    points, analogs = c3d_data(source, read_head(source))
    other = ezc3d.c3d(str(path))["data"]
    assert np.allclose(points, other["points"][:3].transpose(2, 1, 0), equal_nan=True)
    if other["analogs"].size:
        assert np.allclose(analogs, other["analogs"][0].T, rtol=1e-6, atol=1e-6)
