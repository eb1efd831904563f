"""Compiled loops: none is forgotten where stale machine code is told from fresh."""

from pathlib import Path

import numpy as np

import poise
from poise.compiled import HOMES, compiled

PACKAGE = Path(poise.__file__).parent


def test_every_file_with_compiled_loops_is_known():
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if "\n@compiled\n" in path.read_text()
    }
    assert found == set(HOMES)


def test_a_loop_keeps_the_meaning_of_not_a_number():
    @compiled
    def positive(x: np.ndarray) -> bool:
        total = 0.0
        for value in x:
            total += value
        return bool(total > 0.0 and np.isfinite(total))

    assert positive(np.array([1.0, 2.0]))
    assert not positive(np.array([1.0, np.nan]))
    assert not positive(np.array([np.inf, 1.0]))
