"""Arms of a robot that is led: room to give way, and clear of the body."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import poise
from poise.engines.interact import holding
from poise.engines.interact.body import Body, Still, Wishes
from poise.engines.interact.clearance import ROOM, Clearance
from poise.engines.interact.free_way import free_way
from poise.engines.interact.holding import offering
from poise.engines.interact.leader import Leader, Stretch
from poise.engines.interact.size import Size
from poise.leading import interacted
from poise.robot import Robot
from poise.robot.robot import BASE_Q


def test_an_arm_in_the_way_of_the_hips_offers_its_hand_further_out() -> None:
    robot = poise.load_robot("talos")
    length = Size.of(robot).length
    assert free_way(robot, offering(robot, "right"), 0.2 * length) > 0.12 * length


def test_a_hand_where_it_hangs_would_have_no_way_to_go(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = poise.load_robot("talos")
    monkeypatch.setattr(holding, "ASIDE", (0.1,))
    length = Size.of(robot).length
    assert free_way(robot, offering(robot, "right"), 0.2 * length) < 0.05 * length


@pytest.mark.parametrize("name", ["hrp2", "talos", "nao"])
def test_no_hand_is_offered_with_its_elbow_at_its_end(name: str) -> None:
    robot = poise.load_robot(name)
    joints, k = offering(robot, "right").q[BASE_Q:], robot.indices("right_arm")
    elbow = k[3]
    low, high = robot.lower[elbow], robot.upper[elbow]
    assert min(joints[elbow] - low, high - joints[elbow]) > 0.1 * (high - low)


def test_the_speed_at_which_links_part_is_that_of_their_distance() -> None:
    robot = poise.load_robot("talos")
    rest, step = offering(robot, "right"), 1e-6
    q = rest.q.copy()
    q[BASE_Q + robot.index("arm_right_2_joint")] += 0.5  # towards the hips
    at, v = Still(robot, q), np.random.default_rng(1).standard_normal(robot.nv)
    clearance = Clearance(robot, q, rest.shoulders.values(), 1.0)
    found = []
    for posture in (q, pin.integrate(robot.model, q, step * v)):
        at.refresh(posture, v)
        found.append(clearance.look(at))
    assert len(found[0]) >= 2
    for before, after in zip(*found, strict=True):
        parting = (after.distance - before.distance) / step
        assert parting == pytest.approx(float(before.row @ v), abs=1e-3)


def _standing(robot: Robot, body: Body) -> Wishes:
    at = robot.at(body.q)
    still = {part: np.zeros(6) for part in robot.feet}
    poses = {part: at.pose(part) for part in robot.feet}
    return Wishes(at.com[:2].copy(), np.zeros(2), poses, still, 0.0, 0.0)


@pytest.mark.parametrize("way", [(0.0, 0.12, 0.0), (-0.06, 0.12, 0.0)])
def test_a_hand_that_is_pulled_into_the_body_comes_to_rest_before_it(way) -> None:
    """Without the clearance the arm goes centimetres into the hips: see `keeps_clear`."""
    robot = poise.load_robot("talos")
    rest = offering(robot, "right")
    hand = {"right_hand": np.r_[way, 0.0, 0.0, 0.0]}
    left, jerk = {}, []
    for keeps_clear in (True, False):
        body = Body(robot, rest, 0.005)
        body.keeps_clear = keeps_clear
        clearance = Clearance(robot, rest.q, rest.shoulders.values(), 0.005)
        wishes, least = _standing(robot, body), np.inf
        for k in range(500):
            before = body.v.copy()
            body.look()
            body.step(wishes, hand)
            if k % 10 == 0:
                least = min(least, clearance.left(body.q))
            if keeps_clear and k > 2:
                jerk.append(np.abs(body.v - before)[6:].max())
        left[keeps_clear] = least
    room = ROOM * robot.height
    assert left[True] > -0.5 * room
    assert left[False] < -2.0 * room
    assert max(jerk) < 0.4  # [rad/s] from one period to the next


def test_a_robot_that_has_stopped_stands_while_its_arm_is_pulled_into_the_body(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Offered where it hangs, so that the arm is soon at the hips; the partner pulls on."""
    monkeypatch.setattr(holding, "ASIDE", (0.1,))
    way = Stretch(6.0, forward=-0.2, sideways=0.2)
    done = interacted("talos", Leader("inwards", wait=1.5, stretches=(way,)), duration=9.0)
    assert done.figures["upright"] and done.figures["stopped_because"]
    assert done.led.controller.body.kept_clear
    force = np.linalg.norm(done.motion.signals["hand_force"], axis=1)
    strength = done.led.partners["right_hand"].leader.strength
    assert force[-400:].max() < 1.1 * strength  # the wrist feels the partner, not the robot itself
