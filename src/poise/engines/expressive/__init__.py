"""Expressive: design a walk with sliders over inverse dynamics."""

from poise.engines.expressive.controller import ExpressiveController as ExpressiveController
from poise.engines.expressive.controller import WalkOptions as WalkOptions
from poise.engines.expressive.engine import walk as walk
from poise.engines.expressive.engine import walk_again as walk_again
from poise.engines.expressive.gait import Gait as Gait
from poise.engines.expressive.options import GROUPS as GROUPS
from poise.engines.expressive.options import Style as Style
from poise.engines.expressive.options import knobs_for as knobs_for
from poise.engines.expressive.predictor import predict as predict
from poise.engines.expressive.predictor import ranges as ranges
from poise.engines.expressive.styling import blend as blend
from poise.engines.expressive.styling import find_style as find_style
from poise.engines.expressive.styling import load_style as load_style
from poise.engines.expressive.styling import preset_names as preset_names
from poise.engines.expressive.styling import save_style as save_style
from poise.engines.expressive.tick import Tick as Tick
