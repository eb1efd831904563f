"""Every command and every piece of Python on the pages is run, in the order in which it is read."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import jvrc_description
import matplotlib
import pytest

from poise.cli import main

ROOT = Path(__file__).parents[2]
EXPECTED = re.compile(r"#\s*exit code (\d)")


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """Language and text of each block of code, except examples, which have tests of their own."""
    text = page.read_text("utf-8")
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if not block.startswith("--8<--"):
            yield language, block


def commands(page: Path) -> list[str]:
    lines = [
        line for language, block in blocks(page) if language == "sh" for line in block.split("\n")
    ]
    return [line for line in lines if line.startswith("poise ")]


def follow(page: Path, done: set[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Do what a page says, in the current folder; a command that was done is not done again."""
    for language, block in blocks(page):
        if language == "toml" and block.startswith("# "):  # a file with its name in the first line
            Path(block.split("\n")[0].removeprefix("# ")).write_text(block, "utf-8")
        elif language == "python" and block not in done:
            exec(compile(block, str(page), "exec"), {})
        for line in block.splitlines() if language == "sh" else ():
            if line.startswith("poise ") and line not in done:
                expected = EXPECTED.search(line)
                call = shlex.split(line, comments=True)[1:]
                wanted = (int(expected[1]),) if expected else (0,)
                if call[0] == "imitate":
                    # its journey has a test of its own, where physics makes it slower until good
                    call, wanted = [*call, "--no-physics"], (0, 1)
                code = main(call)
                said = capsys.readouterr()
                assert code in wanted, f"{page.name}: {line}\n{said.out}{said.err}"
                done.add(line)
        done.add(block)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of nothing, and a user without robots."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robots").mkdir()
    monkeypatch.setenv("POISE_ROBOTS", str(tmp_path / "robots"))
    matplotlib.use("agg")
    return tmp_path


def test_the_readme_and_the_walk_tutorial_do_what_they_say(elsewhere: Path, capsys) -> None:
    urdf = ROOT / "src" / "poise" / "robot" / "zoo" / "hoap3" / "model.urdf"
    (elsewhere / "my.urdf").write_text(urdf.read_text("utf-8").replace("hoap3", "mine"), "utf-8")
    done: set[str] = set()
    for page in ("README.md", "docs/formats.md", "docs/tutorials/walk.md"):
        follow(ROOT / page, done, capsys)
    assert len(done) > 12
    for name in ("proud.npz", "proud.png", "proud.html", "proud.json", "mine.npz", "shy.npz"):
        assert (elsewhere / name).is_file(), name


def test_a_newcomer_gets_from_a_urdf_to_an_exported_walk(elsewhere: Path, capsys) -> None:
    stranger = Path(jvrc_description.__file__).parent / "urdf" / "jvrc1.urdf"
    (elsewhere / "my.urdf").write_text(stranger.read_text("utf-8"), "utf-8")
    follow(ROOT / "docs" / "robots.md", set(), capsys)
    header = (elsewhere / "walk.csv").read_text("utf-8").splitlines()[0]
    assert "L_KNEE" in header and (elsewhere / "walk.mcap").is_file()


@pytest.mark.parametrize("story", ["imitate", "balance", "plan", "lead"])
def test_a_tutorial_does_what_it_says(story: str, elsewhere: Path, capsys) -> None:
    page = ROOT / "docs" / "tutorials" / f"{story}.md"
    assert len(commands(page)) >= 2
    follow(page, set(), capsys)


def test_every_tutorial_is_one_of_the_five() -> None:
    names = {page.stem for page in (ROOT / "docs" / "tutorials").glob("*.md")}
    assert names == {"index", "walk", "imitate", "balance", "plan", "lead"}
