"""`poise doctor`: what is installed, what works, and what to do about what does not."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from poise.commands.outcome import DONE, NOT_GOOD, Outcome, Verb

PACKAGES = (
    "numpy",
    "scipy",
    "numba",
    "pin",
    "daqp",
    "mujoco",
    "viser",
    "example-robot-data",
    "casadi",
    "ezc3d",
    "mcap",
    "distributed",
)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SECONDS = 60  # a probe that takes longer counts as not working


@dataclass(frozen=True)
class Symptom:
    """One thing that was looked at."""

    name: str
    ok: bool
    found: str
    remedy: str = ""
    needed: bool = True  # without it something essential does not work


def examine() -> list[Symptom]:
    """Look at everything poise stands on."""
    return [
        _python(),
        *[_package(name) for name in PACKAGES],
        _robots(),
        _probe("physics", _PHYSICS, "reinstall mujoco: pip install --force-reinstall mujoco"),
        _probe(
            "pictures without a display",
            _RENDERING,
            "install Mesa's EGL: apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri",
            needed=False,
        ),
        _browser(),
        _cores(),
    ]


# each runs in a process of its own: a broken graphics driver may take its process with it
_PHYSICS = """
from poise.door import simulate_standing
print(simulate_standing("nao", 1.0))
"""
_RENDERING = """
from poise.door import portrait
image = portrait("nao", (160, 120))
print(f"{image.shape[1]} x {image.shape[0]} pixels drawn")
"""


def _python() -> Symptom:
    good = sys.version_info >= (3, 11)
    return Symptom("python", good, platform.python_version(), "install Python 3.11 or newer")


def _package(name: str) -> Symptom:
    try:
        return Symptom(name, True, version(name))
    except PackageNotFoundError:
        return Symptom(name, False, "not installed", f"pip install {name}")


def _robots() -> Symptom:
    from poise.errors import PoiseError
    from poise.robot import load_robot, robot_names

    broken = []
    for name in robot_names():
        try:
            load_robot(name)
        except PoiseError as error:
            broken.append(f"{name} ({error})")
    if broken:
        return Symptom("robots", False, "; ".join(broken), "see `poise robots add --help`")
    return Symptom("robots", True, ", ".join(robot_names()))


def _probe(name: str, code: str, remedy: str, needed: bool = True) -> Symptom:
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return Symptom(name, False, f"no answer within {SECONDS} s", remedy, needed)
    if done.returncode == 0:
        return Symptom(name, True, done.stdout.strip().splitlines()[-1], needed=needed)
    words = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
    return Symptom(name, False, words[-1], remedy, needed)


def _browser() -> Symptom:
    for name in BROWSERS:
        path = shutil.which(name)
        if path:
            return Symptom("browser", True, path, needed=False)
    remedy = "any modern browser opens the pages; the tests need: apt-get install chromium"
    return Symptom("browser", False, "no Chromium on the path", remedy, needed=False)


def _cores() -> Symptom:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return Symptom("cores", True, f"{count} ({platform.machine()}, {platform.system()})")


def _run(args: argparse.Namespace) -> Outcome:
    symptoms = examine()
    good = all(s.ok for s in symptoms if s.needed)
    lines = []
    for s in symptoms:
        mark = "ok " if s.ok else ("BAD" if s.needed else "-- ")
        lines.append(f"{mark} {s.name:<27} {s.found}")
        if not s.ok:
            lines.append(f"    {'':<27} -> {s.remedy}")
    data = {"ok": good, "symptoms": [vars(s) for s in symptoms]}
    return Outcome(data, "\n".join(lines), DONE if good else NOT_GOOD)


VERB = Verb(
    "doctor", "What is installed, what works, what to do about the rest.", lambda parser: None, _run
)
