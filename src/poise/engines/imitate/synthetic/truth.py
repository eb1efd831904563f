"""Truth: the synthetic person over time, with everything that recordings can only estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from poise.engines.imitate import frames
from poise.engines.imitate.angles import JointAngles, axis_rotation, joint_angles
from poise.engines.imitate.anthropometry import MALE
from poise.engines.imitate.centre_of_mass import LEG_OF_HEIGHT, centre_of_mass
from poise.engines.imitate.synthetic.gait import FootPose, Gait, foot_path
from poise.engines.imitate.synthetic.person import Person, marker_places
from poise.engines.imitate.tracking import Segment
from poise.motion.marker_names import SIDES

G = 9.81  # [m/s^2]


@dataclass(frozen=True, eq=False)
class Truth:
    """What really happened."""

    person: Person
    rate: float  # [Hz]
    time: np.ndarray  # [s], (n,)
    segments: Mapping[str, Segment]
    joints: Mapping[str, np.ndarray]  # [m], (n, 3)
    com: np.ndarray  # [m], (n, 3)
    feet: Mapping[str, FootPose]
    ic: Mapping[str, np.ndarray]  # [s], by side
    to: Mapping[str, np.ndarray]  # [s]
    gait: Gait | None = None

    @property
    def angles(self) -> dict[str, JointAngles]:
        """Of hips, knees and ankles, shoulders and elbows."""
        pairs = {"hip": ("pelvis", "thigh"), "knee": ("thigh", "shank"), "ankle": ("shank", "foot")}
        found = {}
        for side in SIDES:
            for joint, (above, below) in pairs.items():
                up = self.segments[above if above == "pelvis" else f"{side}_{above}"].R
                R = np.einsum("nji,njk->nik", up, self.segments[f"{side}_{below}"].R)
                found[f"{side}_{joint}"] = joint_angles(R)
        return found


def walking(person: Person | None = None, gait: Gait | None = None, rate: float = 100.0) -> Truth:
    """The person walks along the path of a gait.

    Args:
        person: its sizes.
        gait: its rhythm and path.
        rate: frames a second [Hz].
    """
    person, gait = person or Person(), gait or Gait()
    time = np.arange(round(gait.steps * gait.step_time * rate) + 1) / rate
    feet = {side: foot_path(person, gait, side, time) for side in SIDES}
    stance = gait.step_time + gait.double_support
    ic: dict[str, list[float]] = {side: [] for side in SIDES}
    to: dict[str, list[float]] = {side: [] for side in SIDES}
    for k in range(-3, gait.steps + 5):
        side = gait.print_of(k)[0]
        for events, at in ((ic, gait.contact_time(k)), (to, gait.contact_time(k) + stance)):
            if time[0] < at < time[-1]:
                events[side].append(at)
    pelvis = _pelvis(gait, time)
    return _assembled(
        person,
        rate,
        time,
        pelvis,
        feet,
        {side: np.array(ic[side]) for side in SIDES},
        {side: np.array(to[side]) for side in SIDES},
        gait,
    )


def _pelvis(gait: Gait, time: np.ndarray, height: float = 0.975) -> Segment:
    """Pelvis along the path: it bobs, sways over the standing foot, turns and drops a little."""
    phase = np.pi * (time - gait.contact_time(1)) / gait.step_time  # right contact at zero
    # between both feet at contact; the anterior spines are ahead of the hips, those of the ankles
    s = gait.speed * (time - gait.contact_time(1)) - 0.5 * gait.step_length + 0.16
    heading = gait.path.heading(s)
    place = gait.path.place(s)
    across = np.column_stack([-np.sin(heading), np.cos(heading)])
    sway = -0.018 * np.sin(phase)  # over the right foot in the right stance
    xy = place + sway[:, None] * across
    z = height - 0.018 * np.cos(2.0 * phase)
    yaw = heading + np.deg2rad(4.0) * np.cos(phase)
    list_ = np.deg2rad(3.0) * np.sin(phase)
    R = (
        _world_to_isb()
        @ axis_rotation("y", yaw)
        @ axis_rotation("z", np.full(len(time), np.deg2rad(-6.0)))
        @ axis_rotation("x", list_)
    )
    return Segment(R, np.column_stack([xy, z]))


def _world_to_isb() -> np.ndarray:
    """R_world_isb of someone who stands and faces x: y up is the world's z, z right is its -y."""
    return np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def standing(person: Person | None = None, seconds: float = 1.0, rate: float = 100.0) -> Truth:
    """The person stands upright, feet a little apart, and breathes."""
    person = person or Person()
    time = np.arange(round(seconds * rate) + 1) / rate
    n = len(time)
    feet = {}
    for side, out in (("left", 1.0), ("right", -1.0)):
        heel = np.tile([0.0, out * 0.09, 0.0], (n, 1))
        feet[side] = FootPose(heel, np.zeros(n), np.full(n, out * np.deg2rad(5.0)))
    breath = 0.002 * np.sin(2.0 * np.pi * 0.3 * time)
    origin = np.column_stack([np.full(n, 0.10), np.zeros(n), 1.012 + breath])
    R = np.tile(_world_to_isb() @ axis_rotation("z", np.deg2rad(-4.0))[0], (n, 1, 1))
    none = {side: np.zeros(0) for side in SIDES}
    return _assembled(person, rate, time, Segment(R, origin), feet, none, none, None)


def swinging(
    side: str,
    motion_range: float = np.deg2rad(40.0),
    person: Person | None = None,
    seconds: float = 24.0,
    rate: float = 100.0,
) -> Truth:
    """One leg is swung ahead and back, to the side, and around, for the centre of its hip.

    Args:
        side: "left" or "right".
        motion_range: from end to end [rad].
        person: its sizes.
        seconds: of the trial.
        rate: frames a second [Hz].
    """
    person = person or Person()
    stood = standing(person, seconds, rate)
    time, n = stood.time, len(stood.time)
    half = 0.5 * motion_range
    third = seconds / 3.0
    wave = 2.0 * np.pi * time / (third / 5.0)  # five cycles of each kind
    kind = np.minimum((time / third).astype(int), 2)
    flexion = np.where(kind == 1, 0.0, half * np.sin(wave))
    abduction = np.where(kind == 0, 0.0, half * np.where(kind == 1, np.sin(wave), np.cos(wave)))
    fade = np.clip(np.minimum(time, seconds - time) / 0.5, 0.0, 1.0)
    out = 1.0 if side == "left" else -1.0
    R_hip = axis_rotation("z", fade * flexion) @ axis_rotation("x", out * fade * abduction)
    pelvis = stood.segments["pelvis"]
    sway = np.deg2rad(4.0) * np.sin(0.37 * wave)
    pelvis = Segment(pelvis.R @ axis_rotation("y", sway), pelvis.origin)
    segments, joints = dict(stood.segments), dict(stood.joints)
    segments["pelvis"] = pelvis
    for name in SIDES:
        joints[f"{name}_hip"] = pelvis.point(hip_place(person, name))
    thigh_R = pelvis.R @ axis_rotation("z", np.full(n, np.deg2rad(4.0))) @ R_hip
    hip = joints[f"{side}_hip"]
    knee = hip - person.thigh * thigh_R[:, :, 1]
    ankle = knee - person.shank * thigh_R[:, :, 1]
    segments[f"{side}_thigh"] = Segment(thigh_R, hip)
    segments[f"{side}_shank"] = Segment(thigh_R, knee)
    segments[f"{side}_foot"] = Segment(thigh_R, ankle)
    joints[f"{side}_knee"], joints[f"{side}_ankle"] = knee, ankle
    none = {name: np.zeros(0) for name in SIDES}
    return Truth(person, rate, time, segments, joints, stood.com, stood.feet, none, none)


def hip_place(person: Person, side: str) -> np.ndarray:
    """Hip centre in the pelvis frame [m], (3,)."""
    x, y, z = person.hip
    return np.array([x, y, z if side == "right" else -z])


def _assembled(
    person: Person,
    rate: float,
    time: np.ndarray,
    pelvis: Segment,
    feet: Mapping[str, FootPose],
    ic: Mapping[str, np.ndarray],
    to: Mapping[str, np.ndarray],
    gait: Gait | None,
) -> Truth:
    """Legs between pelvis and feet, trunk and arms above, the centre of mass of all."""
    segments: dict[str, Segment] = {"pelvis": pelvis}
    joints: dict[str, np.ndarray] = {}
    ends = {}
    for side in SIDES:
        hip = pelvis.point(hip_place(person, side))
        foot = _foot_segment(person, feet[side])
        knee = _knee(person, hip, foot, pelvis)
        hinge = foot.R[:, :, 2] + pelvis.R[:, :, 2]
        segments[f"{side}_thigh"] = Segment(_limb(knee, hip, hinge, foot.origin), hip)
        segments[f"{side}_shank"] = Segment(_limb(foot.origin, knee, hinge, foot.origin, hip), knee)
        segments[f"{side}_foot"] = foot
        joints |= {f"{side}_hip": hip, f"{side}_knee": knee, f"{side}_ankle": foot.origin}
        ahead = person.foot - person.ankle_ahead
        toe = foot.point(np.array([ahead, -person.ankle_height, 0.0]))
        ends[side] = (feet[side].heel, toe)
    segments |= _upper(person, pelvis, joints, time, gait)
    for side in SIDES:
        for joint, name in (("shoulder", "upper_arm"), ("elbow", "forearm"), ("wrist", "hand")):
            joints[f"{side}_{joint}"] = segments[f"{side}_{name}"].origin
    c7 = segments["thorax"].point(marker_places(person)["thorax"]["C7"])
    leg = LEG_OF_HEIGHT * person.height
    com, _ = centre_of_mass(joints, segments, ends, leg, c7, MALE)
    return Truth(person, rate, time, segments, joints, com, feet, ic, to, gait)


def _foot_segment(person: Person, pose: FootPose) -> Segment:
    """The foot from its heel edge, pitch and yaw; its origin is the ankle centre."""
    R = _world_to_isb() @ axis_rotation("y", pose.yaw) @ axis_rotation("z", pose.pitch)
    ankle = pose.heel + R @ np.array([person.ankle_ahead, person.ankle_height, 0.0])
    return Segment(R, ankle)


def _knee(person: Person, hip: np.ndarray, foot: Segment, pelvis: Segment) -> np.ndarray:
    """Knee centre ahead of the line from hip to ankle, where both bones meet."""
    line = foot.origin - hip
    length = np.linalg.norm(line, axis=1, keepdims=True)
    reach = 0.9995 * person.leg
    if (length > reach).any():
        raise ValueError(f"the synthetic leg is stretched: {length.max():.3f} of {reach:.3f} m")
    along = line / length
    part = (person.thigh**2 - person.shank**2 + length**2) / (2.0 * length)
    bulge = np.sqrt(person.thigh**2 - part**2)
    hinge = foot.R[:, :, 2] + pelvis.R[:, :, 2]
    ahead = frames.unit(np.cross(hinge, along))
    return hip + part * along + bulge * ahead


def _limb(
    distal: np.ndarray,
    proximal: np.ndarray,
    hinge: np.ndarray,
    ankle: np.ndarray,
    hip: np.ndarray | None = None,
) -> np.ndarray:
    """Axes of thigh or shank; the knee turns about one axis, at right angles to the leg's plane."""
    top = proximal if hip is None else hip
    along = frames.unit(ankle - top)
    z = frames.unit(frames.without(hinge, along))
    return frames.long_bone_axes(distal, proximal, z)


def _upper(
    person: Person,
    pelvis: Segment,
    joints: Mapping[str, np.ndarray],
    time: np.ndarray,
    gait: Gait | None,
) -> dict[str, Segment]:
    """Trunk upright over the pelvis, arms that swing against the legs."""
    n = len(time)
    phase = np.zeros(n)
    if gait is not None:
        phase = np.pi * (time - gait.contact_time(1)) / gait.step_time
    swing = 0.0 if gait is None else 1.0
    ahead = frames.unit(pelvis.R[:, :, 0] * [1.0, 1.0, 0.0])
    up = np.broadcast_to(frames.UP, ahead.shape)
    upright = frames.axes_xyz(ahead, up, np.cross(ahead, up))
    counter = -swing * np.deg2rad(8.0) * np.cos(phase)
    lean = np.full(n, np.deg2rad(-3.0))
    R = upright @ axis_rotation("y", counter) @ axis_rotation("z", lean)
    mid_hip = 0.5 * (joints["left_hip"] + joints["right_hip"])
    thorax = Segment(R, mid_hip + person.trunk * R[:, :, 1])
    segments = {"thorax": thorax, "head": Segment(R, thorax.origin)}
    for side, out in (("left", -1.0), ("right", 1.0)):
        shoulder = thorax.point(np.array([0.0, 0.0, out * person.shoulder]))
        # the arm goes ahead with the leg of the other side
        forth = swing * np.deg2rad(18.0) * np.cos(phase) * -out + np.deg2rad(-4.0)
        upper = R @ axis_rotation("z", forth) @ axis_rotation("x", np.full(n, -out * 0.10))
        elbow = shoulder - person.upper_arm * upper[:, :, 1]
        bend = np.deg2rad(22.0) + np.deg2rad(10.0) * swing * np.cos(phase) * -out
        fore = upper @ axis_rotation("z", bend)
        wrist = elbow - person.forearm * fore[:, :, 1]
        segments[f"{side}_upper_arm"] = Segment(upper, shoulder)
        segments[f"{side}_forearm"] = Segment(fore, elbow)
        segments[f"{side}_hand"] = Segment(fore, wrist)
    return segments
