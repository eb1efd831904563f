"""AMC with its ASF: bones as Acclaim wrote them, the form of the CMU collection."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from poise.io.recordings.bones import Bones, recording_of
from poise.io.source import Source, bad, read_source
from poise.motion import Recording

MOST_BONES = 1_000
MOST_FRAMES = 1_000_000
USUAL_RATE = 120.0  # [Hz], of the CMU collection; the format does not say
ACCEPTED = "an AMC file: :DEGREES, then the number of each frame and its bones"
ASF_ACCEPTED = "an ASF file with :root, :bonedata and :hierarchy"


@dataclass
class _Bone:
    name: str
    direction: np.ndarray = field(default_factory=lambda: np.zeros(3))
    length: float = 0.0
    axis: tuple[np.ndarray, str] = (np.zeros(3), "XYZ")  # [deg] and their order
    dof: tuple[str, ...] = ()


def is_asf(head: str) -> bool:
    """Whether text is an Acclaim skeleton."""
    return re.search(r"^\s*:(bonedata|hierarchy|version)\b", head, re.MULTILINE | re.I) is not None


def is_amc(head: str) -> bool:
    """Whether text is an Acclaim motion."""
    return re.search(r"^\s*:(degrees|radians|fully-specified)\b", head, re.M | re.I) is not None


def read_amc(source: Source) -> Recording:
    """The skeleton and motion of an AMC file and the ASF file beside it, z up, in metres."""
    skeleton = read_source(asf_beside(source.path))
    bones, parents, root_order, root_axis, angle_unit = _asf(skeleton)
    frames, degrees = _frames(source, bones, len(root_order))
    if degrees is None:
        degrees = angle_unit
    return _recording(source, bones, parents, root_order, root_axis, frames, degrees)


def asf_beside(path: Path) -> Path:
    """The skeleton of a motion: same name, or the subject's, which is the part before "_"."""
    stems = [path.stem, path.stem.rsplit("_", 1)[0], path.stem.split("_", 1)[0]]
    for stem in stems:
        for suffix in (".asf", ".ASF"):
            if path.with_name(stem + suffix).is_file():
                return path.with_name(stem + suffix)
    try:
        others = [p for p in path.parent.iterdir() if p.suffix.lower() == ".asf"]
    except OSError:
        others = []
    if len(others) == 1:
        return others[0]
    wanted = " or ".join(dict.fromkeys(f"{stem}.asf" for stem in stems))
    raise bad(path, "the skeleton beside it", "missing", wanted)


def _numbers(words: list[str], where: str, source: Source) -> np.ndarray:
    try:
        values = np.array([float(w) for w in words])
    except ValueError:
        raise bad(source.path, where, " ".join(words), "numbers") from None
    if not np.isfinite(values).all() or (len(values) and np.abs(values).max() > 1e6):
        raise bad(source.path, where, " ".join(words), "finite numbers")
    return values


def _asf(
    source: Source,
) -> tuple[dict[str, _Bone], dict[str, str], list[str], tuple[np.ndarray, str], bool]:
    """Bones, parents, the root's channels and axis, and whether angles are in degrees."""
    section, bone = "", None
    bones: dict[str, _Bone] = {}
    parents: dict[str, str] = {}
    root_order = ["TX", "TY", "TZ", "RX", "RY", "RZ"]
    root_angles, root_sequence, degrees = np.zeros(3), "XYZ", True
    for line in source.text().splitlines():
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        if words[0].startswith(":"):
            section = words[0].lower()
            continue
        key = words[0].lower()
        if section == ":units" and key == "angle" and len(words) > 1:
            degrees = words[1].lower().startswith("deg")
        elif section == ":root":
            if key == "order":
                root_order = [w.upper() for w in words[1:]]
            elif key == "axis" and len(words) > 1:
                root_sequence = words[1].upper()
            elif key == "orientation":
                root_angles = _numbers(words[1:4], "orientation", source)
        elif section == ":bonedata":
            if key == "begin":
                bone = _Bone("")
            elif key == "end" and bone is not None:
                bones[bone.name] = bone
                bone = None
                if len(bones) > MOST_BONES:
                    raise bad(source.path, "the number of bones", len(bones), f"{MOST_BONES}")
            elif bone is not None:
                _bone_line(bone, key, words, source)
        elif section == ":hierarchy" and key not in ("begin", "end"):
            for child in words[1:]:
                parents[child] = words[0]
    lost = [name for name in bones if name not in parents]
    if not bones or lost:
        found = f"without {'bones' if not bones else 'a place for ' + ', '.join(lost[:3])}"
        raise bad(source.path, "the skeleton", found, ASF_ACCEPTED)
    return bones, parents, root_order, (root_angles, root_sequence), degrees


def _bone_line(bone: _Bone, key: str, words: list[str], source: Source) -> None:
    if key == "name" and len(words) > 1:
        bone.name = words[1]
    elif key == "direction":
        bone.direction = _numbers(words[1:4], "direction", source)
        if len(bone.direction) != 3:
            raise bad(source.path, "direction", " ".join(words[1:]), "three numbers")
    elif key == "length":
        bone.length = float(_numbers(words[1:2], "length", source)[0]) if len(words) > 1 else 0.0
    elif key == "axis":
        angles = _numbers(words[1:4], "axis", source)
        sequence = words[4].upper() if len(words) > 4 else "XYZ"
        if len(angles) != 3 or sorted(sequence) != ["X", "Y", "Z"]:
            raise bad(source.path, "axis", " ".join(words[1:]), "three angles and XYZ")
        bone.axis = (angles, sequence)
    elif key == "dof":
        bone.dof = tuple(w.lower() for w in words[1:])


def _frames(
    source: Source, bones: dict[str, _Bone], root_count: int
) -> tuple[list[dict[str, np.ndarray]], bool | None]:
    """Channels of every bone in every frame, and whether they are degrees, where it is said."""
    frames: list[dict[str, np.ndarray]] = []
    degrees: bool | None = None
    for number, line in enumerate(source.text().splitlines(), start=1):
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        if words[0].startswith(":"):
            if words[0].lower() in (":degrees", ":radians"):
                degrees = words[0].lower() == ":degrees"
            continue
        if len(words) == 1 and words[0].isdigit():
            frames.append({})
            if len(frames) > MOST_FRAMES:
                raise bad(source.path, "the number of frames", len(frames), f"{MOST_FRAMES}")
            continue
        if not frames:
            raise bad(source.path, f"line {number}", f"'{words[0]}'", "a frame number first")
        name = words[0]
        if name != "root" and name not in bones:
            raise bad(source.path, f"line {number}", f"the bone '{name}'", "a bone of the ASF file")
        wanted = root_count if name == "root" else len(bones[name].dof)
        if len(words) - 1 != wanted:
            found = f"{len(words) - 1} numbers for '{name}'"
            raise bad(source.path, f"line {number}", found, f"{wanted} numbers")
        frames[-1][name] = _numbers(words[1:], f"line {number}", source)
    moving = {"root"} | {name for name, bone in bones.items() if bone.dof}
    if not frames:
        raise bad(source.path, "the file", "without a frame", ACCEPTED)
    for k, frame in enumerate(frames):
        lost = moving - set(frame)
        if lost:
            found = f"without {', '.join(sorted(lost)[:3])}"
            raise bad(source.path, f"frame {k + 1} of {len(frames)}", found, "every bone")
    return frames, degrees


def _recording(
    source: Source,
    bones: dict[str, _Bone],
    parents: dict[str, str],
    root_order: list[str],
    root_axis: tuple[np.ndarray, str],
    frames: list[dict[str, np.ndarray]],
    degrees: bool,
) -> Recording:
    """One joint at the start of each bone and one at the end of each last bone."""
    order = _top_down(bones, parents, source)
    names = ["root", *order]
    leaves = [name for name in order if name not in parents.values()]
    n = len(frames)
    local = np.tile(np.eye(3), (n, len(names) + len(leaves), 1, 1))
    offsets = np.zeros((len(names) + len(leaves), 3))
    up: list[int] = [-1]
    table = np.array([frame["root"] for frame in frames])
    root = np.zeros((n, 3))
    turns: dict[str, np.ndarray] = {}
    for k, channel in enumerate(root_order):
        if channel[0] == "T":
            root[:, "XYZ".index(channel[1])] = table[:, k]
        else:
            turns["r" + channel[1].lower()] = table[:, k]
    local[:, 0] = _rotation(turns, root_axis[0], root_axis[1], degrees, n)
    for k, name in enumerate(order, start=1):
        parent = parents[name]
        up.append(0 if parent == "root" else names.index(parent))
        if parent != "root":
            offsets[k] = bones[parent].length * bones[parent].direction
        bone = bones[name]
        if bone.dof:
            table = np.array([frame[name] for frame in frames])
            turns = {d: table[:, j] for j, d in enumerate(bone.dof)}
            local[:, k] = _rotation(turns, bone.axis[0], bone.axis[1], degrees, n)
    for k, name in enumerate(leaves, start=len(names)):
        offsets[k] = bones[name].length * bones[name].direction
        up.append(names.index(name))
    tree = Bones(tuple(names + [f"{name}_end" for name in leaves]), tuple(up), offsets, root, local)
    recording = recording_of(tree, USUAL_RATE, source.path, "AMC")
    notes = {**recording.notes, "rate": f"{USUAL_RATE:g} Hz assumed, the format does not say"}
    return Recording(
        recording.source,
        recording.rate,
        skeleton=recording.skeleton,
        notes=notes,
        start=recording.start,
    )


def _top_down(bones: dict[str, _Bone], parents: dict[str, str], source: Source) -> list[str]:
    """Bones, each after its parent."""
    done: list[str] = []
    known = {"root"}
    waiting = list(bones)
    while waiting:
        ready = [name for name in waiting if parents[name] in known]
        if not ready:
            raise bad(source.path, "the hierarchy", f"broken at {waiting[0]}", ASF_ACCEPTED)
        done += ready
        known.update(ready)
        waiting = [name for name in waiting if name not in known]
    return done


def _rotation(
    turns: dict[str, np.ndarray], axis: np.ndarray, sequence: str, degrees: bool, n: int
) -> np.ndarray:
    """Rotation of a bone in its parent: about its own axes, which stand turned in the rest pose.

    Acclaim turns about fixed axes in the order of the letters, so that the first is applied first.
    """
    C = Rotation.from_euler(sequence.lower(), axis, degrees=True).as_matrix()
    angles = np.zeros((n, 3))
    for name, values in turns.items():
        if name[0] == "r" and name[1] in "xyz":
            angles[:, sequence.lower().index(name[1])] = values
    R = Rotation.from_euler(sequence.lower(), angles, degrees=degrees).as_matrix()
    return C @ R @ C.T
