"""What browsers send: bounded in size, of a known kind, kept under names of our own.

The name a browser gives to a file is only looked at for its suffix and shown to people; no path
is ever made of it.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import viser
from viser import _messages

from poise.errors import BadInput

MOTIONS = (".npz", ".csv", ".json", ".mcap", ".bvh", ".pkl", ".pickle")
MOST_MOTION = 40_000_000  # [bytes]
MOST_STYLE = 64_000
MOST_URDF = 2_000_000
ROBOTS = (".urdf", ".xml", ".zip")
MOST_ROBOT = 40_000_000  # with its meshes
MOST_PARTS = 4096  # of one upload


@contextmanager
def kept(name: str, content: bytes, suffixes: tuple[str, ...], most: int) -> Iterator[Path]:
    """An uploaded file on the disk, under a name of our own, for as long as it is needed.

    Args:
        name: as the browser says; only its suffix counts.
        content: of the file.
        suffixes: kinds that are accepted.
        most: size that is accepted [bytes].
    """
    shown = clean(name)
    suffix = Path(shown).suffix.lower()
    if suffix not in suffixes:
        raise BadInput(shown, "the kind of file", f"'{suffix}'", ", ".join(suffixes))
    if not content:
        raise BadInput(shown, "the file", "empty", "a file with something in it")
    if len(content) > most:
        raise BadInput(shown, "the size", f"{len(content)} bytes", f"at most {most} bytes")
    with tempfile.TemporaryDirectory(prefix="poise-upload-") as folder:
        path = Path(folder) / f"upload{suffix}"
        path.write_bytes(content)
        yield path


def clean(name: str) -> str:
    """A file's name as it may be shown: its last part, short, of harmless letters."""
    last = re.split(r"[\\/]", name)[-1]
    return "".join(c if c.isalnum() or c in " ._-+" else "_" for c in last)[:80] or "file"


def plain_urdf(name: str, content: bytes) -> None:
    """Refuse what is no plain text of a robot: XML may point to other files, and unfold."""
    shown = clean(name)
    if len(content) > MOST_URDF:
        raise BadInput(shown, "the size", f"{len(content)} bytes", f"at most {MOST_URDF} bytes")
    if b"<!ENTITY" in content or b"<!DOCTYPE" in content:
        raise BadInput(shown, "the text", "XML with entities or a document type", "plain URDF")
    if b"\0" in content:  # in UTF-16 the words above look otherwise
        raise BadInput(shown, "the text", "not in UTF-8", "plain URDF")


def limit_uploads(client: viser.ClientHandle, most: int = MOST_MOTION) -> None:
    """Refuse uploads that are too large before they arrive, and any that lie about their size."""
    gui = client.gui
    socket = client._websock_connection
    start, part = gui._handle_file_transfer_start, gui._handle_file_transfer_part
    arriving: dict[str, int] = {}

    def done(component: str | None, transfer: str, size: int) -> None:
        """The page takes its bar of an upload away once all of it is said to have come."""
        socket.queue_message(_messages.FileTransferPartAck(component, transfer, size, size))

    def begin(client_id: Any, message: _messages.FileTransferStartUpload) -> None:
        if not 0 <= message.size_bytes <= most or not 0 <= message.part_count <= MOST_PARTS:
            client.add_notification(
                "Too large",
                f"{clean(message.filename)} has {message.size_bytes / 1e6:.0f} MB; "
                f"accepted: at most {most / 1e6:.0f} MB.",
                color="red",
                auto_close_seconds=15.0,
            )
            done(message.source_component_uuid, message.transfer_uuid, message.size_bytes)
            return
        if len(arriving) > 8:
            arriving.clear()
            gui._current_file_upload_states.clear()
        arriving[message.transfer_uuid] = message.size_bytes
        start(client_id, message)

    def take(client_id: Any, message: _messages.FileTransferPart) -> None:
        left = arriving.get(message.transfer_uuid)
        if left is None:
            return
        left -= len(message.content)
        if left < 0:  # more than it said
            arriving.pop(message.transfer_uuid, None)
            gui._current_file_upload_states.pop(message.transfer_uuid, None)
            done(message.source_component_uuid, message.transfer_uuid, 0)
            return
        arriving[message.transfer_uuid] = left
        if left == 0:
            arriving.pop(message.transfer_uuid, None)
        part(client_id, message)

    socket.unregister_handler(_messages.FileTransferStartUpload)
    socket.unregister_handler(_messages.FileTransferPart)
    socket.register_handler(_messages.FileTransferStartUpload, begin)
    socket.register_handler(_messages.FileTransferPart, take)
