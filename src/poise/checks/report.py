"""Report: what was asked of a motion, how much was found, against what, where and when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from poise.checks.finding import Finding
from poise.checks.physics import PhysicsVerdict, physics_findings

if TYPE_CHECKING:
    from poise.checks.evidence import Evidence


@dataclass(frozen=True)
class Report:
    """The answers to every question about one motion."""

    findings: tuple[Finding, ...]
    physics: PhysicsVerdict | None = None
    robot: str = ""
    duration: float = 0.0  # [s]
    evidence: Evidence | None = field(default=None, repr=False, compare=False)
    """What was measured on the way; the HTML report draws it."""

    @property
    def ok(self) -> bool:
        """Whether every question was answered, and well."""
        return all(finding.ok for finding in self.findings)

    @property
    def failed(self) -> tuple[Finding, ...]:
        """The questions that were answered badly."""
        return tuple(f for f in self.findings if f.answered and not f.ok)

    @property
    def unanswered(self) -> tuple[Finding, ...]:
        """The questions that could not be answered."""
        return tuple(f for f in self.findings if not f.answered)

    @property
    def notes(self) -> tuple[Finding, ...]:
        """What is no failure, yet worth a look."""
        return tuple(f for f in self.findings if f.ok and f.note)

    def __getitem__(self, question: str) -> Finding:
        for finding in self.findings:
            if finding.question == question:
                return finding
        raise KeyError(question)

    def with_physics(self, verdict: PhysicsVerdict, travelled: float = 0.0) -> Report:
        """The same report with what a physics replay showed.

        Args:
            verdict: figures of the replay.
            travelled: length of the planned path of the base [m]; a long way may drift more.
        """
        added = physics_findings(verdict, travelled)
        asked = {finding.question for finding in added}
        kept = tuple(f for f in self.findings if f.question not in asked)
        return replace(self, findings=kept + added, physics=verdict)

    @property
    def verdict(self) -> str:
        """One line that says it all."""
        if self.ok:
            tail = f", {len(self.notes)} worth a look" if self.notes else ""
            return f"good: all {len(self.findings)} questions answered well{tail}"
        parts = []
        if self.failed:
            names = ", ".join(f.question for f in self.failed[:4])
            more = ", ..." if len(self.failed) > 4 else ""
            parts.append(f"{len(self.failed)} of {len(self.findings)} fail ({names}{more})")
        if self.unanswered:
            parts.append(f"{len(self.unanswered)} cannot be answered")
        return "not good: " + "; ".join(parts)

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [HEADINGS]
        rows += [finding.row() for finding in self.findings]
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        title = f"{self.robot or 'motion'}, {self.duration:.2f} s: {self.verdict}"
        lines = [title, "", _line(rows[0], widths), "  ".join("-" * w for w in widths)]
        for finding, row in zip(self.findings, rows[1:], strict=True):
            lines.append(_line(row, widths))
            if finding.detail and finding.mark in ("FAIL", "note"):
                lines.append(" " * (widths[0] + 2) + "  " + finding.detail)
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """The report as plain values; what is not a finite number becomes None."""
        return {
            "ok": self.ok,
            "findings": [finding.to_json() for finding in self.findings],
            "physics": None if self.physics is None else self.physics.to_json(),
        }


HEADINGS = ("", "question", "worst", "limit", "unit", "where", "when")
_RIGHT = (2, 3, 6)  # columns of numbers


def _line(cells: Iterable[str], widths: list[int]) -> str:
    padded = [
        cell.rjust(width) if k in _RIGHT else cell.ljust(width)
        for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()


__all__ = ["Finding", "PhysicsVerdict", "Report"]
