"""Make the pictures of docs/engines/balance.md again: `python docs/balance_pictures.py`.

With `--survey` also the polar chart, which takes many simulated pushes and a while.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

from poise.balancing import balance_trial, survey_pushes
from poise.door import picture
from poise.engines.balance import FEEDBACKS, Scenario, Shove, find_scenario
from poise.robot import load_robot
from poise.viewer.balance_figures import draw_balance, draw_survived

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


def survey() -> None:
    """The greatest slow push from each direction, with each feedback."""
    found = survey_pushes(load_robot("hoap3"), 2.0, FEEDBACKS, tell=print)
    rows = {one.feedback: (one.directions, one.impulses) for one in found}
    draw_survived(rows, PICTURES / "balance_survey.png", "hoap3, half a sine of 2 s")


def _keep(path: Path, name: str) -> None:
    path.replace(path.with_name(name))


if __name__ == "__main__":
    pushes()
    squats()
    if "--survey" in sys.argv:
        survey()
