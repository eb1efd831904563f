"""The rate that an archive tells, under one of the many names it goes by."""

from __future__ import annotations

from poise.io.archive import Archive
from poise.io.source import bad

RATE_KEYS = ("fps", "framerate", "frame_rate", "sample_rate", "rate")  # [Hz]
PERIOD_KEYS = ("dt", "timestep")  # [s]


def told_rate(archive: Archive) -> float | None:
    """Rows per second [Hz], or None when the archive does not tell."""
    for key in (*RATE_KEYS, *PERIOD_KEYS):
        if key in archive:
            value = archive.number(key)
            if not value > 0.0:
                raise bad(archive.path, key, f"{value:g}", "a positive number")
            return value if key in RATE_KEYS else 1.0 / value
    return None
