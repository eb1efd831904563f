"""What the report's page shows, as plain values: numbers packed small, texts as they are."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from poise.checks.evidence import Evidence
from poise.checks.finding import Finding
from poise.checks.report import Report
from poise.checks.surfaces import Surface
from poise.checks.zmp import zmp_track
from poise.motion import Motion
from poise.robot import Robot
from poise.robot.quaternion import quat_of
from poise.robot.robot import BASE_Q, BASE_V

RATE = 50.0  # [Hz], of the playback
MOST_FRAMES = 3000  # a longer motion is shown at a lower rate

Values = dict[str, Any]


def page_values(
    report: Report,
    motion: Motion,
    robot: Robot,
    surfaces: Sequence[Surface],
    replayed: Motion | None = None,
) -> Values:
    """Everything the page needs, ready for JSON.

    Args:
        report: the verdict; a motion that could not be read has only that to show.
        motion: what was judged.
        robot: whose motion it is.
        surfaces: how the robot looks.
        replayed: what happened in a simulator, drawn beside the motion.
    """
    values: Values = {
        "robot": robot.title or robot.name,
        "ok": report.ok,
        "verdict": report.verdict,
        "facts": _facts(motion, robot),
        "findings": [_finding(finding) for finding in report.findings],
        "played": None,
    }
    if report.evidence is not None:
        values["played"] = _played(report, report.evidence, surfaces, replayed)
    return values


def _facts(motion: Motion, robot: Robot) -> list[str]:
    duration = motion.duration
    facts = [f"{duration:.2f} s", f"{len(motion)} instants"] if duration > 0.0 else []
    if duration > 0.0:
        facts.append(f"{motion.rate:.0f} Hz")
    facts += [f"{robot.na} joints", f"{robot.mass:.3g} kg"]
    engine = motion.recipe.get("engine")
    return facts + ([f"made by {engine}"] if isinstance(engine, str) else [])


def _finding(finding: Finding) -> Values:
    mark, question, worst, limit, unit, where, _ = finding.row()
    return {
        "mark": mark,
        "question": question,
        "worst": worst,
        "limit": limit,
        "unit": unit,
        "where": where,
        "when": finding.when if finding.when is None or math.isfinite(finding.when) else None,
        "detail": finding.detail,
    }


def _played(
    report: Report, evidence: Evidence, surfaces: Sequence[Surface], replayed: Motion | None
) -> Values:
    robot = evidence.robot
    rows = chosen_rows(evidence.time, [f.when for f in report.findings if f.when is not None])
    balance = zmp_track(evidence)
    return {
        "height": max(robot.height, 0.1),
        "weight": robot.weight,
        "tree": _tree(robot),
        "surfaces": [_surface(surface) for surface in surfaces],
        "time": packed(evidence.time[rows]),
        "q": packed(evidence.q[rows]),
        "replay": None if replayed is None else _replay(replayed, robot, evidence.time[rows]),
        "com": packed(evidence.com[rows]),
        "zmp": packed(balance.zmp[rows]),
        "margin": packed(1e3 * balance.margin[rows]),
        "supports": _supports(evidence, balance.polygons),
        "touches": _touches(evidence),
        "forces": _forces(evidence, rows),
        "soles": {
            part: packed(1e3 * outline[rows, :, 2].min(axis=1))
            for part, outline in evidence.soles.items()
        },
        "joints": {
            "names": list(robot.joint_names),
            "lower": _numbers(robot.lower),
            "upper": _numbers(robot.upper),
            "fastest": _numbers(robot.velocity_limit),
            "strongest": _numbers(robot.effort_limit),
            "rates": packed(evidence.v[rows][:, BASE_V:]),
            "torques": packed(evidence.torques[rows]),
            "first": _busiest(evidence),
        },
    }


def chosen_rows(time: np.ndarray, wanted: Sequence[float]) -> np.ndarray:
    """Rows at the rate of the playback, and those around every wanted instant [s]."""
    span = float(time[-1] - time[0])
    count = int(np.clip(span * RATE, 1, MOST_FRAMES)) + 1
    rows = np.searchsorted(time, np.linspace(time[0], time[-1], count) - 1e-9)
    near = [int(np.abs(time - t).argmin()) + d for t in wanted for d in (-1, 0, 1)]
    return np.unique(np.clip([*rows.tolist(), *near], 0, len(time) - 1))


def packed(array: np.ndarray) -> Values:
    """An array of numbers as base64 of 32-bit floats, rows first."""
    flat = np.ascontiguousarray(array, dtype="<f4")
    return {"n": list(flat.shape), "f32": base64.b64encode(flat.tobytes()).decode()}


def _surface(surface: Surface) -> Values:
    """Vertices as 16-bit steps between the corners of their box, faces as they are."""
    low = surface.vertices.min(axis=0)
    span = float(np.ptp(surface.vertices, axis=0).max()) or 1.0
    steps = np.round((surface.vertices - low) / span * 65535.0).astype("<u2")
    wide = len(surface.vertices) > 65535
    faces = np.ascontiguousarray(surface.faces, dtype="<u4" if wide else "<u2")
    return {
        "joint": surface.joint,
        "rgb": list(surface.rgb),
        "low": _numbers(low),
        "step": span / 65535.0,
        "u16": base64.b64encode(steps.tobytes()).decode(),
        "faces": base64.b64encode(faces.tobytes()).decode(),
        "wide": wide,
    }


def _tree(robot: Robot) -> list[Values]:
    """The joints of the model from the base on: parent, placement, axis, kind."""
    model, data = robot.model, robot.model.createData()
    pin.forwardKinematics(model, data, pin.neutral(model), np.zeros(model.nv))
    tree = []
    for k in range(1, model.njoints):
        placement = model.jointPlacements[k]
        axis = np.zeros(6)
        if model.joints[k].nv == 1:
            axis = np.asarray(data.joints[k].S).reshape(6, -1)[:, 0]
        slides = bool(np.abs(axis[:3]).max() > 0.5)
        tree.append(
            {
                "parent": model.parents[k],
                "at": _numbers(placement.translation),
                "turn": _numbers(quat_of(placement.rotation)),
                "axis": _numbers(axis[:3] if slides else axis[3:]),
                "slides": slides,
            }
        )
    return tree


def _replay(replayed: Motion, robot: Robot, time: np.ndarray) -> Values:
    """The replayed configurations at the instants of the page."""
    ordered = replayed.ordered_as(robot.joint_names)
    start = ordered.time[0]
    rows = np.searchsorted(ordered.time - start, time - time[0] - 1e-9)
    rows = np.clip(rows, 0, len(ordered) - 1)
    until = float(time[0] + ordered.time[-1] - start)
    q = ordered.q[rows]
    q[time > until + 1e-6] = np.nan  # after a fall nothing was recorded
    return {"q": packed(q), "until": until}


def _supports(evidence: Evidence, polygons: dict[int, np.ndarray]) -> list[Values]:
    """The support polygon of every flat phase, where it is in the middle of the phase."""
    supports = []
    for phase in evidence.phases:
        polygon = polygons.get(phase.start)
        if polygon is None:
            continue
        heights = [evidence.touches[i].anchors[:, 2].mean() for i in phase.touches]
        supports.append(
            {
                "from": evidence.when(phase.start),
                "to": evidence.when(min(phase.stop, evidence.n - 1)),
                "z": float(np.mean(heights)),
                "corners": [_numbers(corner) for corner in polygon[len(polygon) // 2]],
            }
        )
    return supports


def _touches(evidence: Evidence) -> list[Values]:
    return [
        {
            "part": touch.part,
            "from": float(max(touch.start, evidence.time[0])),
            "to": float(min(touch.end, evidence.time[-1])),
            "normal": _numbers(touch.normal),
            "points": [_numbers(point) for point in _around(touch.anchors, touch.normal)],
        }
        for touch in evidence.touches
        if touch.end >= evidence.time[0] and touch.start <= evidence.time[-1]
    ]


def _around(points: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Points in their order around their middle, so that they draw as an outline."""
    away = points - points.mean(axis=0)
    first = away[np.linalg.norm(away, axis=1).argmax()]
    second = np.cross(normal, first)
    return points[np.argsort(np.arctan2(away @ second, away @ first))]


def _forces(evidence: Evidence, rows: np.ndarray) -> dict[str, Values]:
    """Force on every part that touches, and where it acts."""
    forces = {}
    for part, wrench in evidence.carried.forces.items():
        f, m = wrench[rows, :3], wrench[rows, 3:]
        track = evidence.tracks[part]
        normal = track.rotation[rows][:, :, 2]
        size = np.maximum((f * f).sum(axis=1), 1e-9)[:, None]
        line = np.cross(f, m) / size  # the point of the line of action nearest to the frame
        along = (line * normal).sum(axis=1) / np.where(
            np.abs((f * normal).sum(axis=1)) > 1e-6, (f * normal).sum(axis=1), np.inf
        )
        at = track.position[rows] + line - along[:, None] * f
        forces[part] = {"force": packed(f), "at": packed(at)}
    return forces


def _busiest(evidence: Evidence) -> int:
    """The joint that uses most of its torque: the one to look at first."""
    limit = evidence.robot.effort_limit
    use = np.abs(evidence.torques) / np.where(limit > 0.0, limit, np.inf)
    return int(use.max(axis=0).argmax())


def _numbers(values: Sequence[float] | np.ndarray) -> list[float | None]:
    """Plain numbers with seven digits; what is not finite becomes None."""
    return [float(f"{x:.7g}") if math.isfinite(x) else None for x in np.asarray(values)]


__all__ = ["BASE_Q", "chosen_rows", "packed", "page_values"]
