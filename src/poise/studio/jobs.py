"""What the workshop does: make, judge, read and write motions. Robots go by name or folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.engines.expressive import Style, walk
from poise.errors import PoiseError
from poise.motion import Motion
from poise.robot import load_robot
from poise.viewer.loads import Loads

if TYPE_CHECKING:
    from poise.checks import Report


@dataclass(frozen=True, eq=False)
class Judged:
    """What the judge says about a motion."""

    report: Report  # without the evidence, which is large
    loads: Loads | None = (
        None  # what the judge found on the way; none of a motion that it cannot read
    )

    @staticmethod
    def by(report: Report) -> Judged:
        """What the page needs of a report."""
        seen = report.evidence
        loads = None
        if seen is not None:
            loads = Loads(seen.time, seen.torques, seen.carried.forces, "by the judge")
        return Judged(replace(report, evidence=None), loads)


@dataclass(frozen=True, eq=False)
class Made:
    """A motion with what the judge says about it."""

    motion: Motion
    judged: Judged
    words: str = ""  # how it went

    @property
    def ok(self) -> bool:
        """Whether the judge calls it good."""
        return self.judged.report.ok


@dataclass(frozen=True)
class Written:
    """A file to hand out."""

    name: str
    content: bytes
    notes: tuple[str, ...] = ()


def make_walk(robot: str, style: Mapping[str, Any], steps: int) -> Made:
    """Make a walk as `poise walk` does, and judge it."""
    motion = walk(load_robot(robot), Style(**style), steps)
    return Made(motion, judge(robot, motion))


def judge(robot: str, motion: Motion) -> Judged:
    """Judge a motion, with a replay in physics."""
    from poise import door

    return Judged.by(door.examine(motion, load_robot(robot)).report)


def read(robot: str, path: str) -> tuple[Motion, str]:
    """Read an uploaded motion; how it was understood."""
    from poise.io import read_motion

    motion, verdict = read_motion(path, load_robot(robot))
    return motion, str(verdict)


def writable() -> list[str]:
    """The dialects that can be written."""
    from poise.io import DIALECTS

    return [name for name, dialect in DIALECTS.items() if dialect.write is not None]


def export(robot: str, motion: Motion, dialect: str, stem: str) -> Written:
    """A motion as a file in a dialect."""
    from poise import door
    from poise.io import DIALECTS

    suffix = DIALECTS[dialect].suffix
    with tempfile.TemporaryDirectory(prefix="poise-") as folder:
        path = Path(folder) / f"{stem}{suffix}"
        notes = door.save(motion, path, dialect, load_robot(robot))
        return Written(path.name, path.read_bytes(), notes)


def report_page(robot: str, motion: Motion, stem: str) -> Written:
    """The HTML report of a motion."""
    from poise import door

    with tempfile.TemporaryDirectory(prefix="poise-") as folder:
        path = Path(folder) / f"{stem}.html"
        door.write_report(door.examine(motion, load_robot(robot)), path)
        return Written(path.name, path.read_bytes())


def film(robot: str, motion: Motion, stem: str) -> Written:
    """A video of a motion."""
    from poise import door

    with tempfile.TemporaryDirectory(prefix="poise-") as folder:
        path = Path(folder) / f"{stem}.mp4"
        door.video(motion, path, load_robot(robot))
        return Written(path.name, path.read_bytes())


def about(dialect: str) -> str:
    """What a dialect is, in a sentence with its units and its quaternion order."""
    from poise.io import DIALECTS

    one = DIALECTS[dialect]
    return f"{one.about} Units: {one.units}; quaternion: {one.quaternion}; {one.suffix}."


def learn_robot(path: str, shown: str, home: str, name: str) -> tuple[str, str]:
    """Learn a robot from an upload: its folder, and what was found.

    Args:
        path: of the URDF, or of a zip with its meshes.
        shown: what the upload is called, for people.
        home: folder for the robots of a session.
        name: a name of ours: the file's own could be a path.
    """
    from poise.robot.onboarding import look_at, write_folder
    from poise.studio.robot_files import lay_out
    from poise.viewer.looks import looks_of

    files = Path(tempfile.mkdtemp(prefix="files-", dir=home))  # the meshes stay there
    try:
        urdf, meshes = lay_out(Path(path), shown, files)
        found = look_at(urdf, name)
        folder = write_folder(found, Path(home), True)
        looks_of(load_robot(folder))  # a mesh that cannot be drawn is found out here
    except PoiseError as error:
        shutil.rmtree(files, ignore_errors=True)
        raise PoiseError(str(error).replace(str(files / "robot.urdf"), shown)) from None
    return str(folder), f"{meshes}\n\n{found}"
