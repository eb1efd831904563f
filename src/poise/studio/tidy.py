"""Memory of browsers that left goes back to the machine."""

from __future__ import annotations

import ctypes
import gc
import sys


def tidy(alone: bool) -> None:
    """Give back what is not needed any more.

    The allocator of Linux (glibc) keeps freed memory in pieces that are too scattered to be used
    again; in hundreds of sessions they add up.

    Args:
        alone: nobody is looking, so nobody minds the tenth of a second that the collector takes.
    """
    if alone:
        gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # other allocators do not have it
        if trim is not None:
            trim(0)
