"""Which colour is what, beside a drawing."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape


def chip(colour: str, label: str) -> str:
    """A small square of a colour, as a web page writes it, and what it stands for."""
    return (
        '<span style="margin-left:9px;white-space:nowrap"><span style="display:inline-block;'
        f'width:9px;height:9px;border-radius:2px;margin-right:4px;background:{colour}"></span>'
        f"{escape(label)}</span>"
    )


def heading(title: str, chips: Mapping[str, str], padding: str = "6px 12px 0") -> str:
    """The title of a drawing and its legend, in one line where there is room.

    Args:
        title: with the unit.
        chips: label -> colour, as a web page writes it.
        padding: around both, as a web page writes it.
    """
    legend = "".join(chip(colour, label) for label, colour in chips.items())
    return (
        f'<div style="display:flex;justify-content:space-between;flex-wrap:wrap;padding:{padding};'
        f'font-size:12px"><b style="font-weight:600">{escape(title)}</b>'
        f'<span style="opacity:.85">{legend}</span></div>'
    )
