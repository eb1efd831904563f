"""Left and right in the names people give to joints and links."""

from __future__ import annotations

import re

_LEFT, _RIGHT = ("left", "lft", "l"), ("right", "rgt", "r")
LEG_WORDS = (
    "leg",
    "hip",
    "knee",
    "ankle",
    "ankel",
    "thigh",
    "shank",
    "shin",
    "calf",
    "foot",
    "toe",
)
ARM_WORDS = ("arm", "shoulder", "elbow", "wrist", "hand", "clavicle", "collar", "palm", "gripper")
HEAD_WORDS = ("head", "neck", "cervical", "skull", "face", "eye", "camera")


def side_vote(first: str, second: str) -> int:
    """+1 when `first` names the left twin of `second`, -1 the right one, 0 when neither.

    The names are compared where they differ: "LLEG_KNEE" and "RLEG_KNEE", "leg_left_4" and
    "leg_right_4", "kneeL" and "kneeR".
    """
    a, b = words_of(first), words_of(second)
    if len(a) == len(b):
        votes = {_vote(x, y) for x, y in zip(a, b, strict=True) if x != y}
        if votes in ({1}, {-1}):
            return votes.pop()
    return _vote(*_difference(first.lower(), second.lower()))


def has_word(name: str, words: tuple[str, ...]) -> bool:
    """Whether a name speaks of one of these things."""
    return any(word in name.lower() for word in words)


def words_of(name: str) -> list[str]:
    """Words of a name in snake_case, kebab-case and CamelCase, in lower case."""
    return [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def _difference(a: str, b: str) -> tuple[str, str]:
    """What is left of two names without their common beginning and end."""
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    return a[start : len(a) - end], b[start : len(b) - end]


def _vote(a: str, b: str) -> int:
    a, b = (_difference(a, b)) if len(a) == len(b) else (a, b)
    if a in _LEFT + ("lef",) and b in _RIGHT + ("righ",):
        return 1
    if a in _RIGHT + ("righ",) and b in _LEFT + ("lef",):
        return -1
    return 0
