"""Residuals one below the other: each as it would be alone, whatever was there before."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from poise.robot import Robot, Snapshot, load_robot
from poise.tasks import (
    CenterOfMass,
    FrameOrientation,
    FramePose,
    FramePosition,
    Posture,
    Residual,
)
from poise.tasks.rows import ResidualRows


@pytest.fixture(scope="module")
def robot() -> Robot:
    return load_robot("nao")


def moving(robot: Robot, seed: int) -> Snapshot:
    random = np.random.default_rng(seed)
    q = pin.integrate(robot.model, robot.half_sitting, 0.3 * random.normal(size=robot.nv))
    return robot.at(q, random.normal(size=robot.nv))


def pose(random: np.random.Generator) -> pin.SE3:
    return pin.SE3(pin.exp3(0.8 * random.normal(size=3)), random.normal(size=3))


def agrees(rows: ResidualRows, at: Snapshot, residuals: list[Residual]) -> None:
    rows.fill(at, residuals)
    alone = [residual.linearize(at) for residual in residuals]
    names = ("error", "jacobian", "flow", "drift")
    for name in names:
        wanted = np.concatenate([getattr(one, name) for one in alone])
        np.testing.assert_allclose(getattr(rows, name), wanted, atol=1e-12, err_msg=name)


def mixture(robot: Robot, random: np.random.Generator) -> list[Residual]:
    normal = random.normal
    return [
        FramePose("left_foot", pose(random), normal(size=6), normal(size=6)),
        CenterOfMass(normal(size=3), normal(size=3)),
        FramePosition("left_hand", normal(size=3), normal(size=3), normal(size=3)),
        FrameOrientation("chest", pose(random).rotation, normal(size=3)),
        Posture(robot.comfort[7:]),
        FramePose("right_foot", pose(random)),
    ]


def test_residuals_of_all_kinds_are_as_if_alone(robot: Robot) -> None:
    rows, residuals = ResidualRows(robot.nv), mixture(robot, np.random.default_rng(1))
    for seed in (1, 2):  # the second time in the same memory
        agrees(rows, moving(robot, seed), residuals)


def test_targets_that_are_written_to_are_followed(robot: Robot) -> None:
    target, point, twist = pin.SE3.Identity(), np.zeros(3), np.zeros(6)
    residuals = [FramePose("left_foot", target, twist), FramePosition("head", point)]
    rows, at = ResidualRows(robot.nv), moving(robot, 3)
    agrees(rows, at, residuals)
    target.translation, target.rotation = np.ones(3), pin.exp3(np.full(3, 0.3))
    point[:], twist[:] = 2.0, 0.5
    agrees(rows, at, residuals)


def test_nothing_stays_of_residuals_that_were_there_before(robot: Robot) -> None:
    rows, at, random = ResidualRows(robot.nv), moving(robot, 4), np.random.default_rng(5)
    agrees(rows, at, mixture(robot, random))
    agrees(rows, at, [FramePose("head", pose(random)), FramePose("base", pose(random))])
    agrees(rows, at, [FramePosition("head", np.zeros(3)), FrameOrientation("head", np.eye(3))])
    agrees(rows, at, [CenterOfMass(np.zeros(3)), CenterOfMass(np.ones(3))])  # in the same memory
    agrees(rows, at, [FramePose("head", pose(random))])


def test_a_posture_in_the_memory_of_frames_sees_single_joints_only(robot: Robot) -> None:
    """Both residuals are as tall; the posture writes no zeros."""

    class Tall(FramePose):
        @property
        def rows(self) -> int:
            return robot.na

        def fill(self, at: Snapshot, out: object) -> None:
            out.jacobian[:] = 7.0  # type: ignore[attr-defined]

    rows, at = ResidualRows(robot.nv), moving(robot, 6)
    rows.fill(at, [Tall("head", pin.SE3.Identity())])
    agrees(rows, at, [Posture(robot.comfort[7:])])
