"""What flows between everyone: Motion, Recording, Controller, World, Mark."""

from poise.motion.marks import Canvas as Canvas
from poise.motion.marks import Mark as Mark
from poise.motion.motion import Motion as Motion
from poise.motion.motion import motion_of as motion_of
from poise.motion.motion import velocities as velocities
from poise.motion.recording import ForcePlate as ForcePlate
from poise.motion.recording import Recording as Recording
from poise.motion.recording import Skeleton as Skeleton
from poise.motion.rollout import Command as Command
from poise.motion.rollout import Controller as Controller
from poise.motion.rollout import IdealWorld as IdealWorld
from poise.motion.rollout import Observation as Observation
from poise.motion.rollout import Player as Player
from poise.motion.rollout import World as World
from poise.motion.rollout import record as record
from poise.motion.rollout import tilt as tilt
