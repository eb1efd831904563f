"""The summary table: a row a job, the best first, as CSV, as Parquet and as a page."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poise.files import write_whole
from poise.fleet.result import GOOD, KINDS, NOT_GOOD, Result

Row = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """A column that is known beforehand: its name carries its unit."""

    name: str
    title: str
    doc: str
    digits: int = 1


COLUMNS = (
    Column("rank", "rank", "1 is the best; see below", 0),
    Column("kind", "verdict", "good, not good, refused or crashed"),
    Column("robot", "robot", "who moves"),
    Column("trial", "trial", "the recording"),
    Column("style", "style", "the style of the walk"),
    Column("questions_failed", "fails", "questions of the judge that were answered badly", 0),
    Column("used_pct", "used %", "the largest share of any limit that is used up"),
    Column("used_by", "by", "the question that asks for that limit"),
    Column("reason", "reason", "why it is not good, or not there"),
    Column("zmp_margin_mm", "ZMP mm", "least distance of the ZMP from the edge of the support"),
    Column("clearance_mm", "clear mm", "least distance of two links"),
    Column("upright", "upright", "whether it stays up in the replay"),
    Column("fell_at_s", "fell s", "when it began to fall", 2),
    Column("tilt_deg", "tilt deg", "of the trunk off its plan in the replay"),
    Column("slip_mm", "slip mm", "the furthest a standing foot slid in the replay"),
    Column("drift_mm", "drift mm", "off the planned place at the end of the replay", 0),
    Column("saturation_pct", "sat. %", "share of the time with some motor at its limit"),
    Column("slower", "slower", "times slower than the person", 2),
    Column("stride", "stride", "share of the person's steps, scaled by the legs", 2),
    Column("leg_correlation", "legs r", "correlation of the legs' angles with the person's", 2),
    Column("upper_correlation", "upper r", "correlation of trunk and arms with the person's", 2),
    Column("placement_mm", "place mm", "mean error of the footprints", 0),
    Column("placement_pct", "place %", "the same as a share of the step length", 0),
    Column("phase_timing_ms", "phase ms", "mean error of contacts and toe-offs", 0),
    Column("heel_height_mm", "heel mm", "mean error of the heels' height"),
    Column("toe_height_mm", "toe mm", "mean error of the toes' height"),
    Column("cadence_per_min", "steps/min", "of the robot", 0),
    Column("person_cadence_per_min", "person's", "steps/min of the person", 0),
    Column("asked_steps", "asked", "steps that were asked for", 0),
    Column("steps", "steps", "steps that were made", 0),
    Column("distance_m", "way m", "from beginning to end", 2),
    Column("duration_s", "lasts s", "duration of the motion"),
    Column("fell_because", "fell because", "what gave out while the walk was made"),
    Column("cpu_seconds", "cost s", "processor time of making and judging it"),
    Column("motion", "motion", "the file"),
    Column("input", "read from", "the file of the recording"),
)


def ranked(results: Iterable[Result]) -> list[Result]:
    """Results by quality: good ones first, then the fewer questions fail, then the more room.

    Room is what the most used limit leaves. Equals are in the order of their keys.
    """

    def worth(result: Result) -> tuple[int, int, float, str]:
        figures = result.figures
        used = figures.get("used_pct")
        return (
            KINDS.index(result.kind),
            int(figures.get("questions_failed") or 0),
            float("inf") if used is None else float(used),
            result.key,
        )

    return sorted(results, key=worth)


def rows_of(results: Sequence[Result]) -> list[Row]:
    """A row a result; `results` are already in order."""
    return [
        {
            "rank": rank,
            "kind": result.kind,
            "robot": result.robot,
            **result.figures,
            "cpu_seconds": result.run.get("cpu_seconds"),
            "reason": result.reason or None,
            "motion": f"results/{result.key}.npz" if result.made else None,
        }
        for rank, result in enumerate(results, start=1)
    ]


def columns_of(rows: Sequence[Row]) -> list[Column]:
    """The columns in which any row has something; knobs that a grid varied come after the style."""
    used = {name for row in rows for name, value in row.items() if value is not None}
    known = {column.name for column in COLUMNS}
    others = [name for row in rows for name in row if name not in known]
    knobs = [Column(name, name, "as the grid set it", 3) for name in dict.fromkeys(others)]
    place = next(k for k, column in enumerate(COLUMNS) if column.name == "questions_failed")
    columns = [*COLUMNS[:place], *knobs, *COLUMNS[place:]]
    return [column for column in columns if column.name in used]


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """The table as CSV, with every digit; what was not measured is empty."""
    text = io.StringIO()
    names = [column.name for column in columns_of(rows)]
    writer = csv.DictWriter(text, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    with write_whole(path) as file:
        file.write(text.getvalue().encode())


def write_parquet(rows: Sequence[Row], path: Path) -> bool:
    """The table as Parquet; False where the package pyarrow is missing."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return False
    arrays = {c.name: _one_type([row.get(c.name) for row in rows]) for c in columns_of(rows)}
    table = pyarrow.table(arrays)
    with write_whole(path) as file:
        pyarrow.parquet.write_table(table, file)
    return True


def _one_type(values: list[Any]) -> list[Any]:
    """A column needs one type: a knob that was given as 1 and as 0.9 is a number with a point."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    return values if len(kinds) <= 1 else [None if v is None else str(v) for v in values]


def write_failures(results: Sequence[Result], path: Path) -> None:
    """A line of JSON for every job without a good motion, with the reason."""
    lines = [
        json.dumps(
            {
                "key": result.key,
                "kind": result.kind,
                "reason": result.reason,
                "verb": result.verb,
                "robot": result.robot,
                "input": result.figures.get("input") or result.figures.get("style"),
                "motion": f"results/{result.key}.npz" if result.kind == NOT_GOOD else None,
            }
        )
        for result in results
        if result.kind != GOOD
    ]
    with write_whole(path) as file:
        file.write("".join(f"{line}\n" for line in lines).encode())
