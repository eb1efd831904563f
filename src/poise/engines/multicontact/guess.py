"""The first guess: key postures by inverse kinematics and static balance, joined at rest.

At every change of contacts both the old and the new contacts hold, and the centre of mass stands
over the contacts that stay. Between two key postures the body moves as a smooth step of time,
with its contacts held and swinging feet lifted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from poise.engines.multicontact.chart import Chart
from poise.engines.multicontact.collisions import Obstacles
from poise.engines.multicontact.layout import Layout
from poise.engines.multicontact.sharing import share
from poise.engines.multicontact.stage import Hold, Stage, Task, point_jacobian
from poise.engines.multicontact.variables import Unpacked
from poise.errors import Infeasible
from poise.robot.robot import BASE_V
from poise.solvers.workspace import QPWorkspace

HELD, TASK, APART, BALANCE, POSTURE = 1e4, 1e3, 1e3, 30.0, 1e-2  # weights of the squares
PRESSED, ENOUGH_FORCE = 3e2, 2.0  # weight of contacts that must press, and times their least force
ROOM = 0.01  # [m], beyond what the solver keeps between things that must not touch
FLOAT = 1e-1  # weight on free coordinates, towards the middle of their reach
STEP = 0.25  # [rad, m], longest step
MISSED = 3e-3  # [m, rad], further off a contact cannot be reached
UNREACHED = 1e3  # what that adds to the score of a posture
FAR = 0.03  # [m], further off a task cannot be reached
MOVING = 2.0  # times that may be reached all the same by a posture that is not at rest
LIFT, FOOT = 0.06, 0.15  # [m], of a swinging foot; how far it reaches about its frame
ATTEMPTS, ENOUGH = 20, 3  # starts for a posture at most, and once one is good
ARM = 0.3  # [m], a contact this much higher carries about a third
SPARED = 1.5  # logarithm of the weight of a contact of one point
UPRIGHT = 0.7  # a contact carries when the vertical part of its normal is larger


@dataclass(frozen=True, eq=False)
class Goal:
    """What a posture should do."""

    holds: tuple[tuple[int, pin.SE3 | None], ...]  # and where, when not on its surface
    tasks: tuple[Task, ...]
    com: np.ndarray | None  # [m], (2,)
    posture: np.ndarray  # (nv,), to stay near to
    stances: tuple[tuple[int, ...], ...] = ()  # contacts that all press, when it is at rest


class Postures:
    """Finds postures for goals."""

    def __init__(self, chart: Chart, stage: Stage, obstacles: Obstacles | None = None) -> None:
        self.chart, self.stage, self.obstacles = chart, stage, obstacles
        self.data = chart.model.createData()
        self.slots = stage.float_slots()
        self.floats = sum(len(hold.free) for hold in stage.holds)
        self.low, self.high = np.zeros(self.floats), np.zeros(self.floats)
        for hold, slot in zip(stage.holds, self.slots, strict=True):
            for k, name in enumerate(hold.free):
                self.low[slot.start + k], self.high[slot.start + k] = hold.reach[name]
        self.ws = QPWorkspace(chart.nv + self.floats, 0)

    def search(
        self,
        goal: Goal,
        q: np.ndarray,
        floats: np.ndarray,
        settle: bool,
        hint: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """As `find`, from other postures as well: a hint, some by chance."""
        rng = np.random.default_rng(0)
        best, least = (q, floats), np.inf
        for attempt in range(ATTEMPTS):
            start, first = q, floats
            if attempt == 1 and hint is not None:
                start = hint
            elif attempt:
                start = q.copy()
                start[3:] += rng.normal(scale=0.15 + 0.03 * attempt, size=len(q) - 3)
                start = np.clip(start, self.stage.lower + 1e-3, self.stage.upper - 1e-3)
                if settle:
                    first = rng.uniform(self.low, self.high)
            found = self.find(goal, start, first, settle)
            score = self.score(goal, *found)
            if score < least:
                best, least = found, score
            if score < UNREACHED and attempt >= ENOUGH:
                break
        return best

    def score(self, goal: Goal, q: np.ndarray, floats: np.ndarray) -> float:
        """How far from its goal a posture is, much further where it misses something."""
        miss = max(self.misses(goal, q, floats).values(), default=0.0)
        r, _ = self._residuals(goal, q, floats)
        return float(r @ r) + (0.0 if miss < MISSED else UNREACHED)

    def find(
        self, goal: Goal, q: np.ndarray, floats: np.ndarray, settle: bool, iterations: int = 60
    ) -> tuple[np.ndarray, np.ndarray]:
        """The posture and free coordinates nearest to a goal; free ones move if `settle`."""
        nv, stage = self.chart.nv, self.stage
        q = np.clip(q, stage.lower, stage.upper)
        floats, damping = floats.copy(), 1e-3
        r, J = self._residuals(goal, q, floats)
        for _ in range(iterations):
            self.ws.P[:] = J.T @ J + damping * np.eye(nv + self.floats)
            self.ws.r[:] = J.T @ r
            self.ws.x_lower[:nv] = np.maximum(stage.lower - q, -STEP)
            self.ws.x_upper[:nv] = np.minimum(stage.upper - q, STEP)
            self.ws.x_lower[nv:] = np.maximum(self.low - floats, -0.1) if settle else 0.0
            self.ws.x_upper[nv:] = np.minimum(self.high - floats, 0.1) if settle else 0.0
            delta = self.ws.solve()
            if delta is None:
                break
            q_new, floats_new = q + delta[:nv], floats + delta[nv:]
            r_new, J_new = self._residuals(goal, q_new, floats_new)
            if r_new @ r_new > r @ r:
                damping = min(10.0 * damping, 1e6)
            else:
                q, floats, r, J = q_new, floats_new, r_new, J_new
                damping = max(0.2 * damping, 1e-6)
            if np.abs(delta).max() < 1e-6:
                break
        return q, floats

    def misses(self, goal: Goal, q: np.ndarray, floats: np.ndarray) -> dict[str, float]:
        """How far each contact and task is off [m, rad]."""
        at = self._kinematics(q)
        found = {}
        for h, elsewhere in goal.holds:
            hold = self.stage.holds[h]
            value = self._hold(hold, at, floats[self.slots[h]], elsewhere)[0]
            found[f"contact '{hold.name}'"] = float(np.abs(value).max())
        for task in goal.tasks:
            if np.isfinite(task.low).any():
                x = at.p(task.joint) + at.R(task.joint) @ task.point
                off = np.maximum(np.maximum(task.low - x, x - task.high), 0.0)
                found[f"task '{task.name}'"] = float(off.max())
        return found

    def com(self, q: np.ndarray) -> np.ndarray:
        """Centre of mass [m], (3,)."""
        return pin.centerOfMass(self.chart.model, self.data, q).copy()

    def _kinematics(self, q: np.ndarray) -> _Pose:
        pin.jacobianCenterOfMass(self.chart.model, self.data, q)
        pin.computeJointJacobians(self.chart.model, self.data, q)
        return _Pose(self.data)

    def _hold(self, hold: Hold, at: _Pose, floats: np.ndarray, elsewhere: pin.SE3 | None):
        R, p = at.R(hold.joint)[None], at.p(hold.joint)[None]
        if elsewhere is not None:
            hold = _moved(hold, elsewhere)
            floats = np.zeros(0)
        value, by_chain, by_float = hold.residual(R, p, at.Jt[None], floats)
        by_q = np.zeros((len(value[0]), self.chart.nv))
        by_q[:, hold.chain] = by_chain[0]
        return value[0], by_q, by_float[0]

    def _residuals(
        self, goal: Goal, q: np.ndarray, floats: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        nv = self.chart.nv
        at = self._kinematics(q)
        rs, Js = [], []

        def add(weight: float, value: np.ndarray, J: np.ndarray) -> None:
            wide = np.zeros((len(value), nv + self.floats))
            wide[:, : J.shape[1]] = J
            rs.append(np.sqrt(weight) * value)
            Js.append(np.sqrt(weight) * wide)

        for h, elsewhere in goal.holds:
            slot = self.slots[h]
            value, by_q, by_float = self._hold(self.stage.holds[h], at, floats[slot], elsewhere)
            wide = np.zeros((len(value), nv + self.floats))
            wide[:, :nv] = by_q
            if elsewhere is None:
                wide[:, nv + slot.start : nv + slot.stop] = by_float
            add(HELD, value, wide)
        for task in goal.tasks:
            x = at.p(task.joint) + at.R(task.joint) @ task.point
            J = np.zeros((3, nv))
            J[:, task.chain] = point_jacobian(at.Jt[None, task.chain], x[None])[0]
            off = np.minimum(x - task.low, 0.0) + np.maximum(x - task.high, 0.0)
            wanted = off != 0.0
            add(TASK, off[wanted], J[wanted])
        if self.obstacles is not None:
            add(APART, *self.obstacles.overlaps(self.data, at.Jt, ROOM))
        if goal.com is not None:
            helped = any(len(self.stage.holds[h].points) == 1 for h, _ in goal.holds)
            add(0.1 * BALANCE if helped else BALANCE, at.com[:2] - goal.com, at.com_jacobian[:2])
        for stance in goal.stances:
            value, by_com = pressing_at_rest(self.stage, stance, floats, at.com)
            weak = np.minimum(value, 0.0)
            add(PRESSED, weak[weak < 0.0], (by_com @ at.com_jacobian[:2])[weak < 0.0])
        add(POSTURE, (q - goal.posture)[3:], np.eye(nv)[3:])
        middle = np.zeros((self.floats, nv + self.floats))
        middle[:, nv:] = np.eye(self.floats)
        rs.append(np.sqrt(FLOAT) * floats)
        Js.append(np.sqrt(FLOAT) * middle)
        return np.concatenate(rs), np.concatenate(Js)


class _Pose:
    """Kinematics of one posture; views of Pinocchio's memory."""

    def __init__(self, data: pin.Data) -> None:
        self.data, self.Jt = data, np.array(data.J.T)
        self.com, self.com_jacobian = np.array(data.com[0]), np.array(data.Jcom)

    def R(self, joint: int) -> np.ndarray:
        return self.data.oMi[joint].rotation

    def p(self, joint: int) -> np.ndarray:
        return self.data.oMi[joint].translation


def _moved(hold: Hold, T: pin.SE3) -> Hold:
    return replace(hold, T_world_surface=T, free=(), reach={})


def first_guess(
    chart: Chart,
    stage: Stage,
    layout: Layout,
    floats: np.ndarray | None = None,
    obstacles: Obstacles | None = None,
) -> Unpacked:
    """Control points, durations, weights and free coordinates to start from.

    Args:
        chart: of the robot.
        stage: what is asked.
        layout: of the control points.
        floats: free coordinates to start from; found together with the postures if absent.
        obstacles: what must not touch.

    Raises:
        Infeasible: when a contact or a task cannot be reached at the end of a phase.
    """
    postures = Postures(chart, stage, obstacles)
    hint, found = settled_posture(postures, stage)
    if floats is None:
        hint = None  # the search ends there by itself
    else:
        found = np.array(floats, dtype=float)
    keys = [stage.start]
    for p in range(len(stage.phases)):
        if p == len(stage.phases) - 1 and stage.end is not None:
            keys.append(stage.end)
            continue
        goal = key_goal(stage, p, keys[0], found)
        keys.append(postures.search(goal, keys[-1], found, False, hint)[0])
        _refuse(postures, goal, keys[-1], found, stage, p)
    places = np.empty((layout.count, chart.nv))
    places[0] = keys[0]
    for p in range(layout.phases):
        own, spans = layout.own(p), layout.spans[p]
        first = 1 if p == 0 else 0
        for k, index in enumerate(own[first:]):
            share = min((k + 2) / spans, 1.0)  # where control point k + 3 acts most
            last_three = k + 3 >= spans
            places[index] = (
                keys[p + 1]
                if last_three
                else _between(postures, stage, p, keys[p], keys[p + 1], found, share)
            )
    return Unpacked(
        places,
        np.array([phase.guess for phase in stage.phases]),
        [_weights(stage, phase.holds) for phase in stage.phases],
        np.clip(found, postures.low, postures.high),
    )


def _weights(stage: Stage, holds: Sequence[int]) -> np.ndarray:
    """Logarithms of beta: points that stand alone, as hands do, are spared at first."""
    alone = np.array([SPARED if len(stage.holds[h].points) == 1 else 0.0 for h in holds])
    return alone - alone[0]


def settled_posture(postures: Postures, stage: Stage) -> tuple[np.ndarray | None, np.ndarray]:
    """The posture with the most to reach while contacts float, and where they then are.

    The posture is worth trying wherever these contacts are put: it reaches with the limbs that
    suit the task best, which a search that begins elsewhere need not find.
    """
    found = np.zeros(postures.floats)
    goals = [key_goal(stage, p, stage.start, found) for p in range(len(stage.phases))]
    q, hint = stage.start, None
    for goal in goals:  # the way there, for a good start
        if not any(stage.holds[h].free for h, _ in goal.holds):
            continue
        q, found = postures.search(goal, q, found, True)
        hint = q
        if goal.tasks:
            break
    return hint, found


def key_goal(stage: Stage, phase: int, posture: np.ndarray, floats: np.ndarray) -> Goal:
    """What the posture at the end of a phase should do."""
    now = stage.phases[phase].holds
    after = stage.phases[phase + 1].holds if phase + 1 < len(stage.phases) else now
    both = tuple(sorted({*now, *after}))
    stay = [h for h in now if h in after]
    tasks = tuple(t for t in stage.tasks if t.phase == phase and t.share == 1.0)
    centre = support_centre(stage, stay, floats)
    return Goal(tuple((h, None) for h in both), tasks, centre, posture, tuple({now, after}))


def pressing_at_rest(
    stage: Stage, stance: Sequence[int], floats: np.ndarray, com: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """How much more than enough each contact point presses at rest, and its slope by the CoM.

    Args:
        stage: what is asked.
        stance: the contacts.
        floats: free coordinates of all contacts [m, rad].
        com: centre of mass [m], (3,).

    Returns:
        Values (k,), in weights of the robot, and slopes (k, 2) by x and y [1/m].
    """
    slots = stage.float_slots()
    holds = [stage.holds[h] for h in stance]
    grips = [hold.grip(floats[slots[h]]) for h, hold in zip(stance, holds, strict=True)]
    normal = share(grips, _weights(stage, stance)).forces[2::3]
    enough = [np.full(len(h.points), ENOUGH_FORCE * h.least_force / stage.weight) for h in holds]
    by_com = np.stack([-normal[:, 4], normal[:, 3]], axis=1)
    return normal[:, 2] + by_com @ com[:2] - np.concatenate(enough), by_com


def support_centre(stage: Stage, holds: Sequence[int], floats: np.ndarray) -> np.ndarray | None:
    """The middle of the contacts that carry [m], (2,); high ones carry less."""
    slots = stage.float_slots()
    places, weights = [], []
    for h in holds:
        hold = stage.holds[h]
        if hold.T_world_surface.rotation[2, 2] > UPRIGHT:
            places.append(hold.grip(floats[slots[h]]).points.mean(axis=0))
    if not places:
        return None
    lowest = min(place[2] for place in places)
    weights = [np.exp(-(place[2] - lowest) / ARM) for place in places]
    return np.average(places, axis=0, weights=weights)[:2]


def _between(
    postures: Postures,
    stage: Stage,
    phase: int,
    start: np.ndarray,
    end: np.ndarray,
    floats: np.ndarray,
    share: float,
) -> np.ndarray:
    step = smooth(share)
    q = (1.0 - step) * start + step * end
    holds: list[tuple[int, pin.SE3 | None]] = [(h, None) for h in stage.phases[phase].holds]
    held_parts = {stage.holds[h].part for h, _ in holds}
    com_a, com_b = postures.com(start)[:2], postures.com(end)[:2]
    for h, hold in enumerate(stage.holds):
        swings = hold.part in postures.chart.robot.feet and hold.part not in held_parts
        if swings and h in _soon(stage, phase):
            T_a = _pose_of(postures, hold, start)
            T_b = _pose_of(postures, hold, end)
            T = pin.SE3.Interpolate(T_a, T_b, smooth(np.clip((share - 0.2) / 0.6, 0.0, 1.0)))
            place = T.translation.copy()
            place[2] = _arch(stage, T_a.translation, T_b.translation, share)
            T.translation = place
            holds.append((h, T))
            held_parts.add(hold.part)
    goal = Goal(tuple(holds), (), (1.0 - step) * com_a + step * com_b, q)
    return postures.find(goal, q, floats, False, 15)[0]


def _arch(stage: Stage, a: np.ndarray, b: np.ndarray, share: float) -> float:
    """Height of a swinging foot [m]: up first, then over what lies between, then down."""
    top = max(a[2], b[2])
    for low, high in stage.humps:
        near = np.minimum(a, b)[:2] - FOOT < high[:2]
        far = np.maximum(a, b)[:2] + FOOT > low[:2]
        if near.all() and far.all() and high[2] < 0.4 * stage.start[2]:
            top = max(top, high[2])
    side = a[2] if share < 0.5 else b[2]
    return float(side + (top + LIFT - side) * smooth(min(min(share, 1.0 - share) / 0.35, 1.0)))


def _soon(stage: Stage, phase: int) -> set[int]:
    after = stage.phases[phase + 1].holds if phase + 1 < len(stage.phases) else ()
    return set(after)


def _pose_of(postures: Postures, hold: Hold, q: np.ndarray) -> pin.SE3:
    pin.forwardKinematics(postures.chart.model, postures.data, q)
    return postures.data.oMi[hold.joint] * hold.T_joint_contact


def smooth(share: float) -> float:
    """A step from 0 to 1 that starts and ends at rest."""
    return share**3 * (10.0 - 15.0 * share + 6.0 * share**2)


def _refuse(
    postures: Postures, goal: Goal, q: np.ndarray, floats: np.ndarray, stage: Stage, phase: int
) -> None:
    """Say that there is no posture; what is only just missed may be had in motion."""
    bad = _missed(postures.misses(goal, q, floats))
    if not bad:
        return
    if not _missed(postures.misses(goal, q, floats), MOVING):
        unbalanced = replace(goal, com=None, stances=())
        other, _ = postures.search(unbalanced, q, floats, False)
        if not _missed(postures.misses(goal, other, floats)):
            return
    names = postures.chart.names
    tight = (q < stage.lower + 2e-3) | (q > stage.upper - 2e-3)
    tight[:BASE_V] = False
    carry = [hold.chain for hold in stage.holds if f"contact '{hold.name}'" in bad]
    carry += [task.chain for task in goal.tasks if f"task '{task.name}'" in bad]
    tight &= np.isin(np.arange(len(q)), np.concatenate(carry))  # others have no say in it
    stuck = [f"{names[k]} at its limit" for k in np.flatnonzero(tight)[:4]]
    worst = sorted(bad, key=lambda k: -bad[k])
    told = [f"{name} (off by {100 * bad[name]:.1f} cm)" for name in worst]
    raise Infeasible(
        f"Phase '{stage.phases[phase].name}'",
        [*told, *stuck],
        "No balanced posture reaches all of them at its end.",
    )


def _missed(misses: dict[str, float], times: float = 1.0) -> dict[str, float]:
    """What is too far off [m, rad], or so many times that, to be left to the optimiser."""
    return {
        k: v for k, v in misses.items() if v > times * (FAR if k.startswith("task") else MISSED)
    }
