"""poise makes humanoid robots move well.

    import poise

    robot = poise.load_robot("nao")
    walk = poise.walk(robot, style="proud", steps=20)
    print(poise.check(walk))
    poise.save(walk, "proud.npz")
    poise.view(walk)

Five verbs make a Motion; every other takes one. The names below are fetched when they are
first used, so that importing poise costs nothing.

Matrices of robots are small: threads of BLAS cost many times what they give. Unless the environment
says otherwise (OMP_NUM_THREADS, OPENBLAS_NUM_THREADS), BLAS therefore gets one; it looks when
NumPy is loaded, so import poise before NumPy.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

_HOMES = {
    "load_robot": "poise.robot",
    "robot_names": "poise.robot",
    "Robot": "poise.robot",
    "Motion": "poise.motion",
    "Recording": "poise.motion",
    "PoiseError": "poise.errors",
    "load": "poise.door",
    "save": "poise.door",
    "check": "poise.door",
    "simulate": "poise.door",
    "view": "poise.door",
    "picture": "poise.door",
    "video": "poise.door",
    "walk": "poise.door",
    "interact": "poise.leading",
    "imitate": "poise.door",
    "balance": "poise.door",
    "plan": "poise.door",
}

if TYPE_CHECKING:
    from poise.door import balance as balance
    from poise.door import check as check
    from poise.door import imitate as imitate
    from poise.door import load as load
    from poise.door import picture as picture
    from poise.door import plan as plan
    from poise.door import save as save
    from poise.door import simulate as simulate
    from poise.door import video as video
    from poise.door import view as view
    from poise.door import walk as walk
    from poise.errors import PoiseError as PoiseError
    from poise.leading import interact as interact
    from poise.motion import Motion as Motion
    from poise.motion import Recording as Recording
    from poise.robot import Robot as Robot
    from poise.robot import load_robot as load_robot
    from poise.robot import robot_names as robot_names


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"poise has no '{name}'; it offers {', '.join(sorted(_HOMES))}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted([*_HOMES, "__version__"])
