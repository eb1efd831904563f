"""What lies on the floor about a live robot."""

import numpy as np
import pinocchio as pin
import pytest

from poise.contacts import Touch
from poise.robot import load_robot
from poise.studio.floor_marks import PRINTS, Footprints, balance_marks, coming_marks, footprint
from poise.walking.swing_foot import Swing

NAO = load_robot("nao")


def touch(part: str, x: float, heading: float = 0.0) -> Touch:
    T = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, heading), np.array([x, 0.05, 0.0]))
    return Touch(part, 0.0, 1.0, T, NAO.soles[part].points)


def test_a_foot_leaves_a_print_where_it_stands_anew():
    prints = Footprints(NAO)
    left = NAO.feet[0]
    assert prints.take([touch(left, 0.0)])
    assert not prints.take([touch(left, 0.001)])  # the same stand
    assert prints.take([touch(left, 0.1, 0.3)])
    [_, last] = prints.marks
    assert last.points == pytest.approx(footprint(NAO, left, (0.1, 0.05, 0.3)))
    assert last.points[:, 2].min() > 0.0


def test_old_prints_make_room_under_their_own_names():
    prints = Footprints(NAO)
    for k in range(3 * PRINTS):
        prints.take([touch(NAO.feet[k % 2], 0.1 * k)])
    names = [mark.name for mark in prints.marks]
    assert len(names) == PRINTS == len(set(names))
    prints.forget()
    assert prints.marks == []


def test_in_the_air_there_is_neither_support_nor_zmp():
    com = np.array([0.0, 0.0, 0.3])
    marks = balance_marks(NAO, com, np.full(2, np.nan), ())
    assert [mark.name for mark in marks] == ["com", "com drop"]
    marks = balance_marks(NAO, com, np.zeros(2), (touch(NAO.feet[0], 0.0),))
    assert [mark.name for mark in marks] == ["com", "com drop", "zmp", "support"]


def test_the_next_steps_are_prints_and_the_first_has_a_way_through_the_air():
    left, right = NAO.feet
    first = Swing((0.0, 0.05, 0.0), (0.08, 0.06, 0.2), 0.03)
    second = Swing((0.04, -0.05, 0.0), (0.12, -0.05, 0.0), 0.03)
    prints = {
        mark.name: mark.points for mark in coming_marks(NAO, [(left, first), (right, second)])
    }
    assert set(prints) == {f"coming {left}", f"way {left}", f"coming {right}"}
    assert prints[f"coming {left}"] == pytest.approx(footprint(NAO, left, first.end))
    way, toe = prints[f"way {left}"], NAO.soles[left].polygon[:, 0].max()
    assert way[0, 0] == pytest.approx(toe)
    assert way[:, 2].max() - way[0, 2] == pytest.approx(first.height, rel=0.05)
    assert np.hypot(*(way[-1, :2] - first.end[:2])) == pytest.approx(toe, abs=0.01)
    assert coming_marks(NAO, []) == []
