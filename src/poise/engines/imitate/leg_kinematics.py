"""Inverse kinematics of a whole clip: feet and centre of mass exact, the pelvis as asked.

Per instant, 14 rows have to hold: two foot poses and the ground projection of the centre of mass.
The unknowns are the base's pose and the leg joints. What is left over (the height and the tilts of
the pelvis) follows the person, and gives way where a joint comes to its limit. Every step solves

    minimise  (x - x0)' W (x - x0)   subject to   J x = e

    x = x0 + W^-1 J' (J W^-1 J' + damping)^-1 (e - J x0):

damped least squares with the exact null-space motion, instant after instant in one compiled loop
(`leg_steps`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial.transform import Rotation

from poise.engines.imitate.leg_steps import LegTables, WishTables, solve_clip
from poise.engines.imitate.limbs import Limbs, standing
from poise.engines.imitate.many_postures import configurations
from poise.engines.imitate.rolling_feet import FootPath
from poise.motion.marker_names import SIDES
from poise.robot import Robot
from poise.robot.robot import BASE_Q

ROUNDS = 30
# it stops where errors are small [m, rad / 5] after a small step [rad]: the next one would be about
# its square
EXACT, SETTLED = 1e-9, 1e-3
ROUGHLY, ABOUT = 1e-5, 1e-2  # the same for a sketch
KEPT = 0.05  # [rad], that joints keep from their limits where they can
KEPT_BEND = 0.1  # [rad], of the knees


@dataclass(frozen=True, eq=False)
class Postures:
    """A clip of whole-body postures."""

    q: np.ndarray  # (n, nq)
    com: np.ndarray  # [m], (n, 2), as it was wished
    residual: np.ndarray  # (n,), largest error of feet and centre of mass [m, rad / 5]
    rounds: float  # of the solver, mean of the instants


@dataclass(frozen=True, eq=False)
class Wish:
    """What a clip of postures should do."""

    feet: dict[str, FootPath]
    com: np.ndarray  # [m], (n, 2)
    R_world_base: np.ndarray  # (n, 3, 3), wished for the base
    base_z: np.ndarray  # [m], (n,)
    angles: np.ndarray  # [rad], (n, na): the upper body exactly, the legs as a preference


class LegKinematics:
    """Solves clips for one robot and one motion of its upper body."""

    def __init__(self, robot: Robot, limbs: Limbs, angles: np.ndarray) -> None:
        """Take the angles of all joints [rad], (n, na); those of the legs do not matter."""
        self.robot, self.limbs = robot, limbs
        joints = limbs.joints
        self._angles = angles
        self.chains = {side: list(limbs.legs[side].chain) for side in SIDES}
        self.columns = [joints.column(j) for side in SIDES for j in self.chains[side]]
        self.low = robot.lower[self.columns] + KEPT
        self.high = robot.upper[self.columns] - KEPT
        for s, side in enumerate(SIDES):  # a straight knee has no way back: it is kept bent
            leg = limbs.legs[side]
            i = s * len(self.chains["left"]) + leg.middle
            least = leg.straight + leg.bends * KEPT_BEND
            if leg.bends > 0.0:
                self.low[i] = max(self.low[i], least)
            else:
                self.high[i] = min(self.high[i], least)
            i += leg.end - leg.middle
            self.low[i] = max(self.low[i], limbs.ankle_range[0])
            self.high[i] = min(self.high[i], limbs.ankle_range[1])
        self.free, self.offset = self._motors()

    @cached_property
    def upper(self) -> tuple[np.ndarray, float]:
        """Centre of all that is no leg, in the base's frame [m], (n, 3), and its mass [kg]."""
        joints, legs = self.limbs.joints, set(self.limbs.leg_joints)
        return joints.centre([j for j in joints.all if j not in legs], self._angles)

    @cached_property
    def tables(self) -> LegTables:
        """The legs as compiled loops take them."""
        joints, feet = self.limbs.joints, [self.limbs.feet[side] for side in SIDES]
        straight, sine, versine = joints.turns
        order = [j for side in SIDES for j in self.chains[side]]
        return (
            straight[order],
            sine[order],
            versine[order],
            joints.place_p[order],
            joints.axis[order],
            joints.mass[order],
            joints.lever[order],
            np.stack([foot.R for foot in feet]),
            np.stack([foot.p for foot in feet]),
            np.ascontiguousarray(self.free),
            self.low,
            self.high,
            np.array([self.upper[1], self.robot.mass]),
        )

    def _motors(self) -> tuple[np.ndarray, np.ndarray]:
        """Leg angles from free ones: angles = free @ x + offset; couplings made explicit."""
        count = len(self.columns)
        matrix, offset = np.eye(count), np.zeros(count)
        followers = []
        for c in self.robot.couplings:
            a, b = self.robot.index(c.joint), self.robot.index(c.of)
            if a in self.columns and b in self.columns:
                i, j = self.columns.index(a), self.columns.index(b)
                matrix[i] = 0.0
                matrix[i, j] = c.multiplier
                offset[i] = c.offset
                followers.append(i)
        return np.delete(matrix, followers, axis=1), offset

    def beyond(self, q: np.ndarray) -> float:
        """How far leg joints of postures (n, nq) go over the walls before their limits [rad]."""
        angles = q[:, BASE_Q:][:, self.columns]
        return float(np.maximum(angles - self.high, self.low - angles).max())

    def solve(self, wish: Wish, before: Postures | None = None, sketch: bool = False) -> Postures:
        """Postures that do what is wished, from earlier ones or from half-sitting.

        Args:
            wish: what they should do.
            before: earlier ones.
            sketch: whether a hundredth of a millimetre is near enough.
        """
        n = len(wish.com)
        start = self._guess(wish) if before is None else before.q
        p = start[:, :3].copy()
        if before is not None:  # the body goes along with its centre of mass
            p[:, :2] += wish.com - before.com
        R = Rotation.from_quat(start[:, 3:BASE_Q]).as_matrix()
        q = start[:, BASE_Q:][:, self.columns].copy()
        residual = np.empty(n)
        stops = (ROUGHLY, ABOUT, ROUNDS) if sketch else (EXACT, SETTLED, ROUNDS)
        rounds = solve_clip(
            self.tables, self.wished(wish), p, R, q, stops, before is None, residual
        )
        angles = wish.angles.copy()
        angles[:, self.columns] = q
        return Postures(
            configurations(self.robot, p, R, angles), wish.com, residual, rounds / max(n, 1)
        )

    def wished(self, wish: Wish) -> WishTables:
        """A wish as compiled loops take it."""
        both = [wish.feet[side] for side in SIDES]
        return (
            np.stack([path.R for path in both], axis=1),
            np.stack([path.p for path in both], axis=1),
            np.ascontiguousarray(wish.com),
            np.ascontiguousarray(wish.R_world_base),
            np.ascontiguousarray(wish.base_z),
            np.ascontiguousarray(wish.angles[:, self.columns]),
            self.upper[0],
        )

    def base_from_com(self, R_world_base: np.ndarray, before: Postures | None) -> np.ndarray:
        """Way from the centre of mass to the base over the ground [m], (n, 2)."""
        if before is not None:
            return before.q[:, :2] - before.com
        at = standing(self.robot)
        arm = at.data.oMi[1].rotation.T @ (at.com - at.data.oMi[1].translation)
        return -np.einsum("nij,j->ni", R_world_base, arm)[:, :2]

    def hips_from_base(
        self, R_world_base: np.ndarray, before: Postures | None
    ) -> dict[str, np.ndarray]:
        """Way from the base to each hip, world axes [m], (n, 3)."""
        hips = {}
        at = standing(self.robot)
        for s, side in enumerate(SIDES):
            leg = self.limbs.legs[side]
            if before is None:
                place = at.data.oMi[1].actInv(at.data.oMi[leg.chain[leg.top]].translation)
                hips[side] = np.einsum("nij,j->ni", R_world_base, place)
                continue
            R = Rotation.from_quat(before.q[:, 3:BASE_Q]).as_matrix()
            begin = s * len(self.chains["left"])
            columns = self.columns[begin : begin + leg.top + 1]
            angles = before.q[:, BASE_Q:][:, columns]
            chain = self.chains[side][: leg.top + 1]
            hips[side] = self.limbs.joints.walk(chain, angles, R, np.zeros((len(R), 3))).p[-1]
        return hips

    def _guess(self, wish: Wish) -> np.ndarray:
        """Half-sitting, carried along."""
        robot, n = self.robot, len(wish.com)
        p = np.zeros((n, 3))
        p[:, :2] = wish.com + self.base_from_com(wish.R_world_base, None)
        p[:, 2] = wish.base_z
        angles = np.tile(np.array(robot.half_sitting[BASE_Q:]), (n, 1))
        return configurations(robot, p, wish.R_world_base, angles)
