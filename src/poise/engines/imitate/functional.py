"""Hip centres from functional trials: the thigh swings about, the pelvis watches (SCoRE)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.engines.imitate import frames
from poise.engines.imitate.body import Body, body_of
from poise.engines.imitate.filters import seen
from poise.engines.imitate.gaps import mean_shape
from poise.engines.imitate.joint_centres import (
    LEAST_RANGE,
    FunctionalCentre,
    functional_centre,
    too_little,
)
from poise.engines.imitate.rigid import rigid_fit
from poise.engines.imitate.subject import PELVIS, back_of_pelvis
from poise.errors import BadInput
from poise.motion import Recording
from poise.motion.marker_names import SIDES

STEADY = 0.008  # [m], that distances within a cluster may vary (standard deviation)
WANDERS = 0.04  # [m], that a marker of the thigh may vary in its distance to the knee
SWUNG = 0.6  # of the largest range of a trial: a leg that moves less only stands
MOST_FRAMES = 3000  # that are used; more are thinned out


@dataclass(frozen=True, eq=False)
class HipTrial:
    """A hip centre found in one trial."""

    side: str
    source: str
    place: np.ndarray  # [m], (3,), in the pelvis frame
    centre: FunctionalCentre


def functional_hips(recordings: Sequence[Recording]) -> tuple[HipTrial, ...]:
    """Hip centres of the legs that were swung, the best trial of each side.

    Refuses, in one sentence, when no leg moved enough in a recording.

    Args:
        recordings: functional trials with pelvis and thigh markers.
    """
    found: dict[str, HipTrial] = {}
    for recording in recordings:
        for trial in _hips_of(recording):
            before = found.get(trial.side)
            if before is None or trial.centre.motion_range > before.centre.motion_range:
                found[trial.side] = trial
    return tuple(found.values())


def _hips_of(recording: Recording) -> list[HipTrial]:
    """Hips of one trial that moved enough."""
    body = body_of(recording)
    have = set(body.points)
    back = "sacrum" in have or {"left_psis", "right_psis"} <= have
    if not {"left_asis", "right_asis"} <= have or not back:
        accepted = "markers on anterior and posterior spines (or sacrum) and three on the thigh"
        raise BadInput(body.source, "the pelvis", "not marked", accepted)
    trials: list[HipTrial] = []
    reasons: list[str] = []
    for side in SIDES:
        cluster = thigh_cluster(body, side)
        if len(cluster) < 3:
            reasons.append(f"the {side} thigh has {len(cluster)} markers (3 are needed)")
            continue
        trial = _hip(body, side, cluster)
        if trial is None:
            reasons.append(f"the {side} hip is not seen whole")
            continue
        why = too_little(trial.centre)
        if why is None:
            trials.append(trial)
        else:
            reasons.append(f"the {side} hip {why}")
    if not trials:
        accepted = f"a hip that is swung over at least {np.rad2deg(LEAST_RANGE):.0f} degrees"
        raise BadInput(
            body.source,
            "the functional trial",
            f"of no use ({'; '.join(reasons)})",
            accepted + " in two directions",
        )
    widest = max(trial.centre.motion_range for trial in trials)
    return [trial for trial in trials if trial.centre.motion_range > SWUNG * widest]


def thigh_cluster(body: Body, side: str) -> list[np.ndarray]:
    """Markers that go along with a thigh [m], (n, 3) each.

    They keep their distance to the lateral knee and lie between the knee and the pelvis; the
    shank keeps its distance too while the knee is straight, but lies below.
    """
    knee, spine = body.points.get(f"{side}_knee_lateral"), body.points.get(f"{side}_asis")
    if knee is None or spine is None:
        return []
    others = set(body.labels.values()) - {
        body.labels.get(f"{side}_{name}") for name in ("knee_lateral", "knee_medial", "thigh")
    }
    hip = spine - [0.0, 0.0, 0.05]
    technical: list[np.ndarray] = []
    named: list[np.ndarray] = [knee]
    for k, name in enumerate(body.marker_names):
        path = body.markers[:, k]
        both = seen(path) & seen(knee) & seen(hip)
        if name in others or both.sum() < 0.5 * len(body):
            continue
        along = (hip - knee)[both]
        part = np.median(np.sum((path - knee)[both] * along, axis=1) / np.sum(along**2, axis=1))
        distance = np.linalg.norm((path - knee)[both], axis=1)
        if -0.08 < part < 0.8 and distance.std() < WANDERS and distance.mean() > 0.02:
            (named if name in body.labels.values() else technical).append(path)
    # skin slides most where anatomy is marked: a cluster on the thigh itself comes first
    cluster = _rigid_together(technical)
    return cluster if len(cluster) >= 3 else _rigid_together(technical + named)


def _rigid_together(paths: list[np.ndarray]) -> list[np.ndarray]:
    """Without the markers that move most against the others, until all keep their distances."""
    left = list(paths)
    while len(left) > 2:
        sd = np.array([[np.nanstd(np.linalg.norm(p - q, axis=1)) for q in left] for p in left])
        if sd.max() < STEADY:
            break
        left.pop(int(np.argmax(sd.sum(axis=1))))
    return left


def _hip(body: Body, side: str, cluster: list[np.ndarray]) -> HipTrial | None:
    """Centre of one hip in the pelvis frame, or None where too little is seen together."""
    names = [name for name in PELVIS if name in body.points]
    pelvis = np.stack([body.points[name] for name in names], axis=1)
    thigh = np.stack(cluster, axis=1)
    whole = np.isfinite(pelvis).all(axis=(1, 2)) & np.isfinite(thigh).all(axis=(1, 2))
    rows = np.flatnonzero(whole)
    if len(rows) < 10:
        return None
    rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), MOST_FRAMES)).astype(int)]
    points = {name: path[rows] for name, path in body.points.items()}
    direct = frames.pelvis_axes(points["left_asis"], points["right_asis"], back_of_pelvis(points))
    origin = 0.5 * (points["left_asis"] + points["right_asis"])
    shape = np.median(np.einsum("nji,nfj->nfi", direct, pelvis[rows] - origin[:, None]), axis=0)
    R1, t1 = rigid_fit(shape, pelvis[rows])
    R2, t2 = rigid_fit(mean_shape(thigh[rows]), thigh[rows])
    centre = functional_centre(R1, t1, R2, t2)
    # both images of the centre in the pelvis: its own, and the thigh's on average
    from_thigh = np.einsum("nji,nj->ni", R1, R2 @ centre.in_second + t2 - t1).mean(axis=0)
    return HipTrial(side, body.source, 0.5 * (centre.in_first + from_thigh), centre)
