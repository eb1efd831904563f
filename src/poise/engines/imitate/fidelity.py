"""How like the person the robot walks, in numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from poise.engines.imitate.plan import Plan
from poise.robot.robot import BASE_Q

MOVES = np.deg2rad(3.0)  # a joint of the marionette that moves less is not compared


@dataclass(frozen=True)
class Fidelity:
    """The robot beside the person."""

    correlation: float  # of the joint angles with the marionette's, mean over the moving joints
    leg_correlation: float  # the same for the legs' pitch, roll and yaw joints
    upper_correlation: float | None  # the same for trunk and arms, where they were seen
    placement: float  # [m], mean distance of footprints from the marionette's, step by step
    placement_share: float  # of the marionette's step length
    cadence_person: float  # [steps/min]
    cadence: float  # [steps/min]
    slower: float  # times
    phase_timing: float  # [s], mean error of contacts and toe-offs, slowness taken out
    heel_height: float  # [m], mean error of the heels' altitude in swing, scaled to the robot
    toe_height: float  # [m]

    def to_json(self) -> dict[str, Any]:
        """As the command prints it."""
        return asdict(self)

    def __str__(self) -> str:
        upper = "not seen" if self.upper_correlation is None else f"{self.upper_correlation:.2f}"
        return (
            f"joint angles correlate by {self.leg_correlation:.2f} (legs), {upper} (upper body);"
            f" footprints {1e3 * self.placement:.0f} mm from the marionette's"
            f" ({100 * self.placement_share:.0f} % of a step); {self.cadence:.0f} steps/min"
            f" (person {self.cadence_person:.0f}); phases within {1e3 * self.phase_timing:.0f} ms"
        )


def fidelity(made: Plan) -> Fidelity:
    """Compare a plan with the person it imitates."""
    draft, person = made.draft, made.person
    walk, robot = draft.walk, draft.robot
    when = walk.human_time(draft.time)
    inside = (when >= person.time[0]) & (when <= person.time[-1])
    legs = [draft.limbs.joints.column(j) for j in draft.limbs.leg_joints]
    rows, human_rows = made.postures.q[inside, BASE_Q:], when[inside]
    found = {}
    for k in range(robot.na):
        wanted = np.interp(human_rows, person.time, made.puppet.angles[:, k])
        if np.ptp(wanted) > MOVES and np.ptp(rows[:, k]) > 1e-6:
            found[k] = float(np.corrcoef(wanted, rows[:, k])[0, 1])
    leg = [found[k] for k in legs if k in found]
    upper = [c for k, c in found.items() if k not in legs]
    placement, length = _placement(made)
    step = float(np.median(np.diff([s.land for s in walk.steps])))
    return Fidelity(
        float(np.mean([*found.values()] or [0.0])),
        float(np.mean(leg or [0.0])),
        float(np.mean(upper)) if upper else None,
        placement,
        placement / max(length, 1e-9),
        60.0 * walk.slow / step,
        60.0 / (step * made.stretch),
        made.slower,
        _timing(made),
        *_altitudes(made, inside, when),
    )


def _placement(made: Plan) -> tuple[float, float]:
    """Mean distance of steps from where the marionette puts them, and its mean step [m].

    Every step counts from where the foot before it stands, so that errors do not add up. The
    last step, which closes the feet, is the robot's own.
    """
    walk = made.draft.walk
    off, lengths = [], []
    for k, (step, full) in enumerate(zip(walk.steps[:-1], walk.full, strict=True)):
        rear = walk.steps[k - 1].end if k else walk.places[walk.stands]
        off.append(float(np.hypot(step.end[0] - full[0], step.end[1] - full[1])))
        lengths.append(float(np.hypot(full[0] - rear[0], full[1] - rear[1])))
    return float(np.mean(off)), float(np.mean(lengths))


def _timing(made: Plan) -> float:
    """Mean error of contacts and toe-offs against the person's, in the person's time [s]."""
    walk, person = made.draft.walk, made.person
    errors = []
    for step in walk.steps[:-1]:
        events = person.events.side(step.side)
        for mine, theirs in ((step.land, events.ic), (step.lift, events.to)):
            t = float(walk.human_time(np.array(mine)))
            if len(theirs) and person.time[0] <= t <= person.time[-1]:
                errors.append(float(np.abs(theirs - t).min()))
    return float(np.mean(errors)) if errors else 0.0


def _altitudes(made: Plan, inside: np.ndarray, when: np.ndarray) -> tuple[float, float]:
    """Mean errors of heel and toe altitudes over the clip [m], scaled by the legs."""
    draft, person = made.draft, made.person
    scale = draft.limbs.leg_length / person.leg_length
    errors = []
    for name in ("heel", "tip"):
        off = []
        for side, path in draft.feet.items():
            theirs = getattr(person.soles[side], name)[:, 2] - person.floor
            wanted = scale * np.interp(when[inside], person.time, theirs)
            mine = (path.heel if name == "heel" else path.toe)[inside]
            off.append(np.abs(mine - wanted).mean())
        errors.append(float(np.mean(off)))
    return errors[0], errors[1]
