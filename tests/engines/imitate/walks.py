"""Plans of the synthetic person's walk that many tests look at, each made once."""

from __future__ import annotations

from functools import lru_cache

from poise.engines.imitate import Human, ImitateOptions, human
from poise.engines.imitate.aims import aims_of
from poise.engines.imitate.draft import Draughtsman
from poise.engines.imitate.engine import plan
from poise.engines.imitate.limbs import limbs_of
from poise.engines.imitate.marionette import marionette
from poise.engines.imitate.plan import Plan
from poise.examples import synthetic_trial
from poise.robot import load_robot

ROBOTS = ("hrp2", "nao")


@lru_cache(maxsize=1)
def person() -> Human:
    trial = synthetic_trial()
    return human(trial.walk, trial.static)


@lru_cache(maxsize=4)
def planned(name: str) -> Plan:
    return plan(load_robot(name), person(), ImitateOptions(rate=100.0))


@lru_cache(maxsize=1)
def slow_plan() -> Plan:
    options = ImitateOptions(balance="quasistatic", rate=40.0, stride=0.5)
    return plan(load_robot("hrp2"), person(), options)


@lru_cache(maxsize=2)
def artist(name: str) -> Draughtsman:
    robot, who = load_robot(name), person()
    limbs, aims = limbs_of(robot), aims_of(who)
    return Draughtsman(robot, limbs, who, aims, marionette(robot, limbs, aims, who.stances))
