"""The torques' part of the cost: the integral of their squares, and its Gauss-Newton Hessian."""

from __future__ import annotations

import numpy as np

from poise.engines.multicontact.dynamics import torque_by_sharing, torque_slopes, weigh
from poise.engines.multicontact.stretch import Ground, Stretch
from poise.trajectories.chebyshev import nodes_to_bernstein


class TorqueCost:
    """Of one phase."""

    def __init__(self, ground: Ground, weight: float) -> None:
        self.ground = ground
        order, spans = ground.order, ground.spans
        self.share = quadrature(order) * (2.0 * weight / spans)  # of a span's nodes, per second
        self.shares = np.zeros(spans * order + 1)
        for span in range(spans):
            self.shares[ground.nodes(span)] += self.share
        others = np.concatenate([ground.times, ground.sharing_columns])
        self.columns = [
            np.concatenate([ground.columns(touched).ravel(), others]) for touched in ground.touched
        ]
        self.joints = np.arange(ground.nv - 6)
        self._upper = [
            np.flatnonzero(np.triu(np.ones((len(c), len(c)))).ravel()) for c in self.columns
        ]

    def add(self, at: Stretch, gradient: np.ndarray) -> float:
        """The cost; adds its gradient."""
        ground, T, here, loaded = self.ground, at.duration, at.at, at.loaded
        tau, (n, nv) = loaded.tau, here.q.shape
        by, shared = np.empty((n, 3, nv)), np.empty(len(ground.sharing_columns))
        weigh(
            *(T * self.shares, here.tau_by, here.Jt, here.wrench, here.wrench_by),
            *(tau, loaded.pull, loaded.wrenches, at.sharing.wrenches_by),
            *(ground.moved, by, shared),
        )
        cost = 0.5 * T * float(self.shares @ np.einsum("nk,nk->n", tau, tau))
        gradient[ground.block] += (at.E.reshape(3 * n, -1).T @ by.reshape(3 * n, nv)).ravel()
        times = by.ravel() @ at.ticks.reshape(by.size, -1)
        times[0] += cost / T
        gradient[ground.times] += times
        gradient[ground.sharing_columns] += shared
        return cost

    def places(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Rows and columns of the Hessian's nonzeros, upper triangle."""
        found = []
        for columns in self.columns:
            i, j = np.triu_indices(len(columns))
            a, b = columns[i], columns[j]
            found.append((np.minimum(a, b), np.maximum(a, b)))
        return found

    def hessian(self, at: Stretch) -> list[np.ndarray]:
        """Nonzeros of the Gauss-Newton Hessian."""
        ground, T, nv = self.ground, at.duration, self.ground.nv
        here, order = at.at, ground.order
        by = torque_slopes(here, at.loaded, ground.chains, self.joints)  # (n, 3, na, nv)
        n, na = len(by), len(self.joints)
        tau = at.loaded.tau
        times = (by @ at.ticks).sum(axis=1)  # (n, na, d)
        times[:, :, 0] += tau * (0.5 / T)
        shared = torque_by_sharing(here, at.sharing, ground.chains)
        others = np.concatenate([times, shared], axis=2)
        root = np.sqrt(T * self.share)
        flat = by.reshape(n, 3, na * nv)
        found = []
        for span, (touched, upper) in enumerate(zip(ground.touched, self._upper, strict=True)):
            nodes, t = ground.nodes(span), len(touched)
            E = root[:, None, None] * at.E[nodes][:, :, touched]  # (k, 3, t)
            slopes = np.empty((order + 1, na, t * nv + others.shape[2]))
            J = (E.transpose(0, 2, 1) @ flat[nodes]).reshape(order + 1, t, na, nv)
            slopes[:, :, : t * nv].reshape(order + 1, na, t, nv)[...] = J.transpose(0, 2, 1, 3)
            slopes[:, :, t * nv :] = root[:, None, None] * others[nodes]
            rows = slopes.reshape((order + 1) * na, -1)
            found.append(np.take(rows.T @ rows, upper))
        return found


def quadrature(order: int) -> np.ndarray:
    """Weights (order + 1,) that integrate a polynomial through the nodes over 0 .. 1."""
    return nodes_to_bernstein(order).sum(axis=0) / (order + 1)
