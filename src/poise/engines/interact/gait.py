"""The gait of a robot that is led: steps for ever, each where the hand says, always able to stop.

At the start of every single support the next landing is asked for, clipped to the safe set and
given to the generator, which answers with a new plan that ends in a stop. Two more steps are
planned beyond it: one that goes on in the same way, one that closes. While the foot is in the air
it is asked again, now and then, as long as a landing may still be moved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import hypot

import numpy as np
import pinocchio as pin

from poise.engines.interact.footprint import compose, pose_of, seen_from
from poise.engines.interact.options import InteractOptions
from poise.engines.interact.safe_area import TURN_LENGTH, SafeArea
from poise.engines.interact.swing import SwingFoot, resting
from poise.walking.analytic import Pair
from poise.walking.footsteps import centre_beside, moved
from poise.walking.leg_effect import LegEffect
from poise.walking.repeating import Stride
from poise.walking.replanning import GENERATORS, Replan, ReplanOptions, Request
from poise.walking.revising import Revision, revise
from poise.walking.stepping import (
    DOUBLE,
    SINGLE,
    START,
    STOP,
    Stance,
    Timing,
    Walk,
    continue_walking,
    stance,
    start_walking,
)
from poise.walking.swing_foot import Place

Ask = Callable[[Place, bool], Place]  # standing foot, whether it is left -> where to land


@dataclass(frozen=True)
class Walker:
    """Sizes that the gait needs."""

    omega: float  # [1/s]
    half_spacing: float  # [m]
    aside: Pair  # where the ZMP is meant to be in the left foot: forward, outward [m]
    leg: LegEffect | None = None  # what a swinging leg does to the ZMP


@dataclass(frozen=True, eq=False)
class Step:
    """What became of one wish for a footprint."""

    time: float  # [s]
    left_swings: bool
    wish: Place
    clipped: Place
    replan: Replan


class Gait:
    """Which foot stands where, which one swings, where mass and ZMP should be."""

    def __init__(
        self,
        walker: Walker,
        options: InteractOptions,
        area: SafeArea,
        left: Place,
        right: Place,
        com: Pair,
    ) -> None:
        """Stand.

        Args:
            walker: sizes.
            options: in SI units.
            area: where feet may be put.
            left: where the left foot stands.
            right: where the right foot stands.
            com: where the centre of mass rests [m].
        """
        self.walker, self.options, self.area = walker, options, area
        self.places: dict[bool, Place] = {True: left, False: right}
        self.timing = Timing(options.single, options.double, options.start, options.stop)
        self.rules = ReplanOptions(
            shape=options.shape, most_x=options.most_x, most_y=options.most_y
        )
        self.com = com
        self.walk: Walk | None = None
        self.swing: SwingFoot | None = None
        self.swinging: bool | None = None  # the left foot, the right one, or none
        self.steps: list[Step] = []
        self.revised: list[Step] = []  # landings that were moved while the foot was in the air
        self._asked = 0.0  # [s], when that was last asked for
        self.swings: dict[bool, list[tuple[float, float, Place]]] = {True: [], False: []}
        self.stopping = False
        self._landings = 0

    @property
    def moving(self) -> bool:
        """Whether the robot walks or is about to."""
        return self.walk is not None

    # -- orders --------------------------------------------------------------------------

    def start(self, time: float, left_first: bool = True) -> None:
        """Begin to step on the spot, the left foot swinging first or the right one."""
        self.stopping = False
        support = not left_first
        stances = self._ahead(support, self.places[left_first], on_the_spot=True)
        self.walk = start_walking(
            self.walker.omega,
            self.timing,
            self.com,
            stances,
            time,
            self.options.shape,
            leg=self.walker.leg,
            lift=self.places[left_first],
        )

    def stop(self) -> None:
        """Close the feet and stand: the foot in the air lands, the other one closes."""
        self.stopping = True

    # -- time ----------------------------------------------------------------------------

    def advance(self, time: float, ask: Ask) -> None:
        """Bring everything to a time [s]; asks for a landing when a foot lifts off."""
        if self.walk is None:
            return
        phase, elapsed = self.walk.phase(time)
        if self.swinging is not None and self.swing is not None and time >= self.swing.end - 1e-9:
            self._land()
        if phase.kind == SINGLE and self.swinging is None:
            self._lift(time, phase.support, ask)
        elif phase.kind == STOP and elapsed >= phase.duration:
            self.com = self.walk.at(time).com
            self.walk = None

    def _land(self) -> None:
        assert self.swinging is not None and self.walk is not None
        self.places[self.swinging] = self._landing
        self.swinging, self.swing = None, None
        self._landings += 1

    def _lift(self, time: float, support: int, ask: Ask) -> None:
        walk = self.walk
        assert walk is not None
        standing = walk.stances[support]
        swings = not standing.left
        phase, elapsed = walk.phase(time)
        time -= elapsed  # it lifted off between two periods
        end = time + phase.duration
        wish = (
            self._beside(standing.place, swings)
            if self.stopping
            else ask(standing.place, not swings)
        )
        clipped = self.area.clip_landing(standing.place, standing.left, wish)
        replan = self._replan(walk, time, standing, clipped)
        self.steps.append(Step(time, swings, wish, clipped, replan))
        if replan.accepted:
            self.walk = replan.walk
            end = time + replan.walk.phases[0].duration
        self._landing = replan.landing
        self.swinging, self._asked = swings, time
        self.swings[swings].append((time, end, self._landing))
        self.swing = SwingFoot(
            self.places[swings], self._landing, time, end, self.options.step_height
        )

    def revise(self, time: float, ask: Ask) -> Step | None:
        """Ask again where the foot in the air should land, and move its landing if that differs.

        Args:
            time: now [s].
            ask: where to land.
        """
        swing, walk, single = self.swing, self.walk, self.timing.single
        if self.options.in_flight == "no" or swing is None or walk is None:
            return None
        if time < self._asked + AGAIN * single - 1e-9:
            return None
        if swing.end - time < self.rules.least_left * single:
            return None
        self._asked = time
        standing = walk.stances[walk.phase(time)[0].support]
        swings = not standing.left
        wish = (
            self._beside(standing.place, swings)
            if self.stopping
            else ask(standing.place, standing.left)
        )
        clipped = self.area.clip_landing(standing.place, standing.left, wish)
        x, y, turn = seen_from(self._landing, clipped)
        if hypot(x, y) + TURN_LENGTH * abs(turn) < WORTHWHILE * self.walker.half_spacing:
            return None
        if not self.area.allows(standing.place, standing.left, self._landing):
            return None  # where nothing between old and new is known to be good

        def follow(place: Place) -> tuple[Stance, ...]:
            return self._ahead(standing.left, place, self.stopping)

        revision = Revision(walk, time, self._landing, clipped, swing.arrival, follow)
        step = Step(time, swings, wish, clipped, revise(revision, self.rules))
        self.revised.append(step)
        if step.replan.accepted:
            self.walk, self._landing = step.replan.walk, step.replan.landing
            swing.land_at(self._landing, time, swing.end)
            self.swings[swings][-1] = (swing.lifted, swing.end, self._landing)
        return step

    def _replan(self, walk: Walk, time: float, standing: Stance, landing: Place) -> Replan:
        generator = GENERATORS[self.options.generator]

        def follow(place: Place) -> tuple[Stance, ...]:
            if self.options.generator != "timing":
                place = self.area.clip_landing(standing.place, standing.left, place)
            return self._ahead(standing.left, place, self.stopping)

        lift = self.places[not standing.left]
        replan = generator(Request(walk, time, landing, follow, lift=lift), self.rules)
        if replan.accepted:
            return replace(replan, landing=replan.walk.stances[1].place)
        # the old landing, and a stop that is as far away as ever
        old = replan.landing
        stances = self._ahead(standing.left, old, True)
        phase, elapsed = walk.phase(time)
        kept = continue_walking(
            walk, time, stances, phase.duration - elapsed, self.options.shape, lift=lift
        )
        return Replan(kept, replan.wish, old, 0.0, kept.fluctuation, "")

    def _ahead(self, support: bool, landing: Place, on_the_spot: bool) -> tuple[Stance, ...]:
        """The standing foot, a landing, and what is planned beyond it."""
        spacing, aside = self.walker.half_spacing, self.walker.aside
        here = self.places[support]
        swings = not support
        first = stance(support, here, aside)
        second = stance(swings, landing, aside)
        forward = 0.0
        if not on_the_spot:
            centre = centre_beside(here, support, spacing)
            forward = seen_from(centre, centre_beside(landing, swings, spacing))[0]
        if self.stopping:
            x, y, turn = seen_from(self._beside(here, swings), landing)
            if abs(x) < CLOSED * spacing and abs(turn) < CLOSED and abs(y) < spacing:
                return first, second
            return first, second, stance(support, self._beside(landing, support), aside)
        beyond = self._beside(landing, support, forward)
        beyond = self.area.clip_landing(landing, swings, beyond)
        closing = self._beside(beyond, swings)
        return first, second, stance(support, beyond, aside), stance(swings, closing, aside)

    def _beside(self, place: Place, left: bool, forward: float = 0.0) -> Place:
        """Where a foot is beside another one, some way forward."""
        spacing = self.walker.half_spacing
        centre = centre_beside(place, not left, spacing)
        return compose(moved(centre, forward, 0.0), (0.0, spacing if left else -spacing, 0.0))

    # -- what to follow ------------------------------------------------------------------

    def mass(self, time: float) -> tuple[Pair, Pair, Pair]:
        """Centre of mass [m], its velocity [m/s] and ZMP [m] at a time [s]."""
        if self.walk is None:
            return self.com, (0.0, 0.0), self.com
        now = self.walk.at(time)
        return now.com, now.velocity, self.walk.zmp(time)

    def feet(self, time: float) -> dict[bool, tuple[pin.SE3, np.ndarray, float]]:
        """Pose, twist and heading of the left (True) and right foot at a time [s]."""
        found = {}
        for left in (True, False):
            if self.swinging == left and self.swing is not None:
                state = self.swing.at(time)
            else:
                state = resting(self.places[left])
            x, y, z, heading = state.place
            T = pose_of((x, y, heading))
            T.translation[2] = z
            twist = np.zeros(6)
            twist[:3], twist[5] = state.rate[:3], state.rate[3]
            found[left] = T, twist, float(heading)
        return found

    def standing(self) -> list[bool]:
        """Which feet stand: left is True."""
        return [left for left in (True, False) if left != self.swinging]

    def stride(self, time: float, heading: float) -> Stride | None:
        """How far the step has come, the shift of the weight counted; None when none is made."""
        if self.walk is None:
            return None
        phase, elapsed = self.walk.phase(time)
        left, before = self.walk.stances[phase.support].left, self.timing.double
        if phase.kind == DOUBLE:
            whole = phase.duration + self.timing.single
            return Stride(left, elapsed / whole, whole, heading)
        if phase.kind == SINGLE:
            duration = phase.duration
            if self.swing is not None:  # the plan may have begun after lift-off
                duration, elapsed = self.swing.end - self.swing.lifted, time - self.swing.lifted
            whole = duration + before
            return Stride(left, min((before + elapsed) / whole, 1.0), whole, heading)
        return None

    def phase(self, time: float) -> str:
        """The kind of phase, or "stand"."""
        return "stand" if self.walk is None else self.walk.phase(time)[0].kind


AGAIN = 0.1  # of a single support: how often a landing is asked for again
WORTHWHILE = 0.2  # of half the distance of the feet: a landing is not moved for less
CLOSED = 0.1  # of half the distance of the feet, and [rad]: nearly side by side
PHASES = ("stand", START, DOUBLE, SINGLE, STOP)
