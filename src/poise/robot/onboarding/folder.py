"""A robot's folder, written whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from poise.errors import BadInput
from poise.robot.loading import robot_folders, user_zoo
from poise.robot.onboarding.look import Onboarding
from poise.robot.onboarding.robot_toml import robot_toml
from poise.robot.urdf import resolve


def write_folder(onboarding: Onboarding, home: Path | None = None, replace: bool = False) -> Path:
    """Write the folder of a robot: robot.toml and model.urdf.

    The URDF is copied; its meshes stay where they are and are found there.

    Args:
        onboarding: the robot as found.
        home: where the folder goes; the user's robots when not given.
        replace: whether a folder of that name may be replaced.

    Returns:
        The folder.
    """
    home = user_zoo() if home is None else Path(home)
    robot, name = onboarding.robot, onboarding.facts["name"]
    target = home / name
    shipped = robot_folders().get(name)
    if target.exists() and not replace:
        raise BadInput(target, "the folder", "already there", "another name, or replacing it")
    if shipped is not None and shipped.parent != user_zoo() and home == user_zoo():
        raise BadInput(target, "the name", f"'{name}', a robot that is shipped", "another name")
    root = ET.fromstring(robot.urdf.read_bytes())
    packages = _keep_meshes(root, robot.urdf, robot.packages)
    facts: dict[str, Any] = {**onboarding.facts}
    facts["model"] = {"urdf": "model.urdf", "packages": packages}
    locked = onboarding.facts["model"].get("locked")
    if locked:
        facts["model"]["locked"] = locked
    home.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=home))
    try:
        ET.ElementTree(root).write(draft / "model.urdf", encoding="utf-8", xml_declaration=True)
        text = robot_toml(facts, heading(onboarding))
        (draft / "robot.toml").write_text(text, encoding="utf-8")
        draft.chmod(0o755)
        if target.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{name}-old-", dir=home))
            target.rename(old / name)
            draft.rename(target)
            shutil.rmtree(old)
        else:
            draft.rename(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def heading(onboarding: Onboarding) -> list[str]:
    """Comment at the top of the file: what was guessed, surest first, and the self-test."""
    lines = ["Found by `poise robots add`. Units: m, kg, rad, N m, s.", "", "Guesses:"]
    lines += [f"  {guess}" for guess in sorted(onboarding.guesses, key=lambda g: -g.certainty)]
    lines += ["", "Self-test:"]
    lines += [f"  {'ok  ' if test.ok else 'FAIL'} {test.sentence}" for test in onboarding.self_test]
    return lines


def _keep_meshes(root: ET.Element, urdf: Path, packages: tuple[Path, ...]) -> list[str]:
    """Make mesh addresses hold from another folder; the package folders they need."""
    folders: dict[str, None] = {}
    for mesh in root.iter("mesh"):
        address = mesh.get("filename", "")
        found = resolve(address, urdf, packages)
        if found is None:
            continue
        found = found.resolve()
        if address.startswith("package://"):
            inside = Path(address.removeprefix("package://").lstrip("/"))
            folders[str(Path(*found.parts[: len(found.parts) - len(inside.parts)]))] = None
        else:
            mesh.set("filename", f"file://{found}")
    return list(folders)
