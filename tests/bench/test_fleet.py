"""The benchmark of crews tells work that is shared from work that is not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fleet_helpers.errands import fail_on_three, wait_for_each_other
from poise.bench.fleet import throughput
from poise.bench.measure import Result
from poise.errors import PoiseError
from poise.fleet.local import LocalCores

pytestmark = pytest.mark.skipif(LocalCores().size < 2, reason="one core has nobody to share with")


def test_jobs_that_do_not_mind_each_other_are_done_side_by_side() -> None:
    found = throughput("waiting", time.sleep, [0.3], 4)
    assert isinstance(found, Result) and found.limit is not None
    assert found.ratio < 0.75 and found.limit < 0.6


def test_jobs_that_wait_for_each_other_are_found_out(tmp_path: Path) -> None:
    found = throughput("queueing", wait_for_each_other, [str(tmp_path / "lock")], 4)
    assert isinstance(found, Result) and found.ratio > 0.85


def test_a_job_that_fails_is_not_counted_as_a_quick_one() -> None:
    with pytest.raises(PoiseError, match="three is not wanted"):
        throughput("failing", fail_on_three, [3], 2)
