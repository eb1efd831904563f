"""How likely a step is to be feasible, learnt from the footprints that were tried.

A safe set says yes or no, and says no to whatever is near a failure. This says how near: a logistic
model of where the foot lands (x, y and turn) and how fast the mass moves as it lifts off,

    P = 1 / (1 + e^-u),   u = sum of weights times products of up to three of these numbers,

fitted by maximum likelihood with a ridge against large weights. Logistic regression that fits the
mean of what it was shown is calibrated by construction; how well that holds for steps it was not
shown is measured and kept beside the weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import exp, prod
from pathlib import Path
from typing import Any

import numpy as np

from poise.errors import BadInput
from poise.walking.analytic import Pair

FEATURES = ("x", "y", "turn", "speed_x", "speed_y")
DEGREE = 3
RIDGE = 1.0  # on squared weights, against the log likelihood of the samples
BINS = 10  # in which promised and real shares of good steps are compared
TERMS: tuple[tuple[int, ...], ...] = tuple(
    term
    for degree in range(DEGREE + 1)
    for term in combinations_with_replacement(range(len(FEATURES)), degree)
)


@dataclass(frozen=True)
class Scores:
    """How good promises were for steps that were not learnt from."""

    samples: int
    share: float  # of good ones
    brier: float  # mean squared error of the promised probability; 0 is perfect
    brier_base: float  # of always promising the share of good ones
    calibration: float  # mean distance of promised and real shares over bins of promises


@dataclass(frozen=True)
class Feasibility:
    """A learnt probability of a feasible step."""

    centre: tuple[float, ...]  # of the features
    scale: tuple[float, ...]
    weights: tuple[float, ...]  # of the products in TERMS
    scores: Scores

    def of(self, place: Sequence[float], speed: Pair | None = None) -> float:
        """Probability that one step is feasible.

        Args:
            place: x, y [m] in axes turned by half the turn, and the turn [rad].
            speed: of the mass at lift-off [m/s]; what is usual when absent.
        """
        usual = self.centre[3], self.centre[4]
        row = (*place, *(usual if speed is None else speed))
        z = [
            min(max((a - c) / s, -4.0), 4.0)  # beyond what was tried it stays as at its border
            for a, c, s in zip(row, self.centre, self.scale, strict=True)
        ]
        u = sum(w * prod(z[k] for k in term) for w, term in zip(self.weights, TERMS, strict=True))
        return 1.0 / (1.0 + exp(-min(max(u, -30.0), 30.0)))

    def of_many(self, rows: np.ndarray) -> np.ndarray:
        """The same for many steps, (n, features) -> (n,)."""
        return _logistic(_terms(rows, np.array(self.centre), np.array(self.scale)) @ self.weights)

    def lines(self) -> list[str]:
        """As a table of a TOML file."""
        s = self.scores
        return [
            "[feasibility]  # of a step: a logistic model of these numbers, see the documentation",
            "features = [" + ", ".join(f'"{name}"' for name in FEATURES) + "]",
            f"degree = {DEGREE}",
            f"centre = {[round(v, 6) for v in self.centre]}",
            f"scale = {[round(v, 6) for v in self.scale]}",
            f"weights = {[round(v, 4) for v in self.weights]}",
            f"samples = {s.samples}",
            f"share = {s.share:.4f}",
            f"brier = {s.brier:.4f}",
            f"brier_base = {s.brier_base:.4f}",
            f"calibration = {s.calibration:.4f}",
        ]

    @classmethod
    def read(cls, path: str | Path, table: Any) -> Feasibility:
        """From such a table.

        Args:
            path: of the file, for messages.
            table: what it holds.
        """
        if not isinstance(table, Mapping):
            raise BadInput(path, "feasibility", f"{table!r}"[:40], "a table")
        for key, wanted in (("features", list(FEATURES)), ("degree", DEGREE)):
            if table.get(key) != wanted:
                raise BadInput(path, f"feasibility.{key}", f"{table.get(key)!r}", f"{wanted!r}")
        sizes = {"centre": len(FEATURES), "scale": len(FEATURES), "weights": len(TERMS)}
        lists = {
            key: _list(path, f"feasibility.{key}", table.get(key), n) for key, n in sizes.items()
        }
        if min(lists["scale"]) <= 0.0:
            raise BadInput(path, "feasibility.scale", f"{lists['scale']}", "numbers above 0")
        names = ("share", "brier", "brier_base", "calibration")
        scores = [_list(path, f"feasibility.{key}", [table.get(key)], 1)[0] for key in names]
        return cls(
            lists["centre"],
            lists["scale"],
            lists["weights"],
            Scores(int(table.get("samples", 0)), *scores),
        )


def _list(path: str | Path, field: str, value: Any, count: int) -> tuple[float, ...]:
    good = isinstance(value, list) and len(value) == count
    if not good or not all(
        isinstance(v, int | float) and not isinstance(v, bool) and np.isfinite(v) for v in value
    ):
        raise BadInput(path, field, f"{value!r}"[:60], f"{count} numbers")
    return tuple(float(v) for v in value)


# -- learning -------------------------------------------------------------------------------


def learn(rows: np.ndarray, good: np.ndarray, held_out: float = 0.25) -> Feasibility:
    """Learn from steps that were tried.

    The scores are those of a share that was kept apart; the weights are then of all samples.

    Args:
        rows: (n, 5): x, y [m] in axes turned by half the turn, turn [rad], speed of the mass
            at lift-off along x and y [m/s].
        good: whether they went well, (n,).
        held_out: share that is kept apart to judge.
    """
    rows, good = np.asarray(rows, float), np.asarray(good, float)
    if not 0.0 < good.mean() < 1.0:
        raise BadInput("feasibility", "samples", "all alike", "some good and some failed steps")
    apart = np.random.default_rng(0).permutation(len(rows)) < held_out * len(rows)
    shown = _fitted(rows[~apart], good[~apart])
    judged = score(shown.of_many(rows[apart]), good[apart], float(good[~apart].mean()))
    final = _fitted(rows, good)
    return Feasibility(final.centre, final.scale, final.weights, judged)


def score(promised: np.ndarray, good: np.ndarray, base: float) -> Scores:
    """Compare promised probabilities with what happened.

    Args:
        promised: (n,).
        good: 1 or 0, (n,).
        base: share of good ones among those learnt from.
    """
    bins = np.minimum((promised * BINS).astype(int), BINS - 1)
    gap = sum(
        abs(float(promised[bins == k].sum() - good[bins == k].sum())) for k in np.unique(bins)
    )
    return Scores(
        len(good),
        float(good.mean()),
        float(np.mean((promised - good) ** 2)),
        float(np.mean((base - good) ** 2)),
        gap / len(good),
    )


def _fitted(rows: np.ndarray, good: np.ndarray) -> Feasibility:
    """Maximum likelihood by Newton's method, halving steps that do not help."""
    centre, scale = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-9)
    X = _terms(rows, centre, scale)
    ridge = np.full(X.shape[1], RIDGE)
    ridge[0] = 0.0  # the share of good steps is met whatever the rest is
    w = np.zeros(X.shape[1])
    value = _loss(X, good, ridge, w)
    for _ in range(60):
        p = _logistic(X @ w)
        slope = X.T @ (p - good) + ridge * w
        bend = (X * (p * (1.0 - p))[:, None]).T @ X + np.diag(ridge + 1e-9)
        way, size = np.linalg.solve(bend, slope), 1.0
        while (new := _loss(X, good, ridge, w - size * way)) > value and size > 1e-6:
            size *= 0.5
        w, done = w - size * way, value - new < 1e-10 * max(value, 1.0)
        value = new
        if done:
            break
    none = Scores(0, 0.0, 0.0, 0.0, 0.0)
    return Feasibility(tuple(centre.tolist()), tuple(scale.tolist()), tuple(w.tolist()), none)


def _loss(X: np.ndarray, good: np.ndarray, ridge: np.ndarray, w: np.ndarray) -> float:
    u = X @ w
    return float(np.logaddexp(0.0, u).sum() - good @ u + 0.5 * ridge @ (w * w))


def _terms(rows: np.ndarray, centre: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The products of the features, (n, terms)."""
    z = np.clip((np.asarray(rows) - centre) / scale, -4.0, 4.0)
    return np.column_stack([z[:, list(term)].prod(axis=1) for term in TERMS])


def _logistic(u: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-np.clip(u, -30.0, 30.0)))
