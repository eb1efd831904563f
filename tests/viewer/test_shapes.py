import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.viewer.shapes import SAME_POINT, Triangles, closed, creased, joined, lighter, primitive

BOX = (0.2, 0.3, 0.4)


def volume(surface: Triangles) -> float:
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


@pytest.mark.parametrize(
    ("kind", "size", "round_volume"),
    [
        ("box", BOX, 0.2 * 0.3 * 0.4),
        ("sphere", (0.1,), 4.0 / 3.0 * np.pi * 1e-3),
        ("cylinder", (0.1, 0.5), np.pi * 0.01 * 0.5),
        ("capsule", (0.1, 0.5), np.pi * 0.01 * 0.5 + 4.0 / 3.0 * np.pi * 1e-3),
    ],
)
def test_a_primitive_is_closed_faces_outwards_and_lies_just_inside(kind, size, round_volume):
    surface = primitive(kind, size)
    edges = np.sort(surface.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    _, count = np.unique(edges, axis=0, return_counts=True)
    assert (count == 2).all()
    assert 0.95 * round_volume < volume(surface) <= round_volume * (1.0 + 1e-12)


def test_a_capsule_is_as_long_as_its_caps_reach():
    surface = primitive("capsule", (0.1, 0.5))
    assert surface.vertices[:, 2].max() == pytest.approx(0.35)
    assert surface.vertices[:, 2].min() == pytest.approx(-0.35)


def test_a_small_sphere_needs_fewer_triangles_than_a_large_one():
    assert len(primitive("sphere", (0.004,)).faces) < 0.5 * len(primitive("sphere", (0.1,)).faces)


@settings(max_examples=25, deadline=None)
@given(cell=st.floats(0.002, 0.05))
def test_a_lighter_surface_stays_within_a_cell_of_the_old_one(cell):
    fine = primitive("sphere", (0.1,))
    light = lighter(fine, cell)
    assert len(light.vertices) <= len(fine.vertices)
    nearest = np.linalg.norm(light.vertices[:, None] - fine.vertices[None], axis=2).min(axis=1)
    assert nearest.max() <= cell * np.sqrt(3.0)
    a, b, c = light.faces.T
    assert ((a != b) & (b != c) & (c != a)).all()


def test_loose_triangles_become_one_surface():
    box = primitive("box", BOX)
    loose = Triangles(box.vertices[box.faces].reshape(-1, 3), np.arange(36).reshape(-1, 3))
    assert len(lighter(loose, SAME_POINT).vertices) == 8


def test_the_corners_of_a_box_stay_sharp_and_a_ball_stays_smooth():
    box, ball = primitive("box", BOX), primitive("sphere", (0.1,))
    sharp = creased(box)
    assert len(sharp.vertices) == 24  # four for each side
    assert len(creased(ball).vertices) == len(ball.vertices)
    assert np.allclose(sharp.vertices[sharp.faces], box.vertices[box.faces])


def test_joined_surfaces_keep_their_triangles():
    one = primitive("box", BOX)
    two = one.moved(pin.SE3(np.eye(3), np.array([1.0, 0.0, 0.0])))
    both = joined([one, two])
    assert volume(both) == pytest.approx(2.0 * volume(one))


def test_what_is_open_or_inside_out_is_not_closed():
    box = primitive("box", (0.1, 0.2, 0.3))
    assert closed(box)
    assert not closed(Triangles(box.vertices, box.faces[:, ::-1]))
    assert not closed(Triangles(box.vertices, box.faces[:-2]))
    assert not closed(Triangles(box.vertices, box.faces[:0]))
