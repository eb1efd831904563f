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
NEAR = 2e-3  # [m], closer than this every instant is looked at
COARSENESS = 5e-3  # [m], of the primitives: links that stand closer may come closer by this much
EAGER = 2.0  # [1], in between a pair may close this many times faster than it was seen to


def self_collision(evidence: Evidence) -> tuple[Finding, ...]:
    """The pair of links that comes closest, or deepest into each other."""
    watch = SelfCollision(evidence.robot)
    pairs = watch.pairs
    if not pairs:
        return (nothing_to_ask(CLEAR, "mm", "the robot has no pairs of links to watch"),)
    standing = watch.distances(np.array(evidence.robot.half_sitting))
    allowed = np.minimum(evidence.options.collision_distance, standing - COARSENESS)
    seen = {int(k): watch.distances(evidence.q[k]) for k in _every(evidence, COARSE)}
    fine = _every(evidence, 1.0 / FINEST)
    for a, b in pairwise(sorted(seen)):
        closing = EAGER * np.abs(seen[b] - seen[a]) + NEAR
        if (np.minimum(seen[a], seen[b]) - closing > allowed).all():
            continue  # no pair can have come near in between
        for k in fine[(fine > a) & (fine < b)]:
            seen[int(k)] = watch.distances(evidence.q[k])
    rows = sorted(seen)
    table = np.array([seen[k] for k in rows])
    i, j = lowest(table - allowed)
    return (
        at_least(
            CLEAR,
            1e3 * table[i, j],
            1e3 * allowed[j],
            "mm",
            " and ".join(pairs[j]),
            evidence.when(rows[i]),
            slack=1e-6,
            detail="the links overlap" if table[i, j] < allowed[j] else "",
        ),
    )


def _every(evidence: Evidence, period: float) -> np.ndarray:
    """Rows about a period apart [s], first and last included."""
    count = max(int(np.ceil((evidence.time[-1] - evidence.time[0]) / period - 1e-6)), 1) + 1
    if count >= evidence.n:
        return np.arange(evidence.n)
    wanted = np.linspace(evidence.time[0], evidence.time[-1], count)
    return np.unique(np.searchsorted(evidence.time, wanted - 1e-9).clip(0, evidence.n - 1))
