"""Memory of the libraries below Python, which Python's own accounts do not see."""

from __future__ import annotations

import ctypes

FIELDS = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"


class _Heap(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_size_t) for name in FIELDS.split())


def heap() -> int:
    """Bytes in use of what the C library hands out."""
    libc = ctypes.CDLL("libc.so.6")
    libc.mallinfo2.restype = _Heap
    return int(libc.mallinfo2().uordblks)
