"""Importing poise: quick, and BLAS with one thread unless somebody says otherwise."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SAY = "import poise, os, sys; print(os.environ['OMP_NUM_THREADS'], 'numpy' in sys.modules)"


@pytest.mark.parametrize(("told", "found"), [({}, "1"), ({"OMP_NUM_THREADS": "3"}, "3")])
def test_blas_gets_one_thread_and_nothing_heavy_is_loaded(told: dict[str, str], found: str) -> None:
    """Two threads made a walk five times slower on two cores."""
    env = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"} | told
    said = subprocess.run([sys.executable, "-c", SAY], env=env, capture_output=True, text=True)
    assert said.stdout.split() == [found, "False"]
