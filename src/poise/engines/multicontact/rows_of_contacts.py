"""Contacts stay where they are: at as many nodes as a spline has unknowns."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from poise.compiled import compiled_alone
from poise.engines.multicontact.curvature import Bends, Curved
from poise.engines.multicontact.frame_error import frame_error
from poise.engines.multicontact.layout import Layout
from poise.engines.multicontact.rows import Pattern
from poise.engines.multicontact.stage import FLOATING, Hold, Stage, point_jacobian
from poise.engines.multicontact.stretch import Ground, Stretch

CONTACT = "contact"
LENGTH = 0.1  # [m], contact errors count in these


class ContactRows:
    """One contact in one phase."""

    def __init__(self, ground: Ground, hold: int, nodes: np.ndarray) -> None:
        self.ground, self.nodes = ground, nodes
        self.hold = hold_ = ground.stage.holds[hold]
        self.slot = ground.variables.slots[hold]
        count, each = len(nodes), hold_.rows
        rows = np.arange(count * each).reshape(count, each)
        told = np.full((count, 6), -1)
        told[:, :each] = rows
        self.bends = Bends(ground, nodes, told, hold_.chain)
        places: list[tuple[np.ndarray, np.ndarray]] = []
        touched = [ground.touched[ground.span_of(int(node))] for node in nodes]
        for mine, some in zip(rows, touched, strict=True):
            places.append((mine[None, :, None], ground.columns(some, hold_.chain)[:, None]))
        self.touched, self.ends = np.concatenate(touched), np.cumsum([0, *map(len, touched)])
        others = np.concatenate([ground.times, ground.variables.float_columns(hold)])
        places.append((rows[..., None], others))
        self._free = np.array([FLOATING.index(name) for name in hold_.free], dtype=np.int64)
        T = hold_.T_joint_contact
        self._axes = np.array([*T.rotation, T.translation, *hold_.T_world_surface.rotation])
        nothing = np.zeros(rows.size)
        names = [(CONTACT, hold_.name, ground.phase)] * rows.size
        self.pattern = Pattern.of(nothing, nothing, names, places)

    def write(self, at: Stretch, g: np.ndarray, nonzeros: np.ndarray) -> None:
        """Values and slopes."""
        hold, here = self.hold, at.at
        goal = _goal(hold, tuple(at.u.floats[self.slot].tolist()))
        _write(
            *(here.frames, list(here.R).index(hold.joint), here.Jt, self.nodes, hold.chain),
            *(self._axes, goal, self._free, at.E, at.ticks, self.touched, self.ends, g, nonzeros),
        )

    def curved(self, at: Stretch) -> Curved:
        """How the contact's frame bends."""
        hold, here, nodes = self.hold, at.at, self.nodes
        moved = here.Jt[nodes][:, hold.chain]
        x = here.p[hold.joint][nodes] + here.R[hold.joint][nodes] @ hold.T_joint_contact.translation
        return Curved(
            hold.T_world_surface.rotation / LENGTH,
            hold.pose(at.u.floats[self.slot]).rotation / LENGTH,
            point_jacobian(moved, x),
            moved[:, :, 3:].transpose(0, 2, 1),
        )


@lru_cache(maxsize=64)
def _goal(hold: Hold, floats: tuple[float, ...]) -> np.ndarray:
    """Where a contact rests: orientation, then place [m], (4, 3); once for all its phases."""
    T = hold.pose(np.array(floats))
    return np.array([*T.rotation, T.translation])


@compiled_alone
def _write(frames, joint, Jt, nodes, chain, axes, goal, free, E, ticks, touched, ends, g, out):
    """A contact's rows.

    Args:
        frames: of the watched joints, (n, joints, 3, 4).
        joint: which of them carries the contact.
        Jt: motions about the world's origin, (n, nv, 6).
        nodes: where it is held, (k,).
        chain: coordinates that move it, (c,).
        axes: orientation of the contact on its joint, its place there, the surface's axes, (7, 3).
        goal: where it rests: orientation, place, (4, 3).
        free: its free coordinates, as positions in FLOATING.
        E: slopes of the coordinates by control points.
        ticks: the same by durations.
        touched: control points that matter at each node, one node after the other.
        ends: where a node's begin.
        g: takes the values.
        out: takes the slopes.
    """
    count = len(nodes)
    rows = len(g) // count
    R, p = np.empty((count, 3, 3)), np.empty((count, 3))
    J = np.empty((count, *Jt.shape[1:]))
    for i in range(count):
        R[i] = frames[nodes[i], joint, :, :3]
        p[i] = frames[nodes[i], joint, :, 3]
        J[i] = Jt[nodes[i]]
    value = g.reshape(count, rows)
    by, by_float = np.empty((count, rows, len(chain))), np.zeros((count, rows, len(free)))
    turned = frame_error(R, p, J, chain, axes[:3], axes[3], axes[4:], goal[:3], goal[3], value, by)
    for f in range(len(free)):
        for i in range(count):
            if free[f] < 2:
                by_float[i, free[f], f] = -1.0 / LENGTH
            elif rows > 3:
                for a in range(3):
                    by_float[i, 3 + a, f] = turned[i, a] / LENGTH
    g /= LENGTH
    by /= LENGTH
    spread(by, by_float, E, ticks, nodes, chain, touched, ends, out)


@compiled_alone
def spread(by, by_float, E, ticks, nodes, chain, touched, ends, out):
    """Slopes by coordinates (k, rows, c) to those by control points, durations and floats."""
    spot = 0
    count, rows, size = by.shape
    for i in range(count):
        for t in range(ends[i], ends[i + 1]):
            basis = E[nodes[i], 0, touched[t]]
            for r in range(rows):
                for c in range(size):
                    out[spot] = basis * by[i, r, c]
                    spot += 1
    for i in range(count):
        for r in range(rows):
            for d in range(ticks.shape[3]):
                total = 0.0
                for c in range(size):
                    total += by[i, r, c] * ticks[nodes[i], 0, chain[c], d]
                out[spot] = total
                spot += 1
            for f in range(by_float.shape[2]):
                out[spot] = by_float[i, r, f]
                spot += 1


def contact_nodes(stage: Stage, layout: Layout, order: int) -> list[dict[int, np.ndarray]]:
    """At which nodes of each phase each contact is held: as many as there are unknowns.

    A contact that lasts over some phases is a spline of its coordinates that must vanish. It is
    asked to at every knot; next to an end of the motion, where a rest takes two unknowns away, at
    one knot less; next to any other end of the contact also in the middle of the span.
    """
    found: list[dict[int, np.ndarray]] = [{} for _ in stage.phases]
    last = layout.phases - 1
    for h in range(len(stage.holds)):
        held = [h in phase.holds for phase in stage.phases]
        for p, spans in enumerate(layout.spans):
            if not held[p]:
                continue
            begins = p == 0 or not held[p - 1]
            ends = p == last or not held[p + 1]
            # the knot between two phases of one contact belongs to the earlier
            nodes = list(range(0 if begins else order, spans * order + 1, order))
            if begins:
                if p == 0:
                    nodes = [k for k in nodes if k > order]  # the start is given
                else:
                    nodes.append(order // 2)
            if ends:
                if p == last:
                    nodes = [k for k in nodes if k != (spans - 1) * order]
                    if stage.end is not None:
                        nodes = [k for k in nodes if k != spans * order]
                else:
                    nodes.append(spans * order - order // 2)
            found[p][h] = np.array(sorted(nodes), dtype=int)
    return found
