"""The synthetic person's visit to the laboratory: a walk with a turn, a static, two hip trials."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.engines.imitate.synthetic import (
    Truth,
    captured,
    standing,
    swinging,
    walking,
    with_noise,
)
from poise.io.recordings import write_c3d
from poise.motion import Recording
from poise.motion.marker_names import SIDES


@dataclass(frozen=True, eq=False)
class SyntheticTrial:
    """Recordings of a person whose truth is known."""

    walk: Recording  # straight, then a quarter turn; 37 markers, two force plates
    static: Recording
    functional: tuple[Recording, ...]  # left hip, right hip
    truth: Truth  # of the walk


def synthetic_trial(
    noise: float = 0.0, motion_range: float = np.deg2rad(40.0), seed: int = 0
) -> SyntheticTrial:
    """A walk with its calibration trials.

    Args:
        noise: standard deviation of every marker coordinate [m].
        motion_range: of the hips in the functional trials, from end to end [rad].
        seed: of the noise.
    """
    truth = walking()
    recordings = [captured(truth, "walk.c3d"), captured(standing(), "static.c3d")]
    recordings += [captured(swinging(side, motion_range), f"{side}_hip.c3d") for side in SIDES]
    if noise > 0.0:
        recordings = [with_noise(r, noise, seed + k) for k, r in enumerate(recordings)]
    return SyntheticTrial(recordings[0], recordings[1], tuple(recordings[2:]), truth)


def write_synthetic_trial(folder: str | Path, trial: SyntheticTrial | None = None) -> list[Path]:
    """Write all recordings of a trial as C3D files into a folder, the walk first.

    Args:
        folder: that exists.
        trial: what to write; one without noise when absent.
    """
    trial = synthetic_trial() if trial is None else trial
    person = trial.truth.person
    paths = []
    for recording in (trial.walk, trial.static, *trial.functional):
        path = Path(folder) / recording.source
        write_c3d(recording, path, {"mass": person.mass, "height": person.height})
        paths.append(path)
    return paths
