"""Interact: lead a walking robot by the hand."""

from poise.engines.interact.controller import InteractController as InteractController
from poise.engines.interact.engine import Led as Led
from poise.engines.interact.engine import lead as lead
from poise.engines.interact.engine import recipe_of as recipe_of
from poise.engines.interact.figures import figures as figures
from poise.engines.interact.leader import Leader as Leader
from poise.engines.interact.leader import find_leader as find_leader
from poise.engines.interact.leader import leader_names as leader_names
from poise.engines.interact.options import InteractOptions as InteractOptions
from poise.engines.interact.options import knobs_for as knobs_for
from poise.engines.interact.options import options_for as options_for
from poise.engines.interact.safe_area import SafeArea as SafeArea
from poise.engines.interact.safe_area import default_area as default_area
from poise.engines.interact.safe_area import load_area as load_area
from poise.engines.interact.safe_area import save_area as save_area
from poise.engines.interact.size import Size as Size
