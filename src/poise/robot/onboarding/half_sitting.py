"""A posture to start from: knees a little bent, soles flat, weight over their middle.

The arms come first: they hang a little away from the body, elbows slightly bent. Then the legs:
six conditions for the six joints of a leg, the other leg being its mirror image.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin
from scipy.optimize import least_squares

from poise.robot.onboarding.bearings import Bearings
from poise.robot.onboarding.folding import Fold, find_fold
from poise.robot.onboarding.limbs import Limbs
from poise.robot.onboarding.mirroring import Twins, common_range
from poise.robot.onboarding.statics import foot_forces_torque
from poise.robot.onboarding.tree import Tree

KNEE = (0.6, 0.5, 0.7, 0.4, 0.3, 0.2)  # [rad], flexions in the order they are tried
TOWARDS_MIDDLE = (1.0, 0.75, 0.5, 0.25, 0.0)  # CoM: from below the ankle (0) to mid-sole (1)
AT_EASE = 0.26  # of the torque limits: what standing should take; servos then sag by 0.3 deg
EASY = 0.5  # of the torque limits: what it may take
LEAST_KNEE = 0.5  # [rad], straighter knees are for robots that cannot do with these
MARGIN = 0.03  # [rad], kept from every limit where the range allows it
GAP = 0.01  # [m], least distance between the soles


@dataclass(frozen=True, eq=False)
class Stance:
    """What a posture is built from."""

    tree: Tree
    limbs: Limbs
    bearings: Bearings
    twins: Twins
    left_foot: pin.SE3  # pose of the left foot part in its ankle joint
    sole: np.ndarray  # (n, 2), outline of the left sole in that frame [m]
    followers: dict[str, tuple[str, float, float]]  # joint: (leader, multiplier, offset)
    free_legs: bool = False  # whether the legs may leave their ranges

    @cached_property
    def data(self) -> pin.Data:
        """Working memory."""
        return self.tree.model.createData()

    @cached_property
    def knee(self) -> Fold:
        """How the left leg folds."""
        leg = self.limbs.legs[0]
        return find_fold(self.tree, leg, self.tree.position[leg[-1]])

    @cached_property
    def elbow(self) -> Fold:
        """How the left arm folds."""
        arm = self.limbs.arms[0]
        return find_fold(self.tree, arm, self.tree.centre[arm[-1]])

    def q(self, left: dict[str, float], middle: dict[str, float]) -> np.ndarray:
        """Configuration from angles of left and middle joints, right ones mirrored."""
        model = self.tree.model
        q = pin.neutral(model)
        for name, angle in {**middle, **left, **self.twins.image(left)}.items():
            q[model.joints[model.getJointId(name)].idx_q] = angle
        for name, (leader, multiplier, offset) in self.followers.items():
            index = model.joints[model.getJointId(leader)].idx_q
            q[model.joints[model.getJointId(name)].idx_q] = multiplier * q[index] + offset
        return q

    def ranges(self, limb: tuple[int, ...], pair: int) -> tuple[np.ndarray, np.ndarray]:
        """Angles a left limb may take so that its twin may too, (n,) and (n,)."""
        right = (self.limbs.legs, self.limbs.arms)[pair][1]
        if self.free_legs and pair == 0:
            return np.full(len(limb), -2.5), np.full(len(limb), 2.5)
        signs = {left: sign for left, _, sign in self.twins.pairs}
        found = []
        for a, b in zip(limb, right, strict=True):
            low, high = common_range(self.tree, a, b, signs[self.tree.name(a)])[0]
            margin = min(MARGIN, 0.2 * max(high - low, 0.0))
            found.append((low + margin, high - margin))
        low, high = np.array(found).T
        return low, high


@dataclass(frozen=True, eq=False)
class HalfSitting:
    """The posture that was found."""

    angles: dict[str, float]  # [rad], every joint
    q: np.ndarray  # (nq,), base at the origin of the root's axes
    flexion: float  # [rad], of the knees
    towards_middle: float  # of the way from ankle to mid-sole, where the CoM is
    misfit: float  # [m, rad], the largest condition not met
    load: float  # largest static torque, of its limit

    @property
    def stands(self) -> bool:
        """Whether the soles are flat, the knees well bent and the CoM where it should be."""
        return self.misfit < 1e-8 and self.flexion > 0.25


def hang_arms(
    stance: Stance, abduction: float, elbow: float, start: dict[str, float] | None = None
) -> dict[str, float]:
    """Angles of the left arm that let it hang [rad].

    Args:
        stance: the robot.
        abduction: angle of the upper arm away from the vertical, sideways [rad].
        elbow: angle of the forearm away from the vertical, forward [rad].
        start: angles to begin from; many are tried when not given.
    """
    tree, arm = stance.tree, stance.limbs.arms[0]
    model, data = tree.model, stance.data
    split = arm.index(stance.elbow.joint)
    upper = arm[max(split - 1, 0)]
    shoulder = tree.meeting(arm[max(split - 3, 0) : split] or arm[:1])
    axis, here = tree.axis[stance.elbow.joint], tree.position[stance.elbow.joint]
    hinge = here + axis * (axis @ (shoulder - here))
    anchors = _fixed(tree, [(upper, shoulder), (upper, hinge), (arm[-1], tree.centre[arm[-1]])])
    upright = stance.bearings.R_root_body
    goals = [
        np.array([0.0, np.sin(abduction), -np.cos(abduction)]),
        np.array([np.sin(elbow), 0.5 * np.sin(abduction), -np.cos(elbow)]),
    ]
    goals = [upright @ (goal / np.linalg.norm(goal)) for goal in goals]
    names = [tree.name(j) for j in arm if tree.name(j) not in stance.followers]
    low, high = stance.ranges(arm, 1)
    keep = [k for k, j in enumerate(arm) if tree.name(j) in names]
    low, high = _ordered(low[keep], high[keep])
    rest = np.clip(0.0, low, high)
    # wrists stay as they are: what points the forearm is before them
    ease = np.array([0.05 if k <= split else 0.5 for k in keep])

    def misfit(x: np.ndarray) -> np.ndarray:
        pin.forwardKinematics(model, data, stance.q(dict(zip(names, x, strict=True)), {}))
        s, e, w = (data.oMi[j].act(point) for j, point in anchors)
        pieces = [(e - s, goals[0]), (w - e, goals[1])]
        aim = [piece / max(np.linalg.norm(piece), 1e-6) - goal for piece, goal in pieces]
        return np.concatenate([*aim, ease * (x - rest)])

    if start is None:
        best = _best_of(misfit, low, high, rest)
    else:
        best = _solve(misfit, np.array([start[name] for name in names]), low, high)
    return dict(zip(names, [float(a) for a in best], strict=True))


def stand(
    stance: Stance, arms: dict[str, float], middle: dict[str, float], load_limit: np.ndarray
) -> HalfSitting:
    """Legs under the body: flat soles, bent knees, the CoM between ankle and mid-sole.

    Args:
        stance: the robot.
        arms: angles of the left arm [rad].
        middle: angles of torso and head [rad].
        load_limit: torque limits of the joints [N m], (na,).
    """
    tried: list[HalfSitting] = []
    for flexion in KNEE:
        for share in TOWARDS_MIDDLE:
            found = _legs(stance, arms, middle, load_limit, flexion, share)
            tried.append(found)
            if found.stands and found.load < AT_EASE:
                return found
            if not found.stands:
                break  # moving the CoM does not help a leg that does not get there
        good = [half for half in tried if half.stands and half.load < EASY]
        if good and flexion <= LEAST_KNEE:
            return good[0]
    return min(tried, key=lambda h: (not h.stands, h.load if h.stands else h.misfit))


def _legs(
    stance: Stance,
    arms: dict[str, float],
    middle: dict[str, float],
    load_limit: np.ndarray,
    flexion: float,
    share: float,
) -> HalfSitting:
    tree, leg = stance.tree, stance.limbs.legs[0]
    model, data = tree.model, stance.data
    upright = stance.bearings.R_root_body
    names = [tree.name(j) for j in leg if tree.name(j) not in stance.followers]
    keep = [k for k, j in enumerate(leg) if tree.name(j) in names]
    low, high = stance.ranges(leg, 0)
    low, high = _ordered(low[keep], high[keep])
    bend = stance.knee.straight + _knee_sense(stance) * flexion
    knee = tree.name(stance.knee.joint)
    centre = 0.5 * (stance.sole[:, 0].min() + stance.sole[:, 0].max())
    zero = _foot_at(stance, pin.neutral(model))
    inner = stance.sole[:, 1].min()  # the left foot's inner edge is on its right
    apart = max(upright[:, 1] @ zero.translation - stance.bearings.middle, GAP / 2.0 - inner)

    def configuration(x: np.ndarray) -> np.ndarray:
        return stance.q({**arms, **dict(zip(names, x, strict=True))}, middle)

    def misfit(x: np.ndarray) -> np.ndarray:
        q = configuration(x)
        com = pin.centerOfMass(model, data, q)
        foot = data.oMi[leg[-1]] * stance.left_foot
        turned = pin.log3(upright.T @ foot.rotation)
        aside = upright[:, 1] @ foot.translation - stance.bearings.middle - apart
        ahead = upright[:, 0] @ (com - foot.translation) - share * centre
        bent = q[model.joints[stance.knee.joint].idx_q] - bend
        return np.array([*turned, aside, ahead, 0.1 * bent])

    guess = np.clip(np.zeros(len(names)), low, high)
    if knee in names:
        guess[names.index(knee)] = np.clip(bend, low[names.index(knee)], high[names.index(knee)])
    x = _solve(misfit, guess, low, high)
    q = configuration(x)
    loads = np.abs(foot_forces_torque(stance.tree.model, q, _feet(stance, q), upright))
    return HalfSitting(
        angles={
            str(name): float(q[model.joints[model.getJointId(name)].idx_q])
            for name in list(model.names)[2:]
        },
        q=q,
        flexion=flexion,
        towards_middle=share,
        misfit=float(np.abs(misfit(x)).max()),
        load=float((loads / load_limit).max()),
    )


def _knee_sense(stance: Stance) -> int:
    """Towards which angles the knee goes forward, whatever its limits say."""
    forward = stance.bearings.R_root_body[:, 0]
    towards = float(stance.knee.motion @ forward) * (stance.knee.sense or 1)
    return -1 if towards > 0.0 else 1


def _foot_at(stance: Stance, q: np.ndarray) -> pin.SE3:
    pin.forwardKinematics(stance.tree.model, stance.data, q)
    return stance.data.oMi[stance.limbs.legs[0][-1]] * stance.left_foot


def _feet(stance: Stance, q: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """The joint of each foot and the point below its ankle, in root axes [m]."""
    left = _foot_at(stance, q).translation
    right = stance.bearings.reflected(left)
    return [(stance.limbs.legs[0][-1], left), (stance.limbs.legs[1][-1], right)]


def _fixed(tree: Tree, points: list[tuple[int, np.ndarray]]) -> list[tuple[int, np.ndarray]]:
    """Points given at the zero posture, in the frames of the joints that carry them."""
    return [(j, tree.pose(j).actInv(point)) for j, point in points]


def _ordered(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bounds a solver accepts: where they cross, their middle with a little room."""
    middle = 0.5 * (low + high)
    crossed = high - low < 2e-3
    return np.where(crossed, middle - 1e-3, low), np.where(crossed, middle + 1e-3, high)


def _best_of(
    misfit: Callable[[np.ndarray], np.ndarray],
    low: np.ndarray,
    high: np.ndarray,
    rest: np.ndarray,
) -> np.ndarray:
    """The best local answer from a handful of starts, always the same ones."""
    random = np.random.default_rng(0)
    starts = [rest, 0.5 * (low + high)] + [random.uniform(low, high) for _ in range(6)]
    answers = [_solve(misfit, start, low, high, loose=True) for start in starts]
    best = min(answers, key=lambda x: float(np.sum(misfit(x) ** 2)))
    return _solve(misfit, best, low, high)


def _solve(
    misfit: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    loose: bool = False,
) -> np.ndarray:
    inside = np.clip(start, low + 1e-4 * (high - low), high - 1e-4 * (high - low))
    accuracy = 1e-5 if loose else 1e-15
    return least_squares(
        misfit,
        inside,
        bounds=(low, high),
        xtol=accuracy,
        ftol=accuracy,
        gtol=accuracy,
        max_nfev=40 if loose else 200,
    ).x
