"""What a run was worth, in numbers: the figures that the command prints."""

from __future__ import annotations

from itertools import pairwise
from math import radians
from typing import Any

import numpy as np

from poise.engines.balance.engine import Trial
from poise.engines.balance.reference import Stance
from poise.engines.balance.scenario import Shove, Squat
from poise.motion import Motion
from poise.walking.pendulum import pendulum_rate

SETTLED = 0.002  # [m], a centre of pressure nearer to rest than this is back
BEFORE = 0.2  # [s], what counts as rest before a push
SMOOTH = 0.02  # [s], over which noise of the sensors is averaged before anything is judged
MILLI = 1e3


def figures_of(trial: Trial, motion: Motion) -> dict[str, Any]:
    """All figures of a run at the controller's own rate.

    Args:
        trial: what was tried.
        motion: the recording, every period, with the signals of the journal.
    """
    signals, robot, scenario = motion.signals, trial.robot, trial.scenario
    settled = motion.time >= BEFORE
    loads = signals["loads"][settled]
    total = loads.sum(axis=1)
    loop = scenario.options.loop(robot)
    error, steps = signals["feet_error"], trial.controller.recovery
    found: dict[str, Any] = {
        "feedback": scenario.options.feedback,
        "com_height_m": float(trial.controller.stance.com[2]),
        "omega": pendulum_rate(float(trial.controller.stance.com[2])),
        "slowest_root": None if loop is None else loop.slowest(),
        "feet_error_max_mm": MILLI * float(error[:, 0].max()),
        "feet_error_max_deg": float(np.rad2deg(error[:, 1].max())),
        "com_error_max_mm": MILLI * float(signals["com_error"][settled].max()),
        "com_error_end_mm": MILLI * float(signals["com_error"][-1, 0]),
        "least_load_share": float(loads.min() / robot.weight),
        "load_sum_off_max": float(np.abs(total / robot.weight - 1.0).max()),
        "share_min": float(signals["share"][settled].min()),
        "share_max": float(signals["share"][settled].max()),
        "zmp_error_step_max_mm": MILLI * _largest_step(signals["zmp_error"]),
        "recovery_steps": 0 if steps is None else steps.stepped,
        "slowest_factor": float(signals["slowed"].min()),
    }
    if scenario.pushes:
        found["pushes"] = [_push(trial, motion, push) for push in scenario.pushes]
    if scenario.squats:
        found["squats"] = [_squat(trial, motion, squat) for squat in scenario.squats]
    return found


def _push(trial: Trial, motion: Motion, push: Shove) -> dict[str, Any]:
    """What a push did to the ZMP along its direction, and how soon it was over."""
    time, robot = motion.time, trial.robot
    angle = radians(push.direction)
    along = np.array([np.cos(angle), np.sin(angle)])
    zmp = _smooth(motion, "felt_zmp") @ along
    com = motion.signals["com_held"][:, :2] @ along
    end, force = push.start + push.duration, push.newtons(robot.weight)
    rest = (time >= push.start - BEFORE) & (time < push.start)
    passive = force * float(trial.controller.stance.com[2]) / robot.weight
    told: dict[str, Any] = {
        "force_N": force,
        "direction_deg": push.direction,
        "impulse_Ns": force * push.duration * (1.0 if push.shape == "square" else 2.0 / np.pi),
        "passive_offset_mm": MILLI * passive,
    }
    if not rest.any() or time[-1] < end:
        return told | {"survived": False}
    zero, lean = float(zmp[rest].mean()), float(com[rest].mean())
    last = (time >= end - 0.05) & (time < end)
    gone = np.abs(_smooth(motion, "felt_zmp") - _smooth(motion, "felt_zmp")[rest].mean(axis=0))
    after = np.flatnonzero((time >= end) & (gone.max(axis=1) > SETTLED))
    offset = float(zmp[last].mean()) - zero
    settled = float(time[after[-1]] - end) if len(after) else 0.0
    return told | {
        "survived": True,
        "offset_end_mm": MILLI * offset,
        "offset_share": offset / passive if passive > 0.0 else 0.0,
        "peak_mm": MILLI * float(np.abs(zmp[(time >= push.start)] - zero).max()),
        "lean_mm": MILLI * (float(com[last].mean()) - lean),
        "settled_after_s": settled if after.size == 0 or after[-1] < len(time) - 1 else None,
    }


def _squat(trial: Trial, motion: Motion, squat: Squat) -> dict[str, Any]:
    """How well the squats were done, cycle by cycle."""
    time, signals, stance = motion.time, motion.signals, trial.controller.stance
    end = squat.start + squat.cycles * squat.period
    on = (time >= squat.start) & (time <= end)
    told: dict[str, Any] = {"depth_mm": MILLI * _depth(squat, stance), "period_s": squat.period}
    if time[-1] < end - 1e-6:
        return told | {"done": False}
    real = true_com(trial, motion)[:, 2]
    z_error = (real - signals["com_wish"][:, 2])[on]
    centre = {side: _smooth(motion, f"pressure_{side}") for side in ("left", "right")}
    rest = (time >= max(squat.start - BEFORE, 0.0)) & (time < squat.start)
    wish = float(stance.com[0])
    away = {side: np.abs(c - [wish, 0.0])[on] for side, c in centre.items()}
    loads = signals["loads"][on]
    per = round(squat.period / (time[1] - time[0]))
    first = int(np.flatnonzero(on)[0])
    rows = [
        motion.joints[first + k * per : first + (k + 1) * per] for k in range(int(squat.cycles))
    ]
    change = [float(np.sqrt(((b - a) ** 2).mean(axis=0)).max()) for a, b in pairwise(rows)]
    return told | {
        "done": True,
        "cycles": int(squat.cycles),
        "com_z_rms_mm": MILLI * float(np.sqrt((z_error**2).mean())),
        "com_z_max_mm": MILLI * float(np.abs(z_error).max()),
        "com_error_max_mm": MILLI * float(signals["com_error"][on].max()),
        "pressure_off_max_mm": {
            side: [MILLI * float(x) for x in a.max(axis=0)] for side, a in away.items()
        },
        "pressure_off_rest_mm": {
            side: [MILLI * float(x) for x in np.abs(c[rest] - [wish, 0.0]).mean(axis=0)]
            for side, c in centre.items()
        },
        "cycle_rms_rad": max(change[3:], default=None),
        "load_sum_off_max": float(
            np.abs(_running(loads.sum(axis=1), 20) / trial.robot.weight - 1.0).max()
        ),
        "share_off_max": float(np.abs(signals["share"][on] - 0.5).max()),
    }


def true_com(trial: Trial, motion: Motion) -> np.ndarray:
    """Centre of mass from the truth of a recording, above the left foot's frame [m], (n, 3).

    The feet stand on the floor, so what counts is the height over the soles.
    """
    robot = trial.robot
    from poise.engines.balance.rooted import Rooted

    rooted = Rooted(robot, robot.feet[0])
    return np.array([rooted.see(q[7:]).copy() for q in motion.q])


def _depth(squat: Squat, stance: Stance) -> float:
    return squat.depth if squat.depth > 0.0 else squat.relative_depth * float(stance.com[2])


def _smooth(motion: Motion, name: str) -> np.ndarray:
    width = max(round(SMOOTH / (motion.time[1] - motion.time[0])), 1)
    return np.column_stack([_running(column, width) for column in motion.signals[name].T])


def _running(column: np.ndarray, width: int) -> np.ndarray:
    """Centred mean over some rows; the ends keep their own value."""
    padded = np.r_[
        np.full(width // 2, column[0]), column, np.full(width - 1 - width // 2, column[-1])
    ]
    total = np.cumsum(np.r_[0.0, padded])
    return (total[width:] - total[:-width]) / width


def _largest_step(rows: np.ndarray) -> float:
    """Largest change of a vector signal from one period to the next, after the first one."""
    return float(np.linalg.norm(np.diff(rows[50:], axis=0), axis=1).max(initial=0.0))
