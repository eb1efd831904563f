"""Leaders: where a partner's hand goes, as values read from TOML.

A leader is a list of stretches, each with a velocity (forward, to the left, turning) and a
duration, in sizes of the paper's robot; or a random walk of some bandwidth; and tugs on top.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from poise.engines.interact.size import Size
from poise.errors import BadInput, NotFound
from poise.motion.knobs import at_line, read_toml
from poise.walking.footsteps import moved
from poise.walking.swing_foot import Place

DT = 0.005  # [s], of the path that is computed in advance


@dataclass(frozen=True)
class Stretch:
    """A while at one velocity."""

    duration: float  # [s]
    forward: float = 0.0  # [m/s]
    sideways: float = 0.0  # [m/s], to the left
    turn: float = 0.0  # [rad/s], to the left
    turn_radius: float | None = None  # [m]: the hand goes round a centre beside it, if given


@dataclass(frozen=True)
class Tug:
    """A short pull on top of everything."""

    time: float  # [s]
    duration: float  # [s]
    force: tuple[float, float, float]  # [N]


@dataclass(frozen=True)
class Wander:
    """A random velocity of some size and bandwidth."""

    duration: float  # [s]
    forward: float = 0.12  # [m/s], standard deviation
    sideways: float = 0.04  # [m/s]
    turn: float = 0.05  # [rad/s]
    bandwidth: float = 0.5  # [Hz]
    seed: int = 0


@dataclass(frozen=True)
class Leader:
    """A partner who leads: a path of the hand, how the hand is held, tugs."""

    name: str
    title: str = ""
    wait: float = 2.0  # [s], before the first stretch
    settle: float = 4.0  # [s], after the last one
    stiffness: float = 500.0  # [N/m], of the partner's arm
    damping: float = 30.0  # [N s/m]
    spin_stiffness: float = 12.0  # [N m/rad]
    spin_damping: float = 1.0  # [N m s/rad]
    strength: float = 50.0  # [N], the partner never pulls harder
    stretches: tuple[Stretch, ...] = ()
    wander: Wander | None = None
    tugs: tuple[Tug, ...] = ()
    faults: tuple[dict[str, Any], ...] = field(default=())

    @property
    def duration(self) -> float:
        """From standing to standing [s]."""
        moving = sum(s.duration for s in self.stretches)
        if self.wander is not None:
            moving += self.wander.duration
        return self.wait + moving + self.settle

    def on(self, size: Size) -> Leader:
        """The same leader for a robot of another size."""
        L, T, F = size.length, size.time, size.weight
        spin = F * L
        return replace(
            self,
            wait=T * self.wait,
            settle=T * self.settle,
            stiffness=size.stiffness * self.stiffness,
            damping=size.damping * self.damping,
            spin_stiffness=spin * self.spin_stiffness,
            spin_damping=spin * T * self.spin_damping,
            strength=F * self.strength,
            stretches=tuple(
                Stretch(T * s.duration, s.forward * L / T, s.sideways * L / T, s.turn / T)
                for s in self.stretches
            ),
            wander=None
            if self.wander is None
            else replace(
                self.wander,
                forward=self.wander.forward * L / T,
                sideways=self.wander.sideways * L / T,
                turn=self.wander.turn / T,
                bandwidth=self.wander.bandwidth / T,
            ),
            tugs=tuple(
                Tug(T * t.time, T * t.duration, (F * t.force[0], F * t.force[1], F * t.force[2]))
                for t in self.tugs
            ),
        )

    def path(self, radius: Place) -> LeaderPath:
        """Where the hand is led over time.

        Args:
            radius: where the hand rests, seen from the centre between the feet; a turn goes
                round that centre, so the hand swings out.
        """
        return LeaderPath(self, radius)


class LeaderPath:
    """A leader's hand over time; places are of the body that it leads, headings unwrapped."""

    def __init__(self, leader: Leader, hand: Place) -> None:
        self.leader, self.hand = leader, hand
        rates = _velocities(leader)
        n = len(rates)
        places = np.zeros((n + 1, 3))
        place: Place = (0.0, 0.0, 0.0)
        for k, (forward, sideways, turn) in enumerate(rates.tolist()):
            place = moved(place, DT * forward, DT * sideways, DT * turn)
            places[k + 1] = place
        self._places = places
        self._rates = np.vstack([rates, np.zeros((1, 3))])

    def body(self, time: float) -> Place:
        """Where the leader wants the body to be at a time [s]."""
        k = min(max(round(time / DT), 0), len(self._places) - 1)
        x, y, heading = self._places[k]
        return float(x), float(y), float(heading)

    def at(self, time: float) -> tuple[np.ndarray, np.ndarray, float, float]:
        """Where the leader's hand is: place [m], velocity [m/s], (2,); heading, rate.

        Args:
            time: [s].
        """
        a, b = self.body(time - 0.5 * DT), self.body(time + 0.5 * DT)
        p, r = moved(a, *self.hand[:2]), moved(b, *self.hand[:2])
        here = np.array(p[:2])
        rate = (np.array(r[:2]) - here) / DT
        return here, rate, a[2], (b[2] - a[2]) / DT


def _velocities(leader: Leader) -> np.ndarray:
    """Forward, sideways and turning velocities at every instant, smoothed, (n, 3)."""
    rows = [np.zeros((round(leader.wait / DT), 3))]
    for s in leader.stretches:
        rows.append(np.tile([s.forward, s.sideways, s.turn], (round(s.duration / DT), 1)))
    if leader.wander is not None:
        rows.append(_wander(leader.wander))
    rows.append(np.zeros((round(leader.settle / DT), 3)))
    raw = np.vstack(rows)
    # nobody changes speed at once: a second-order filter of a third of a second
    out, state, rate = np.zeros_like(raw), np.zeros(3), np.zeros(3)
    w = 6.0
    for k, wish in enumerate(raw):
        rate = rate + DT * (w * w * (wish - state) - 2.0 * w * rate)
        state = state + DT * rate
        out[k] = state
    return out


def _wander(wander: Wander) -> np.ndarray:
    """Filtered noise of a standard deviation."""
    n = round(wander.duration / DT)
    noise = np.random.default_rng(wander.seed).standard_normal((n + 2000, 3))
    pole = np.exp(-2.0 * np.pi * wander.bandwidth * DT)
    out, state = np.zeros((n + 2000, 3)), np.zeros((2, 3))
    for k in range(n + 2000):
        state[0] = pole * state[0] + (1.0 - pole) * noise[k]
        state[1] = pole * state[1] + (1.0 - pole) * state[0]
        out[k] = state[1]
    out = out[2000:]
    size = np.array([wander.forward, wander.sideways, wander.turn])
    found: np.ndarray = np.clip(size * out / out.std(axis=0), -2.0 * size, 2.0 * size)
    return found


# -- files ----------------------------------------------------------------------------------

_FOLDER = "poise.engines.interact"
_TOP = {
    "title": str, "wait": float, "settle": float, "stiffness": float, "damping": float,
    "spin_stiffness": float, "spin_damping": float, "strength": float,
}  # fmt: skip
_STRETCH = {"duration", "forward", "sideways", "turn"}
_WANDER = {"duration", "forward", "sideways", "turn", "bandwidth", "seed"}
_TUG = {"time", "duration", "force"}


def leader_names() -> tuple[str, ...]:
    """The leaders that are shipped."""
    folder = resources.files(_FOLDER) / "leaders"
    return tuple(sorted(Path(f.name).stem for f in folder.iterdir() if f.name.endswith(".toml")))


def find_leader(name: str | Path | Leader, seed: int | None = None) -> Leader:
    """A leader by name, or from a TOML file.

    Args:
        name: of a shipped leader, a path, or a leader.
        seed: of a random walk, instead of its own.
    """
    if isinstance(name, Leader):
        leader = name
    elif str(name) in leader_names():
        path = resources.files(_FOLDER) / "leaders" / f"{name}.toml"
        leader = read_leader(Path(str(path)))
    elif Path(name).suffix == ".toml":
        leader = read_leader(Path(name))
    else:
        raise NotFound("leader", str(name), leader_names())
    if seed is not None and leader.wander is not None:
        leader = replace(leader, wander=replace(leader.wander, seed=seed))
    return leader


def read_leader(path: Path) -> Leader:
    """Read a leader's TOML; what is unknown or out of range is refused with its line."""
    table, text = read_toml(path)
    known = [*_TOP, "stretch", "wander", "tug"]
    for key in table:
        if key not in known:
            where = f"{path}{at_line(text, key)}"
            raise BadInput(where, key, "unknown", f"one of {', '.join(known)}")
    top = {}
    for key, kind in _TOP.items():
        if key in table:
            value = table[key]
            if kind is float:
                value = _number(path, text, key, value, 0.0, 1e4)
            top[key] = value
    stretches = tuple(
        Stretch(
            **_entries(path, text, row, _STRETCH, "stretch"),
        )
        for row in _rows(path, table, "stretch")
    )
    wander = None
    if "wander" in table:
        entries = _entries(path, text, table["wander"], _WANDER, "wander")
        if "seed" in entries:
            entries["seed"] = int(entries["seed"])
        wander = Wander(**entries)
    tugs = []
    for row in _rows(path, table, "tug"):
        force = row.get("force", (0.0, 0.0, 0.0))
        if not isinstance(force, list) or len(force) != 3:
            raise BadInput(path, "tug.force", f"{force!r}", "three numbers [N]")
        rest = {k: v for k, v in row.items() if k != "force"}
        x, y, z = (_number(path, text, "force", f, -1e4, 1e4) for f in force)
        tugs.append(Tug(**_entries(path, text, rest, _TUG, "tug"), force=(x, y, z)))
    return Leader(path.stem, **top, stretches=stretches, wander=wander, tugs=tuple(tugs))


def _rows(path: Path, table: dict[str, Any], key: str) -> Sequence[dict[str, Any]]:
    rows = table.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(path, key, "not a list of tables", f"[[{key}]] tables")
    return rows


def _entries(
    path: Path, text: str, row: dict[str, Any], known: set[str], name: str
) -> dict[str, Any]:
    found = {}
    for key, value in row.items():
        if key not in known:
            where = f"{path}{at_line(text, key)}"
            raise BadInput(where, f"{name}.{key}", "unknown", f"one of {', '.join(sorted(known))}")
        low = 0.0 if key in ("duration", "time", "bandwidth", "seed") else -10.0
        found[key] = _number(path, text, key, value, low, 1e4)
    return found


def _number(path: Path, text: str, key: str, value: Any, low: float, high: float) -> float:
    good = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
    if not good:
        where = f"{path}{at_line(text, key)}"
        raise BadInput(where, key, f"{value!r}", f"a number from {low:g} to {high:g}")
    return float(value)
