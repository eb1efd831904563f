"""Hills cover the boxes they stand for, smoothly, and leave room for feet that stand beside."""

import numpy as np
import pytest

from poise.engines.multicontact.terrain import FLANK, hills_for, is_hill

LOW, HIGH = np.array([0.2, -0.4, 0.0]), np.array([0.45, 0.4, 0.15])


def hill(*corners):
    (found,) = hills_for([(LOW, HIGH)], 0.65, corners)
    return found


def test_a_hill_is_as_high_as_its_box_everywhere_on_it_and_flat_away_from_it():
    rng = np.random.default_rng(0)
    on = rng.uniform(LOW[:2], HIGH[:2], size=(200, 2))
    height, slopes = hill().heights(on)
    assert np.abs(height - 0.15).max() < 1e-12
    assert np.abs(slopes).max() < 1e-9
    away = on + [HIGH[0] - LOW[0] + FLANK, 0.0]
    assert np.abs(hill().heights(away)[0]).max() < 1e-12


def test_slopes_are_those_of_the_heights():
    rng = np.random.default_rng(1)
    x = rng.uniform(LOW[:2] - 0.06, HIGH[:2] + 0.06, size=(300, 2))
    _, slopes = hill().heights(x)
    for k, d in enumerate(1e-6 * np.eye(2)):
        told = (hill().heights(x + d)[0] - hill().heights(x - d)[0]) / 2e-6
        assert np.abs(told - slopes[:, k]).max() < 1e-6
    assert np.abs(slopes).max() > 1.0


def test_a_foot_that_stands_beside_the_box_stands_on_the_ground():
    sole = np.array([[0.0, 0.0, 0.0], [0.18, 0.0, 0.0]])
    assert hill(sole).flank < 0.02
    assert np.abs(hill(sole).heights(sole[:, :2])[0]).max() < 1e-12


def test_a_foot_on_the_box_does_not_narrow_its_flanks():
    assert hill(np.array([[0.3, 0.0, 0.15], [0.44, 0.0, 0.15]])).flank == FLANK


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        ([0.2, -0.4, 0.0], [0.45, 0.4, 0.15], True),
        ([0.2, -0.4, 0.68], [0.45, 0.4, 0.72], False),
        ([0.2, -0.4, 0.0], [0.45, 0.4, 0.5], False),
    ],
)
def test_only_low_things_on_the_ground_are_stepped_over(low, high, expected):
    assert is_hill(np.array(low), np.array(high), 0.65) is expected
