"""BVH: a skeleton of an animator and its motion."""

from __future__ import annotations

import itertools
import re

import numpy as np
from scipy.spatial.transform import Rotation

from poise.io.recordings.bones import Bones, recording_of
from poise.io.source import Source, bad, counted
from poise.motion import Recording

ACCEPTED = "a BVH file: HIERARCHY, MOTION, Frames, Frame Time and one line a frame"
MOST_JOINTS = 1_000
MOST_FRAMES = 1_000_000


def is_bvh(head: str) -> bool:
    """Whether text starts as BVH files do."""
    return head.lstrip("\ufeff \t\r\n").upper().startswith("HIERARCHY")


def read_bvh(source: Source) -> Recording:
    """The skeleton of a BVH file, z up, in metres; a T-pose before the motion is left out."""
    text = source.text()
    parts = re.split(r"^\s*MOTION\s*$", text, maxsplit=1, flags=re.MULTILINE | re.IGNORECASE)
    if len(parts) != 2:
        raise bad(source.path, "the file", "without its MOTION part", ACCEPTED)
    names, parents, offsets, channels = _hierarchy(parts[0].split(), source)
    lines = [line for line in parts[1].splitlines() if line.strip()]
    frames, frame_time, rows = _motion(lines, sum(len(c) for c in channels), source)
    if len(rows) < frames:
        found = f"cut off: {len(rows)} of {frames} frames are there"
        raise bad(source.path, "the file", found, "a whole BVH file")
    root, local = _poses(rows, offsets, channels)
    bones = Bones(tuple(names), tuple(parents), offsets, root, local)
    return recording_of(bones, 1.0 / frame_time, source.path, "BVH")


def _hierarchy(
    words: list[str], source: Source
) -> tuple[list[str], list[int], np.ndarray, list[list[str]]]:
    """Joints in the order of the file: names, parents, offsets, channels."""
    names: list[str] = []
    parents: list[int] = []
    offsets: list[list[float]] = []
    channels: list[list[str]] = []
    stack: list[int] = []
    at = 0

    def take(count: int) -> list[str]:
        nonlocal at
        if at + count > len(words):
            raise bad(source.path, "the HIERARCHY", "cut off", ACCEPTED)
        taken = words[at : at + count]
        at += count
        return taken

    take(1)
    while at < len(words):
        word = take(1)[0].upper()
        if word in ("ROOT", "JOINT", "END"):
            if word == "ROOT" and names:
                raise bad(source.path, "the HIERARCHY", "with a second ROOT", "one person a file")
            name = take(1)[0]
            while words[at : at + 1] not in (["{"], []):  # names may hold spaces
                name += " " + take(1)[0]
            parent = stack[-1] if stack else -1
            if word == "END":
                name = f"{names[parent]}_end" if parent >= 0 else "end"
            names.append(name)
            parents.append(parent)
            offsets.append([0.0, 0.0, 0.0])
            channels.append([])
            if len(names) > MOST_JOINTS:
                raise bad(source.path, "the number of joints", len(names), f"at most {MOST_JOINTS}")
        elif word == "{":
            stack.append(len(names) - 1)
        elif word == "}":
            if not stack:
                raise bad(source.path, "the HIERARCHY", "with a } too many", ACCEPTED)
            stack.pop()
        elif word == "OFFSET":
            offsets[-1] = [_float(w, "OFFSET", source) for w in take(3)]
        elif word == "CHANNELS":
            count = take(1)[0]
            if count not in ("0", "1", "2", "3", "6"):
                raise bad(source.path, "CHANNELS", count, "0, 1, 2, 3 or 6")
            channels[-1] = [w.lower() for w in take(int(count))]
        else:
            raise bad(source.path, "the HIERARCHY", f"holding '{word}'", ACCEPTED)
    if stack or not names:
        raise bad(source.path, "the HIERARCHY", "cut off (a { is not closed)", ACCEPTED)
    known = re.compile(r"^[xyz](position|rotation)$")
    for name in (c for group in channels for c in group):
        if not known.match(name):
            raise bad(source.path, "CHANNELS", f"'{name}'", "Xposition, ..., Zrotation")
    return names, parents, np.array(offsets), channels


def _float(word: str, field: str, source: Source) -> float:
    try:
        value = float(word)
    except ValueError:
        raise bad(source.path, field, f"'{word}'", "a number") from None
    if not np.isfinite(value) or abs(value) > 1e6:
        raise bad(source.path, field, word, "a number within a million")
    return value


def _motion(lines: list[str], columns: int, source: Source) -> tuple[int, float, np.ndarray]:
    """Promised frames, seconds a frame, and the rows that are there."""
    if len(lines) < 2:
        raise bad(source.path, "the MOTION part", f"only {counted(len(lines), 'line')}", ACCEPTED)
    frames_match = re.match(r"^\s*Frames:\s*(\d{1,9})\s*$", lines[0], re.IGNORECASE)
    time_match = re.match(r"^\s*Frame\s+Time:\s*(\S+)\s*$", lines[1], re.IGNORECASE)
    if frames_match is None or time_match is None:
        raise bad(source.path, "the MOTION part", f"'{lines[0]}', '{lines[1]}'", ACCEPTED)
    frames = int(frames_match[1])
    if not 1 <= frames <= MOST_FRAMES:
        raise bad(source.path, "Frames", frames, f"1 to {MOST_FRAMES}")
    frame_time = _float(time_match[1], "Frame Time", source)
    if not 1e-4 < frame_time < 1.0:
        raise bad(source.path, "Frame Time", f"{frame_time:g} s", "0.0001 to 1 s")
    rows = []
    for k, line in enumerate(lines[2 : 2 + frames]):
        cells = line.split()
        if len(cells) != columns:
            if k + 1 == len(lines) - 2:
                break  # the last line of a file that was cut off
            where = f"frame {k}"
            raise bad(source.path, where, f"{len(cells)} numbers", f"{columns} numbers")
        rows.append([_float(cell, f"frame {k}", source) for cell in cells])
    return frames, frame_time, np.array(rows).reshape(len(rows), columns)


def _poses(
    rows: np.ndarray, offsets: np.ndarray, channels: list[list[str]]
) -> tuple[np.ndarray, np.ndarray]:
    """Path of the root and rotation of every joint in its parent."""
    n = len(rows)
    root = np.tile(offsets[0], (n, 1))
    local = np.tile(np.eye(3), (n, len(channels), 1, 1))
    at = 0
    for joint, names in enumerate(channels):
        block = rows[:, at : at + len(names)]
        at += len(names)
        turns = [(name[0], k) for k, name in enumerate(names) if name.endswith("rotation")]
        moves = [("xyz".index(name[0]), k) for k, name in enumerate(names) if "position" in name]
        if turns:
            sequence = "".join(axis.upper() for axis, _ in turns)
            if all(a != b for a, b in itertools.pairwise(sequence)):
                angles = block[:, [k for _, k in turns]]
                local[:, joint] = Rotation.from_euler(sequence, angles, degrees=True).as_matrix()
        if joint == 0:
            for axis, k in moves:
                root[:, axis] = block[:, k]
    return root, local
