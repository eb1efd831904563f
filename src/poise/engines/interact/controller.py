"""InteractController: forces at the hands in, joint commands out, once a period."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, hypot, sin

import numpy as np
import pinocchio as pin

from poise.engines.interact.admittance import Admittance
from poise.engines.interact.body import Body, Wishes
from poise.engines.interact.footprint import (
    centre_of,
    compose,
    mean_place,
    over_ground,
    seen_from,
)
from poise.engines.interact.gait import PHASES, Gait, Walker
from poise.engines.interact.holding import offering
from poise.engines.interact.options import InteractOptions
from poise.engines.interact.safe_area import SafeArea, known_area
from poise.engines.interact.swing import APEX, STILL
from poise.engines.interact.watch import Watch
from poise.motion import Command, Observation
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.walking.leg_effect import leg_effect, pendulum_height
from poise.walking.pendulum import pendulum_rate
from poise.walking.stabiliser import Reference, Stabiliser, StabiliserOptions
from poise.walking.stature import Stature
from poise.walking.swing_foot import Place

UPRIGHT_RETURN = 1.0  # [1/s], how fast a hand comes back to its height and stays level
ARRIVAL = 4.0  # [1/s], how fast a hand may come nearer to the end of its way, of what is left
END_REACH, END_LEAD = 1.015, 1.25  # of what stops the robot: where the way of a hand ends
TURN_MEAN = 2.0  # steps, over which a moment at a hand is averaged that its arm cannot turn
TURN_SHARE = 0.5  # of how far the hand would have turned in a step, by which the body turns


Row = np.ndarray | tuple[float, ...]


@dataclass
class Diary:
    """What happened, period by period."""

    time: list[float] = field(default_factory=list)
    rows: dict[str, list[Row]] = field(default_factory=dict)

    def write(self, time: float, **entries: Row) -> None:
        """Add one period; arrays are kept as they are."""
        self.time.append(time)
        for name, value in entries.items():
            self.rows.setdefault(name, []).append(value)

    def signals(self) -> dict[str, np.ndarray]:
        """Every entry as an array, one row a period."""
        return {name: np.array(rows, dtype=float) for name, rows in self.rows.items()}


class InteractController:
    """A robot that lets itself be led by its hands."""

    def __init__(
        self,
        robot: Robot,
        options: InteractOptions,
        area: SafeArea | None = None,
        dt: float = 0.005,
        begin: float = 0.5,
    ) -> None:
        """Prepare.

        Args:
            robot: who is led.
            options: in SI units.
            area: where feet may be put; the shipped one, or one by the robot's sizes, when absent.
            dt: control period [s].
            begin: when it begins to step on the spot [s].
        """
        self.robot, self.options, self.dt, self.begin = robot, options, dt, begin
        self.area = area or known_area(robot)
        self.rest = offering(robot, options.hands)
        self.body = Body(robot, self.rest, dt)
        self.hands = self.body.hands
        stature = Stature.of(robot)
        at = robot.at(self.rest.q)
        self.places = {
            left: _place(at.pose(robot.feet[0 if left else 1])) for left in (True, False)
        }
        walker = Walker(
            pendulum_rate(pendulum_height(robot, self.rest.q)),
            self.rest.half_spacing,
            stature.sole_centre,
            leg_effect(robot, self.rest.q, options.step_height, APEX, STILL),
        )
        com = (float(self.rest.com[0]), float(self.rest.com[1]))
        self.gait = Gait(walker, options, self.area, self.places[True], self.places[False], com)
        self.stabiliser = Stabiliser(robot, StabiliserOptions(dt=dt), walker.aside)
        damping = np.r_[np.full(3, options.damping), np.full(3, options.spin_damping)]
        damping /= len(self.hands)  # two hands share what one would feel
        lever = options.spin_damping / options.damping
        self.admittances = {
            hand: Admittance(
                damping, options.dead_band, options.filter_time, options.dead_band * lever
            )
            for hand in self.hands
        }
        self.watch = Watch(options.most_force, options.most_lead)
        self.diary = Diary()
        self.stop_at: float | None = None
        self._heading = self._time = 0.0
        self._lean, self._leaning = np.zeros(2), np.zeros(2)  # of the mass [m], [m/s]
        self._step_time = options.single + options.double  # [s]
        self._spins = dict.fromkeys(self.hands, 0.0)  # mean rate at which a hand would turn [rad/s]
        self._waist = (0.0, 0.0)  # heading [rad] and how fast it turns
        self._hand_places: dict[str, Place] = {}
        self._leads: dict[str, tuple[float, float]] = {}  # [m], from their places, world axes

    @property
    def start(self) -> np.ndarray:
        """The configuration to start from, (nq,)."""
        return self.rest.q

    # -- orders --------------------------------------------------------------------------

    def stop(self) -> None:
        """Come to a stand within two steps."""
        self.gait.stop()

    # -- time ----------------------------------------------------------------------------

    def command(self, seen: Observation) -> Command:
        """The joints of this period."""
        time, body, gait = seen.time, self.body, self.gait
        self._time = time
        # a hand that follows may brush the body; when it has gone wrong no arm is to push at it
        body.keeps_clear = bool(self.watch.reason)
        body.look()
        hands = self._move_hands(time, seen)
        if self.watch.reason or (self.stop_at is not None and time >= self.stop_at):
            gait.stop()
        if not gait.moving and not gait.stopping and time >= self.begin:
            gait.start(time, left_first="right" in self.hands[0])
        gait.advance(time, self._ask)
        gait.revise(time, self._ask_again)
        com, velocity, zmp = gait.mass(time)
        feet = gait.feet(time)
        reference = self._reference(time, com, velocity, zmp, feet)
        correction = self.stabiliser.correct(seen, reference)
        least = np.abs(correction.offset) / self.stabiliser.most_lean
        self.watch.lean(time, self.hands[0], float(least.max()))
        self._leaning = (correction.shift - self._lean) / self.dt
        self._lean = correction.shift
        v = body.step(self._wishes(com, velocity, feet), hands)
        correction_rates = correction.rates - reference.v[6:] + v[6:]
        self._write(time, com, zmp, correction.felt.zmp, correction.shift)
        return Command(correction.q[BASE_Q:], correction_rates)

    def _reference(self, time, com, velocity, zmp, feet) -> Reference:
        body, robot = self.body, self.robot
        stance = {robot.feet[0 if left else 1]: feet[left][0] for left in self.gait.standing()}
        return Reference(
            body.q,
            body.v,
            np.array([*com, self.rest.com[2]]),
            np.array([*velocity, 0.0]),
            np.array(zmp),
            stance,
            self.gait.walker.omega,
            body.acceleration,
            self.gait.stride(time, self._heading),
        )

    def _wishes(self, com, velocity, feet) -> Wishes:
        parts = self.robot.feet
        heading = 0.5 * (feet[True][2] + feet[False][2])
        turning = 0.5 * (feet[True][1][5] + feet[False][1][5])
        self._waist = heading, turning
        return Wishes(
            np.array(com),
            np.array(velocity),
            {parts[0]: feet[True][0], parts[1]: feet[False][0]},
            {parts[0]: feet[True][1], parts[1]: feet[False][1]},
            heading,
            turning,
        )

    # -- hands ---------------------------------------------------------------------------

    def _move_hands(self, time: float, seen: Observation) -> dict[str, np.ndarray]:
        """Velocities of the held hands under the forces they feel."""
        found = {}
        at, rest = self.body.at, self.rest
        self._look_at_hands()
        for hand in self.hands:
            wrench = self.watch.wrench(time, hand, seen.wrenches)
            admittance = self.admittances[hand]
            velocity = admittance.step(wrench, self.body.mobility(hand), self.dt).copy()
            if not self.body.turns(hand):
                self._ride(hand, velocity)
            velocity[:2] -= self._leaning  # a body that leans is not to pull at the partner
            p, R = at.position(hand), at.rotation(hand)
            velocity[2] += UPRIGHT_RETURN * (rest.heights[hand] - p[2])
            heading = self._hand_places[hand][2]
            upright = _turned(heading) @ rest.R_hands[hand]
            level = pin.log3(upright @ R.T)
            velocity[3] += UPRIGHT_RETURN * level[0]
            velocity[4] += UPRIGHT_RETURN * level[1]
            away = p - at.data.oMi[rest.shoulders[hand]].translation
            far = hypot(away[0], away[1], away[2])
            stretched = far > rest.reach[hand]
            lead = hypot(*self._leads[hand])
            _slow_down(velocity[:2], np.array(self._leads[hand]), END_LEAD * self.options.most_lead)
            _slow_down(velocity[:3], away, END_REACH * rest.reach[hand])
            found[hand] = velocity
            self.watch.lead(time, hand, lead, stretched)
        return found

    def _ride(self, hand: str, velocity: np.ndarray) -> None:
        """Let a hand that its arm cannot turn go with the body, and remember how it would turn."""
        share = min(self.dt / (TURN_MEAN * self._step_time), 1.0)
        self._spins[hand] += share * (float(velocity[5]) - self._spins[hand])
        at, (heading, turning) = self.body.at, self._waist
        own = over_ground(at.position(hand), at.rotation(hand), self.rest.R_hands[hand])[2]
        off = seen_from((0.0, 0.0, own), (0.0, 0.0, heading))[2]
        velocity[5] = turning + UPRIGHT_RETURN * off

    def _look_at_hands(self) -> None:
        """Where the hands are now, and how far from their places: once a period."""
        centre = self.centre()
        for hand in self.hands:
            place = self._hand_places[hand] = self.hand_place(hand)
            meant = compose(centre, self.rest.hands[hand])
            self._leads[hand] = place[0] - meant[0], place[1] - meant[1]

    def hand_place(self, hand: str) -> Place:
        """Where a hand is over the ground.

        A hand that its arm cannot turn goes with the body, and the body's heading counts.
        """
        at = self.body.at
        x, y, heading = over_ground(at.position(hand), at.rotation(hand), self.rest.R_hands[hand])
        x, y = x + float(self._lean[0]), y + float(self._lean[1])
        return x, y, heading if self.body.turns(hand) else self._heading

    def centre(self) -> Place:
        """The centre between the feet, moving with the one that swings: where the body is."""
        at = self.body.at
        (ax, ay, _), (bx, by, _) = (at.position(part).tolist() for part in self.robot.feet)
        return 0.5 * (ax + bx), 0.5 * (ay + by), self._heading

    # -- footprints ----------------------------------------------------------------------

    def _ask(self, support: Place, support_is_left: bool) -> Place:
        """Where the foot that lifts off should land, as the hands say."""
        return self._landing(support, support_is_left, self.options.single)

    def _ask_again(self, support: Place, support_is_left: bool) -> Place:
        """Where the foot that is in the air should land, as the hands say now."""
        swing = self.gait.swing
        assert swing is not None
        return self._landing(support, support_is_left, max(swing.end - self._time, 0.0))

    def _landing(self, support: Place, support_is_left: bool, left: float) -> Place:
        """Where a foot should land, some time from now [s]."""
        centres = []
        for hand in self.hands:
            place = self._hand_places[hand]
            velocity = self.admittances[hand].velocity
            ahead = left * velocity[:2]
            far = float(np.linalg.norm(ahead))
            if far > self.options.ahead:
                ahead = ahead * (self.options.ahead / far)
            heading = place[2] if self.body.turns(hand) else self._turned_by(hand)
            place = (place[0] + float(ahead[0]), place[1] + float(ahead[1]), heading)
            centres.append(centre_of(place, self.rest.hands[hand]))
        x, y, heading = mean_place(centres)
        # headings count on over full turns
        near = support[2]
        heading = near + seen_from((0.0, 0.0, near), (0.0, 0.0, heading))[2]
        self._heading = heading
        side = -self.rest.half_spacing if support_is_left else self.rest.half_spacing
        return compose((x, y, heading), (0.0, side, 0.0))

    def _turned_by(self, hand: str) -> float:
        """Heading for the next step where an arm cannot turn its hand [rad].

        The hand feels by what moment it should turn; the body turns instead. The hand goes to and
        fro with the body at every step: so the mean counts.
        """
        (_, _, left), (_, _, right) = self.gait.places[True], self.gait.places[False]
        return 0.5 * (left + right) + TURN_SHARE * self._step_time * self._spins[hand]

    # -- diary ---------------------------------------------------------------------------

    def _write(self, time, com, zmp, felt, shift) -> None:
        hand = self.hands[0]
        c, s = cos(self._heading), sin(self._heading)
        dx, dy = self._leads[hand]
        self.diary.write(
            time,
            com_ref=com,
            zmp_ref=zmp,
            zmp_felt=felt,
            com_shift=shift,
            hand_force=self.admittances[hand].felt[:3].copy(),
            hand_ref=self.body.at.position(hand).copy(),
            lead=(c * dx + s * dy, -s * dx + c * dy),
            phase=(PHASES.index(self.gait.phase(time)),),
        )


def _slow_down(velocity: np.ndarray, away: np.ndarray, end: float) -> None:
    """Let a hand come slowly to the end of its way: at speed its arm would kick the body.

    Args:
        velocity: of the hand [m/s], changed in place.
        away: from where the way is measured to the hand [m].
        end: of the way [m].
    """
    far = float(away @ away) ** 0.5
    if far > 0.0:
        faster = float(velocity @ away) / far - ARRIVAL * (end - far)
        if faster > 0.0:
            velocity -= faster / far * away


def _turned(heading: float) -> np.ndarray:
    """Rotation about the vertical."""
    c, s = cos(heading), sin(heading)
    return np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))


def _place(T: pin.SE3) -> Place:
    R = T.rotation
    return float(T.translation[0]), float(T.translation[1]), float(np.arctan2(R[1, 0], R[0, 0]))
