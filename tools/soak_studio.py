"""Hours of the studio, and many browsers that come and go: does anything stay behind?

    python tools/soak_studio.py --minutes 120            # one browser that stays
    python tools/soak_studio.py --cycles 200             # browsers that come and go

The studio runs in a process of its own, whose memory and threads are written down. The browsers are
only their connections: they say what viser's page says, hear everything, draw nothing, turn a
slider every two seconds, and put a robot that fell on its feet.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import psutil
import zstandard

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from visitor import visit

STAY = 2.0  # [s], that a browser which comes and goes looks at the page
TURN = 2.0  # [s], between two turns of a slider
ADDRESS = re.compile(r"http://[^\s]+")


class Visitor:
    """A browser that hears everything and turns sliders.

    Args:
        address: of the studio.
        random: which slider, and how far.
    """

    def __init__(self, address: str, random: np.random.Generator) -> None:
        self.socket = visit(address)
        self.random = random
        self.sliders: dict[str, dict[str, Any]] = {}
        self.heard = self.falls = 0
        self.buttons = ""  # those that let the robot walk or stand up
        self.due = time.monotonic() + TURN

    def stay(self, seconds: float) -> None:
        """Look and turn for a while."""
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            try:
                self.listen(self.socket.recv(timeout=min(0.5, end - now)))
            except TimeoutError:
                continue
            if now >= self.due and self.sliders:
                self.due = now + TURN
                self.turn()

    def listen(self, told: Any) -> list[dict[str, Any]]:
        """Take one window of messages in; remember the sliders."""
        size = int.from_bytes(told[8:16], "little")
        inner = msgspec.msgpack.decode(zstandard.decompress(told[16 : 16 + size]))
        for message in inner["messages"]:
            self.heard += 1
            if message["type"] == "GuiSliderMessage":
                self.sliders[message["uuid"]] = message["props"]
            elif message["type"] == "GuiRemoveMessage":
                self.sliders.pop(message["uuid"], None)
            elif "Stand up" in str(message.get("props", {}).get("options")) and not self.buttons:
                self.buttons = message["uuid"]
            elif "It fell" in str(message.get("updates", {}).get("content")):
                self.falls += 1
                self.tell(self.buttons, "↑ Stand up")
                self.tell(self.buttons, "▶ Walk")
        return list(inner["messages"])

    def tell(self, uuid: str, value: Any) -> None:
        """Set a slider or press a button."""
        message = {"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": value}}
        self.socket.send(msgspec.msgpack.encode(message))

    def turn(self) -> None:
        """Turn one slider to anywhere in the middle half of its range."""
        uuid = list(self.sliders)[self.random.integers(len(self.sliders))]
        one = self.sliders[uuid]
        share = round(float(self.random.uniform(0.25, 0.75)), 2)
        self.tell(uuid, one["min"] + share * (one["max"] - one["min"]))


def main() -> None:
    """Open the studio, let browsers in, and write down what it holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=120.0, help="that one browser stays")
    parser.add_argument("--cycles", type=int, default=0, help="browsers that come and go instead")
    parser.add_argument("--every", type=float, default=60.0, help="seconds between two lines")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)
    command = [sys.executable, "-m", "poise.cli", "studio", "--port", "0"]
    studio = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert studio.stderr is not None
        found = ADDRESS.search(studio.stderr.readline())
        assert found is not None, "the studio did not say where it is"
        if args.cycles:
            come_and_go(found.group(), studio.pid, args.cycles, random)
        else:
            stay(found.group(), studio.pid, 60.0 * args.minutes, args.every, random)
    finally:
        studio.terminate()
        studio.wait(timeout=20.0)


def state(pid: int) -> str:
    """Memory, threads and open files of a process, its workers apart."""
    one = psutil.Process(pid)
    workers = one.children(recursive=True)
    held = sum(child.memory_info().rss for child in workers) / 1e6
    return (
        f"{one.memory_info().rss / 1e6:6.1f} MB {one.num_threads():3d} threads "
        f"{one.num_fds():3d} files {sum(one.cpu_times()[:2]):7.1f} s of processor, "
        f"workers {held:6.1f} MB"
    )


def stay(address: str, pid: int, seconds: float, every: float, random: np.random.Generator) -> None:
    """One browser for a long time."""
    began = time.monotonic()
    visitor = Visitor(address, random)
    while (passed := time.monotonic() - began) < seconds:
        visitor.stay(min(every, seconds - passed))
        minutes = (time.monotonic() - began) / 60.0
        told = f"{visitor.heard} messages, {visitor.falls} falls"
        print(f"{minutes:6.1f} min {state(pid)}, {told}", flush=True)
    visitor.socket.close()


def come_and_go(address: str, pid: int, cycles: int, random: np.random.Generator) -> None:
    """Many browsers, one after the other."""
    for k in range(cycles):
        visitor = Visitor(address, random)
        visitor.stay(STAY)
        visitor.socket.close()
        if (k + 1) % 10 == 0 or k == 0:
            time.sleep(1.0)
            print(f"{k + 1:4d} browsers {state(pid)}", flush=True)


if __name__ == "__main__":
    main()
