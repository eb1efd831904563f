"""What every residual promises: its pictures are the derivatives of its error."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from poise import tasks
from poise.robot import Robot, Snapshot, load_robot

STEP = np.cbrt(np.finfo(float).eps)  # best step for central differences
TOLERANCE = 1e3 * STEP**2


def moving(robot: Robot, seed: int) -> Snapshot:
    rng = np.random.default_rng(seed)
    q = pin.integrate(robot.model, robot.half_sitting, 0.4 * rng.normal(size=robot.nv))
    return robot.at(q, rng.normal(size=robot.nv))


def every_residual(robot: Robot, rng: np.random.Generator) -> list[tasks.Residual]:
    def pose() -> pin.SE3:
        return pin.SE3(pin.exp3(0.8 * rng.normal(size=3)), rng.normal(size=3))

    down = np.array([0.6, 0.0, -0.8])
    return [
        tasks.FramePosition("left_hand", rng.normal(size=3)),
        tasks.FrameOrientation("chest", pose().rotation),
        tasks.FrameOrientation("chest", robot.at(robot.half_sitting).rotation("chest")),
        tasks.FramePose("left_foot", pose()),
        tasks.RelativePose("left_foot", "right_foot", pose()),
        tasks.AxisParallel("chest", np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0])),
        tasks.AxisParallel("head", np.array([1.0, 0.0, 0.0]), down),
        tasks.CenterOfMass(rng.normal(size=3)),
        tasks.CenterOfMass(rng.normal(size=3), height=False),
        tasks.ComHeight(0.3),
        tasks.Heading("chest", 0.4),
        tasks.Heading("base", -0.2, axis=(0.0, 1.0, 0.0)),
        tasks.Posture(robot.comfort[7:]),
        tasks.Posture(robot.comfort[7:], scale=rng.uniform(size=robot.na)),
        tasks.Comfort(robot, robot.comfort[7:]),
    ]


def robots_and_residuals() -> list:
    pairs = []
    for name in ("nao", "hrp2"):
        robot = load_robot(name)
        for k, residual in enumerate(every_residual(robot, np.random.default_rng(5))):
            label = f"{name}-{k}-{type(residual).__name__}"
            pairs.append(pytest.param(robot, residual, id=label))
    return pairs


ALL = pytest.mark.parametrize(("robot", "residual"), robots_and_residuals())


@ALL
def test_the_jacobian_is_the_derivative_of_the_error(
    robot: Robot, residual: tasks.Residual
) -> None:
    at = moving(robot, 7)
    steps = STEP * np.eye(robot.nv)
    ahead = [residual.linearize(at.moved(+d)).error for d in steps]
    behind = [residual.linearize(at.moved(-d)).error for d in steps]
    numerical = (np.array(ahead) - np.array(behind)).T / (2.0 * STEP)
    assert np.abs(numerical - residual.linearize(at).jacobian).max() < TOLERANCE


@ALL
def test_the_drift_is_the_change_of_the_rate_at_constant_velocity(
    robot: Robot, residual: tasks.Residual
) -> None:
    at = moving(robot, 8)

    def rate(time: float) -> np.ndarray:
        there = at.moved(time * at.v)
        picture = residual.linearize(there)
        return picture.jacobian @ there.v + picture.flow

    numerical = (rate(STEP) - rate(-STEP)) / (2.0 * STEP)
    drift = residual.linearize(at).drift
    assert np.abs(numerical - drift).max() < 1e2 * TOLERANCE * (1.0 + np.abs(drift).max())


@ALL
def test_rows_say_how_many_numbers_the_error_has(robot: Robot, residual: tasks.Residual) -> None:
    picture = residual.linearize(moving(robot, 9))
    assert picture.error.shape == picture.drift.shape == (residual.rows,)
    assert picture.jacobian.shape == (residual.rows, robot.nv)


@pytest.mark.parametrize("name", ["nao", "hrp2"])
def test_a_moving_target_flows_and_drifts_as_it_moves(name: str) -> None:
    """With the robot frozen, error rates come from the target alone."""
    robot = load_robot(name)
    at = robot.at(moving(robot, 3).q)
    rng = np.random.default_rng(4)
    p0, v0, a0 = rng.normal(size=(3, 3))
    w0, b0 = rng.normal(size=(2, 3))
    R0 = pin.exp3(rng.normal(size=3))

    def target(time: float) -> tuple[pin.SE3, np.ndarray, np.ndarray]:
        # constant angular acceleration along one axis keeps the rotation in closed form
        turn = pin.exp3(w0 * time + 0.5 * b0[0] * w0 * time**2)
        twist = np.r_[v0 + a0 * time, w0 * (1.0 + b0[0] * time)]
        place = p0 + v0 * time + 0.5 * a0 * time**2
        return pin.SE3(turn @ R0, place), twist, np.r_[a0, b0[0] * w0]

    def picture(time: float) -> tasks.Linear:
        T, twist, acceleration = target(time)
        return tasks.FramePose("left_hand", T, twist, acceleration).linearize(at)

    flow = (picture(STEP).error - picture(-STEP).error) / (2.0 * STEP)
    drift = (picture(STEP).flow - picture(-STEP).flow) / (2.0 * STEP)
    assert np.allclose(flow, picture(0.0).flow, atol=TOLERANCE)
    assert np.allclose(drift, picture(0.0).drift, atol=1e2 * TOLERANCE)


@pytest.mark.parametrize("name", ["nao", "hrp2"])
@pytest.mark.parametrize("start", [(0.36, 0.48, 0.8), (0.96, 0.0, 0.28)])
def test_a_moving_direction_flows_and_drifts_as_it_moves(
    name: str, start: tuple[float, float, float]
) -> None:
    robot = load_robot(name)
    at = moving(robot, 3)
    w = np.random.default_rng(4).normal(size=3)

    def picture(time: float) -> tuple[tasks.Linear, np.ndarray]:
        d = pin.exp3(w * time + 0.2 * w * time**2) @ np.array(start)
        turn, turn2 = w * (1.0 + 0.4 * time), 0.4 * w
        d1 = np.cross(turn, d)
        rates = np.array([d1, np.cross(turn2, d) + np.cross(turn, d1)])
        there = at.moved(time * at.v)
        found = tasks.AxisParallel("chest", np.array([0.0, 0.0, 1.0]), d, rates).linearize(there)
        return found, found.jacobian @ at.v + found.flow

    (ahead, rate_ahead), (behind, rate_behind) = picture(STEP), picture(-STEP)
    now, rate = picture(0.0)
    assert np.allclose((ahead.error - behind.error) / (2.0 * STEP), rate, atol=TOLERANCE)
    drift = (rate_ahead - rate_behind) / (2.0 * STEP)
    assert np.allclose(drift, now.drift, atol=1e2 * TOLERANCE)


def test_a_moving_posture_flows_as_it_moves() -> None:
    robot = load_robot("nao")
    at = moving(robot, 3)
    scale, rate = np.random.default_rng(4).uniform(size=(2, robot.na))

    def picture(time: float) -> tasks.Linear:
        return tasks.Posture(robot.comfort[7:] + rate * time, scale, rate).linearize(at)

    flow = (picture(STEP).error - picture(-STEP).error) / (2.0 * STEP)
    assert np.allclose(flow, picture(0.0).flow, atol=TOLERANCE)


@pytest.mark.parametrize("name", ["nao", "hrp2"])
def test_momentum_changes_as_its_matrix_and_drift_say(name: str) -> None:
    robot = load_robot(name)
    at = moving(robot, 11)
    a = np.random.default_rng(2).normal(size=robot.nv)
    residual = tasks.AngularMomentum()

    def momentum(time: float) -> np.ndarray:
        q = pin.integrate(robot.model, at.q, time * at.v + 0.5 * time**2 * a)
        return residual.linearize(robot.at(q, at.v + time * a)).error

    numerical = (momentum(STEP) - momentum(-STEP)) / (2.0 * STEP)
    picture = residual.linearize(at)
    predicted = picture.jacobian @ a + picture.drift
    assert np.allclose(numerical, predicted, atol=1e-6 * (1.0 + np.abs(predicted).max()))


def test_the_rotation_vector_is_right_from_nothing_to_half_a_turn() -> None:
    rng = np.random.default_rng(1)
    for angle in [0.0, 1e-9, 1e-6, 1e-3, 0.5, 2.0, 3.0, np.pi - 1e-4]:
        axis = rng.normal(size=3)
        w = angle * axis / np.linalg.norm(axis)
        assert np.abs(pin.log3(pin.exp3(w)) - w).max() < 1e-9
    assert np.isfinite(pin.log3(np.diag([1.0, -1.0, -1.0]))).all()
