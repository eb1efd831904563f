"""Doing a job: what every worker runs, here or on another machine."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path
from threading import Lock
from time import perf_counter, process_time
from typing import Any

from poise.checks import Report
from poise.door import examine, imitated, save, walk
from poise.errors import BadInput, PoiseError
from poise.fleet.jobs import ImitateJob, Parcel, WalkJob
from poise.fleet.quality import quality
from poise.fleet.result import GOOD, NOT_GOOD, REFUSED, Result
from poise.motion import Motion
from poise.robot import Robot, load_robot

# robots and solvers are shared within a process: jobs take turns, however many threads there are
_ONE_AT_A_TIME = Lock()


def perform(parcel: Parcel) -> Result:
    """Make the motion of a job and have it judged; a refusal is a result too.

    The result, its timing aside, is the same bit for bit wherever this runs with the same
    version of everything on the same kind of processor.
    """
    job = parcel.job
    with _ONE_AT_A_TIME, tempfile.TemporaryDirectory() as name:
        folder, wall, cpu = Path(name), perf_counter(), process_time()
        try:
            for file in parcel.files:
                (folder / file.name).write_bytes(file.data)
            motion, robot, report, figures = _made(parcel, folder)
            save(motion, folder / "motion.npz", robot=robot)
            kind, reason = (GOOD, "") if report.ok else (NOT_GOOD, report.verdict)
            told: dict[str, Any] | None = report.to_json()
            data: bytes | None = (folder / "motion.npz").read_bytes()
            figures = job.about | figures | quality(report)
        except PoiseError as error:
            kind, reason = REFUSED, " ".join(str(error).replace(f"{folder}/", "").split())
            told, data, figures = None, None, dict(job.about)
        run = {
            "seconds": perf_counter() - wall,
            "cpu_seconds": process_time() - cpu,
            "host": socket.gethostname(),
            "pid": os.getpid(),
        }
    return Result(job.key, job.verb, job.robot, kind, reason, figures, told, data, run)


def _made(parcel: Parcel, folder: Path) -> tuple[Motion, Robot, Report, dict[str, Any]]:
    """Motion, robot, verdict and the engine's own figures, through the front door."""
    job = parcel.job
    robot = load_robot(job.model)
    if robot.model_hash != job.model_hash:
        found = "another one than where the batch was started"
        raise BadInput(job.robot, "its model here", found, "the same model on every machine")
    if isinstance(job, WalkJob):
        motion = walk(robot, job.style, job.steps)
        judged = examine(motion, robot, job.physics)
        return motion, robot, judged.report, _walk_figures(motion)
    assert isinstance(job, ImitateJob)
    trial = folder / parcel.files[0].name
    found_walk = imitated(robot, trial, options=job.options, physics=job.physics)
    return found_walk.motion, robot, found_walk.judged.report, _imitate_figures(found_walk.plan)


def _walk_figures(motion: Motion) -> dict[str, Any]:
    recipe = motion.recipe
    travelled = float(((motion.q[-1, :2] - motion.q[0, :2]) ** 2).sum() ** 0.5)
    return {
        "steps": recipe["steps_done"],
        "distance_m": travelled,
        "fell_because": recipe["fell_because"],
    }


def _imitate_figures(plan: Any) -> dict[str, Any]:
    from poise.engines.imitate.fidelity import fidelity

    like = fidelity(plan)
    return {
        "steps": len(plan.draft.walk.steps),
        "slower": like.slower,
        "stride": plan.draft.walk.stride,
        "leg_correlation": like.leg_correlation,
        "upper_correlation": like.upper_correlation,
        "placement_mm": 1e3 * like.placement,
        "placement_pct": 1e2 * like.placement_share,
        "cadence_per_min": like.cadence,
        "person_cadence_per_min": like.cadence_person,
        "phase_timing_ms": 1e3 * like.phase_timing,
        "heel_height_mm": 1e3 * like.heel_height,
        "toe_height_mm": 1e3 * like.toe_height,
    }
