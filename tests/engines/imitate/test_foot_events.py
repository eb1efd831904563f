"""Foot contacts of the synthetic walker, whose instants are known exactly."""

from dataclasses import replace

import numpy as np
import pytest

from poise.engines.imitate import FootEvents, foot_events
from poise.engines.imitate.synthetic import (
    Gait,
    Truth,
    captured,
    walking,
    with_gaps,
    with_noise,
)
from poise.engines.imitate.synthetic.path import Path
from poise.motion import Recording
from poise.motion.marker_names import SIDES

STRAIGHT = Path(20.0, 0.0, 1.0)
LEFT_TURN = Path(2.9, np.pi / 2, 1.6)
RIGHT_TURN = Path(2.9, -np.pi / 2, 1.6)


@pytest.fixture(scope="module")
def turn() -> Truth:
    return walking()


def errors(truth: Truth, found: FootEvents) -> np.ndarray:
    """Found minus true [s] of every event; none is missing and none too many."""
    miss = []
    for side in SIDES:
        events = found.side(side)
        for true, mine in ((truth.ic[side], events.ic), (truth.to[side], events.to)):
            assert len(mine) == len(true), (side, mine, true)
            miss += list(mine - true)
    return np.array(miss)


@pytest.mark.parametrize(
    "path", [STRAIGHT, LEFT_TURN, RIGHT_TURN], ids=["straight", "left", "right"]
)
@pytest.mark.parametrize("rate", [60.0, 100.0, 250.0])
def test_every_contact_is_found_on_any_path_at_any_rate(path: Path, rate: float) -> None:
    truth = walking(gait=Gait(path=path), rate=rate)
    assert np.abs(errors(truth, foot_events(captured(truth)))).max() < 0.015


def test_a_quarter_turn_moves_no_event_by_more_than_fifteen_milliseconds() -> None:
    straight, turned = (walking(gait=Gait(path=p)) for p in (STRAIGHT, LEFT_TURN))
    a, b = foot_events(captured(straight)), foot_events(captured(turned))
    for side in SIDES:
        assert np.abs(a.side(side).ic - b.side(side).ic).max() < 0.015
        assert np.abs(a.side(side).to - b.side(side).to).max() < 0.015


@pytest.mark.parametrize(
    ("length", "time", "support"), [(0.40, 0.75, 0.22), (0.55, 0.60, 0.15), (0.70, 0.48, 0.10)]
)
def test_slow_and_fast_walks(length: float, time: float, support: float) -> None:
    gait = Gait(step_length=length, step_time=time, double_support=support)
    truth = walking(gait=replace(gait, path=STRAIGHT))
    assert np.abs(errors(truth, foot_events(captured(truth)))).max() < 0.040


def test_the_speed_of_the_walk_is_told(turn: Truth) -> None:
    found = foot_events(captured(turn))
    assert found.walking_speed == pytest.approx(Gait().speed, rel=0.05)
    assert not found.treadmill
    assert found.rate == 100.0


def test_two_millimetres_of_noise_do_no_harm(turn: Truth) -> None:
    noisy = with_noise(captured(turn), 2e-3, seed=4)
    assert np.abs(errors(turn, foot_events(noisy))).max() < 0.025


@pytest.mark.parametrize(("seconds", "count"), [(0.08, 60), (0.30, 12)])
def test_gaps_do_no_harm(turn: Truth, seconds: float, count: int) -> None:
    holes = with_gaps(captured(turn), seconds, count, seed=2)
    assert np.isnan(holes.markers).any()
    assert np.abs(errors(turn, foot_events(holes))).max() < 0.040


def test_where_a_walk_points_and_starts_in_the_world_does_not_matter(turn: Truth) -> None:
    recording = captured(turn)
    c, s = np.cos(2.1), np.sin(2.1)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    moved = replace(recording, markers=recording.markers @ R.T + [5.0, -3.0, 0.0], plates=())
    a, b = foot_events(recording), foot_events(moved)
    for side in SIDES:
        assert np.abs(a.side(side).ic - b.side(side).ic).max() < 1e-9
        assert np.abs(a.side(side).to - b.side(side).to).max() < 1e-9


def test_a_mirrored_walk_has_mirrored_events(turn: Truth) -> None:
    recording = captured(turn)
    swap = {"L": "R", "R": "L"}
    names = tuple(
        swap.get(n[0], n[0]) + n[1:] if n[0] in swap else n for n in recording.marker_names
    )
    mirror = replace(
        recording, marker_names=names, markers=recording.markers * [1, -1, 1], plates=()
    )
    a, b = foot_events(recording), foot_events(mirror)
    assert np.abs(a.left.ic - b.right.ic).max() < 1e-6
    assert np.abs(a.right.to - b.left.to).max() < 1e-6


def test_times_count_from_the_first_frame_of_the_file(turn: Truth) -> None:
    recording = captured(turn)
    later = replace(recording, markers=recording.markers[30:], plates=(), start=0.30)
    a, b = foot_events(recording), foot_events(later)
    assert b.left.ic == pytest.approx(a.left.ic[a.left.ic > 0.35], abs=5e-3)


def on_a_belt(recording: Recording, speed: float) -> Recording:
    """The same walk on a treadmill that runs as fast as the person walks, towards -x."""
    back = np.zeros((len(recording), 1, 3))
    back[:, 0, 0] = -speed * recording.time
    return replace(recording, markers=recording.markers + back, plates=())


def test_a_treadmill_is_recognised_and_its_contacts_are_the_same() -> None:
    truth = walking(gait=Gait(path=STRAIGHT))
    recording = captured(truth)
    found = foot_events(on_a_belt(recording, Gait().speed))
    assert found.treadmill
    assert found.belt_speed == pytest.approx(Gait().speed, rel=0.05)
    assert np.abs(errors(truth, found)).max() < 0.020


def test_without_a_heel_marker_the_ankle_stands_in_and_it_is_said(turn: Truth) -> None:
    recording = captured(turn)
    keep = [k for k, n in enumerate(recording.marker_names) if not n.endswith("HEE")]
    names = tuple(recording.marker_names[k] for k in keep)
    found = foot_events(replace(recording, marker_names=names, markers=recording.markers[:, keep]))
    assert any("left heel: ankle" in note for note in found.notes)
    assert np.abs(errors(turn, found)).max() < 0.060
