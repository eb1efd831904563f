"""The stack of tasks that moves the whole body: feet, mass, waist, hands, posture, in order.

Velocities are weighted by the joint-space inertia: with A = L L' and v = L^-T y the hierarchy is
solved in y, so that what a level leaves free is used with the least kinetic energy. That is the
inverse for which a pulled hand feels the inertia the robot really has there (see `admittance`).

A joint that would pass its limit is held by a level above all others, and the stack is solved
again. Where an arm that keeps clear would come too near to the body its hand is asked for less,
so that no other task pays for it and no joint is whipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, sin

import numpy as np
import pinocchio as pin

from poise.engines.interact.clearance import Clearance, Near
from poise.engines.interact.loops import forward_substitute, pull_pose, serve_all, unweigh, weigh
from poise.engines.interact.rest import Rest
from poise.robot import Robot, Snapshot
from poise.robot.robot import BASE_Q, BASE_V, GRAVITY
from poise.solvers.damped import Damping
from poise.solvers.hierarchy import Ranked, serve

RETURN = 40.0  # [1/s], how fast errors of feet and mass die
WAIST_RETURN = 20.0  # [1/s]
POSTURE_RETURN = 2.0  # [1/s]
DAMPING = Damping(threshold=2e-3, most=2e-3)
HEAVY = 2.0  # of the robot's mass: a hand that feels heavier gives up its way
STIFF = 0.01  # of the robot's mass times height squared: one that feels so gives up its turn
HANDS = 4  # levels before those of the hands
MARGIN = 5e-3  # [rad], from the joint limits
APPROACH = 20.0  # [1/s], how fast a joint may come nearer to its limit, of what is left
ARM_PACE = 0.6  # of its speed limit: a joint of an arm that has to go faster slows the hand
TRUNK_PACE = 0.2  # [rad], times the rate of the pendulum
TRIES = 3
UNMOVED = 0.3  # how fast links part for a hand's speed: one that moves them less is not asked
LEAST_BEND = 0.2  # [rad], of a knee
SIX_D, FOUR_D = 6, 4  # joints that an arm needs to turn its hand at will, or to keep its heading


@dataclass(frozen=True, eq=False)
class Wishes:
    """What the body is to do at an instant."""

    com: np.ndarray  # [m], (2,)
    com_velocity: np.ndarray  # [m/s], (2,)
    feet: Mapping[str, pin.SE3]
    foot_twists: Mapping[str, np.ndarray]  # world axes, linear first, (6,)
    heading: float  # [rad], of the waist
    turning: float  # [rad/s]


class Still(Snapshot):
    """A snapshot that knows postures only: inertia, Jacobians and places, no forces or drifts."""

    def refresh(self, q: np.ndarray, v: np.ndarray) -> None:
        """Move to another posture, in place; for the owner alone."""
        model, data = self.model, self.data
        self.q, self.v = np.array(q, dtype=float), v
        pin.crba(model, data, self.q, pin.Convention.WORLD)
        pin.updateFramePlacements(model, data)


class Body:
    """The reference robot: it does exactly what the stack says."""

    def __init__(self, robot: Robot, rest: Rest, dt: float) -> None:
        """Stand at rest.

        Args:
            robot: who.
            rest: how it offers its hands.
            dt: period [s].
        """
        self.robot, self.rest, self.dt = robot, rest, dt
        self.hands = tuple(rest.hands)
        # which of its six rows turn a hand: all three, the heading alone, or none
        self._turns = {hand: _turns(robot, hand) for hand in self.hands}
        # legs with a joint in common cannot turn the waist as well
        self._waist = 2 if robot.couplings else 3
        self.at = Still(robot, rest.q)
        self._frames = np.array(
            [robot.frame_id(part) for part in (*robot.feet, "base", *self.hands)]
        )
        # head, idle arms and fingers keep their joints: the stack does not know them
        self._active = np.array(_active(robot, self.hands))
        n = len(self._active)
        self._column = {int(entry): k for k, entry in enumerate(self._active)}
        # couplings come first: no task can part what a motor holds together
        above, tall = len(robot.couplings), 18 + 6 * len(self.hands)
        self._tall = np.zeros((tall, robot.nv))  # feet, base, mass, hands, of all joints
        self._L, self._above = np.zeros((n, n)), above
        self._rows_above, self._wish = np.zeros((above + tall, n)), np.zeros(above + tall)
        self._weighted, self._e = self._rows_above[above:], self._wish[above:]
        self._coupled = robot.coupling_rows
        used = [*range(15 + self._waist)]
        starts = range(18, tall, 6)
        placed = [row for start in starts for row in range(start, start + 3)]
        turned = [
            row
            for start, hand in zip(starts, self.hands, strict=True)
            for row in (start + k for k in self._turns[hand])
        ]
        used += placed + turned  # a hand that cannot be turned as told is still where it is told
        self._used = np.array([*range(above), *(above + row for row in used)])
        self._levels = np.cumsum([above, 12, 2, 1 + self._waist, len(placed), len(turned)])
        # an arm that can just keep a heading gives that up before it has to go round a joint's end
        self._spare = len(turned) if any(len(rows) == 1 for rows in self._turns.values()) else 0
        heavy, stiff = HEAVY * robot.mass, STIFF * robot.mass * robot.height**2
        self._damping = [Damping(k**-0.5, k**-0.5) for k in (heavy, stiff)]
        self._low, self._high = robot.lower + MARGIN, robot.upper - MARGIN
        for knee in knees(robot):  # a knee that is nearly straight stays: the hips come down
            bend = float(rest.q[BASE_Q + knee])
            least = min(LEAST_BEND, 0.5 * abs(bend))
            if bend > 0.0:
                self._low[knee] = max(self._low[knee], least)
            else:
                self._high[knee] = min(self._high[knee], -least)
        self._upper, self._pace = _paces(robot, self._active, float(rest.com[2]))
        self._posture = np.array(rest.q[BASE_Q:])
        self._base_wish, self._base_twist = np.zeros(3), np.zeros(6)
        shoulders = [rest.shoulders[hand] for hand in self.hands]
        self._clearance = Clearance(robot, rest.q, shoulders, dt)
        self.keeps_clear = False  # whether arms are kept from the body
        self.reset(rest.q)

    def reset(self, q: np.ndarray) -> None:
        """Stand somewhere at rest."""
        self.q, self.v = np.array(q), np.zeros(self.robot.nv)
        self.acceleration = np.zeros(self.robot.nv)
        self.held_joints: tuple[str, ...] = ()
        self.kept_clear = False  # whether an arm was kept from the body
        self.look()

    def look(self) -> None:
        """Compute Jacobians and inertia at the present posture."""
        at, L, active = self.at, self._L, self._active
        at.refresh(self.q, self.v)
        inertia, momentum = at.mass_matrix, at.momentum_matrix
        mass = self.robot.mass
        weigh(
            at.tables, inertia, momentum, mass, self._frames, active, self._tall, L, self._weighted
        )
        for k in range(self._above):
            forward_substitute(L, self._coupled[k], active, self._rows_above[k])
        self._near: list[Near] = self._clearance.look(at) if self.keeps_clear else []

    def turns(self, hand: str) -> bool:
        """Whether the arm can turn its hand as it is told; one that cannot keeps its heading."""
        return len(self._turns[hand]) == 3

    def mobility(self, hand: str) -> np.ndarray:
        """Inverse of the inertia that a wrench feels at a hand, (6, 6)."""
        k = self.hands.index(hand)
        rows = self._weighted[18 + 6 * k : 24 + 6 * k]
        return rows @ rows.T

    def step(self, wishes: Wishes, hands: Mapping[str, np.ndarray]) -> np.ndarray:
        """The velocity (nv,) of this period; afterwards the body is one period later.

        Args:
            wishes: of feet, mass and waist.
            hands: velocity of each held hand, world axes, (6,).
        """
        self._write(wishes, hands)
        self._bound()
        v = self._solve({})
        rush = float((np.abs(v[BASE_V:]) / self._pace).max())
        if rush > 1.0:  # the hands go slower before an arm or the trunk is whipped
            self._e[18:] /= rush
            v = self._solve({})
        held: dict[int, float] = {}
        v = self._within_limits(v, held)
        self.kept_clear = False
        for _ in range(TRIES):
            if not self._give_way(v, held):
                break
            v, self.kept_clear = self._within_limits(self._solve(held), held), True
        self.held_joints = tuple(self.robot.joint_names[k] for k in held)
        rates = v[BASE_V:]
        np.minimum(np.maximum(rates, self._slowest, out=rates), self._fastest, out=rates)
        self.acceleration = (v - self.v) / self.dt
        self.v = v
        self.q = self.robot.coupled(pin.integrate(self.robot.model, self.q, self.dt * v))
        return v

    def _write(self, wishes: Wishes, hands: Mapping[str, np.ndarray]) -> None:
        at, e, rest = self.at, self._e, self.rest
        places = at.tables[0]
        for k, part in enumerate(self.robot.feet):
            T, twist = wishes.feet[part], wishes.foot_twists[part]
            out = e[6 * k : 6 * k + 6]
            pull_pose(places, self._frames[k], T.rotation, T.translation, twist, RETURN, out)
        com, wish, rate = at.data.com[0], wishes.com, wishes.com_velocity
        c, s = cos(wishes.heading), sin(wishes.heading)
        turn = np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))
        base, twist = self._base_wish, self._base_twist
        base[2], twist[5] = rest.base_height, wishes.turning
        R = turn @ rest.R_base
        pull_pose(places, self._frames[2], R, base, twist, WAIST_RETURN, e[12:18])
        e[12] = RETURN * (wish[0] - com[0]) + rate[0]
        e[13] = RETURN * (wish[1] - com[1]) + rate[1]
        for k, hand in enumerate(self.hands):
            e[18 + 6 * k : 24 + 6 * k] = hands[hand]

    def _within_limits(self, v: np.ndarray, held: dict[int, float]) -> np.ndarray:
        """A velocity (nv,) at which no joint passes a limit.

        Args:
            v: the velocity that would be, (nv,).
            held: joints that are held, and their speed; those that have to be held are added.
        """
        for _ in range(TRIES):
            beyond = self._beyond(v)
            if beyond.keys() <= held.keys():
                return v
            held |= beyond
            v = self._solve(held)
        # arms and trunk as near to it as they may; legs and base make up for that exactly
        rates = np.clip(v[BASE_V:], self._slowest, self._fastest)
        held |= {k: float(rates[k]) for k in self._upper}
        return self._solve(held)

    def _give_way(self, v: np.ndarray, held: Mapping[int, float]) -> bool:
        """Ask less of the hands where their arms come too near to the body; whether that was so.

        The wishes of the hands are changed by as little as lets the links part as they should.
        """
        close = [near for near in self._near if near.row @ v < near.least - 1e-9]
        if not close:
            return False
        J, _ = self._stacked(held)
        rows = np.zeros((len(close), len(self._active)))
        for row, near in zip(rows, close, strict=True):
            forward_substitute(self._L, near.row, self._active, row)
        # how fast links part for what each task is asked, by the inverse of all tasks together
        square = J @ J.T
        square.flat[:: len(J) + 1] += DAMPING.threshold**2
        first = len(held) + int(self._levels[HANDS - 1])
        hands = slice(first, first + 3 * len(self.hands))
        G = np.linalg.solve(square, J @ rows.T)[hands].T
        lacking = np.array([near.least - near.row @ v for near in close])
        damped = G @ G.T + UNMOVED**2 * np.eye(len(close))
        change = G.T @ np.linalg.solve(damped, lacking)
        for k in range(len(self.hands)):
            self._e[18 + 6 * k : 21 + 6 * k] += change[3 * k : 3 * k + 3]
        return True

    def _stacked(self, held: Mapping[int, float]) -> tuple[np.ndarray, np.ndarray]:
        """Weighted rows of all levels (m, active) and what is asked of each (m,)."""
        J, e = self._rows_above.take(self._used, axis=0), self._wish.take(self._used)
        if not held:
            return J, e
        if self._spare:
            J, e = J[: -self._spare], e[: -self._spare]
        rows, one = np.zeros((len(held), len(self._active))), np.zeros(self.robot.nv)
        for k, joint in enumerate(held):
            one[BASE_V + joint] = 1.0
            forward_substitute(self._L, one, self._active, rows[k])
            one[BASE_V + joint] = 0.0
        return np.vstack([rows, J]), np.concatenate([[*held.values()], e])

    def _solve(self, held: Mapping[int, float]) -> np.ndarray:
        """Velocity (nv,) that serves all levels, some joints held at a speed."""
        L, active = self._L, self._active
        J, e = self._stacked(held)
        posture = np.zeros(self.robot.nv)
        np.subtract(self._posture, self.q[BASE_Q:], out=posture[BASE_V:])
        posture *= POSTURE_RETURN
        posture = posture.take(active)
        found = np.zeros(len(active))
        if held or not serve_all(L, J, e, posture, DAMPING.threshold, found):
            ranked = self._ranked(J, e, len(held))
            unweigh(L, ranked.towards(np.tril(L).T @ posture), found)
        v = np.zeros(self.robot.nv)
        v[active] = found
        return v

    def _ranked(self, J: np.ndarray, e: np.ndarray, held: int) -> Ranked:
        """The levels one after the other, where they cannot all be served."""
        x, Z, row = np.zeros(J.shape[1]), np.eye(J.shape[1]), 0
        for k, stop in enumerate(np.minimum(held + self._levels, len(J)).tolist()):
            if stop > row:
                damping = DAMPING if k < HANDS else self._damping[k - HANDS]
                served = serve(Z, J[row:stop], e[row:stop] - J[row:stop] @ x, damping)
                x, Z, row = x + served.step, served.free, stop
        return Ranked(x, Z, ())

    def _bound(self) -> None:
        """The speeds of this period at which no joint passes a limit [rad/s]."""
        joints, most = self.q[BASE_Q:], self.robot.velocity_limit
        # a joint beyond its margin may stay there: nothing is to jump
        low, high = self._low - joints, self._high - joints
        low *= APPROACH
        high *= APPROACH
        self._slowest, self._fastest = np.clip(low, -most, 0.0), np.clip(high, 0.0, most)

    def _beyond(self, v: np.ndarray) -> dict[int, float]:
        """Joints that would pass a limit, and the speed at which they may go."""
        low, high, rates = self._slowest, self._fastest, v[BASE_V:]
        excess = np.maximum(low - rates, rates - high)
        if excess.max() <= 1e-9:
            return {}
        return {
            int(k): float(min(max(rates[k], low[k]), high[k]))
            for k in np.flatnonzero(excess > 1e-9)
        }


def _turns(robot: Robot, hand: str) -> tuple[int, ...]:
    """The rows in which an arm with so many joints can turn its hand."""
    joints = len(robot.groups["left_arm" if "left" in hand else "right_arm"])
    if joints >= SIX_D:
        return 3, 4, 5
    return (5,) if joints >= FOUR_D else ()


def knees(robot: Robot) -> tuple[int, int]:
    """The joints of the legs that bend most in half-sitting: left, right."""
    found = []
    for group in ("left_leg", "right_leg"):
        joints = robot.indices(group)
        found.append(int(joints[np.abs(robot.half_sitting[BASE_Q + joints]).argmax()]))
    return found[0], found[1]


def _paces(robot: Robot, active: np.ndarray, height: float) -> tuple[list[int], np.ndarray]:
    """Active joints above the legs, and how fast every joint may go for the hands [rad/s], (na,).

    Args:
        robot: who.
        active: entries of v that the stack may use.
        height: of the centre of mass [m].
    """
    legs = {*robot.indices("left_leg").tolist(), *robot.indices("right_leg").tolist()}
    arms = {*robot.indices("left_arm").tolist(), *robot.indices("right_arm").tolist()}
    pace = np.full(robot.na, TRUNK_PACE * (GRAVITY / height) ** 0.5)
    pace[[*arms]] = ARM_PACE * robot.velocity_limit[[*arms]]
    pace[[*legs]] = np.inf  # they carry the body
    joints = [int(k) - BASE_V for k in active if k >= BASE_V]
    return [k for k in joints if k not in legs], pace


def _active(robot: Robot, hands: tuple[str, ...]) -> list[int]:
    """Columns of the base, the legs, the trunk and the arms up to the held hands."""
    model = robot.model
    above: set[int] = set()
    for part in (*robot.feet, *hands):
        joint = model.frames[robot.frame_id(part)].parentJoint
        above |= set(model.supports[joint].tolist())
    followers = {c.joint for c in robot.couplings if model.getJointId(c.of) in above}
    return list(range(BASE_V)) + [
        BASE_V + k
        for k, name in enumerate(robot.joint_names)
        if model.getJointId(name) in above or name in followers
    ]
