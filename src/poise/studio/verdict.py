"""The judge's words on the page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from poise.studio import words
from poise.viewer import colours

if TYPE_CHECKING:
    from poise.checks import Report
    from poise.checks.finding import Finding

MOST = 6  # buttons to worst instants


def verdict_banner(report: Report) -> str:
    """One line that says it all, in a colour."""
    title = "Good" if report.ok else "Not good"
    verdict = report.verdict.partition(": ")[2]
    return words.banner(title, verdict, words.GOOD if report.ok else words.BAD)


def worth_a_look(report: Report) -> list[Finding]:
    """What failed or is worth a look and has a time, failures first."""
    timed = [f for f in (*report.failed, *report.notes) if f.when is not None]
    best = sorted(
        (f for f in report.findings if f.ok and not f.note and f.when is not None and f.limit),
        key=lambda f: -abs(f.worst / f.limit) if not f.at_least else -abs(f.limit / (f.worst or 1)),
    )
    return (timed or best[:2])[:MOST]


def verdict_line(report: Report) -> str:
    """The verdict in one line, with its colour in front."""
    colour = words.GOOD if report.ok else words.BAD
    return (
        '<div style="padding:1px 12px;font-size:12.5px;white-space:nowrap;overflow:hidden;'
        'text-overflow:ellipsis"><span style="display:inline-block;width:10px;height:10px;'
        f'border-radius:5px;margin-right:7px;background:{colours.css(colour)}"></span>'
        f"{escape(report.verdict)}</div>"
    )


def findings_table(report: Report) -> str:
    """Every answer: how it went, the worst value, its limit, where and when; failures first."""
    colour = {"ok": words.GOOD, "note": words.DOUBTFUL, "FAIL": words.BAD, "?": words.GREY}
    order = {"FAIL": 0, "?": 1, "note": 2, "ok": 3}
    rows = []
    for finding in sorted(report.findings, key=lambda f: order[f.mark]):
        mark, question, worst, limit, unit, where, when = finding.row()
        numbers = " ".join(part for part in (worst, limit, unit) if part)
        second = " · ".join(part for part in (numbers, where, when) if part)
        why = f"<br>{escape(finding.detail)}" if finding.detail and mark in ("FAIL", "?") else ""
        rows.append(
            '<div style="display:flex;padding:3px 0;border-bottom:1px solid rgba(128,128,128,.15)">'
            f'<span style="width:44px;flex:none;font-weight:600;color:{colours.css(colour[mark])}">'
            f"{mark}</span><span><b>{escape(question)}</b><br>"
            f'<span style="opacity:.75">{escape(second)}{why}</span></span></div>'
        )
    return (
        '<div style="padding:4px 14px;max-height:42vh;overflow:auto;font-size:12.5px;'
        f'line-height:1.35">{"".join(rows)}</div>'
    )
