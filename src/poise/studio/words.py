"""Small pieces of the page, as HTML: everything that comes from outside is escaped here."""

from __future__ import annotations

from html import escape

from poise.studio.costs import Costs
from poise.viewer import colours

GOOD, DOUBTFUL, BAD, GREY = (0, 158, 115), (230, 159, 0), (190, 40, 40), (120, 125, 135)
DOUBT, LIMIT = 0.8, 1.0  # shares of a cost from which on it is doubtful, and too much

# room for a name with its unit in one line, also in wide letters: a second line would part a slider
# from the bar below it
LAYOUT = (
    "<style>div:has(> p > label[for]):has(+ div .mantine-Slider-root) "
    "{ width: 7.8em !important; }</style>"
)


def text(content: str, size: int = 13, quiet: bool = False) -> str:
    """A line of words."""
    opacity = "opacity:.72;" if quiet else ""
    return (
        f'<div style="padding:2px 12px;font-size:{size}px;line-height:1.45;{opacity}">'
        f"{escape(content)}</div>"
    )


def both_ends(left: str, right: str) -> str:
    """One line, with something quiet at its end; where room is short, the beginning is cut."""
    cut = "flex:1;min-width:0;white-space:nowrap;overflow:hidden;text-overflow:ellipsis"
    return (
        '<div style="display:flex;align-items:baseline;padding:2px 12px;font-size:12px">'
        f'<span style="{cut}">{escape(left)}</span>'
        f'<span style="flex:none;font-size:11px;opacity:.72">{escape(right)}</span></div>'
    )


def steady(content: str, height: int) -> str:
    """A box that stays as high [px], whatever is said in it.

    What is below it must not move away from under a mouse that drags.
    """
    return f'<div style="height:{height}px;overflow:hidden auto">{content}</div>'


def banner(title: str, body: str, colour: colours.Rgb) -> str:
    """A coloured box with a title and a sentence."""
    return (
        f'<div style="margin:4px 10px 6px;padding:7px 10px;border-radius:6px;font-size:13px;'
        f"line-height:1.4;border-left:4px solid {colours.css(colour)};"
        f'background:{colours.css(colour, 0.12)}"><b>{escape(title)}</b><br>{escape(body)}</div>'
    )


def colour_of(share: float) -> colours.Rgb:
    """Green, amber or red, by how much of a limit is used."""
    return GOOD if share < DOUBT else DOUBTFUL if share <= LIMIT else BAD


def meters(costs: Costs | None) -> str:
    """What the walk costs now, as four bars."""
    if costs is None:
        return ""
    rows = (
        (
            "balance",
            costs.balance,
            f"{abs(1e3 * costs.margin):.0f} mm {'to' if costs.margin > 0.0 else 'over'} the edge",
        ),
        ("torque", costs.torque, f"{1e2 * costs.torque:.0f} % {costs.strained}"),
        ("speed", costs.speed, f"{1e2 * costs.speed:.0f} % {costs.fast}"),
        ("friction", costs.friction, f"{1e2 * costs.friction:.0f} %"),
    )
    return f'<div style="padding:2px 12px 6px">{"".join(_meter(*row) for row in rows)}</div>'


def _meter(name: str, share: float, words: str) -> str:
    colour = colours.css(colour_of(share))
    return (
        '<div style="display:flex;align-items:center;font-size:11.5px;height:17px">'
        f'<span style="width:56px;flex:none;opacity:.8">{name}</span>'
        '<span style="flex:1;height:7px;border-radius:4px;background:rgba(128,128,128,.16);'
        'overflow:hidden;margin-right:8px">'
        f'<span style="display:block;height:100%;width:{min(100.0, 1e2 * share):.0f}%;'
        f'background:{colour}"></span></span>'
        f'<span style="width:150px;flex:none;white-space:nowrap;overflow:hidden;'
        f'text-overflow:ellipsis;opacity:.85">{escape(words)}</span></div>'
    )
