"""Make the pictures of docs/studio.md again: `python docs/studio_pictures.py`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import launch
from poise.robot import load_robot
from poise.studio import open_studio

PICTURES = Path(__file__).parent / "pictures"


def main() -> None:
    """A robot that walks, and a motion on the timeline."""
    with open_studio(load_robot("nao"), port=0, block=False) as studio, launch() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(studio.address)
        page.get_by_role("tab", name="Walk").wait_for(timeout=120_000)
        page.wait_for_function("window.__poiseHands", timeout=120_000)
        close = page.locator(".mantine-Notification-closeButton")
        if close.count():
            close.first.click()
        page.get_by_role("button", name="proud", exact=True).click()
        page.wait_for_timeout(8000)
        page.screenshot(path=PICTURES / "studio-walk.png", timeout=120_000)
        [session] = studio.sessions.values()
        session.keeper.steps.value = 4
        session.keeper.make()
        page.get_by_role("button", name="Back to live").wait_for(timeout=120_000)
        session.show.go_to(0.62 * session.show.playback.end)
        page.wait_for_timeout(3000)
        page.screenshot(path=PICTURES / "studio-motion.png", timeout=120_000)


if __name__ == "__main__":
    main()
