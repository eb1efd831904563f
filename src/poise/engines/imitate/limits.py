"""What a plan asks of joints and ground, as shares of what may be asked of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import median_filter, uniform_filter1d

from poise.engines.imitate.plan import Plan
from poise.engines.imitate.whole_body import Demand, demand, standing_leg_torques
from poise.motion.marker_names import SIDES
from poise.robot.robot import BASE_Q, BASE_V

SPEED, TORQUE = 0.9, 0.95  # of the joints' limits that may be used
USUALLY = 98.0  # [%] of the instants: a moment over a limit may be an artefact of a coarse path
AT_REST = 100.0  # times slower: nothing but the weight is left
FRICTION = 0.53  # of sole and floor, with what forwards and sideways forces leave of it
CALM, CALM_PERIOD = 0.045, 0.005  # of a joint's speed limit, that it may change by in this time [s]
TOP = 30.0  # [rad/s], speed limits above are not meant
AROUND = 7  # instants among which a jump stands out
MOMENT = 0.02  # [s], over which a twist is averaged: soles give a little


@dataclass(frozen=True)
class Use:
    """Shares of what may be used, at most 1 where all is well."""

    speed: float  # of the fastest joint
    knees: float  # torque of a standing leg's knee, nearly always
    others: float  # the same of the other joints
    peak: float  # torque of any of them, always
    twist: float  # of the friction that keeps a standing foot from turning

    @property
    def need(self) -> float:
        """How many times slower a plan should be, by speed and twist."""
        return float(max(self.speed, self.twist**0.5))


def use_of(made: Plan) -> Use:
    """What a plan uses.

    Torques and twist count while one leg stands: with two there is a choice.
    """
    robot, alone = made.draft.robot, _alone(made)
    limit = np.where(robot.velocity_limit > 0.0, robot.velocity_limit, np.inf)
    speed = float((np.abs(made.demand.v[:, BASE_V:]) / limit).max()) / (SPEED * made.stretch)
    if not np.logical_or(*alone.values()).any():
        return Use(speed, 0.0, 0.0, 0.0, 0.0)
    # what moving asks for shrinks when time is stretched
    asked = made.demand if made.stretch == 1.0 else _played(made, made.stretch)
    return Use(speed, *_torques(made, alone, asked), _twist(made, alone))


def jump_of(made: Plan) -> float:
    """The largest jump of a joint's velocity between two instants, as a share of what may be.

    A jump is a change that stands out of those around it; steady acceleration is none.
    """
    robot, dt = made.draft.robot, made.stretch * made.draft.dt
    limit = np.where(robot.velocity_limit > 0.0, np.minimum(robot.velocity_limit, TOP), np.inf)
    change = np.diff(made.postures.q[:, BASE_Q:], 2, axis=0) / dt
    change /= CALM * limit * max(dt / CALM_PERIOD, 1.0)
    change = change[:, np.abs(change).max(axis=0) > 0.5]
    if not change.size:
        return 0.5
    return float(np.abs(change - median_filter(change, (AROUND, 1), mode="nearest")).max())


def resting(made: Plan) -> float:
    """The largest torque share of a standing leg if every posture were held at rest."""
    alone = _alone(made)
    if not np.logical_or(*alone.values()).any():
        return 0.0
    return _torques(made, alone, _played(made, AT_REST))[2]


def _alone(made: Plan) -> dict[str, np.ndarray]:
    """By side, when that leg stands alone, (n,)."""
    time = made.draft.time
    alone = {}
    for side in SIDES:
        rows = np.zeros(len(time), dtype=bool)
        for step in made.draft.walk.steps:
            if step.side != side:
                rows |= (time >= step.lift) & (time < step.land)
        alone[side] = rows
    return alone


def _played(made: Plan, stretch: float) -> Demand:
    return demand(made.draft.robot, made.postures.q, stretch * made.draft.dt)


def _torques(made: Plan, alone: dict[str, np.ndarray], asked: Demand) -> tuple[float, float, float]:
    """Of knees and of other leg motors as shares of what may be used, and the peak of all."""
    draft = made.draft
    robot = draft.robot
    torques = standing_leg_torques(robot, draft.limbs, made.postures.q, asked, alone)
    limit = np.where(robot.effort_limit > 0.0, robot.effort_limit, np.inf)
    shares = np.abs(torques[np.logical_or(*alone.values())]) / limit
    use = np.percentile(shares, USUALLY, axis=0) / TORQUE
    legs = draft.limbs.legs.values()
    knees = [draft.limbs.joints.column(leg.chain[leg.middle]) for leg in legs]
    return float(use[knees].max()), float(np.delete(use, knees).max()), float(shares.max())


def _twist(made: Plan, alone: dict[str, np.ndarray]) -> float:
    """The moment about the vertical as a share of what the sole's friction gives.

    Loads at the corners of a sole whose mean is at the ZMP have arms to it whose mean square is
    (x - a)(b - x) + (y - c)(d - y), with a, b and c, d the ends of the sole.
    """
    draft, zmp = made.draft, made.zmp
    wrench = made.demand.weight + made.demand.inertia / made.stretch**2
    moment = wrench[:, 5] - zmp[:, 0] * wrench[:, 1] + zmp[:, 1] * wrench[:, 0]
    moment = uniform_filter1d(moment, max(round(MOMENT / (made.stretch * draft.dt)), 1))
    most = 0.0
    for side, rows in alone.items():
        if not rows.any():
            continue
        place = draft.feet[side].place[rows]
        points = draft.robot.soles[draft.limbs.feet[side].part].points
        low, high = points[:, :2].min(axis=0), points[:, :2].max(axis=0)
        c, s = np.cos(place[:, 2]), np.sin(place[:, 2])
        away = zmp[rows] - place[:, :2]
        local = np.column_stack([c * away[:, 0] + s * away[:, 1], c * away[:, 1] - s * away[:, 0]])
        square = np.maximum((local - low) * (high - local), 0.0).sum(axis=1)
        arm = np.maximum(np.sqrt(square), 1e-3)
        most = max(most, float(np.abs(moment[rows] / (FRICTION * arm * wrench[rows, 2])).max()))
    return most
