"""Will this style walk? Told beforehand, from the pendulum and the sizes of the robot.

Every concern compares one number with the range in which nothing is to be feared and with the
range outside of which the robot falls; between them it is doubtful. "Safe" is a promise, the
others are warnings: a walk that is called doubtful often succeeds, because the controller bends
the way of the centre of mass as far as the contacts ask for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import asin, cos, inf, pi, radians

import numpy as np

from poise.engines.expressive.gait import Gait, GaitMaker
from poise.engines.expressive.options import KNOBS, NUMBERS, Style, sizes_of
from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V, GRAVITY
from poise.walking.legs import Legs, knee_of
from poise.walking.margins import half_swing_angle
from poise.walking.pendulum import fallen_sway, sway_gain
from poise.walking.stature import Stature
from poise.walking.swing_foot import ease

SAFE, DOUBTFUL, FALLS = "safe", "doubtful", "will fall"
VERDICTS = (SAFE, DOUBTFUL, FALLS)
FRICTION = 0.4
SAMPLES = 49  # of a slider's range
LEAST_ROOM = 0.05  # of half a sole: nearer to a border is not safe
ROLLS = 0.7  # of its axis that is along x in a joint that spreads a leg
BENT = 0.15  # of half a sole: by so much the controller bends the sway at lift-off by itself


@dataclass(frozen=True)
class Concern:
    """One number that decides over balance, with the ranges in which it is fine or hopeless."""

    name: str
    value: float
    safe: tuple[float, float]
    bearable: tuple[float, float]
    why: str

    @property
    def verdict(self) -> str:
        """Safe, doubtful or will fall."""
        if self.safe[0] <= self.value <= self.safe[1]:
            return SAFE
        return DOUBTFUL if self.bearable[0] <= self.value <= self.bearable[1] else FALLS


@dataclass(frozen=True)
class Prediction:
    """What to expect of a style."""

    concerns: tuple[Concern, ...]

    @property
    def worst(self) -> Concern:
        """The concern that decides."""
        return max(self.concerns, key=lambda one: VERDICTS.index(one.verdict))

    @property
    def verdict(self) -> str:
        """Safe, doubtful or will fall."""
        return self.worst.verdict

    @property
    def why(self) -> str:
        """What is wrong, in words; empty when safe."""
        return "" if self.verdict == SAFE else self.worst.why


@dataclass(frozen=True)
class Stretch:
    """A part of a slider's range in which one verdict holds, in SI units."""

    low: float
    high: float
    verdict: str
    why: str


class Predictor:
    """Predicts styles of one robot, quickly enough for a page that redraws its sliders."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.stature = robot, Stature.of(robot)
        self._maker, self._sizes = GaitMaker(robot), sizes_of(robot)
        self._knee_speed = float(robot.velocity_limit[knee_of(robot, "left_leg").joint])
        self._yaw, self._roll = _yaw_room(robot), _roll_room(robot)
        self._body = Legs.of(robot)

    def predict(self, style: Style) -> Prediction:
        """What to expect of a style."""
        return self._of({name: getattr(style, name) for name in NUMBERS}, _law(style))

    def ranges(self, style: Style) -> dict[str, tuple[Stretch, ...]]:
        """For each slider, what to expect where it is moved and the others stay."""
        here = {name: float(getattr(style, name)) for name in NUMBERS}
        return {name: self._range(name, here, _law(style)) for name in NUMBERS}

    def _range(self, name: str, here: dict[str, float], law: float) -> tuple[Stretch, ...]:
        one = KNOBS[name]
        size = self._sizes[one.scale] if one.scale else 1.0
        values = np.linspace(one.low, one.high, SAMPLES)
        told = []
        for value in values:
            found = self._of(here | {name: float(value)}, law)
            told.append((found.verdict, found.why))
        half = 0.5 * (values[1] - values[0])
        stretches: list[Stretch] = []
        for value, (verdict, why) in zip(values, told, strict=True):
            low, high = max(value - half, one.low) * size, min(value + half, one.high) * size
            if stretches and stretches[-1].verdict == verdict:
                last = stretches.pop()
                low, why = last.low, last.why
            stretches.append(Stretch(low, high, verdict, why))
        return tuple(stretches)

    def _of(self, values: dict[str, float], law: float) -> Prediction:
        gait = self._maker.make(values, law)
        return Prediction(
            (
                *self._sideways(gait),
                self._forward(gait),
                self._slipping(gait),
                *self._legs(gait, values),
                Concern(
                    "lean",
                    gait.chest_pitch,
                    (radians(-15.0), radians(20.0)),
                    (radians(-22.0), radians(28.0)),
                    "the chest leans so far that hips and knees run out of room",
                ),
                Concern(
                    "momentum", gait.momentum, (0.0, 110.0), (0.0, inf),
                    "a body that may not turn has little left for keeping its balance",
                ),
            )
        )  # fmt: skip

    def _sideways(self, gait: Gait) -> list[Concern]:
        """The ZMP has to be over the standing foot from lift-off to landing."""
        s = self.stature
        inner, outer = gait.half_spacing - s.sole_inner, gait.half_spacing + s.sole_outer
        theta, off = half_swing_angle(gait.single, gait.double), abs(gait.phase)
        if gait.pendulum > 0.5:
            shift = min(gait.double_angle * gait.slowness, 0.5 * pi)
            peak = gait.zmp_sway
            lift = peak * min((gait.double_angle - off) / shift, 1.0)
        else:
            peak = gait.sway * sway_gain(pi / gait.half_cycle, gait.omega)
            lift = peak * cos(min(theta + off, pi))
        half = 0.5 * s.sole_width
        room = LEAST_ROOM * half
        # a quick step is over before the body has fallen: it needs less of the sway
        slack = 0.6 + 0.7 * max(0.0, 2.5 - gait.omega * gait.single)
        return [
            Concern(
                "sway", lift - inner, (-BENT * half, inf), (-slack * inner, inf),
                "the weight is not over the standing foot when the other one lifts off: more "
                "sway, a longer double support or less phase",
            ),
            Concern(
                "width of sway", outer - peak, (room, inf), (-0.8 * half, inf),
                "the weight goes beyond the outer edge of the standing foot: less sway",
            ),
        ]  # fmt: skip

    def _forward(self, gait: Gait) -> Concern:
        """With the middle of the feet, the ZMP runs ahead and behind along the sole."""
        half = 0.5 * self.stature.sole_length
        length, run = abs(gait.stride.length), 0.0
        if gait.pendulum <= 0.5:
            for s in np.linspace(0.0, 1.0, 21):
                e, _, e2 = ease(float(s))
                x = length * (e - 0.5) - length * e2 / (gait.single * gait.omega) ** 2
                run = max(run, abs(x))
        return Concern(
            "along the sole", half - run, (LEAST_ROOM * half, inf), (-1.5 * half, inf),
            "the weight runs over toes or heel: shorter or slower steps, or the pendulum's law",
        )  # fmt: skip

    def _slipping(self, gait: Gait) -> Concern:
        """Horizontal acceleration of the centre of mass over gravity."""
        if gait.pendulum > 0.5:
            aside = gait.omega**2 * gait.zmp_sway / GRAVITY
        else:
            aside = gait.sway * (pi / gait.half_cycle) ** 2 / GRAVITY
        return Concern(
            "friction", aside, (0.0, 0.75 * FRICTION), (0.0, 1.5 * FRICTION),
            "the feet would slip: less sway or more time",
        )  # fmt: skip

    def _legs(self, gait: Gait, values: dict[str, float]) -> list[Concern]:
        s, leg = self.stature, self.stature.leg_length
        wanted = values["com_height"] * s.com_height
        way = abs(gait.stride.length) + abs(gait.stride.sideways)
        speed = (3.75 * way + 5.2 * gait.step_height) / gait.single  # [m/s], of the foot
        return [
            Concern(
                "crouch", gait.com_height / s.com_height, (0.94, inf), (0.85, inf),
                "the knees bend so far that they cannot carry" if wanted < 0.94 * s.com_height
                else "steps this long or wide make the knees bend deeply",
            ),
            Concern(
                "side step", self._opening(gait) / self._roll, (0.0, 1.0), (0.0, 1.45),
                "the side step is wider than hips and ankles can open",
            ),
            Concern(
                "stride", abs(gait.stride.length) / leg, (0.0, 0.3), (0.0, 0.6),
                "the steps are long for these legs",
            ),
            Concern(
                "turn", 2.0 * abs(gait.stride.turn), (0.0, 0.85 * self._yaw),
                (0.0, 1.6 * self._yaw),
                "the hips cannot turn the feet that far apart",
            ),
            Concern(
                "leg speed", speed / (0.5 * leg * self._knee_speed), (0.0, 1.0), (0.0, 2.0),
                "the swinging leg would have to be faster than its motors: lower, shorter or "
                "slower steps",
            ),
        ]  # fmt: skip

    def _opening(self, gait: Gait) -> float:
        """How far a leg is spread when it is left behind by the widest step [rad].

        The body is as far over the other foot as it goes, and this one is still on the ground.
        """
        aside = fallen_sway(gait.zmp_sway, gait.half_cycle, self.stature.omega)
        apart = 2.0 * (gait.half_spacing + abs(gait.stride.sideways))
        spread = apart - (gait.half_spacing - aside) - self._body.root_aside
        return asin(min(max(spread / self._body.reach, 0.0), 1.0))


def predict(robot: Robot, style: Style) -> Prediction:
    """What to expect of a style on a robot, before a step is made."""
    return Predictor(robot).predict(style)


def ranges(robot: Robot, style: Style) -> dict[str, tuple[Stretch, ...]]:
    """The balance range of every slider around a style, in SI units."""
    return Predictor(robot).ranges(style)


def verdict_at(stretches: Sequence[Stretch], value: float) -> Stretch:
    """The stretch of a slider in which a value lies."""
    return next((one for one in stretches if value <= one.high), stretches[-1])


def _law(style: Style) -> float:
    return float(style.com_law == "pendulum")


def _yaw_room(robot: Robot) -> float:
    """How far the hips can turn the feet against each other, toes out [rad]."""
    at = robot.at(robot.half_sitting)
    total = 0.0
    for group, part, out in (("left_leg", "left_foot", 1.0), ("right_leg", "right_foot", -1.0)):
        columns = BASE_V + robot.indices(group)
        turns = at.jacobian(part)[5, columns] * out
        k = int(np.abs(turns).argmax())
        joint = int(robot.indices(group)[k])
        here = robot.half_sitting[7 + joint]
        room = robot.upper[joint] - here if turns[k] > 0.0 else here - robot.lower[joint]
        total += float(room * abs(turns[k]))
    return total


def _roll_room(robot: Robot) -> float:
    """How far a leg can be spread with its sole flat on the ground [rad]."""
    at, names = robot.at(robot.half_sitting), robot.groups["left_leg"]
    room = [pi / 2.0]
    for name in names:
        k = robot.index(name)
        about_x = float(at.jacobian("left_foot")[3, BASE_V + k])
        if abs(about_x) < ROLLS:
            continue
        out = about_x if name not in names[-2:] else -about_x  # ankles turn back what hips open
        here = robot.half_sitting[BASE_Q + k]
        room.append(float(robot.upper[k] - here if out > 0.0 else here - robot.lower[k]))
    return max(min(room), 1e-3)
