"""Human: a captured person as joints, segments, angles, centre of mass, contacts; from any file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.engines.imitate.angles import JointAngles, joint_angles
from poise.engines.imitate.body import Body, body_of
from poise.engines.imitate.centre_of_mass import LEG_OF_HEIGHT, centre_of_mass
from poise.engines.imitate.contact_phases import Phase, Stance, phases, stances
from poise.engines.imitate.events import Feet, FootEvents, events_of, feet_of, leg_height
from poise.engines.imitate.filters import lowpass, seen
from poise.engines.imitate.foot import Sole, floor_height
from poise.engines.imitate.functional import functional_hips
from poise.engines.imitate.ground import ground_reaction
from poise.engines.imitate.skeleton_segments import skeleton_segments
from poise.engines.imitate.subject import Subject, calibrate
from poise.engines.imitate.tracking import Segment, bridged, longest_stretch, tracked
from poise.engines.imitate.treadmill import in_belt_frame
from poise.engines.imitate.upper_body import upper_body
from poise.errors import BadInput, NotFound
from poise.motion import Recording
from poise.motion.marker_names import SIDES

CUTOFF = 12.0  # [Hz], of the markers before segments are laid through them
LEAST = 0.5  # [s], of a walk that can be imitated
PARENTS = {
    "thorax": "pelvis",
    "head": "thorax",
    **{
        f"{side}_{child}": parent if parent in ("pelvis", "thorax") else f"{side}_{parent}"
        for side in SIDES
        for child, parent in (
            ("thigh", "pelvis"),
            ("shank", "thigh"),
            ("foot", "shank"),
            ("upper_arm", "thorax"),
            ("forearm", "upper_arm"),
            ("hand", "forearm"),
        )
    },
}
SEGMENTS = ("pelvis", *PARENTS)
JOINT_OF = {"thigh": "hip", "shank": "knee", "foot": "ankle", "upper_arm": "shoulder"}
JOINT_OF |= {"forearm": "elbow", "hand": "wrist", "thorax": "waist", "head": "neck"}


@dataclass(frozen=True, eq=False)
class FootShape:
    """Size of a foot, flat on the floor [m]."""

    length: float  # from heel edge to toe tip
    ankle_height: float  # of the ankle centre above the sole
    ankle_ahead: float  # from the heel edge to below the ankle centre
    ball_ahead: float  # from the heel edge to below the forefoot marker


@dataclass(frozen=True, eq=False)
class Human:
    """A person who walks; z up, metres, seconds from the first frame of the file.

    On a treadmill everything is seen from the belt, so that the person gets ahead.
    """

    source: str
    rate: float  # [Hz]
    time: np.ndarray  # [s], (n,)
    landmarks: Mapping[str, np.ndarray]  # [m], (n, 3), NaN where unknown
    joints: Mapping[str, np.ndarray]  # [m], (n, 3): "left_hip", ..., "right_wrist"
    segments: Mapping[str, Segment]  # up to fifteen: "pelvis", "thorax", "left_thigh", ...
    angles: Mapping[str, JointAngles]  # by joint: "left_hip", "waist", ...
    soles: Mapping[str, Sole]  # "left", "right"
    com: np.ndarray  # [m], (n, 3)
    force: np.ndarray | None  # [N], (n, 3), of the ground on the person, where plates are
    cop: np.ndarray | None  # [m], (n, 3), NaN off the plates
    events: FootEvents
    stances: tuple[Stance, ...]
    phases: tuple[Phase, ...]
    floor: float  # [m], height of the floor
    leg_length: float  # [m], hip to ankle along the leg, mean of both sides
    feet: Mapping[str, FootShape]
    height: float  # [m], of the person, told by the file or guessed from the legs
    mass: float | None  # [kg], where the file tells
    notes: tuple[str, ...]
    missing: tuple[str, ...]  # segments that were not seen

    def __len__(self) -> int:
        return len(self.time)

    def segment(self, name: str) -> Segment:
        """A segment by its name."""
        if name not in self.segments:
            raise NotFound("segment", name, tuple(self.segments))
        return self.segments[name]

    def relative(self, child: str, parent: str | None = None) -> np.ndarray:
        """R_parent_child over time (n, 3, 3), ISB axes; the parent is the one in the body."""
        up = self.segment(PARENTS[child] if parent is None else parent)
        return np.einsum("nji,njk->nik", up.R, self.segment(child).R)


def human(
    recording: Recording,
    static: Recording | None = None,
    functional: Recording | Sequence[Recording] | None = None,
    events: FootEvents | None = None,
) -> Human:
    """The person of a recording.

    Args:
        recording: a walk, as markers or as a skeleton.
        static: the same person standing, with medial markers where there are any.
        functional: one or more trials in which the legs are swung, for the hip centres.
        events: contacts of the feet, where somebody knows better than what is found.
    """
    body = body_of(recording)
    events = events_of(body) if events is None else events
    feet = feet_of(body)
    if recording.skeleton is not None:
        person = _from_skeleton(recording, body, feet)
    else:
        trials = [functional] if isinstance(functional, Recording) else list(functional or ())
        person = _from_markers(body, feet, static, trials)
    return _finished(recording, body, feet, events, person)


@dataclass(frozen=True, eq=False)
class _Person:
    """Joints and segments, before the clip is cut to where the legs are known."""

    landmarks: dict[str, np.ndarray]
    joints: dict[str, np.ndarray]
    segments: dict[str, Segment]
    leg_height: float
    notes: tuple[str, ...]


def _from_skeleton(recording: Recording, body: Body, feet: Feet) -> _Person:
    assert recording.skeleton is not None
    skeleton = recording.skeleton
    points = dict(body.points)
    if feet.belt is not None:
        moved = in_belt_frame(skeleton.positions, feet.belt, body.rate)
        skeleton = replace(skeleton, positions=moved)
        points = {k: in_belt_frame(p, feet.belt, body.rate) for k, p in points.items()}
    segments, joints = skeleton_segments(skeleton)
    leg = leg_height(body, feet.soles["left"].floor) or 0.9
    return _Person(points, joints, segments, leg, ())


def _from_markers(
    body: Body, feet: Feet, static: Recording | None, trials: Sequence[Recording]
) -> _Person:
    floor = feet.soles["left"].floor
    notes: list[str] = []
    hips = {}
    for trial in functional_hips(trials) if trials else ():
        hips[trial.side] = trial.place
        degrees = np.rad2deg(trial.centre.motion_range)
        residual = 1e3 * trial.centre.residual
        notes.append(
            f"{trial.side} hip from {trial.source}: {degrees:.0f} degrees, {residual:.1f} mm apart"
        )
    subject = _subject(body, floor, static, hips, set(body.points))
    notes += [f"{side} hip: {how}" for side, how in subject.hip_method.items()]
    used = {name for shape in subject.shapes.values() for name in shape}
    raw = dict(body.points)
    for k, name in enumerate(body.marker_names):
        if f"marker:{name}" in used:
            raw[f"marker:{name}"] = body.markers[:, k]
    points = {name: lowpass(path, body.rate, CUTOFF) for name, path in raw.items()}
    if feet.belt is not None:
        points = {k: in_belt_frame(p, feet.belt, body.rate) for k, p in points.items()}
    segments, joints = _legs(subject, points)
    mid_hip = 0.5 * (joints["left_hip"] + joints["right_hip"])
    upper = upper_body(points, segments["pelvis"], mid_hip)
    segments |= upper.segments
    joints |= upper.joints
    marks = {name: path for name, path in points.items() if not name.startswith("marker:")}
    notes += subject.notes
    return _Person(marks, joints, segments, subject.leg_height, tuple(notes))


def _subject(
    body: Body,
    floor: float,
    static: Recording | None,
    hips: Mapping[str, np.ndarray],
    available: set[str],
) -> Subject:
    """Shapes of the segments from the static recording, or from the walk where there is none."""
    if static is None:
        return calibrate(body, floor, hips)
    standing = body_of(static)
    pair = [
        (standing.points[f"{side}_heel"], standing.points[f"{side}_toe"])
        for side in SIDES
        if f"{side}_heel" in standing.points and f"{side}_toe" in standing.points
    ]
    level = standing.floor
    if level is None:
        level = floor_height(pair, standing.rate) if pair and len(standing) > 1 else floor
    return calibrate(standing, level, hips, still=True, available=available)


def _legs(
    subject: Subject, points: Mapping[str, np.ndarray]
) -> tuple[dict[str, Segment], dict[str, np.ndarray]]:
    """Pelvis and legs from above: each joint centre helps to hold the next segment."""
    pelvis = tracked(subject.shapes["pelvis"], points)
    segments: dict[str, Segment] = {"pelvis": pelvis}
    joints: dict[str, np.ndarray] = {}
    for side in SIDES:
        above, known = pelvis, dict(points)
        for segment, joint in (("thigh", "hip"), ("shank", "knee"), ("foot", "ankle")):
            key = f"{side}_{segment}"
            centre = above.point(subject.centres[f"{side}_{joint}"])
            joints[f"{side}_{joint}"] = centre
            known[f"{side}_{joint}_centre"] = centre
            above = segments[key] = tracked(subject.shapes[key], known)
    return segments, joints


def _finished(
    recording: Recording, body: Body, feet: Feet, events: FootEvents, person: _Person
) -> Human:
    """Cut to where pelvis and legs are known, with everything that follows from them."""
    legs = ["pelvis"] + [f"{side}_{s}" for side in SIDES for s in ("thigh", "shank", "foot")]
    known = np.all([person.segments[name].known for name in legs], axis=0)
    known &= np.all([seen(sole.heel) for sole in feet.soles.values()], axis=0)
    a, b = longest_stretch(known)
    if b - a < LEAST * body.rate:
        least = {name: float(person.segments[name].known.mean()) for name in legs}
        worst = min(least, key=lambda name: least[name])
        found = f"seen whole for {(b - a) / body.rate:.2f} s at most"
        accepted = (
            f"half a second with pelvis and both legs ({worst.replace('_', ' ')} is seen least)"
        )
        raise BadInput(body.source, "the lower body", found, accepted)
    notes = list(body.notes + feet.notes + person.notes)
    if b - a < len(body):
        notes.append(
            f"cut to {a / body.rate + body.start:.2f} to {(b - 1) / body.rate + body.start:.2f} s,"
            " where pelvis and legs are seen"
        )
    segments: dict[str, Segment] = {}
    for name, segment in person.segments.items():
        cut = Segment(segment.R[a:b], segment.origin[a:b])
        if not cut.known.any():
            continue
        segments[name], count = bridged(cut)
        if count:
            notes.append(f"{name.replace('_', ' ')}: {count} frames bridged")
    joints = {name: path[a:b] for name, path in person.joints.items() if seen(path[a:b]).any()}
    joints |= {
        f"{side}_{JOINT_OF[kind]}": segments[f"{side}_{kind}"].origin
        for side in SIDES
        for kind in ("upper_arm", "forearm", "hand")
        if f"{side}_{kind}" in segments
    }
    landmarks = {name: path[a:b] for name, path in person.landmarks.items()}
    soles = {side: _cut_sole(sole, a, b) for side, sole in feet.soles.items()}
    c7 = landmarks.get("c7")
    c7 = c7 if c7 is not None and seen(c7).all() else None
    tips = {side: (soles[side].heel, soles[side].tip) for side in SIDES}
    com, words = centre_of_mass(joints, segments, tips, person.leg_height, c7)
    ground = ground_reaction(recording) if feet.belt is None else None
    time = np.arange(a, b) / body.rate + body.start
    steps = stances(events, float(time[0]), float(time[-1]))
    mass = recording.notes.get("mass")
    return Human(
        recording.source,
        recording.rate,
        time,
        landmarks,
        joints,
        segments,
        _angles(segments),
        soles,
        com,
        None if ground is None else ground[0][a:b],
        None if ground is None else ground[1][a:b],
        events,
        steps,
        phases(steps, float(time[0]), float(time[-1])),
        soles["left"].floor,
        _leg_length(joints),
        {side: _foot_shape(soles[side], joints[f"{side}_ankle"]) for side in SIDES},
        float(recording.notes.get("height", person.leg_height / LEG_OF_HEIGHT)),
        None if mass is None else float(mass),
        tuple(dict.fromkeys(notes + words)),
        tuple(name for name in SEGMENTS if name not in segments),
    )


def _angles(segments: Mapping[str, Segment]) -> dict[str, JointAngles]:
    """Angles of every joint whose two segments are known."""
    angles = {}
    for child, parent in PARENTS.items():
        if child in segments and parent in segments:
            side, _, kind = child.partition("_")
            name = f"{side}_{JOINT_OF[kind]}" if side in SIDES else JOINT_OF[child]
            R = np.einsum("nji,njk->nik", segments[parent].R, segments[child].R)
            angles[name] = joint_angles(R)
    return angles


def _cut_sole(sole: Sole, a: int, b: int) -> Sole:
    paths = {
        name: getattr(sole, name)[a:b] for name in ("heel", "ball", "tip", "toes", "pitch", "yaw")
    }
    return replace(sole, **paths)


def _leg_length(joints: Mapping[str, np.ndarray]) -> float:
    """Thigh and shank together, median over time, mean of both sides [m]."""
    lengths = []
    for side in SIDES:
        hip, knee, ankle = (joints[f"{side}_{name}"] for name in ("hip", "knee", "ankle"))
        lengths.append(
            np.median(np.linalg.norm(hip - knee, axis=1) + np.linalg.norm(knee - ankle, axis=1))
        )
    return float(np.mean(lengths))


def _foot_shape(sole: Sole, ankle: np.ndarray) -> FootShape:
    """Where the ankle is above the sole, in the flattest frames."""
    flat = np.abs(sole.pitch) <= max(np.deg2rad(3.0), float(np.percentile(np.abs(sole.pitch), 5)))
    ahead = np.column_stack([np.cos(sole.yaw), np.sin(sole.yaw), np.zeros(len(sole.yaw))])[flat]

    def along(point: np.ndarray) -> float:
        return float(np.median(np.sum((point - sole.heel)[flat] * ahead, axis=1)))

    height = float(np.median(ankle[flat, 2])) - sole.floor
    return FootShape(along(sole.tip), height, along(ankle), along(sole.ball))
