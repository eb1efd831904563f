"""Whole-body motions through contact phases, whose constraints hold at every instant."""

from poise.engines.multicontact.engine import Progress as Progress
from poise.engines.multicontact.engine import Solution as Solution
from poise.engines.multicontact.engine import plan as plan
from poise.engines.multicontact.engine import solve as solve
from poise.engines.multicontact.options import PlanOptions as PlanOptions
from poise.engines.multicontact.playing import Steadied as Steadied
from poise.engines.multicontact.scene import SceneFile as SceneFile
from poise.engines.multicontact.scene import parse_scene as parse_scene
from poise.engines.multicontact.scene import read_scene as read_scene
from poise.engines.multicontact.scene import scene_names as scene_names
