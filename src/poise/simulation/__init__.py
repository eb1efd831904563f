"""MuJoCo, and nothing else imports it: worlds, replay, pictures."""

from poise.simulation import gl as gl  # isort: skip  (before anything imports MuJoCo)
from poise.simulation.ankles import sagging_ankles as sagging_ankles
from poise.simulation.falls import FallWatch as FallWatch
from poise.simulation.options import Noise as Noise
from poise.simulation.options import Push as Push
from poise.simulation.options import SimulationOptions as SimulationOptions
from poise.simulation.render import Camera as Camera
from poise.simulation.render import frames as frames
from poise.simulation.replay import ReplayVerdict as ReplayVerdict
from poise.simulation.replay import replay as replay
from poise.simulation.replay import run as run
from poise.simulation.scene import Scene as Scene
from poise.simulation.scene import Solid as Solid
from poise.simulation.world import SimulatedWorld as SimulatedWorld
