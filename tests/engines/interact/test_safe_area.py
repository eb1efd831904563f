"""The safe set: closed, clipped to, computed, proved, learnt from, kept in files."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import poise
from poise.cli import main
from poise.engines.interact.feasibility import Feasibility, learn
from poise.engines.interact.footprint import inverse
from poise.engines.interact.proving import corners, proved, random_walk, tours, volume, without
from poise.engines.interact.safe_area import (
    SafeArea,
    box_area,
    default_area,
    kept_area_file,
    known_area,
    load_area,
    nearest_in,
    normals,
    polygon_of,
    save_area,
    sided,
)
from poise.engines.interact.sampling import (
    Grid,
    Sampled,
    area_of,
    closure,
    explore,
    footprints,
    labels,
    random_footprint,
    sample,
)
from poise.engines.interact.size import Size
from poise.engines.interact.trial import Walked, trial, walk_through
from poise.errors import PoiseError

SHIPPED = sorted(
    Path(file.name).stem
    for file in (resources.files("poise.engines.interact") / "areas").iterdir()
    if file.name.endswith(".toml")
)
REST = (0.0, -0.19, 0.0)


def _box() -> SafeArea:
    return box_area("a robot", 0.2, -0.3, -0.16, 0.3)


# -- clipping and closure -------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(x=st.floats(-1, 1), y=st.floats(-1, 1), turn=st.floats(-1, 1))
def test_clipping_ends_inside_and_leaves_what_is_inside(x, y, turn) -> None:
    area = _box()
    clipped = area.clip((x, y, turn))
    assert area.contains(clipped, 1e-6)
    if area.contains((x, y, turn)):
        assert clipped == (x, y, turn)


def test_the_set_is_closed_without_and_with_turns() -> None:
    for area in (_box(), *(known_area(poise.load_robot(name)) for name in SHIPPED)):
        assert closure(area, 300, turn=False) == 1.0
        assert closure(area, 300) == 1.0
    assert closure(default_area(poise.load_robot("talos")), 300) == 1.0
    lopsided = _box()
    lopsided.offsets[1] += normals() @ (0.1, 0.0)  # the same polygon, 10 cm further forward
    assert closure(lopsided, 300, turn=False) < 0.9


def test_where_the_other_foot_sees_a_footprint_is_a_reflection_in_axes_half_turned() -> None:
    area, random = _box(), np.random.default_rng(1)
    for _ in range(50):
        x, y, turn = footprint = random_footprint(area, random)
        seen = sided(inverse(footprint), False)
        assert seen[2] == pytest.approx(turn)
        c, s = np.cos(0.5 * turn), np.sin(0.5 * turn)
        assert c * seen[0] + s * seen[1] == pytest.approx(-(c * x + s * y), abs=1e-12)
        assert c * seen[1] - s * seen[0] == pytest.approx(c * y - s * x, abs=1e-12)


def test_random_footprints_are_inside_and_anywhere_even_in_a_set_without_any_width() -> None:
    random = np.random.default_rng(2)
    found = np.array([random_footprint(_box(), random, turn=False) for _ in range(2000)])
    assert all(_box().contains(tuple(place), 1e-9) for place in found)
    share = np.histogram2d(found[:, 0], found[:, 1], 2, [[-0.2, 0.2], [-0.3, -0.16]])[0] / 2000
    assert share == pytest.approx(0.25, abs=0.05)
    line = box_area("a robot", 0.2, -0.2, -0.2, 0.3)
    assert random_footprint(line, random, turn=False)[1] == pytest.approx(-0.2)


def test_nearest_point_of_a_polygon() -> None:
    square = polygon_of(np.array([(1, 0), (0, 1), (-1, 0), (0, -1)], float), np.ones(4))
    assert len(square) == 4
    assert nearest_in(square, (2.0, 0.5)) == pytest.approx((1.0, 0.5))
    assert nearest_in(square, (3.0, -4.0)) == pytest.approx((1.0, -1.0))
    assert nearest_in(square, (0.2, 0.3)) == (0.2, 0.3)


# -- computing ------------------------------------------------------------------------------


def test_no_failed_footprint_is_inside_the_set_that_is_kept() -> None:
    robot = poise.load_robot("hrp2")
    xs, ys = np.linspace(-0.3, 0.3, 11), np.linspace(-0.35, -0.1, 8)
    X, Y = np.meshgrid(xs, ys, indexing="ij")
    fine = (X / 0.25) ** 2 + ((Y + 0.24) / 0.1) ** 2 < 1.0
    fine[7, 4] = False  # a hole
    area = area_of(robot, Sampled(xs, ys, np.array([0.0]), fine[None]))
    inside = np.array(
        [area.contains((x, y, 0.0)) for x, y in zip(X.ravel(), Y.ravel(), strict=True)]
    )
    assert not (inside & ~fine.ravel()).any()
    assert inside.sum() > 0.5 * fine.sum()
    assert closure(area, 300) == 1.0


def test_a_set_by_sizes_keeps_legs_apart_and_is_as_wide_as_they_roll() -> None:
    talos, nao = (poise.load_robot(name) for name in ("talos", "nao"))
    wide, narrow = (default_area(robot).polygon(0.0)[:, 1] for robot in (talos, nao))
    # its shins are close to each other: what is tried with the whole body says nearly the same
    assert trial("talos", [(0.0, float(wide.max()) - 0.005, 0.0)] * 2) == ""
    assert "close" in trial("talos", [(0.0, float(wide.max()) + 0.005, 0.0)] * 2)
    assert trial("talos", [(0.0, float(wide.min()), 0.0), (0.0, -0.17, 0.0)]) == ""
    assert np.ptp(wide) / Size.of(talos).length > np.ptp(narrow) / Size.of(nao).length + 0.01


def test_footprints_are_tried_with_the_whole_body() -> None:
    assert trial("hrp2", [REST]) == ""
    assert "close" in trial("hrp2", [(0.0, -0.10, 0.0)])
    late = walk_through("hrp2", [REST, REST, REST, (0.8, -0.19, 0.0)])
    assert late.wrong and late.step == 3
    assert len(late.speeds) == 4
    assert late.speeds[2][1] == pytest.approx(late.speeds[3][1], abs=0.02)  # it sways alike


def test_what_is_learnt_from_a_walk_ends_with_the_step_that_failed() -> None:
    places = [(0.0, -0.2, 0.0), (0.1, -0.2, 0.2), (0.2, -0.2, 0.0)]
    speeds = ((0.0, 0.1), (0.1, 0.1), (0.2, 0.1))
    assert [row[-1] for row in labels(places, Walked("", 3, speeds))] == [1.0, 1.0, 1.0]
    assert [row[-1] for row in labels(places, Walked("close", 1, speeds[:2]))] == [1.0, 0.0]
    assert labels(places, Walked("", 3, speeds))[1][2:5] == (0.2, 0.1, 0.1)


def test_the_grid_fits_the_robot() -> None:
    for name in ("hrp2", "nao"):
        robot = poise.load_robot(name)
        xs, ys, _ = footprints(robot, Grid())
        assert xs[0] == pytest.approx(-xs[-1])
        assert xs[-1] == pytest.approx(0.3 * Size.of(robot).length, rel=0.01)
        assert (ys < 0.0).all()


# -- proving --------------------------------------------------------------------------------


def test_every_corner_follows_every_corner_once() -> None:
    places = [(float(k), 0.0, 0.0) for k in range(7)]
    pairs = [pair for tour in tours(places) for pair in pairwise(tour)]
    assert len(pairs) == len(set(pairs)) == 49


def _judge(step: tuple) -> str:
    """A long step forward must not follow a wide one, whatever the turn."""
    (_, wide, _), (long, _, _) = step
    return "too long after too wide" if wide < -0.26 and long > 0.12 else ""


def _fake(function, jobs):
    """As if footprints were tried: a walk ends with the first step that the judge refuses."""
    for _, places in jobs:
        found, left = [], list(places)
        while True:
            before = [REST, *left]
            wrong = [k for k in range(len(left)) if _judge((before[k], left[k]))]
            if not wrong:
                found.append((left, Walked("", len(left), ((0.0, 0.0),) * len(left))))
                break
            k = wrong[0]
            found.append((left, Walked("too long", k, ((0.0, 0.0),) * (k + 1))))
            if k >= len(left) - 1:
                break
            left = left[k if k else 1 :]
        yield found


def test_a_set_is_made_smaller_until_no_step_of_its_walks_fails() -> None:
    robot, said = poise.load_robot("hrp2"), []
    flat = replace(_box(), turns=np.zeros(1), offsets=_box().offsets[1:2])
    found = proved(robot, flat, 300, _fake, said.append)
    assert found.walks == 300 and found.changes > 0 and said
    assert found.area.contains(REST)
    assert closure(found.area, 300) == 1.0
    for before in corners(found.area):
        assert not any(_judge((before, after)) for after in corners(found.area))
    assert volume(found.area) > 0.45 * volume(flat)  # at best 0.7


def test_what_has_to_stay_in_the_set_stays() -> None:
    area = _box()
    smaller = without(area, [(REST, (0.15, -0.2, 0.0))], REST, 0.01)
    assert smaller.contains(REST) and not smaller.contains((0.15, -0.2, 0.0))
    assert volume(smaller) > 0.8 * volume(area)
    with pytest.raises(PoiseError, match="on the spot"):
        without(area, [(REST, REST)], REST, 0.01)


def test_random_clipped_walks_of_the_shipped_sets_go_well() -> None:
    assert "hrp2" in SHIPPED
    for name in SHIPPED:
        area = known_area(poise.load_robot(name))
        for seed in range(900000, 900004):  # none of those that it was proved with
            walk = random_walk(area, seed)
            assert all(area.contains(place, 1e-6) for place in walk)
            assert trial(name, walk) == "", (name, walk)


# -- learning -------------------------------------------------------------------------------


def _rows(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random steps, and the probability with which each is good."""
    random = np.random.default_rng(seed)
    rows = random.uniform(-1.0, 1.0, (count, 5)) * (0.3, 0.1, 0.3, 0.2, 0.1)
    rows[:, 1] -= 0.2
    u = 3.0 - (rows[:, 0] / 0.12) ** 2 + 20.0 * (rows[:, 1] + 0.2) - 5.0 * rows[:, 3]
    return rows, 1.0 / (1.0 + np.exp(-u))


def test_learnt_probabilities_are_those_that_made_the_samples() -> None:
    rows, chance = _rows(4000, 0)
    good = np.random.default_rng(1).random(len(rows)) < chance
    learnt = learn(rows, good)
    assert learnt.scores.brier < 0.8 * learnt.scores.brier_base
    assert learnt.scores.calibration < 0.05
    fresh, truth = _rows(300, 2)
    assert np.abs(learnt.of_many(fresh) - truth).mean() < 0.04
    one = learnt.of(fresh[0, :3], (fresh[0, 3], fresh[0, 4]))
    assert one == pytest.approx(learnt.of_many(fresh[:1])[0], abs=1e-12)
    with pytest.raises(PoiseError, match="alike"):
        learn(rows, np.ones(len(rows)))


def test_learning_from_real_steps_beats_the_share_of_good_ones() -> None:
    """NAO, a coarse grid and a few walks; judged on steps kept apart."""
    robot, grid = poise.load_robot("nao"), Grid(step=0.1, across=0.06, turns=(-0.2, 0.0, 0.2))
    rows = np.vstack([sample(robot, grid).rows, explore(robot, 60, grid)])
    scores = learn(rows[:, :5], rows[:, 5]).scores
    assert 0.05 < scores.share < 0.95
    assert scores.brier < 0.85 * scores.brier_base


def test_shipped_probabilities_are_calibrated_and_tell_inside_from_outside() -> None:
    for name in SHIPPED:
        area = known_area(poise.load_robot(name))
        assert area.chance is not None
        scores = area.chance.scores
        assert scores.brier < 0.7 * scores.brier_base and scores.calibration < 0.05
        middle = area.polygon(0.0).mean(axis=0)
        inside = area.feasibility((middle[0], middle[1], 0.0))
        outside = area.feasibility((middle[0], 0.3 * middle[1], 0.0))
        assert inside > 0.9 > 0.5 > outside
    assert _box().feasibility(REST) is None


# -- files ----------------------------------------------------------------------------------


def _learnt() -> Feasibility:
    rows, chance = _rows(200, 3)
    return learn(rows, chance > 0.5)


def test_a_set_survives_its_file(tmp_path: Path) -> None:
    area = replace(default_area(poise.load_robot("nao")), chance=_learnt(), model="abc")
    save_area(area, tmp_path / "area.toml", {"tried": 3, "note": 'a "word"'})
    again = load_area(tmp_path / "area.toml")
    assert again.offsets == pytest.approx(area.offsets, abs=1e-6)
    assert (again.robot, again.model, again.source) == (area.robot, area.model, area.source)
    assert again.feasibility((0.05, -0.1, 0.0)) == pytest.approx(
        area.feasibility((0.05, -0.1, 0.0)), abs=1e-3
    )


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("turns = 3", "turns is 3"),
        ("turns = [0.3, 0.0, -0.3]", "increasing"),
        ("turns = [0.1, 0.2, 0.3]", "around 0"),
        ("offsets = [[1.0, 1.0, 1.0, 1.0]]", "1 rows"),
        ("offsets = [[1.0], [1.0], [1.0]]", "4 or more"),
        ("offsets = [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]", "alike"),
        ('offsets = [["a"], [1.0], [1.0]]', "list of numbers"),
        ("offsets = [[nan], [1.0], [1.0]]", "list of numbers"),
        ("offsets = [[-1, -1, -1, -1], [-1, -1, -1, -1], [-1, -1, -1, -1]]", "any footprint"),
        ("format = 1", "compute it again"),
        ("robot = 3", "robot is 3"),
        ("feasibility = 3", "feasibility is 3"),
        ("feasibility = {degree = 9}", "feasibility.features"),
    ],
)
def test_a_bad_file_is_one_sentence(line: str, says: str, tmp_path: Path, capsys) -> None:
    path = tmp_path / "area.toml"
    save_area(_box(), path)
    key = line.split(" = ")[0]
    text = path.read_text()
    if key == "offsets":
        text = text[: text.index("offsets")]
    kept = [old for old in text.splitlines() if not old.startswith(f"{key} =")]
    path.write_text("\n".join([*kept, line]) + "\n")
    with pytest.raises(PoiseError, match=says.replace(".", r"\.")):
        load_area(path)
    assert main(["interact", "--area", str(path)]) == 2
    error = capsys.readouterr().err
    assert "area.toml" in error and "Traceback" not in error


def test_a_missing_key_and_a_set_of_another_robot_are_one_sentence(tmp_path: Path, capsys) -> None:
    (tmp_path / "bad.toml").write_text("robot = 'hrp2'")
    with pytest.raises(PoiseError, match="turns"):
        load_area(tmp_path / "bad.toml")
    save_area(_box(), tmp_path / "other.toml")
    assert main(["interact", "--robot", "nao", "--area", str(tmp_path / "other.toml")]) == 2
    assert "a set for nao" in capsys.readouterr().err


def test_a_set_that_was_kept_is_used_and_one_of_another_model_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POISE_ROBOTS", str(tmp_path / "robots"))
    robot = poise.load_robot("hrp2")
    assert known_area(robot).source == "computed" and known_area(robot).model == robot.model_hash
    other = replace(robot, model_hash="of another model")
    assert known_area(other).source == "by the robot's sizes"
    mine = kept_area_file(other)
    mine.parent.mkdir(parents=True)
    save_area(_box(), mine)
    assert known_area(other).robot == "a robot"
    assert known_area(robot).robot == "hrp2"


def test_wrong_calls_of_the_command_are_one_sentence(tmp_path: Path, capsys) -> None:
    for arguments, says in (
        (["--robot", "hpr2"], "hrp2"),
        (["--step", "7"], "--step"),
        (["--verify", "-1"], "--verify"),
        (["--out", str(tmp_path / "nowhere" / "area.toml")], "nowhere"),
        (["--scheduler", "banana"], "not an address"),
    ):
        assert main(["safe-area", *arguments]) == 2
        error = capsys.readouterr().err
        assert says in error and "Traceback" not in error


def test_the_command_computes_draws_keeps_and_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    import poise.commands.safe_area as command

    monkeypatch.setattr(command, "spread", lambda _: lambda function, jobs: [*map(function, jobs)])
    monkeypatch.setenv("POISE_ROBOTS", str(tmp_path / "robots"))
    out, picture = tmp_path / "area.toml", tmp_path / "map.png"
    call = ["safe-area", "--robot", "nao", "--step", "0.2", "--across", "0.09", "--verify", "0"]
    files = ["--explore", "8", "--out", str(out), "--figures", str(picture), "--keep", "--json"]
    assert main([*call, *files]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["tried"] == 100 and 0 < data["good"] < 100 and data["closure"] == 1.0
    assert data["feasibility"]["samples"] > 10 and data["walks"] == 0
    assert picture.stat().st_size > 10_000
    robot = poise.load_robot("nao")
    assert load_area(out).offsets == pytest.approx(known_area(robot).offsets)
    assert data["kept"] == str(kept_area_file(robot))
