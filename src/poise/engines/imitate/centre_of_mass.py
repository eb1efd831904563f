"""The person's centre of mass from joints and segments, after de Leva."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.engines.imitate.anthropometry import (
    ABOVE_HIPS,
    DE_LEVA,
    HAND_OF_FOREARM,
    HEAD_FROM_VERTEX_TO_C7,
    HEAD_OF_HEIGHT,
    TRUNK_FROM_C7,
    TRUNK_FROM_SHOULDERS,
    share,
)
from poise.engines.imitate.tracking import Segment
from poise.motion.marker_names import SIDES

LEG_OF_HEIGHT = 0.56  # anterior spines above the floor, in body heights


def centre_of_mass(
    joints: Mapping[str, np.ndarray],
    segments: Mapping[str, Segment],
    feet: Mapping[str, tuple[np.ndarray, np.ndarray]],
    leg: float,
    c7: np.ndarray | None = None,
    sex: int | None = None,
) -> tuple[np.ndarray, list[str]]:
    """Centre of mass [m], (n, 3), and what had to be guessed.

    Args:
        joints: centres of hips, knees, ankles, and of arms where known [m], (n, 3).
        segments: pelvis, and thorax where known.
        feet: heel and toe tip of each side [m], (n, 3).
        leg: height of the anterior spines [m].
        c7: the seventh neck vertebra [m], (n, 3), where marked.
        sex: 0 female, 1 male, None for the middle of both.
    """
    notes: list[str] = []
    parts: list[tuple[float, np.ndarray]] = []
    for side in SIDES:
        for name, a, b in (
            ("thigh", joints[f"{side}_hip"], joints[f"{side}_knee"]),
            ("shank", joints[f"{side}_knee"], joints[f"{side}_ankle"]),
            ("foot", *feet[side]),
        ):
            parts.append(_part(name, a, b, sex))
    mid_hip = 0.5 * (joints["left_hip"] + joints["right_hip"])
    height = leg / LEG_OF_HEIGHT
    shoulders = [joints.get(f"{side}_shoulder") for side in SIDES]
    if shoulders[0] is not None and shoulders[1] is not None and "thorax" in segments:
        parts += _upper(joints, segments["thorax"], mid_hip, height, c7, sex, notes)
    else:
        mass = share(DE_LEVA["head"].mass, sex) + share(DE_LEVA["trunk"].mass, sex)
        mass += 2.0 * sum(share(DE_LEVA[n].mass, sex) for n in ("upper_arm", "forearm", "hand"))
        up = (
            segments["thorax"].R[:, :, 1] if "thorax" in segments else segments["pelvis"].R[:, :, 1]
        )
        up = 0.5 * (up + [0.0, 0.0, 1.0])  # a trunk is more upright than a tilted pelvis tells
        parts.append((mass, mid_hip + ABOVE_HIPS * height * up))
        notes.append("centre of mass: head, arms and trunk as one mass above the hips")
    masses = np.array([mass for mass, _ in parts])
    places = np.stack([place for _, place in parts])
    return np.einsum("k,kni->ni", masses / masses.sum(), places), notes


def _part(name: str, a: np.ndarray, b: np.ndarray, sex: int | None) -> tuple[float, np.ndarray]:
    row = DE_LEVA[name]
    return share(row.mass, sex), a + share(row.centre, sex) * (b - a)


def _upper(
    joints: Mapping[str, np.ndarray],
    thorax: Segment,
    mid_hip: np.ndarray,
    height: float,
    c7: np.ndarray | None,
    sex: int | None,
    notes: list[str],
) -> list[tuple[float, np.ndarray]]:
    parts: list[tuple[float, np.ndarray]] = []
    middle = 0.5 * (joints["left_shoulder"] + joints["right_shoulder"])
    trunk = share(DE_LEVA["trunk"].mass, sex)
    if c7 is not None:
        parts.append((trunk, c7 + share(TRUNK_FROM_C7, sex) * (mid_hip - c7)))
        neck = c7
    else:
        parts.append((trunk, middle + share(TRUNK_FROM_SHOULDERS, sex) * (mid_hip - middle)))
        neck = middle + 0.05 * height * thorax.R[:, :, 1]
    # from C7 to the vertex along the thorax, leaning half as much as it does
    up = thorax.R[:, :, 1] + [0.0, 0.0, 1.0]
    up = up / np.linalg.norm(up, axis=1, keepdims=True)
    above = (1.0 - share(HEAD_FROM_VERTEX_TO_C7, sex)) * HEAD_OF_HEIGHT * height
    ahead = 0.02 * height * thorax.R[:, :, 0]  # the spine's process is behind the neck
    parts.append((share(DE_LEVA["head"].mass, sex), neck + above * up + ahead))
    for side in SIDES:
        shoulder = joints[f"{side}_shoulder"]
        elbow, wrist = joints.get(f"{side}_elbow"), joints.get(f"{side}_wrist")
        if elbow is None or wrist is None:
            mass = sum(share(DE_LEVA[n].mass, sex) for n in ("upper_arm", "forearm", "hand"))
            parts.append((mass, shoulder - 0.2 * height * thorax.R[:, :, 1]))
            notes.append(f"centre of mass: the {side} arm hangs down")
            continue
        parts.append(_part("upper_arm", shoulder, elbow, sex))
        parts.append(_part("forearm", elbow, wrist, sex))
        parts.append(_part("hand", wrist, wrist + HAND_OF_FOREARM * (wrist - elbow), sex))
    return parts
