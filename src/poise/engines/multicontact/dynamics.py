"""Inverse dynamics at many instants, with derivatives: one call to Pinocchio for each.

Everything after that call is done for all instants together. Spatial quantities are in world
axes about the world's origin, linear part first, which makes the geometry short: a column of the
Jacobian changes with a coordinate below it by their motion cross product.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from poise.engines.multicontact.chart import Chart
from poise.engines.multicontact.sharing import Sharing
from poise.engines.multicontact.spatial import skew

ROOT = 6

Look = Callable[[int, pin.Data], None]


@dataclass(frozen=True, eq=False)
class Instants:
    """The robot without contact forces at some instants (n)."""

    q: np.ndarray  # (n, nv)
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray  # (n, nv), generalised forces that the motion needs
    tau_by: np.ndarray  # (n, 3, nv, nv), by q, v and a
    Jt: np.ndarray  # (n, nv, 6), every coordinate's motion about the world's origin
    R: dict[int, np.ndarray]  # orientation of joints, (n, 3, 3)
    p: dict[int, np.ndarray]  # place of joints [m], (n, 3)
    wrench: np.ndarray  # (n, 6), what the contacts must supply [N, N m]
    wrench_by: np.ndarray  # (n, 3, 6, nv)

    def __getitem__(self, some: slice) -> Instants:
        """The instants of a slice."""
        return Instants(
            self.q[some],
            self.v[some],
            self.a[some],
            self.tau[some],
            self.tau_by[some],
            self.Jt[some],
            {j: R[some] for j, R in self.R.items()},
            {j: p[some] for j, p in self.p.items()},
            self.wrench[some],
            self.wrench_by[some],
        )


class Dynamics:
    """Evaluates instants of one robot."""

    def __init__(self, chart: Chart, joints: Sequence[int]) -> None:
        self.chart, self.joints = chart, tuple(sorted(set(joints)))
        self.data = data = chart.model.createData()
        # Pinocchio's own memory, read after every call
        self._slopes = (data.dtau_dq, data.dtau_dv, data.M)
        self._tau, self._Jt = data.tau, data.J.T
        self._R = [data.oMi[j].rotation for j in self.joints]
        self._p = [data.oMi[j].translation for j in self.joints]

    def __call__(
        self, q: np.ndarray, v: np.ndarray, a: np.ndarray, look: Look | None = None
    ) -> Instants:
        """Evaluate at flat coordinates, rates and accelerations (n, nv).

        Args:
            q: flat coordinates.
            v: their rates.
            a: their accelerations.
            look: is shown the robot at every instant.
        """
        model, data, nv, n = self.chart.model, self.data, self.chart.nv, len(q)
        tau, tau_by, Jt = np.empty((n, nv)), np.empty((n, 3, nv, nv)), np.empty((n, nv, 6))
        R = {j: np.empty((n, 3, 3)) for j in self.joints}
        p = {j: np.empty((n, 3)) for j in self.joints}
        by_q, by_v, by_a = self._slopes
        frames = list(zip(R.values(), self._R, p.values(), self._p, strict=True))
        differentiate = pin.computeRNEADerivatives
        for k in range(n):
            differentiate(model, data, q[k], v[k], a[k])
            mine = tau_by[k]
            mine[0], mine[1], mine[2] = by_q, by_v, by_a
            tau[k], Jt[k] = self._tau, self._Jt
            for Rs, R_now, ps, p_now in frames:
                Rs[k], ps[k] = R_now, p_now
            if look is not None:
                look(k, data)
        wrench, wrench_by = _needed(tau, tau_by, Jt)
        return Instants(q, v, a, tau, tau_by, Jt, R, p, wrench, wrench_by)


def _needed(tau: np.ndarray, tau_by: np.ndarray, Jt: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The wrench whose pull on the base's six coordinates is the generalised force there."""
    root = Jt[:, :ROOT]
    back = np.linalg.inv(root)  # (n, 6, 6)
    wrench = (back @ tau[:, :ROOT, None])[..., 0]
    rows = tau_by[:, :, :ROOT].copy()
    rows[:, 0, :, :ROOT] -= pull_change(root, wrench)
    return wrench, back[:, None] @ rows


def pull_change(Jt: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """Derivative by q of J' w at constant w, for the coordinates of one chain, (n, k, k).

    Entry (k, l) is w . (J_l x J_k) where l comes before k in the chain, else zero.

    Args:
        Jt: motions of the chain's coordinates, (n, k, 6).
        wrench: (n, 6).
    """
    return np.tril(Jt @ _turned(Jt, wrench).transpose(0, 2, 1), -1)


def pulled_change(Jt: np.ndarray, wrench: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weights (n, k) times `pull_change`, (n, k), without the matrix."""
    weighted = weights[..., None] * Jt
    above = weighted.sum(axis=1, keepdims=True) - np.cumsum(weighted, axis=1)
    return (_turned(Jt, wrench) * above).sum(axis=2)


def _turned(Jt: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """Rows r_l (n, k, 6) with r_l . x = w . (J_l x x) for a motion x."""
    # the motion cross product is linear in J_l: one small matrix for each instant
    f, m = skew(wrench[:, :3]), skew(wrench[:, 3:])
    S = np.zeros((len(f), 6, 6))
    S[:, :3, 3:], S[:, 3:, :3], S[:, 3:, 3:] = f, f, m
    return Jt @ S.transpose(0, 2, 1)


@dataclass(frozen=True, eq=False)
class Loaded:
    """Torques with contact forces at some instants of a phase."""

    tau: np.ndarray  # (n, na) [N m]
    forces: np.ndarray  # (n, 3 points) [N], surface axes
    pull: np.ndarray  # (n, nv, 6), from the wrench to what contacts do for the joints
    wrenches: np.ndarray  # (contacts, n, 6), share of each contact


def load(at: Instants, sharing: Sharing, chains: Sequence[np.ndarray]) -> Loaded:
    """Joint torques and contact forces where some contacts share the wrench.

    Args:
        at: the robot.
        sharing: of the phase.
        chains: for each contact, the coordinates that move it, rising.
    """
    pull = np.zeros_like(at.Jt)
    for chain, K in zip(chains, sharing.wrenches, strict=True):
        pull[:, chain] += at.Jt[:, chain] @ K
    tau = at.tau - (pull @ at.wrench[..., None])[..., 0]
    wrenches = at.wrench @ sharing.wrenches.transpose(0, 2, 1)
    return Loaded(tau[:, ROOT:], at.wrench @ sharing.forces.T, pull, wrenches)


def torque_slopes(
    at: Instants, loaded: Loaded, chains: Sequence[np.ndarray], joints: np.ndarray
) -> np.ndarray:
    """Derivatives of some joints' torques by q, v and a, (n, 3, joints, nv)."""
    rows = ROOT + joints
    slopes = at.tau_by[:, :, rows] - loaded.pull[:, None, rows] @ at.wrench_by
    for chain, w in zip(chains, loaded.wrenches, strict=True):
        mine = np.flatnonzero(np.isin(chain, rows))
        if len(mine):
            of = np.searchsorted(rows, chain[mine])
            change = pull_change(at.Jt[:, chain], w)[:, mine]
            slopes[:, 0, of[:, None], chain] -= change
    return slopes


def weighted_torque_slopes(
    at: Instants, loaded: Loaded, chains: Sequence[np.ndarray], weights: np.ndarray
) -> np.ndarray:
    """Weights (n, na) times the derivatives of all torques, (n, 3, nv), without the latter."""
    slopes = (weights[:, None, None] @ at.tau_by[:, :, ROOT:])[:, :, 0]
    through = weights[:, None] @ loaded.pull[:, ROOT:]  # (n, 1, 6)
    slopes -= (through[:, None] @ at.wrench_by)[:, :, 0]
    wide = np.zeros((len(weights), at.Jt.shape[1]))
    wide[:, ROOT:] = weights
    for chain, w in zip(chains, loaded.wrenches, strict=True):
        slopes[:, 0, chain] -= pulled_change(at.Jt[:, chain], w, wide[:, chain])
    return slopes


def torque_by_sharing(at: Instants, sharing: Sharing, chains: Sequence[np.ndarray]) -> np.ndarray:
    """Derivatives of the torques by the parameters of the sharing, (n, na, parameters)."""
    by = np.zeros((len(at.q), at.Jt.shape[1], len(sharing.wrenches_by)))
    for c, chain in enumerate(chains):
        w = np.tensordot(at.wrench, sharing.wrenches_by[:, c], axes=(1, 2))  # (n, parameters, 6)
        by[:, chain] -= at.Jt[:, chain] @ w.transpose(0, 2, 1)
    return by[:, ROOT:]
