"""Contacts stay where they are: at as many nodes as a spline has unknowns."""

from __future__ import annotations

import numpy as np

from poise.compiled import compiled_alone
from poise.engines.multicontact.curvature import Bends, Curved
from poise.engines.multicontact.layout import Layout
from poise.engines.multicontact.rows import Pattern
from poise.engines.multicontact.stage import Stage, point_jacobian
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
        nothing = np.zeros(rows.size)
        names = [(CONTACT, hold_.name, ground.phase)] * rows.size
        self.pattern = Pattern.of(nothing, nothing, names, places)

    def write(self, at: Stretch, g: np.ndarray, nonzeros: np.ndarray) -> None:
        """Values and slopes."""
        hold, here, nodes = self.hold, at.at, self.nodes
        R, p, Jt = here.R[hold.joint][nodes], here.p[hold.joint][nodes], here.Jt[nodes]
        value, by, by_float = hold.residual(R, p, Jt, at.u.floats[self.slot])
        np.divide(value.ravel(), LENGTH, out=g)
        by /= LENGTH
        by_float /= LENGTH
        spots = (self.nodes, hold.chain, self.touched, self.ends)
        spread(by, by_float, at.E, at.ticks, *spots, nonzeros)

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
