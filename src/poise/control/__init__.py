"""Tasks, contacts and limits at one instant: inverse kinematics, inverse dynamics, stack."""

from poise.control.footing import Footing as Footing
from poise.control.inverse_dynamics import Dynamics as Dynamics
from poise.control.inverse_dynamics import DynamicsOptions as DynamicsOptions
from poise.control.inverse_dynamics import InverseDynamics as InverseDynamics
from poise.control.inverse_kinematics import InverseKinematics as InverseKinematics
from poise.control.inverse_kinematics import KinematicsOptions as KinematicsOptions
from poise.control.inverse_kinematics import reach as reach
from poise.control.stack import LimitedStack as LimitedStack
from poise.control.stack import StackVelocity as StackVelocity
from poise.control.stack import StrictStack as StrictStack
from poise.control.stack import slow_down as slow_down
from poise.control.stack import solve_stack as solve_stack
