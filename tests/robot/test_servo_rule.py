import numpy as np
import pinocchio as pin
import pytest

from poise.robot import load_robot
from poise.robot.servo_rule import (
    FASTEST,
    FULL_EFFORT_AT,
    SPIN_UP,
    SWAY,
    carried_inertia,
    servo_gains,
)


def rod(effort: float = 10.0, speed: float = 5.0) -> pin.Model:
    """A free base with one joint that carries a mass on a rod."""
    model = pin.Model()
    base = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    model.appendBodyToJoint(base, pin.Inertia.FromSphere(10.0, 0.2), pin.SE3.Identity())
    hinge = model.addJoint(base, pin.JointModelRY(), pin.SE3.Identity(), "hinge")
    weight = pin.Inertia(2.0, np.array([0.0, 0.0, -0.5]), np.zeros((3, 3)))
    model.appendBodyToJoint(hinge, weight, pin.SE3.Identity())
    model.effortLimit[6:], model.velocityLimit[6:] = effort, speed
    return model


def test_a_rod_is_carried_with_mass_times_length_squared():
    model = rod()
    model.armature[6:] = 3.0  # rotors are no load
    assert carried_inertia(model, pin.neutral(model)) == pytest.approx([2.0 * 0.5**2])


def test_a_small_error_calls_for_the_full_torque_and_is_damped_critically():
    model = rod()
    gains = servo_gains(model, pin.neutral(model))
    rotor = SPIN_UP * 10.0 / 5.0
    assert gains.kp * FULL_EFFORT_AT == pytest.approx([10.0])
    assert gains.armature == pytest.approx([rotor])
    assert gains.kd**2 == pytest.approx(4.0 * gains.kp * (0.5 + rotor))


def test_a_strong_motor_on_a_light_load_is_held_back():
    model = rod(effort=1e3, speed=30.0)
    gains = servo_gains(model, pin.neutral(model), {"hinge": 0.001})
    assert gains.armature == pytest.approx([0.001])
    light = rod(effort=1e3, speed=30.0)
    light.inertias[2] = pin.Inertia(1e-6, np.zeros(3), np.zeros((3, 3)))
    held = servo_gains(light, pin.neutral(light), {"hinge": 0.001})
    assert held.kp == pytest.approx([0.001 * FASTEST**2])
    assert held.kd == pytest.approx(SWAY * held.kp)  # the sway of the robot asks for more


@pytest.mark.parametrize("limits", [(0.0, 0.0), (np.inf, np.inf), (1e30, 1e30)])
def test_models_without_limits_get_finite_gains(limits):
    model = rod(*limits)
    gains = servo_gains(model, pin.neutral(model))
    for values in vars(gains).values():
        assert np.isfinite(values).all() and (values > 0.0).all()


@pytest.mark.parametrize("name", ["nao", "hrp2", "hoap3"])
def test_ankles_are_stiffer_than_the_robot_is_top_heavy(name):
    """Otherwise it would fall over its own ankles, an inverted pendulum on a weak spring."""
    robot = load_robot(name)
    topple = robot.weight * robot.at(robot.half_sitting).com[2]  # [N m/rad]
    for k in (-2, -1):
        both = sum(robot.servos.kp[robot.indices(leg)[k]] for leg in ("left_leg", "right_leg"))
        assert both > 5.0 * topple
