"""The zoo's own robots, written from facts: `python -m poise.robot.facts` rewrites them.

A folder of the zoo with a `facts.json` is the source of its `model.urdf` and `robot.toml`;
the same facts give the same bytes.
"""

from __future__ import annotations

from pathlib import Path

from poise.robot.card_text import card_text
from poise.robot.sheet import read_sheet
from poise.robot.urdf_text import urdf_text

ZOO = Path(__file__).parent / "zoo"


def fact_folders(zoo: Path = ZOO) -> list[Path]:
    """The folders whose model is written from facts, by name."""
    return sorted(path.parent for path in zoo.glob("*/facts.json"))


def written(folder: Path) -> dict[str, str]:
    """The files that a folder's facts and looks amount to: file name -> text."""
    sheet = read_sheet(folder)
    urdf = urdf_text(sheet)
    return {"model.urdf": urdf, "robot.toml": card_text(sheet, urdf)}


def main() -> None:
    """Write `model.urdf` and `robot.toml` of every robot that has facts."""
    for folder in fact_folders():
        for name, text in written(folder).items():
            (folder / name).write_text(text)
        print(f"{folder.name}: model.urdf and robot.toml written")


if __name__ == "__main__":
    main()
