"""What onboarding believes about a robot, and the words for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Guess:
    """One thing that was not written in the URDF and had to be found."""

    what: str  # "left foot", "half-sitting", ...
    value: str
    how: str  # what it was concluded from, and what to know about it
    certainty: float  # 0 (a shot in the dark) .. 1 (as good as written)

    def __str__(self) -> str:
        return f"{self.what}: {self.value} ({100.0 * self.certainty:.0f} %; {self.how})"
