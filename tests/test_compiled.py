"""Compiled loops: none is forgotten where stale machine code is told from fresh."""

import re
from pathlib import Path

import numpy as np

import poise
from poise.compiled import SHARED, compiled

PACKAGE = Path(poise.__file__).parent


def test_loops_that_others_contain_are_known():
    homes = {
        path.relative_to(PACKAGE).as_posix(): path.read_text()
        for path in PACKAGE.rglob("*.py")
        if "\n@compiled\n" in path.read_text()
    }
    assert len(homes) > 5
    modules = {f"poise.{name[:-3].replace('/', '.')}": name for name in homes}
    used = {
        modules[module]
        for text in homes.values()
        for module in re.findall(r"^from (poise\.[\w.]+) import", text, re.MULTILINE)
        if module in modules
    }
    assert used == set(SHARED)


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
