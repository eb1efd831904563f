"""Compiled loops: none is forgotten where stale machine code is told from fresh."""

import re
from pathlib import Path

import numpy as np

import poise
from poise.compiled import SHARED, compiled

PACKAGE = Path(poise.__file__).parent


LOOPS = re.compile(r"^@compiled(?:_alone)?\ndef (\w+)", re.MULTILINE)
IMPORTS = re.compile(r"^from (poise\.[\w.]+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)


def test_loops_that_others_contain_are_known():
    texts = {path: path.read_text() for path in PACKAGE.rglob("*.py")}
    homes = {path: text for path, text in texts.items() if LOOPS.search(text)}
    assert len(homes) > 5
    loops = {}
    for path, text in homes.items():
        name = path.relative_to(PACKAGE).as_posix()
        loops[f"poise.{name[:-3].replace('/', '.')}"] = name, set(LOOPS.findall(text))
    used = set()
    for text in homes.values():
        for module, several, one in IMPORTS.findall(text):
            home, mine = loops.get(module, ("", set()))
            if mine & set(re.findall(r"\w+", several or one)):
                used.add(home)
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
