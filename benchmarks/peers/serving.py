"""What every peer does: read a problem, then do as many ticks as it is told to, and time them.

    python stack_mink.py problem.json

It says `{"ready": ...}` when it stands ready; each line on standard input is a number of ticks,
each answer a list of times [s], of the processor: other programs do not count. At the end of the
input it says how well it did and stops.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any


def problem() -> dict[str, Any]:
    """What the first argument says is to be done."""
    return json.loads(Path(sys.argv[1]).read_text("utf-8"))


def serve(tick: Callable[[], Any], quality: Callable[[], dict[str, float]] | None = None) -> None:
    """Answer until the input ends."""
    say({"ready": True})
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            start = process_time()
            tick()
            times.append(process_time() - start)
        say(times)
    say(quality() if quality is not None else {})


def say(words: Any) -> None:
    """One line of JSON."""
    print(json.dumps(words), flush=True)
