"""Peers in environments of their own, measured in turns with poise.

Each peer has a list of versions and scripts in the folder `benchmarks/peers` of the repository;
`make bench` builds `.bench/<peer>` from it. A peer is another process: it gets the problem as a
JSON file, and says how long each tick took.
"""

from __future__ import annotations

import json
import os
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

from poise.bench.measure import Absent
from poise.errors import PoiseError
from poise.robot import Robot

ROOT = Path(__file__).parents[3]
SCRIPTS, HOMES = ROOT / "benchmarks" / "peers", ROOT / ".bench"
ROUNDS, EACH, WARM = 20, 20, 20
QUIET = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class PeerAbsent(PoiseError):
    """A peer that cannot be measured here; the sentence says why."""


@dataclass
class Peer:
    """A running peer."""

    name: str
    process: subprocess.Popen[str]

    def times(self, ticks: int) -> np.ndarray:
        """Let it do some ticks; how long each took [s]."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{ticks}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise PeerAbsent(self.last_words()) from None
        return np.array(self.hear())

    def hear(self) -> Any:
        """The next thing that it says."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.lstrip().startswith(("{", "[")):  # libraries print what they like
                return json.loads(line)
        raise PeerAbsent(self.last_words())

    def done(self) -> dict[str, float]:
        """End it; what it says about the quality of its answers."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return dict(self.hear())

    def last_words(self) -> str:
        """Why it ended."""
        self.process.wait()
        assert self.process.stderr is not None
        said = self.process.stderr.read().strip().splitlines()
        code = self.process.returncode
        how = f"crashed (signal {-code})" if code < 0 else f"stopped (exit code {code})"
        return f"{self.name} {how}: {said[-1] if said else 'it said nothing'}"


def start(name: str, script: str, problem: Mapping[str, Any], stack: ExitStack) -> Peer:
    """Start a peer on a problem; it ends with the stack.

    Raises:
        PeerAbsent: when it is not installed, or does not get as far as its first tick.
    """
    python = HOMES / name / "bin" / "python"
    if not (SCRIPTS / script).is_file():
        raise PeerAbsent(f"{name}: its script is in the repository, not in an installed poise")
    if not python.exists():
        raise PeerAbsent(f"{name} is not installed here; `make bench` installs it")
    log = HOMES / name / "failed.log"
    if log.is_file():
        said = log.read_text("utf-8").strip().splitlines()
        raise PeerAbsent(f"{name} could not be installed: {said[-1] if said else 'no reason told'}")
    folder = Path(stack.enter_context(TemporaryDirectory()))
    file, urdf = folder / "problem.json", folder / "robot.urdf"
    urdf.write_text(problem["urdf"], "utf-8")
    file.write_text(json.dumps({**problem, "urdf": str(urdf)}), "utf-8")
    process = subprocess.Popen(
        [str(python), str(SCRIPTS / script), str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | QUIET,
    )
    peer = Peer(name, stack.enter_context(process))
    stack.callback(process.kill)
    peer.hear()
    return peer


def bare_urdf(robot: Robot) -> str:
    """The robot's URDF without shapes: meshes are found in other places by everybody."""
    root = ET.fromstring(robot.urdf.read_bytes())
    for link in root.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    return ET.tostring(root, encoding="unicode")


def in_turns(
    what: str,
    problem: Mapping[str, Any],
    peers: Mapping[str, str],
    mine: Mapping[str, Callable[[], Any]],
    rounds: int = ROUNDS,
    each: int = EACH,
    warm: int = WARM,
) -> tuple[dict[str, np.ndarray], dict[str, dict[str, float]], list[Absent]]:
    """Times [s] of poise and of its peers on one problem, taking turns.

    Args:
        what: is measured, for reports about peers that are absent.
        problem: what the peers are told, as JSON; `urdf` is the text of a URDF.
        peers: name -> script.
        mine: name -> one tick of poise.
        rounds: how often everybody has a turn.
        each: ticks in a turn.
        warm: ticks before the first turn.

    Returns:
        Times by name, what each peer says about its answers, and who was absent, with the reason.
    """
    absent: list[Absent] = []
    with ExitStack() as stack:
        running: dict[str, Peer] = {}
        for name, script in peers.items():
            try:
                running[name] = start(name, script, problem, stack)
                running[name].times(warm)
            except PeerAbsent as why:
                running.pop(name, None)
                absent.append(Absent(what, name, str(why)))
        for tick in mine.values():
            for _ in range(warm):
                tick()
        times: dict[str, list[float]] = {name: [] for name in [*mine, *running]}
        for _ in range(rounds):
            for name, tick in mine.items():
                for _ in range(each):
                    begin = process_time()
                    tick()
                    times[name].append(process_time() - begin)
            for name in list(running):
                try:
                    times[name].extend(running[name].times(each))
                except PeerAbsent as why:
                    absent.append(Absent(what, name, str(why)))
                    running.pop(name)
                    times.pop(name)
        told = {name: peer.done() for name, peer in running.items()}
    return {name: np.array(values) for name, values in times.items()}, told, absent
