"""Inverse dynamics at many instants, with derivatives, and what contacts do to it.

Spatial quantities are in world
axes about the world's origin, linear part first, which makes the geometry short: a column of the
Jacobian changes with a coordinate below it by their motion cross product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.compiled import compiled_alone
from poise.engines.multicontact.chart import Chart
from poise.engines.multicontact.newton_euler import newton_euler, tree_of
from poise.engines.multicontact.sharing import Sharing
from poise.engines.multicontact.spatial import skew

ROOT = 6


@dataclass(frozen=True, eq=False)
class Instants:
    """The robot without contact forces at some instants (n)."""

    q: np.ndarray  # (n, nv)
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray  # (n, nv), generalised forces that the motion needs
    tau_by: np.ndarray  # (n, 3, nv, nv), by q, v and a
    Jt: np.ndarray  # (n, nv, 6), every coordinate's motion about the world's origin
    frames: np.ndarray  # (n, joints, 3, 4), orientation and place of the joints of `R` and `p`
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
            self.frames[some],
            {j: R[some] for j, R in self.R.items()},
            {j: p[some] for j, p in self.p.items()},
            self.wrench[some],
            self.wrench_by[some],
        )


class Dynamics:
    """Evaluates instants of one robot."""

    def __init__(self, chart: Chart, joints: Sequence[int]) -> None:
        self.chart, self.joints = chart, tuple(sorted(set(joints)))
        self.tree = tree_of(chart.model, self.joints)

    def __call__(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Instants:
        """Evaluate at flat coordinates, rates and accelerations (n, nv)."""
        nv, n = self.chart.nv, len(q)
        tau, tau_by, Jt = np.empty((n, nv)), np.empty((n, 3, nv, nv)), np.empty((n, nv, 6))
        frames = np.empty((n, len(self.joints), 3, 4))
        q, v, a = (np.ascontiguousarray(x) for x in (q, v, a))
        newton_euler(self.tree, q, v, a, tau, tau_by, Jt, frames)
        R = {j: frames[:, w, :, :3] for w, j in enumerate(self.joints)}
        p = {j: frames[:, w, :, 3] for w, j in enumerate(self.joints)}
        wrench, wrench_by = np.empty((n, 6)), np.empty((n, 3, 6, nv))
        _need(tau, tau_by, Jt, wrench, wrench_by)
        return Instants(q, v, a, tau, tau_by, Jt, frames, R, p, wrench, wrench_by)


@compiled_alone
def _need(tau, tau_by, Jt, wrench, wrench_by):
    """The wrench whose pull on the base's six coordinates is the generalised force there.

    The base slides along the world's axes, then turns: the first three numbers are the force, and
    the moment is what the turns need beyond the force's pull.
    """
    nv = tau.shape[1]
    back = np.empty((3, 3))
    rows = np.empty((6, nv))
    for n in range(len(tau)):
        _inverted(Jt[n, 3:6, 3:], back)
        w = wrench[n]
        w[0], w[1], w[2] = tau[n, 0], tau[n, 1], tau[n, 2]
        for i in range(3):
            w[3 + i] = 0.0
            for k in range(3):
                J = Jt[n, 3 + k]
                left = tau[n, 3 + k] - (J[0] * w[0] + J[1] * w[1] + J[2] * w[2])
                w[3 + i] += back[i, k] * left
        for d in range(3):
            for k in range(ROOT):
                for col in range(nv):
                    rows[k, col] = tau_by[n, d, k, col]
            if d == 0:
                for k in range(ROOT):
                    for col in range(k):
                        rows[k, col] -= pull_of(w, Jt[n, col], Jt[n, k])
            for k in range(3):
                J = Jt[n, 3 + k]
                for col in range(nv):
                    rows[3 + k, col] -= (
                        J[0] * rows[0, col] + J[1] * rows[1, col] + J[2] * rows[2, col]
                    )
            for i in range(3):
                for col in range(nv):
                    wrench_by[n, d, i, col] = rows[i, col]
                    wrench_by[n, d, 3 + i, col] = (
                        back[i, 0] * rows[3, col]
                        + back[i, 1] * rows[4, col]
                        + back[i, 2] * rows[5, col]
                    )


@compiled_alone
def _inverted(M, out):
    """The inverse of a matrix (3, 3), by its cofactors."""
    for i in range(3):
        a, b = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            c, d = (j + 1) % 3, (j + 2) % 3
            out[j, i] = M[a, c] * M[b, d] - M[a, d] * M[b, c]
    size = M[0, 0] * out[0, 0] + M[0, 1] * out[1, 0] + M[0, 2] * out[2, 0]
    for i in range(3):
        for j in range(3):
            out[i, j] /= size


@compiled_alone
def pull_of(w, a, b):
    """A wrench w times the motion cross product a x b."""
    return (
        w[0] * (a[4] * b[2] - a[5] * b[1] + a[1] * b[5] - a[2] * b[4])
        + w[1] * (a[5] * b[0] - a[3] * b[2] + a[2] * b[3] - a[0] * b[5])
        + w[2] * (a[3] * b[1] - a[4] * b[0] + a[0] * b[4] - a[1] * b[3])
        + w[3] * (a[4] * b[5] - a[5] * b[4])
        + w[4] * (a[5] * b[3] - a[3] * b[5])
        + w[5] * (a[3] * b[4] - a[4] * b[3])
    )


def pull_change(Jt: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """Derivative by q of J' w at constant w, for the coordinates of one chain, (n, k, k).

    Entry (k, l) is w . (J_l x J_k) where l comes before k in the chain, else zero.

    Args:
        Jt: motions of the chain's coordinates, (n, k, 6).
        wrench: (n, 6).
    """
    return np.tril(Jt @ _turned(Jt, wrench).transpose(0, 2, 1), -1)


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


def load(at: Instants, sharing: Sharing, moved: np.ndarray) -> Loaded:
    """Joint torques and contact forces where some contacts share the wrench.

    Args:
        at: the robot.
        sharing: of the phase.
        moved: which coordinates move which contact, see `moved_by`.
    """
    n, nv = at.tau.shape
    found = Loaded(
        np.empty((n, nv - ROOT)),
        np.empty((n, len(sharing.forces))),
        np.empty((n, nv, 6)),
        np.empty((len(moved), n, 6)),
    )
    _load(
        *(at.tau, at.Jt, at.wrench, sharing.forces, sharing.wrenches, moved),
        *(found.tau, found.forces, found.pull, found.wrenches),
    )
    return found


def moved_by(chains: Sequence[np.ndarray], nv: int) -> np.ndarray:
    """Which coordinates move which contact, (contacts, nv) of bool."""
    moved = np.zeros((len(chains), nv), dtype=np.bool_)
    for mine, chain in zip(moved, chains, strict=True):
        mine[chain] = True
    return moved


@compiled_alone
def _load(tau, Jt, wrench, B, K, moved, loaded, forces, pull, wrenches):
    contacts, nv = moved.shape
    for n in range(len(tau)):
        w = wrench[n]
        for i in range(len(B)):
            total = 0.0
            for j in range(6):
                total += B[i, j] * w[j]
            forces[n, i] = total
        for c in range(contacts):
            for i in range(6):
                total = 0.0
                for j in range(6):
                    total += K[c, i, j] * w[j]
                wrenches[c, n, i] = total
        for k in range(nv):
            J0, J1, J2 = Jt[n, k, 0], Jt[n, k, 1], Jt[n, k, 2]
            J3, J4, J5 = Jt[n, k, 3], Jt[n, k, 4], Jt[n, k, 5]
            total = tau[n, k]
            for j in range(6):
                x = 0.0
                for c in range(contacts):
                    if moved[c, k]:
                        x += J0 * K[c, 0, j] + J1 * K[c, 1, j] + J2 * K[c, 2, j]
                        x += J3 * K[c, 3, j] + J4 * K[c, 4, j] + J5 * K[c, 5, j]
                pull[n, k, j] = x
                total -= x * w[j]
            if k >= ROOT:
                loaded[n, k - ROOT] = total


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


@compiled_alone
def weigh(
    shares, tau_by, Jt, wrench, wrench_by, loaded, pull, wrenches, K_by, moved, slopes, shared
):
    """Torques times a share times the torques' derivatives, without the latter.

    Args:
        shares: what a squared torque counts at each instant, (n,).
        tau_by: see `Instants`.
        Jt: the same.
        wrench: the same.
        wrench_by: the same.
        loaded: torques [N m], (n, na).
        pull: see `Loaded`.
        wrenches: the same.
        K_by: see `Sharing.wrenches_by`.
        moved: see `moved_by`.
        slopes: takes what belongs to q, v and a, (n, 3, nv).
        shared: takes what belongs to the parameters of the sharing, summed, (parameters,).
    """
    shared[:] = 0.0
    contacts, nv = moved.shape
    through, above, weights = np.empty(6), np.empty(6), np.empty(nv - ROOT)
    for n in range(len(shares)):
        for k in range(nv - ROOT):
            weights[k] = shares[n] * loaded[n, k]
        through[:] = 0.0
        for k in range(ROOT, nv):
            for i in range(6):
                through[i] += weights[k - ROOT] * pull[n, k, i]
        for d in range(3):
            mine = slopes[n, d]
            mine[:] = 0.0
            for k in range(ROOT, nv):
                x = weights[k - ROOT]
                for col in range(nv):
                    mine[col] += x * tau_by[n, d, k, col]
            for i in range(6):
                for col in range(nv):
                    mine[col] -= through[i] * wrench_by[n, d, i, col]
        for c in range(contacts):
            above[:] = 0.0  # what the weights make of the chain's coordinates further out
            for k in range(nv - 1, -1, -1):
                if moved[c, k]:
                    slopes[n, 0, k] -= pull_of(wrenches[c, n], Jt[n, k], above)
                    if k >= ROOT:
                        for i in range(6):
                            above[i] += weights[k - ROOT] * Jt[n, k, i]
            for s in range(len(shared)):
                for i in range(6):
                    for j in range(6):
                        shared[s] -= above[i] * K_by[s, c, i, j] * wrench[n, j]


def torque_by_sharing(at: Instants, sharing: Sharing, chains: Sequence[np.ndarray]) -> np.ndarray:
    """Derivatives of the torques by the parameters of the sharing, (n, na, parameters)."""
    by = np.zeros((len(at.q), at.Jt.shape[1], len(sharing.wrenches_by)))
    for c, chain in enumerate(chains):
        w = np.tensordot(at.wrench, sharing.wrenches_by[:, c], axes=(1, 2))  # (n, parameters, 6)
        by[:, chain] -= at.Jt[:, chain] @ w.transpose(0, 2, 1)
    return by[:, ROOT:]
