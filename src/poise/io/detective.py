"""Which dialect a file is in, and how sure that is.

The bytes tell most of it. Where they cannot (xyzw or wxyz, degrees or radians, centimetres or
metres, which joint is which column), every reading is tried on the robot and forward kinematics
decides; what was found, and how sure it is, is said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from poise.io.contents import Content, content_of
from poise.io.dialects import kimodo_csv, mujoco_csv, soma_csv, unitree_csv
from poise.io.dialects.dialect import Dialect
from poise.io.evidence import Clue, Sample, body_of, clues
from poise.io.layout import Layout
from poise.io.orders import ORDERS, columns, joint_order, swapped
from poise.io.registry import BY_SUFFIX, DIALECTS
from poise.io.rows import Rows, check_rows
from poise.io.source import Source, bad, read_source
from poise.io.table import read_table
from poise.robot import Robot

SURE = 0.9  # from here on nobody need look twice
MOST_CERTAIN = 0.999
SENSELESS = 0.01  # below this a guess about extra columns is not worth making
SOMETHING_ELSE = 24.0  # what none of the readings may cost before doubting all of them

# how common each reading is before looking, when the dialect does not declare it
_QUATERNION = {"xyzw": 0.6, "wxyz": 0.4}
_LENGTH = {"m": 0.9, "cm": 0.07, "mm": 0.03}
_ANGLE = {"rad": 0.9, "deg": 0.1}
_ORDER = {"tree": 0.7, "robot": 0.12, "breadth": 0.1, "document": 0.08}
_SWAPPED = 0.05
_DECLARED = 0.97  # how far a dialect's own words are trusted


@dataclass(frozen=True)
class Verdict:
    """Which dialect a file is in, how sure that is (0 to 1), and why."""

    dialect: str
    certainty: float
    reasons: tuple[str, ...]
    alternatives: tuple[tuple[str, float], ...] = ()  # other readings and their chances
    layout: Layout | None = None  # what the numbers mean, where rows of numbers were read

    @property
    def sure(self) -> bool:
        """Whether nobody need look twice."""
        return self.certainty >= SURE

    def __str__(self) -> str:
        return f"{self.dialect} ({100 * self.certainty:.3g} % sure): {'; '.join(self.reasons)}"


@dataclass(frozen=True, eq=False)
class Finding:
    """A verdict with the rows it is about, so that nobody reads the file twice."""

    verdict: Verdict
    source: Source
    rows: Rows | None = None
    cost: float = 0.0  # of the best reading, for comparing robots


def sniff(path: str | Path, robot: Robot) -> Verdict:
    """Which dialect a file is in, and how sure that is.

    Args:
        path: the file.
        robot: whose motion it is; its kinematics decide where the bytes cannot.
    """
    return investigate(read_source(path), robot).verdict


def investigate(source: Source, robot: Robot, dialect: Dialect | None = None) -> Finding:
    """Look at a file's bytes and, where they leave it open, at what a robot would do.

    Args:
        source: the file.
        robot: whose motion it is.
        dialect: taken at its word when given; the doubts are told all the same.
    """
    content = (
        content_of(source) if dialect is None else Content((dialect.name,), "as was said", 1.0)
    )
    names = content.dialects
    found = DIALECTS[names[0]] if len(names) == 1 else _by_width(names, source, robot)
    reasons = [content.reason]
    expected = BY_SUFFIX.get(source.path.suffix.lower())
    if dialect is None and source.path.suffix.lower() != found.suffix:
        reasons.append(
            f"the suffix '{source.path.suffix}' says otherwise ({expected or 'nothing'})"
        )
    if found.rows is None or found.layout is None:
        return Finding(Verdict(found.name, content.certainty, tuple(reasons)), source)
    rows = found.rows(source, robot)
    check_rows(rows, robot)
    declared = found.layout(robot, rows)
    readings = _readings(robot, rows, found, declared, strict=len(names) == 1)
    ranked, rate = _ranked(robot, rows, found, readings)
    best = ranked[0]
    if dialect is not None:
        best = next((r for r in ranked if r.layout == declared), ranked[0])
        if best is not ranked[0]:
            reasons.append(f"but it looks like {ranked[0].layout} ({_percent(ranked[0].chance)})")
    rival = next((r for r in ranked if r is not best), None)
    reasons += _comparison(best, rival)
    if rows.time is None and rows.rate is None:
        reasons.append(f"the rate is not in the file ({rate:g} Hz usual)")
    if len(names) > 1 and found.name == mujoco_csv.NAME and best.chance < SENSELESS:
        fits = f"{robot.nq} for {robot.name}, or {1 + robot.nq} with time stamps first"
        found_text = f"{content.reason}, which make no sense with the first one as time"
        raise bad(source.path, "the table", found_text, fits)
    name = found.name
    if len(names) > 1 and rows.time is None and rows.speeds is None:
        name = kimodo_csv.NAME if best.layout.quaternion == "wxyz" else unitree_csv.NAME
    certainty = min(best.chance * content.certainty, MOST_CERTAIN)
    others = tuple((str(r.layout), round(r.chance, 6)) for r in ranked if r is not best)[:4]
    verdict = Verdict(name, certainty, tuple(reasons), others, best.layout)
    return Finding(verdict, source, rows, best.cost)


def _by_width(names: tuple[str, ...], source: Source, robot: Robot) -> Dialect:
    """Of the tables without names: 7 + joints columns, or MuJoCo's with time or velocities."""
    width = read_table(source).rows.shape[1]
    timed = width in (1 + robot.nq, robot.nq + robot.nv, 1 + robot.nq + robot.nv)
    return DIALECTS[mujoco_csv.NAME if timed else names[0]]


# -- readings --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Reading:
    """One way to understand the numbers, and what speaks against it."""

    layout: Layout
    chance: float
    clues: tuple[Clue, ...] = ()
    cost: float = 0.0


def _readings(
    robot: Robot, rows: Rows, dialect: Dialect, declared: Layout, strict: bool
) -> list[Reading]:
    """Every layout worth trying with its chance before looking; equal ones count once."""
    if dialect.name == soma_csv.NAME:
        return [Reading(declared, 1.0)]
    orders: dict[tuple[str, ...], tuple[str, float]] = {}

    def offer(name: str, joints: tuple[str, ...], chance: float) -> None:
        if joints in orders:
            orders[joints] = (orders[joints][0], orders[joints][1] + chance)
        else:
            orders[joints] = (name, chance)

    if rows.names is not None:
        offer(declared.order, declared.joints, 1.0)
    else:
        for name in ORDERS:
            joints = joint_order(robot, name)
            offer(name, joints, _ORDER[name] * (1.0 - _SWAPPED))
        for name in ORDERS:
            joints = swapped(robot, joint_order(robot, name))
            offer(f"left-right swapped {name}", joints, _ORDER[name] * _SWAPPED)
    quaternions = dict(_QUATERNION)
    if strict:
        quaternions = {
            name: _DECLARED if name == declared.quaternion else 1.0 - _DECLARED
            for name in quaternions
        }
    readings = []
    for (q, pq), (length, pl), (angle, pa), (joints, (order, po)) in product(
        quaternions.items(), _LENGTH.items(), _ANGLE.items(), orders.items()
    ):
        layout = Layout(q, length, angle, order, joints)
        readings.append(Reading(layout, pq * pl * pa * po))
    return readings


def _ranked(
    robot: Robot, rows: Rows, dialect: Dialect, readings: list[Reading]
) -> tuple[list[Reading], float]:
    """Readings by their chance after looking, and the rate that was supposed [Hz]."""
    rate = rows.rate or dialect.usual_rate or 30.0
    if rows.time is not None and len(rows) > 1:
        rate = (len(rows) - 1) / float(rows.time[-1] - rows.time[0])
    sample = Sample.of(rows, rate)
    bodies = {
        key: body_of(robot, rows, sample, layout)
        for key, layout in {(r.layout.joints, r.layout.angle): r.layout for r in readings}.items()
    }
    judged = []
    for reading in readings:
        body = bodies[reading.layout.joints, reading.layout.angle]
        found = clues(robot, rows, sample, reading.layout, body)
        judged.append(replace(reading, clues=found, cost=sum(clue.cost for clue in found)))
    judged = _merged(robot, rows, sample, judged)
    logs = np.array([np.log(r.chance) - r.cost for r in judged] + [-SOMETHING_ELSE])
    chances = np.exp(logs - logs.max())
    chances /= chances.sum()
    ranked = [replace(r, chance=float(c)) for r, c in zip(judged, chances[:-1], strict=True)]
    return sorted(ranked, key=lambda r: -r.chance), rate


def _merged(robot: Robot, rows: Rows, sample: Sample, readings: list[Reading]) -> list[Reading]:
    """Readings that give the very same motion are one: it does not matter which is meant."""

    def motion(layout: Layout, chosen: np.ndarray | slice) -> tuple[np.ndarray, ...]:
        order = columns(robot, layout.joints)
        return (
            layout.metre * rows.position[chosen],
            layout.quat_xyzw(rows.quaternion[chosen]),
            layout.radian * rows.joints[chosen][:, order],
        )

    found: dict[bytes, list[Reading]] = {}
    for reading in sorted(readings, key=lambda r: -r.chance):
        mine = motion(reading.layout, sample.rows)
        alike = found.setdefault(b"".join(np.ascontiguousarray(x).tobytes() for x in mine), [])
        for k, first in enumerate(alike):
            pairs = zip(
                motion(first.layout, slice(None)),
                motion(reading.layout, slice(None)),
                strict=True,
            )
            if all(np.array_equal(a, b) for a, b in pairs):
                alike[k] = replace(first, chance=first.chance + reading.chance)
                break
        else:
            alike.append(reading)
    return [reading for alike in found.values() for reading in alike]


# -- words -----------------------------------------------------------------------------


def _comparison(best: Reading, rival: Reading | None) -> list[str]:
    """What was decided, on what grounds, and what its closest rival would mean."""
    if rival is None or not best.clues:
        return [f"read as {best.layout}"]
    pairs = zip(best.clues, rival.clues, strict=True)
    telling = sorted(pairs, key=lambda pair: pair[0].cost - pair[1].cost)
    shown = ", ".join(str(mine) for mine, _ in telling[:3])
    mine, theirs = telling[0]
    against = f"{theirs}" if theirs.cost - mine.cost > 0.1 else "as good, only rarer"
    return [
        f"read as {best.layout}: {shown}",
        f"read as {rival.layout}: {against} ({_percent(rival.chance)})",
    ]


def _percent(chance: float) -> str:
    return f"{100 * chance:.2g} %"
