"""The design of a walk, and the command that makes the same motion."""

import shlex

import numpy as np
import pytest

from poise.commands.settings import read_settings
from poise.engines.expressive import blend, find_style, knobs_for
from poise.engines.expressive.styling import load_style, style_text
from poise.errors import PoiseError
from poise.robot import load_robot
from poise.studio.design import WalkDesign, style_file
from poise.studio.dials import dial_of

NAO = load_robot("nao")


def said(line: str) -> tuple[str, dict, int]:
    """Style, settings and steps of a `poise walk` line."""
    words = shlex.split(line)
    assert words[:2] == ["poise", "walk"]
    settings = [words[k + 1] for k, word in enumerate(words) if word == "--set"]
    style, steps = (words[words.index(flag) + 1] for flag in ("--style", "--steps"))
    return style, read_settings("poise walk", settings, "sway=0.04"), int(steps)


def moved(name: str, shown: float) -> float:
    return dial_of(knobs_for(NAO)[name]).told(shown)


def test_the_command_makes_the_motion_of_the_page():
    design = WalkDesign.of("proud")
    design = design.with_setting("step_length", moved("step_length", 37.7))
    design = design.with_setting("momentum", moved("momentum", 0.33))
    style, settings, steps = said(design.command(NAO, 2))
    assert steps == 2
    by_command = find_style(style).set_on(NAO, settings)  # as `poise walk` does
    assert by_command == design.style(NAO)  # to the last digit, so the walks are the same


def test_the_command_of_a_blend_tells_every_knob():
    design = WalkDesign(blend(find_style("sad"), find_style("proud"), 0.3))
    style, settings, _ = said(design.command(NAO, 4))
    told = find_style(style).set_on(NAO, settings)
    wanted = design.style(NAO)
    for name in knobs_for(NAO):
        here, there = getattr(told, name), getattr(wanted, name)
        assert here == there if isinstance(there, str) else here == pytest.approx(there, rel=1e-12)


def test_a_rest_pose_needs_the_style_as_a_file(tmp_path):
    design = WalkDesign.of("normal").with_joint("HeadYaw", 0.3).with_setting("turn", 0.05)
    assert design.file_needed()
    assert "--set" not in design.command(NAO, 4)
    path = tmp_path / style_file(design.base.name)
    path.write_text(style_text(design.style(NAO), NAO))
    assert load_style(path, NAO).rest_pose == {"HeadYaw": 0.3}
    assert load_style(path, NAO).turn == design.style(NAO).turn


def test_a_value_that_the_robot_cannot_take_is_refused_in_words():
    with pytest.raises(PoiseError, match=r"step_length is 5; accepted"):
        WalkDesign.of("normal").with_setting("step_length", 5.0).style(NAO)
    with pytest.raises(PoiseError, match="HeadYaw"):
        WalkDesign.of("normal").with_joint("HeadYaw", 9.0).style(NAO)


@pytest.mark.parametrize("name", [n for n, k in knobs_for(NAO).items() if not k.choices])
def test_every_place_of_a_slider_is_a_value_that_the_knob_accepts(name):
    dial = dial_of(knobs_for(NAO)[name])
    for shown in np.linspace(dial.low, dial.high, 9):
        value = dial.told(float(shown))
        assert dial.knob.low <= value <= dial.knob.high
        assert abs(dial.shown(value) - shown) <= 0.51 * dial.step


@pytest.mark.parametrize("name", ["../../etc/passwd", "a b", "", "<script>", "x" * 300])
def test_names_of_style_files_are_harmless(name):
    file = style_file(name)
    assert file.endswith(".toml") and len(file) <= 45
    assert all(c.isalnum() or c in "-." for c in file) and ".." not in file


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 30_000,
        f"[geometry]\nstep_length = {'9' * 5000}\n",
        "[geometry]\nstep_length = nan\n",
        "[geometry]\nstep_length = 1e999\n",
        "[geometry]\nstep_length = '../../x'\n",
    ],
)
def test_a_style_that_was_written_to_do_harm_is_refused_in_words(tmp_path, text):
    path = tmp_path / "style.toml"
    path.write_text(text)
    with pytest.raises(PoiseError, match=r"style\.toml"):
        load_style(path, NAO)
