"""What was done live, done again without a page, gives the same motion."""

import json

import numpy as np
import pytest

from poise.cli import main
from poise.engines.expressive import Style, find_style
from poise.errors import PoiseError
from poise.io import load
from poise.robot import load_robot
from poise.studio.live_walk import BEHIND, LiveWalk
from poise.studio.script import read_recipe, replay

NAO = load_robot("nao")


def test_the_recipe_of_a_recording_makes_the_same_motion():
    live = LiveWalk(NAO, find_style("normal"))
    live.advance(0.3)
    live.order("start")
    live.advance(0.5)
    live.record()
    live.set_style(find_style("sad"))
    live.advance(0.5)
    live.set_style(find_style("sad").set_on(NAO, {"step_length": 0.03}))
    live.advance(0.5)
    live.order("stop")
    live.advance(0.5)
    motion = live.stop_recording()
    live.order("stand_up")  # what comes later is not part of it
    again = replay(NAO, json.loads(json.dumps(motion.recipe)))
    assert len(motion) == 300
    assert np.abs(again.q - motion.q).max() <= 1e-9
    assert np.abs(again.tau - motion.tau).max() <= 1e-9
    assert np.array_equal(again.time, motion.time)


def test_the_command_replays_a_recipe_without_a_page(tmp_path, capsys):
    live = LiveWalk(NAO, find_style("normal"))
    live.advance(0.2)
    live.record()
    live.set_style(find_style("proud"))
    live.advance(0.4)
    motion = live.stop_recording()
    recipe, again = tmp_path / "recipe.json", tmp_path / "again.npz"
    recipe.write_text(json.dumps(motion.recipe))
    assert main(["studio", "--replay", str(recipe), "--out", str(again), "--json"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)["robot"] == "nao"
    assert np.abs(load(again).q - motion.q).max() <= 1e-9
    assert read_recipe(again)["options"]["ticks"] == [40, 120]


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"engine": "studio walk"}'])
def test_a_broken_recipe_is_refused_in_words(tmp_path, capsys, text):
    recipe = tmp_path / "recipe.json"
    recipe.write_text(text)
    assert main(["studio", "--robot", "nao", "--replay", str(recipe)]) == 2
    assert "recipe" in capsys.readouterr().err


def test_standing_up_after_a_fall_is_part_of_the_recipe():
    live = LiveWalk(NAO, Style())
    live.order("start")
    live.advance(0.4)
    live.controller.reason = ""
    live.order("stand_up")
    live.record()
    live.advance(0.1)
    motion = live.stop_recording()
    assert np.array_equal(replay(NAO, motion.recipe).q, motion.q)


def test_an_unknown_order_or_engine_is_refused():
    live = LiveWalk(NAO, Style())
    with pytest.raises(PoiseError, match="'dance'"):
        live.order("dance")
    assert not live.script.orders
    with pytest.raises(PoiseError, match="engine"):
        replay(NAO, {"engine": "balance"})


def test_a_recording_of_nothing_is_refused():
    live = LiveWalk(NAO, Style())
    live.record()
    with pytest.raises(PoiseError, match="two or more"):
        live.stop_recording()


def test_lag_is_made_up_for_a_little_and_then_dropped():
    live = LiveWalk(NAO, Style())
    assert live.advance(0.1) == 20
    assert live.advance(10.0) == round(BEHIND / live.dt)
    assert live.dropped == pytest.approx(10.0 - BEHIND, abs=live.dt)
    assert live.advance(0.5, 0.2) == 40  # the rest is made up for by and by
    assert live.advance(0.0, 0.2) == 40
