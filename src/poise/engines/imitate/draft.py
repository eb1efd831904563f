"""A draft: steps, feet, ZMP and a first centre of mass, before the whole body is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from poise.engines.imitate.aims import Aims
from poise.engines.imitate.body_reference import BodyReference, body_reference, pelvis_height
from poise.engines.imitate.footsteps import Walk, flat_where_light, walk_of
from poise.engines.imitate.hip_turns import hip_turns
from poise.engines.imitate.human_model import Human
from poise.engines.imitate.leg_kinematics import LegKinematics, Postures, Wish
from poise.engines.imitate.limbs import Limbs
from poise.engines.imitate.marionette import Marionette
from poise.engines.imitate.options import QUASISTATIC, ImitateOptions
from poise.engines.imitate.rhythm import Rhythm, rhythm_of
from poise.engines.imitate.rolling_feet import FootPath, foot_paths
from poise.engines.imitate.zmp_reference import Support, support_of, unsafe_rolls, zmp_reference
from poise.robot import Robot
from poise.walking.preview import PreviewGains, preview_gains, preview_path
from poise.walking.stature import Stature

JERK_WEIGHT = 1e-8  # [s^6/m^2]: references are smooth, and may be followed closely
STRIDE_ROUNDS = 3  # of the search for the longest steps
FIRST_ROUNDS = 2  # in which base, hips and heights are made to agree
SHORTEST = 0.15  # of the steps that are asked for
STOOP = 0.03  # of a leg, that a robot may go lower than it must for the shortest steps


@dataclass(frozen=True, eq=False)
class Draft:
    """A walk before its balance is made true."""

    robot: Robot
    limbs: Limbs
    walk: Walk
    feet: dict[str, FootPath]
    body: BodyReference
    time: np.ndarray  # [s], (n,)
    zmp: np.ndarray  # [m], (n, 2)
    com: np.ndarray  # [m], (n, 2), of a cart, or the ZMP itself where all is slow
    support: Support
    gains: PreviewGains
    step_time: float  # [s]
    bend: float  # [rad], of the knees, that is kept
    sketch: bool = False  # whether its postures need not be exact

    @property
    def dt(self) -> float:
        """Period [s]."""
        return float(self.time[1] - self.time[0])

    @cached_property
    def kinematics(self) -> LegKinematics:
        """The solver of this walk's postures."""
        return LegKinematics(self.robot, self.limbs, self.body.angles)

    def heights(self, com: np.ndarray, before: Postures | None = None) -> np.ndarray:
        """Of the base [m], (n,), under a centre of mass [m], (n, 2).

        Where base and hips are is taken from earlier postures, or from half-sitting.
        """
        R, solver = self.body.R_world_base, self.kinematics
        base = com + solver.base_from_com(R, before)
        hips = solver.hips_from_base(R, before)
        return pelvis_height(
            self.robot, self.limbs, self.feet, base, hips, self.walk, self.step_time, self.time,
            self.bend,
        )  # fmt: skip

    def solve(
        self, com: np.ndarray, before: Postures | None = None, passing: bool = False
    ) -> Postures:
        """Postures under a centre of mass, from earlier ones or from half-sitting.

        Args:
            com: centre of mass [m], (n, 2).
            before: earlier ones.
            passing: whether others follow, so that these need not be exact.
        """
        for _ in range(1 if before is not None else FIRST_ROUNDS):
            height = self.heights(com, before)
            wish = Wish(self.feet, com, self.body.R_world_base, height, self.body.angles)
            before = self.kinematics.solve(wish, before, passing or self.sketch)
        assert before is not None
        return before


@dataclass(frozen=True, eq=False)
class Draughtsman:
    """Draws walks of one robot after one person."""

    robot: Robot
    limbs: Limbs
    person: Human
    aims: Aims
    puppet: Marionette

    @cached_property
    def rhythm(self) -> Rhythm:
        """Of the person."""
        return rhythm_of(self.person)

    @cached_property
    def stature(self) -> Stature:
        """Of the robot."""
        return Stature.of(self.robot)

    def draw(self, options: ImitateOptions) -> Draft:
        """A walk with the steps that are asked for."""
        robot, limbs, stature = self.robot, self.limbs, self.stature
        inward, outward = hip_turns(robot, limbs)
        turns = (options.turns * inward, options.turns * outward)
        walk = walk_of(self.rhythm, self.aims, self.puppet, limbs, stature, options, turns)
        dt = 1.0 / options.rate
        time = dt * np.arange(int(np.ceil(walk.end / dt)) + 1)
        walk = replace(walk, end=float(time[-1]))
        wanted = zmp_reference(walk, limbs, stature, time, options.sway)
        feet = foot_paths(robot, limbs.feet, walk, time)
        support = support_of([touch for path in feet.values() for touch in path.touches])
        off, on = unsafe_rolls(walk, support, time, wanted, 2.0 * options.margin)
        if off or on:
            walk = flat_where_light(walk, off, on, limbs.leg_length)
            feet = foot_paths(robot, limbs.feet, walk, time)
            support = support_of([touch for path in feet.values() for touch in path.touches])
        shares = float(options.upper_body), options.lean, options.arms, options.aside
        body = body_reference(robot, self.aims, self.puppet, walk, feet, time, *shares)
        gains = preview_gains(round(stature.com_height, 3), dt, jerk_weight=JERK_WEIGHT)
        com = wanted if options.balance == QUASISTATIC else preview_path(wanted, gains).com
        step_time = walk.slow * self.rhythm.step_time
        return Draft(
            robot, limbs, walk, feet, body, time, wanted, com, support, gains, step_time,
            options.bend,
        )  # fmt: skip

    def within_reach(self, options: ImitateOptions, squat: float) -> Draft:
        """A sketch with the longest steps that do not make the robot squat.

        Args:
            options: with the longest steps that are wanted.
            squat: how much lower than in half-sitting the base may go [m].
        """
        lowest = float(self.robot.half_sitting[2]) - squat

        def tried(stride: float) -> tuple[Draft, bool]:
            draft = replace(self.draw(replace(options, stride=stride)), sketch=True)
            return draft, bool(draft.heights(draft.com).min() >= lowest)

        draft, fits = tried(options.stride)
        if fits:
            return draft
        low, high = SHORTEST * options.stride, options.stride
        best, fits = tried(low)
        if not fits:  # it is not the length of steps that makes it squat
            lowest = float(best.heights(best.com).min()) - STOOP * self.limbs.leg_length
        for _ in range(STRIDE_ROUNDS):
            middle = 0.5 * (low + high)
            draft, fits = tried(middle)
            if fits:
                low, best = middle, draft
            else:
                high = middle
        return best
