"""A robot that a browser sends: one URDF, or a zip with its meshes, laid out under names of ours.

No path of the upload is ever made on the disk: each mesh that the URDF asks for is looked up among
the names in the archive, written under a number, and the URDF is told that name. What is not in the
archive is nowhere, wherever its address points.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from poise.errors import BadInput
from poise.studio.uploads import MOST_URDF, plain_urdf

MESHES = (".stl", ".dae", ".obj")
MOST_FILES = 2000  # in an archive
MOST_UNPACKED = 150_000_000  # [bytes], of all that is taken out of it
_OF_THE_MACHINE = re.compile(r"^(file:|/|\\|[a-z]:[\\/])", re.IGNORECASE)
_SCHEME = re.compile(r"^[a-z]+://*", re.IGNORECASE)


def lay_out(upload: Path, shown: str, folder: Path) -> tuple[Path, str]:
    """Write a robot's files into a folder; its URDF, and a sentence about its meshes.

    Args:
        upload: the URDF or the archive.
        shown: its name, for people.
        folder: an empty folder of ours.
    """
    content = upload.read_bytes()
    archive = _Archive(upload, shown) if zipfile.is_zipfile(upload) else None
    deep = 0
    if archive is not None:
        robot = archive.urdf()
        content, deep = archive.read(robot, MOST_URDF), len(archive.parts[robot]) - 1
    elif upload.suffix.lower() == ".zip":
        raise BadInput(shown, "the file", "no zip archive", "a zip of a URDF and its meshes")
    plain_urdf(shown, content)
    try:
        root = ET.fromstring(content)
    except ET.ParseError as error:
        raise BadInput(shown, "the XML", f"broken ({error})", "well-formed URDF") from None
    written: dict[str, str] = {}
    asked = set()
    for k, mesh in enumerate(root.iter("mesh")):
        address = mesh.get("filename", "")
        asked.add(address)
        if leads_outside(address, deep):
            found = f"a path of the machine, '{address[:80]}'"
            raise BadInput(shown, "a mesh", found, "addresses inside the upload, or package://")
        member = None if archive is None else archive.find(address)
        if archive is not None and member is not None and member not in written:
            suffix = PurePosixPath(member).suffix.lower()
            written[member] = f"mesh-{len(written)}{suffix}"
            (folder / written[member]).write_bytes(_harmless(archive.read(member), suffix, shown))
        mesh.set("filename", f"missing-{k}" if member is None else written[member])
    urdf = folder / "robot.urdf"
    ET.ElementTree(root).write(urdf, encoding="utf-8", xml_declaration=True)
    if not asked:
        return urdf, "It is drawn by its primitives: the URDF names no meshes."
    return urdf, f"{len(written)} of the {len(asked)} meshes that the URDF names came with it."


def leads_outside(address: str, deep: int) -> bool:
    """Whether an address is one of the machine, or climbs above where it begins.

    Args:
        address: of a mesh, or a name in an archive.
        deep: how many folders of the upload are above the file that names it.
    """
    if _OF_THE_MACHINE.match(address):
        return True
    if _SCHEME.match(address):
        deep = 0
    for part in _SCHEME.sub("", address).replace("\\", "/").split("/"):
        if part == "..":
            deep -= 1
        elif part not in ("", "."):
            deep += 1
        if deep < 0:
            return True
    return False


class _Archive:
    """The files of a zip, read within bounds.

    Args:
        path: of the archive.
        shown: its name, for people.
    """

    def __init__(self, path: Path, shown: str) -> None:
        self.shown = shown
        self._left = MOST_UNPACKED
        self._zip = zipfile.ZipFile(path)
        members = [info for info in self._zip.infolist() if not info.is_dir()]
        if len(members) > MOST_FILES:
            found = f"of {len(members)} files"
            raise BadInput(shown, "the archive", found, f"at most {MOST_FILES} files")
        self.parts = {
            info.filename: PurePosixPath(info.filename.replace("\\", "/")).parts for info in members
        }
        for name in self.parts:
            if leads_outside(name, 0):
                found = f"'{name[:80]}', which leads out of it"
                raise BadInput(shown, "a name in the archive", found, "names inside it")

    def urdf(self) -> str:
        """The robot: the .urdf that lies highest."""
        found = [name for name in self.parts if name.lower().endswith(".urdf")]
        found = [name for name in found if not self.parts[name][-1].startswith(".")]
        if not found:
            raise BadInput(self.shown, "the archive", "without a .urdf file", "a URDF, its meshes")
        depth = min(len(self.parts[name]) for name in found)
        highest = sorted(name for name in found if len(self.parts[name]) == depth)
        if len(highest) > 1:
            raise BadInput(
                self.shown, "the archive", f"with {len(highest)} robots side by side", "one .urdf"
            )
        return highest[0]

    def find(self, address: str) -> str | None:
        """The mesh behind an address of the URDF: the file whose path ends most like it."""
        plain = _SCHEME.sub("", address).replace("\\", "/")
        wanted = tuple(part for part in plain.split("/") if part not in ("", ".", ".."))
        for length in range(len(wanted), 0, -1):
            for name, parts in sorted(self.parts.items()):
                if parts[-length:] == wanted[-length:] and name.lower().endswith(MESHES):
                    return name
        return None

    def read(self, name: str, most: int = MOST_UNPACKED) -> bytes:
        """A file, however much it claims to hold."""
        most = min(most, self._left)
        try:
            with self._zip.open(name) as file:
                content = file.read(most + 1)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error, EOFError):
            raise BadInput(
                self.shown, "a file in the archive", "damaged or locked", "a plain zip"
            ) from None
        if len(content) > most:
            raise BadInput(
                self.shown, "the unpacked size", f"above {most} bytes", f"at most {most} bytes"
            )
        self._left -= len(content)
        return content


def _harmless(content: bytes, suffix: str, shown: str) -> bytes:
    """A mesh that leads its reader to no other file."""
    if suffix == ".dae" and (b"<!DOCTYPE" in content or b"<!ENTITY" in content or b"\0" in content):
        raise BadInput(shown, "a mesh", "XML with entities or a document type", "plain COLLADA")
    if suffix == ".obj":  # its materials are in a file beside it, under a name of the upload's
        lines = content.splitlines(keepends=True)
        content = b"".join(line for line in lines if not line.lstrip().startswith(b"mtllib"))
    return content
