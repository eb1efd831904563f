"""A Motion keeps its columns by name; rollouts and edits keep what they promise."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.contacts import ContactPlan, Touch
from poise.errors import BadInput, NotFound
from poise.motion import (
    Command,
    IdealWorld,
    Motion,
    Observation,
    Player,
    motion_of,
    record,
    tilt,
    velocities,
)
from poise.motion.editing import cut, joined, mirrored, moved, resampled, slowed
from poise.robot import Robot, load_robot

NAO = load_robot("nao")


def smooth(robot: Robot, n: int = 60, rate: float = 100.0) -> Motion:
    """A wandering base and joints that swing, all in closed form."""
    time = np.arange(n) / rate
    rng = np.random.default_rng(3)
    size, phase = 0.1 * rng.normal(size=robot.nv), rng.uniform(0, 6, size=robot.nv)
    q = np.array(
        [
            robot.coupled(
                pin.integrate(robot.model, robot.half_sitting, size * np.sin(5.0 * t + phase))
            )
            for t in time
        ]
    )
    at = robot.at(robot.half_sitting)
    touches = [Touch(p, 0.0, time[-1], at.pose(p), robot.soles[p].points) for p in robot.feet]
    forces = {p: rng.normal(size=(n, 6)) for p in robot.feet}
    return motion_of(
        robot,
        time,
        q,
        tau=rng.normal(size=(n, robot.na)),
        contacts=ContactPlan.of(touches),
        forces=forces,
        signals={"zmp": rng.normal(size=(n, 2))},
    )


def test_velocities_are_those_that_lead_from_one_instant_to_the_next() -> None:
    motion = smooth(NAO, 200, 1000.0)
    for k in range(5, 195, 20):
        there = pin.integrate(NAO.model, motion.q[k], 1e-3 * motion.v[k])
        assert np.abs(pin.difference(NAO.model, there, motion.q[k + 1])).max() < 2e-5


def test_columns_follow_their_names() -> None:
    motion = smooth(NAO)
    names = tuple(reversed(motion.joint_names))
    other = motion.ordered_as(names)
    assert np.array_equal(other.joint("LKneePitch"), motion.joint("LKneePitch"))
    assert np.array_equal(other.ordered_as(motion.joint_names).q, motion.q)
    with pytest.raises(NotFound, match="LKneePitch"):
        motion.joint("LKneePich")
    with pytest.raises(NotFound):
        motion.ordered_as(names[:-1])


def test_arrays_of_the_wrong_shape_are_refused_by_name() -> None:
    good = smooth(NAO)
    with pytest.raises(BadInput, match="forces/left_foot"):
        Motion(
            "nao",
            "",
            good.time,
            good.q,
            good.v,
            good.joint_names,
            forces={"left_foot": np.zeros((3, 6))},
        )
    with pytest.raises(BadInput, match="q is of shape"):
        Motion("nao", "", good.time, good.q[:, 1:], good.v, good.joint_names)


def test_a_motion_played_in_an_ideal_world_is_itself() -> None:
    motion = smooth(NAO)
    again = record(Player(motion), IdealWorld(NAO, 0.01), motion.duration - 0.01, motion.q[0])
    # the world is one period behind its command
    assert np.allclose(again.joints[1:], motion.joints[: len(again) - 1], atol=1e-12)


@settings(max_examples=10, deadline=None)
@given(st.floats(20.0, 400.0))
def test_resampling_keeps_the_path(rate: float) -> None:
    motion = smooth(NAO)
    other = resampled(motion, NAO, rate)
    assert abs(other.duration - motion.duration) <= 1.0 / rate
    for k in range(0, len(other), max(len(other) // 7, 1)):
        near = motion.row(other.time[k])
        gap = pin.difference(NAO.model, motion.q[near], other.q[k])
        assert np.abs(gap).max() < 0.02


def test_the_mirror_image_of_the_mirror_image_is_the_motion() -> None:
    motion = smooth(NAO)
    twice = mirrored(mirrored(motion, NAO), NAO)
    assert np.allclose(twice.q, motion.q)
    assert np.allclose(twice.v, motion.v)
    assert np.allclose(twice.forces["left_foot"], motion.forces["left_foot"])
    once = mirrored(motion, NAO)
    assert np.allclose(velocities(NAO, once.time, once.q), once.v, atol=1e-9)
    left = NAO.at(motion.q[7]).position("left_hand")
    right = NAO.at(once.q[7]).position("right_hand")
    assert np.allclose(left * [1, -1, 1], right, atol=1e-6)


def test_moving_the_world_moves_everything_alike() -> None:
    motion = smooth(NAO)
    T = pin.SE3(pin.exp3(np.array([0.0, 0.0, 0.7])), np.array([1.0, 2.0, 0.0]))
    there = moved(motion, T)
    foot, foot_there = NAO.at(motion.q[3]).pose("left_foot"), NAO.at(there.q[3]).pose("left_foot")
    assert foot_there.isApprox(T * foot, 1e-9)
    assert np.allclose(there.v, motion.v)
    assert there.contacts.touches[0].T_world_surface.isApprox(
        T * motion.contacts.touches[0].T_world_surface, 1e-12
    )


def test_cutting_and_joining_give_the_motion_back() -> None:
    motion = smooth(NAO, 61)
    a, b = cut(motion, 0.0, 0.3), cut(motion, 0.31, 0.6)
    whole = joined(a, b)
    assert np.allclose(whole.time, motion.time)
    assert np.allclose(whole.q, motion.q)
    with pytest.raises(BadInput, match=r"within 0 to 0\.6 s"):
        cut(motion, 5.0, 6.0)


def test_a_slower_motion_goes_the_same_way() -> None:
    motion = smooth(NAO)
    slow = slowed(motion, 2.0)
    assert np.array_equal(slow.q, motion.q)
    assert np.allclose(slow.v, motion.v / 2.0)
    assert slow.tau is None
    assert slow.contacts.end == pytest.approx(2.0 * motion.contacts.end)


def test_tilt_is_the_angle_of_the_vertical_whatever_the_heading() -> None:
    lean = pin.Quaternion(pin.exp3(np.array([0.0, 0.3, 0.0]))).coeffs()
    turned = pin.Quaternion(
        pin.exp3(np.array([0.0, 0.0, 2.0])) @ pin.exp3(np.array([0.0, 0.3, 0.0]))
    )
    upright = np.array([0.0, 0.0, 0.0, 1.0])
    assert tilt(lean, upright) == pytest.approx(0.3)
    assert tilt(turned.coeffs(), upright) == pytest.approx(0.3)


def test_what_is_recorded_of_a_long_run_takes_little_more_memory_than_it_is() -> None:
    rows, world = 3000, IdealWorld(NAO, 0.01)
    still = Command(NAO.half_sitting[7:])

    class Holds:
        def command(self, seen: Observation) -> Command:
            return still

    record(Holds(), world, 1.0)
    tracemalloc.start()
    motion = record(Holds(), world, 0.01 * rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(motion) == rows + 1
    recorded = (motion.time, motion.q, motion.v, motion.tau, motion.signals["command"])
    assert peak < 1.6 * sum(array.nbytes for array in recorded)


def test_a_wrench_that_is_felt_late_was_nothing_before() -> None:
    class Touched(IdealWorld):
        def step(self, command: Command) -> Observation:
            seen = super().step(command)
            late = seen.time > 0.05
            return replace(seen, wrenches={"left_hand": np.ones(6)} if late else {})

    motion = record(Player(smooth(NAO)), Touched(NAO, 0.01), 0.1)
    felt = motion.forces["left_hand"]
    assert felt.shape == (len(motion), 6)
    np.testing.assert_array_equal(felt[:, 0], motion.time > 0.05)
