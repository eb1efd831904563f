import numpy as np
import pytest

from poise.errors import BadInput
from poise.trajectories import Along, Delayed, Piecewise, Stacked, hold, lift, quintic


def test_where_pieces_meet_the_later_one_speaks():
    steps = Piecewise([hold(0, 1, 1.0), hold(1, 2, 5.0)])
    np.testing.assert_array_equal(steps([-1.0, 0.5, 1.0, 1.5, 3.0]), [1, 1, 5, 5, 5])
    assert steps(1.0) == 5.0
    np.testing.assert_allclose(steps.jumps(), [4.0])
    assert steps.piece(0.3) is steps.pieces[0]


def test_smooth_pieces_do_not_jump():
    a, b = (
        quintic(0, 1, 0.0, 1.0, (0.0, 2.0), (0.0, 3.0)),
        quintic(1, 3, 1.0, 0.0, (2.0, 0.0), (3.0, 0)),
    )
    path = Piecewise([a, b])
    for each in (path, path.rate, path.rate.rate):
        assert each.jumps().max() < 1e-12
    assert path.rate.rate.rate.jumps().max() > 1.0


def test_gaps_and_overlaps_are_refused():
    with pytest.raises(BadInput, match="start of piece 1"):
        Piecewise([hold(0, 1, 0.0), hold(1.1, 2, 0.0)])
    with pytest.raises(BadInput, match="start of piece 2"):
        Piecewise([hold(0, 1, 0.0), hold(1, 2, 0.0), hold(1.5, 3, 0.0)])
    with pytest.raises(BadInput, match="at least one"):
        Piecewise([])


def test_numbers_and_vectors_stand_side_by_side():
    both = Stacked([lift(0, 1, 2.0), quintic(0, 2, [0.0, 0.0], [1.0, 3.0])])
    np.testing.assert_allclose(both(0.5)[0], 2.0)
    assert both(0.5).shape == (3,) and both([0.1, 0.2]).shape == (2, 3)
    assert (both.start, both.end) == (0, 2)


def test_a_number_along_a_vector():
    path = Along(np.array([0.0, 3.0]), lift(0, 1, 2.0))
    np.testing.assert_allclose(path(0.5), [0.0, 6.0])
    assert path([0.0, 0.5]).shape == (2, 2)


def test_later_is_the_same_later():
    bump = lift(0, 1, 2.0)
    late = Delayed(bump, 3.0)
    assert (late.start, late.end) == (3.0, 4.0)
    t = np.linspace(0, 1, 5)
    np.testing.assert_allclose(late(t + 3), bump(t))
    np.testing.assert_allclose(late.rate(t + 3), bump.rate(t), atol=1e-12)
