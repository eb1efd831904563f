"""Residuals, one idea a file, and the Task that says how much one matters."""

from poise.tasks.axis import AxisParallel as AxisParallel
from poise.tasks.com import CenterOfMass as CenterOfMass
from poise.tasks.com import ComHeight as ComHeight
from poise.tasks.frame import FrameOrientation as FrameOrientation
from poise.tasks.frame import FramePose as FramePose
from poise.tasks.frame import FramePosition as FramePosition
from poise.tasks.heading import Heading as Heading
from poise.tasks.momentum import AngularMomentum as AngularMomentum
from poise.tasks.posture import Comfort as Comfort
from poise.tasks.posture import JointResidual as JointResidual
from poise.tasks.posture import Posture as Posture
from poise.tasks.relative import RelativePose as RelativePose
from poise.tasks.residual import Linear as Linear
from poise.tasks.residual import Residual as Residual
from poise.tasks.residual import Task as Task
from poise.tasks.torque import TorqueEffort as TorqueEffort
