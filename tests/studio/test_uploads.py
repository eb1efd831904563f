"""Files from outside: bounded, of a known kind, never under a name of theirs."""

from types import SimpleNamespace

import pytest
from viser import _messages

from poise.errors import PoiseError
from poise.studio.uploads import MOST_URDF, MOTIONS, clean, kept, limit_uploads, plain_urdf


@pytest.mark.parametrize("name", ["../../etc/cron.d/x.npz", "C:\\windows\\x.npz", "/abs/x.npz"])
def test_the_name_of_an_upload_chooses_no_path(name):
    with kept(name, b"x", MOTIONS, 10) as path:
        assert path.name == "upload.npz"
        assert path.parent.name.startswith("poise-upload-")
        folder = path.parent
    assert not folder.exists()


def test_names_are_shown_without_anything_harmful():
    assert clean("../<img onerror=x>.toml") == "_img onerror_x_.toml"
    assert clean("") == "file"
    assert len(clean("a" * 500)) == 80


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.exe", b"x", "the kind of file is '.exe'"),
        ("a", b"x", "the kind of file"),
        ("a.npz", b"", "empty"),
        ("a.npz", b"x" * 11, "11 bytes"),
    ],
)
def test_what_is_not_accepted_is_refused_in_words(name, content, why):
    with pytest.raises(PoiseError, match=why), kept(name, content, MOTIONS, 10):
        pass


@pytest.mark.parametrize(
    "text",
    [
        b'<!DOCTYPE r [<!ENTITY a "b">]><robot name="x"/>',
        '<!DOCTYPE r [<!ENTITY a "b">]><robot name="x"/>'.encode("utf-16"),
        b'<robot name="x">' + b" " * MOST_URDF,
    ],
)
def test_a_urdf_that_unfolds_is_refused(text):
    with pytest.raises(PoiseError):
        plain_urdf("robot.urdf", text)


def test_a_plain_urdf_is_fine():
    plain_urdf("robot.urdf", b'<robot name="x"><mesh filename="package://a/b.stl"/></robot>')


@pytest.fixture
def gate():
    """Between a browser and viser's own reading of uploads: what was said, and what let in."""
    handlers, said, let_in, told = {}, [], [], []
    socket = SimpleNamespace(
        unregister_handler=lambda kind: handlers.pop(kind, None),
        register_handler=handlers.__setitem__,
        queue_message=said.append,
    )
    gui = SimpleNamespace(
        _handle_file_transfer_start=lambda _, message: let_in.append(message),
        _handle_file_transfer_part=lambda _, message: let_in.append(message),
        _current_file_upload_states={},
    )
    client = SimpleNamespace(
        gui=gui, _websock_connection=socket, add_notification=lambda *a, **_: told.append(a)
    )
    limit_uploads(client, most=100)

    def send(message) -> None:
        handlers[type(message)](0, message)

    return SimpleNamespace(send=send, said=said, let_in=let_in, told=told)


def announced(size: int, parts: int = 1) -> _messages.FileTransferStartUpload:
    return _messages.FileTransferStartUpload("button", "one", "../a.npz", "", parts, size)


@pytest.mark.parametrize(("size", "parts"), [(101, 1), (-1, 1), (10, 10**6)])
def test_what_is_too_large_is_refused_before_it_arrives_and_the_page_waits_no_longer(
    gate, size, parts
):
    gate.send(announced(size, parts))
    gate.send(_messages.FileTransferPart("button", "one", 0, b"x" * 10))
    assert gate.let_in == [] and gate.told[0][0] == "Too large"
    [done] = gate.said
    assert done.transfer_uuid == "one" and done.transferred_bytes == done.total_bytes


def test_more_than_was_said_is_not_let_in(gate):
    gate.send(announced(10))
    gate.send(_messages.FileTransferPart("button", "one", 0, b"x" * 11))
    assert [type(message).__name__ for message in gate.let_in] == ["FileTransferStartUpload"]
    assert len(gate.said) == 1
    gate.send(_messages.FileTransferPart("button", "one", 1, b"x"))
    assert len(gate.let_in) == 1


def test_what_was_said_comes_in(gate):
    gate.send(announced(10))
    gate.send(_messages.FileTransferPart("button", "one", 0, b"x" * 10))
    assert len(gate.let_in) == 2 and gate.said == []
