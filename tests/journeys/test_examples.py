"""The examples do what they say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def example(name: str) -> ModuleType:
    found = next((ROOT / "examples").glob(f"{name}_*.py"))
    spec = importlib.util.spec_from_file_location(found.stem, found)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_hello_robot() -> None:
    assert example("01").main().duration == pytest.approx(2.0)


def test_reach() -> None:
    assert example("02").main() < 1e-3


def test_walk_in_a_style(tmp_path: Path) -> None:
    walk = example("03").main(folder=tmp_path)
    assert walk.recipe["fell_at"] is None
    assert (tmp_path / "normal.npz").is_file() and (tmp_path / "normal.json").is_file()


def test_push() -> None:
    assert example("04").main()


def test_balance() -> None:
    off = example("05").main()
    assert off["capture"] < 0.7 * off["none"]


def test_interact() -> None:
    assert example("06").main(seconds=2.0)


def test_plan() -> None:
    assert example("07").main()
