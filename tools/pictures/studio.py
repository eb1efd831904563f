"""The pictures of the studio in the docs: `python tools/pictures/studio.py`.

Each panel as a person sees it, in a real browser; `--size 1024x768 --out FOLDER` for other looks.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PIL import Image

from poise import door
from poise.engines.expressive import walk
from poise.examples import write_synthetic_trial
from poise.robot import load_robot
from poise.studio import engine_jobs, open_studio
from poise.studio.hands import wait_until_heard
from poise.studio.motion_show import Kept
from poise.studio.session import Session

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from browser import launch

COLOURS = 128
PATIENCE = 60.0  # [s], for a slow browser
DOCS = Path(__file__).parents[2] / "docs" / "pictures"


def main() -> None:
    """Open the studio, go through its panels, take a picture of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="1440x900")
    parser.add_argument("--out", type=Path, default=DOCS)
    args = parser.parse_args()
    width, height = (int(number) for number in args.size.split("x"))
    robot = load_robot("nao")
    motion = walk(robot, "proud", 6)
    report = door.examine(motion, robot).report
    with open_studio(robot, port=0, block=False) as studio, launch() as browser:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(studio.address)
        wait(lambda: studio.sessions)
        [session] = studio.sessions.values()
        assert session.ready.wait(PATIENCE)
        close = page.locator(".mantine-Notification-closeButton")  # about the graphics card
        if close.count():
            close.first.dispatch_event("click")

        def picture(name: str, seconds: float) -> None:
            """Let some time pass, and take a picture of what is there then."""
            page.wait_for_timeout(1e3 * seconds)
            wait_until_heard(session.client, PATIENCE)
            taken = io.BytesIO(page.screenshot(timeout=1e3 * PATIENCE))
            image = Image.open(taken).convert("RGB").quantize(COLOURS)  # a third of the size
            image.save(args.out / f"studio-{name}.png", optimize=True)

        for name, (tab, show, seconds) in panels(session).items():
            if args.out == DOCS and not (DOCS / f"studio-{name}.png").exists():
                continue  # the docs show no picture of it
            page.get_by_role("tab", name=tab, exact=True).click()
            show()
            picture(name, seconds)
        page.get_by_role("tab", name="Walk", exact=True).click()
        shown = session.open_motion(session.keep(Kept("proud, 6 steps", motion, report)))
        page.wait_for_timeout(2000.0)
        shown.go_to(2.0)
        picture("motion", 2.0)


def panels(session: Session) -> dict[str, tuple[str, Callable[[], object], float]]:
    """Name of the picture -> tab, what to show there, and for how long before it is taken [s]."""

    def push() -> None:
        session.balance.begin()
        time.sleep(3.0)
        session.balance.push()

    def imitate() -> None:
        with tempfile.TemporaryDirectory() as folder:
            write_synthetic_trial(Path(folder))
            session.imitator.take(engine_jobs.person(str(Path(folder) / "walk.c3d"), None))

    return {
        "walk": ("Walk", lambda: session.walk.take_preset("proud"), 7.0),
        "keep": ("Keep", lambda: None, 0.5),
        "robot": ("Robot", lambda: None, 0.5),
        "balance": ("Balance", push, 0.3),
        "interact": ("Interact", session.lead.begin, 5.0),
        "imitate": ("Imitate", imitate, 2.5),
        "plan": ("Plan", lambda: session.present(session.planner), 1.5),
    }


def wait(holds: Callable[[], object]) -> None:
    """Until something holds."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "the browser did not come"
        time.sleep(0.05)


if __name__ == "__main__":
    main()
