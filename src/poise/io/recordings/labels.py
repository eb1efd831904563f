"""Which points of a file are markers on a person, and their clean names."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from poise.motion.marker_names import bare_label

DERIVED = re.compile(
    r"(angles?|forces?|moments?|powers?|grf|normalised\w*|normalized\w*|groundreaction\w*"
    r"|progressangles?|emg\w*)$",
    re.IGNORECASE,
)
UNNAMED = re.compile(r"^(\*\s*\d*|u_\d+|uname\*?\d*|unlabell?ed.*|unknown.*|#\d*|\d+|)$", re.I)


def markers_among(labels: Sequence[str], derived: Collection[str] = ()) -> dict[int, str]:
    """Column and clean name of every marker; results of models and nameless points are left out.

    Args:
        labels: of all points of the file.
        derived: labels that the file itself lists as angles, forces, moments, powers, ...
    """
    named = {k: bare_label(label) for k, label in enumerate(labels)}
    axes = _bone_axes(set(named.values()))
    kept: dict[int, str] = {}
    seen: set[str] = set()
    for k, name in named.items():
        nameless = UNNAMED.match(name) is not None
        if nameless or labels[k] in derived or name in derived or name in axes or name in seen:
            continue
        if DERIVED.search(name) is not None:
            continue
        seen.add(name)
        kept[k] = name
    return kept


def _bone_axes(names: set[str]) -> set[str]:
    """Origins and axis points of bones that models write: LFEO, LFEA, LFEL and LFEP together."""
    stems = {name[:-1] for name in names if len(name) >= 3 and name[-1] == "O"}
    return {
        stem + end for stem in stems if all(stem + e in names for e in "OALP") for end in "OALP"
    }
