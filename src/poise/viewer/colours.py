"""One colour for each quantity, everywhere; told apart by people who do not see red and green."""

from __future__ import annotations

Rgb = tuple[int, int, int]

COM: Rgb = (213, 94, 0)
ZMP: Rgb = (0, 114, 178)
SUPPORT: Rgb = (0, 158, 115)
LEFT: Rgb = (204, 121, 167)
RIGHT: Rgb = (86, 180, 233)
FORCE: Rgb = (230, 159, 0)
GHOST: Rgb = (86, 140, 200)
NOW: Rgb = (60, 64, 72)


def side_of(part: str) -> Rgb:
    """The colour of a left or right part."""
    return LEFT if "left" in part else RIGHT


def css(rgb: Rgb, alpha: float = 1.0) -> str:
    """A colour as a web page writes it."""
    r, g, b = rgb
    return f"rgba({r},{g},{b},{alpha:g})"


def pale(rgb: Rgb, paper: float) -> Rgb:
    """A colour with a share of white in it, 0 to 1."""
    r, g, b = (round(c + paper * (255 - c)) for c in rgb)
    return r, g, b
