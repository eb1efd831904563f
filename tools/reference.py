"""Pages of the docs that follow from the code: the reference, and the table of dialects.

The site calls it while it is built (`hooks` in mkdocs.yml). `python tools/reference.py` writes the
table of dialects into docs/formats.md again.
"""

from __future__ import annotations

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FORMATS = ROOT / "docs" / "formats.md"
BEGIN, END = "<!-- dialects: written by tools/reference.py -->\n", "<!-- end -->"
HERE = "<!-- reference: written by tools/reference.py -->"

# what a reader may build on, top down
PACKAGES = (
    "poise",
    "poise.engines.expressive",
    "poise.engines.imitate",
    "poise.engines.balance",
    "poise.engines.multicontact",
    "poise.engines.interact",
    "poise.examples",
    "poise.checks",
    "poise.simulation",
    "poise.viewer",
    "poise.io",
    "poise.control",
    "poise.tasks",
    "poise.motion",
    "poise.contacts",
    "poise.trajectories",
    "poise.robot",
    "poise.solvers",
    "poise.errors",
)


def public_names(package: str) -> dict[str, Any]:
    """What a package offers: classes and functions of poise, by name."""
    module = import_module(package)
    found = {}
    for name in sorted(dir(module), key=str.lower):
        value = None if name.startswith("_") else getattr(module, name)
        ours = str(getattr(value, "__module__", "")).startswith("poise")
        if ours and (inspect.isclass(value) or inspect.isfunction(value)):
            found[name] = value
    return found


def public_methods(owner: type) -> dict[str, Any]:
    """Methods and properties that a class defines itself."""
    found = {}
    for name, value in vars(owner).items():
        plain = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        if not name.startswith("_") and (inspect.isfunction(plain) or isinstance(value, property)):
            found[name] = plain
    return found


def reference() -> str:
    """The reference: every public name with its signature and its docstring."""
    parts: list[str] = []
    for package in PACKAGES:
        names = public_names(package)
        about = (inspect.getdoc(import_module(package)) or "").split("\n\n")[0]
        parts += [f"## {package}", " ".join(about.split())]
        for name, value in names.items():
            parts += [f"### {package}.{name}", _signature(name, value), _prose(value)]
            if inspect.isclass(value):
                parts.append(_members(value))
    return "\n\n".join(part for part in parts if part)


def dialects() -> str:
    """The table of all dialects of motion files."""
    from poise.io import DIALECTS

    rows = [
        "| dialect | suffix | quaternion | units | joints | rate |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    words = ["", "What each of them is:", ""]
    for one in DIALECTS.values():
        ways = "" if one.read and one.write else ", read only" if one.read else ", written only"
        cells = (one.quaternion, one.units, one.order, one.rate)
        rows.append(f"| `{one.name}` | `{one.suffix}`{ways} | {' | '.join(cells)} |")
        words.append(f"- `{one.name}`: {one.about}")
    return "\n".join([*rows, *words]) + "\n\n"


def with_dialects(text: str) -> str:
    """The page of formats with its table renewed."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + dialects() + END + rest.split(END, 1)[1]


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by MkDocs for every page."""
    return markdown.replace(HERE, reference()) if HERE in markdown else markdown


def _signature(name: str, value: Any) -> str:
    try:
        signature = str(inspect.signature(value))
    except (ValueError, TypeError):  # an exception or a protocol: its name says enough
        signature = ""
    signature = re.sub(r"<factory>|<object object at 0x\w+>", "...", signature)
    signature = re.sub(r"array\(.*?\)", "...", signature)
    signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", signature)  # annotations are kept as text
    if len(name) + len(signature) > 92:
        signature = signature.replace("(", "(\n    ", 1)
        signature = re.sub(r", (?=[*\w]+:|\*)", ",\n    ", signature)
    return f"```python\n{name}{signature}\n```"


def _prose(value: Any) -> str:
    """A docstring as Markdown: its argument section as a list."""
    text = inspect.getdoc(value) or ""
    if inspect.isclass(value) and not value.__dict__.get("__doc__"):
        return ""
    if text.startswith(f"{getattr(value, '__name__', '')}("):  # a dataclass without words
        return ""
    lines, listing = [], False
    for line in text.splitlines():
        head = re.fullmatch(r"(Args|Returns|Raises|Attributes|Yields):", line)
        if head:
            listing = True
            lines += ["", f"*{head[1]}*", ""]
        elif listing and line.startswith("    ") and not line.startswith("     "):
            item = re.sub(r"^\s+(\S+?):\s", lambda m: f"- `{m[1]}`: ", line)
            lines.append(item if item.startswith("- ") else f"- {line.strip()}")
        elif listing and line.startswith("     "):
            lines.append("  " + line.strip())
        else:
            listing = listing and not line.strip()
            lines.append(line)
    return "\n".join(lines).replace("<", "&lt;")


def _members(owner: type) -> str:
    rows = []
    for name, value in public_methods(owner).items():
        doc = inspect.getdoc(value) or ""
        first = " ".join(doc.split("\n\n")[0].split()).replace("|", "\\|").replace("<", "&lt;")
        called = "" if isinstance(value, property) else "()"
        rows.append(f"- `{name}{called}`: {first}")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "src"))
    FORMATS.write_text(with_dialects(FORMATS.read_text("utf-8")), "utf-8")
