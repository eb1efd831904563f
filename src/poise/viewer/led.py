"""The figures of the paper about a robot that is led: ZMP and mass, fluctuation, forces, path."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from poise.files import whole_path
from poise.motion import Motion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Curve = tuple[str, np.ndarray, np.ndarray]  # what it is, times [s], values


def plot_led(motion: Motion, path: Path | str) -> Path:
    """What happened to a robot that was led: from above, ZMP along both axes, force, lead.

    Args:
        motion: a recording of `poise interact`.
        path: picture to write.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 11.0), layout="constrained")
    axes = figure.subplots(4, 1)
    t, signals = motion.time, motion.signals
    _above(axes[0], motion)
    for i, name in enumerate(("x", "y")):
        ax = axes[1 + i]
        ax.plot(t, signals["zmp_ref"][:, i], color="black", lw=1.2, label="ZMP, reference")
        ax.plot(t, signals["zmp_felt"][:, i], color="tab:red", lw=0.7, label="ZMP, felt")
        ax.plot(t, signals["com_ref"][:, i], color="tab:blue", lw=1.0, label="mass, reference")
        ax.set_ylabel(f"{name} [m]")
        ax.legend(loc="upper left", fontsize=8, frameon=False)
    force = np.linalg.norm(signals["hand_force"], axis=1)
    axes[3].plot(t, force, color="tab:green", label="force at the hand [N]")
    axes[3].plot(
        t, 100.0 * signals["lead"][:, 0], color="tab:purple", label="lead of the hand [cm]"
    )
    axes[3].legend(loc="upper left", fontsize=8, frameon=False)
    axes[3].set_xlabel("time [s]")
    with whole_path(path) as whole:
        figure.savefig(whole, dpi=110, format=Path(path).suffix.lstrip(".") or "png")
    return Path(path)


def plot_curves(
    panels: Sequence[tuple[str, Sequence[Curve]]], path: Path | str, unit: str = "m"
) -> Path:
    """Some panels of curves over time, one above the other.

    Args:
        panels: title and curves of each.
        path: picture to write.
        unit: of the values.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 2.6 * len(panels)), layout="constrained")
    axes = np.atleast_1d(figure.subplots(len(panels), 1, sharex=True))
    for ax, (title, curves) in zip(axes, panels, strict=True):
        for label, time, values in curves:
            ax.plot(time, values, lw=1.1, label=label)
        ax.set_title(title, fontsize=9, loc="left")
        ax.set_ylabel(f"[{unit}]")
        ax.legend(fontsize=8, frameon=False)
    axes[-1].set_xlabel("time [s]")
    with whole_path(path) as whole:
        figure.savefig(whole, dpi=110, format=Path(path).suffix.lstrip(".") or "png")
    return Path(path)


def _above(ax: Axes, motion: Motion) -> None:
    """Footprints, mass and leader from above."""
    for touch in motion.contacts.touches:
        outline = np.vstack([touch.anchors, touch.anchors[:1]])
        left = "left" in touch.part
        ax.plot(*outline[:, :2].T, color="tab:blue" if left else "tab:orange", lw=0.7)
    ax.plot(*motion.signals["com_ref"][:, :2].T, color="black", lw=1.0, label="mass")
    partner = motion.signals["partner"]
    ax.plot(*partner[:, :2].T, color="tab:green", lw=1.0, label="leader's hand")
    ax.plot(*partner[:, 3:5].T, color="tab:purple", lw=0.8, label="robot's hand")
    ax.set_aspect("equal")
    ax.legend(fontsize=8, frameon=False)
    ax.set_ylabel("y [m]")
