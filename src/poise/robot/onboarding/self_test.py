"""Is what onboarding found a robot that can stand, step and reach? One question a function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from scipy.optimize import least_squares
from scipy.spatial import ConvexHull

from poise.robot.collision import SelfCollision
from poise.robot.onboarding.statics import foot_forces_torque
from poise.robot.robot import BASE_Q, Robot

POSTURES = 50  # random ones, for the symmetry


@dataclass(frozen=True)
class Test:
    """One question of the self-test, its answer and what would do."""

    name: str
    ok: bool
    value: float
    limit: float
    unit: str
    sentence: str

    __test__ = False  # not one of pytest's

    def __post_init__(self) -> None:
        object.__setattr__(self, "ok", bool(self.ok))  # plain values, whatever NumPy made of them
        object.__setattr__(self, "value", float(self.value))


def self_test(robot: Robot, misfit: float) -> tuple[Test, ...]:
    """All questions.

    Args:
        robot: as found.
        misfit: how far the soles lie from the lowest points of the feet [m].
    """
    return (
        mass(robot),
        inertia(robot),
        symmetry(robot),
        limits(robot),
        soles(robot),
        sole_fit(misfit),
        balance(robot),
        torques(robot),
        collision(robot),
        step(robot),
        reach(robot),
    )


def mass(robot: Robot) -> Test:
    """Is every joint followed by some mass, and is the whole a plausible humanoid?"""
    tree = robot.model.createData()
    pin.centerOfMass(robot.model, tree, robot.half_sitting, True)
    carried = [tree.mass[j] for j in range(2, robot.model.njoints)]
    ok = 0.5 < robot.mass < 500.0 and min(carried) > 0.0
    said = (
        f"The robot weighs {robot.mass:.3g} kg; its lightest joint carries {min(carried):.2g} kg."
    )
    return Test("mass", bool(ok), robot.mass, 500.0, "kg", said)


def inertia(robot: Robot) -> Test:
    """Is the mass matrix positive definite, so that forward dynamics has an answer?"""
    least = float(np.linalg.eigvalsh(robot.at(robot.half_sitting).mass_matrix)[0])
    said = f"The smallest eigenvalue of the mass matrix is {least:.2g} kg m^2."
    return Test("inertia", least > 0.0, least, 0.0, "kg m^2", said)


def symmetry(robot: Robot) -> Test:
    """Do left parts in a posture lie where right parts lie in its mirror image?"""
    worst = mirror_error(robot)
    said = f"Mirrored postures put the hands and feet within {1e3 * worst:.2g} mm of their images."
    return Test("symmetry", worst < 5e-3, worst, 5e-3, "m", said)


def mirror_error(robot: Robot) -> float:
    """Largest distance of a right part from the image of the left one, random postures [m]."""
    random = np.random.default_rng(1)
    low, high = np.maximum(robot.lower, -2.0), np.minimum(robot.upper, 2.0)
    worst = 0.0
    for _ in range(POSTURES):
        q = np.array(robot.half_sitting)
        q[BASE_Q:] = random.uniform(low, high)
        q = robot.coupled(q)
        here, there = robot.at(q), robot.at(robot.mirrored(q))
        for part in ("foot", "hand"):
            left = here.pose(f"left_{part}").translation * [1.0, -1.0, 1.0]
            right = there.pose(f"right_{part}").translation
            worst = max(worst, float(np.linalg.norm(left - right)))
    return worst


def limits(robot: Robot) -> Test:
    """Is half-sitting inside all joint limits, with some room?"""
    joints = robot.half_sitting[BASE_Q:]
    room = np.minimum(joints - robot.lower, robot.upper - joints)
    tight = int(room.argmin())
    where = robot.joint_names[tight]
    said = f"Half-sitting keeps {room[tight]:.3f} rad from its nearest limit ({where})."
    ok = room[tight] > 0.0 and bool((robot.effort_limit > 0.0).all())
    return Test("limits", bool(ok), float(room[tight]), 0.0, "rad", said)


def soles(robot: Robot) -> Test:
    """Do both soles lie in the ground in half-sitting?"""
    corners = _sole_corners(robot)
    worst = float(np.abs(corners[:, 2]).max())
    said = f"The corners of both soles lie within {worst:.1e} m of the ground in half-sitting."
    return Test("soles coplanar", worst < 1e-6, worst, 1e-6, "m", said)


def sole_fit(misfit: float) -> Test:
    """Do the sole planes agree with the shapes of the feet?"""
    said = f"The sole planes pass within {1e3 * misfit:.2g} mm of the lowest points of the feet."
    return Test("soles on the feet", misfit < 3e-3, misfit, 3e-3, "m", said)


def balance(robot: Robot) -> Test:
    """Is the centre of mass above the soles, away from their edges?"""
    hull = ConvexHull(_sole_corners(robot)[:, :2])
    com = robot.at(robot.half_sitting).com[:2]
    margin = float(-(hull.equations[:, :2] @ com + hull.equations[:, 2]).max())
    said = f"The centre of mass stands {1e3 * margin:.0f} mm inside the support polygon."
    return Test("balance", margin > 0.01, margin, 0.01, "m", said)


def torques(robot: Robot) -> Test:
    """Do the motors hold half-sitting with ease?"""
    load = static_load(robot)
    worst = int(load.argmax())
    where = robot.joint_names[worst]
    said = f"Standing takes at most {100 * load[worst]:.0f} % of a torque limit ({where})."
    return Test(
        "static torques", bool(load[worst] < 0.6), float(load[worst]), 0.6, "of the limit", said
    )


def static_load(robot: Robot) -> np.ndarray:
    """Torques of half-sitting as parts of their limits, (na,)."""
    here = robot.at(robot.half_sitting)
    feet = [
        (robot.model.frames[robot.frame_id(foot)].parentJoint, here.pose(foot).translation)
        for foot in robot.feet
    ]
    torque = foot_forces_torque(robot.model, robot.half_sitting, feet, np.eye(3))
    return np.abs(robot.motor_map @ torque) / robot.effort_limit


def collision(robot: Robot) -> Test:
    """Is the robot clear of itself in half-sitting?"""
    closest = SelfCollision(robot).closest(robot.half_sitting)
    between = " and ".join(closest.links)
    said = (
        f"In half-sitting the closest links ({between}) are {1e3 * closest.distance:.0f} mm apart."
    )
    return Test("self-collision", closest.distance > 0.0, closest.distance, 0.0, "m", said)


def step(robot: Robot) -> Test:
    """Can the left foot be put forward, flat, by a fifth of the leg's length?"""
    leg = robot.indices("left_leg") + BASE_Q
    here = robot.at(robot.half_sitting)
    start = here.pose("left_foot")
    hip = here.data.oMi[robot.model.getJointId(robot.groups["left_leg"][0])].translation
    length = float(np.linalg.norm(hip - start.translation))
    goal = pin.SE3(start.rotation, start.translation + [0.2 * length, 0.0, 0.02 * length])

    def misfit(x: np.ndarray) -> np.ndarray:
        q = np.array(robot.half_sitting)
        q[leg] = x
        error = goal.actInv(robot.at(robot.coupled(q)).pose("left_foot"))
        return pin.log6(error).vector * [1.0, 1.0, 1.0, length, length, length]

    low, high = robot.lower[leg - BASE_Q], robot.upper[leg - BASE_Q]
    x0 = np.clip(robot.half_sitting[leg], low + 1e-6, high - 1e-6)
    found = least_squares(misfit, x0, bounds=(low, high), max_nfev=60)
    miss = float(np.linalg.norm(found.fun))
    said = f"The left foot steps {0.2 * length:.2f} m forward and misses by {1e3 * miss:.1g} mm."
    return Test("step", miss < 5e-3, miss, 5e-3, "m", said)


def reach(robot: Robot) -> Test:
    """How far in front of its shoulder does the left hand get?"""
    random = np.random.default_rng(2)
    arm = robot.indices("left_arm")
    shoulder = (
        robot.at(robot.half_sitting)
        .data.oMi[robot.model.getJointId(robot.groups["left_arm"][0])]
        .translation
    )
    furthest = 0.0
    for _ in range(300):
        q = np.array(robot.half_sitting)
        q[BASE_Q + arm] = random.uniform(
            np.maximum(robot.lower[arm], -3.2), np.minimum(robot.upper[arm], 3.2)
        )
        hand = robot.at(robot.coupled(q)).pose("left_hand").translation
        furthest = max(furthest, float(hand[0] - shoulder[0]))
    least = 0.1 * robot.height
    said = f"The left hand gets {furthest:.2f} m in front of its shoulder."
    return Test("reach", furthest > least, furthest, least, "m", said)


def _sole_corners(robot: Robot) -> np.ndarray:
    """Corners of both sole polygons in half-sitting [m], (n, 3)."""
    here = robot.at(robot.half_sitting)
    return np.vstack(
        [
            robot.soles[foot].outline @ here.pose(foot).rotation.T + here.pose(foot).translation
            for foot in robot.feet
        ]
    )
