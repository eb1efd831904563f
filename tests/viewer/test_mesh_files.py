import numpy as np
import pytest

from poise.errors import BadInput
from poise.robot.loading import package_share
from poise.robot.meshes import load_mesh
from poise.viewer.mesh_files import read_coloured
from poise.viewer.shapes import primitive

ONE = (1.0, 1.0, 1.0)
BOX = primitive("box", (0.2, 0.3, 0.4))

COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit meter="0.01"/><up_axis>Z_UP</up_axis></asset>
  <library_effects><effect id="red-fx"><profile_COMMON><technique sid="t"><phong>
    <diffuse><color>0.8 0.1 0.2 1</color></diffuse></phong></technique></profile_COMMON></effect>
  </library_effects>
  <library_materials><material id="red"><instance_effect url="#red-fx"/></material>
  </library_materials>
  <library_geometries><geometry id="g"><mesh>
    <source id="p">
      <float_array id="pa" count="12">0 0 0 10 0 0 10 10 0 0 10 0</float_array></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <polylist count="1" material="skin"><input semantic="VERTEX" source="#v" offset="0"/>
      <input semantic="NORMAL" source="#n" offset="1"/>
      <vcount>4</vcount><p>0 0 1 0 2 0 3 0</p></polylist>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node>
    <translate>3 0 5</translate><rotate>0 0 1 90</rotate>
    <instance_geometry url="#g"><bind_material><technique_common>
      <instance_material symbol="skin" target="#red"/></technique_common></bind_material>
    </instance_geometry></node></visual_scene></library_visual_scenes>
</COLLADA>"""


def binary_stl(surface) -> bytes:
    rows = np.zeros(len(surface.faces), np.dtype([("n", "<3f4"), ("v", "<9f4"), ("a", "<u2")]))
    rows["v"] = surface.vertices[surface.faces].reshape(-1, 9)
    return bytes(80) + len(rows).to_bytes(4, "little") + rows.tobytes()


def test_a_binary_stl_is_read_triangle_by_triangle(tmp_path):
    path = tmp_path / "box.STL"
    path.write_bytes(binary_stl(BOX))
    [(surface, rgba)] = read_coloured(path, (2.0, 2.0, 2.0))
    assert rgba is None
    assert np.allclose(surface.vertices[surface.faces], 2.0 * BOX.vertices[BOX.faces], atol=1e-6)


def test_a_mirrored_mesh_still_faces_outwards(tmp_path):
    path = tmp_path / "box.stl"
    path.write_bytes(binary_stl(BOX))
    [(surface, _)] = read_coloured(path, (1.0, -1.0, 1.0))
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() > 0.0


def test_collada_gives_its_colours_places_and_units(tmp_path):
    path = tmp_path / "plate.dae"
    path.write_text(COLLADA)
    [(surface, rgba)] = read_coloured(path, ONE)
    assert rgba == (0.8, 0.1, 0.2, 1.0)
    assert len(surface.faces) == 2  # the square, cut in two
    assert np.allclose(surface.vertices[1], [0.03, 0.1, 0.05])  # turned, then moved, in metres


@pytest.mark.parametrize(
    "name",
    [
        "romeo_description/meshes/V1/visual/NeckPitch.dae",
        "icub_description/meshes/upmc/visual/icub_l_thigh.dae",
        "talos_data/meshes/torso/torso_1.STL",
    ],
)
def test_meshes_are_where_the_collision_loader_sees_them(name):
    path = package_share("example-robot-data") / "robots" / name
    pieces = read_coloured(path, ONE)
    corners = np.vstack([s.vertices[s.faces].reshape(-1, 3) for s, _ in pieces])
    vertices, _ = load_mesh(path)
    size = np.ptp(vertices, axis=0).max()
    assert np.allclose(corners.min(axis=0), vertices.min(axis=0), atol=1e-5 * size)
    assert np.allclose(corners.max(axis=0), vertices.max(axis=0), atol=1e-5 * size)


def test_a_mesh_written_as_text_goes_to_the_general_loader(tmp_path):
    path = tmp_path / "face.stl"
    path.write_text(
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
        "endloop\nendfacet\nendsolid a\n"
    )
    [(surface, _)] = read_coloured(path, ONE)
    assert len(surface.faces) == 1


@pytest.mark.parametrize(
    ("name", "content"), [("cut.stl", binary_stl(BOX)[:200]), ("broken.dae", b"<COLLADA><asset>")]
)
def test_a_damaged_mesh_is_an_error_that_names_the_file(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadInput, match=name):
        read_coloured(path, ONE)
