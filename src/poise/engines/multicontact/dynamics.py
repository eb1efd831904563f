"""Inverse dynamics at many instants at once, with derivatives.

Pinocchio's recursive Newton-Euler algorithm and its analytical derivatives are called once an
instant; everything after that is done for all instants together. Spatial quantities are in world
axes about the world's origin, linear part first, which makes the geometry short: a column of the
Jacobian changes with a coordinate below it by their motion cross product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from poise.engines.multicontact.chart import Chart
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
    tau_by: np.ndarray  # (3, n, nv, nv), by q, v and a
    J: np.ndarray  # (n, 6, nv), all joints' motions about the world's origin
    R: dict[int, np.ndarray]  # orientation of joints, (n, 3, 3)
    p: dict[int, np.ndarray]  # place of joints [m], (n, 3)
    wrench: np.ndarray  # (n, 6), what the contacts must supply [N, N m]
    wrench_by: np.ndarray  # (3, n, 6, nv)


class Dynamics:
    """Evaluates instants of one robot."""

    def __init__(self, chart: Chart, joints: Sequence[int]) -> None:
        self.chart, self.joints = chart, tuple(sorted(set(joints)))
        self.data = chart.model.createData()

    def __call__(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Instants:
        """Evaluate at flat coordinates, rates and accelerations (n, nv)."""
        model, data, nv, n = self.chart.model, self.data, self.chart.nv, len(q)
        tau, tau_by, J = np.empty((n, nv)), np.empty((3, n, nv, nv)), np.empty((n, 6, nv))
        R = {j: np.empty((n, 3, 3)) for j in self.joints}
        p = {j: np.empty((n, 3)) for j in self.joints}
        differentiate = pin.computeRNEADerivatives
        dq, dv, da = tau_by
        for k in range(n):
            dq[k], dv[k], da[k] = differentiate(model, data, q[k], v[k], a[k])
            tau[k] = data.tau
            J[k] = data.J
            for j in self.joints:
                T = data.oMi[j]
                R[j][k], p[j][k] = T.rotation, T.translation
        wrench, wrench_by = _needed(tau, tau_by, J)
        return Instants(q, v, a, tau, tau_by, J, R, p, wrench, wrench_by)


def _needed(tau: np.ndarray, tau_by: np.ndarray, J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The wrench whose pull on the base's six coordinates is the generalised force there."""
    root = J[:, :, :ROOT]
    back = np.linalg.inv(root.transpose(0, 2, 1))  # (n, 6, 6)
    wrench = (back @ tau[:, :ROOT, None])[..., 0]
    rows = tau_by[:, :, :ROOT].copy()
    rows[0, :, :, :ROOT] -= pull_change(root, wrench)
    return wrench, back @ rows


def pull_change(J: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """Derivative by q of J' w at constant w, for the coordinates of one chain, (n, k, k).

    Entry (k, l) is w . (J_l x J_k) where l comes before k in the chain, else zero.
    """
    Jt = J.transpose(0, 2, 1)  # (n, k, 6): v then w
    v, w = Jt[..., :3], Jt[..., 3:]
    turn, twist = skew(wrench[:, :3]), skew(wrench[:, 3:])  # rows times skew(f) are crosses with f
    low = w @ turn
    high = v @ turn + w @ twist
    return np.tril(low @ J[:, :3] + high @ J[:, 3:], -1)


@dataclass(frozen=True, eq=False)
class Loaded:
    """Torques with contact forces at some instants of a phase."""

    tau: np.ndarray  # (n, na) [N m]
    tau_by: np.ndarray  # (3, n, na, nv)
    tau_by_sharing: np.ndarray  # (parameters, n, na)
    forces: np.ndarray  # (n, 3 points) [N], surface axes
    forces_by: np.ndarray  # (3, n, 3 points, nv)
    forces_by_sharing: np.ndarray  # (parameters, n, 3 points)


def load(at: Instants, sharing: Sharing, chains: Sequence[np.ndarray]) -> Loaded:
    """Joint torques and contact forces where some contacts share the wrench.

    Args:
        at: the robot.
        sharing: of the phase.
        chains: for each contact, which coordinates move it, (nv,) of bool.
    """
    wrenches = np.einsum("cij,nj->cni", sharing.wrenches, at.wrench)
    Jt = at.J.transpose(0, 2, 1)  # (n, nv, 6)
    tau = at.tau.copy()
    pull = np.zeros((len(at.q), at.J.shape[2], 6))
    bent = np.zeros_like(at.tau_by[0])
    for chain, K, w in zip(chains, sharing.wrenches, wrenches, strict=True):
        idx = np.flatnonzero(chain)
        pull[:, idx] += Jt[:, idx] @ K
        bent[:, idx[:, None], idx] += pull_change(at.J[:, :, idx], w)
    tau -= (pull @ at.wrench[..., None])[..., 0]
    tau_by = at.tau_by[:, :, ROOT:] - pull[None, :, ROOT:] @ at.wrench_by
    tau_by[0] -= bent[:, ROOT:]
    by = np.zeros((len(sharing.wrenches_by), len(at.q), at.J.shape[2]))
    for p, changes in enumerate(sharing.wrenches_by):
        for chain, K in zip(chains, changes, strict=True):
            by[p] -= np.where(chain, (Jt @ (at.wrench @ K.T)[..., None])[..., 0], 0.0)
    return Loaded(
        tau[:, ROOT:],
        tau_by,
        by[:, :, ROOT:],
        at.wrench @ sharing.forces.T,
        sharing.forces @ at.wrench_by,
        np.stack([at.wrench @ B.T for B in sharing.forces_by]),
    )
