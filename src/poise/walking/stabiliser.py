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
- soles are pressed in and servos give way under the weight; both are known, and told in advance;
- each standing foot turns in its ankle towards where its centre of pressure should be, and lets go
  again (damping control).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin

from poise.motion import Observation
from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V
from poise.walking.estimating import Estimator, Felt
from poise.walking.pendulum import pendulum_rate
from poise.walking.shifting import BodyShift, FootShift
from poise.walking.stature import Stature


@dataclass(frozen=True)
class StabiliserOptions:
    """How the stabiliser acts; lengths are shares of the robot's sizes, so they fit any robot."""

    dt: float = 0.005  # [s], control period
    return_rate: float = 0.5  # k: how fast the mass comes to where the ZMP is right, in w
    rocking: float = 0.3  # how much of an unexplained ZMP the mass is accelerated against
    rocking_return: float = 1.0  # by how much more than it rocks the ZMP is wished away
    learning_time: float = 0.6  # [s], in which an unknown offset of the ZMP is learnt
    lean_time: float = 1.5  # [s], in which a robot that leans is no longer one that rocks
    hand_time: float = 0.08  # [s], in which a force at a hand is believed
    ankle_gain: float = 0.03  # [rad/s] for a centre of pressure half a sole off
    ankle_time: float = 0.5  # [s], in which an ankle lets go again
    sole_give: float = 0.0006  # [m], how far a sole is pressed in under the whole weight
    give_power: float = 0.5  # how that grows with the load
    clearance: float = 0.0008  # [m], how much higher a foot without load is held
    servo_give: float = 1.0  # how much of what the servos give way under the weight is made up
    most_give: float = 0.01  # [rad], of a servo
    load_gain: float = 0.005  # [leg lengths/s] by which a foot yields to the whole weight too much
    load_time: float = 0.3  # [s], in which it comes back
    most_lift: float = 0.005  # of a leg length
    most_shift: float = 0.6  # of half a sole: how far the mass may be off its plan
    most_learnt: float = 0.35  # of half a sole: how far an unknown offset of the ZMP may be
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
class _State:
    """What the stabiliser remembers."""

    shift: np.ndarray = field(default_factory=lambda: np.zeros(2))
    rate: np.ndarray = field(default_factory=lambda: np.zeros(2))
    rate2: np.ndarray = field(default_factory=lambda: np.zeros(2))
    lean: np.ndarray = field(default_factory=lambda: np.zeros(2))
    learnt: np.ndarray = field(default_factory=lambda: np.zeros(2))
    pulled: np.ndarray = field(default_factory=lambda: np.zeros(2))
    lifts: dict[str, float] = field(default_factory=dict)
    turns: dict[str, np.ndarray] = field(default_factory=dict)
    joints: np.ndarray | None = None  # last correction of the joints


class Stabiliser:
    """Corrects a reference from what the sensors say, period after period."""

    def __init__(self, robot: Robot, options: StabiliserOptions | None = None) -> None:
        self.robot, self.options = robot, options or StabiliserOptions()
        self.stature = Stature.of(robot)
        self._estimator = Estimator(robot)
        self._body = BodyShift(robot)
        self._motors = self._motor_map()
        self._hands = [part for part in ("left_hand", "right_hand") if part in robot.parts]
        half = np.array([0.5 * self.stature.sole_length, 0.5 * self.stature.sole_width])
        self._half_sole = half
        self._corners = {
            part: (sole.corners.min(axis=0), sole.corners.max(axis=0))
            for part, sole in robot.soles.items()
        }
        self._most = self.options.most_shift * half
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
        self._state = _State(
            turns={part: np.zeros(2) for part in self.robot.feet},
            lifts=dict.fromkeys(self.robot.feet, 0.0),
        )
        self._body.reset()
        self._fresh = True

    def correct(self, seen: Observation, reference: Reference) -> Correction:
        """The posture to command now, so that the robot does what the reference means.

        Args:
            seen: what the sensors say.
            reference: what is meant.
        """
        o, state = self.options, self._state
        if self._fresh:
            self._estimator.reset(reference.zmp)
            self._fresh = False
        felt = self._estimator.estimate(seen, reference.stance)
        omega = reference.omega or pendulum_rate(
            max(float(reference.com[2]) - _ground(reference.stance), 0.1)
        )
        offset = self._offset(seen, felt, reference, omega)
        wish = self._move_mass(felt, reference, offset, omega)
        feet = self._feet(felt, reference, wish)
        shift = np.array([state.shift[0], state.shift[1], 0.0])
        q = self._body.solve(reference.q, shift, feet)
        q[BASE_Q:] += self._servo_give(q, reference)
        joints = q[BASE_Q:] - reference.q[BASE_Q:]
        last = joints if state.joints is None else state.joints
        rates = reference.v[BASE_V:] + (joints - last) / o.dt
        state.joints = joints
        return Correction(q, rates, felt, state.shift.copy(), offset, wish)

    # -- where the ZMP is off ------------------------------------------------------------

    def _offset(
        self, seen: Observation, felt: Felt, reference: Reference, omega: float
    ) -> np.ndarray:
        """By how much the ZMP is off for reasons other than the mass being elsewhere [m]."""
        o, state = self.options, self._state
        if o.use_hands and self._hands:
            state.pulled += min(o.dt / o.hand_time, 1.0) * (
                self._pull(seen, reference) - state.pulled
            )
        rocked = felt.com[:2] - reference.com[:2] - state.shift
        state.lean += (o.dt / o.lean_time) * (rocked - state.lean)
        np.clip(state.lean, -self._half_sole, self._half_sole, out=state.lean)
        loaded = sum(felt.loads.values()) > 0.5 * self.robot.weight
        if loaded and (np.abs(rocked - state.lean) < o.still * self._half_sole[0]).all():
            moved = state.shift - state.rate2 / omega**2
            unexplained = felt.zmp - reference.zmp - moved - state.pulled
            state.learnt += (o.dt / o.learning_time) * (unexplained - state.learnt)
            most = o.most_learnt * self._half_sole
            np.clip(state.learnt, -most, most, out=state.learnt)
        return state.learnt + state.pulled

    def _pull(self, seen: Observation, reference: Reference) -> np.ndarray:
        """How far measured forces at the hands move the ZMP [m], (2,)."""
        ground = _ground(reference.stance)
        move = np.zeros(2)
        for hand in self._hands:
            wrench = seen.wrenches.get(hand)
            if wrench is None or not np.isfinite(wrench).all():
                continue
            where = self._body.place(hand)
            lever = where[:2] - reference.zmp
            # moments about the planned ZMP, over the weight
            move[0] += (where[2] - ground) * wrench[0] - lever[0] * wrench[2] + wrench[4]
            move[1] += (where[2] - ground) * wrench[1] - lever[1] * wrench[2] - wrench[3]
        return move / self.robot.weight

    # -- what is done about it -----------------------------------------------------------

    def _move_mass(
        self, felt: Felt, reference: Reference, offset: np.ndarray, omega: float
    ) -> np.ndarray:
        """Accelerate the centre of mass; returns the ZMP that is wished [m], (2,)."""
        o, s = self.options, self._state
        k = o.return_rate
        away = s.shift + offset
        divergent = away + s.rate / omega
        rocked = felt.com[:2] - reference.com[:2] - s.shift - s.lean
        rocking = rocked + (felt.com_velocity[:2] - reference.com_velocity[:2] - s.rate) / omega
        # what the ground does beyond what the commanded motion explains
        surplus = felt.zmp - reference.zmp - offset - s.shift + s.rate2 / omega**2
        wish = (1.0 + k) * divergent
        back = (1.0 + o.rocking_return) * rocking
        low, high = self._room(reference)
        wish = np.minimum(np.maximum(wish, low), high)
        back = np.minimum(np.maximum(back, low), high)
        s.rate2 = omega**2 * (away - wish + o.rocking * (surplus - back))
        s.shift = s.shift + o.dt * s.rate + 0.5 * o.dt**2 * s.rate2
        s.rate = s.rate + o.dt * s.rate2
        beyond = np.abs(s.shift) > self._most
        s.shift = np.clip(s.shift, -self._most, self._most)
        s.rate = np.where(beyond, 0.0, s.rate)
        return reference.zmp + wish

    def _room(self, reference: Reference) -> tuple[np.ndarray, np.ndarray]:
        """How far the ZMP may move within the box around the standing soles [m], (2,) each."""
        if not reference.stance:
            return np.full(2, -np.inf), np.full(2, np.inf)
        corners = [
            self.robot.soles[part].corners @ T.rotation[:2, :2].T + T.translation[:2]
            for part, T in reference.stance.items()
        ]
        all_of_them = corners[0] if len(corners) == 1 else np.vstack(corners)
        low, high = all_of_them.min(axis=0), all_of_them.max(axis=0)
        return np.minimum(low - reference.zmp, 0.0), np.maximum(high - reference.zmp, 0.0)

    def _servo_give(self, q: np.ndarray, reference: Reference) -> np.ndarray:
        """How much further the joints are to be told, so that under the weight they are right."""
        o = self.options
        if not o.servo_give:
            return np.zeros(self.robot.na)
        torque = self._body.gravity(q)
        for part, share in load_shares(reference.zmp, reference.stance).items():
            T = reference.stance[part]
            low, high = self._corners[part]
            local = T.rotation[:2, :2].T @ (reference.zmp - T.translation[:2])
            lever = T.rotation[:2, :2] @ np.minimum(np.maximum(local, low), high)
            load = share * self.robot.weight
            J = self._body.foot_jacobian(part)
            torque -= load * (J[2] + lever[1] * J[3] - lever[0] * J[4])
        give = o.servo_give * (self._motors @ torque[BASE_V:]) / self.robot.servos.kp
        return np.clip(give, -o.most_give, o.most_give)

    def _feet(self, felt: Felt, reference: Reference, wish: np.ndarray) -> dict[str, FootShift]:
        """How the feet are to be off their reference: ankles that turn, soles that give way."""
        o, s = self.options, self._state
        shares = load_shares(reference.zmp, reference.stance)
        feet = {}
        for part in self.robot.feet:
            turn = s.turns[part]
            turn *= 1.0 - o.dt / o.ankle_time
            T = reference.stance.get(part)
            lift = self._yield(part, felt, shares.get(part, 0.0))
            if T is None:
                feet[part] = FootShift(turn.copy(), o.clearance + lift)
                continue
            R = T.rotation[:2, :2]
            if felt.loads[part] > 0.1 * self.robot.weight:
                local = R.T @ (wish - T.translation[:2])
                low, high = self._corners[part]
                local = np.minimum(np.maximum(local, low), high)
                miss = (local - felt.pressure[part]) / self._half_sole
                # a centre of pressure further forward asks the toes down: positive pitch
                turn += o.dt * o.ankle_gain * np.array([-miss[1], miss[0]])
                np.clip(turn, -o.most_turn, o.most_turn, out=turn)
            feet[part] = FootShift(
                turn.copy(),
                lift + o.clearance - (o.clearance + o.sole_give) * shares[part] ** o.give_power,
            )
        return feet

    def _yield(self, part: str, felt: Felt, share: float) -> float:
        """How far a foot gives way because it carries more than its share [m]."""
        o, lifts = self.options, self._state.lifts
        leg = self.stature.leg_length
        excess = felt.loads[part] / self.robot.weight - share
        lift = lifts[part] * (1.0 - o.dt / o.load_time) + o.dt * o.load_gain * leg * excess
        most = o.most_lift * leg
        lifts[part] = min(max(lift, -most), most)
        return lifts[part]


def load_shares(point: np.ndarray, stance: Mapping[str, pin.SE3]) -> dict[str, float]:
    """How much of the weight each foot carries for the ZMP to be at a point, together 1."""
    if len(stance) != 2:
        return dict.fromkeys(stance, 1.0)
    (a, T_a), (b, T_b) = stance.items()
    way = T_b.translation[:2] - T_a.translation[:2]
    along = float((point - T_a.translation[:2]) @ way / max(float(way @ way), 1e-9))
    along = min(max(along, 0.0), 1.0)
    return {a: 1.0 - along, b: along}


def _ground(stance: Mapping[str, pin.SE3]) -> float:
    """Height of the standing feet [m]."""
    return float(np.mean([T.translation[2] for T in stance.values()])) if stance else 0.0
