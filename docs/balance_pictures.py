"""Make the pictures of docs/engines/balance.md again: `python docs/balance_pictures.py`.

The polar chart is `poise balance --survey docs/pictures/balance_survey.png`; it takes a while.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from poise.balancing import balance_trial
from poise.door import picture
from poise.engines.balance import Scenario, Shove, find_scenario
from poise.viewer.balance_figures import draw_balance

PICTURES = Path(__file__).parent / "pictures"


def pushes() -> None:
    """Figures 6 and 7 of the paper: pushed from the front, the back and the side."""
    hits = tuple(
        Shove(force=8.0, direction=d, start=1.0 + 2.0 * k) for k, d in enumerate((0.0, 180.0, 90.0))
    )
    done = balance_trial("hoap3", Scenario("pushes", duration=7.0), {"feedback": "stiff"}, hits)
    _keep(draw_balance(done.handed_out, PICTURES)[0], "balance_push_feet.png")
    (PICTURES / "joints.png").unlink()
    picture(done.handed_out, PICTURES / "balance_push_strip.png", done.robot)


def squats() -> None:
    """Figures 8, 9 and 10 of the paper: ten gentle squats, ten deep ones."""
    scenario = find_scenario("squat")
    done = balance_trial("hoap3", replace(scenario, duration=scenario.duration))
    feet, joints = draw_balance(done.handed_out, PICTURES)
    _keep(feet, "balance_squat_feet.png")
    _keep(joints, "balance_squat_joints.png")
    print(json.dumps(done.figures["squats"], indent=1))


def _keep(path: Path, name: str) -> None:
    path.replace(path.with_name(name))


if __name__ == "__main__":
    pushes()
    squats()
