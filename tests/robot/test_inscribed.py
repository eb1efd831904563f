import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial import ConvexHull

from poise.robot.inscribed import GRID, convex_outline, inscribed_rectangle

clouds = arrays(float, (9, 2), elements=st.floats(-0.15, 0.15))


def area(corners: np.ndarray) -> float:
    return float(np.prod(corners[2] - corners[0]))


def test_a_rectangle_is_its_own_largest_rectangle():
    sole = np.array([[-0.1, -0.056], [0.13, -0.056], [0.13, 0.075], [-0.1, 0.075]])
    np.testing.assert_allclose(inscribed_rectangle(sole), sole, atol=1e-12)


def test_in_a_diamond_it_is_the_square_of_half_the_area():
    diamond = np.array([[0.1, 0.0], [0.0, 0.1], [-0.1, 0.0], [0.0, -0.1]])
    corners = inscribed_rectangle(diamond)
    np.testing.assert_allclose(np.abs(corners), 0.05, atol=GRID)


@settings(max_examples=40, deadline=None)
@given(clouds)
def test_it_stays_inside_and_no_other_rectangle_is_larger(cloud):
    assume(np.linalg.matrix_rank(cloud - cloud[0], tol=1e-2) == 2)
    assume(ConvexHull(cloud).volume > 1e-3)  # [m^2], a tenth of a sole
    outline = convex_outline(cloud)
    planes = ConvexHull(outline).equations
    corners = inscribed_rectangle(outline)
    assert (planes[:, :2] @ corners.T + planes[:, 2:] < 1e-6).all()
    assert area(corners) > 0.98 * widest_by_search(planes, outline)


def widest_by_search(planes: np.ndarray, outline: np.ndarray, cuts: int = 61) -> float:
    """Largest area over a grid of left and right sides [m^2]."""
    x = np.linspace(outline[:, 0].min(), outline[:, 0].max(), cuts)
    top, bottom = np.full(cuts, np.inf), np.full(cuts, -np.inf)
    for nx, ny, offset in planes:
        if ny > 1e-12:
            top = np.minimum(top, -(offset + nx * x) / ny)
        if ny < -1e-12:
            bottom = np.maximum(bottom, -(offset + nx * x) / ny)
    height = np.minimum.outer(top, top) - np.maximum.outer(bottom, bottom)
    width = x[None, :] - x[:, None]
    return float((width * height)[(width > 0) & (height > 0)].max(initial=0.0))
