"""The gait machine: from a gait to where feet and centre of mass should be at every instant.

One clock drives everything. It runs from 0 to pi from the middle of one double support to the
middle of the next (a half cycle), and the sway is its sine. The other foot is off the ground
while the clock is further than `double_angle` from both ends. When durations change, the clock
runs faster or slower and feet and body stay together.

    standing -> starting -> (walking: left or right support, again and again) -> stopping -> ...

Starting and stopping are half cycles without a swing, in which the sway grows or dies.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, pi, sin
from typing import NamedTuple

from poise.engines.expressive.gait import Gait
from poise.engines.expressive.slide import Slide
from poise.robot.robot import GRAVITY
from poise.walking.centre_line import Motion2, PendulumLine, Vector, middle_line
from poise.walking.footsteps import centre_beside, moved, next_place
from poise.walking.stature import Stature
from poise.walking.swing_foot import FootTrack, Place, Swing, ease

RAMP = 3  # steps in which the stride grows at the start and shrinks at the end
TEMPO_RATE = 8.0  # [1/s], how fast the clock takes on a new speed
RETARGET_UNTIL = 0.5  # of a swing; later its landing place stays
PATIENCE = 2.0  # halves of a double support by which a foot may be lifted late
LOOK_AHEAD = 4  # half cycles that the pendulum looks ahead
HEAVE = 0.1 * GRAVITY  # [m/s^2], foreseen at most of a height that starts or stops to move

STANDING, STARTING, WALKING, STOPPING = "standing", "starting", "walking", "stopping"


@dataclass
class Wanted:
    """Where the centre of mass should be, with rates; rewritten every tick."""

    com: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])  # [m]
    rate: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])  # [m/s]
    rate2: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])  # [m/s^2]
    heading: float = 0.0  # [rad]
    heading_rate: float = 0.0
    heading_rate2: float = 0.0


class GaitMachine:
    """Feet, sway and contacts of a walk, tick by tick."""

    def __init__(
        self,
        stature: Stature,
        gait: Gait,
        left: Place,
        right: Place,
        lean: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """Stand with both feet on the ground at two places.

        Args:
            stature: of the robot.
            gait: to begin with.
            left: where the left foot stands.
            right: where the right foot stands.
            lean: how far before and left of the centre of the soles the centre of mass is while
                standing [m]; walking brings it to the centre.
        """
        self.stature, self.gait = stature, gait
        self.forward, self._lean = stature.sole_centre[0], lean
        self.places: list[Place] = [left, right]
        self.tracks = [FootTrack.resting(left), FootTrack.resting(right)]
        self.wanted = Wanted()
        self.state = STANDING
        self.support = 0  # 0 left, 1 right: the foot of this half cycle
        self.swing: Swing | None = None
        self.clock = 0.0  # [rad], 0 to pi
        self.tempo = pi / gait.half_cycle  # [rad/s]
        self._tempo_rate = 0.0
        self._waited = 0.0  # [rad], how long the clock stood still in this half cycle
        self.angle = gait.double_angle  # of this half cycle
        self.steps_done = 0
        self.steps_planned: int | None = None
        self._line, self._side = PendulumLine(self._centre()), PendulumLine((0.0, 0.0))
        rests = _Wait(self.angle, self._centre(), (0.0, 0.0))
        self._waits = [rests, rests, rests]  # of the last two half cycles and this one
        self._stale = True  # whether the plan of the pendulum has to be made again
        self._ordered = False  # whether the steps to make are others than at the last tick
        self._along: Motion2 = (0.0,) * 6  # the pendulum along the centre line
        self._across: Motion2 = (0.0,) * 6  # and its sway across
        self._stands = Slide(gait.stand_height, HEAVE)
        self._drops = Slide(gait.com_height - gait.stand_height, HEAVE)
        self._write()

    # -- orders ----------------------------------------------------------------------

    def start(self, steps: int | None = None) -> None:
        """Begin to walk, for a number of steps or until told to stop."""
        if self.state == STANDING:
            self.steps_done, self.steps_planned = 0, steps
            self.state = STARTING
            self._stale = True
            self.clock, self.angle = 0.0, self.gait.double_angle
            # the foot that opens goes first, so the other one is the first support
            first_support = 1 if self.gait.stride.opens_left else 0
            self.support = 1 - first_support
            self._waits = [*self._waits[1:], self._wait()]
        elif self.state == WALKING and steps is None:
            self.steps_planned, self._ordered = None, True

    def stop(self) -> None:
        """Come to a stand within the next few steps."""
        if self.state == STARTING:
            self.steps_planned = RAMP
        elif self.state == WALKING:
            ends = self.steps_done + 1 + RAMP
            self.steps_planned = min(ends, self.steps_planned or ends)
            self._ordered = True

    @property
    def walking(self) -> bool:
        """Whether it is under way, or about to be."""
        return self.state != STANDING

    # -- time ------------------------------------------------------------------------

    def advance(self, dt: float, gait: Gait, loaded: bool = False) -> tuple[str, ...]:
        """Let a period pass; what happened: "lift 0", "land 1", ...

        Args:
            dt: period [s].
            gait: from now on.
            loaded: whether the weight comes over later than it should: no foot is lifted then.
        """
        self._stands.move(gait.stand_height, dt)
        self._drops.move(gait.com_height - gait.stand_height, dt)
        if gait is not self.gait:
            self.gait, self._stale, self._ordered = gait, True, True
        events: list[str] = []
        if self.gait.pendulum > 0.0:
            self._line.advance(self._along, dt)
            self._side.advance(self._across, dt)
        target = pi / gait.half_cycle
        # the tempo follows like a critically damped spring
        self._tempo_rate += dt * (
            TEMPO_RATE**2 * (target - self.tempo) - 2.0 * TEMPO_RATE * self._tempo_rate
        )
        self.tempo += dt * self._tempo_rate
        self._stale |= abs(self._tempo_rate) > 1e-6
        if self.state != STANDING:
            before = self.clock
            self.clock += dt * self.tempo
            if loaded:
                self._wait_for_weight(before)
            if self.clock >= pi:
                self._next_half_cycle(events)
            self._update_swing(events)
        self._write()
        return tuple(events)

    def _wait_for_weight(self, before: float) -> None:
        """Hold the clock where a foot would be lifted that still carries, but not for ever."""
        due = self.state == WALKING and before <= self.angle < self.clock
        if due and self._waited < PATIENCE * self.angle:
            self._waited += self.clock - before
            self.clock = self.angle

    @property
    def off_ground(self) -> int | None:
        """Which foot swings: 0 left, 1 right."""
        return None if self.swing is None else 1 - self.support

    @property
    def _both_stand(self) -> bool:
        """Whether the foot of the next half cycle stands already."""
        landed = self.state == WALKING and self.swing is None and self.clock > 0.5 * pi
        return self.state == STARTING or landed

    @property
    def _progress(self) -> float:
        """Of a swing, 0 to 1."""
        return (self.clock - self.angle) / (pi - 2.0 * self.angle)

    @property
    def shift(self) -> float:
        """Progress of a double support from the old support foot to the new one, 0 to 1."""
        if self.state != WALKING:
            return 0.5
        if self.clock <= self.angle:
            return 0.5 + 0.5 * self.clock / self.angle
        if self.clock >= pi - self.angle:
            return 0.5 * (self.clock - pi + self.angle) / self.angle
        return 1.0

    @property
    def receiving(self) -> int:
        """Which foot takes the weight over in this double support: 0 left, 1 right."""
        return self.support if self.clock < 0.5 * pi else 1 - self.support

    def factor(self, step: int) -> float:
        """How much of the stride the step of an index makes."""
        grown = min(1.0, (step + 1) / RAMP)
        if self.steps_planned is None:
            return grown
        return max(min(grown, (self.steps_planned - 1 - step) / RAMP), 0.0)

    def landing(
        self, support: Place, support_is_left: bool, step: int, gait: Gait | None = None
    ) -> Place:
        """Where the swinging foot of a step should land, with another gait than now if told."""
        gait = gait or self.gait
        stride = gait.stride.scaled(self.factor(step))
        last = self.steps_planned is not None and step >= self.steps_planned - 1
        spacing = self.stature.half_spacing if last else gait.half_spacing
        return next_place(support, support_is_left, stride, spacing)

    def coming(self, gait: Gait, count: int) -> list[tuple[int, Swing]]:
        """The next steps, if this is the gait from now on: foot (0 left, 1 right) and its way."""
        if self.state in (STANDING, STOPPING):
            return []
        steps: list[tuple[int, Swing]] = []
        places, support, step = list(self.places), self.support, self.steps_done
        if self._both_stand:
            support = 1 - support
        elif self.swing is not None:
            swing, foot = self.swing, 1 - support
            if self._progress < RETARGET_UNTIL:
                end = self.landing(places[support], support == 0, step, gait)
                swing = Swing(swing.start, end, gait.step_height)
            steps.append((foot, swing))
            places[foot], support, step = swing.end, foot, step + 1
        while len(steps) < count and (self.steps_planned is None or step < self.steps_planned):
            foot = 1 - support
            end = self.landing(places[support], support == 0, step, gait)
            steps.append((foot, Swing(places[foot], end, gait.step_height)))
            places[foot], support, step = end, foot, step + 1
        return steps

    def _next_half_cycle(self, events: list[str]) -> None:
        self._stale = True
        self._waited = 0.0
        self.clock -= pi
        self.angle = self.gait.double_angle
        self.support = 1 - self.support
        if self.state == STARTING:
            self.state = WALKING
        elif self.state == STOPPING:
            self.state = STANDING
            self.clock = 0.0
            events.append("stand")
        elif self.steps_planned is not None and self.steps_done >= self.steps_planned:
            self.state = STOPPING
        self._waits = [*self._waits[1:], self._wait()]

    def _update_swing(self, events: list[str]) -> None:
        swinging = self.state == WALKING and self.angle < self.clock < pi - self.angle
        foot = 1 - self.support
        if swinging and self.swing is None:
            start = self.places[foot]
            target = self.landing(self.places[self.support], self.support == 0, self.steps_done)
            self.swing = Swing(start, target, self.gait.step_height)
            self._stale = True
            events.append(f"lift {foot}")
        elif self.swing is not None and not swinging:
            self.places[foot] = self.swing.end
            self.tracks[foot].rest(self.swing.end)
            self.swing = None
            self.steps_done += 1
            events.append(f"land {foot}")
        if self.swing is not None:
            way = pi - 2.0 * self.angle
            s = self._progress
            if s < RETARGET_UNTIL and self._ordered:
                stands = self.places[self.support]
                self.swing.end = self.landing(stands, self.support == 0, self.steps_done)
                self.swing.height = self.gait.step_height
            self.tracks[foot].swing(self.swing, s, self.tempo / way, self._tempo_rate / way)
        self._ordered = False

    # -- references ------------------------------------------------------------------

    def _centre(self) -> Vector:
        return self._centre_of(*self.places)

    def _centre_of(self, left: Place, right: Place) -> Vector:
        (xl, yl, hl), (xr, yr, hr) = left, right
        h = 0.5 * (hl + hr)
        return 0.5 * (xl + xr) + self.forward * cos(h), 0.5 * (yl + yr) + self.forward * sin(h)

    def _stir(self) -> tuple[float, float, float]:
        """How much of a walk is under way, from 0 (standing) to 1, with rates."""
        if self.state == STANDING:
            return 0.0, 0.0, 0.0
        if self.state == WALKING:
            return 1.0, 0.0, 0.0
        w, w1 = self.tempo / pi, self._tempo_rate / pi
        e, e1, e2 = ease(self.clock / pi)
        e1, e2 = e1 * w, e2 * w * w + e1 * w1
        return (e, e1, e2) if self.state == STARTING else (1.0 - e, -e1, -e2)

    def _swing_of_sway(self) -> tuple[float, float, float]:
        """The sine of the sway, left positive, with rates."""
        sign = 1.0 if self.support == 0 else -1.0
        angle = self.clock + self.gait.phase
        w, w1 = self.tempo, self._tempo_rate
        s, c = sign * sin(angle), sign * cos(angle)
        return s, c * w, -s * w * w + c * w1

    def _half_distance(self, h: float, h1: float, h2: float) -> tuple[float, float, float]:
        """Half the sideways distance of the feet [m], with rates."""
        left, right = self.tracks
        x, y = (0.5 * (left.place[k] - right.place[k]) for k in (0, 1))
        x1, y1 = (0.5 * (left.rate[k] - right.rate[k]) for k in (0, 1))
        x2, y2 = (0.5 * (left.rate2[k] - right.rate2[k]) for k in (0, 1))
        c, s = cos(h), sin(h)
        side, side1, side2 = c * y - s * x, c * y1 - s * x1, c * y2 - s * x2
        along, along1 = c * x + s * y, c * x1 + s * y1
        return (
            side,
            side1 - h1 * along,
            side2 - 2.0 * h1 * along1 - h2 * along - h1 * h1 * side,
        )

    def _write(self) -> None:
        left, right = self.tracks
        w, share = self.wanted, self.gait.pendulum
        h = w.heading = 0.5 * (left.place[3] + right.place[3])
        h1 = w.heading_rate = 0.5 * (left.rate[3] + right.rate[3])
        h2 = w.heading_rate2 = 0.5 * (left.rate2[3] + right.rate2[3])
        e, e1, e2 = self._stir()
        # forward (b) and sideways (a) of the centre line, in axes that turn with the heading
        ahead, aside = self._lean
        b, b1, b2 = ahead * (1.0 - e), -ahead * e1, -ahead * e2
        a, a1, a2 = aside * (1.0 - e), -aside * e1, -aside * e2
        x = y = x1 = y1 = x2 = y2 = 0.0
        if share < 1.0:
            size = (1.0 - share) * self.gait.sway / self.gait.half_spacing
            s, s1, s2 = self._swing_of_sway()
            s, s1, s2 = e * s, e1 * s + e * s1, e2 * s + 2.0 * e1 * s1 + e * s2
            d, d1, d2 = self._half_distance(h, h1, h2)  # the wider the feet, the wider the sway
            a += size * d * s
            a1 += size * (d1 * s + d * s1)
            a2 += size * (d2 * s + 2.0 * d1 * s1 + d * s2)
            x, y, x1, y1, x2, y2 = middle_line(left, right, self.forward)
        if share == 0.0:
            self._line.place, self._side.place = (x, y), (0.0, 0.0)
            self._stale = True
        else:
            self._fall()
            p, q, keep = self._along, self._across, 1.0 - share
            x, y = keep * x + share * (p[0] + q[0]), keep * y + share * (p[1] + q[1])
            x1, y1 = keep * x1 + share * (p[2] + q[2]), keep * y1 + share * (p[3] + q[3])
            x2, y2 = keep * x2 + share * (p[4] + q[4]), keep * y2 + share * (p[5] + q[5])
        # d/dt (b u + a n) with u' = h' n and n' = -h' u
        along1, side1 = b1 - a * h1, a1 + b * h1
        along2 = b2 - 2.0 * a1 * h1 - a * h2 - b * h1 * h1
        side2 = a2 + 2.0 * b1 * h1 + b * h2 - a * h1 * h1
        c, d = cos(h), sin(h)
        (z, z1, z2), (f, f1, f2) = self._stands.motion, self._drops.motion
        z, z1, z2 = z + f * e, z1 + f1 * e + f * e1, z2 + f2 * e + 2.0 * f1 * e1 + f * e2
        w.com[:] = (x + b * c - a * d, y + b * d + a * c, z)
        w.rate[:] = (x1 + along1 * c - side1 * d, y1 + along1 * d + side1 * c, z1)
        w.rate2[:] = (x2 + along2 * c - side2 * d, y2 + along2 * d + side2 * c, z2)

    # -- the pendulum ----------------------------------------------------------------

    def _fall(self) -> None:
        """Where the pendulum is now: along the centre line, and across it."""
        if self._stale:
            waits = [*self._waits, *self._coming()]
            tempo, omega = self.tempo, self.gait.omega
            self._line.plan([(w.angle, *w.centre) for w in waits], tempo, omega)
            smooth = [(self._slow_angle(w.angle), *w.offset) for w in waits]
            self._side.plan(smooth, tempo, omega)
            self._stale = False
        time = (pi + self.clock) / self.tempo  # the plan begins one half cycle ago
        self._along = self._line.at(time)
        self._across = self._side.at(time + self.gait.phase / self.tempo)

    def _slow_angle(self, angle: float) -> float:
        """Half of the time in which the sway shifts the ZMP, as an angle of the half cycle.

        The ZMP may still be on its way while it is over the sole already: the slower it goes,
        the less the servos of a real robot are shaken.
        """
        return min(angle * self.gait.slowness, 0.5 * pi)

    def _wait(self) -> _Wait:
        """Where the ZMP waits in this half cycle."""
        if self.state != WALKING:
            return _Wait(self.angle, self._centre(), (0.0, 0.0))
        return self._wait_at(self.angle, self.places[self.support], self.support == 0)

    def _wait_at(self, angle: float, place: Place, left: bool) -> _Wait:
        centre = moved(centre_beside(place, left, self.gait.half_spacing), self.forward, 0.0)
        aside = self.gait.zmp_sway if left else -self.gait.zmp_sway
        heading = place[2]
        return _Wait(angle, centre[:2], (-aside * sin(heading), aside * cos(heading)))

    def _coming(self) -> list[_Wait]:
        """Where the ZMP will wait in the half cycles to come."""
        if self.state in (STANDING, STOPPING):
            return []
        coming: list[_Wait] = []
        foot, step = self.support, self.steps_done
        stands = self.places[foot]
        for k in range(LOOK_AHEAD):
            foot, other = 1 - foot, stands
            if k == 0 and self._both_stand:
                stands = self.places[foot]
            elif k == 0 and self.swing is not None:
                stands, step = self.swing.end, step + 1
            else:
                stands, step = self.landing(stands, foot == 1, step), step + 1
            if self.steps_planned is not None and step >= self.steps_planned:
                between = self._centre_of(stands, other)
                coming.append(_Wait(self.gait.double_angle, between, (0.0, 0.0)))
                break
            coming.append(self._wait_at(self.gait.double_angle, stands, foot == 0))
        return coming


class _Wait(NamedTuple):
    """Where the ZMP waits during the single support of a half cycle."""

    angle: float  # [rad], half of its double support
    centre: Vector  # [m], on the centre line
    offset: Vector  # [m], from there to the standing foot
