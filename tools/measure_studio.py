"""How long the studio takes: from its start to a walking robot, from a slider to the robot.

    python tools/measure_studio.py start --times 3
    python tools/measure_studio.py slider --times 20
    python tools/measure_studio.py walking --times 20  # the same while the robot walks
    python tools/measure_studio.py answer --times 20   # the studio's share of it, without a browser
    python tools/measure_studio.py pace --seconds 60

A browser of this machine (headless, drawing without a graphics card) is open before the studio
starts, as a person's is. What is drawn is told by the browser itself: where each shape was put, at
each picture. All times are of the clock of this machine, in seconds.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from browser import launch

sys.path.insert(0, str(Path(__file__).parent))
from soak_studio import Visitor

WIDE = {"width": 1440, "height": 900}
ADDRESS = re.compile(r"http://[^\s]+")
PATIENCE = 120.0  # [s]
SETTLED = 10.0  # [s], after which everything is on the page
TURNED = "com height [mm]"  # of a robot that stands still, so that every change is the slider's
LONGER = "step length [mm]"  # of a robot that walks: the steps to come move with it
STEPS = "marks/coming"  # what they are called in the scene
STEADY = 3  # pictures in which the robot moved before: it is not only put into its posture
SHAPES = 20  # a picture with as many parts has a robot in it
PRESSED, MOVED = "poise pressed", "poise moved"  # as the browser notes them
SHOWN = "SkiaOutputSurfaceImplOnGpu::SwapBuffers"  # ends when what was drawn is on the screen
# Between the parts of a robot, distances change when a joint moves, and not when the camera does.
# Each part has a vertex array of its own, by which it is known from one picture to the next.
WATCH = (
    """
(() => {
  const seen = window.__seen = {drawn: null, moves: [], pictures: [], costs: [], steps: []};
  const clock = () => (performance.timeOrigin + performance.now()) / 1e3;
  const proto = WebGL2RenderingContext.prototype, places = new Map();
  const matrices = new WeakSet();
  let array = null, last = null, before = null;
  const find = proto.getUniformLocation;
  proto.getUniformLocation = function (program, name) {
    const found = find.call(this, program, name);
    if (found && name === 'modelViewMatrix') matrices.add(found);
    return found;
  };
  const put = proto.uniformMatrix4fv;
  proto.uniformMatrix4fv = function (where, transpose, data, ...more) {
    if (where && matrices.has(where)) last = [data[12], data[13], data[14]];
    return put.call(this, where, transpose, data, ...more);
  };
  const bind = proto.bindVertexArray;
  proto.bindVertexArray = function (a) { array = a; return bind.call(this, a); };
  const draw = proto.drawElements;
  proto.drawElements = function (...args) {
    if (last && array) places.set(array, last);
    return draw.apply(this, args);
  };
  const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  const end = () => {
    if (places.size >= SHAPES) {
      const now = clock();
      seen.pictures.push(now);
      if (!seen.drawn) seen.drawn = now;
      const both = before ? [...places.keys()].filter(a => before.has(a)) : [];
      const moved = both.filter(a => Math.abs(
        far(places.get(a), places.get(both[0])) - far(before.get(a), before.get(both[0]))
      ) > 3e-4);
      if (moved.length) { seen.moves.push(now); performance.mark(MOVED); }
      if (moved.length || both.length < SHAPES) before = new Map(places);
    }
    places.clear();
  };
  window.Worker = class extends window.Worker {
    constructor(...what) {
      super(...what);
      this.addEventListener('message', ({data}) => {
        if (data?.messages?.some(one => String(one.name).includes(STEPS))) seen.steps.push(clock());
      });
    }
  };
  addEventListener('pointerdown', () => {
    seen.pressed = clock(); performance.mark(PRESSED);
  }, true);
  const ask = window.requestAnimationFrame;
  window.requestAnimationFrame = f => ask.call(window, t => {
    const began = performance.now();
    f(t);
    end();
    seen.costs.push(performance.now() - began);
  });
})();
""".replace("SHAPES", str(SHAPES))
    .replace("MOVED", f"'{MOVED}'")
    .replace("STEPS", f"'{STEPS}'")
    .replace("PRESSED", f"'{PRESSED}'")
)


@contextmanager
def studio() -> Iterator[tuple[str, float, psutil.Process]]:
    """A studio in a process of its own: its address, when it began, the process."""
    command = [sys.executable, "-m", "poise.cli", "studio", "--port", "0"]
    began = time.time()
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        found = ADDRESS.search(process.stderr.readline())
        assert found is not None, "the studio did not say where it is"
        yield found.group(), began, psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(timeout=20.0)


def waited(page: Any, what: str) -> Any:
    """The value of an expression in the page, once it has one."""
    page.wait_for_function(what, timeout=1e3 * PATIENCE, polling=50)
    return page.evaluate(what)


@contextmanager
def opened() -> Iterator[tuple[Any, dict[str, float]]]:
    """A page with a walking robot; when what was there, in seconds since the studio's start."""
    with launch() as browser:
        page = browser.new_page(viewport=WIDE)
        page.add_init_script(WATCH)
        page.goto("about:blank")
        with studio() as (address, began, process):
            at = {"address": time.time() - began}
            page.goto(address, wait_until="commit")
            at["answer"] = time.time() - began
            at["walks"] = waited(page, f"window.__seen && window.__seen.moves[{STEADY}]") - began
            at["drawn"] = page.evaluate("window.__seen.drawn") - began
            at["studio cpu"] = sum(process.cpu_times()[:2])
            at["browser cpu"] = sum(
                sum(one.cpu_times()[:2])
                for one in psutil.process_iter(["name"])
                if "chrom" in (one.info["name"] or "")
            )
            page.get_by_text("step length").wait_for(timeout=1e3 * PATIENCE)
            at["sliders"] = time.time() - began
            yield page, at


def start(times: int) -> None:
    """From the start of the studio to a robot that walks on the page."""
    walks = []
    for _ in range(times):
        with opened() as (_, at):
            walks.append(at["walks"])
            print("  ".join(f"{name} {value:.2f}" for name, value in at.items()), flush=True)
    print(f"walks: median {np.median(walks):.2f} s, worst {max(walks):.2f} s")


def slider(times: int) -> None:
    """From the press on a slider to the first picture in which the robot moves.

    Once until the page has handed that picture out, and once until the browser has shown it.
    """
    with opened() as (page, _):
        page.locator(".poise-bar").nth(16).wait_for(state="attached", timeout=1e3 * PATIENCE)
        page.get_by_text("Balance", exact=True).nth(1).click()  # the folder, not the tab
        page.get_by_role("button", name="Stop").first.click()
        page.wait_for_timeout(5000)
        box = track(page, TURNED)
        delays, shown = [], []
        for k in range(times):
            still = page.evaluate("window.__seen.moves.length")
            browser = page.context.browser
            browser.start_tracing(page=page, categories=["blink.user_timing", "viz"])
            page.wait_for_timeout(300)
            x = box["x"] + (0.3, 0.7)[k % 2] * box["width"]
            page.mouse.click(x, box["y"] + 0.5 * box["height"])
            moved = waited(page, f"window.__seen.moves[{still}]")
            delays.append(1e3 * (moved - page.evaluate("window.__seen.pressed")))
            page.wait_for_timeout(500)
            shown.append(until_shown(json.loads(browser.stop_tracing())["traceEvents"]))
            page.wait_for_timeout(3500)  # it comes to rest
        rate = "window.__seen.pictures.filter(t => t > performance.timeOrigin / 1e3 + "
        rate += "performance.now() / 1e3 - 5).length / 5"
        for name, found in (("handed out", delays), ("shown", shown)):
            print(f"{name} [ms]:", " ".join(f"{d:.0f}" for d in found))
            print(
                f"{name}: median {np.median(found):.0f} ms, p90 {np.percentile(found, 90):.0f} ms"
            )
        print(f"{page.evaluate(rate):.1f} pictures a second")


def walking(times: int) -> None:
    """From the press on a slider to the picture with the steps to come elsewhere.

    They move with every landing, too; the robot makes a step in half a second, so that few of the
    presses meet one.
    """
    with opened() as (page, _):
        page.locator(".poise-bar").nth(16).wait_for(state="attached", timeout=1e3 * PATIENCE)
        page.wait_for_timeout(6000)
        box = track(page, LONGER)
        delays = []
        for k in range(times):
            page.wait_for_timeout(1500 + 37 * k % 400)
            x = box["x"] + (0.45, 0.55)[k % 2] * box["width"]
            page.mouse.click(x, box["y"] + 0.5 * box["height"])
            told = waited(page, "window.__seen.steps.find(t => t > window.__seen.pressed)")
            drawn = waited(page, f"window.__seen.pictures.find(t => t > {told})")
            delays.append(1e3 * (drawn - page.evaluate("window.__seen.pressed")))
        print("walking [ms]:", " ".join(f"{d:.0f}" for d in delays))
        print(f"walking: median {np.median(delays):.0f} ms, p90 {np.percentile(delays, 90):.0f} ms")


def track(page: Any, label: str) -> dict[str, float]:
    """Where the slider with a label is on the page [px]."""
    words = page.get_by_text(label)
    words.scroll_into_view_if_needed()
    page.wait_for_timeout(1500)
    row = words.bounding_box()["y"]
    roots = [one.bounding_box() for one in page.locator(".mantine-Slider-root").all()]
    found: dict[str, float] = min((b for b in roots if b), key=lambda b: abs(b["y"] - row))
    return found


def until_shown(events: list[dict[str, Any]]) -> float:
    """From the press until the first picture with a moved robot has been shown [ms]."""
    pressed = min(one["ts"] for one in events if one["name"] == PRESSED)
    moved = min(one["ts"] for one in events if one["name"] == MOVED)
    ends = [one["ts"] + one.get("dur", 0) for one in events if one["name"] == SHOWN]
    return 1e-3 * (min(end for end in ends if end > moved) - pressed)


def answer(times: int) -> None:
    """From the message of a slider to the first message with a changed posture."""
    with studio() as (address, _, _):
        visitor = Visitor(address, np.random.default_rng(1))
        postures: dict[str, tuple[float, ...]] = {}
        sliders: dict[str, tuple[str, float, float]] = {}

        def hear() -> bool:
            """Take in one window of messages; whether a joint has turned."""
            turned = False
            for message in visitor.listen(visitor.socket.recv(timeout=PATIENCE)):
                if message["type"] == "GuiSliderMessage":
                    one = message["props"]
                    sliders[one["label"]] = (message["uuid"], one["min"], one["max"])
                elif message["type"] == "SetOrientationMessage":
                    before = postures.get(message["name"])
                    postures[message["name"]] = tuple(message["wxyz"])
                    gone = before is None or np.abs(np.subtract(before, message["wxyz"])).max()
                    turned |= bool(before is None or gone > 1e-4)
            return turned

        def rest() -> None:
            """Until nothing moves for a second."""
            still = time.monotonic()
            while time.monotonic() < still + 1.0:
                if hear():
                    still = time.monotonic()

        while TURNED not in sliders or not visitor.buttons:
            hear()
        began = time.monotonic()
        while time.monotonic() < began + SETTLED:  # the rest of the page is being built
            hear()
        visitor.tell(visitor.buttons, "❚❚ Stop")
        rest()
        delays = []
        uuid, low, high = sliders[TURNED]
        for k in range(times):
            began = time.perf_counter()
            visitor.tell(uuid, low + (0.3, 0.7)[k % 2] * (high - low))
            while not hear():
                pass
            delays.append(1e3 * (time.perf_counter() - began))
            rest()
        visitor.socket.close()
    print("ms:", " ".join(f"{d:.0f}" for d in delays))
    print(f"answer: median {np.median(delays):.0f} ms, worst {max(delays):.0f} ms")


def pace(seconds: float) -> None:
    """How much of real time the walk keeps with page and plots open."""
    with opened() as (page, _):
        page.locator(".poise-bar").nth(16).wait_for(state="attached", timeout=1e3 * PATIENCE)
        page.wait_for_timeout(15_000)  # the page says how it went over the last ten seconds
        shares = []
        for _ in range(round(seconds / 10.0)):
            page.wait_for_timeout(10_000)
            found = re.search(r"(\d+) % real time", page.inner_text("body"))
            assert found is not None
            shares.append(float(found.group(1)))
        pictures = page.evaluate("window.__seen.pictures.slice(-100)")
        rate = (len(pictures) - 1) / (pictures[-1] - pictures[0])
        print("%:", *shares)
        print(f"pace: {np.mean(shares):.1f} % of real time, {rate:.1f} pictures a second")


def main() -> None:
    """Measure one of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("start", "slider", "walking", "answer", "pace"))
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60.0)
    args = parser.parse_args()
    if args.what == "start":
        start(args.times)
    elif args.what == "slider":
        slider(args.times)
    elif args.what == "walking":
        walking(args.times)
    elif args.what == "answer":
        answer(args.times)
    else:
        pace(args.seconds)


if __name__ == "__main__":
    main()
