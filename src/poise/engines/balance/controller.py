"""The balance controller: three strict levels, a thousand times a second.

    1  the feet keep their pose relative to each other
    2  the centre of mass follows its reference, corrected by the measured ZMP
    +  whatever else is wanted: hands, gaze, chest, in order
    3  comfort, with the freedom that is left

Everything is seen from the left foot; nobody asks where the world is, nor whether the robot
stands on one foot or on two: the feet that carry tell where the ZMP is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from poise.engines.balance.catching import Capture
from poise.engines.balance.comfort import ComfortSlope
from poise.engines.balance.extra_tasks import Guide, guides
from poise.engines.balance.feedback import Compliant, Feedback, NoRegulation, Stiff
from poise.engines.balance.felt import Felt
from poise.engines.balance.footing import Footing, footings
from poise.engines.balance.journal import Journal
from poise.engines.balance.leg_swing import LegSwing
from poise.engines.balance.levels import JointStops, LevelMemory
from poise.engines.balance.options import BalanceOptions
from poise.engines.balance.recovery import Recovery
from poise.engines.balance.reference import Reference, Stance, reference_of
from poise.engines.balance.rooted import Rooted
from poise.engines.balance.scenario import Scenario
from poise.engines.balance.soles import Soles, blind_rims
from poise.engines.balance.start import off_the_stops, standing_posture
from poise.engines.balance.swinging import Swinging, swings
from poise.engines.balance.within_limits import LimitedRates
from poise.motion import Command, Observation
from poise.robot import Robot
from poise.robot.robot import BASE_Q
from poise.solvers.damped import Damping
from poise.tasks import CenterOfMass, FramePose, Task
from poise.walking.pendulum import pendulum_rate

SINGULAR = 0.02  # of the CoM's height: a joint that moves a mass by less per radian is damped
CARRYING = 0.05  # of the weight: a foot with more takes part in where the ZMP may be
LARGEST_STEP = 0.0035  # [m], of the ZMP error along an axis from one period to the next
AHEAD = 0.7  # of the way to toes or heels: a capture point further out is met by a step, not a leg
REACH = 0.9  # of the way from the reference to the rim of the soles that the ZMP may be sent


class BalanceController:
    """Decides joint angles from what joints and soles say.

    Attributes:
        extra: further levels of tasks between balance and comfort; change them at any time. Their
            "world" is the left foot.
        joints: commanded angles [rad], (na,).
    """

    def __init__(
        self,
        robot: Robot,
        options: BalanceOptions | None = None,
        scenario: Scenario | None = None,
        start: np.ndarray | None = None,
        period: float = 0.001,
        journal: Journal | None = None,
    ) -> None:
        """Stand ready.

        Args:
            robot: who balances.
            options: knobs; gains that would be unstable on this robot are refused.
            scenario: what it does meanwhile; stands still when absent.
            start: configuration it starts in, (nq,); half-sitting when absent.
            period: of the loop [s].
            journal: where every period is written down, for whoever wants to look.
        """
        self.robot, self.period = robot, period
        self.options = options or BalanceOptions()
        self.options.require_stable(robot)
        self.scenario = scenario or Scenario()
        q = standing_posture(robot) if start is None else np.asarray(start, dtype=float)
        self.stance = Stance.of(robot, q)
        self.reference: Reference = reference_of(self.scenario, self.stance, period)
        self.rooted = Rooted(robot, robot.feet[0])
        self.extra: list[list[Task]] = []
        self._journal = journal
        self._memory = LevelMemory(self.rooted)
        self._lower = off_the_stops(robot, robot.lower)
        self._upper = off_the_stops(robot, robot.upper)
        self._stops = JointStops(self._memory, self._lower, self._upper, period)
        self._damping = Damping(*(2 * [SINGULAR * float(self.stance.com[2])]))
        self._limited: LimitedRates | None = None
        if self.options.solver == "limits":
            rates = self._lower, self._upper, self.options.speed * robot.velocity_limit
            omega = pendulum_rate(float(self.stance.com[2]))
            self._limited = LimitedRates(*rates, period, omega, self._damping)
        self._comfort = ComfortSlope(
            robot, off_the_stops(robot, robot.comfort[BASE_Q:]), self.options.comfort_time
        )
        self._most = self.options.speed * robot.velocity_limit
        # targets that are moved in place
        self._T_right = pin.SE3(self.stance.T_left_right)
        self._twist, self._com = np.zeros(6), self.stance.com.copy()
        self._com_velocity = np.zeros(3)
        k = self.options.k
        self._feet_task = Task("feet", FramePose(robot.feet[1], self._T_right, self._twist), 1.0, k)
        self._com_task = Task("centre of mass", CenterOfMass(self._com, self._com_velocity), 1.0, k)
        polygons = [robot.soles[part].polygon for part in robot.feet]
        self._rims = [(p.min(axis=0).tolist(), p.max(axis=0).tolist()) for p in polygons]
        self._paper = self.options.zmp_error == "soles"
        self._carrying = CARRYING * robot.weight
        self._blind = blind_rims(robot)
        self._lifts = bool(self.reference.lift.any())
        self._base_levels = [[self._feet_task], [self._com_task]]
        self._aside = np.zeros(2)
        self.reset()

    def reset(self) -> None:
        """Start over, in the stance."""
        self.joints = self.stance.joints.copy()
        self.rooted.refresh(self.joints)
        self.guides: tuple[Guide, ...] = guides(
            self.scenario.levels, self.rooted.at, self.options.k
        )
        self.rates = np.zeros(self.robot.na)
        self.recovery: Recovery | None = None
        self.zmp, self.felt = self.stance.com[:2].copy(), Felt()
        wish_x, wish_y = self.reference.zmp[0].tolist()
        x, y, _ = self.stance.T_left_right.translation.tolist()
        self._room(wish_x, wish_y, x, y, self.robot.weight, self.robot.weight)
        self.slowed, self.com_held = 1.0, self.stance.com.copy()
        ground = footings(self.rooted, self.stance, self.options)
        self.feedback: Feedback = self._law(ground)
        self.swinging: Swinging | None = None
        if self.options.feedback == "capture" and self.options.swing > 0.0:
            limits = self._lower, self._upper, self.options.swing * self.options.speed
            ways = swings(self.rooted, self.joints, *limits)
            self.swinging = Swinging(ways, self.period)
            self._trunk = self.rooted.at.data.oMi[1].rotation[:2, 2].copy()
        self.leg: LegSwing | None = None
        if self.swinging is not None and not self._lifts:
            self.leg = LegSwing(self.robot, self.joints, *limits, self.period)
        self.soles = Soles(self.robot, self.period, self.options.share_time)
        steps = self.options.feedback == "capture" and self.options.step > 0.0
        if steps and not self._lifts:  # who lifts feet anyway is left alone
            tastes = self.period, self.options.step, ground[0].rigid
            self.recovery = Recovery(self.rooted, self.stance, *tastes)

    def command(self, seen: Observation) -> Command:
        """The joint angles to hold until the next period."""
        row = self.reference.row(seen.time)
        self.rooted.refresh(self.joints)
        self._feel(seen, row)
        self.feedback.step(self.felt)
        if self.leg is not None:
            self._swing_leg(self.leg)
        if self.recovery is not None and not (self.leg is not None and self.leg.lately):
            self._step(self.recovery, seen)
        if self.swinging is not None:
            trunk = self.rooted.at.data.oMi[1].rotation[:2, 2] - self._trunk
            beyond = self.feedback.beyond
            if self.recovery is not None:  # a trunk on its way cannot be stopped on one leg
                self._aside[1] = 0.0 if self.recovery.stepping else float(beyond[1])
                beyond = self._aside
            if self.leg is not None and self.leg.busy:
                self._aside[:] = 0.0
                beyond = self._aside
            self.swinging.step(beyond, self.felt.high - self.felt.low, trunk)
        self._aim(seen, row)
        tasks = self._levels(seen.time, row)
        self._below = len(tasks) - 1  # levels from the centre of mass on
        levels = self._memory.write(tasks)
        comfort = self._comfort.rates(self.joints)
        if self.swinging is not None:
            self.swinging.add(comfort)
        if self._limited is None:
            rates = self._stops.solve(levels, self.joints, comfort, self._damping)
        else:
            away = self.rooted.at.com[:2] - self._zmp_wish(row)
            low, high = REACH * self.felt.low, REACH * self.felt.high
            rates = self._limited.solve(
                levels, len(levels) - self._below, self.joints, comfort, away, low, high
            )
        self._move(rates)
        if self._journal is not None:
            self._journal.write(self, seen, row)
        if self.leg is not None and self.leg.busy:
            return Command(self.leg.add(self.joints))
        return Command(self.joints.copy())

    @property
    def zmp_error(self) -> np.ndarray:
        """Desired minus measured ZMP [m], (2,)."""
        return self.felt.zmp_error

    @property
    def feet_error(self) -> np.ndarray:
        """How far the commanded feet are from their relative pose [m, rad], (6,)."""
        return self._memory.first_error

    def com_wish(self, row: int) -> np.ndarray:
        """Where the centre of mass should be, seen from the left foot [m], (3,)."""
        if self.recovery is not None and self.recovery.stepped:
            return self.recovery.com
        wish = self.reference.com[row].copy()
        wish[2] -= self.reference.lift[row, 0]
        return wish

    # -- one period ----------------------------------------------------------------------

    def _feel(self, seen: Observation, row: int) -> None:
        """Read joints, IMU and soles; the ZMP error in the axes of the left foot."""
        self.com_held[:] = self.rooted.see(seen.joints)
        up = self.rooted.up(seen.quat_xyzw)
        leg = self.leg if self.leg is not None and self.leg.busy else None
        R_axes = self.rooted.axes
        if leg is not None:
            told, is_at = (
                find(self.robot.feet[1]) for find in (self.rooted.at.pose, self.rooted.seen)
            )
            self.com_held[:], up = leg.standing(self.com_held, up, told, is_at)
            if leg.side == 1:
                R_axes = R_axes @ is_at.rotation @ told.rotation.T
        if self.options.feedback == "capture":  # the others do not ask
            felt, moves = self.felt, self.rooted.fly(seen, R_axes, up)
            felt.momentum[:], felt.against[:], felt.flies[:] = moves
        (c_x, c_y, c_z), (up_x, up_y, _) = self.com_held.tolist(), up
        com_x, com_y, _ = self.reference.com[row].tolist()
        mass = self.felt.mass
        mass[0], mass[1] = c_x - c_z * up_x - com_x, c_y - c_z * up_y - com_y
        if self.recovery is not None:
            self._look(self.recovery, up)
        at, soles = self.rooted.at, self.soles
        right = self.robot.feet[1]
        R_right = at.rotation(right)
        if soles.needs_axes:
            x, y, z, w = seen.quat_xyzw.tolist()
            R_world_left = pin.Quaternion(w, x, y, z).matrix() @ at.rotation(self.rooted.imu).T
            soles.read(seen, R_world_left, R_world_left @ R_right)
        else:
            soles.read(seen, R_right, R_right)
        if not soles.grounded:
            return  # in the air the last error holds
        (left_x, left_y), (right_x, right_y) = soles.pressure.tolist()
        (a, b, _), (c, d, _), _ = R_right.tolist()
        place_x, place_y, _ = at.position(right).tolist()
        right_x, right_y = a * right_x + b * right_y, c * right_x + d * right_y
        load_left, load_right = soles.loads.tolist()
        share = load_left / (load_left + load_right)
        x = share * left_x + (1.0 - share) * (place_x + right_x)
        y = share * left_y + (1.0 - share) * (place_y + right_y)
        self.zmp[0], self.zmp[1] = x, y
        wish_x, wish_y = self._zmp_wish(row).tolist()
        self._room(wish_x, wish_y, place_x, place_y, load_left, load_right)
        self.felt.load[0] = (load_left + load_right) / self.robot.weight
        self.felt.zmp[0], self.felt.zmp[1] = x - wish_x, y - wish_y
        if self.recovery is not None and self.recovery.stepping:
            self.felt.zmp[:] = self.recovery.presses(soles.pressure) - self.recovery.com_level
        if self._paper:  # each sole's own error, by its share of the load
            share = soles.share
            x = share * left_x + (1.0 - share) * (place_x + right_x)
            y = wish_y + share * left_y + (1.0 - share) * right_y
        # a foot that lands loads in an instant; what the law feels does not jump
        error, most = self.felt.zmp_error, LARGEST_STEP
        error_x, error_y = error.tolist()
        error[0] = error_x + min(max(wish_x - x - error_x, -most), most)
        error[1] = error_y + min(max(wish_y - y - error_y, -most), most)

    def _look(self, recovery: Recovery, up: np.ndarray) -> None:
        """See where the robot leans; after a step that is no longer told by the left foot alone."""
        if not (recovery.stepped or self.feedback.tipping):
            recovery.asleep = True
            return
        com = recovery.look(self.com_held, up, self.soles.loads, self.feedback.speed)
        if recovery.stepped:
            np.subtract(com, recovery.com_level, out=self.felt.mass)

    def _zmp_wish(self, row: int) -> np.ndarray:
        stepped = self.recovery is not None and self.recovery.stepped
        return self.recovery.zmp if self.recovery and stepped else self.reference.zmp[row]

    def _swing_leg(self, leg: LegSwing) -> None:
        """Swing the free leg of a robot that tips to its side, until it steps."""
        steps = self.recovery is not None and (self.recovery.stepped or self.feedback.ahead > AHEAD)
        if not leg.busy and steps:
            return
        leg.step(*self.feedback.aside, self.soles.loads)

    def _step(self, recovery: Recovery, seen: Observation) -> None:
        """Decide on a recovery step; a foot that landed finds joints that hold where they are."""
        if recovery.step(seen.time, self.feedback.beyond, self.soles.loads, self.com_held):
            self.feedback.restart()
            if recovery.holding:
                self.joints[:] = seen.joints
                self.rooted.refresh(self.joints)

    def _aim(self, seen: Observation, row: int) -> None:
        """Move the targets of feet and centre of mass, seen from the left foot."""
        reference = self.reference
        if self.recovery is not None and self.recovery.stepped:
            self._aim_stepping(self.recovery)
            return
        lift_left, lift_right = reference.lift[row].tolist()
        rate_left, rate_right = reference.lift_rate[row].tolist()
        target = self._T_right.translation
        target[2] = self.stance.T_left_right.translation[2] + lift_right - lift_left
        self._twist[2] = rate_right - rate_left
        # the second level closes its loop on the encoders: servos sag, commands do not
        com = self._com
        np.subtract(self.rooted.at.com, self.com_held, out=com)
        com += reference.com[row]
        com[2] -= lift_left
        velocity = self._com_velocity
        velocity[:] = reference.com_velocity[row]
        velocity[2] -= rate_left
        velocity[:2] += self.feedback.velocity
        com[:2] += self.feedback.shift

    def _aim_stepping(self, recovery: Recovery) -> None:
        """The same for a robot that has taken a recovery step."""
        self._T_right.translation = recovery.T_left_right.translation
        self._T_right.rotation = recovery.T_left_right.rotation
        self._twist[:] = recovery.twist
        com, velocity = self._com, self._com_velocity
        velocity[:] = recovery.com_velocity
        if recovery.stepping or recovery.holding:
            com[:] = recovery.com
            return
        np.subtract(self.rooted.at.com, self.com_held, out=com)
        com += recovery.com
        velocity[:2] += self.feedback.velocity
        com[:2] += self.feedback.shift

    def _levels(self, time: float, row: int) -> list[list[Task]]:
        if not (self.guides or self.extra):
            return self._base_levels
        root_height = float(self.reference.lift[row, 0])
        levels = list(self._base_levels)
        for guide in self.guides:
            if time >= guide.start:
                guide.move(time, root_height)
                levels.append([guide.task])
        return levels + self.extra

    def _move(self, rates: np.ndarray) -> None:
        """One period of rates, slowed as a whole where a joint would be too fast."""
        use = float((np.abs(rates) / self._most).max())
        self.slowed = 1.0 if use <= 1.0 else 1.0 / use
        np.multiply(rates, self.slowed, out=self.rates)
        if self.swinging is not None:
            self.swinging.rest()
        joints = self.joints
        joints += self.period * self.rates
        np.maximum(joints, self._lower, out=joints)
        np.minimum(joints, self._upper, out=joints)

    def _room(
        self, x: float, y: float, right_x: float, right_y: float, left: float, right: float
    ) -> None:
        """How far the ZMP may go from a point, by the feet that carry; loads in N.

        A foot that came off the floor in a fall comes down again: it counts, but tells nothing.
        """
        felt, all_loads = self.felt, (left, right)
        whole = not (self._lifts or (self.recovery is not None and self.recovery.stepped))
        for rims, lows, highs in (
            (self._rims, felt.low, felt.high),
            (self._blind, felt.blind_low, felt.blind_high),
        ):
            left, right = all_loads
            if rims is self._rims and whole:
                left = right = self.robot.weight
            (low_x, low_y), (high_x, high_y) = rims[0]
            if right > self._carrying:
                (a, b), (c, d) = rims[1]
                a, b, c, d = a + right_x, b + right_y, c + right_x, d + right_y
                if left > self._carrying:
                    low_x, low_y = min(low_x, a), min(low_y, b)
                    high_x, high_y = max(high_x, c), max(high_y, d)
                else:
                    low_x, low_y, high_x, high_y = a, b, c, d
            lows[0], lows[1] = low_x - x, low_y - y
            highs[0], highs[1] = high_x - x, high_y - y

    def _law(self, ground: tuple[Footing, Footing]) -> Feedback:
        name, options, dt = self.options.feedback, self.options, self.period
        if name == "capture":
            tastes = 10.0**options.effort, 10.0**options.believe
            return Capture(ground, dt, *tastes)
        if name == "stiff":
            return Stiff(options, dt)
        return Compliant(options, dt) if name == "compliant" else NoRegulation()


def task_levels(tasks: Sequence[Task]) -> list[list[Task]]:
    """Each task a level of its own, the most important first."""
    return [[task] for task in tasks]
