"""The robot on which styles were calibrated."""

from __future__ import annotations

import pytest

from poise.robot import Robot, load_robot


@pytest.fixture(scope="session")
def nao() -> Robot:
    return load_robot("nao")
