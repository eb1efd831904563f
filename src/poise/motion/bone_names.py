"""What animation tools call the same bone, and which bone a name means.

`LeftUpLeg`, `lfemur`, `L_Hip`, `Bip01 L Thigh` and `thigh.L` all turn at the left hip. A name is
split into words, the side is taken out, and the rest is looked up; where names leave a leg open,
the tree decides.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import numpy as np

BONES: dict[str, str] = {  # joint at the start of the bone: words for the bone or the joint
    "hip": "upleg upperleg thigh femur hip upperlegs hipjnt upleg1",
    "knee": "leg lowerleg shin tibia knee calf lowleg shank crus",
    "ankle": "foot ankle feet",
    "toe": "toebase toes toe ball toe0 foottoe toe1 mtp ballfoot",
    "shoulder": "arm upperarm humerus uparm shldr shoulder uparm1",
    "elbow": "forearm lowerarm radius elbow lowarm foreman",
    "wrist": "hand wrist palm",
    "collar": "clavicle collar shoulderblade scapula",
}
CENTRAL_BONES: dict[str, str] = {
    "pelvis": "hips pelvis root hip body reference",
    "chest": "thorax chest spine2 spine3 upperchest spine1 chest2 torso upperback ribcage spine",
    "neck": "neck lowerneck neck1 neck0",
    "head": "head skull",
}
SIDE_WORDS = {
    "left": "left",
    "l": "left",
    "lft": "left",
    "right": "right",
    "r": "right",
    "rgt": "right",
}
PREFIXES = re.compile(r"^(mixamorig\d*|bip\d+|character\d*|skeleton\d*|b|jnt|j|def|hips)$")


def _words(name: str) -> list[str]:
    """Words of a name in lower case: by separators and by capitals."""
    name = name.rsplit(":", 1)[-1].rsplit("|", 1)[-1]
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    name = re.sub(r"([A-Z])([A-Z][a-z])", r"\1 \2", name)
    return [word for word in re.split(r"[\s_.\-]+", name.lower()) if word]


def bone_of(name: str) -> tuple[str | None, str] | None:
    """Side and bone of a name, e.g. ("left", "knee") for "LeftLeg", or None."""
    words = _words(name)
    while len(words) > 1 and PREFIXES.match(words[0]):
        words = words[1:]
    side = next((SIDE_WORDS[w] for w in words if w in SIDE_WORDS), None)
    rest = "".join(w for w in words if w not in SIDE_WORDS)
    table = {w: bone for bone, text in BONES.items() for w in text.split()}
    if side is None and rest[:1] in ("l", "r") and rest[1:] in table:  # lfemur, rThigh
        side, rest = ("left" if rest[0] == "l" else "right"), rest[1:]
    for long in ("left", "right"):
        if side is None and rest.startswith(long):
            side, rest = long, rest[len(long) :]
    if side is not None:
        return (side, table[rest]) if rest in table else None
    for bone, text in CENTRAL_BONES.items():
        if rest in text.split():
            return None, bone
    return None


def named_bones(
    names: Sequence[str], parents: Sequence[int], offsets: np.ndarray
) -> dict[str, int]:
    """Joints by what they are: "left_hip", "left_knee", "left_ankle", "left_toe", "head", ...

    Args:
        names: of the joints.
        parents: of the joints, -1 for the root.
        offsets: from each parent (joints, 3).
    """
    found: dict[str, int] = {}
    rank: dict[str, int] = {}
    for joint, name in enumerate(names):
        hit = bone_of(name)
        if hit is None or name.endswith("_end"):
            continue
        side, bone = hit
        key = bone if side is None else f"{side}_{bone}"
        words = (CENTRAL_BONES if side is None else BONES)[bone].split()
        place = min(
            (k for k, w in enumerate(words) if "".join(_words(name)).endswith(w)), default=99
        )
        if key not in found or place < rank[key]:
            found[key], rank[key] = joint, place
    for side in ("left", "right"):
        _mend_limb(found, side, ("hip", "knee", "ankle", "toe"), parents, offsets)
        _mend_limb(found, side, ("shoulder", "elbow", "wrist"), parents, offsets)
    if "pelvis" not in found:
        found["pelvis"] = 0
    return found


def _mend_limb(
    found: dict[str, int],
    side: str,
    chain: tuple[str, ...],
    parents: Sequence[int],
    offsets: np.ndarray,
) -> None:
    """Some tools name bones, some joints ("LeftShoulder" may be a collar); the chain decides.

    Each named joint must lie below the one before it; a missing one in between is the joint with
    a length on the way.
    """
    keys = [f"{side}_{bone}" for bone in chain]
    if keys[0] not in found and keys[1] in found:  # the hip is above the knee
        up = parents[found[keys[1]]]
        if up >= 0:
            found[keys[0]] = up
    for above, below in itertools.pairwise(keys):
        if above in found and below not in found:
            children = [
                j
                for j, parent in enumerate(parents)
                if parent == found[above] and np.linalg.norm(offsets[j]) > 0.0
            ]
            if len(children) == 1:
                found[below] = children[0]
        if above in found and below in found and found[below] == found[above]:
            del found[below]


def ancestors(joint: int, parents: Sequence[int]) -> list[int]:
    """A joint and all above it, upwards."""
    chain = []
    while joint >= 0:
        chain.append(joint)
        joint = parents[joint]
    return chain
