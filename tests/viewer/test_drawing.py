from dataclasses import replace

import numpy as np
import pytest

from poise.robot import load_robot
from poise.viewer.drawing import KINDS, marks_at, marks_of_all
from poise.viewer.figures import figures_of
from viewer_helpers.motions import shuffle, squat

NAO = load_robot("nao")
FIGURES = figures_of(NAO, squat(NAO, duration=1.0))


def test_each_kind_can_be_shown_alone():
    for kind in KINDS:
        moving, still = marks_at(FIGURES, 3, 0.5, {kind}), marks_of_all(FIGURES, {kind})
        assert moving or still, kind
    assert not marks_at(FIGURES, 3, 0.5, set())


def test_forces_nobody_recorded_add_up_to_the_weight_at_the_zmp():
    [arrow] = marks_at(FIGURES, 0, 0.0, {"forces"})
    assert arrow.arrow
    assert np.allclose(arrow.points[0], FIGURES.zmp[0])
    assert arrow.points[1, 2] == pytest.approx(0.5 * NAO.height, rel=0.1)


def test_recorded_forces_stand_where_they_press():
    n = len(FIGURES.motion)
    wrench = np.array([0.0, 0.0, 30.0, 0.3, -0.6, 0.0])  # presses 2 cm ahead, 1 cm to the left
    motion = replace(FIGURES.motion, forces={"left_foot": np.tile(wrench, (n, 1))})
    [arrow] = marks_at(figures_of(NAO, motion), 0, 0.0, {"forces"})
    foot = NAO.at(motion.q[0]).pose("left_foot").translation
    assert np.allclose(arrow.points[0] - foot, [0.02, 0.01, 0.0])


def test_a_walk_leaves_one_footprint_for_each_step():
    walk = shuffle(NAO, steps=5)
    marks = marks_of_all(figures_of(NAO, walk), {"footprints"})
    assert len(marks) == 5
    assert all(mark.closed for mark in marks)


def test_marks_between_two_instants_are_between():
    a, b, c = (
        next(m for m in marks_at(FIGURES, k, s, {"com"}) if m.name == "com").points
        for k, s in ((4, 0.0), (4, 0.5), (5, 0.0))
    )
    assert np.allclose(b, 0.5 * (a + c))
