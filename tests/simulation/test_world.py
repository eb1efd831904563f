import numpy as np
import pinocchio as pin
import pytest

from poise.errors import BadInput, NotFound
from poise.motion import Command
from poise.robot import load_robot, robot_names
from poise.simulation import Noise, Push, Scene, SimulatedWorld, SimulationOptions, Solid
from poise.simulation.bridge import tilt_between
from poise.simulation.lifelike import lifelike
from poise.simulation.model import build
from poise.simulation.soles import centre_of_pressure, contact_points
from simulation.worlds import floating, foot_forces, hold, standing

EVERY_ROBOT = pytest.mark.parametrize("name", robot_names())
ONE = robot_names()[-1] if "nao" not in robot_names() else "nao"


def push_and_hold(name, force, seconds=4.0):
    robot = load_robot(name)
    world = SimulatedWorld(robot, options=SimulationOptions(pushes=(Push(force, 1.0, 0.1),)))
    seen = world.reset(robot.half_sitting)
    tilts, q = [], []
    for _ in range(round(seconds / world.period)):
        seen = world.step(hold(robot))
        q.append(seen.q)
        tilts.append(tilt_between(seen.q[3:7], robot.half_sitting[3:7]))
    return robot, np.array(q), np.array(tilts), world


# -- standing -----------------------------------------------------------------------------


@EVERY_ROBOT
def test_every_robot_stands_ten_seconds_without_falling_or_drifting(name):
    world, seen = standing(name, seconds=10.0)
    robot = world.robot
    assert tilt_between(seen.q[3:7], robot.half_sitting[3:7]) < np.deg2rad(2.0)
    assert np.linalg.norm(seen.q[:2] - robot.half_sitting[:2]) < 0.01
    assert world.touching() == set(robot.feet)
    assert np.abs(seen.v).max() < 1e-2


@EVERY_ROBOT
@pytest.mark.parametrize("direction", [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_every_robot_recovers_from_a_push_at_the_chest(name, direction):
    newtons = 0.05 * load_robot(name).mass / 0.1
    force = (newtons * direction[0], newtons * direction[1], 0.0)
    robot, q, tilts, world = push_and_hold(name, force)
    assert tilts.max() < np.deg2rad(10.0)
    assert tilts[-1] < np.deg2rad(2.0)
    assert np.linalg.norm(q[-1, :2] - robot.half_sitting[:2]) < 0.02
    assert world.touching() == set(robot.feet)
    assert np.abs(q[200:300, :2] - q[180, :2]).max() > 1e-4  # the push was felt


@EVERY_ROBOT
def test_at_rest_the_floor_carries_the_weight(name):
    world, seen = standing(name, seconds=3.0)
    force = foot_forces(world, seen)
    assert np.isclose(force[2], world.robot.weight, rtol=1e-3)
    assert np.abs(force[:2]).max() < 2e-3 * world.robot.weight


@EVERY_ROBOT
def test_at_rest_the_centre_of_pressure_lies_under_the_centre_of_mass(name):
    world, seen = standing(name, seconds=3.0)
    robot, at = world.robot, world.robot.at(seen.q)
    moment, total = np.zeros(2), 0.0
    for part in robot.feet:
        fz, mx, my = seen.wrenches[part][2:5]
        moment += fz * at.pose(part).translation[:2] + np.array([-my, mx])
        total += fz
    assert np.allclose(moment / total, at.com[:2], atol=5e-4)


def test_pressures_tell_the_centre_of_pressure_that_the_wrench_tells():
    for name in robot_names():
        world, seen = standing(name, seconds=2.0)
        for sensor in world.robot.sensors:
            if sensor.kind != "pressure":
                continue
            at = world.robot.at(seen.q)
            part, link = at.pose(sensor.part), at.pose(sensor.link)
            points = np.array([part.actInv(link.act(p)) for p in sensor.points])
            found = seen.pressures[sensor.part]
            force = part.rotation.T @ seen.wrenches[sensor.part][:3]
            moment = part.rotation.T @ seen.wrenches[sensor.part][3:]
            assert np.isclose(found.sum(), force[2], rtol=1e-3)
            cop = np.array([-moment[1], moment[0]]) / force[2]
            assert np.allclose(centre_of_pressure(points, found), cop, atol=1e-3)


# -- servos -------------------------------------------------------------------------------


def joint_in_the_air(name):
    """A joint far from its neighbours' business: the last of the head, or of the first arm."""
    robot = load_robot(name)
    group = "head" if robot.groups.get("head") else "left_arm"
    return robot.index(robot.groups[group][-1])


@EVERY_ROBOT
def test_a_servo_gives_way_like_a_spring_of_its_gain(name):
    world, seen = floating(name)
    robot = world.robot
    k = joint_in_the_air(name)
    extra = np.zeros(robot.na)
    extra[k] = 0.3 * robot.effort_limit[k]
    q0 = robot.half_sitting[7:]
    for _ in range(200):
        seen = world.step(Command(q0, np.zeros(robot.na), extra))
    away = seen.joints[k] - q0[k]
    slack = robot.servos.friction[k] / robot.servos.kp[k]
    assert np.isclose(away, extra[k] / robot.servos.kp[k], atol=1.05 * slack + 1e-6)


@EVERY_ROBOT
def test_torques_never_exceed_their_limits(name):
    world, _ = floating(name)
    robot = world.robot
    k = joint_in_the_air(name)
    target = robot.half_sitting[7:].copy()
    target[k] = robot.upper[k]
    shares = []
    for _ in range(5):
        seen = world.step(Command(target, np.zeros(robot.na), 100.0 * robot.effort_limit))
        shares.append(np.abs(seen.torques / robot.effort_limit)[world.physics.motors])
    assert np.max(shares) <= 1.0 + 1e-12
    assert np.mean(shares[0] > 0.99) > 0.9  # there is no more to be had


@EVERY_ROBOT
def test_a_stiff_servo_near_its_limit_does_not_brake_a_joint_that_swings(name):
    """A knee that is swung by far less than its torque follows its reference closely."""
    world, _ = floating(name)
    robot = world.robot
    k = robot.index(robot.groups["left_leg"][3])
    inertia = world.model.dof_M0[world.physics.dofs[6 + k]]
    fastest = min(3.0, 0.8 * robot.velocity_limit[k] or 3.0)
    acceleration = min(60.0, 0.2 * robot.effort_limit[k] / inertia)
    q, v = robot.half_sitting[7:].copy(), np.zeros(robot.na)
    way = 1.0 if robot.upper[k] - q[k] > q[k] - robot.lower[k] else -1.0
    behind = []
    for _ in range(30):
        seen = world.step(Command(q.copy(), v.copy()))
        gain = min(acceleration * world.period, fastest - abs(v[k]))
        q[k] += way * world.period * (abs(v[k]) + 0.5 * gain)
        v[k] += way * gain
        behind.append(abs(v[k] - seen.rates[k]))
    assert abs(v[k]) == pytest.approx(fastest)
    assert max(behind) < 2.0 * acceleration * world.period


@EVERY_ROBOT
@pytest.mark.parametrize("away", [0.02, 0.2])
def test_servos_that_reach_their_limits_come_to_rest(name, away):
    world, seen = floating(name)
    robot = world.robot
    room = robot.upper - robot.half_sitting[7:] > away + 0.01
    target = robot.half_sitting[7:] + np.where(room, away, -away)
    target = robot.coupled(np.r_[robot.half_sitting[:7], target])[7:]
    target = np.clip(target, robot.lower + 1e-3, robot.upper - 1e-3)
    world.model.pair_margin[:] = -1.0  # links may pass through each other here
    reached = 0.0
    for _ in range(300):
        seen = world.step(Command(target, np.zeros(robot.na)))
        reached = max(reached, np.abs(seen.torques / robot.effort_limit).max())
    assert reached > 0.99  # the limit was met on the way
    assert np.abs(seen.rates).max() < 0.02
    slack = robot.servos.friction.max() / robot.servos.kp.min() + 1e-3
    motors = world.physics.motors
    assert np.abs(seen.joints - target)[motors].max() < slack
    assert np.abs(seen.torques / robot.effort_limit).max() < 0.05


@EVERY_ROBOT
def test_commanded_rates_take_away_the_lag(name):
    k = joint_in_the_air(name)
    lags = []
    for with_rates in (False, True):
        world, seen = floating(name)
        robot = world.robot
        rates = np.zeros(robot.na)
        room = robot.upper[k] - robot.half_sitting[7 + k]
        rates[k] = min(0.5 * robot.velocity_limit[k], 1.0) * (1.0 if room > 0.25 else -1.0)
        for _ in range(40):  # 0.2 s
            joints = robot.half_sitting[7:] + rates * seen.time
            seen = world.step(Command(joints, rates if with_rates else None))
        meant = robot.half_sitting[7 + k] + rates[k] * seen.time
        lags.append(abs(seen.joints[k] - meant))
    losses = robot.servos.damping[k] * abs(rates[k]) + robot.servos.friction[k]
    assert abs(lags[1] - losses / robot.servos.kp[k]) < 3e-4  # only what the losses cost is left
    assert lags[1] < 0.25 * lags[0]


def test_coupled_joints_stay_together_and_one_motor_drives_them():
    coupled = [name for name in robot_names() if load_robot(name).couplings]
    for name in coupled:
        world, seen = standing(name, seconds=1.0)
        robot = world.robot
        for c in robot.couplings:
            leader, follower = robot.index(c.of), robot.index(c.joint)
            meant = c.multiplier * seen.joints[leader] + c.offset
            assert abs(seen.joints[follower] - meant) < 1e-5
            assert follower not in world.physics.motors
            assert seen.torques[follower] == 0.0
            # the motor turns the pair against one spring, not two
            world, seen = floating(name)
            extra = np.zeros(robot.na)
            extra[leader] = 0.3 * robot.effort_limit[leader]
            for _ in range(300):
                seen = world.step(Command(robot.half_sitting[7:], None, extra))
            turned = seen.joints[leader] - robot.half_sitting[7 + leader]
            losses = (robot.servos.friction[[leader, follower]]).sum() / robot.servos.kp[leader]
            assert abs(turned - extra[leader] / robot.servos.kp[leader]) < 1.05 * losses + 1e-6
            assert np.isclose(seen.torques[leader], 0.0, atol=2.0 * extra[leader])


# -- forces from outside ------------------------------------------------------------------


@EVERY_ROBOT
def test_a_push_in_flight_changes_the_momentum_by_its_impulse(name):
    force = np.array([3.0, -2.0, 1.0])
    world, seen = floating(name, pushes=(Push(tuple(force), 0.05, 0.1, "head"),))
    robot = world.robot
    lever = robot.at(robot.half_sitting).pose("head").translation - robot.at(seen.q).com
    for _ in range(40):
        seen = world.step(hold(robot))
    momentum = robot.at(seen.q, seen.v).momentum
    assert np.allclose(momentum[:3], 0.1 * force, rtol=1e-3, atol=1e-4)
    assert np.allclose(momentum[3:], 0.1 * np.cross(lever, force), atol=0.05)


def test_a_pull_lasts_until_it_is_changed_and_the_wrist_feels_it():
    world, seen = standing(ONE, seconds=0.5)
    robot, pull = world.robot, np.array([0.0, 0.0, 2.0])
    world.pull("left_hand", pull)
    for _ in range(200):
        seen = world.step(hold(robot))
    assert np.allclose(seen.wrenches["left_hand"][:3], pull)
    assert np.allclose(seen.wrenches["right_hand"], 0.0)
    assert np.isclose(foot_forces(world, seen)[2], robot.weight - 2.0, rtol=1e-3)
    world.pull("left_hand", (0.0, 0.0, 0.0))
    for _ in range(200):
        seen = world.step(hold(robot))
    assert np.allclose(seen.wrenches["left_hand"], 0.0)
    assert np.isclose(foot_forces(world, seen)[2], robot.weight, rtol=1e-3)


def test_a_pull_off_the_frame_comes_as_a_moment():
    world, seen = floating(ONE)
    world.pull("right_hand", (0.0, 0.0, 0.0), (0.1, 0.2, -0.1))
    seen = world.step(hold(world.robot))
    assert np.allclose(seen.wrenches["right_hand"], [0, 0, 0, 0.1, 0.2, -0.1], atol=1e-9)


def test_an_unknown_part_is_named():
    world, _ = floating(ONE)
    with pytest.raises(NotFound, match="left_hand"):
        world.pull("left_hnad", (1.0, 0.0, 0.0))


# -- what sensors add ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hoap3", "talos"])
def test_the_accelerometer_adds_up_to_the_velocity(name):
    """Also where an implicit integrator moves otherwise than its acceleration says: stiff soles."""
    robot = load_robot(name)
    push = Push((0.2 * robot.weight, 0.1 * robot.weight, 0.0), 0.2, 0.3)
    world = SimulatedWorld(robot, options=lifelike(robot, pushes=(push,), noise=Noise()))
    world.reset(robot.half_sitting)
    imu = next(s for s in robot.sensors if s.kind == "imu")
    moved, speeds = [np.zeros(3)], []
    for _ in range(500):
        seen = world.step(hold(robot))
        at = robot.at(seen.q, seen.v)
        T = at.pose(imu.link) * imu.T_link_sensor
        v = at.velocity(imu.link)
        speeds.append(v[:3] + np.cross(v[3:], T.translation - at.position(imu.link)))
        flies = T.rotation @ seen.accelerometer - [0.0, 0.0, 9.81]
        moved.append(moved[-1] + world.period * flies)
    assert np.ptp(speeds, axis=0).max() > 0.05
    np.testing.assert_allclose(moved[1:], speeds, atol=0.02 * np.abs(speeds).max())


def test_the_accelerometer_feels_gravity_at_rest_and_nothing_in_free_fall():
    world, seen = standing(ONE, seconds=2.0)
    assert np.isclose(np.linalg.norm(seen.accelerometer), 9.81, atol=0.02)
    imu = next(s for s in world.robot.sensors if s.kind == "imu")
    R = world.robot.at(seen.q).pose(imu.link).rotation @ imu.T_link_sensor.rotation
    assert np.allclose(R @ seen.accelerometer, [0.0, 0.0, 9.81], atol=0.03)
    robot = world.robot
    falling = SimulatedWorld(robot, scene=Scene(floor=False))
    seen = falling.step(hold(robot))
    assert np.linalg.norm(seen.accelerometer) < 0.5


@EVERY_ROBOT
def test_the_imu_tells_orientation_and_turning_of_its_link(name):
    world, _ = floating(name)
    robot, random = world.robot, np.random.default_rng(2)
    q, v = robot.half_sitting.copy(), 0.3 * random.normal(size=robot.nv)
    q[3:7] = pin.Quaternion(pin.rpy.rpyToMatrix(0.2, -0.1, 0.7)).coeffs()
    q[7:] = np.clip(q[7:] + 0.2 * random.normal(size=robot.na), robot.lower, robot.upper)
    seen = world.reset(q, v)
    assert np.allclose(seen.q, q) and np.allclose(seen.v, v)
    imu = next((s for s in robot.sensors if s.kind == "imu"), None)
    link, R_link_imu = (imu.link, imu.T_link_sensor.rotation) if imu else ("base", np.eye(3))
    at = robot.at(seen.q, seen.v)
    R = at.pose(link).rotation
    assert np.allclose(pin.Quaternion(seen.quat_xyzw).matrix(), R, atol=1e-12)
    gyro = (R @ R_link_imu).T @ at.velocity(link)[3:]
    assert np.allclose(seen.gyro, gyro, atol=1e-12)


def test_a_slope_shows_in_gravity_and_in_the_imu():
    world, seen = standing(ONE, seconds=2.0, slope=(0.0, 0.05))
    robot = world.robot
    imu = next(s for s in robot.sensors if s.kind == "imu")
    R_true_link = pin.Quaternion(seen.quat_xyzw).matrix()
    up = R_true_link @ imu.T_link_sensor.rotation @ seen.accelerometer
    assert np.allclose(up, [0.0, 0.0, 9.81], atol=0.05)
    R_floor_link = robot.at(seen.q).pose(imu.link).rotation
    assert np.isclose(pin.log3(R_true_link @ R_floor_link.T)[1], 0.05, atol=1e-6)
    assert np.isclose(foot_forces(world, seen)[0], -robot.weight * np.sin(0.05), rtol=0.02)


def test_noise_has_the_spread_it_is_given():
    noise = Noise(
        joint_angle=0.01, joint_rate=0.2, gyro=0.05, accelerometer=0.5, force=1.5, moment=0.1
    )
    robot = load_robot(ONE)
    world = SimulatedWorld(robot, options=SimulationOptions(noise=noise))
    rows = [world.step(hold(robot)) for _ in range(300)]
    angles = np.array([r.joints - r.q[7:] for r in rows])
    rates = np.array([r.rates - r.v[6:] for r in rows])
    assert np.isclose(angles.std(), 0.01, rtol=0.05) and abs(angles.mean()) < 5e-4
    assert np.isclose(rates.std(), 0.2, rtol=0.05)
    hands = np.array([r.wrenches["left_hand"] for r in rows])
    assert np.isclose(hands[:, :3].std(), 1.5, rtol=0.1)
    assert np.isclose(hands[:, 3:].std(), 0.1, rtol=0.1)
    still = np.array([r.accelerometer for r in rows[150:]])
    assert np.isclose(still.std(axis=0).mean(), 0.5, rtol=0.15)


def test_encoders_and_pressure_points_round_to_their_steps():
    noise = Noise(joint_step=0.003, pressure_step=0.5)
    _, seen = standing(ONE, seconds=0.5, noise=noise)
    assert np.allclose(seen.joints / 0.003, np.round(seen.joints / 0.003))
    assert np.abs(seen.joints - seen.q[7:]).max() <= 0.0015 + 1e-12
    for pressure in seen.pressures.values():
        assert np.allclose(pressure / 0.5, np.round(pressure / 0.5))


def test_late_sensors_tell_what_was_and_the_truth_stays_now():
    robot = load_robot(ONE)
    pushes = (Push((0.5 * robot.mass, 0.0, 0.0), 0.0, 0.1),)
    now, late = (
        SimulatedWorld(robot, options=SimulationOptions(pushes=pushes, sensor_latency=latency))
        for latency in (0.0, 0.018)  # a little less than four periods
    )
    a = [now.step(hold(robot)) for _ in range(30)]
    b = [late.step(hold(robot)) for _ in range(30)]
    for k in range(4, 30):
        assert np.array_equal(b[k].joints, a[k - 4].joints)
        assert np.array_equal(b[k].wrenches["left_foot"], a[k - 4].wrenches["left_foot"])
        assert np.array_equal(b[k].q, a[k].q) and b[k].time == a[k].time


def test_a_late_command_is_obeyed_late():
    world, seen = floating(ONE, command_latency=0.05)
    robot = world.robot
    k = joint_in_the_air(ONE)
    target = robot.half_sitting[7:].copy()
    target[k] += 0.1 * (1.0 if robot.upper[k] - target[k] > 0.15 else -1.0)
    moved = []
    for _ in range(20):
        seen = world.step(Command(target))
        moved.append(abs(seen.joints[k] - robot.half_sitting[7 + k]))
    assert max(moved[:10]) < 1e-9  # nothing for 50 ms
    assert moved[11] > 1e-4


def test_a_servo_with_a_lag_answers_as_a_first_order_filter():
    answers = []
    for lag in (0.0, 0.03):
        world, seen = floating(ONE, servo_lag=lag)
        robot = world.robot
        k = joint_in_the_air(ONE)
        target = robot.half_sitting[7:].copy()
        step = 0.02 * (1.0 if robot.upper[k] - target[k] > 0.05 else -1.0)
        target[k] += step
        path = []
        for _ in range(60):
            seen = world.step(Command(target))
            path.append((seen.joints[k] - robot.half_sitting[7 + k]) / step)
        answers.append(np.array(path))
    quick, slow = answers
    assert slow[3] < 0.6 * quick[3]
    assert np.isclose(slow[-1], quick[-1], atol=0.05)


def test_the_same_seed_gives_the_same_run_and_another_seed_another():
    robot = load_robot(ONE)
    runs = []
    for seed in (1, 1, 2):
        options = SimulationOptions(noise=Noise(joint_angle=0.01), seed=seed)
        world = SimulatedWorld(robot, options=options)
        command, rows = hold(robot), []
        for _ in range(40):
            seen = world.step(command)
            # noise goes back into the command, so the physics depends on it
            command = Command(robot.half_sitting[7:] + 0.1 * (seen.joints - seen.q[7:]))
            rows.append(np.r_[seen.joints, seen.q, seen.v])
        runs.append(np.array(rows))
    assert np.array_equal(runs[0], runs[1])
    assert not np.allclose(runs[0], runs[2])


def test_a_reset_world_is_as_good_as_new():
    robot = load_robot(ONE)
    pushes = (Push((0.3 * robot.mass, 0.0, 0.0), 0.02, 0.05),)
    options = SimulationOptions(pushes=pushes, servo_lag=0.01, noise=Noise(joint_angle=0.01))
    world = SimulatedWorld(robot, options=options)
    first = [world.step(hold(robot)) for _ in range(30)]
    world.pull("left_hand", (1.0, 0.0, 0.0))
    world.step(hold(robot))
    world.reset(robot.half_sitting)
    again = [world.step(hold(robot)) for _ in range(30)]
    for a, b in zip(first, again, strict=True):
        assert np.array_equal(a.q, b.q) and np.array_equal(a.joints, b.joints)


# -- the world itself ---------------------------------------------------------------------


def test_a_heavier_robot_presses_harder():
    world, seen = standing(ONE, seconds=2.0, mass_error=0.1)
    assert np.isclose(foot_forces(world, seen)[2], 1.1 * world.robot.weight, rtol=1e-3)


@EVERY_ROBOT
def test_a_soft_floor_gives_way_by_weight_over_stiffness(name):
    robot = load_robot(name)
    stiffness = 0.5 * robot.weight / 0.002  # 2 mm under each foot
    _, seen = standing(name, seconds=2.0, floor_stiffness=stiffness)
    at = robot.at(seen.q)
    for part in robot.feet:
        touching = contact_points(robot.soles[part].polygon)
        depth = [-at.pose(part).act(np.array([x, y, 0.0]))[2] for x, y in touching]
        assert np.isclose(np.mean(depth), seen.wrenches[part][2] / stiffness, rtol=0.01)


def test_a_slippery_floor_lets_the_feet_slide():
    robot = load_robot(ONE)
    ways = []
    for friction in (0.8, 0.02):
        world, seen = standing(ONE, seconds=0.5, friction=friction)
        before = seen.q[0]
        world.pull("chest", (0.08 * robot.weight, 0.0, 0.0))
        for _ in range(100):
            seen = world.step(hold(robot))
        ways.append(seen.q[0] - before)
    assert ways[0] < 0.01 < 0.05 < ways[1]


def test_a_robot_stands_on_a_solid_as_on_the_floor():
    robot = load_robot(ONE)
    top = 0.1
    block = Solid("box", (0.6, 0.6, 0.1), pin.SE3(np.eye(3), np.array([0.0, 0.0, top - 0.05])))
    world = SimulatedWorld(robot, scene=Scene((block,)))
    q = robot.half_sitting.copy()
    q[2] += top
    seen = world.reset(q)
    for _ in range(400):
        seen = world.step(hold(robot))
    assert np.abs(seen.q[:3] - q[:3]).max() < 0.01
    assert np.isclose(foot_forces(world, seen)[2], robot.weight, rtol=1e-2)


@EVERY_ROBOT
def test_a_sole_rests_on_an_edge_between_its_corners(name):
    robot = load_robot(name)
    at = robot.at(robot.half_sitting)
    beams = []
    for part in robot.feet:
        length, width = np.ptp(robot.soles[part].polygon, axis=0)
        centre = at.pose(part).act(np.r_[robot.soles[part].polygon.mean(axis=0), -0.05])
        T = pin.SE3(at.pose(part).rotation, centre)
        beams.append(Solid("box", (0.8 * length, 0.7 * width, 0.1), T))
    world = SimulatedWorld(robot, scene=Scene(tuple(beams), floor=False))
    seen = world.reset(robot.half_sitting)
    for _ in range(100):
        seen = world.step(hold(robot))
    assert robot.half_sitting[2] - seen.q[2] < 0.006
    assert np.isclose(foot_forces(world, seen)[2], robot.weight, rtol=0.1)


@EVERY_ROBOT
def test_a_flexible_ankle_bends_under_a_pull(name):
    robot = load_robot(name)
    height = robot.at(robot.half_sitting).com[2]
    stiffness = 4.0 * robot.weight * height  # four times what standing on one needs
    force = 0.02 * robot.weight
    leans = []
    for flexible in (None, stiffness):
        world, seen = standing(name, seconds=1.5, ankle_stiffness=flexible)
        before = robot.at(seen.q).com[0]
        world.pull("base", (force, 0.0, 0.0))
        for _ in range(300):
            seen = world.step(hold(robot))
        leans.append((robot.at(seen.q).com[0] - before) / height)
    pulled_at = robot.half_sitting[2]
    expected = force * pulled_at / (2.0 * stiffness - robot.weight * height)
    assert np.isclose(leans[1] - leans[0], expected, rtol=0.4)
    assert np.allclose(seen.joints, robot.half_sitting[7:], atol=0.05)


def test_a_flexible_ankle_on_a_soft_floor_stays_calm_in_the_air_and_on_the_ground():
    robot = load_robot(ONE)
    height = robot.at(robot.half_sitting).com[2]
    stiffness = 4.0 * robot.weight * height
    options = {"ankle_stiffness": stiffness, "floor_stiffness": robot.weight / 0.002}
    world, seen = standing(ONE, seconds=2.0, **options)
    assert np.abs(seen.v).max() < 1e-2
    lifted = robot.half_sitting.copy()
    lifted[2] += 0.5
    seen = world.reset(lifted)
    for _ in range(40):  # it has not landed yet
        seen = world.step(hold(robot))
    assert not world.touching()
    assert np.abs(world.data.qvel[6:]).max() < 0.5


def test_a_flexible_ankle_leaves_the_mass_as_it_is():
    robot = load_robot(ONE)
    plain, flexible = build(robot), build(robot, SimulationOptions(ankle_stiffness=500.0))
    assert np.isclose(plain.model.body_mass.sum(), flexible.model.body_mass.sum())
    assert flexible.model.nv == plain.model.nv + 4


def test_on_a_soft_floor_a_stiff_servo_gets_shorter_physics_steps():
    robot = load_robot(ONE)
    soft = {"floor_stiffness": 1e4}
    usual = SimulatedWorld(robot, options=SimulationOptions(**soft))
    stiff = SimulatedWorld(robot, options=SimulationOptions(gain_scale=16.0, **soft))
    assert stiff.steps > usual.steps
    assert np.isclose(stiff.model.opt.timestep * stiff.steps, stiff.period)


@EVERY_ROBOT
def test_servos_a_hundred_times_stiffer_stay_calm(name):
    world, seen = standing(name, seconds=1.0, gain_scale=100.0)
    assert np.abs(seen.v).max() < 1e-2
    assert np.isclose(foot_forces(world, seen)[2], world.robot.weight, rtol=1e-2)


def test_a_robot_that_falls_stays_above_the_floor():
    robot = load_robot(ONE)
    world = SimulatedWorld(
        robot, options=SimulationOptions(pushes=(Push((3.0 * robot.weight, 0, 0), 0.1, 0.15),))
    )
    seen = world.reset(robot.half_sitting)
    for _ in range(400):
        seen = world.step(hold(robot))
    assert tilt_between(seen.q[3:7], robot.half_sitting[3:7]) > np.deg2rad(45.0)
    assert -0.02 < seen.q[2] < 0.7 * robot.half_sitting[2]
    assert np.isfinite(seen.v).all()
    assert len(world.touching() - set(robot.feet)) > 0


def test_bad_worlds_are_refused_in_one_sentence():
    robot = load_robot(ONE)
    with pytest.raises(BadInput, match="period"):
        SimulatedWorld(robot, period=0.0)
    with pytest.raises(BadInput, match="friction"):
        SimulationOptions(friction=-0.1)
    with pytest.raises(BadInput, match="gain_scale"):
        SimulationOptions(gain_scale=0.0)
    with pytest.raises(BadInput, match="joint_angle"):
        Noise(joint_angle=-1.0)
    with pytest.raises(BadInput, match="kind"):
        Solid("cone", (1.0, 1.0))
    with pytest.raises(BadInput, match="size"):
        Solid("box", (1.0, 1.0))
    with pytest.raises(BadInput, match="shapes"):
        SimulatedWorld(robot).reset(robot.half_sitting[:-1])
