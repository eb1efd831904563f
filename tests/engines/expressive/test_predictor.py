"""The predictor: no false "safe", the presets safe, zero sway foretold."""

from __future__ import annotations

from itertools import pairwise

import pytest

from poise.engines.expressive import (
    ExpressiveController,
    Style,
    find_style,
    preset_names,
    walk,
)
from poise.engines.expressive.predictor import (
    FALLS,
    SAFE,
    Predictor,
    predict,
    ranges,
    verdict_at,
)
from poise.robot import Robot, load_robot

GRID = [
    {"sway": 0.0},
    {"sway": 0.6},
    {"sway": 1.3, "single_support": 1.6},
    {"sway": 0.75, "single_support": 5.0, "double_support": 2.2},
    {"sway_phase": 1.5},
    {"sway_phase": 0.2},
    {"com_law": "middle"},
    {"com_law": "middle", "step_length": 0.9},
    {"step_length": 0.8},
    {"step_length": -0.5},
    {"sideways": 0.08, "step_length": 0.0},
    {"chest_pitch": -0.2},
]


@pytest.mark.parametrize("knobs", GRID, ids=str)
def test_what_is_called_safe_walks(nao: Robot, knobs: dict) -> None:
    style = Style().changed(**knobs)
    if predict(nao, style).verdict != SAFE:
        return  # a warning, not a promise
    controller = ExpressiveController(nao, style)
    while not controller.settled:
        controller.tick()
    controller.start(6)
    while controller.machine.walking and not controller.fallen:
        controller.tick()
    assert not controller.fallen, controller.reason


@pytest.mark.parametrize("name", ["nao", "hoap3", "hrp2", "g1", "talos"])
def test_presets_are_safe(name: str) -> None:
    robot = load_robot(name)
    predictor = Predictor(robot)
    for style in preset_names():
        found = predictor.predict(find_style(style, robot))
        assert found.verdict == SAFE, (style, found.why)


@pytest.mark.parametrize("name", ["nao", "hoap3", "g1"])
def test_the_widest_side_step_that_is_called_safe_walks(name: str) -> None:
    robot = load_robot(name)
    sideways = ranges(robot, Style(step_length=0.0))["sideways"]
    safe = [one for one in sideways if one.verdict == SAFE]
    assert len(safe) == 1 and sideways[-1].verdict == FALLS
    style = Style(step_length=0.0).set_on(robot, {"sideways": 0.98 * safe[0].high})
    assert style.sideways > 0.08  # of the height of the centre of mass: 2 cm on nao
    motion = walk(robot, style, 4)
    assert motion.recipe["fell_at"] is None, motion.recipe["fell_because"]


def test_zero_sway_is_foretold_with_its_reason(nao: Robot) -> None:
    found = predict(nao, Style(sway=0.0))
    assert found.verdict == FALLS
    assert "standing foot" in found.why


def test_every_slider_has_a_range_without_gaps_in_the_units_that_are_shown(nao: Robot) -> None:
    from poise.engines.expressive import knobs_for

    found = ranges(nao, Style())
    for name, one in knobs_for(nao).items():
        if one.choices:
            continue
        stretches = found[name]
        assert stretches[0].low == pytest.approx(one.low)
        assert stretches[-1].high == pytest.approx(one.high)
        for a, b in pairwise(stretches):
            assert a.high == pytest.approx(b.low) and a.verdict != b.verdict
        assert verdict_at(stretches, one.default).verdict == SAFE
        assert all(one.why for one in stretches if one.verdict != SAFE)


def test_sway_is_safe_in_the_middle_and_falls_at_zero(nao: Robot) -> None:
    stretches = ranges(nao, Style())["sway"]
    assert verdict_at(stretches, 0.0).verdict == FALLS
    assert verdict_at(stretches, 1.0).verdict == SAFE
    assert verdict_at(stretches, 2.0).verdict != SAFE
