"""Every public number says its unit, or what it is a share or a factor of."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from typing import Any

from docs.test_pages import reference
from poise.motion.knobs import _KEY as KNOB

UNIT = re.compile(r"\[[^\]]+\]")
# numbers without a unit say so by one of these
PURE = re.compile(
    r"\b(shares?|fractions?|factors?|times|friction|weights?|tolerance|probability|"
    r"certainty|cost|[01] (to|for) [01])\b",
    re.IGNORECASE,
)


def entries(doc: str) -> dict[str, str]:
    """What the `Args:` of a docstring says of each argument."""
    found: dict[str, str] = {}
    listed = re.search(r"Args:\n(.*?)(?:\n\n|\nReturns|\nRaises|\Z)", doc, re.DOTALL)
    name = ""
    for line in listed.group(1).splitlines() if listed else []:
        begun = re.match(r" {4}(\w+):(.*)", line)
        if begun:
            name = begun.group(1)
            found[name] = begun.group(2)
        elif name:
            found[name] += " " + line.strip()
    return found


def is_number(annotation: Any) -> bool:
    return str(annotation).startswith("float")


def numbers_of(function: Any, doc: str) -> Iterator[tuple[str, str]]:
    """The numbers that a function takes and gives, with what is said of each."""
    signature, told = inspect.signature(function), entries(doc)
    doc = re.sub(r"Args:\n.*?(?=\n\n|\nReturns|\nRaises|\Z)", "", doc, flags=re.DOTALL)
    for name, one in signature.parameters.items():
        if is_number(one.annotation):
            yield name, f"{told.get(name, doc)} {name}"
    if is_number(signature.return_annotation):
        yield "answer", doc


def fields_of(owner: type) -> Iterator[tuple[str, str]]:
    """The numbers of a dataclass, with what is said of each; knobs carry their units."""
    doc = inspect.getdoc(owner) or ""
    source, told, about = inspect.getsource(owner), entries(doc), doc.partition("\n")[0]
    for field in dataclasses.fields(owner):
        if is_number(field.type) and KNOB not in field.metadata:
            line = re.search(rf"^ +{field.name} *:(.*)$", source, re.MULTILINE)
            inherited = line is None
            if not inherited:
                said = line.group(1).partition("#")[2]
                yield field.name, f"{said} {told.get(field.name, '')} {field.name} {about}"


def silent(package: str, name: str, value: Any) -> list[str]:
    """The numbers of a public name that do not say what they are."""
    doc = inspect.getdoc(value) or ""
    asked: list[tuple[str, Iterator[tuple[str, str]]]] = []
    if inspect.isclass(value):
        if dataclasses.is_dataclass(value):
            asked.append((name, fields_of(value)))
        elif "__init__" in vars(value):
            told = f"{doc}\n\n{inspect.getdoc(value.__init__) or ''}"
            asked.append((name, numbers_of(value.__init__, told)))
        for method, one in reference().public_methods(value).items():
            plain = one.fget if isinstance(one, property) else one
            asked.append((f"{name}.{method}", numbers_of(plain, inspect.getdoc(one) or "")))
    else:
        asked.append((name, numbers_of(value, doc)))
    return [
        f"{package}.{owner}: {number}"
        for owner, numbers in asked
        for number, text in numbers
        if not UNIT.search(text) and not PURE.search(text)
    ]


def test_every_public_number_says_its_unit() -> None:
    found = {
        one
        for package in reference().PACKAGES
        for name, value in reference().public_names(package).items()
        for one in silent(value.__module__, name, value)
    }
    assert sorted(found) == []


def test_a_number_without_a_unit_is_found() -> None:
    def fall(height: float, share: float) -> float:
        """How long it falls.

        Args:
            height: from where.
            share: of gravity.
        """
        return height * share

    assert silent("here", "fall", fall) == ["here.fall: height", "here.fall: answer"]
