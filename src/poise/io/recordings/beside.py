"""Which files a recording consists of: some formats keep a part of it in a file beside it."""

from __future__ import annotations

from pathlib import Path

from poise.io.recordings.amc import asf_beside
from poise.io.recordings.force_file import force_file_beside

SUFFIXES = (".c3d", ".trc", ".bvh", ".amc")


def recording_files(path: str | Path) -> tuple[Path, ...]:
    """The file of a recording and the one beside it that reading it would open.

    Args:
        path: a C3D, TRC, BVH or AMC file.

    Raises:
        BadInput: for an AMC file without its skeleton.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".amc":
        return path, asf_beside(path)
    forces = force_file_beside(path) if suffix == ".trc" else None
    return (path,) if forces is None else (path, forces)
