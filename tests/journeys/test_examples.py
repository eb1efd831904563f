"""The examples and the README do what they say."""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest

from poise.cli import main as poise_command

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


def blocks(language: str) -> list[str]:
    text = (ROOT / "README.md").read_text("utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), {})
    assert (tmp_path / "proud.npz").is_file() and (tmp_path / "proud.png").is_file()


def test_the_commands_of_the_readme_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POISE_ROBOTS", str(tmp_path / "robots"))
    (tmp_path / "robots").mkdir()
    urdf = ROOT / "src" / "poise" / "robot" / "zoo" / "hoap3" / "model.urdf"
    (tmp_path / "my.urdf").write_text(urdf.read_text("utf-8").replace("hoap3", "mine"), "utf-8")
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    commands = [line for line in lines if line.startswith("poise ")]
    assert len(commands) >= 6
    for line in commands:
        code = poise_command(shlex.split(line)[1:])
        assert code in (0, 1), f"{line}: {capsys.readouterr().err}"
    assert (tmp_path / "proud.html").is_file() and (tmp_path / "proud.json").is_file()
