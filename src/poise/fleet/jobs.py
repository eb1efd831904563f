"""Jobs: what is to be made, as plain data that travels to whoever makes it."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from poise import __version__
from poise.engines.expressive import Style
from poise.engines.imitate import ImitateOptions
from poise.io.recordings import recording_files
from poise.io.source import read_source
from poise.robot import Robot, load_robot

MOST_NAME = 120  # characters of one part of a key; file systems end at 255 bytes


@dataclass(frozen=True, kw_only=True)
class Job(ABC):
    """One motion to make: for whom, and under which name it is kept."""

    verb: ClassVar[str] = ""
    key: str  # where its result lies, as "hrp2/monday/walk.c3d"
    robot: str  # its name, for people
    model: str  # how to load it: a name of the zoo, or the path of a URDF
    model_hash: str  # of the robot as it was when the job was made
    physics: bool = True  # judged with a replay in the simulator

    @property
    @abstractmethod
    def about(self) -> dict[str, Any]:
        """What tells it from its neighbours, for a table."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """Files that it needs."""
        return ()


@dataclass(frozen=True, kw_only=True)
class WalkJob(Job):
    """A walk in a style."""

    verb: ClassVar[str] = "walk"
    style: Style
    steps: int
    knobs: Mapping[str, Any] = field(default_factory=dict)  # what the grid varied, as it was given

    @property
    def about(self) -> dict[str, Any]:
        """Style, steps, and the knobs that were set."""
        return {"style": self.style.name, "asked_steps": self.steps, **self.knobs}


@dataclass(frozen=True, kw_only=True)
class ImitateJob(Job):
    """A person's recorded walk on a robot."""

    verb: ClassVar[str] = "imitate"
    trial: Path
    options: ImitateOptions

    @property
    def about(self) -> dict[str, Any]:
        """The recording, by its name below the folder, and where it is."""
        return {"trial": self.key.partition("/")[2], "input": str(self.trial)}

    @property
    def paths(self) -> tuple[Path, ...]:
        """The recording, and the file beside it where there is one."""
        return recording_files(self.trial)


@dataclass(frozen=True)
class Attachment:
    """A file that travels with a job, so that nobody needs the same disk."""

    name: str
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Parcel:
    """A job with everything that is needed to do it elsewhere."""

    job: Job
    files: tuple[Attachment, ...]
    version: str = __version__

    @property
    def fingerprint(self) -> str:
        """The same for the same work: settings, robot, bytes of the inputs, version of poise.

        Where the inputs lie and under which key the result is kept does not count.
        """
        told = asdict(self.job)
        for place in ("key", "model", "trial"):
            told.pop(place, None)
        told |= {
            "verb": self.job.verb,
            "version": self.version,
            "files": {file.name: sha256(file.data).hexdigest() for file in self.files},
        }
        return sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()


def packed(job: Job) -> Parcel:
    """A job with the bytes of its files; BadInput where one cannot be read."""
    files = [Attachment(path.name, read_source(path).data) for path in job.paths]
    return Parcel(job, tuple(files))


def robots_of(names: list[str] | tuple[str, ...]) -> list[Robot]:
    """Robots by name or path, each once, in order."""
    found = {robot.model_hash: robot for robot in map(load_robot, names)}
    return list(found.values())


def safe_name(text: str) -> str:
    """A text as one part of a file's name; long ones are cut, and told apart by a hash."""
    name = re.sub(r"[^\w.=+,-]+", "_", text).lstrip(".") or "_"
    if len(name) <= MOST_NAME:
        return name
    return f"{name[: MOST_NAME - 9]}-{sha256(text.encode()).hexdigest()[:8]}"
