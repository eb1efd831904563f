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


def findings_table(report: Report) -> str:
    """Every answer in a row: how it went, the worst value, its limit, where and when."""
    colour = {"ok": words.GOOD, "note": words.DOUBTFUL, "FAIL": words.BAD, "?": words.GREY}
    rows = []
    for finding in report.findings:
        mark, *cells = finding.row()
        head = f'<td style="color:{colours.css(colour[mark])};font-weight:600">{mark}</td>'
        rest = "".join(f'<td style="padding:1px 8px 1px 0">{escape(cell)}</td>' for cell in cells)
        why = f' title="{escape(finding.detail)}"' if finding.detail else ""
        rows.append(f"<tr{why}>{head}{rest}</tr>")
    return (
        '<div style="padding:4px 12px;max-height:46vh;overflow:auto"><table style="font-size:12px;'
        f'border-collapse:collapse">{"".join(rows)}</table></div>'
    )
