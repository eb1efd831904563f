"""Grids of walks and folders of recordings become jobs, or one sentence."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from poise.engines.expressive import find_style
from poise.errors import PoiseError
from poise.fleet.grid import walk_jobs
from poise.fleet.jobs import packed, safe_name
from poise.fleet.trials import imitate_jobs, recordings_below
from poise.robot import load_robot


@pytest.fixture
def grid(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "grid.toml"
        path.write_text(text)
        return path

    return write


def test_a_grid_is_the_product_of_its_lists_and_ranges(grid) -> None:
    path = grid(
        'robots = ["nao", "hrp2"]\nstyles = ["normal", "proud"]\nsteps = [2, 4]\n'
        "[knobs]\nsway = { from = 0.9, to = 1.1, count = 3 }\n"
        '[relative]\nstep_length = [0.3, 0.45]\ncom_law = "pendulum"\n'
    )
    jobs = walk_jobs(path, physics=False)
    assert len(jobs) == 2 * 2 * 2 * 3 * 2 == len({job.key for job in jobs})
    assert {job.robot for job in jobs} == {"nao", "hrp2"}
    assert {job.steps for job in jobs} == {2, 4} and not any(job.physics for job in jobs)
    assert sorted({job.style.sway for job in jobs}) == pytest.approx([0.9, 1.0, 1.1])
    assert {job.style.step_length for job in jobs} == {0.3, 0.45}
    assert {job.style.chest_pitch for job in jobs} == {
        find_style(name).chest_pitch for name in ("normal", "proud")
    }
    assert jobs[0].key == "nao/normal,steps=2,sway=0.9,step_length_rel=0.3"


def test_knobs_are_in_si_units_and_relative_ones_in_sizes_of_the_robot(grid) -> None:
    (si,) = walk_jobs(grid("steps = 2\n[knobs]\nstep_length = 0.05\n"))
    (same,) = walk_jobs(grid("steps = 2\n[relative]\nstep_length = 0.3\n"), ["hrp2"])
    assert si.style.value_on(load_robot("nao"), "step_length") == pytest.approx(0.05)
    assert same.style.step_length == 0.3 and same.robot == "hrp2"


def test_a_style_file_is_looked_up_beside_the_grid(grid, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"\n[style]\nhead_pitch = 0.1\n')
    (job,) = walk_jobs(grid('styles = ["mine.toml"]\nsteps = 1\n'))
    assert job.style.name == "mine" and job.style.head_pitch == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("robot = ['nao']", "line 1.*'robot'.*robots"),
        ("robots = []", "robots"),
        ("robots = ['noa']", "noa.*nao"),
        ("styles = ['prod']", "line 1.*prod.*proud"),
        ("styles = ['missing.toml']", "missing.toml"),
        ("steps = 0", "steps is 0"),
        ("steps = [2, 'many']", "whole number"),
        ("steps = true", "whole number"),
        ("[knobs]\nswai = 1.0", "line 2.*swai.*sway"),
        ("[knobs]\nsway = 7.0", "line 2, nao.*sway is 7.*0 to 2"),
        ("[knobs]\nsway = []", "a list"),
        ("[knobs]\nsway = { from = 0.9, to = 1.1 }", "count"),
        ("[knobs]\nsway = { from = 0.9, to = 1.1, count = 1 }", "count from 2 on"),
        ("[knobs]\ncom_law = 'pendulun'", "pendulum"),
        ("[relative]\nstep_length = 9.0", "line 2.*step_length is 9"),
        ("[knobs]\nsway = 1.0\n[relative]\nsway = 1.0", "line 4.*not both"),
        ("knobs = 3", "knobs"),
        ("steps = ", "not TOML"),
        (
            "[knobs]\n"
            + "\n".join(
                f"{name} = {{ from = 0.95, to = 1.0, count = 999 }}"
                for name in ("sway", "momentum", "rest_pull")
            ),
            "number of walks",
        ),
    ],
)
def test_a_wrong_grid_is_one_sentence_that_teaches(grid, text: str, says: str) -> None:
    with pytest.raises(PoiseError, match=says) as found:
        walk_jobs(grid(text))
    assert "\n" not in str(found.value)


def test_jobs_travel_as_data_and_tell_their_work_apart(grid) -> None:
    one, two = walk_jobs(grid("steps = 2\n[knobs]\nsway = [0.9, 1.0]\n"))
    assert pickle.loads(pickle.dumps(one)) == one
    assert packed(one).fingerprint == packed(pickle.loads(pickle.dumps(one))).fingerprint
    assert packed(one).fingerprint != packed(two).fingerprint
    (longer,) = walk_jobs(grid("steps = 3\n[knobs]\nsway = [0.9]\n"))
    assert packed(one).fingerprint != packed(longer).fingerprint


# -- recordings ------------------------------------------------------------------------


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    folder = tmp_path / "lab"
    for name in ("b/walk.C3D", "b/walk.bvh", "a/run.trc", "a/run_grf.mot", "07_01.amc", "07.asf"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "a/run_grf.mot").write_text("time ground_force_vx\n")
    (folder / ".hidden.c3d").write_text("")
    (folder / "notes.txt").write_text("")
    return folder


def test_every_recording_below_a_folder_is_a_job_for_every_robot(lab: Path) -> None:
    jobs = imitate_jobs([lab], ["hrp2", "hoap3", "hrp2"])
    assert [job.key for job in jobs[:2]] == ["hrp2/07_01.amc", "hoap3/07_01.amc"]
    assert {job.key.split("/", 1)[1] for job in jobs} == {
        "07_01.amc",
        "a/run.trc",
        "b/walk.C3D",
        "b/walk.bvh",
    }
    assert len(jobs) == 8


def test_files_beside_a_recording_travel_with_it(lab: Path) -> None:
    jobs = {job.trial.name: job for job in imitate_jobs([lab], ["nao"])}
    names = {name: [file.name for file in packed(job).files] for name, job in jobs.items()}
    assert names["07_01.amc"] == ["07_01.amc", "07.asf"]
    assert names["run.trc"] == ["run.trc", "run_grf.mot"]
    assert names["walk.bvh"] == ["walk.bvh"]


def test_the_fingerprint_follows_the_bytes_and_not_the_place(lab: Path, tmp_path: Path) -> None:
    (job,) = imitate_jobs([lab / "b/walk.bvh"], ["nao"])
    before = packed(job).fingerprint
    moved = tmp_path / "elsewhere" / "walk.bvh"
    moved.parent.mkdir()
    moved.write_bytes((lab / "b/walk.bvh").read_bytes())
    assert packed(imitate_jobs([moved], ["nao"])[0]).fingerprint == before
    assert packed(imitate_jobs([moved], ["hrp2"])[0]).fingerprint != before
    moved.write_text("something else")
    assert packed(imitate_jobs([moved], ["nao"])[0]).fingerprint != before


def test_folders_of_the_same_shape_keep_apart(lab: Path) -> None:
    jobs = imitate_jobs([lab / "a", lab / "b"], ["nao"])
    assert {job.key for job in jobs} == {"nao/a/run.trc", "nao/b/walk.C3D", "nao/b/walk.bvh"}


def test_a_folder_without_recordings_and_a_missing_one_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(PoiseError, match="without any recording"):
        recordings_below(tmp_path)
    with pytest.raises(PoiseError, match="missing"):
        recordings_below(tmp_path / "nowhere")


def test_names_of_files_are_short_and_harmless() -> None:
    assert safe_name("a walk/with: signs") == "a_walk_with_signs"
    assert safe_name("..") == "_"
    long = [safe_name("x" * 300 + end) for end in ("1", "2")]
    assert max(map(len, long)) <= 120 and long[0] != long[1]
