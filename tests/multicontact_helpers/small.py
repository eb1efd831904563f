"""A scene small enough for tests: lean, put a hand on a table, reach, take it off."""

from functools import lru_cache

import numpy as np

from poise import load_robot
from poise.engines.multicontact.chart import Chart
from poise.engines.multicontact.collisions import Obstacles
from poise.engines.multicontact.guess import first_guess
from poise.engines.multicontact.options import PlanOptions
from poise.engines.multicontact.problem import Problem
from poise.engines.multicontact.scene import parse_scene
from poise.engines.multicontact.staging import set_stage, swings_of

EVERYTHING = """
title = "a bit of everything"
[limits]
vertical = [0.8, 1.2]
[[solid]]
name = "desk"
kind = "box"
size = [0.5, 1.2, 0.04]
position = [0.60, 0.0, 0.70]
[[contact]]
name = "left foot"
part = "left_foot"
[[contact]]
name = "right foot"
part = "right_foot"
most_weight = 0.9
[[contact]]
name = "left hand"
part = "left_hand"
position = [0.45, 0.25, 0.72]
tilt = [0.0, -0.9, 0.0]
free = ["x", "y", "yaw"]
friction = 0.3
on = "desk"
[[phase]]
name = "lean"
contacts = ["left foot", "right foot"]
spans = 4
[[phase]]
name = "hold"
contacts = ["left foot", "left hand"]
spans = 4
[[task]]
name = "swing the foot"
part = "right_foot"
point = "toe"
phase = "hold"
share = 0.5
position = [0.3, -0.1, 0.1]
direction = [1.0, 0.0, 0.2]
speed = 0.5
"""

SHIFT = """
title = "shift the weight and reach"
[cost]
jerk = 1e-3
[[contact]]
name = "left foot"
part = "left_foot"
[[contact]]
name = "right foot"
part = "right_foot"
[[phase]]
name = "reach"
contacts = ["left foot", "right foot"]
duration = 1.5
[[task]]
name = "touch"
part = "right_hand"
phase = "reach"
position = [0.4, -0.2, 0.8]
within = [0.02, 0.02, 0.02]
"""


@lru_cache(maxsize=1)
def everything() -> tuple[Problem, np.ndarray]:
    """A problem with every family of constraints in it, and a point somewhere."""
    chart = Chart(load_robot("hrp2"))
    scene = parse_scene(EVERYTHING)
    stage = set_stage(chart, scene)
    options = PlanOptions(jerk_weight=1e-4)
    swings = swings_of(chart, stage)
    obstacles = Obstacles(chart, scene, stage, options)
    problem = Problem(chart, stage, options, None, swings, obstacles)
    active = problem.nothing_active()
    for p, spans in enumerate(problem.layout.spans):
        active.spans[p][[1, spans - 1]] = True
        active.speeds[p][[1, 3], 8:20] = True
        if p:
            active.places[p][1:3, 6:16] = True
        for pair in range(0, len(obstacles.pairs), 25):
            active.pairs[p][pair] = np.arange(spans) == 2
    problem = Problem(chart, stage, options, active, swings, obstacles)
    rng = np.random.default_rng(1)
    x = problem.variables.pack(first_guess(chart, stage, problem.layout))
    v = problem.variables
    x[v.nv : v.place_count] += 0.03 * rng.normal(size=v.place_count - v.nv)
    x[v.time_at : v.count] += 0.1 * rng.normal(size=v.count - v.time_at)
    return problem, x
