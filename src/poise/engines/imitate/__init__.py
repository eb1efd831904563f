"""Imitate: a person's captured walk on any humanoid."""

from poise.engines.imitate.contact_phases import Phase as Phase
from poise.engines.imitate.contact_phases import Stance as Stance
from poise.engines.imitate.foot_events import Events as Events
from poise.engines.imitate.foot_events import FootEvents as FootEvents
from poise.engines.imitate.foot_events import foot_events as foot_events
from poise.engines.imitate.human import FootShape as FootShape
from poise.engines.imitate.human import Human as Human
from poise.engines.imitate.human import human as human
