"""Does the robot keep clear of itself?"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from poise.checks.evidence import Evidence
from poise.checks.finding import Finding, at_least, nothing_to_ask
from poise.checks.worst import lowest
from poise.robot.collision import SelfCollision

CLEAR = "self-collision"
FINEST = 200.0  # [Hz], closer instants are not looked at
COARSE = 0.04  # [s], every pair is looked at this often, in between only where it may matter
EAGER = 2.0  # [1], in between a pair may close this many times faster than it was seen to


def self_collision(evidence: Evidence) -> tuple[Finding, ...]:
    """The pair of links that comes closest, or deepest into each other."""
    watch = SelfCollision(evidence.robot)
    pairs = watch.pairs
    if not pairs:
        return (nothing_to_ask(CLEAR, "mm", "the robot has no pairs of links to watch"),)
    seen = {k: watch.distances(evidence.q[k]) for k in _every(evidence, COARSE)}
    fine = _every(evidence, 1.0 / FINEST)
    limit = evidence.options.collision_distance
    rows = sorted(seen)
    for a, b in pairwise(rows):
        closing = EAGER * np.abs(seen[b] - seen[a])
        if (np.minimum(seen[a], seen[b]) - closing).min() > limit + 0.002:
            continue  # no pair can have come near in between
        for k in fine[(fine > a) & (fine < b)]:
            seen[int(k)] = watch.distances(evidence.q[k])
    rows = sorted(seen)
    table = np.array([seen[k] for k in rows])
    i, j = lowest(table)
    return (
        at_least(
            CLEAR,
            1e3 * table[i, j],
            1e3 * limit,
            "mm",
            " and ".join(pairs[j]),
            evidence.when(rows[i]),
            slack=1e-6,
            detail="the links overlap" if table[i, j] < 0.0 else "",
        ),
    )


def _every(evidence: Evidence, period: float) -> np.ndarray:
    """Rows about a period apart [s], first and last included."""
    count = max(int(np.ceil((evidence.time[-1] - evidence.time[0]) / period - 1e-6)), 1) + 1
    if count >= evidence.n:
        return np.arange(evidence.n)
    wanted = np.linspace(evidence.time[0], evidence.time[-1], count)
    return np.unique(np.searchsorted(evidence.time, wanted - 1e-9).clip(0, evidence.n - 1))
