"""Finding: the answer to one question about a motion, at its worst instant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """The worst value of one question, its limit, and where and when it was met."""

    question: str
    worst: float  # [unit]; NaN when there was nothing to measure
    limit: float  # [unit]; NaN when there is none
    unit: str
    where: str
    when: float | None  # [s], in the motion's own time
    ok: bool
    detail: str = ""
    at_least: bool = False  # the limit is the smallest value that is accepted
    note: bool = False  # fine, yet worth a look
    answered: bool = True

    def row(self) -> tuple[str, ...]:
        """Cells of a table: mark, question, worst, limit, unit, where, when."""
        sign = "≥ " if self.at_least else "≤ "
        return (
            self.mark,
            self.question,
            "0" if abs(self.worst) < 1e-4 * abs(self.limit) else number(self.worst),
            sign + number(self.limit) if math.isfinite(self.limit) else "",
            self.unit,
            self.where,
            "" if self.when is None else f"{self.when:.3f} s",
        )

    @property
    def mark(self) -> str:
        """How it went, in a word."""
        if not self.answered:
            return "?"
        if not self.ok:
            return "FAIL"
        return "note" if self.note else "ok"

    def to_json(self) -> dict[str, Any]:
        """Plain values; what is not a finite number becomes None."""
        return {
            "question": self.question,
            "worst": _plain(self.worst),
            "limit": _plain(self.limit),
            "unit": self.unit,
            "where": self.where,
            "when": None if self.when is None else _plain(self.when),
            "ok": self.ok,
            "detail": self.detail,
        }


def at_most(
    question: str,
    worst: float,
    limit: float,
    unit: str,
    where: str,
    when: float | None,
    slack: float = 0.0,
    detail: str = "",
) -> Finding:
    """A finding that is good when worst <= limit; `slack` [unit] is for rounding alone."""
    ok = bool(worst <= limit + slack)
    return Finding(question, float(worst), float(limit), unit, where, _time(when), ok, detail)


def at_least(
    question: str,
    worst: float,
    limit: float,
    unit: str,
    where: str,
    when: float | None,
    slack: float = 0.0,
    detail: str = "",
) -> Finding:
    """A finding that is good when worst >= limit; `slack` [unit] is for rounding alone."""
    ok = bool(worst >= limit - slack)
    return Finding(
        question, float(worst), float(limit), unit, where, _time(when), ok, detail, at_least=True
    )


def nothing_to_ask(question: str, unit: str, why: str) -> Finding:
    """A question that this motion does not raise."""
    return Finding(question, math.nan, math.nan, unit, "", None, True, why)


def unanswered(question: str, why: str) -> Finding:
    """A question that cannot be answered; what is not shown does not count as good."""
    return Finding(question, math.nan, math.nan, "", "", None, False, why, answered=False)


def number(value: float) -> str:
    """A number for people: four significant digits, and none for the dust of rounding."""
    if not math.isfinite(value):
        return "" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if abs(value) < 1e-6:
        return "0"
    if abs(value) < 1e-3 or abs(value) >= 1e6:
        return f"{value:.2e}"
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"


def _time(when: float | None) -> float | None:
    return None if when is None else float(when)


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
