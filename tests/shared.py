"""Real recordings for tests: they lie beside the project, which does not contain them."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from poise.engines.imitate import FootEvents, foot_events
from poise.io import read_recording
from poise.motion import Recording

ROOT = Path(__file__).resolve().parents[1]


def shared(name: str) -> Path:
    """A file of the shared folder; without the folder a test is skipped, in CI it fails."""
    folder = Path(os.environ.get("POISE_SHARED", ROOT.parent / "shared"))
    path = folder / name
    if not path.exists():
        words = f"{name} is not in {folder}; set POISE_SHARED to the folder with the recordings"
        if os.environ.get("CI") == "true":
            pytest.fail(words)
        pytest.skip(words)
    return path


def mocap(name: str) -> Recording:
    """A real recording by its name in the catalogue."""
    return read_recording(shared(f"mocap/{name}"))


@lru_cache(maxsize=1)
def plate_truth() -> dict[str, Any]:
    """Foot contacts that force plates saw, by trial."""
    return json.loads(shared("mocap/events.json").read_text())["trials"]


@lru_cache(maxsize=64)
def events_of_trial(name: str) -> FootEvents:
    """Events found in a real trial, once a test run."""
    return foot_events(mocap(name))
