"""Gaps: short ones by a spline, long ones by the rest of the body, honest ones left open."""

from dataclasses import replace

import numpy as np
import pytest

from poise.engines.imitate.body import body_of
from poise.engines.imitate.filters import highpass, lowpass, runs, velocity
from poise.engines.imitate.gaps import filled
from poise.engines.imitate.sides import unswapped
from poise.engines.imitate.synthetic import captured, exchanged, walking, with_gaps
from poise.motion import Recording


@pytest.fixture(scope="module")
def walk() -> Recording:
    return captured(walking())


def hidden(walk: Recording, label: str, start: int, count: int) -> tuple[np.ndarray, int]:
    markers = np.array(walk.markers)
    k = walk.marker_names.index(label)
    markers[start : start + count, k] = np.nan
    return markers, k


@pytest.mark.parametrize("label", ["LASI", "RKNE", "LTOE", "C7"])
def test_a_short_gap_is_closed_within_millimetres(walk: Recording, label: str) -> None:
    markers, k = hidden(walk, label, 200, 8)
    out, count = filled(markers, walk.rate)
    assert (count.splines, count.rigid, count.open) == (1, 0, 0)
    assert np.abs(out[200:208, k] - walk.markers[200:208, k]).max() < 4e-3


@pytest.mark.parametrize("label", ["LASI", "RPSI", "T10", "CLAV"])
def test_a_long_gap_is_closed_by_the_rest_of_the_body(walk: Recording, label: str) -> None:
    markers, k = hidden(walk, label, 150, 80)
    out, count = filled(markers, walk.rate)
    assert (count.splines, count.rigid, count.open) == (0, 1, 0)
    assert np.abs(out[150:230, k] - walk.markers[150:230, k]).max() < 1e-6


def test_a_long_gap_of_a_lonely_marker_stays_open(walk: Recording) -> None:
    markers, k = hidden(walk, "LWRA", 150, 80)
    for friend in ("LWRB", "LELB"):
        markers[:, walk.marker_names.index(friend)] = np.nan
    out, count = filled(markers, walk.rate)
    assert count.open == 1
    assert np.isnan(out[150:230, k]).all()


def test_what_was_seen_is_never_changed(walk: Recording) -> None:
    holes = with_gaps(walk, 0.2, 25)
    out, _ = filled(holes.markers, walk.rate)
    known = np.isfinite(holes.markers)
    assert np.array_equal(out[known], holes.markers[known])


def test_before_the_first_and_after_the_last_sight_nothing_is_invented(walk: Recording) -> None:
    markers = np.array(walk.markers)
    markers[:40, 0] = np.nan
    markers[-40:, 0] = np.nan
    out, _ = filled(markers, walk.rate)
    assert np.isnan(out[:40, 0]).all() and np.isnan(out[-40:, 0]).all()


def test_labels_that_jump_are_followed(walk: Recording) -> None:
    wrong = exchanged(walk, [("LKNE", "RKNE")], 0.8, 1.1)
    wrong = exchanged(wrong, [("LKNE", "RKNE")], 2.0, 2.4)
    names = {"left_knee_lateral": "LKNE", "right_knee_lateral": "RKNE"}
    points = {mark: wrong.marker(label) for mark, label in names.items()}
    mended, count = unswapped(points, walk.rate)
    assert count == 2
    for mark, label in names.items():
        assert np.array_equal(mended[mark], walk.marker(label))


def test_notes_say_what_was_done(walk: Recording) -> None:
    body = body_of(with_gaps(walk, 0.05, 5))
    assert any("closed by a spline" in note for note in body.notes)
    assert body_of(replace(walk, plates=())).notes == ()


def test_filters_have_no_delay_and_keep_gaps() -> None:
    t = np.arange(600) / 100.0
    slow, fast = np.sin(2 * np.pi * 0.8 * t), np.sin(2 * np.pi * 30.0 * t)
    signal = (slow + fast)[:, None]
    signal[300:310] = np.nan
    low = lowpass(signal, 100.0, 8.0)
    assert np.isnan(low[300:310]).all() and np.isfinite(low[:300]).all()
    middle = slice(50, 250)
    assert np.abs(low[middle, 0] - slow[middle]).max() < 0.01
    high = highpass(signal, 100.0, 8.0)
    assert np.abs(high[middle, 0] - fast[middle]).max() < 0.02


def test_a_straight_line_passes_a_low_pass_unchanged() -> None:
    line = np.linspace(0.0, 5.0, 200)[:, None]
    assert np.abs(lowpass(line, 100.0, 6.0) - line).max() < 1e-8
    assert np.abs(velocity(line, 100.0) - 5.0 / 1.99).max() < 1e-9


def test_runs_are_where_the_mask_is_true() -> None:
    mask = np.array([1, 1, 0, 1, 0, 0, 1, 1, 1], dtype=bool)
    assert runs(mask) == [(0, 2), (3, 4), (6, 9)]
    assert runs(mask, least=2) == [(0, 2), (6, 9)]
