"""Distances along a direction are never larger than distances, and exact along the normal."""

import coal
import numpy as np
import pinocchio as pin
import pytest

from poise.engines.multicontact.supports import Reaches, Separations

SHAPES = [
    coal.Box(0.1, 0.2, 0.3),
    coal.Sphere(0.1),
    coal.Capsule(0.05, 0.3),
    coal.Cylinder(0.08, 0.2),
]
SOLID = coal.Box(0.5, 0.4, 0.1)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_separation_is_a_lower_bound_that_the_normal_reaches(shape):
    rng = np.random.default_rng(3)
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    for _ in range(20):
        T = pin.SE3.Random()
        T.translation = rng.normal(size=3) + [1.0, 0.0, 0.5]
        T_solid = pin.SE3(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), np.array([0.1, -0.1, 0.05]))
        pair = Separations(
            Reaches.of([shape]),
            Reaches.of([SOLID]),
            T_solid.rotation[None],
            T_solid.translation[None],
        )
        places = np.concatenate([T.rotation.ravel(), T.translation])[None]
        result.clear()
        true = coal.distance(
            shape,
            coal.Transform3s(T.rotation, T.translation),
            SOLID,
            coal.Transform3s(T_solid.rotation, T_solid.translation),
            request,
            result,
        )
        if true < 1e-3:
            continue
        along_normal, point = pair.along(result.normal[None], places)
        assert along_normal[0] == pytest.approx(true, abs=1e-5)
        assert np.isfinite(point).all()
        n = rng.normal(size=3)
        other, _ = pair.along((n / np.linalg.norm(n))[None], places)
        assert other[0] <= true + 1e-6


def test_a_link_inside_a_slab_leaves_through_the_nearer_face_of_its_thin_side():
    slab = Separations(
        Reaches.of([coal.Sphere(0.05)] * 2),
        Reaches.of([coal.Box(1.0, 0.8, 0.04)] * 2),
        np.tile(np.eye(3), (2, 1, 1)),
        np.tile([0.5, 0.0, 0.7], (2, 1)),
    )
    places = np.zeros((2, 12))
    places[:, [0, 4, 8]] = 1.0
    places[:, 9:] = [[0.02, 0.0, 0.71], [0.5, 0.3, 0.69]]
    assert np.array_equal(slab.ways_out(places), [[0, 0, -1], [0, 0, 1]])
    distance, _ = slab.along(slab.ways_out(places), places)
    assert np.allclose(distance, 0.01 - 0.02 - 0.05)
