"""Soles on surfaces: friction, Touch, ContactPlan, what a support can carry."""

from poise.contacts.friction import cone_excess as cone_excess
from poise.contacts.friction import pyramid as pyramid
from poise.contacts.friction import pyramid_rows as pyramid_rows
from poise.contacts.support import WrenchCone as WrenchCone
from poise.contacts.support import support_points as support_points
from poise.contacts.support import zmp as zmp
from poise.contacts.touch import ContactPlan as ContactPlan
from poise.contacts.touch import Touch as Touch
