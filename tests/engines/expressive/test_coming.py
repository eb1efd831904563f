"""The steps to come are told beforehand."""

import numpy as np
import pytest

from poise.engines.expressive import ExpressiveController, Style
from poise.robot import Robot

STYLE = Style(step_length=0.3, sideways=0.02, turn=0.08)
PARTS = 12  # of a second, between two looks


def landed(walk: ExpressiveController, seconds: float) -> list[tuple[str, tuple[float, ...]]]:
    """Walk on; which feet landed, and where."""
    found = []
    for _ in range(round(seconds / walk.options.dt)):
        for event in walk.tick().events:
            kind, _, part = event.partition(" ")
            if kind == "land":
                found.append((part, walk.machine.places[walk.robot.feet.index(part)]))
    return found


def walking(nao: Robot, style: Style) -> ExpressiveController:
    walk = ExpressiveController(nao, style)
    for _ in range(600):
        walk.tick()
    walk.start()
    landed(walk, 3.0)
    return walk


@pytest.mark.parametrize("later", np.linspace(0.0, 1.1, PARTS))
def test_steps_are_made_as_they_were_told(nao: Robot, later: float) -> None:
    walk = walking(nao, STYLE)
    landed(walk, later)
    told = walk.coming(4)
    made = landed(walk, 4.0)
    assert len(told) == 4
    for (part, way), (foot, place) in zip(told, made, strict=False):
        assert part == foot
        assert way.end == pytest.approx(place, abs=1e-6)
    for (_, before), (_, after) in zip(told[:2], told[2:], strict=True):
        assert before.end == after.start  # a foot goes on from where it landed


def test_a_slider_moves_the_steps_to_come_at_once(nao: Robot) -> None:
    walk = walking(nao, Style())
    _, before = walk.coming(3)[-1]
    walk.set_style(Style(step_length=0.15, step_height=0.1))
    _, after = walk.coming(3)[-1]
    assert after.height > 1.2 * before.height
    old, new = before.end[0] - before.start[0], after.end[0] - after.start[0]
    assert new < 0.7 * old
    made = landed(walk, 6.0)
    (a, _, _), (b, _, _) = made[-3][1], made[-1][1]  # of one foot
    assert b - a == pytest.approx(new, abs=1e-4)


@pytest.mark.parametrize(("share", "moves"), [(0.2, True), (0.7, False)])
def test_a_foot_in_the_air_may_be_told_anew_until_the_middle(
    nao: Robot, share: float, moves: bool
) -> None:
    walk = walking(nao, Style())
    while walk.machine.swing is not None:
        walk.tick()
    while walk.machine.swing is None or walk.machine._progress < share:
        walk.tick()
    [(part, before)] = walk.coming(1)
    walk.set_style(Style(step_length=0.1))
    [(same, after)] = walk.coming(1)
    assert part == same == nao.feet[1 - walk.machine.support]
    assert after.start == before.start
    assert (after.end[0] < before.end[0] - 0.01) == moves
    assert moves or after == before


def test_who_stands_comes_to_a_stand_or_lies_has_no_steps_to_come(nao: Robot) -> None:
    walk = ExpressiveController(nao, Style())
    assert walk.coming(2) == []
    walk.start(2)
    assert len(walk.coming(5)) == 2
    landed(walk, 12.0)
    assert walk.machine.state == "standing" and walk.coming(2) == []
    walk.start()
    walk.tick()
    assert walk.coming(2)
    walk._watch.conclude(walk.time, "somebody tripped it")
    walk._fall(walk.tick())
    assert walk.coming(2) == []
