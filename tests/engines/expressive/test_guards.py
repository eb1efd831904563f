"""Guards of knees and arms, and how a sway without steps follows its reference."""

from __future__ import annotations

from math import atan, pi, sqrt

import numpy as np
import pytest

from poise.contacts import Touch
from poise.control import DynamicsOptions, Footing, InverseDynamics
from poise.engines.expressive.knee_guard import BEND, KneeGuard
from poise.engines.expressive.soft_stop import SoftStop
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.tasks import AngularMomentum, CenterOfMass, FramePose, Posture, Task
from poise.walking.legs import knee_of

GAIN, CYCLE, DT = 100.0, 1.2, 0.005


def test_a_bent_knee_leaves_the_body_where_it_is_and_a_stretched_one_lowers_it(
    nao: Robot,
) -> None:
    joints = nao.half_sitting[BASE_Q:].copy()
    still = np.zeros(nao.na)
    guard = KneeGuard(nao)
    knee = knee_of(nao, "left_leg")
    joints[knee.joint] = knee.straight + knee.sign * (BEND + 0.1)
    for _ in range(200):
        guard.advance(joints, still, (True, False), DT)
    assert guard.sink == 0.0
    joints[knee.joint] = knee.straight + knee.sign * 0.05
    for _ in range(200):
        guard.advance(joints, still, (False, True), DT)
    assert guard.sink == 0.0  # a swinging leg may stretch
    before = guard.sink
    for _ in range(100):
        guard.advance(joints, still, (True, False), DT)
        assert guard.sink >= before  # without swinging back
        before = guard.sink
    assert 0.002 < guard.sink < 0.05


def test_free_joints_are_held_more_firmly_only_near_their_limits(nao: Robot) -> None:
    rest = nao.half_sitting[BASE_Q:]
    stop = SoftStop(nao, np.ones(nao.na))
    stop.aim(rest)
    stop.look(rest)
    assert np.array_equal(stop.scale, np.ones(nao.na))
    head, leg = nao.index("HeadPitch"), nao.index("LKneePitch")
    near = rest.copy()
    near[[head, leg]] = nao.upper[[head, leg]]
    stop.look(near)
    assert stop.scale[head] > 5.0
    assert stop.scale[leg] == 1.0


@pytest.mark.parametrize("fed_forward", [True, False])
def test_a_sway_without_steps_is_as_wide_as_theory_says(nao: Robot, fed_forward: bool) -> None:
    at = nao.at(nao.half_sitting)
    start = at.com.copy()
    touches = [Touch(p, 0.0, np.inf, at.pose(p), nao.soles[p].points) for p in nao.feet]
    footings = [Footing(touch, 0.6, nao.weight) for touch in touches]
    legs = np.ones(nao.na)
    legs[np.concatenate([nao.indices("left_leg"), nao.indices("right_leg")])] = 0.1
    fixed = [
        *[Task(t.part, FramePose(t.part, t.T_world_surface), 100.0, 1000.0) for t in touches],
        Task("momentum", AngularMomentum(), 0.01, 8.0),
        Task("rest", Posture(nao.half_sitting[BASE_Q:], legs), 0.01, 4.0),
    ]
    control = InverseDynamics(nao, DynamicsOptions(dt=DT))
    rate, size = 2.0 * pi / CYCLE, 0.015
    q, v = nao.half_sitting.copy(), np.zeros(nao.nv)
    sways, times = [], np.arange(0.0, 5.0 * CYCLE, DT)
    import pinocchio as pin

    for t in times:
        s, c = np.sin(rate * t), np.cos(rate * t)
        grow = min(t / CYCLE, 1.0)
        target = start + [0.0, grow * size * s, 0.0]
        fed = np.array([0.0, grow * size * rate * c, 0.0]) if fed_forward else np.zeros(3)
        bent = np.array([0.0, -grow * size * rate**2 * s, 0.0]) if fed_forward else np.zeros(3)
        at.refresh(q, v)
        tasks = [*fixed, Task("com", CenterOfMass(target, fed, bent), 10.0, GAIN)]
        a = control.solve(at, tasks, footings, None).a
        sways.append(at.com[1])
        q = pin.integrate(nao.model, q, DT * v + 0.5 * DT**2 * a)
        v = v + DT * a
    late = times > 3.0 * CYCLE
    wave = np.array(sways)[late] - start[1]
    basis = np.column_stack([np.sin(rate * times[late]), np.cos(rate * times[late])])
    x, y = np.linalg.lstsq(basis, wave, rcond=None)[0]
    ratio, lag = np.hypot(x, y) / size, -np.arctan2(y, x)
    if fed_forward:
        assert 0.97 < ratio < 1.03
        assert abs(lag) < 0.05
    else:
        assert ratio == pytest.approx(GAIN / (GAIN + rate**2), abs=0.02)
        assert lag == pytest.approx(2.0 * atan(rate / sqrt(GAIN)), abs=0.06)
