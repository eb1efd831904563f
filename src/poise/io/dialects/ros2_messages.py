"""The ROS 2 messages a motion needs: their standard definitions, and CDR bytes as values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcap.records import Schema
from mcap_ros2.decoder import DecoderFactory

TRAJECTORY = "trajectory_msgs/msg/JointTrajectory"
POSE = "geometry_msgs/msg/PoseStamped"

_BAR = "=" * 80
_HEADER = f"""{_BAR}
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
{_BAR}
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""
DEFINITIONS = {
    TRAJECTORY: f"""std_msgs/Header header
string[] joint_names
trajectory_msgs/JointTrajectoryPoint[] points
{_BAR}
MSG: trajectory_msgs/JointTrajectoryPoint
float64[] positions
float64[] velocities
float64[] accelerations
float64[] effort
builtin_interfaces/Duration time_from_start
{_BAR}
MSG: builtin_interfaces/Duration
int32 sec
uint32 nanosec
{_HEADER}""",
    POSE: f"""std_msgs/Header header
geometry_msgs/Pose pose
{_BAR}
MSG: geometry_msgs/Pose
geometry_msgs/Point position
geometry_msgs/Quaternion orientation
{_BAR}
MSG: geometry_msgs/Point
float64 x
float64 y
float64 z
{_BAR}
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
{_HEADER}""",
}


def kind_of(schema_name: str) -> str | None:
    """TRAJECTORY or POSE for a schema's name, with or without its "msg" part; else None."""
    for known in DEFINITIONS:
        if schema_name in (known, known.replace("/msg/", "/")):
            return known
    return None


def decoder(kind: str) -> Callable[[bytes], Any]:
    """Bytes to values by the standard definition, whatever definition a file brings along."""
    schema = Schema(id=1, name=kind, encoding="ros2msg", data=DEFINITIONS[kind].encode())
    found = DecoderFactory().decoder_for("cdr", schema)
    assert found is not None
    return found


def stamp(nanoseconds: int) -> dict[str, int]:
    """A time or a duration as ROS writes it."""
    return {"sec": nanoseconds // 1_000_000_000, "nanosec": nanoseconds % 1_000_000_000}


def nanoseconds(stamp: Any) -> int:
    """A time or a duration as one number."""
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)
