"""The stack of tasks that moves the whole body: feet, mass, waist, hands, posture, in order.

Velocities are weighted by the joint-space inertia: with A = L L' and v = L^-T y the hierarchy is
solved in y, so that what a level leaves free is used with the least kinetic energy. That is the
inverse for which a pulled hand feels the inertia the robot really has there (see `admittance`).

A joint that would pass its limit is held by a level above all others, and the stack is solved
again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from scipy.linalg.blas import dtrsm, dtrsv
from scipy.linalg.lapack import dpotrf

from poise.engines.interact.holding import Rest
from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V
from poise.solvers.damped import Damping
from poise.solvers.hierarchy import Level, solve_hierarchy

RETURN = 40.0  # [1/s], how fast errors of feet and mass die
WAIST_RETURN = 20.0  # [1/s]
POSTURE_RETURN = 2.0  # [1/s]
DAMPING = Damping(threshold=2e-3, most=2e-3)
MARGIN = 5e-3  # [rad], from the joint limits
TRIES = 3
LEAST_BEND = 0.2  # [rad], of a knee
SIX_D = 6  # an arm with fewer joints cannot turn its hand as it is told


@dataclass(frozen=True, eq=False)
class Wishes:
    """What the body is to do at an instant."""

    com: np.ndarray  # [m], (2,)
    com_velocity: np.ndarray  # [m/s], (2,)
    feet: Mapping[str, pin.SE3]
    foot_twists: Mapping[str, np.ndarray]  # world axes, linear first, (6,)
    heading: float  # [rad], of the waist
    turning: float  # [rad/s]


class Body:
    """The reference robot: it does exactly what the stack says."""

    def __init__(self, robot: Robot, rest: Rest, dt: float) -> None:
        self.robot, self.rest, self.dt = robot, rest, dt
        self.hands = tuple(rest.hands)
        self._rows = {
            hand: SIX_D
            if len(robot.groups["left_arm" if "left" in hand else "right_arm"]) >= SIX_D
            else 3
            for hand in self.hands
        }
        # legs with a joint in common cannot turn the waist as well
        self._waist = 2 if robot.couplings else 3
        self.at = robot.at(rest.q)
        rows = 12 + 3 + 3 + 6 * len(self.hands)
        # head, idle arms and fingers keep their joints: the stack does not know them
        self._active = _active(robot, self.hands)
        self._block = np.ix_(self._active, self._active)
        self._J, self._wish = np.zeros((rows, len(self._active))), np.zeros(rows)
        self._couplings = robot.coupling_rows[:, self._active]
        self._low, self._high = robot.lower + MARGIN, robot.upper - MARGIN
        for knee in knees(robot):  # a knee that is nearly straight stays: the hips come down
            bend = float(rest.q[BASE_Q + knee])
            least = min(LEAST_BEND, 0.5 * abs(bend))
            if bend > 0.0:
                self._low[knee] = max(self._low[knee], least)
            else:
                self._high[knee] = min(self._high[knee], -least)
        self._weighted = np.zeros_like(self._J)
        self.reset(rest.q)

    def reset(self, q: np.ndarray) -> None:
        """Stand somewhere at rest."""
        self.q, self.v = np.array(q), np.zeros(self.robot.nv)
        self.held_joints: tuple[str, ...] = ()
        self.look()

    def look(self) -> None:
        """Compute Jacobians and inertia at the present posture."""
        at, J, feet, k = self.at, self._J, self.robot.feet, self._active
        at.refresh(self.q, self.v)
        J[0:6], J[6:12] = at.jacobian(feet[0])[:, k], at.jacobian(feet[1])[:, k]
        J[12:14] = at.com_jacobian[:2, k]
        J[14:18] = at.jacobian("base")[2:, k]
        for i, hand in enumerate(self.hands):
            J[18 + 6 * i : 24 + 6 * i] = at.jacobian(hand)[:, k]
        self._L, _ = dpotrf(at.mass_matrix[self._block].T, lower=1, clean=1)
        self._weighted = dtrsm(1.0, self._L, J.T, lower=1).T

    def turns(self, hand: str) -> bool:
        """Whether the arm can turn its hand as it is told."""
        return self._rows[hand] == SIX_D

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
        v = self._solve(())
        held: dict[int, float] = {}
        for _ in range(TRIES):
            beyond = self._beyond(v)
            if beyond.keys() <= held.keys():
                break
            held |= beyond
            v = self._solve(tuple(held.items()))
        self.held_joints = tuple(self.robot.joint_names[k] for k in held)
        v[BASE_V:] = np.clip(v[BASE_V:], *self._speeds())
        self.v = v
        self.q = self.robot.coupled(pin.integrate(self.robot.model, self.q, self.dt * v))
        return v

    def _write(self, wishes: Wishes, hands: Mapping[str, np.ndarray]) -> None:
        at, e, rest = self.at, self._wish, self.rest
        for k, part in enumerate(self.robot.feet):
            T = wishes.feet[part]
            row = 6 * k
            e[row : row + 3] = T.translation - at.position(part)
            e[row + 3 : row + 6] = pin.log3(T.rotation @ at.rotation(part).T)
            e[row : row + 6] *= RETURN
            e[row : row + 6] += wishes.foot_twists[part]
        e[12:14] = RETURN * (wishes.com - at.com[:2]) + wishes.com_velocity
        e[14] = WAIST_RETURN * (rest.base_height - at.position("base")[2])
        turn = pin.exp3(np.array([0.0, 0.0, wishes.heading]))
        e[15:18] = WAIST_RETURN * pin.log3(turn @ rest.R_base @ at.rotation("base").T)
        e[17] += wishes.turning
        for k, hand in enumerate(self.hands):
            e[18 + 6 * k : 24 + 6 * k] = hands[hand]

    def _solve(self, held: tuple[tuple[int, float], ...]) -> np.ndarray:
        L, J, e = self._L, self._weighted, self._wish
        levels = []
        fixed = self._fixed(held)
        if fixed is not None:
            levels.append(Level(dtrsm(1.0, L, fixed[0].T, lower=1).T, fixed[1]))
        levels += [Level(J[:12], e[:12]), Level(J[12:14], e[12:14])]
        levels.append(Level(J[14 : 15 + self._waist], e[14 : 15 + self._waist]))
        rows: list[int] = []
        row = 18
        for hand in self.hands:
            rows += range(row, row + self._rows[hand])
            row += 6
        if rows:
            levels.append(Level(J[rows], e[rows]))
        ranked = solve_hierarchy(levels, DAMPING)
        wish = np.zeros(self.robot.nv)
        wish[BASE_V:] = POSTURE_RETURN * (self.rest.q[BASE_Q:] - self.q[BASE_Q:])
        y = ranked.towards(L.T @ wish[self._active])
        v = np.zeros(self.robot.nv)
        v[self._active] = dtrsv(L, y, lower=1, trans=1)
        return v

    def _fixed(self, held: tuple[tuple[int, float], ...]) -> tuple[np.ndarray, np.ndarray] | None:
        couplings = self._couplings
        if not held and not len(couplings):
            return None
        rows = np.zeros((len(couplings) + len(held), len(self._active)))
        rows[: len(couplings)] = couplings
        wish = np.zeros(len(rows))
        for k, (joint, speed) in enumerate(held, start=len(couplings)):
            rows[k, self._active.index(BASE_V + joint)] = 1.0
            wish[k] = speed
        return rows, wish

    def _speeds(self) -> tuple[np.ndarray, np.ndarray]:
        joints, most = self.q[BASE_Q:], self.robot.velocity_limit
        # a joint beyond its margin may stay there: nothing is to jump
        low = np.clip((self._low - joints) / self.dt, -most, 0.0)
        high = np.clip((self._high - joints) / self.dt, 0.0, most)
        return low, high

    def _beyond(self, v: np.ndarray) -> dict[int, float]:
        """Joints that would pass a limit, and the speed at which they may go."""
        low, high = self._speeds()
        rates = v[BASE_V:]
        return {
            int(k): float(min(max(rates[k], low[k]), high[k]))
            for k in np.flatnonzero((rates < low - 1e-9) | (rates > high + 1e-9))
        }


def knees(robot: Robot) -> tuple[int, int]:
    """The joints of the legs that bend most in half-sitting: left, right."""
    found = []
    for group in ("left_leg", "right_leg"):
        joints = robot.indices(group)
        found.append(int(joints[np.abs(robot.half_sitting[BASE_Q + joints]).argmax()]))
    return found[0], found[1]


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
