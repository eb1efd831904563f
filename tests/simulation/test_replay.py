import numpy as np
import pytest

from poise.contacts import ContactPlan, Touch
from poise.errors import NotFound
from poise.motion import Command, motion_of
from poise.robot import load_robot, robot_names
from poise.simulation import Push, SimulatedWorld, SimulationOptions, replay, run
from poise.simulation.replay import lowest_sole

EVERY_ROBOT = pytest.mark.parametrize("name", robot_names())
ONE = "nao" if "nao" in robot_names() else robot_names()[0]


def still(robot, duration=2.0, q=None):
    time = np.arange(0.0, duration + 1e-9, 0.01)
    q = robot.half_sitting if q is None else q
    feet = ContactPlan.of(
        Touch(p, 0.0, duration, robot.at(q).pose(p), robot.soles[p].points) for p in robot.feet
    )
    return motion_of(robot, time, np.tile(q, (len(time), 1)), contacts=feet)


def leaning(robot, angle, duration=2.0):
    """Both ankles tip the whole robot forward by an angle, slowly; the plan thinks it holds."""
    motion = still(robot, duration)
    q = motion.q.copy()
    ramp = np.minimum(motion.time / 1.0, 1.0)
    at = robot.at(robot.half_sitting)
    for part in robot.feet:
        # the joint of the leg that turns about y closest to the ground
        joints = robot.groups[part.replace("foot", "leg")]
        pitch = max(joints, key=lambda j: ankle_score(robot, at, j))
        k = robot.index(pitch)
        axis = at.jacobian(part)[4, 6 + k]
        q[:, 7 + k] -= np.sign(axis) * angle * ramp
    return motion_of(robot, motion.time, q, contacts=motion.contacts)


def ankle_score(robot, at, joint):
    turning = abs(at.jacobian(robot.feet[0])[4, 6 + robot.index(joint)]) + abs(
        at.jacobian(robot.feet[-1])[4, 6 + robot.index(joint)]
    )
    height = at.data.oMi[robot.model.getJointId(joint)].translation[2]
    return (turning > 0.9) / (0.01 + height)


@EVERY_ROBOT
def test_holding_still_stays_upright_and_in_place(name):
    robot = load_robot(name)
    played, verdict = replay(robot, still(robot))
    assert verdict.upright and verdict.fell_at is None and not verdict.why
    assert verdict.tilt_max_deg < 2.0
    assert verdict.drift_m < 0.01
    assert verdict.slip_m < 0.001
    assert verdict.saturation == 0.0
    assert np.isclose(played.duration, 2.0)
    assert set(played.signals) >= {"command", "tilt", "saturation", "slip", "zmp", "base_error"}
    assert np.allclose(played.signals["zmp"][-1], robot.at(played.q[-1]).com[:2], atol=2e-3)
    assert played.forces["left_foot"].shape == (len(played), 6)


@EVERY_ROBOT
def test_leaning_too_far_is_found_to_fall(name):
    robot = load_robot(name)
    played, verdict = replay(robot, leaning(robot, 0.6, duration=4.0))
    assert not verdict.upright
    assert 0.3 < verdict.fell_at < 4.0
    assert verdict.why
    assert np.isclose(played.time[-1], min(verdict.fell_at + 0.5, 4.0), atol=0.011)


def test_a_little_lean_is_no_fall():
    robot = load_robot(ONE)
    _, verdict = replay(robot, leaning(robot, 0.03))
    assert verdict.upright


def test_the_order_of_the_columns_does_not_matter():
    robot = load_robot(ONE)
    motion = still(robot, 0.3)
    shuffled = motion.ordered_as(motion.joint_names[::-1])
    a, b = replay(robot, motion)[0], replay(robot, shuffled)[0]
    assert np.array_equal(a.q, b.q)


def test_joints_of_another_robot_are_refused():
    robot = load_robot(ONE)
    motion = still(robot, 0.1)
    names = ("wing", *motion.joint_names[1:])
    wrong = type(motion)(**{**vars(motion), "joint_names": names})
    with pytest.raises(NotFound, match="joint"):
        replay(robot, wrong)


def test_a_motion_planned_in_the_air_starts_on_the_floor():
    robot = load_robot(ONE)
    q = robot.half_sitting.copy()
    q[2] += 0.05
    motion = still(robot, 0.5, q)
    played, verdict = replay(robot, motion)
    assert verdict.upright
    assert abs(lowest_sole(robot, played.q[0])) < 1e-9
    assert np.abs(played.q[:, 2] - robot.half_sitting[2]).max() < 0.005


def test_sliding_feet_are_told_as_slip_and_drift():
    robot = load_robot(ONE)
    pull = (Push((0.1 * robot.weight, 0.0, 0.0), 0.2, 1.0, "base"),)
    _, verdict = replay(robot, still(robot), SimulationOptions(friction=0.03, pushes=pull))
    assert verdict.slip_m > 0.05 and verdict.drift_m > 0.05


def test_a_command_beyond_the_torque_is_told_as_saturation():
    robot = load_robot(ONE)
    motion = still(robot, 1.0)
    q = motion.q.copy()
    k = 7 + robot.indices("left_arm")[0]
    q[:, k] += np.where(np.sin(40.0 * motion.time) > 0.0, 0.5, -0.5)
    played, verdict = replay(robot, motion_of(robot, motion.time, q, contacts=motion.contacts))
    assert verdict.saturation > 0.1
    assert played.signals["saturation"].max() > 0.999


def test_feed_forward_torques_take_the_sag_away():
    robot = load_robot(ONE)
    motion = still(robot, 1.5)
    sagging, _ = replay(robot, motion)
    held = motion_of(robot, motion.time, motion.q, tau=np.tile(sagging.tau[-1], (len(motion), 1)))
    fed, _ = replay(robot, held, feed_torques=True)
    sag = np.abs(sagging.q[-1, 7:] - robot.half_sitting[7:]).max()
    assert np.abs(fed.q[-1, 7:] - robot.half_sitting[7:]).max() < 0.5 * sag


class Holding:
    def __init__(self, robot):
        self.angles = robot.half_sitting[7:]

    def command(self, seen):
        return Command(self.angles)


def test_a_controller_runs_in_closed_loop_and_is_recorded():
    robot = load_robot(ONE)
    played, verdict = run(Holding(robot), robot, 0.5, recipe={"engine": "holding"})
    assert verdict.upright
    assert np.isclose(played.duration, 0.5) and len(played) == 101
    assert played.recipe["engine"] == "holding"


def test_a_run_stops_after_a_fall():
    robot = load_robot(ONE)
    shove = SimulationOptions(pushes=(Push((2.0 * robot.weight, 0.0, 0.0), 0.1, 0.2),))
    played, verdict = run(Holding(robot), robot, 10.0, shove)
    assert not verdict.upright
    assert played.duration < 4.0


def test_a_run_can_use_a_world_that_the_controller_reaches_into():
    robot = load_robot(ONE)
    world = SimulatedWorld(robot)

    class Pulling(Holding):
        def command(self, seen):
            world.pull("left_hand", (0.0, 0.0, -1.0))
            return super().command(seen)

    played, verdict = run(Pulling(robot), robot, 1.0, world=world)
    assert verdict.upright
    assert np.isclose(played.forces["left_hand"][-1, 2], -1.0)
