"""The pictures of the imitate page, made by the code they show."""

from __future__ import annotations

from pathlib import Path

from poise.door import imitated, picture
from poise.engines.imitate import ImitateOptions
from poise.engines.imitate.comparison import comparison
from poise.examples import synthetic_trial
from poise.viewer.panels import panels_png

PICTURES = Path(__file__).parent / "pictures"


def main(name: str = "hrp2") -> None:
    """Draw the synthetic person and a robot side by side, and a film strip of the robot."""
    trial = synthetic_trial()
    options = ImitateOptions(rate=100.0)
    found = imitated(name, trial.walk, trial.static, trial.functional, options)
    panels_png(comparison(found.plan), PICTURES / "imitate_comparison.png", columns=3)
    picture(found.motion, PICTURES / "imitate_strip.png")


if __name__ == "__main__":
    main()
