"""What cannot be had is told in units, worst first, with its phase."""

import numpy as np
import pytest

from multicontact_helpers.small import everything
from poise.engines.multicontact.conflict import TOLD, conflict, missed


@pytest.fixture(scope="module")
def problem():
    return everything()[0]


def row_of(problem, family, bounded=np.isfinite):
    return next(
        k for k, name in enumerate(problem.names) if name[0] == family and bounded(problem.upper[k])
    )


@pytest.mark.parametrize(
    ("family", "over", "says"),
    [
        ("joint torque", 0.2, "20 % over"),
        ("joint speed", 0.05, "5 % over"),
        ("joint position", 0.1, "off by 5.7 deg"),
        ("contact", 0.3, "off by 3.0 cm"),
        ("task", 0.3, "off by 3.0 cm"),
    ],
)
def test_an_amount_is_told_in_its_own_unit(problem, family, over, says):
    assert missed(problem, row_of(problem, family), over) == says


def test_open_ended_ones_too(problem):
    assert missed(problem, row_of(problem, "task", np.isinf), 0.3) == "too slow by 0.3 m/s"
    force = missed(problem, row_of(problem, "pressing force", np.isinf), 0.1)
    assert force == f"off by {0.1 * problem.stage.weight:.0f} N"
    for family in ("clearance", "height of a sole"):
        assert missed(problem, row_of(problem, family, np.isinf), 0.2) == "off by 2.0 cm"


def test_the_worst_phase_leads_and_others_are_named(problem):
    x = everything()[1]
    phase, told = conflict(problem, x)
    _, g = problem.values(x)
    over = np.maximum(problem.lower - g, g - problem.upper)
    family, what, p = problem.names[int(over.argmax())]
    assert phase == problem.stage.phases[p].name
    assert told[0].startswith(f"{family} of {what} (")
    assert len(told) <= TOLD
