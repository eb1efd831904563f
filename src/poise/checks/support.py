"""Can the contacts give the wrench that the motion asks for, whatever their geometry?"""

from __future__ import annotations

import numpy as np

from poise.checks.evidence import Evidence
from poise.checks.finding import Finding, at_most, nothing_to_ask

SUPPORT, FLIGHT = "support", "flight"


def support(evidence: Evidence) -> tuple[Finding, ...]:
    """How far the required wrench lies outside what the active contacts can give.

    Forces press and stay within friction; moments count as forces at the end of half a sole.
    Where nothing touches, nothing can be given.
    """
    held = np.asarray(evidence.carrying.any(axis=1))
    return (_of(evidence, SUPPORT, held), _of(evidence, FLIGHT, ~held))


def _of(evidence: Evidence, question: str, mask: np.ndarray) -> Finding:
    rows = np.flatnonzero(mask)
    if not len(rows):
        why = "always in contact" if question == FLIGHT else "nothing touches"
        return nothing_to_ask(question, "N", why)
    gap, weight, o = evidence.carried.gap, evidence.robot.weight, evidence.options
    k = int(rows[np.argmax(gap[rows])])
    limit = o.support_limit if question == SUPPORT else o.flight_limit
    lasting = _seconds(evidence, mask & (gap > limit))
    detail = f"{100 * gap[k]:.3g} % of the weight"
    if lasting:
        detail += f", out of reach for {lasting:.3g} s in all"
    return at_most(
        question,
        gap[k] * weight,
        limit * weight,
        "N",
        evidence.carriers(k) or "in the air",
        evidence.when(k),
        detail=detail,
    )


def _seconds(evidence: Evidence, mask: np.ndarray) -> float:
    """How long a mask holds [s]."""
    return float(np.gradient(evidence.time)[mask].sum()) if evidence.n > 1 else 0.0
