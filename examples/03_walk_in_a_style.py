"""Walk in a style

A few steps in a mood, judged in physics and written for a robot to play. Shows `walk`, `check`
and `save`; try another style, or turn a knob.
"""

from pathlib import Path

import poise


def main(name: str = "nao", style: str = "normal", folder: Path = Path(".")) -> poise.Motion:
    walk = poise.walk(poise.load_robot(name), style=style, steps=4, settings={"turn": 0.05})
    print(poise.check(walk))
    poise.save(walk, folder / f"{style}.npz")
    poise.save(walk, folder / f"{style}.json", dialect="naoqi-json")
    return walk


if __name__ == "__main__":
    main()
