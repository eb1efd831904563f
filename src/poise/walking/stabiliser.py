"""The stabiliser: keeps the real ZMP of a position-controlled robot on the planned one.

With stiff servos the centre of mass goes where the joints put it, and what is uncertain is the
ground: a wrong mass, a hand that pulls, a sole that gives way all move the ZMP by some d,

    p = c - c'' / w² + d.

The robot cannot push the ground elsewhere than where its mass is; so it moves its mass. With the
centre of mass off its plan by s, the law

    s'' = -w² k (s + d) - w (1 + k) s'

has the poles -w and -w k and comes to rest at s = -d, where the ZMP is the planned one. d is known
at once where a force is measured at a hand, and learnt slowly from the feet otherwise. On top:

- the divergent component that is really felt, against the one that was commanded, tells of a
  robot that rocks on its soles; the centre of mass is accelerated against it;
- soles are pressed in and servos give way under the weight and under what accelerates the body;
  both are known, and told in advance;
- a body that leans as a whole carries its swinging foot with it: that foot is turned and lifted
  back, so that it lands flat and when it should;
- each standing foot turns in its ankle towards where its centre of pressure should be, and lets go
  again (damping control).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite

import numpy as np
import pinocchio as pin

from poise.motion import Observation
from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V
from poise.walking.estimating import Estimator, Felt
from poise.walking.pendulum import pendulum_rate
from poise.walking.repeating import Repeating, Stride
from poise.walking.shifting import BodyShift, FootShift
from poise.walking.soles import Soles
from poise.walking.stature import Stature
from poise.walking.treading import Treading


@dataclass(frozen=True)
class StabiliserOptions:
    """How the stabiliser acts; lengths are shares of the robot's sizes, so they fit any robot."""

    dt: float = 0.005  # [s], control period
    return_rate: float = 1.5  # k: how fast the mass comes to where the ZMP is right, in w
    rocking: float = 0.3  # how much of an unexplained ZMP the mass is accelerated against
    rocking_return: float = 1.0  # by how much more than it rocks the ZMP is wished away
    learning_time: float = 0.6  # [s], in which an unknown offset of the ZMP is learnt
    lean_time: float = 1.5  # [s], in which a robot that leans is no longer one that rocks
    hand_time: float = 0.02  # [s], in which a force at a hand is believed
    pull_mean: float = 6.6  # [1/w], over which the lasting part of a pull is averaged
    pull_fade: float = 1.65  # [1/w], in which the rest of a pull is expected to fade
    pull_trend: float = 0.16  # [1/w], over which the change of a pull is averaged
    most_trend: float = 0.2  # of half a sole times w: a pull that changes faster is a tug
    ankle_gain: float = 0.01  # [rad/s] for a centre of pressure half a sole off
    ankle_time: float = 0.5  # [s], in which an ankle lets go again
    sole_give: float = 0.001  # of a leg length: how far a sole is pressed in by the whole weight
    most_sole: float = 0.0006  # [m], no sole is thicker for a longer leg
    give_power: float = 0.58  # how that grows with the load
    creep_time: float = 0.25  # [s], in which it is pressed in
    spring_time: float = 0.08  # [s], in which it comes out again
    sensor_time: float = 0.02  # [s], over which what the feet feel is averaged
    tilt_time: float = 0.03  # [s], over which the tilt of the body is averaged
    servo_give: float = 1.0  # how much of what the servos give way under the weight is made up
    most_give: float = 0.01  # [rad], of a servo
    load_gain: float = 0.002  # [w leg lengths] by which a foot yields to the whole weight too much
    load_time: float = 0.3  # [s], in which it comes back
    most_lift: float = 0.005  # of a leg length
    tread: float = 1.0  # how much a foot yields to what it carried in the strides before
    most_shift: float = 0.6  # of half a sole: how far the mass may be off its plan
    lean_room: float = 0.1  # of a leg length: radius of the arc on which a mass that leans sinks
    most_learnt: float = 0.35  # of half a sole: how far an unknown offset of the ZMP may be
    most_again: float = 0.25  # of half a sole: how far the ZMP may be off in every step alike
    still: float = 0.04  # of half a sole: rocking by more than this, nothing is learnt
    most_turn: float = 0.08  # [rad], of an ankle
    use_hands: bool = True


@dataclass(frozen=True, eq=False)
class Reference:
    """What the robot is meant to do at an instant."""

    q: np.ndarray  # (nq,)
    v: np.ndarray  # (nv,)
    com: np.ndarray  # [m], (3,)
    com_velocity: np.ndarray  # [m/s], (3,)
    zmp: np.ndarray  # [m], (2,)
    stance: Mapping[str, pin.SE3]  # feet that stand, and where: T_world_foot
    omega: float | None = None  # [1/s], of the pendulum; by the height of the mass when absent
    acceleration: np.ndarray | None = None  # (nv,); as if at rest when absent
    stride: Stride | None = None  # how far a step has come, where steps follow each other


@dataclass(frozen=True, eq=False)
class Correction:
    """What to command, and why."""

    q: np.ndarray  # (nq,), corrected configuration
    rates: np.ndarray  # [rad/s], (na,)
    felt: Felt
    shift: np.ndarray  # of the centre of mass [m], (2,)
    offset: np.ndarray  # of the ZMP, as believed [m], (2,)
    zmp_wish: np.ndarray  # [m], (2,)


@dataclass
class _Foot:
    """What the stabiliser remembers of a foot."""

    turn: tuple[float, float] = (0.0, 0.0)  # roll and pitch towards its centre of pressure [rad]
    lift: float = 0.0  # [m], by which it yields
    sunk: float = 0.0  # [m], how far its sole is pressed in
    load: float = 0.0  # of the weight, averaged
    pressure: tuple[float, float] = (0.0, 0.0)  # [m], centre of it, averaged


@dataclass
class _State:
    """What the stabiliser remembers."""

    shift: np.ndarray = field(default_factory=lambda: np.zeros(2))
    rate: np.ndarray = field(default_factory=lambda: np.zeros(2))
    rate2: np.ndarray = field(default_factory=lambda: np.zeros(2))
    lean: list[float] = field(default_factory=lambda: [0.0, 0.0])
    learnt: list[float] = field(default_factory=lambda: [0.0, 0.0])
    again: list[float] = field(default_factory=lambda: [0.0, 0.0])  # what comes with every step [m]
    ahead: list[float] = field(default_factory=lambda: [0.0, 0.0])  # what it will have been
    pulled: list[float] = field(default_factory=lambda: [0.0, 0.0])
    lasting: list[float] = field(default_factory=lambda: [0.0, 0.0])  # mean of what is pulled
    trend: list[float] = field(default_factory=lambda: [0.0, 0.0])  # how it changes [m/s]
    tilt: list[float] = field(default_factory=lambda: [0.0, 0.0])  # beyond the meant one [rad]
    feet: dict[str, _Foot] = field(default_factory=dict)
    joints: np.ndarray | None = None  # last correction of the joints


class Stabiliser:
    """Corrects a reference from what the sensors say, period after period.

    It runs every period of a fast loop: numbers are computed one by one, because arrays of two
    cost more to make than to compute with.
    """

    def __init__(
        self,
        robot: Robot,
        options: StabiliserOptions | None = None,
        rest: tuple[float, float] | None = None,
    ) -> None:
        """Prepare.

        Args:
            robot: who.
            options: how it acts.
            rest: where the planned ZMP is under a foot that stands alone, in the left foot's frame:
                forward, outward [m]; the middle of the sole when absent.
        """
        self.robot, self.options = robot, options or StabiliserOptions()
        self.stature = Stature.of(robot)
        self._estimator = Estimator(robot)
        self._body = BodyShift(robot)
        self._soles = Soles(robot, rest)
        # how far each joint gives way under the torques of all joints, (na, na)
        self._giving = self._motor_map() / robot.servos.kp[:, None]
        self._giving *= self.options.servo_give
        self._hands = [part for part in ("left_hand", "right_hand") if part in robot.parts]
        self._half_sole = 0.5 * self.stature.sole_length, 0.5 * self.stature.sole_width
        # how far the mass can lean against what is pulled, forward and sideways [m]
        self.most_lean = tuple(self.options.most_shift * half for half in self._half_sole)
        self.reset()

    def _motor_map(self) -> np.ndarray:
        """Torque behind each joint's angle: of the motor that drives it, (na, na)."""
        motors = np.array(self.robot.motor_map)
        for c in self.robot.couplings:  # one motor: both joints give way alike
            ratio = c.multiplier * self.robot.servos.kp[self.robot.index(c.joint)]
            ratio /= self.robot.servos.kp[self.robot.index(c.of)]
            motors[self.robot.index(c.joint)] = ratio * motors[self.robot.index(c.of)]
        return motors

    def reset(self) -> None:
        """Forget everything; for the start of a motion."""
        self._state = _State(feet={part: _Foot() for part in self.robot.feet})
        self._body.reset()
        o = self.options
        self._repeating = Repeating(o.most_again * self._half_sole[0], o.dt)
        self._treading = Treading(o.dt)
        self._fresh = True

    def correct(self, seen: Observation, reference: Reference) -> Correction:
        """The posture to command now, so that the robot does what the reference means.

        Args:
            seen: what the sensors say.
            reference: what is meant.
        """
        state, soles = self._state, self._soles
        zmp = float(reference.zmp[0]), float(reference.zmp[1])
        if self._fresh:
            self._estimator.reset(reference.zmp)
            self._fresh = False
        soles.look(zmp, reference.stance)
        felt = self._estimator.estimate(seen, reference.stance)
        omega = reference.omega or pendulum_rate(max(float(reference.com[2]) - soles.ground, 0.1))
        offset = self._offset(seen, felt, reference, omega)
        wish = self._move_mass(felt, reference, offset, omega)
        feet = self._feet(felt, (zmp[0] + wish[0], zmp[1] + wish[1]), reference.stride)
        x, y = state.shift.tolist()
        # a leg in stride is too short for a mass that leans far: the hips come down in time
        down = (x * x + y * y) / (2.0 * self.options.lean_room * self.stature.leg_length)
        q = self._body.solve(reference.q, np.array((x, y, -down)), feet)
        joints = q[BASE_Q:]
        joints += self._servo_give(q, reference)
        off = joints - reference.q[BASE_Q:]
        rates = off - (off if state.joints is None else state.joints)
        rates /= self.options.dt
        rates += reference.v[BASE_V:]
        state.joints = off
        return Correction(
            q, rates, felt, state.shift, np.array(offset), reference.zmp + np.array(wish)
        )

    # -- where the ZMP is off ------------------------------------------------------------

    def _offset(
        self, seen: Observation, felt: Felt, reference: Reference, omega: float
    ) -> tuple[float, float]:
        """By how much the ZMP is off for reasons other than the mass being elsewhere [m]."""
        o, s = self.options, self._state
        if o.use_hands and self._hands:
            share = min(o.dt / o.hand_time, 1.0)
            mean, trend = o.dt * omega / o.pull_mean, min(o.dt * omega / o.pull_trend, 1.0)
            for i, pull in enumerate(self._pull(seen)):
                change = share * (pull - s.pulled[i])
                s.pulled[i] += change
                s.lasting[i] += mean * (s.pulled[i] - s.lasting[i])
                most = (
                    o.most_trend * self._half_sole[0] * omega
                )  # a tug is over before it is foreseen
                s.trend[i] += trend * (min(max(change / o.dt, -most), most) - s.trend[i])
        shift, bend = s.shift.tolist(), s.rate2.tolist()
        com, meant = felt.com.tolist(), reference.com.tolist()
        zmp, still = felt.zmp.tolist(), o.still * self._half_sole[0]
        calm = sum(felt.loads.values()) > 0.5 * self.robot.weight
        for i, half in enumerate(self._half_sole):
            rocked = com[i] - meant[i] - shift[i]
            lean = s.lean[i] + (o.dt / o.lean_time) * (rocked - s.lean[i])
            s.lean[i] = min(max(lean, -half), half)
            calm = calm and abs(rocked - s.lean[i]) < still
        unexplained = [
            zmp[i] - self._soles.zmp[i] - shift[i] + bend[i] / omega**2 - s.pulled[i]
            for i in (0, 1)
        ]
        for i, half in enumerate(self._half_sole if calm else ()):
            off = unexplained[i] - s.again[i] - s.learnt[i]
            most = o.most_learnt * half
            s.learnt[i] = min(max(s.learnt[i] + (o.dt / o.learning_time) * off, -most), most)
        self._repeat(reference.stride, unexplained, omega)
        x, y = (s.learnt[i] + s.pulled[i] + s.again[i] for i in (0, 1))
        return x, y

    def _repeat(self, stride: Stride | None, unexplained: list[float], omega: float) -> None:
        """Learn what comes again with every step, and expect it."""
        s = self._state
        if stride is None:
            s.again, s.ahead = [0.0, 0.0], [0.0, 0.0]
            return
        off = unexplained[0] - s.learnt[0], unexplained[1] - s.learnt[1]
        self._repeating.learn(stride, off)
        x, y, ahead_x, ahead_y = self._repeating.expect(stride, omega)
        s.again, s.ahead = [x, y], [ahead_x, ahead_y]

    def _coming(self, omega: float) -> tuple[float, float]:
        """What a pull will have been to a mass that falls away from it at the rate w [m].

        That is w int e^-ws d(t + s) ds. Part of a pull lasts; the rest u is expected to fade as
        (u + (u' + a u) s) e^-as, as a hand that somebody moves to and fro does.
        """
        a, s = 1.0 / self.options.pull_fade, self._state
        share = 1.0 / (1.0 + a)
        x, y = (
            mean + share * rest + share * share * (trend / omega + a * rest)
            for mean, rest, trend in zip(
                s.lasting, (s.pulled[0] - s.lasting[0], s.pulled[1] - s.lasting[1]), s.trend,
                strict=True,
            )
        )  # fmt: skip
        return x, y

    def _pull(self, seen: Observation) -> tuple[float, float]:
        """How far measured forces at the hands move the ZMP [m]."""
        ground, (zx, zy) = self._soles.ground, self._soles.zmp
        x = y = 0.0
        for hand in self._hands:
            wrench = seen.wrenches.get(hand)
            if wrench is None or not isfinite(wrench.sum()):
                continue
            fx, fy, fz, mx, my, _ = wrench.tolist()
            px, py, pz = self._body.place(hand).tolist()
            # moments about the planned ZMP, over the weight
            x += (pz - ground) * fx - (px - zx) * fz + my
            y += (pz - ground) * fy - (py - zy) * fz - mx
        return x / self.robot.weight, y / self.robot.weight

    # -- what is done about it -----------------------------------------------------------

    def _move_mass(
        self, felt: Felt, reference: Reference, offset: tuple[float, float], omega: float
    ) -> tuple[float, float]:
        """Accelerate the centre of mass; returns by how much the ZMP is wished to be off [m]."""
        o, s = self.options, self._state
        k, dt, w2 = o.return_rate, o.dt, omega**2
        room = self._soles.room()
        shift, rate, bend = s.shift.tolist(), s.rate.tolist(), s.rate2.tolist()
        com, meant = felt.com.tolist(), reference.com.tolist()
        velocity, meant_velocity = felt.com_velocity.tolist(), reference.com_velocity.tolist()
        zmp, wishes = felt.zmp.tolist(), [0.0, 0.0]
        coming = self._coming(omega)
        for i in (0, 1):
            away = shift[i] + offset[i]
            rocked = com[i] - meant[i] - shift[i] - s.lean[i]
            rocking = rocked + (velocity[i] - meant_velocity[i] - rate[i]) / omega
            # what the ground does beyond what the commanded motion explains
            surplus = zmp[i] - self._soles.zmp[i] - offset[i] - shift[i] + bend[i] / w2
            expected = s.learnt[i] + s.ahead[i] + coming[i]
            wish = (1.0 + k) * (shift[i] + expected + rate[i] / omega)
            back = (1.0 + o.rocking_return) * rocking
            if room is not None:
                wish = min(max(wish, room[0][i]), room[1][i])
                back = min(max(back, room[0][i]), room[1][i])
            bend[i] = w2 * (away - wish + o.rocking * (surplus - back))
            shift[i] += dt * rate[i] + 0.5 * dt * dt * bend[i]
            rate[i] += dt * bend[i]
            most = self.most_lean[i]
            if abs(shift[i]) > most:
                shift[i], rate[i] = min(max(shift[i], -most), most), 0.0
            wishes[i] = wish
        s.shift, s.rate, s.rate2 = np.array(shift), np.array(rate), np.array(bend)
        return wishes[0], wishes[1]

    def _servo_give(self, q: np.ndarray, reference: Reference) -> np.ndarray:
        """How much further the joints are to be told, so that under load they are right."""
        o, robot, body, soles = self.options, self.robot, self._body, self._soles
        a = reference.acceleration
        torque = body.forces(q, reference.v, a)
        joints = torque[BASE_V:]
        if a is None:
            fx, fy, fz = 0.0, 0.0, robot.weight
        else:
            fx, fy, fz = body.base_force(torque).tolist()
            joints += robot.servos.armature * a[BASE_V:]
            joints += robot.servos.damping * reference.v[BASE_V:]
        presses = soles.presses(soles.zmp)
        for part, share in soles.shares.items():
            x, y = soles.feet[part].turned(*presses[part])
            wrench = (fx, fy, fz, y * fz, -x * fz, x * fy - y * fx)
            joints -= (share * np.array(wrench)) @ body.foot_jacobian(part)[:, BASE_V:]
        give = self._giving @ joints
        return np.minimum(np.maximum(give, -o.most_give, out=give), o.most_give, out=give)

    def _feet(
        self, felt: Felt, wish: tuple[float, float], stride: Stride | None
    ) -> dict[str, FootShift]:
        """How the feet are to be off their reference: ankles that turn, soles that give way."""
        o, soles = self.options, self._soles
        self._lean(felt)
        before = self._tread(felt, stride)
        presses = soles.presses(wish)
        feet = {}
        for part, foot in self._state.feet.items():
            share = soles.shares.get(part, 0.0)
            self._feel(part, foot, felt)
            fade = 1.0 - o.dt / o.ankle_time
            roll, pitch = foot.turn[0] * fade, foot.turn[1] * fade
            if part in presses and felt.loads[part] > 0.1 * self.robot.weight:
                # a centre of pressure further forward asks the toes down: positive pitch
                step, (x, y) = o.dt * o.ankle_gain, presses[part]
                roll -= step * (y - foot.pressure[1]) / self._half_sole[1]
                pitch += step * (x - foot.pressure[0]) / self._half_sole[0]
            most = o.most_turn
            foot.turn = min(max(roll, -most), most), min(max(pitch, -most), most)
            lift = self._yield(foot, share, before[part]) - self._sink(foot, share)
            level_roll, level_pitch, rise = self._level(part)
            free = 1.0 - share
            feet[part] = FootShift(
                (foot.turn[0] + free * level_roll, foot.turn[1] + free * level_pitch),
                lift + free * rise,
            )
        return feet

    def _tread(self, felt: Felt, stride: Stride | None) -> dict[str, float]:
        """What each foot carried beyond its share at this moment of the strides before."""
        left, right = self.robot.feet
        if stride is None:
            return {left: 0.0, right: 0.0}
        total = felt.loads[left] + felt.loads[right]
        if total > 0.5 * self.robot.weight:
            meant = self._soles.shares.get(left, 0.0)
            self._treading.learn(stride, felt.loads[left] / total - meant)
        excess = self.options.tread * self._treading.excess(stride)
        return {left: excess, right: -excess}

    def _feel(self, part: str, foot: _Foot, felt: Felt) -> None:
        """Average what a foot feels: its feedback is not to chatter with the floor."""
        share = min(self.options.dt / self.options.sensor_time, 1.0)
        foot.load += share * (felt.loads[part] / self.robot.weight - foot.load)
        (x, y), (u, v) = foot.pressure, felt.pressure[part].tolist()
        foot.pressure = x + share * (u - x), y + share * (v - y)

    def _yield(self, foot: _Foot, share: float, before: float) -> float:
        """How far a foot gives way because it carries, or carried, more than its share [m]."""
        o, leg = self.options, self.stature.leg_length
        lift = foot.lift * (1.0 - o.dt / o.load_time)
        lift += o.dt * o.load_gain * self.stature.omega * leg * (foot.load - share + before)
        most = o.most_lift * leg
        foot.lift = min(max(lift, -most), most)
        return foot.lift

    def _sink(self, foot: _Foot, share: float) -> float:
        """How far a sole is pressed in by its share of the weight [m]; it takes its time."""
        o = self.options
        give = min(o.sole_give * self.stature.leg_length, o.most_sole)
        pressed = give * share**o.give_power
        time = o.creep_time if pressed > foot.sunk else o.spring_time
        foot.sunk += min(o.dt / time, 1.0) * (pressed - foot.sunk)
        return foot.sunk

    def _lean(self, felt: Felt) -> None:
        """Average by how much the body is tilted against what was commanded."""
        share, tilt = min(self.options.dt / self.options.tilt_time, 1.0), self._state.tilt
        for i, (now, meant) in enumerate(zip(felt.tilt.tolist(), self._body.tilt(), strict=True)):
            tilt[i] += share * (now - meant - tilt[i])

    def _level(self, part: str) -> tuple[float, float, float]:
        """How a foot in the air turns (roll, pitch [rad]) and rises [m] against the lean."""
        roll, pitch = self._state.tilt
        (x, y, _), R = self._body.place(part).tolist(), self._body.rotation(part).tolist()
        sx, sy = self._soles.support if self._soles.feet else (x, y)
        # positive roll lifts the left, positive pitch lowers the front
        rise = roll * (y - sy) - pitch * (x - sx)
        return (
            -(R[0][0] * roll + R[1][0] * pitch),
            -(R[0][1] * roll + R[1][1] * pitch),
            -rise,
        )
