"""What cannot be imitated is said in one sentence that names the file and the trouble."""

from dataclasses import replace

import numpy as np
import pytest

from poise.engines.imitate import foot_events, human
from poise.engines.imitate.synthetic import captured, exchanged, standing, swinging, walking
from poise.errors import BadInput
from poise.motion import Recording
from shared import mocap


@pytest.fixture(scope="module")
def walk() -> Recording:
    return captured(walking(), "walk.c3d")


def sentence(recording: Recording, ask=foot_events) -> str:
    with pytest.raises(BadInput) as caught:
        ask(recording)
    words = str(caught.value)
    assert "\n" not in words
    assert words.startswith(recording.source)
    return words


def without(recording: Recording, *labels: str) -> Recording:
    keep = [k for k, name in enumerate(recording.marker_names) if name not in labels]
    names = tuple(recording.marker_names[k] for k in keep)
    return replace(recording, marker_names=names, markers=recording.markers[:, keep])


def test_a_static_recording_given_as_a_walk() -> None:
    assert "standing still" in sentence(captured(standing(), "static.c3d"))


def test_a_functional_trial_given_as_a_walk() -> None:
    assert "not walking" in sentence(captured(swinging("left"), "hip.c3d"))


def test_a_single_frame(walk: Recording) -> None:
    one = replace(walk, markers=walk.markers[:1], plates=())
    assert "0.01 s long" in sentence(one)


def test_a_missing_foot(walk: Recording) -> None:
    words = sentence(without(walk, "LTOE"))
    assert "without a left toe" in words
    assert "LHEE" in words  # what is known there


def test_a_missing_pelvis_or_knee(walk: Recording) -> None:
    assert "left asis" in sentence(without(walk, "LASI"), human)
    assert "right knee lateral" in sentence(without(walk, "RKNE"), human)
    assert "psis" in sentence(without(walk, "LPSI", "RPSI"), human)


def test_labels_nobody_knows(walk: Recording) -> None:
    names = tuple(f"m{k}" for k in range(len(walk.marker_names)))
    assert "without a left heel and toe" in sentence(replace(walk, marker_names=names))


def test_no_markers_at_all() -> None:
    assert "without markers" in sentence(Recording("nothing.c3d", 100.0))


def test_a_foot_that_was_never_seen(walk: Recording) -> None:
    markers = np.array(walk.markers)
    half = len(markers) // 2
    markers[half:, walk.marker_names.index("RHEE")] = np.nan
    markers[:half, walk.marker_names.index("RTOE")] = np.nan
    words = sentence(replace(walk, markers=markers))
    assert "the right foot is never seen with its heel and its toe" in words


def test_all_sides_swapped(walk: Recording) -> None:
    swap = {"L": "R", "R": "L"}
    names = tuple(swap[n[0]] + n[1:] if n[0] in swap else n for n in walk.marker_names)
    words = sentence(replace(walk, marker_names=names))
    assert "left and right is swapped" in words
    assert "LASI and RASI" in words


@pytest.mark.parametrize("pair", [("LHEE", "RHEE"), ("LTOE", "RTOE"), ("LKNE", "RKNE")])
def test_one_pair_swapped_throughout(walk: Recording, pair: tuple[str, str]) -> None:
    assert " and ".join(pair) in sentence(exchanged(walk, [pair]))


def test_pairs_swapped_for_a_while_are_put_right(walk: Recording) -> None:
    pairs = [("LHEE", "RHEE"), ("LTOE", "RTOE"), ("LANK", "RANK")]
    wrong = exchanged(walk, pairs, 1.20, 1.75)
    found, right = foot_events(wrong), foot_events(walk)
    assert any("put right" in note for note in found.notes)
    assert np.abs(found.left.ic - right.left.ic).max() < 1e-6
    assert np.abs(found.right.to - right.right.to).max() < 1e-6


def test_a_head_that_is_swapped_is_exchanged_and_it_is_said(walk: Recording) -> None:
    found = foot_events(exchanged(walk, [("LFHD", "RFHD")]))
    assert any("LFHD and RFHD exchanged" in note for note in found.notes)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mcgill_biomechzoo/HC030A/Static/HC030A01.c3d", "standing still"),
        ("btkdata/PiG/PiG_Calibration-FlatFoot-One.c3d", "0.01 s long"),
        ("btkdata/functional/FunctionalLHip.c3d", "not walking"),
        ("c3dparser/RBWH/calibration/Max_Cal_01.c3d", "standing most of the time"),
        ("opensim_core/gait2354_subject01/subject01_static.trc", "standing still"),
        ("biobuddy/lower_limb_calibration/Test_func_trunk.c3d", "standing most of the time"),
    ],
)
def test_real_recordings_of_other_things(name: str, words: str) -> None:
    with pytest.raises(BadInput, match=words) as caught:
        foot_events(mocap(name))
    assert "\n" not in str(caught.value)
