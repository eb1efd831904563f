"""The MuJoCo model of a robot in a scene, built from the Robot alone.

How things touch:

- A sole touches with small balls at the corners of its polygon, whose lowest points are those
  corners. They meet the floor and the solids. Behind them lies a thin plate of the same
  outline, which meets only the solids: it carries the sole where the edge of a solid presses
  between the corners.
- The robot's collision shapes meet floor and solids, and, a little slimmer and in the pairs
  that SelfCollision watches, each other: primitives are fatter than the links in them, and a
  good motion that passes close must not be stopped by that. Shapes that reach the ground in
  half-sitting do not meet it: there the sole does the work, and a coarse primitive would
  lift it.
- Friction is that of the surface: the robot's own coefficient is kept near zero, and MuJoCo
  takes the larger of the two.

How things are driven:

- One actuator a motor, torque = kp (q* - q) + kd (v* - v) + feed-forward, clipped to the
  torque limit. Its input is kp q* + kd v* + feed-forward.
- A coupled pair has one motor, at the joint that leads, with that joint's gains, limit and
  rotor; the joint that follows keeps only its own passive losses and is held by a stiff
  equality. Two servos on one shaft would double the stiffness and fight each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
import pinocchio as pin

from poise.robot import Robot, Shape
from poise.robot.collision import SelfCollision
from poise.robot.robot import BASE_V, GRAVITY
from poise.simulation.bridge import XYZW_OF_WXYZ
from poise.simulation.options import SimulationOptions
from poise.simulation.scene import Scene
from poise.simulation.skeleton import give_inertia, skeleton, wxyz
from poise.simulation.soles import contact_points

BALL = 0.002  # [m], radius of the balls at the corners of a sole
RELIEF = 0.0005  # [m], how far the plate of a sole lies behind its corners
PLATE = 0.01  # [m], its thickness
NEAR_GROUND = 0.01  # [m], shapes lower than this in half-sitting are left to the sole
BUSH_DAMPING = 0.2  # twice the share of critical, with half the robot on it
PLATE_SHARE = 0.1  # of the foot's inertia, below a flexible ankle
SLIM = 0.0075  # of the height: how much thinner than its primitive a link may be
SURROUNDINGS = 1  # collision bit of floor and solids
SOLE = (0.02, 3.0)  # [s], how fast a rubber sole springs back, and how far beyond critically
GRIP = 20.0  # how much harder friction holds than the floor presses: without it feet creep
SLIPPERY = 1e-3  # friction of the robot's own surfaces, below that of any floor
SPRINGY = 0.05  # share of a contact's mass that a compliant floor may add to the foot's


@dataclass(frozen=True, eq=False)
class Physics:
    """A compiled model and where the robot's things are in it."""

    model: mujoco.MjModel
    qpos: np.ndarray  # (nq,), where each entry of the robot's q stands in qpos
    dofs: np.ndarray  # (nv,), where each entry of the robot's v stands in qvel
    bodies: np.ndarray  # (njoints,), the body of each Pinocchio joint
    motors: np.ndarray  # (m,), the joint that each actuator drives, in joint_names
    motor_qpos: np.ndarray  # (m,), where its angle stands in qpos
    motor_dofs: np.ndarray  # (m,), where its rate stands in qvel
    kp: np.ndarray  # (m,) [N m/rad]
    kd: np.ndarray  # (m,) [N m s/rad]
    owners: Mapping[int, str]  # geom -> part of a sole, or link of a shape
    plates: Mapping[str, int]  # foot -> body of its sole, where the ankle is flexible


def build(
    robot: Robot,
    options: SimulationOptions | None = None,
    scene: Scene | None = None,
    step: float | None = None,
) -> Physics:
    """The model of a robot in a scene.

    Args:
        robot: facts; nothing is read from its URDF again.
        options: of the world.
        scene: floor and solids; a bare floor when absent.
        step: of the physics [s], when not the options' own.
    """
    options, scene = options or SimulationOptions(), scene or Scene()
    spec, bodies = skeleton(robot)
    _settings(spec, options, options.physics_step if step is None else step)
    _joints(spec, robot)
    motors = _motors(spec, robot, options)
    _couplings(spec, robot)
    _surroundings(spec, options, scene)
    owners = _soles(spec, robot, bodies, options, scene)
    owners |= _shapes(spec, robot, bodies, options)
    _sites(robot, bodies)
    model = spec.compile()
    plates = {part: _plate_name(part) for part in robot.feet if options.flexible_ankles}
    give_inertia(robot, model, {plates[p]: (_foot_joint(robot, p), PLATE_SHARE) for p in plates})
    _soften(model, robot, options)
    _make_heavier(model, 1.0 + options.mass_error)
    joints = [model.joint(name) for name in robot.joint_names]
    return Physics(
        model=model,
        qpos=np.array([0, 1, 2, *XYZW_OF_WXYZ, *(j.qposadr[0] for j in joints)]),
        dofs=np.array([*range(BASE_V), *(j.dofadr[0] for j in joints)]),
        bodies=np.array([0] + [model.body(n).id for n in list(robot.model.names)[1:]]),
        motors=motors,
        motor_qpos=np.array([joints[k].qposadr[0] for k in motors]),
        motor_dofs=np.array([joints[k].dofadr[0] for k in motors]),
        kp=options.gain_scale * robot.servos.kp[motors],
        kd=options.gain_scale * robot.servos.kd[motors],
        owners={model.geom(name).id: owner for name, owner in owners.items()},
        plates={part: model.body(name).id for part, name in plates.items()},
    )


def servo_frequency(robot: Robot, gain_scale: float = 1.0) -> float:
    """The fastest oscillation that the servos could cause in half-sitting [rad/s].

    Where MuJoCo takes position gains as they were at the beginning of a physics step, the step
    must resolve it.
    """
    H = robot.at(robot.half_sitting).mass_matrix
    H = np.triu(H) + np.triu(H, 1).T
    H[BASE_V:, BASE_V:] += np.diag(robot.servos.armature - robot.model.armature[BASE_V:])
    mobility = np.linalg.inv(H)[BASE_V:, BASE_V:]
    root = np.sqrt(gain_scale * robot.servos.kp)
    return float(np.sqrt(np.linalg.eigvalsh(root[:, None] * mobility * root).max()))


def _settings(spec: mujoco.MjSpec, options: SimulationOptions, step: float) -> None:
    option = spec.option
    option.timestep = step
    option.integrator = integrator(options)
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    option.impratio = GRIP
    option.disableflags |= mujoco.mjtDisableBit.mjDSBL_ISLAND  # there is one robot
    option.gravity = -GRAVITY * floor_rotation(options).T[:, 2]


def integrator(options: SimulationOptions) -> mujoco.mjtIntegrator:
    """How MuJoCo takes a step.

    `discrete` takes position gains and contacts as they are at the end of a step: stiff servos
    on a stiff floor stay calm at any step, and the solver needs half the iterations. It also
    scales a contact by the servos behind it, so a floor of a given stiffness needs
    `implicitfast`, and then steps that resolve the servos.
    """
    if options.floor_stiffness is None:
        return mujoco.mjtIntegrator.mjINT_DISCRETE
    return mujoco.mjtIntegrator.mjINT_IMPLICITFAST


def floor_rotation(options: SimulationOptions) -> np.ndarray:
    """How the floor, and the world with it, lies in a frame whose z is truly up."""
    roll, pitch = options.slope
    return pin.rpy.rpyToMatrix(roll, pitch, 0.0)


def _joints(spec: mujoco.MjSpec, robot: Robot) -> None:
    servos, followers = robot.servos, {c.joint for c in robot.couplings}
    for k, name in enumerate(robot.joint_names):
        joint = spec.joint(name)
        joint.armature = 0.0 if name in followers else servos.armature[k]
        joint.damping = [servos.damping[k], 0.0, 0.0]
        joint.frictionloss = servos.friction[k]
        if np.isfinite([robot.lower[k], robot.upper[k]]).all() and robot.lower[k] < robot.upper[k]:
            joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            joint.range = [robot.lower[k], robot.upper[k]]


def _motors(spec: mujoco.MjSpec, robot: Robot, options: SimulationOptions) -> np.ndarray:
    followers = {c.joint for c in robot.couplings}
    motors = [k for k, name in enumerate(robot.joint_names) if name not in followers]
    for k in motors:
        kp, kd = options.gain_scale * robot.servos.kp[k], options.gain_scale * robot.servos.kd[k]
        actuator = spec.add_actuator(
            name=robot.joint_names[k],
            target=robot.joint_names[k],
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            gaintype=mujoco.mjtGain.mjGAIN_FIXED,
            gainprm=[1.0] + [0.0] * 9,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            biasprm=[0.0, -kp, -kd] + [0.0] * 7,
        )
        if 0.0 < robot.effort_limit[k] < np.inf:  # a limit of zero means nobody wrote one
            actuator.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
            actuator.forcerange = [-robot.effort_limit[k], robot.effort_limit[k]]
        if options.servo_lag > 0.0:
            actuator.dyntype = mujoco.mjtDyn.mjDYN_FILTEREXACT
            actuator.dynprm = [options.servo_lag] + [0.0] * 9
    return np.array(motors, dtype=int)


def _couplings(spec: mujoco.MjSpec, robot: Robot) -> None:
    for c in robot.couplings:
        spec.add_equality(
            type=mujoco.mjtEq.mjEQ_JOINT,
            objtype=mujoco.mjtObj.mjOBJ_JOINT,
            name1=c.joint,
            name2=c.of,
            data=[c.offset, c.multiplier] + [0.0] * 10,
            solref=[2.0 * spec.option.timestep, 1.0],
            solimp=[0.9999, 0.9999, 0.001, 0.5, 2.0],
        )


def _surroundings(spec: mujoco.MjSpec, options: SimulationOptions, scene: Scene) -> None:
    common = {
        "contype": SURROUNDINGS,
        "conaffinity": 0,
        "solmix": 1e-6,  # how a contact gives way is the business of the robot's side
    }
    if scene.floor:
        spec.worldbody.add_geom(
            name="floor",
            type=mujoco.mjtGeom.mjGEOM_PLANE,
            size=[0.0, 0.0, 1.0],
            friction=[options.friction, 0.005, 1e-4],
            **common,
        )
    for k, solid in enumerate(scene.solids):
        kind, size = primitive(solid.kind, solid.size)
        spec.worldbody.add_geom(
            name=f"solid/{k}",
            type=kind,
            size=size,
            pos=solid.T_world.translation,
            quat=wxyz(solid.T_world.rotation),
            friction=[solid.friction, 0.005, 1e-4],
            **common,
        )


def primitive(kind: str, size: Sequence[float]) -> tuple[mujoco.mjtGeom, list[float]]:
    """MuJoCo's kind and half sizes [m] of a box, sphere, cylinder or capsule."""
    if kind == "box":
        return mujoco.mjtGeom.mjGEOM_BOX, [0.5 * s for s in size]
    if kind == "sphere":
        return mujoco.mjtGeom.mjGEOM_SPHERE, [size[0], 0.0, 0.0]
    round_kinds = {
        "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
        "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    }
    return round_kinds[kind], [size[0], 0.5 * size[1], 0.0]


def _soles(
    spec: mujoco.MjSpec,
    robot: Robot,
    bodies: list[mujoco.MjsBody],
    options: SimulationOptions,
    scene: Scene,
) -> dict[str, str]:
    """Balls and plate of every sole; the part that each geom belongs to."""
    owners = {}
    for part in robot.feet:
        frame = robot.model.frames[robot.frame_id(part)]
        body, T_body_part = bodies[frame.parentJoint], frame.placement
        if options.flexible_ankles:
            body, T_body_part = _plate(spec, robot, body, part, options)
        points = contact_points(robot.soles[part].polygon)
        for k, (x, y) in enumerate(points):
            body.add_geom(
                name=f"{part}/{k}",
                type=mujoco.mjtGeom.mjGEOM_SPHERE,
                size=[BALL, 0.0, 0.0],
                pos=T_body_part.act(np.array([x, y, BALL])),
                contype=0,
                conaffinity=SURROUNDINGS,
                friction=[SLIPPERY, 1e-5, 1e-5],
                condim=3,
                solref=SOLE,
                solimp=[0.95, 0.99, 0.001, 0.5, 2.0],
            )
            owners[f"{part}/{k}"] = part
        if scene.solids:
            corners = [(x, y, z) for z in (RELIEF, RELIEF + PLATE) for x, y in points]
            vertices = np.array([T_body_part.act(np.array(c)) for c in corners])
            spec.add_mesh(name=f"{part}/plate", uservert=vertices.ravel())
            body.add_geom(
                name=f"{part}/plate",
                type=mujoco.mjtGeom.mjGEOM_MESH,
                meshname=f"{part}/plate",
                contype=0,
                conaffinity=2 * SURROUNDINGS,
                friction=[SLIPPERY, 1e-5, 1e-5],
                condim=3,
            )
            owners[f"{part}/plate"] = part
    for geom in spec.worldbody.geoms:  # solids meet plates too, the floor does not
        if geom.name.startswith("solid/"):
            geom.contype = 3 * SURROUNDINGS
    return owners


def _plate(
    spec: mujoco.MjSpec,
    robot: Robot,
    foot: mujoco.MjsBody,
    part: str,
    options: SimulationOptions,
) -> tuple[mujoco.MjsBody, pin.SE3]:
    """The sole as a body of its own, on a bush at the ankle that rolls, pitches and sinks."""
    frame = robot.model.frames[robot.frame_id(part)]
    R_foot_part = frame.placement.rotation
    plate = foot.add_body(
        name=_plate_name(part),
        quat=wxyz(R_foot_part),
        mass=1.0,
        inertia=np.ones(3),
        explicitinertial=True,
        simple=0,
    )

    def give(
        name: str,
        kind: mujoco.mjtJoint,
        axis: int,
        stiffness: float,
        damping: float,
        rest: float = 0.0,
    ) -> None:
        plate.add_joint(
            name=f"{_plate_name(part)}/{name}",
            type=kind,
            axis=np.eye(3)[axis],
            stiffness=[stiffness, 0.0, 0.0],
            damping=[damping, 0.0, 0.0],
            springref=rest,
            # as light as a physics step can follow: the swinging sole must not ring
            armature=4.0 * stiffness * spec.option.timestep**2,
        )

    if (spring := options.ankle_spring) is not None:
        damping = BUSH_DAMPING * np.sqrt(spring * 0.5 * robot.mass)
        # with its weight on both feet the robot is as tall as its facts say
        rest = -0.5 * robot.weight / spring
        give("sink", mujoco.mjtJoint.mjJNT_SLIDE, 2, spring, damping, rest)
    if (stiffness := options.ankle_stiffness) is not None:
        height = float(robot.at(robot.half_sitting).com[2])
        pendulum = 0.5 * robot.mass * height**2  # what one of two ankles carries
        damping = options.ankle_damping or BUSH_DAMPING * np.sqrt(stiffness * pendulum)
        for axis, name in enumerate(("roll", "pitch")):
            give(name, mujoco.mjtJoint.mjJNT_HINGE, axis, stiffness, damping)
    T_plate_part = pin.SE3(np.eye(3), R_foot_part.T @ frame.placement.translation)
    return plate, T_plate_part


def _plate_name(part: str) -> str:
    return f"{part}/sole"


def _foot_joint(robot: Robot, part: str) -> int:
    return robot.model.frames[robot.frame_id(part)].parentJoint


def _sites(robot: Robot, bodies: list[mujoco.MjsBody]) -> None:
    """Mark where parts and sensors are; a site has the name of its frame."""
    sensors = [f"{s.name}_sensor" for s in robot.sensors if s.kind == "imu"]
    for name in (*robot.parts, *sensors):
        frame = robot.model.frames[robot.frame_id(name)]
        placement = frame.placement
        bodies[frame.parentJoint].add_site(
            name=name, pos=placement.translation, quat=wxyz(placement.rotation)
        )


def _shapes(
    spec: mujoco.MjSpec, robot: Robot, bodies: list[mujoco.MjsBody], options: SimulationOptions
) -> dict[str, str]:
    """The robot's collision shapes; the link that each geom belongs to."""
    standing, owners = robot.at(robot.half_sitting), {}
    for k, shape in enumerate(robot.shapes):
        frame = robot.model.frames[robot.frame_id(shape.link)]
        placement = frame.placement * shape.T_link_shape
        lowest = lowest_point(shape, standing.pose(shape.link) * shape.T_link_shape)
        kind, size = primitive(shape.kind, shape.size)
        bodies[frame.parentJoint].add_geom(
            name=f"shape/{k}",
            type=kind,
            size=size,
            pos=placement.translation,
            quat=wxyz(placement.rotation),
            contype=0,
            conaffinity=SURROUNDINGS if lowest > NEAR_GROUND else 0,
            friction=[SLIPPERY, 1e-5, 1e-5],
            condim=3,
        )
        owners[f"shape/{k}"] = shape.link
    if options.self_collision and robot.shapes:
        _self_collision(spec, robot, bodies)
    return owners


def _self_collision(spec: mujoco.MjSpec, robot: Robot, bodies: list[mujoco.MjsBody]) -> None:
    """Slimmer copies of the shapes, which meet each other in the pairs that are watched."""
    pairs = [(p.first, p.second) for p in SelfCollision(robot).geometry.collisionPairs]
    for k in sorted({k for pair in pairs for k in pair}):
        shape = robot.shapes[k]
        frame = robot.model.frames[robot.frame_id(shape.link)]
        placement = frame.placement * shape.T_link_shape
        kind, size = primitive(shape.kind, shape.size)
        round_one = shape.kind != "box"  # the length of a capsule stays, its ends come closer
        slim = [max(s - SLIM * robot.height, 1e-3) for s in size]
        bodies[frame.parentJoint].add_geom(
            name=f"slim/{k}",
            type=kind,
            size=[slim[0], *size[1:]] if round_one else slim,
            pos=placement.translation,
            quat=wxyz(placement.rotation),
            contype=0,
            conaffinity=0,
        )
    for first, second in pairs:
        spec.add_pair(geomname1=f"slim/{first}", geomname2=f"slim/{second}", condim=1)


def lowest_point(shape: Shape, T_world_shape: pin.SE3) -> float:
    """Height of the lowest point of a shape [m]."""
    up = T_world_shape.rotation[2]  # the vertical in the shape's axes
    height = T_world_shape.translation[2]
    if shape.kind == "box":
        return float(height - 0.5 * np.abs(up) @ np.array(shape.size))
    if shape.kind == "sphere":
        return float(height - shape.size[0])
    return float(height - shape.size[0] - 0.5 * abs(up[2]) * shape.size[1])


def _soften(model: mujoco.MjModel, robot: Robot, options: SimulationOptions) -> None:
    """Give the soles a floor of a known stiffness and damping.

    MuJoCo's contact is a spring and damper with a mass of its own, 1/R, which grows with the
    impedance d. Here d is as small as the physics step allows, so that what is left is the
    spring and the damper that were asked for: force = K depth + B speed.
    """
    if options.floor_stiffness is None:
        return
    step = model.opt.timestep
    critical = 2.0 * np.sqrt(options.floor_stiffness * 0.5 * robot.mass)
    foot_damping = options.floor_damping or critical
    for part in robot.feet:
        balls = [g for g in range(model.ngeom) if model.geom(g).name.startswith(f"{part}/")]
        balls = [g for g in balls if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_SPHERE]
        shifting, turning = model.body_invweight0[model.geom_bodyid[balls[0]]]  # [1/kg], ...
        lever = float(np.linalg.norm(robot.soles[part].polygon, axis=1).max())
        # how light the foot is where it touches, against what a step of spring and damper does
        light = shifting + turning * lever**2
        swing = 4.0 * options.floor_stiffness * step**2 * light
        brake = 2.0 * foot_damping * step * light
        ratio = max(SPRINGY, (max(swing, brake) - 1.0) / len(balls))  # d / (1 - d)
        d, R = ratio / (1.0 + ratio), shifting / ratio
        stiffness, damping = options.floor_stiffness / len(balls), foot_damping / len(balls)
        for geom in balls:
            model.geom_solimp[geom] = [d, d, 0.001, 0.5, 2.0]
            model.geom_solref[geom] = [-stiffness * R * d, -damping * R * d]


def _make_heavier(model: mujoco.MjModel, factor: float) -> None:
    if factor != 1.0:
        model.body_mass *= factor
        model.body_inertia *= factor
        mujoco.mj_setConst(model, mujoco.MjData(model))
