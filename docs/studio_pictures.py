"""Make the pictures of docs/studio.md again: `python docs/studio_pictures.py`."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import viser
from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import launch
from poise.examples import write_synthetic_trial
from poise.robot import load_robot
from poise.studio import open_studio

PICTURES = Path(__file__).parent / "pictures"
PATIENCE = 300.0  # [s], without a graphics card


def main() -> None:
    """Every panel at its work."""
    robot = load_robot("nao")
    with open_studio(robot, port=0, block=False) as studio, launch() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(1e3 * PATIENCE)
        page.goto(studio.address)
        until(lambda: studio.sessions)
        [session] = studio.sessions.values()
        until(session.ready.is_set)
        page.wait_for_function("window.__poiseHands")
        close = page.locator(".mantine-Notification-closeButton")
        if close.count():
            close.first.dispatch_event("click")

        def picture(name: str) -> None:
            path = PICTURES / f"studio-{name}.png"
            page.screenshot(path=path, timeout=1e3 * PATIENCE)
            Image.open(path).convert("RGB").quantize(256).save(path, optimize=True)

        page.get_by_role("button", name="proud", exact=True).click()
        page.wait_for_timeout(8000)
        picture("walk")
        for name, panel, part, by in (
            ("Balance", session.balance, "chest", (0.10, -0.05, 0.0)),
            ("Interact", session.lead, "right_hand", (0.12, -0.03, 0.0)),
        ):
            page.get_by_role("tab", name=name, exact=True).click()
            panel.begin()
            until(lambda panel=panel: panel.live.plant.felt.time > 3.0)
            pull(robot, panel.live, part, np.array(by))
            until(lambda panel=panel: panel.live.plant.felt.time > 4.5)
            picture(name.lower())
        page.get_by_role("tab", name="Plan", exact=True).click()
        session.planner.choose("reach")
        hand = robot.at(robot.half_sitting).position("right_hand")
        session.planner.move(session.planner.fields[0][0], hand + [0.04, 0.0, -0.02])
        page.wait_for_timeout(4000)
        picture("plan")
        page.get_by_role("tab", name="Imitate", exact=True).click()
        with tempfile.TemporaryDirectory() as folder:
            walk, *_ = write_synthetic_trial(folder)
            session.imitator.bring(viser.UploadedFile(walk.name, walk.read_bytes()))
        page.wait_for_timeout(4000)
        picture("imitate")
        session.imitator.imitate()
        page.get_by_role("tab", name="Person", exact=True).click()
        page.get_by_label("figure").click()
        page.get_by_role("option", name="knee").click()
        session.show.go_to(0.5 * session.show.playback.end)
        page.wait_for_timeout(15_000)  # what it says goes away
        picture("person")
        page.get_by_role("tab", name="Keep", exact=True).click()
        session.keeper.steps.value = 4
        session.keeper.make()
        page.get_by_role("button", name="Back to live").wait_for()
        session.show.go_to(0.62 * session.show.playback.end)
        page.wait_for_timeout(4000)
        picture("motion")


def pull(robot: Any, live: Any, part: str, by: np.ndarray) -> None:
    """Hold a part of the robot and pull, as the mouse does."""
    frame = robot.model.frames[robot.frame_id(part)]
    target = robot.at(live.plant.seen.q).position(part) + by
    order = {
        "joint": robot.model.names[frame.parentJoint],
        "point": frame.placement.translation.tolist(),
        "target": target.tolist(),
    }
    live.order("hold", order)


def until(holds: Callable[[], object]) -> None:
    """Wait for something."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError("the page is too slow")
        time.sleep(0.05)


if __name__ == "__main__":
    main()
