import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poise.errors import BadInput, NotFound
from poise.robot.facts import ZOO
from poise.robot.sheet import SIZES, Primitive, read_sheet

triples = st.tuples(*[st.floats(-1.5, 1.5)] * 3)
lengths = st.lists(st.floats(0.01, 1.0), min_size=3, max_size=3)


def extent(shape: Primitive, direction: np.ndarray) -> float:
    """How far a shape reaches in a direction of its link [m]."""
    d = pin.rpy.rpyToMatrix(*shape.rpy).T @ direction
    reach = float(np.dot(shape.xyz, direction))
    if shape.kind == "box":
        return reach + float(np.abs(d) @ shape.size) / 2
    if shape.kind == "sphere":
        return reach + shape.size[0]
    radius, length = shape.size
    across = 1.0 if shape.kind == "capsule" else float(np.hypot(d[0], d[1]))
    return reach + radius * across + abs(d[2]) * length / 2


@given(st.sampled_from(sorted(SIZES)), lengths, triples, triples, triples)
def test_a_mirrored_shape_reaches_as_far_in_every_mirrored_direction(kind, size, xyz, rpy, d):
    shape = Primitive("left", kind, tuple(size[: SIZES[kind]]), xyz, rpy)
    image = shape.mirrored("right")
    assert image.link == "right"
    direction = np.array(d)
    assert extent(image, direction * [1, -1, 1]) == pytest.approx(extent(shape, direction))


def test_broken_looks_say_what_is_wrong(tmp_path):
    folder = tmp_path / "robot"
    folder.mkdir()
    (folder / "facts.json").write_text((ZOO / "nao" / "facts.json").read_text())
    good = (ZOO / "nao" / "looks.toml").read_text()
    for old, new, error in [
        ('link = "Neck"', 'link = "Nekc"', NotFound),
        ('colour = "glow"', 'colour = "glwo"', NotFound),
        ('kind = "sphere", size = [0.034]', 'kind = "sphere", size = [0.034, 1]', BadInput),
    ]:
        assert old in good
        (folder / "looks.toml").write_text(good.replace(old, new))
        with pytest.raises(error):
            read_sheet(folder)
