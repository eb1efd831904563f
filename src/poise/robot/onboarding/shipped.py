"""Robots of the zoo whose model comes from a package: robot.toml from known.toml and the URDF.

`known.toml` holds what is published (title, height, licence, where the model is); the rest is
found as for any other robot. `python -m poise.robot.onboarding.shipped` writes the files anew.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from poise.robot.loading import ZOO, find_urdf
from poise.robot.onboarding.folder import heading
from poise.robot.onboarding.look import Onboarding, look_at
from poise.robot.onboarding.robot_toml import robot_toml


def look_at_shipped(folder: Path) -> Onboarding:
    """Look at the robot of a zoo folder that has a known.toml."""
    file = folder / "known.toml"
    known = tomllib.loads(file.read_text("utf-8"))
    urdf, packages = find_urdf(known, file)
    return look_at(urdf, folder.name, known, packages)


def shipped_text(onboarding: Onboarding) -> str:
    """The text of its robot.toml."""
    first = "Written by `python -m poise.robot.onboarding.shipped` from known.toml; edit that."
    return robot_toml(onboarding.facts, [first, *heading(onboarding)[1:]])


def shipped_folders() -> list[Path]:
    """Zoo folders that have a known.toml."""
    return sorted(file.parent for file in ZOO.glob("*/known.toml"))


if __name__ == "__main__":
    for folder in shipped_folders():
        found = look_at_shipped(folder)
        (folder / "robot.toml").write_text(shipped_text(found), encoding="utf-8")
        print(f"{found.robot}: {'ok' if found.ok else 'FAILED'}")
