"""The pages: links lead somewhere, names are explained, tables follow the code."""

from __future__ import annotations

import importlib.util
import inspect
import re
from functools import lru_cache
from pathlib import Path
from types import ModuleType

import pytest

import poise

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
SIZE_OF_ALL_PICTURES = 12e6  # [bytes]: a clone should stay small


@lru_cache
def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def prose(page: Path) -> str:
    """A page without its code."""
    return re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL)


@lru_cache
def anchors(page: Path) -> frozenset[str]:
    from markdown.extensions.toc import slugify

    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    heads = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return frozenset(slugify(re.sub(r"[`*]", "", head), "-") for head in heads)


def broken_links(page: Path) -> list[str]:
    found = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        goal = (page.parent / name).resolve() if name else page
        if not goal.is_file() or (anchor and goal.suffix == ".md" and anchor not in anchors(goal)):
            found.append(target)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_and_picture_of_a_page_is_there(page: Path) -> None:
    assert broken_links(page) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Head\n[a](#head) [b](#foot) ![c](no.png) [d](page.md#head) `[e](no)`\n")
    assert broken_links(page) == ["#foot", "no.png"]


def test_every_page_is_reached_from_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text("utf-8")
    names = [str(p.relative_to(ROOT / "docs")) for p in (ROOT / "docs").rglob("*.md")]
    assert [name for name in names if name not in menu] == []


def test_every_picture_is_shown_and_all_of_them_are_small() -> None:
    pictures = [p for p in (ROOT / "docs" / "pictures").rglob("*") if p.is_file()]
    text = "".join(page.read_text("utf-8") for page in PAGES)
    assert [p.name for p in pictures if f"/{p.name}" not in text] == []
    assert sum(p.stat().st_size for p in pictures) < SIZE_OF_ALL_PICTURES


def test_the_table_of_dialects_follows_the_code() -> None:
    page = reference().FORMATS.read_text("utf-8")
    assert reference().with_dialects(page) == page, "run: python tools/reference.py"


def test_every_public_name_says_what_it_is() -> None:
    silent = []
    for package in reference().PACKAGES:
        for name, value in reference().public_names(package).items():
            doc = value.__dict__.get("__doc__") if inspect.isclass(value) else value.__doc__
            if not doc or doc.startswith(f"{name}("):
                silent.append(f"{package}.{name}")
            if inspect.isclass(value):
                methods = reference().public_methods(value).items()
                silent += [f"{package}.{name}.{m}" for m, f in methods if not inspect.getdoc(f)]
    assert silent == []


def test_the_reference_has_every_name_of_the_front_door() -> None:
    text = reference().reference()
    assert [name for name in dir(poise) if f"### poise.{name}\n" not in text] == ["__version__"]


def test_each_engine_page_corrects_its_paper_and_says_what_it_cannot_do() -> None:
    for page in (ROOT / "docs" / "engines").glob("*.md"):
        text = page.read_text("utf-8").lower()
        assert "## corrections to the paper" in text, page.name
        assert "paper | poise" in text or "measured" in text, page.name
        assert re.search(r"## (limit|what does not)", text), page.name
