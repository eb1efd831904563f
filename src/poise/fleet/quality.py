"""How good a motion is, in figures that tables can be sorted by."""

from __future__ import annotations

import math
from typing import Any

from poise.checks import Finding, Report

MARGINS = {"ZMP margin": "zmp_margin_mm", "self-collision": "clearance_mm"}


def quality(report: Report) -> dict[str, Any]:
    """Figures of a report, with units in their names; None where nothing was measured.

    `used_pct` is the largest share of any limit that is used up [%], and `used_by` the question
    that asks for that limit: above 100 the motion is not good.
    """
    used, by = _most_used(report.findings)
    physics = report.physics
    found: dict[str, Any] = {
        "questions_failed": sum(not finding.ok for finding in report.findings),
        "used_pct": used,
        "used_by": by,
        "duration_s": report.duration,
        "upright": None if physics is None else physics.upright,
        "fell_at_s": None if physics is None else physics.fell_at,
        "tilt_deg": None if physics is None else _finite(physics.tilt_max_deg),
        "drift_mm": None if physics is None else _finite(1e3 * physics.drift_m),
        "slip_mm": None if physics is None else _finite(1e3 * physics.slip_m),
        "saturation_pct": None if physics is None else _finite(1e2 * physics.saturation),
    }
    for finding in report.findings:
        if finding.question in MARGINS:
            found[MARGINS[finding.question]] = _finite(finding.worst)
    return found


def _most_used(findings: tuple[Finding, ...]) -> tuple[float | None, str]:
    """The largest share of a limit from above [%], and who asks for it."""
    shares = [
        (100.0 * finding.worst / finding.limit, finding.question)
        for finding in findings
        if not finding.at_least and math.isfinite(finding.worst) and 0.0 < finding.limit < math.inf
    ]
    return max(shares) if shares else (None, "")


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
