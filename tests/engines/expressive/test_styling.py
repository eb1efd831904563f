"""Styles as files: round trips, blends, and sentences about what is wrong."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from poise.engines.expressive import Style, blend, find_style, load_style, preset_names, save_style
from poise.engines.expressive.options import NUMBERS
from poise.errors import BadInput, PoiseError
from poise.robot import Robot, load_robot


@pytest.mark.parametrize("units", ["robot", "SI"])
@pytest.mark.parametrize("preset", preset_names())
def test_a_saved_style_comes_back(nao: Robot, preset: str, units: str, tmp_path: Path) -> None:
    style = find_style(preset, nao)
    save_style(style, tmp_path / "s.toml", nao, units=units)
    again = load_style(tmp_path / "s.toml", nao)
    for name in NUMBERS:
        assert getattr(again, name) == pytest.approx(getattr(style, name), rel=1e-12)
    assert again.name == style.name and again.rest_pose == style.rest_pose


@pytest.mark.parametrize("preset", preset_names())
def test_every_preset_is_at_most_ten_slider_moves_from_normal(preset: str) -> None:
    normal, style = Style(), find_style(preset, load_robot("nao"))
    moves = [f.name for f in fields(style) if getattr(style, f.name) != getattr(normal, f.name)]
    assert len(set(moves) - {"name"}) <= 10


def test_a_blend_lies_between(nao: Robot) -> None:
    a, b = find_style("normal", nao), find_style("proud", nao)
    half = blend(a, b, 0.5, nao)
    for name in NUMBERS:
        low, high = sorted((getattr(a, name), getattr(b, name)))
        assert low - 1e-12 <= getattr(half, name) <= high + 1e-12
    assert half.momentum == pytest.approx((a.momentum * b.momentum) ** 0.5)
    assert blend(a, b, 0.0) == a and blend(a, b, 1.0) == b
    with pytest.raises(BadInput, match="0 to 1"):
        blend(a, b, 1.5)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", None),
        ("[geometry]\nstep_lenght = 1.0\n", "step_length"),
        ("[geometry]\nstep_length = 99.0\n", "step_length"),
        ("[geometry]\nstep_length = nan\n", "step_length"),
        ("[geometry]\nstep_length = true\n", "step_length"),
        ("[style]\nstep_length = 1.0\n", "style"),
        ("geometry = 3\n", "geometry"),
        ("[rest_pose]\nLElbow = 0.1\n", "LElbow"),
        ("[rest_pose]\nLElbowRoll = 9.0\n", "LElbowRoll"),
        ("units = 'feet'\n", "units"),
        ("name = 3\n", "name"),
        ("[geometry\n", "line"),
        ("\x00\x01", ""),
    ],
)
def test_bad_style_files_are_told_in_one_sentence(
    nao: Robot, text: str, told: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    if told is None:
        assert load_style(path, nao).step_length == Style().step_length
        return
    with pytest.raises(PoiseError) as caught:
        load_style(path, nao)
    assert told in str(caught.value) and "bad.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_misspelt_preset_names_the_nearest(nao: Robot) -> None:
    with pytest.raises(PoiseError, match="proud"):
        find_style("prud", nao)
