"""Functions of time with a rate: polynomials, B-splines, orientations, poses."""

from poise.trajectories.bsplines import BSpline
from poise.trajectories.combining import Along, Delayed, Piecewise, Stacked
from poise.trajectories.polynomials import Polynomial, hold, lift, minimum_jerk, quintic
from poise.trajectories.poses import PoseTrajectory, move, move_through, still
from poise.trajectories.trajectory import Trajectory
from poise.trajectories.turning import RotationPath, Turn, turn, turn_through
from poise.trajectories.waypoints import spline_through, through_waypoints

__all__ = [
    "Along",
    "BSpline",
    "Delayed",
    "Piecewise",
    "Polynomial",
    "PoseTrajectory",
    "RotationPath",
    "Stacked",
    "Trajectory",
    "Turn",
    "hold",
    "lift",
    "minimum_jerk",
    "move",
    "move_through",
    "quintic",
    "spline_through",
    "still",
    "through_waypoints",
    "turn",
    "turn_through",
]
