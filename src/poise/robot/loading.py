"""Loading a robot by name, by folder or by the path of a URDF."""

from __future__ import annotations

import hashlib
import os
import sys
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from poise.errors import BadInput, NotFound
from poise.robot.parts import PARTS, Coupling, Mirror, Sensor, Servos, Shape, Sole
from poise.robot.robot import BASE_Q, Robot
from poise.robot.urdf import build_model, read_urdf

ZOO = Path(__file__).parent / "zoo"


def user_zoo() -> Path:
    """The folder of the robots a user added; POISE_ROBOTS names another one."""
    default = Path.home() / ".config" / "poise" / "robots"
    return Path(os.environ.get("POISE_ROBOTS") or default)


def robot_folders() -> dict[str, Path]:
    """Folders of all known robots by name; a robot the user added may not hide a shipped one."""
    folders: dict[str, Path] = {}
    for home in (ZOO, user_zoo()):
        if home.is_dir():
            for folder in sorted(home.iterdir()):
                if (folder / "robot.toml").is_file():
                    folders.setdefault(folder.name, folder)
    return folders


def robot_names() -> tuple[str, ...]:
    """Names of all robots that can be loaded."""
    return tuple(robot_folders())


def load_robot(name: str | Path) -> Robot:
    """A robot by name ("nao"), by folder (with a robot.toml) or by the path of a URDF.

    A URDF that was not added yet is looked at on the spot: feet, soles, hands, half-sitting
    posture and the rest are guessed as `poise robots add` would.
    """
    path = Path(name)
    if path.suffix.lower() in (".urdf", ".xml") or (path.is_dir() and _is_robot(path)):
        return _load(str(path.resolve()))
    folders = robot_folders()
    wanted = str(name)
    if wanted not in folders:
        for known, folder in folders.items():
            aliases = _read_toml(folder / "robot.toml").get("aliases", [])
            if wanted.lower() in [known.lower(), *[a.lower() for a in aliases]]:
                wanted = known
                break
        else:
            raise NotFound("robot", wanted, list(folders))
    return _load(str(folders[wanted]))


def name_to_load(robot: Robot) -> str:
    """How to ask for a robot again: by its name, or by its URDF when it is in no zoo."""
    return robot.name if robot.folder.name == robot.name else str(robot.urdf)


def _is_robot(path: Path) -> bool:
    return (path / "robot.toml").is_file()


@lru_cache(maxsize=32)
def _load(path: str) -> Robot:
    if Path(path).is_dir():
        return load_folder(Path(path))
    from poise.robot.onboarding import look_at  # costs meshes; only needed for a bare URDF

    return look_at(Path(path)).robot


def load_folder(folder: Path) -> Robot:
    """A robot from its folder: robot.toml, and the URDF it holds or points to."""
    file = folder / "robot.toml"
    facts = _read_toml(file)
    urdf, packages = find_urdf(facts, file)
    return make_robot(facts, folder, urdf, packages)


def find_urdf(facts: Mapping[str, Any], file: Path) -> tuple[Path, tuple[Path, ...]]:
    """The URDF a robot.toml names, and the folders where its meshes are looked up."""
    model = facts.get("model", {})
    if "urdf" in model:
        urdf = (file.parent / model["urdf"]).resolve()
        return urdf, tuple(Path(p) for p in model.get("packages", []))
    if "package" in model:
        share = package_share(model["package"])
        if share is None:
            raise BadInput(
                file,
                "model.package",
                f"'{model['package']}', which is not installed",
                f"an installed package (pip install {model['package']})",
            )
        return share / model["path"], (share.parent,)
    raise BadInput(file, "model", "without urdf or package", "one of the two")


def package_share(package: str) -> Path | None:
    """Where an installed package keeps its models, or None."""
    for entry in sys.path:
        for place in (
            Path(entry) / "cmeel.prefix" / "share" / package,
            Path(entry) / package.replace("-", "_"),
        ):
            if place.is_dir():
                return place
    return None


def make_robot(
    facts: Mapping[str, Any], folder: Path, urdf: Path, packages: tuple[Path, ...] = ()
) -> Robot:
    """A robot from the facts of a robot.toml and its URDF."""
    file = folder / "robot.toml"
    model = build_model(read_urdf(urdf), urdf)
    add_inertias(model, facts.get("inertias", {}), file)
    locked = facts.get("model", {}).get("locked", {})
    if locked:
        model = weld(model, locked, file)
    names = tuple(model.names)[2:]
    apply_limits(model, facts.get("limits", {}), file)
    _put_base(model, facts)
    _add_frames(model, facts, file)
    soles = {
        part: Sole(_array(s["polygon"]), _array(s["corners"]))
        for part, s in facts.get("soles", {}).items()
    }
    couplings = tuple(Coupling(**c) for c in facts.get("couplings", []))
    for c in couplings:
        for joint in (c.joint, c.of):
            _known(joint, names, file, "couplings")
    postures = facts.get("postures", {})
    half = _standing(model, names, postures.get("half_sitting", {}), couplings, soles, file)
    comfort_angles = postures.get("comfort") or postures.get("half_sitting", {})
    return Robot(
        name=facts["name"],
        title=facts.get("title", facts["name"]),
        folder=folder,
        urdf=urdf,
        model=model,
        parts={part: p["link"] for part, p in facts.get("parts", {}).items()},
        soles=soles,
        half_sitting=half,
        comfort=_standing(model, names, comfort_angles, couplings, soles, file),
        couplings=couplings,
        mirror=_mirror(facts.get("mirror", {}), names, file),
        groups={
            group: tuple(_known(j, names, file, f"groups.{group}") for j in joints)
            for group, joints in facts.get("groups", {}).items()
        },
        servos=_servos(facts.get("servos", {}), names, file),
        sensors=tuple(_sensor(s) for s in facts.get("sensors", [])),
        shapes=tuple(
            Shape(s["link"], s["kind"], tuple(s["size"]), pose(s)) for s in facts.get("shapes", [])
        ),
        height=float(facts.get("height", 0.0)),
        model_hash=_hash(urdf, facts),
        licence=facts.get("licence", ""),
        aliases=tuple(facts.get("aliases", [])),
        sources=dict(facts.get("sources", {})),
        packages=packages,
    )


def pose(entry: Mapping[str, Any]) -> pin.SE3:
    """The pose of a table with xyz [m] and rpy [rad]."""
    rpy = [float(x) for x in entry.get("rpy", (0.0, 0.0, 0.0))]
    return pin.SE3(pin.rpy.rpyToMatrix(*rpy), _array(entry.get("xyz", (0.0, 0.0, 0.0))))


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except RecursionError:
        raise BadInput(file, "the TOML", "nested too deeply", "valid TOML") from None
    except ValueError as error:  # not TOML, not UTF-8, or a number that no machine holds
        raise BadInput(file, "the TOML", f"broken ({error})", "valid TOML") from None


def _array(values: Any) -> np.ndarray:
    array = np.array(values, dtype=float)
    array.setflags(write=False)
    return array


def _known(joint: str, names: tuple[str, ...], file: Path, field: str) -> str:
    if joint not in names:
        error = NotFound("joint", joint, names)
        raise BadInput(file, field, f"'{joint}'", f"a joint of the model. {error}") from None
    return joint


def weld(model: pin.Model, locked: Mapping[str, float], file: Path) -> pin.Model:
    """The model with some joints fixed at given angles [rad]."""
    q = pin.neutral(model)
    for joint, angle in locked.items():
        _known(joint, tuple(model.names), file, "model.locked")
        q[model.joints[model.getJointId(joint)].idx_q] = angle
    return pin.buildReducedModel(model, [model.getJointId(j) for j in locked], q)


def _put_base(model: pin.Model, facts: Mapping[str, Any]) -> None:
    """Let the floating base be the base part: x forward, z up, whatever the root link's axes."""
    entry = facts.get("parts", {}).get("base", {})
    if not model.existFrame(entry.get("link", ""), pin.FrameType.BODY):
        return  # said with the other parts
    link = model.frames[model.getFrameId(entry["link"], pin.FrameType.BODY)]
    T_base_root = (link.placement * pose(entry)).inverse()
    if link.parentJoint != 1 or T_base_root.isIdentity(1e-12):
        return
    model.inertias[1] = T_base_root.act(model.inertias[1])
    for joint in model.children[1]:
        model.jointPlacements[joint] = T_base_root * model.jointPlacements[joint]
    for frame in model.frames:
        if frame.parentJoint == 1 and frame.name != model.names[1]:
            frame.placement = T_base_root * frame.placement


def add_inertias(model: pin.Model, table: Mapping[str, list[float]], file: Path) -> None:
    """Give links that the URDF makes point masses an inertia about their centre, in place.

    Args:
        model: with all its joints.
        table: xx, yy, zz, xy, xz, yz about the centre of mass, in link axes [kg m^2], by link.
        file: where the table is from.
    """
    for link, (xx, yy, zz, xy, xz, yz) in table.items():
        if not model.existFrame(link, pin.FrameType.BODY):
            raise BadInput(file, "inertias", f"'{link}'", "links of the model")
        frame = model.frames[model.getFrameId(link, pin.FrameType.BODY)]
        R = frame.placement.rotation
        more = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        body = model.inertias[frame.parentJoint]
        try:
            whole = pin.Inertia(body.mass, body.lever, body.inertia + more)
        except (RuntimeError, ValueError):
            found = "below zero about one of its axes"
            raise BadInput(file, f"inertia of link '{link}'", found, "0 or more") from None
        model.inertias[frame.parentJoint] = whole


def apply_limits(model: pin.Model, table: Mapping[str, Mapping[str, float]], file: Path) -> None:
    """Replace limits the URDF leaves out, in place: lower, upper, velocity, effort of a joint."""
    for name, values in table.items():
        _known(name, tuple(model.names), file, "limits")
        joint = model.joints[model.getJointId(name)]
        for key, array, index in (
            ("lower", model.lowerPositionLimit, joint.idx_q),
            ("upper", model.upperPositionLimit, joint.idx_q),
            ("velocity", model.velocityLimit, joint.idx_v),
            ("effort", model.effortLimit, joint.idx_v),
        ):
            array[index] = values.get(key, array[index])


def _add_frames(model: pin.Model, facts: Mapping[str, Any], file: Path) -> None:
    """Every part, and every wrench or IMU sensor, becomes a frame of the model."""
    entries = dict(facts.get("parts", {}))
    missing = [part for part in PARTS if part not in entries]
    if missing:
        raise BadInput(file, "parts", f"without {', '.join(missing)}", ", ".join(PARTS))
    for sensor in facts.get("sensors", []):
        if sensor["kind"] != "pressure":
            entries[f"{sensor['name']}_sensor"] = sensor
    for name, entry in entries.items():
        if not model.existFrame(entry["link"], pin.FrameType.BODY):
            error = NotFound("link", entry["link"], [f.name for f in model.frames])
            raise BadInput(file, f"parts.{name}.link", f"'{entry['link']}'", str(error))
        index = model.getFrameId(entry["link"], pin.FrameType.BODY)
        link = model.frames[index]
        placement = link.placement * pose(entry)
        model.addFrame(
            pin.Frame(name, link.parentJoint, index, placement, pin.FrameType.OP_FRAME),
            append_inertia=False,
        )


def _standing(
    model: pin.Model,
    names: tuple[str, ...],
    angles: Mapping[str, float],
    couplings: tuple[Coupling, ...],
    soles: Mapping[str, Sole],
    file: Path,
) -> np.ndarray:
    """Joints at given angles, base where a sole is flat and the feet straddle the origin."""
    q = pin.neutral(model)
    for joint, angle in angles.items():
        q[BASE_Q + names.index(_known(joint, names, file, "postures"))] = angle
    for c in couplings:
        q[BASE_Q + names.index(c.joint)] = c.multiplier * q[BASE_Q + names.index(c.of)] + c.offset
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    feet = [data.oMf[model.getFrameId(part, pin.FrameType.OP_FRAME)] for part in sorted(soles)]
    if feet:
        T_sole_base = feet[0].inverse()
        centre = np.mean([(T_sole_base * foot).translation for foot in feet], axis=0)
        T_world_base = pin.SE3(np.eye(3), -np.array([centre[0], centre[1], 0.0])) * T_sole_base
        q[:BASE_Q] = pin.SE3ToXYZQUAT(T_world_base)
    q.setflags(write=False)
    return q


def _mirror(facts: Mapping[str, Any], names: tuple[str, ...], file: Path) -> Mirror:
    index, sign = np.arange(len(names)), np.ones(len(names))
    for left, right, s in facts.get("pairs", []):
        a = names.index(_known(left, names, file, "mirror.pairs"))
        b = names.index(_known(right, names, file, "mirror.pairs"))
        index[a], index[b], sign[a], sign[b] = b, a, s, s
    for joint, s in facts.get("middle", []):
        sign[names.index(_known(joint, names, file, "mirror.middle"))] = s
    return Mirror(index, sign)


def _servos(facts: Mapping[str, Any], names: tuple[str, ...], file: Path) -> Servos:
    missing = [name for name in names if name not in facts]
    if missing:
        raise BadInput(file, "servos", f"without {missing[0]}", "one entry for each joint")
    columns = {
        key: _array([facts[name].get(key, 0.0) for name in names])
        for key in ("kp", "kd", "armature", "damping", "friction")
    }
    return Servos(**columns)


def _sensor(entry: Mapping[str, Any]) -> Sensor:
    return Sensor(
        name=entry["name"],
        kind=entry["kind"],
        link=entry["link"],
        T_link_sensor=pose(entry),
        part=entry.get("part", ""),
        points=_array(entry.get("points", np.zeros((0, 3)))),
        labels=tuple(entry.get("labels", ())),
        status=entry.get("status", "published"),
    )


def _hash(urdf: Path, facts: Mapping[str, Any]) -> str:
    """Of the mechanics alone: a new place, colour or guess of a gain is not a new model."""
    digest = hashlib.sha256(urdf.read_bytes())
    digest.update(repr(facts.get("model", {}).get("locked") or {}).encode())
    for key in ("parts", "soles", "couplings", "inertias"):
        digest.update(repr(facts.get(key) or None).encode())
    return digest.hexdigest()[:16]
