"""Foot contacts of real walks, many laboratories, against what force plates saw.

The plates and the events stored in the files are used to judge, never to find.
"""

import itertools

import numpy as np
import pytest

from poise.engines.imitate import foot_events
from shared import events_of_trial, mocap, plate_truth

NEAR = 0.15  # [s], beyond which an event is another one


def judged() -> list[tuple[str, str, float]]:
    """Trial, kind and error [s] (NaN where missed) of every event that the plates saw well."""
    rows = []
    for name, trial in plate_truth().items():
        if not any(c["ic_valid"] or c["to_valid"] for c in trial["contacts"]):
            continue
        found = events_of_trial(name)
        for contact in trial["contacts"]:
            events = found.left if contact["foot"] == "L" else found.right
            for kind, mine in (("ic", events.ic), ("to", events.to)):
                if contact[f"{kind}_valid"]:
                    off = mine - contact[f"{kind}_5N"]
                    near = off[np.argmin(np.abs(off))] if len(off) else np.inf
                    rows.append((name, kind, near if abs(near) < NEAR else np.nan))
    return rows


@pytest.mark.parametrize(("kind", "count"), [("ic", 71), ("to", 66)])
def test_contacts_are_where_the_plates_saw_them(kind: str, count: int) -> None:
    rows = [row for row in judged() if row[1] == kind]
    miss = np.array([row[2] for row in rows])
    assert len(miss) == count
    assert np.isfinite(miss).all(), [row for row in rows if np.isnan(row[2])]
    assert abs(np.median(miss)) < 0.015
    assert np.median(np.abs(miss)) < 0.015
    assert np.mean(np.abs(miss) <= 0.040) >= 0.95
    assert np.abs(miss).max() <= 0.060, max(rows, key=lambda row: abs(row[2]))


def test_no_event_is_found_where_a_foot_stands_on_a_plate() -> None:
    for name, trial in plate_truth().items():
        for contact in trial["contacts"]:
            if not (contact["ic_valid"] and contact["to_valid"]):
                continue
            found = events_of_trial(name)
            events = found.left if contact["foot"] == "L" else found.right
            start, end = contact["ic_5N"], contact["to_5N"]
            for kind, mine in (("ic", events.ic), ("to", events.to)):
                right = start if kind == "ic" else end
                inside = mine[(mine > start - 0.06) & (mine < end + 0.06)]
                assert len(inside) == 1, (name, kind, inside)
                assert abs(inside[0] - right) <= 0.060


def test_events_take_turns_in_every_trial() -> None:
    for name in plate_truth():
        found = events_of_trial(name)
        for events in (found.left, found.right):
            turns = sorted([(t, "ic") for t in events.ic] + [(t, "to") for t in events.to])
            kinds = [kind for _, kind in turns]
            assert all(a != b for a, b in itertools.pairwise(kinds)), (name, turns)


def test_treadmills_are_told_from_floors() -> None:
    for name, trial in plate_truth().items():
        assert events_of_trial(name).treadmill == ("treadmill" in trial["role"]), name
    for name in ("wavy1/rizoli/walk_001.c3d", "wavy1/optitrack/walk_slow_003.c3d"):
        found = foot_events(mocap(name))
        assert found.treadmill
        assert found.belt_speed == pytest.approx(0.70, abs=0.02)
        assert len(found.left.ic) == len(found.left.to) >= 6


@pytest.mark.parametrize("clip", ["02_01", "16_17", "16_29", "47_01"])
def test_skeletons_step_in_turn(clip: str) -> None:
    found = foot_events(mocap(f"cmu_bvh/{clip}.bvh"))
    steps = sorted([(t, "left") for t in found.left.ic] + [(t, "right") for t in found.right.ic])
    sides = [side for _, side in steps]
    assert len(steps) >= 4
    alternating = sum(a != b for a, b in itertools.pairwise(sides))
    assert alternating >= len(sides) - 2  # a turn on the spot may repeat a foot once
