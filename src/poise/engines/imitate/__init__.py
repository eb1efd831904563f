"""Imitate: a person's captured walk on any humanoid."""

from poise.engines.imitate.contact_phases import Phase as Phase
from poise.engines.imitate.contact_phases import Stance as Stance
from poise.engines.imitate.events import Events as Events
from poise.engines.imitate.events import FootEvents as FootEvents
from poise.engines.imitate.events import foot_events as foot_events
from poise.engines.imitate.human_model import FootShape as FootShape
from poise.engines.imitate.human_model import Human as Human
from poise.engines.imitate.human_model import human as human
from poise.engines.imitate.options import DYNAMIC as DYNAMIC
from poise.engines.imitate.options import QUASISTATIC as QUASISTATIC
from poise.engines.imitate.options import ImitateOptions as ImitateOptions
