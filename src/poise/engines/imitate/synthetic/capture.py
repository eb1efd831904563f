"""The laboratory of the synthetic person: markers, force plates, and the faults of real files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from poise.engines.imitate.synthetic.gait import Gait
from poise.engines.imitate.synthetic.person import marker_places
from poise.engines.imitate.synthetic.truth import G, Truth
from poise.motion import ForcePlate, Recording

PLATE_RATE = 10  # samples a frame
PLATE = (0.60, 0.42)  # [m], along and across


def captured(
    truth: Truth, source: str = "synthetic.c3d", plates: Sequence[int] = (3, 4)
) -> Recording:
    """What cameras and force plates see of a truth, without noise.

    Args:
        truth: the person over time.
        source: a name for the recording.
        plates: footprints of a walk below which a plate lies.
    """
    names, paths = [], []
    for segment, places in marker_places(truth.person).items():
        for label, place in places.items():
            names.append(label)
            paths.append(truth.segments[segment].point(place))
    found: tuple[ForcePlate, ...] = ()
    if truth.gait is not None:
        found = tuple(_plate(truth, truth.gait, step) for step in plates)
    notes = {"format": "synthetic", "mass": truth.person.mass, "height": truth.person.height}
    return Recording(source, truth.rate, tuple(names), np.stack(paths, axis=1), found, notes=notes)


def _plate(truth: Truth, gait: Gait, step: int) -> ForcePlate:
    """The plate below one footprint: the foot's share of weight and inertia, from heel to toes."""
    side, place, yaw = gait.print_of(step)
    person = truth.person
    rate = PLATE_RATE * truth.rate
    time = np.arange(PLATE_RATE * len(truth.time)) / rate
    total = _total_force(truth, time)
    start = gait.contact_time(step)
    share = _share(gait, time - start)
    force = share[:, None] * total
    force[share <= 0.0] = 0.0
    u = np.clip((time - start) / (gait.step_time + gait.double_support), 0.0, 1.0)
    along = person.foot * (0.06 + 0.90 * u**1.3)
    ahead = np.array([np.cos(yaw), np.sin(yaw)])
    cop = np.column_stack([place + along[:, None] * ahead, np.zeros(len(time))])
    middle = np.r_[place + 0.5 * person.foot * ahead, 0.0]
    heading = float(gait.path.heading(np.array([(step - 1) * gait.step_length]))[0])
    x = np.array([np.cos(heading), np.sin(heading), 0.0]) * 0.5 * PLATE[0]
    y = np.array([-np.sin(heading), np.cos(heading), 0.0]) * 0.5 * PLATE[1]
    # in the order of the C3D standard, with the plate's z down
    corners = middle + np.array([x - y, -x - y, -x + y, x + y])
    moment = np.cross(cop - middle, force)
    return ForcePlate(corners, rate, force, moment, {"type": 2, "foot": side})


def _total_force(truth: Truth, time: np.ndarray) -> np.ndarray:
    """Mass times acceleration and gravity [N], (n, 3), smooth between the frames."""
    acceleration = np.gradient(np.gradient(truth.com, truth.time, axis=0), truth.time, axis=0)
    acceleration[:, 2] += G
    columns = [np.interp(time, truth.time, acceleration[:, k]) for k in range(3)]
    return truth.person.mass * np.column_stack(columns)


def _share(gait: Gait, t: np.ndarray) -> np.ndarray:
    """Part of the load that a foot carries, t [s] after its contact."""

    def ramp(u: np.ndarray) -> np.ndarray:
        u = np.clip(u, 0.0, 1.0)
        return u * (2.0 - u) * (1.0 - u) + u**2 * (3.0 - 2.0 * u) * u  # steep at first

    up = ramp(t / gait.double_support)
    down = ramp((gait.step_time + gait.double_support - t) / gait.double_support)
    return np.where(t < 0.0, 0.0, np.minimum(up, down)) * (t < gait.step_time + gait.double_support)


def with_noise(recording: Recording, sigma: float, seed: int = 0) -> Recording:
    """Markers with independent noise of a standard deviation [m] on every axis."""
    rng = np.random.default_rng(seed)
    return replace(
        recording, markers=recording.markers + rng.normal(0.0, sigma, recording.markers.shape)
    )


def with_gaps(recording: Recording, seconds: float, count: int = 10, seed: int = 0) -> Recording:
    """Markers that are lost for a while, one after the other at random places."""
    rng = np.random.default_rng(seed)
    markers = np.array(recording.markers)
    length = max(1, round(seconds * recording.rate))
    for _ in range(count):
        k = int(rng.integers(markers.shape[1]))
        a = int(rng.integers(5, len(markers) - length - 5))
        markers[a : a + length, k] = np.nan
    return replace(recording, markers=markers)


def exchanged(
    recording: Recording, labels: Sequence[tuple[str, str]], start: float = 0.0, end: float = np.inf
) -> Recording:
    """Pairs of markers whose labels are exchanged between two instants [s]."""
    markers = np.array(recording.markers)
    rows = (recording.time >= start) & (recording.time < end)
    for a, b in labels:
        i, j = recording.marker_names.index(a), recording.marker_names.index(b)
        markers[rows, i], markers[rows, j] = markers[rows, j], markers[rows, i].copy()
    return replace(recording, markers=markers)
