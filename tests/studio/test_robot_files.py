"""A robot with its meshes from a browser: laid out under names of ours, or refused in words."""

import xml.etree.ElementTree as ET
import zipfile

import pytest

from poise.errors import PoiseError
from poise.robot import load_robot
from poise.studio import jobs, robot_files
from poise.studio.robot_files import lay_out, leads_outside
from poise.viewer.looks import looks_of
from robot_helpers.box_humanoid import Drawing, urdf

TRIANGLE = b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
TRIANGLE += b"endloop\nendfacet\nendsolid x\n"


def robot(*addresses: str) -> str:
    shapes = "".join(f'<mesh filename="{address}"/>' for address in addresses)
    return f'<robot name="x"><link name="a">{shapes}</link></robot>'


def zipped(path, files: dict[str, str | bytes]):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def laid_out(tmp_path, files: dict[str, str | bytes]):
    folder = tmp_path / "laid out"
    folder.mkdir()
    path, said = lay_out(zipped(tmp_path / "upload.zip", files), "mine.zip", folder)
    names = [mesh.get("filename") for mesh in ET.parse(path).iter("mesh")]
    return folder, names, said


def test_meshes_are_found_by_how_their_addresses_end(tmp_path):
    asked = robot("package://mine/meshes/a.stl", "../meshes/a.stl", "../meshes/B.STL", "no.stl")
    files = {
        "mine/urdf/mine.urdf": asked,
        "mine/meshes/a.stl": TRIANGLE,
        "other/a.stl": b"not this one",
        "mine/meshes/B.STL": b"second",
        "mine/unasked.sh": b"rm",
    }
    folder, names, said = laid_out(tmp_path, files)
    assert names == ["mesh-0.stl", "mesh-0.stl", "mesh-1.stl", "missing-3"]
    assert sorted(p.name for p in folder.iterdir()) == ["mesh-0.stl", "mesh-1.stl", "robot.urdf"]
    assert (folder / "mesh-0.stl").read_bytes() == TRIANGLE
    assert (folder / "mesh-1.stl").read_bytes() == b"second"
    assert said.startswith("2 of the 4 meshes")


def test_what_a_lone_urdf_names_is_nowhere(tmp_path):
    (tmp_path / "secret.stl").write_bytes(TRIANGLE)
    (tmp_path / "upload.urdf").write_text(robot(f"package:/{tmp_path}/secret.stl"))
    folder = tmp_path / "mine"
    folder.mkdir()
    path, _ = lay_out(tmp_path / "upload.urdf", "mine.urdf", folder)
    assert [mesh.get("filename") for mesh in ET.parse(path).iter("mesh")] == ["missing-0"]


def test_materials_of_a_mesh_are_not_followed(tmp_path):
    obj = b"mtllib ../../secret.mtl\nv 0 0 0\n  mtllib x\nf 1 1 1\n"
    folder, _, _ = laid_out(tmp_path, {"r.urdf": robot("a.obj"), "a.obj": obj})
    assert (folder / "mesh-0.obj").read_bytes() == b"v 0 0 0\nf 1 1 1\n"


@pytest.mark.parametrize(
    ("address", "deep"),
    [
        ("/etc/passwd", 3),
        ("file:///etc/passwd", 3),
        ("FILE:/etc/passwd", 3),
        ("C:\\x.stl", 3),
        ("\\\\host\\x.stl", 3),
        ("../b.stl", 0),
        ("..\\b.stl", 0),
        ("a/../../b.stl", 0),
        ("../../b.stl", 1),
        ("package://a/../../b.stl", 3),
    ],
)
def test_an_address_that_leads_outside_is_refused(tmp_path, address, deep):
    assert leads_outside(address, deep)
    name = "/".join([*["in"] * deep, "r.urdf"])
    with pytest.raises(PoiseError, match="a path of the machine"):
        laid_out(tmp_path, {name: robot(address)})


@pytest.mark.parametrize("address", ["a.stl", "m/./a.stl", "m/../a.stl", "package://m/a.stl", ""])
def test_addresses_inside_are_fine(address):
    assert not leads_outside(address, 0)


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"a.stl": TRIANGLE}, "without a .urdf"),
        ({"a.urdf": robot(), "b.urdf": robot()}, "2 robots side by side"),
        ({"a.urdf": robot(), "../../evil.stl": TRIANGLE}, "leads out of it"),
        ({"a.urdf": robot(), "/etc/evil.stl": TRIANGLE}, "leads out of it"),
        ({"a.urdf": "<robot>"}, "the XML is broken"),
        ({"a.urdf": '<!DOCTYPE r [<!ENTITY a "b">]><robot/>'}, "entities"),
        ({"a.urdf": robot("m.dae"), "m.dae": '<!DOCTYPE r [<!ENTITY a "b">]><x/>'}, "entities"),
    ],
)
def test_what_is_not_accepted_is_refused_in_words(tmp_path, files, why):
    with pytest.raises(PoiseError, match=why):
        laid_out(tmp_path, files)


def test_an_archive_that_unfolds_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(robot_files, "MOST_UNPACKED", 10_000)
    files = {"a.urdf": robot("m.stl", "n.stl"), "m.stl": bytes(6000), "n.stl": bytes(6000)}
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    assert path.stat().st_size < 1000
    with pytest.raises(PoiseError, match="the unpacked size"):
        lay_out(path, "bomb.zip", tmp_path)
    monkeypatch.setattr(robot_files, "MOST_FILES", 2)
    with pytest.raises(PoiseError, match="of 3 files"):
        lay_out(path, "bomb.zip", tmp_path)


def test_a_damaged_archive_is_refused(tmp_path):
    path = zipped(tmp_path / "a.zip", {"a.urdf": robot()})
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"<robot", b"<rabot", 1))
    with pytest.raises(PoiseError, match="damaged"):
        lay_out(path, "a.zip", tmp_path)
    path.write_bytes(b"not a zip")
    with pytest.raises(PoiseError, match="no zip archive"):
        lay_out(path, "a.zip", tmp_path)


def test_a_robot_with_meshes_is_learned_and_drawn_by_them(tmp_path):
    text = urdf(Drawing(mesh="../meshes/a.stl"))
    files = {"box/urdf/box.urdf": text, "box/meshes/a.stl": TRIANGLE}
    upload = zipped(tmp_path / "upload.zip", files)
    folder, said = jobs.learn_robot(str(upload), "box.zip", str(tmp_path), "my-box")
    assert said.startswith("1 of the 1 meshes")
    assert min(len(look.faces) for look in looks_of(load_robot(folder))) == 1  # the triangle
