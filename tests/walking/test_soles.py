"""How standing soles share the weight."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.robot import load_robot
from poise.walking.soles import Soles

ROBOT = load_robot("hrp2")
LEFT, RIGHT = ROBOT.feet


def _foot(x: float, y: float, heading: float) -> pin.SE3:
    return pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, heading), np.array([x, y, 0.0]))


@settings(max_examples=40, deadline=None)
@given(
    step=st.floats(-0.25, 0.25),
    turn=st.floats(-0.3, 0.3),
    along=st.floats(0.0, 1.0),
    off=st.tuples(st.floats(-0.03, 0.03), st.floats(-0.03, 0.03)),
)
def test_what_the_soles_press_together_is_the_zmp(step, turn, along, off) -> None:
    stance = {RIGHT: _foot(0.0, -0.1, 0.0), LEFT: _foot(step, 0.1, turn)}
    soles = Soles(ROBOT)
    soles.look((0.0, 0.0), stance)
    a, b = (np.array(soles.feet[part].middle) for part in (RIGHT, LEFT))
    way = (b - a) / np.linalg.norm(b - a)
    across = np.array([-way[1], way[0]])
    zmp = a + along * (b - a) + off[0] * across  # off the line between the soles, not along it
    soles.look((float(zmp[0]), float(zmp[1])), stance)
    assert sum(soles.shares.values()) == pytest.approx(1.0)
    assert soles.shares[LEFT] == pytest.approx(along, abs=1e-9)
    together = np.zeros(2)
    for part, (x, y) in soles.presses(soles.zmp).items():
        foot = soles.feet[part]
        together += soles.shares[part] * (np.array([foot.x, foot.y]) + foot.turned(x, y))
    assert together == pytest.approx(zmp, abs=1e-9)


def test_a_foot_that_lands_takes_no_weight_at_first() -> None:
    """A ZMP over the middle of one sole is that sole's alone, and the press does not jump."""
    soles, right = Soles(ROBOT), _foot(0.0, -0.1, 0.1)
    soles.look((0.0, 0.0), {RIGHT: right})
    middle = soles.feet[RIGHT].middle
    soles.look(middle, {RIGHT: right})
    alone = soles.presses(middle)[RIGHT]
    soles.look(middle, {RIGHT: right, LEFT: _foot(0.2, 0.1, 0.0)})
    assert soles.shares == pytest.approx({RIGHT: 1.0, LEFT: 0.0})
    assert soles.presses(middle)[RIGHT] == pytest.approx(alone)


def test_in_flight_nothing_presses_and_no_room_is_told() -> None:
    soles = Soles(ROBOT)
    soles.look((0.1, 0.2), {})
    assert soles.presses((0.1, 0.2)) == {} and soles.room() is None and soles.ground == 0.0


def test_a_foot_carries_nothing_at_landing_and_at_lift_off_wherever_the_zmp_rests() -> None:
    """A ZMP that rests off the middle of the soles goes from all of one to all of the other."""
    rest = (-0.02, 0.01)
    soles = Soles(ROBOT, rest)
    stance = {RIGHT: _foot(0.0, -0.1, 0.0), LEFT: _foot(0.2, 0.1, 0.0)}
    for (x, y), shares in (
        ((rest[0], -0.1 - rest[1]), {RIGHT: 1.0, LEFT: 0.0}),
        ((0.2 + rest[0], 0.1 + rest[1]), {RIGHT: 0.0, LEFT: 1.0}),
    ):
        soles.look((x, y), stance)
        assert soles.shares == pytest.approx(shares, abs=1e-9)
    middle = Soles(ROBOT)
    middle.look((0.2 + rest[0], 0.1 + rest[1]), stance)
    assert middle.shares[RIGHT] > 0.02  # as it would be by the middle of the soles
