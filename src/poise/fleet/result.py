"""Results: what came of a job, with a reason whenever it is not a good motion."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

GOOD = "good"  # a motion, and the judge found nothing
NOT_GOOD = "not good"  # a motion, with something that the judge does not accept
REFUSED = "refused"  # no motion: the input or the wish is wrong; it would be so again
CRASHED = "crashed"  # no motion: something broke on the way; worth another try
KINDS = (GOOD, NOT_GOOD, REFUSED, CRASHED)


@dataclass(frozen=True)
class Result:
    """What came of one job. Everything but `run` is the same wherever it was done."""

    key: str
    verb: str
    robot: str
    kind: str
    reason: str = ""  # one sentence, unless it is good
    figures: dict[str, Any] = field(default_factory=dict)  # a row of the table
    report: dict[str, Any] | None = None  # as `poise check` tells it
    motion: bytes | None = field(default=None, repr=False)  # of the .npz file
    run: dict[str, Any] = field(default_factory=dict)  # seconds, cpu_seconds, host, pid

    @property
    def made(self) -> bool:
        """Whether there is a motion, good or not."""
        return self.kind in (GOOD, NOT_GOOD)
