"""Contacts as JSON: a list of {part, start, end, surface: {pose}, points}."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from poise.contacts import ContactPlan, Touch
from poise.errors import BadInput
from poise.io.source import bad


def contact_text(plan: ContactPlan, where: str | Path) -> str:
    """A contact plan as JSON: seconds and metres, poses as x y z qx qy qz qw."""
    rows = [
        {
            "part": touch.part,
            "start": float(touch.start),
            "end": float(touch.end),
            "surface": {"pose": pin.SE3ToXYZQUAT(touch.T_world_surface).tolist()},
            "points": np.asarray(touch.points, dtype=float).tolist(),
        }
        for touch in plan.touches
    ]
    try:
        return json.dumps(rows, allow_nan=False)
    except ValueError:
        raise bad(where, "contacts", "holding NaN or infinity", "finite numbers") from None


def contact_plan(text: str, where: str | Path) -> ContactPlan:
    """The contact plan that JSON describes, or one sentence about the entry at fault."""
    rows = parsed_json(text, where, "contacts")
    if not isinstance(rows, list):
        raise bad(where, "contacts", f"a {type(rows).__name__}", "a JSON list of touches")
    return ContactPlan(tuple(_touch(row, f"contacts[{k}]", where) for k, row in enumerate(rows)))


def parsed_json(text: str, where: str | Path, field: str) -> Any:
    """JSON as Python values, or one sentence."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise bad(where, field, f"broken JSON ({error})", "valid JSON") from None


def _touch(row: Any, name: str, where: str | Path) -> Touch:
    if not isinstance(row, Mapping):
        raise bad(where, name, f"a {type(row).__name__}", "{part, start, end, surface, points}")
    for key in ("part", "start", "end", "surface", "points"):
        if key not in row:
            raise bad(where, f"{name}.{key}", "missing", "{part, start, end, surface, points}")
    if not isinstance(row["part"], str):
        raise bad(where, f"{name}.part", repr(row["part"]), "the name of a part")
    surface = row["surface"]
    if not isinstance(surface, Mapping) or "pose" not in surface:
        raise bad(where, f"{name}.surface", "without pose", "{pose: [x, y, z, qx, qy, qz, qw]}")
    start, end = (float(_numbers(row[key], (), f"{name}.{key}", where)) for key in ("start", "end"))
    pose = _numbers(surface["pose"], (7,), f"{name}.surface.pose", where)
    length = float(np.linalg.norm(pose[3:]))
    if not 0.9 < length < 1.1:
        found = f"with a quaternion of length {length:.3g}"
        raise bad(where, f"{name}.surface.pose", found, "a unit quaternion qx qy qz qw")
    if abs(length - 1.0) > 1e-12:
        pose[3:] /= length
    points = _numbers(row["points"], (None, 3), f"{name}.points", where)
    return Touch(row["part"], start, end, pin.XYZQUATToSE3(pose), points)


def _numbers(value: Any, shape: tuple[int | None, ...], name: str, where: str | Path) -> np.ndarray:
    """Finite numbers of a shape; None stands for any length."""
    accepted = f"finite numbers of shape ({', '.join('k' if s is None else str(s) for s in shape)})"
    error: BadInput = bad(where, name, json.dumps(value)[:60], accepted if shape else "a number")
    if isinstance(value, list) and not value and shape[:1] == (None,):
        return np.zeros((0, *[s or 0 for s in shape[1:]]))
    try:
        array = np.array(value, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        raise error from None
    fits = array.ndim == len(shape) and all(
        s is None or s == length for s, length in zip(shape, array.shape, strict=True)
    )
    if not fits or not np.isfinite(array).all() or _holds_other_than_numbers(value):
        raise error
    return array


def _holds_other_than_numbers(value: Any) -> bool:
    """NumPy would turn texts and truth values into numbers without a word."""
    if isinstance(value, list):
        return any(_holds_other_than_numbers(item) for item in value)
    return isinstance(value, bool | str) or not math.isfinite(value)
