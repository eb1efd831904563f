"""Files from outside: bounded, of a known kind, never under a name of theirs."""

import pytest

from poise.errors import PoiseError
from poise.studio.uploads import MOST_URDF, MOTIONS, clean, kept, plain_urdf


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
