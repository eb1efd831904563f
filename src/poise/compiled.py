"""Small loops as machine code: the one address of numba.

A control tick touches many small arrays, and NumPy's fixed price for each touch adds up to more
than the arithmetic. What a tick does every time is therefore written as plain loops and compiled
at first use; the result is kept in a folder of its own, so that only the first run ever waits.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])

# sums may be taken in another order, which lets the processor add four at a time; not-a-number
# and infinity keep their meaning, because whoever reads the answers looks for them
RELAXED = {"reassoc", "nsz", "contract"}

# Loops that loops in other files contain. The compiler looks only at a loop's own file when it
# decides whether the code that was kept is still right; so a change in these begins a new folder.
_MULTICONTACT = ("dynamics.py", "frame_error.py", "newton_euler.py", "quantities.py")
SHARED = (
    "robot/frames.py",
    "solvers/hierarchy.py",
    "solvers/in_order.py",
    "tasks/frame.py",
    "tasks/rotations.py",
    "engines/imitate/clip_dynamics.py",
    *(f"engines/multicontact/{name}" for name in _MULTICONTACT),
)


def _folder() -> Path:
    """Where machine code is kept."""
    package = Path(__file__).parent
    text = b"".join((package / name).read_bytes() for name in SHARED)
    return package / "__pycache__" / f"compiled-{sha256(text).hexdigest()[:16]}"


_FOLDER = str(_folder())


def compiled(function: F) -> F:
    """The same function as machine code; it takes arrays, numbers and tuples of them."""
    return _made(function, holds=True)


def compiled_alone(function: F) -> F:
    """The same for long loops: it lets go of the interpreter, so that threads run side by side."""
    return _made(function, holds=False)


def _made(function: F, *, holds: bool) -> F:
    config = cast(Any, numba.config)
    before, config.CACHE_DIR = config.CACHE_DIR, _FOLDER
    try:
        code = numba.njit(cache=True, error_model="numpy", fastmath=RELAXED, nogil=not holds)
        made = code(function)
    finally:
        config.CACHE_DIR = before
    return cast(F, made)
