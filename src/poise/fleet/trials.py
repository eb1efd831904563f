"""Recordings to imitate: every C3D, TRC, BVH and AMC file below some folders, on some robots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from poise.engines.imitate import ImitateOptions
from poise.errors import BadInput
from poise.fleet.jobs import ImitateJob, robots_of, safe_name
from poise.io.recordings.beside import SUFFIXES
from poise.robot.loading import name_to_load

ACCEPTED = "a folder with C3D, TRC, BVH or AMC files, or such a file"


def imitate_jobs(
    inputs: Sequence[Path],
    robots: Sequence[str],
    options: ImitateOptions | None = None,
    physics: bool = True,
) -> list[ImitateJob]:
    """A job for every recording and every robot.

    Args:
        inputs: folders, and single files.
        robots: names, or paths of URDFs.
        options: how to imitate.
        physics: play each slower until the judge and a physics replay find it good.

    Raises:
        BadInput: where there is nothing to imitate.
        NotFound: for a robot that nobody knows.
    """
    who = robots_of(tuple(robots))
    found = [(place, path) for place in inputs for path in recordings_below(place)]
    many = len(inputs) > 1
    return [
        ImitateJob(
            key="/".join(map(safe_name, (robot.name, *_parts(place, path, many)))),
            robot=robot.name,
            model=name_to_load(robot),
            model_hash=robot.model_hash,
            physics=physics,
            trial=path,
            options=options or ImitateOptions(),
        )
        for place, path in found
        for robot in who
    ]


def recordings_below(place: Path) -> list[Path]:
    """The recordings in a folder and the folders in it, by name; or the one file."""
    try:
        if place.is_file():
            return [place]
        if not place.is_dir():
            raise BadInput(place, "the path", "missing", ACCEPTED)
        found = sorted(
            path
            for path in place.rglob("*")
            if path.suffix.lower() in SUFFIXES and not path.name.startswith(".") and path.is_file()
        )
    except (OSError, ValueError) as error:
        raise BadInput(place, "the path", f"not readable ({error})", ACCEPTED) from None
    if not found:
        raise BadInput(place, "the folder", "without any recording", ACCEPTED)
    return found


def _parts(place: Path, path: Path, many: bool) -> tuple[str, ...]:
    """Where below the results a recording's motion is kept."""
    if place == path:
        return (path.name,)
    inside = path.relative_to(place).parts
    return (place.resolve().name, *inside) if many else inside
