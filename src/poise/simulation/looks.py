"""The robot as it looks: visual shapes, floor, sky and light as a MuJoCo model for drawing."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin

from poise.robot import Robot, Shape
from poise.robot.meshes import load_mesh, thinned
from poise.robot.urdf import Geometry, geometries, read_urdf
from poise.simulation.model import primitive
from poise.simulation.scene import Scene
from poise.simulation.skeleton import skeleton, wxyz

MOST_FACES = 12_000  # of one mesh; finer ones are thinned
TILE, SMALL_TILE = 0.5, 0.2  # [m], side of a tile of the floor, and under small robots
BARE = (0.72, 0.75, 0.80, 1.0)  # colour of shapes that have none


def build_looks(robot: Robot, scene: Scene, size: tuple[int, int]) -> mujoco.MjModel:
    """A model that is only good for drawing.

    Args:
        robot: drawn with the visual shapes of its URDF, or with its collision shapes if it has
            none.
        scene: floor and solids around it.
        size: largest width and height of a picture [pixels].
    """
    spec, bodies = skeleton(robot)
    _studio(spec, robot, size)
    if scene.floor:
        _floor(spec, SMALL_TILE if robot.height < 0.8 else TILE)
    for solid in scene.solids:
        kind, half = primitive(solid.kind, solid.size)
        spec.worldbody.add_geom(
            type=kind,
            size=half,
            pos=solid.T_world.translation,
            quat=wxyz(solid.T_world.rotation),
            material=_paint(spec, (*(c / 255.0 for c in solid.colour), 1.0)),
            contype=0,
            conaffinity=0,
        )
    shown = geometries(read_urdf(robot.urdf), robot.urdf, robot.packages, "visual")
    shown = [g for g in shown if robot.model.existFrame(g.link)]
    if shown:
        for k, geometry in enumerate(shown):
            _visual(spec, robot, bodies, geometry, k)
    else:
        for shape in robot.shapes:
            _add(spec, robot, bodies, shape, shape.T_link_shape, BARE)
    return spec.compile()


def _studio(spec: mujoco.MjSpec, robot: Robot, size: tuple[int, int]) -> None:
    visual = spec.visual
    visual.global_.offwidth, visual.global_.offheight = size
    visual.global_.fovy = 35.0
    visual.quality.shadowsize = 4096
    visual.quality.offsamples = 4
    visual.headlight.ambient = [0.38, 0.38, 0.40]
    visual.headlight.diffuse = [0.30, 0.30, 0.30]
    visual.headlight.specular = [0.10, 0.10, 0.10]
    visual.map.znear = 0.01
    visual.map.shadowclip = 1.5  # of the extent: what lies further off throws no shadow
    visual.map.haze = 0.35
    visual.rgba.haze = [0.84, 0.88, 0.93, 1.0]
    spec.stat.extent = max(robot.height, 0.3)
    spec.stat.center = [0.0, 0.0, 0.5 * robot.height]
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.62, 0.74, 0.88],
        rgb2=[0.90, 0.93, 0.96],
        width=512,
        height=512,
    )
    key = {"type": mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, "specular": [0.25, 0.25, 0.25]}
    above = 4.0 * max(robot.height, 0.5)
    spec.worldbody.add_light(
        name="key",
        pos=[0.0, 0.0, above],
        dir=[-0.45, 0.30, -1.0],
        diffuse=[0.56, 0.54, 0.51],
        castshadow=True,
        mode=mujoco.mjtCamLight.mjCAMLIGHT_FIXED,
        **key,
    )
    spec.worldbody.add_light(
        name="fill",
        pos=[0.0, 0.0, above],
        dir=[0.6, -0.3, -0.5],
        diffuse=[0.16, 0.18, 0.22],
        castshadow=False,
        **key,
    )


def _floor(spec: mujoco.MjSpec, tile: float) -> None:
    spec.add_texture(
        name="tiles",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        mark=mujoco.mjtMark.mjMARK_EDGE,
        rgb1=[0.80, 0.83, 0.86],
        rgb2=[0.74, 0.77, 0.81],
        markrgb=[0.66, 0.70, 0.75],
        width=512,
        height=512,
    )
    tiles = spec.add_material(
        name="tiles",
        texuniform=True,
        texrepeat=[0.5 / tile, 0.5 / tile],  # a texture holds two tiles each way
        specular=0.2,
        shininess=0.3,
    )
    tiles.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "tiles"
    spec.worldbody.add_geom(
        name="floor",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[0.0, 0.0, 0.5],
        material="tiles",
        contype=0,
        conaffinity=0,
    )


def _visual(
    spec: mujoco.MjSpec,
    robot: Robot,
    bodies: list[mujoco.MjsBody],
    geometry: Geometry,
    number: int,
) -> None:
    if geometry.kind != "mesh":
        _add(spec, robot, bodies, geometry, geometry.T_link_shape, geometry.rgba)
        return
    if geometry.mesh is None:
        return  # its file is nowhere; the rest of the robot is still worth seeing
    vertices, faces = light_mesh(*load_mesh(geometry.mesh, geometry.size))
    if len(faces) < 4:
        return
    name = f"visual/{number}"
    spec.add_mesh(
        name=name,
        uservert=vertices.ravel().tolist(),
        userface=faces.ravel().tolist(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,  # visual meshes are seldom closed
    )
    frame = robot.model.frames[robot.frame_id(geometry.link)]
    placement = frame.placement * geometry.T_link_shape
    bodies[frame.parentJoint].add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        pos=placement.translation,
        quat=wxyz(placement.rotation),
        material=_paint(spec, geometry.rgba),
        contype=0,
        conaffinity=0,
    )


def light_mesh(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mesh, or one thinned until it is light enough to draw."""
    extent = float(np.ptp(vertices, axis=0).max()) if len(vertices) else 0.0
    cells = 256.0
    light, fewer = vertices, faces
    while len(fewer) > MOST_FACES and cells > 8.0:
        light, fewer = thinned(vertices, faces, extent / cells)
        cells *= 0.75
    return light, fewer


def _add(
    spec: mujoco.MjSpec,
    robot: Robot,
    bodies: list[mujoco.MjsBody],
    shape: Shape | Geometry,
    T_link_shape: pin.SE3,
    rgba: tuple[float, ...],
) -> None:
    frame = robot.model.frames[robot.frame_id(shape.link)]
    placement = frame.placement * T_link_shape
    kind, size = primitive(shape.kind, shape.size)
    bodies[frame.parentJoint].add_geom(
        type=kind,
        size=size,
        pos=placement.translation,
        quat=wxyz(placement.rotation),
        material=_paint(spec, rgba),
        contype=0,
        conaffinity=0,
    )


def _paint(spec: mujoco.MjSpec, rgba: tuple[float, ...]) -> str:
    """The material of a colour, made when it is first asked for."""
    name = "paint/" + "/".join(f"{c:.4f}" for c in rgba)
    if spec.material(name) is None:
        spec.add_material(name=name, rgba=list(rgba), specular=0.35, shininess=0.45)
    return name
