"""The web page where motions are made."""

from poise.studio.studio import Studio as Studio
from poise.studio.studio import open_studio as open_studio
