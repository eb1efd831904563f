"""Solids of a recipe stand where the recipe says."""

import numpy as np
import pytest

from poise.viewer.surroundings import add_solids, solids_of

DESK = {
    "name": "desk",
    "kind": "box",
    "size": [1.0, 0.5, 0.04],
    "position": [0.8, 0.1, 0.7],
    "rpy": [0.0, 0.0, 0.5 * np.pi],
    "colour": [170, 125, 80],
}


def test_a_turned_box_lies_where_it_is_told():
    ((name, surface, rgb),) = solids_of({"environment": [DESK]})
    assert name == "0 desk"
    assert rgb == (170, 125, 80)
    assert surface.vertices.min(axis=0) == pytest.approx([0.55, -0.4, 0.68])
    assert surface.vertices.max(axis=0) == pytest.approx([1.05, 0.6, 0.72])


def test_a_motion_without_surroundings_has_none():
    assert solids_of({}) == []
    assert solids_of({"environment": None}) == []


def test_every_solid_becomes_a_node_of_the_scene():
    added = []

    class Scene:
        def add_mesh_simple(self, path, vertices, faces, **more):
            added.append(path)

    class Page:
        scene = Scene()

    add_solids(Page(), {"environment": [DESK, {**DESK, "name": "box"}]}, "/world/solids")
    assert added == ["/world/solids/0 desk", "/world/solids/1 box"]
