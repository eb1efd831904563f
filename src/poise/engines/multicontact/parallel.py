"""Pieces of work on some threads, answers in their order.

The pieces spend their time in compiled loops and matrix products, which let go of the interpreter.
A thread lives for one call: nothing is left behind, whatever ends the program.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def in_parallel(work: Sequence[Callable[[], T]], threads: int) -> list[T]:
    """Do all pieces, whoever is free the next one.

    Args:
        work: pieces that do not know of each other, long ones first.
        threads: at most.
    """
    if threads < 2 or len(work) < 2:
        return [piece() for piece in work]
    answers: list[Any] = [None] * len(work)
    problems: list[BaseException] = []
    left = iter(range(len(work)))  # `next` is one step: no two threads get the same number

    def help_out() -> None:
        try:
            for k in left:
                answers[k] = work[k]()
        except BaseException as problem:
            problems.append(problem)

    helpers = [threading.Thread(target=help_out, daemon=True) for _ in range(threads - 1)]
    for helper in helpers:
        helper.start()
    help_out()
    for helper in helpers:
        helper.join()
    if problems:
        raise problems[0]
    return answers
