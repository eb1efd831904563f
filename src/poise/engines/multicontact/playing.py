"""Play a planned motion with balance feedback: the ankles push against an unplanned tilt.

The plan says how the trunk should be turned at every instant; an inertial sensor says how it is.
Standing feet are turned in their ankles the way the trunk leans too far, which moves the pressure
under the soles there and rights the robot. It works with any contacts, since it needs no pendulum:
hands on a desk stay where they are. Where ankles give way and their stiffness is known, a foot is
also turned ahead of time by what the planned moment on it will bend.

An arm that leans on something closes a loop through the ground, and its servos are stiff: a base
that is a few millimetres off would press the hand with all that its motors have. Such an arm
gives way instead: it gets the planned torques, and a twentieth of its stiffness keeps it in place.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from poise.motion import Command, Motion, Observation
from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V

GAIN = 0.6  # [rad of a foot a rad of tilt]
RATE_GAIN = 0.15  # [s], rad of a foot a rad/s of unplanned turning
MOST = 0.12  # [rad], of a foot
QUICK = 0.02  # [s], time constant in which it acts
GIVING = 0.95  # [1], of a servo's stiffness that a leaning arm does without
AHEAD, AFTER = 0.15, 0.05  # [s], before and after its contact, in which an arm is soft already


class Steadied:
    """A motion as a controller that keeps its trunk as planned, by its ankles."""

    def __init__(
        self,
        robot: Robot,
        motion: Motion,
        gain: float = GAIN,
        ankle_stiffness: float | None = None,
    ) -> None:
        """Play a motion.

        Args:
            robot: who plays it.
            motion: what is played.
            gain: of the tilt [rad of a foot a rad of tilt].
            ankle_stiffness: of ankles that give way [N m/rad]; None are rigid.
        """
        if motion.joint_names != robot.joint_names:
            motion = motion.ordered_as(robot.joint_names)
        self.robot, self.motion, self.gain = robot, motion, gain
        imu = next((s for s in robot.sensors if s.kind == "imu"), None)
        self._imu = robot.frame_id(imu.link if imu else "base")
        self._data = robot.model.createData()
        self._ankles = {part: _last_joints(robot, part) for part in robot.feet}
        self._turn = {part: np.zeros(2) for part in robot.feet}
        self._last = 0.0
        self._stiffness = ankle_stiffness
        self._bent = {part: self._bends(part) for part in robot.feet}
        parts = {touch.part for touch in motion.contacts.touches}
        self._limbs = {part: limb_of(robot, part) for part in sorted(parts)}

    def command(self, seen: Observation) -> Command:
        """The joints of the motion at this time, its standing ankles corrected."""
        m, model, data = self.motion, self.robot.model, self._data
        t = float(np.clip(seen.time + m.time[0], m.time[0], m.time[-1]))
        k = int(np.clip(np.searchsorted(m.time, t) - 1, 0, len(m) - 2))
        s = (t - m.time[k]) / (m.time[k + 1] - m.time[k])
        q = pin.interpolate(model, m.q[k], m.q[k + 1], s)
        moving = 0.0 if seen.time > m.duration else 1.0
        v = moving * ((1.0 - s) * m.v[k] + s * m.v[k + 1])
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        R_planned = data.oMf[self._imu].rotation
        R_seen = pin.Quaternion(seen.quat_xyzw).matrix()
        tilt = pin.log3(R_seen @ R_planned.T)
        J_imu = pin.getFrameJacobian(model, data, self._imu, pin.LOCAL_WORLD_ALIGNED)
        spin = R_seen @ seen.gyro - J_imu[3:] @ v
        wish = self.gain * tilt + RATE_GAIN * spin
        dt = max(seen.time - self._last, 0.0)
        self._last = seen.time
        joints, rates = q[BASE_Q:].copy(), v[BASE_V:].copy()
        standing = {touch.part for touch in m.contacts.active(t)}
        for part, (a, b) in self._ankles.items():
            goal = np.zeros(2)
            if part in standing:
                J = pin.getFrameJacobian(
                    model, data, self.robot.frame_id(part), pin.LOCAL_WORLD_ALIGNED
                )[3:5, [BASE_V + a, BASE_V + b]]
                bent = (1.0 - s) * self._bent[part][k] + s * self._bent[part][k + 1]
                goal = np.linalg.lstsq(J, wish[:2], rcond=None)[0]
                goal = np.clip(goal, -MOST, MOST) - np.linalg.lstsq(J, bent, rcond=None)[0]
            turn = self._turn[part]
            turn += (goal - turn) * min(dt / QUICK, 1.0)
            joints[[a, b]] += turn
        joints = np.clip(joints, self.robot.lower, self.robot.upper)
        return Command(joints, rates, self._ease(t, k, s, joints - seen.joints))

    def _ease(self, t: float, k: int, s: float, off: np.ndarray) -> np.ndarray:
        """Torques [N m] that make leaning arms soft, where joints are off by some angles [rad]."""
        m, found = self.motion, np.zeros(self.robot.na)
        if m.tau is None:
            return found
        planned = (1.0 - s) * m.tau[k] + s * m.tau[k + 1]
        for touch in m.contacts.touches:
            limb = self._limbs[touch.part]
            if len(limb) and touch.start - AHEAD <= t <= touch.end + AFTER:
                found[limb] = planned[limb] - GIVING * self.robot.servos.kp[limb] * off[limb]
        return found

    def _bends(self, part: str) -> np.ndarray:
        """How far the planned moment on a foot bends its ankle [rad], (n, 2), roll and pitch."""
        felt = self.motion.forces.get(part)
        if self._stiffness is None or felt is None:
            return np.zeros((len(self.motion), 2))
        robot, data = self.robot, self._data
        frame, bent = robot.frame_id(part), np.zeros((len(self.motion), 2))
        joint = robot.model.frames[frame].parentJoint
        for k, q in enumerate(self.motion.q):
            pin.forwardKinematics(robot.model, data, q)
            sole = pin.updateFramePlacement(robot.model, data, frame).translation
            arm = sole - data.oMi[joint].translation
            bent[k] = (felt[k, 3:] + np.cross(arm, felt[k, :3]))[:2] / self._stiffness
        return bent


def _last_joints(robot: Robot, part: str) -> tuple[int, int]:
    """The last two joints before a part: its ankle."""
    joint = robot.model.frames[robot.frame_id(part)].parentJoint
    above = robot.model.parents[joint]
    return robot.model.idx_vs[above] - BASE_V, robot.model.idx_vs[joint] - BASE_V


def limb_of(robot: Robot, part: str) -> np.ndarray:
    """Joints that move a part but neither the trunk nor a foot: those of an arm, rising."""
    model = robot.model

    def chain(name: str) -> set[int]:
        joint = model.frames[robot.frame_id(name)].parentJoint
        return {
            model.idx_vs[j] - BASE_V for j in model.supports[joint] if model.idx_vs[j] >= BASE_V
        }

    trunk = set().union(*(chain(name) for name in (*robot.feet, "chest", "base")))
    return np.array(sorted(chain(part) - trunk), dtype=int)
