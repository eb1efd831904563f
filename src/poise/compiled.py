"""Small loops as machine code: the one address of numba.

A control tick touches many small arrays, and NumPy's fixed price for each touch adds up to more
than the arithmetic. What a tick does every time is therefore written as plain loops and compiled
at first use; the result is kept beside the source, so that only the first run ever waits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])

# sums may be taken in another order, which lets the processor add four at a time; not-a-number
# and infinity keep their meaning, because whoever reads the answers looks for them
RELAXED = {"reassoc", "nsz", "contract"}


def compiled(function: F) -> F:
    """The same function as machine code; it takes arrays, numbers and tuples of them."""
    machine_code = numba.njit(cache=True, error_model="numpy", fastmath=RELAXED)(function)
    return cast(F, machine_code)
