"""The numbers behind the plots of a motion."""

import re
from dataclasses import replace

import numpy as np
import pytest

from poise.robot import load_robot
from poise.viewer.figures import figures_of, margin
from poise.viewer.from_above import HEIGHT, SPAN, WIDTH, seen_from_above
from poise.viewer.loads import Loads, motor_of, recorded_loads, torque_limit
from poise.viewer.motion_charts import angle_curves, torque_curves
from viewer_helpers.motions import shuffle, squat

NAO = load_robot("nao")


def test_a_torque_lies_between_the_limits_of_the_motor_that_gives_it():
    motion = squat(NAO)
    tau = np.random.default_rng(3).normal(size=(len(motion), NAO.na))
    loads = recorded_loads(NAO, replace(motion, tau=tau))
    title, (upper, lower, torque) = torque_curves(NAO, loads, "LKneePitch")
    knee = NAO.index("LKneePitch")
    assert title == "Torque [N m]" and torque.label == "recorded"
    assert torque.values == pytest.approx(tau[:, knee])
    assert upper.values[0] == -lower.values[0] == NAO.effort_limit[knee]


def test_two_joints_with_one_motor_show_what_that_motor_gives():
    [coupling] = NAO.couplings
    tau = np.ones((3, NAO.na))
    motion = replace(squat(NAO), time=np.arange(3.0), q=squat(NAO).q[:3], v=squat(NAO).v[:3])
    loads = recorded_loads(NAO, replace(motion, tau=tau))
    assert motor_of(NAO, coupling.joint) == coupling.of == motor_of(NAO, coupling.of)
    title, (_, _, torque) = torque_curves(NAO, loads, coupling.joint)
    assert coupling.of in title
    assert torque.values == pytest.approx(np.full(3, 1.0 + coupling.multiplier))


def test_a_limit_that_nobody_knows_is_not_drawn():
    model = NAO.model.copy()
    limits = model.effortLimit.copy()
    limits[6:] = 0.0
    model.effortLimit = limits
    unknown = replace(NAO, model=model)
    assert np.isnan(torque_limit(unknown, "LKneePitch"))
    loads = Loads(np.arange(3.0), np.zeros((3, NAO.na)))
    _, (upper, lower, _) = torque_curves(unknown, loads, "LKneePitch")
    assert upper.label == "" and np.isnan(upper.values).all() and np.isnan(lower.values).all()


def test_an_angle_lies_between_its_limits_in_degrees():
    figures = figures_of(NAO, squat(NAO))
    _, (upper, lower, angle) = angle_curves(figures, "RKneePitch")
    k = NAO.index("RKneePitch")
    assert upper.values[0] == pytest.approx(np.degrees(NAO.upper[k]))
    assert lower.values[0] == pytest.approx(np.degrees(NAO.lower[k]))
    assert angle.values == pytest.approx(np.degrees(figures.motion.joints[:, k]))


def test_from_above_a_zmp_is_drawn_inside_of_the_support_when_it_is():
    figures = figures_of(NAO, shuffle(NAO, steps=4))
    span, row = SPAN * NAO.height, 40
    time = float(figures.motion.time[row])
    com, zmp = (tuple(float(v) for v in path[row, :2]) for path in (figures.com, figures.zmp))
    drawn = seen_from_above(figures.support(time), [], [com], [zmp], span)
    [corners] = re.findall(r'<polygon points="([^"]+)"', drawn)
    polygon = np.array([[float(v) for v in pair.split(",")] for pair in corners.split()])
    (cx, cy), (zx, zy) = [
        (float(x), float(y)) for x, y in re.findall(r'cx="([-\d.]+)" cy="([-\d.]+)"', drawn)
    ]
    assert (cx, cy) == (WIDTH / 2, HEIGHT / 2)  # what is looked at is in the middle
    flipped = polygon[::-1]  # on a page, y goes down
    flat = np.column_stack([flipped, np.zeros(len(flipped))])
    pixels = margin(np.array([zx, zy, 0.0]), flat)
    metres = margin(figures.zmp[row], figures.support(time))
    assert pixels * span / WIDTH == pytest.approx(metres, abs=0.1 * span / WIDTH + 1e-4)
    left = np.array(zmp) + [0.0, 0.02]
    again = seen_from_above(figures.support(time), [], [com], [tuple(left)], span)
    higher = float(re.findall(r'cy="([-\d.]+)"', again)[1])
    assert higher == pytest.approx(zy - 0.02 * WIDTH / span, abs=0.11)
