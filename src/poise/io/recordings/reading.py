"""Reading a recording, whatever the file; what it is follows from its first bytes."""

from __future__ import annotations

from pathlib import Path

from poise.io.recordings.amc import is_amc, is_asf, read_amc
from poise.io.recordings.bvh import is_bvh, read_bvh
from poise.io.recordings.c3d import read_c3d
from poise.io.recordings.c3d_parameters import is_c3d
from poise.io.recordings.trc import is_trc, read_trc
from poise.io.source import Source, bad, read_source
from poise.motion import Recording

ACCEPTED = "a C3D, TRC, BVH or AMC file (with its ASF file beside it)"


def read_recording(path: str | Path) -> Recording:
    """What a person did, from a C3D, TRC, BVH or AMC file; z up, metres, gaps as NaN.

    Args:
        path: the file. A force file beside a TRC file and the ASF file beside an AMC file are
            found by their names.
    """
    source = read_source(path)
    if is_c3d(source.data):
        return read_c3d(source)
    head = source.data[:4096].decode("latin-1")
    if is_bvh(head):
        return read_bvh(source)
    if is_trc(head):
        return read_trc(source)
    if is_asf(head):
        found = "an ASF file, which holds a skeleton and no motion"
        raise bad(source.path, "the file", found, "the AMC file that goes with it")
    if is_amc(head):
        return read_amc(source)
    raise bad(source.path, "the file", _looks_like(source), ACCEPTED)


def _looks_like(source: Source) -> str:
    if source.data[:2] == b"PK":
        return "an archive"
    if b"\0" in source.data[:1024]:
        return "binary, but not C3D"
    return "text of another kind"
