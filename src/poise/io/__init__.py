"""Files <-> Motion, Recording: every dialect by name, written whole, read without trust."""

from poise.files import write_whole as write_whole
from poise.io.detective import Verdict as Verdict
from poise.io.detective import sniff as sniff
from poise.io.dialects.dialect import Dialect as Dialect
from poise.io.files import load as load
from poise.io.files import read_motion as read_motion
from poise.io.files import save as save
from poise.io.files import write_motion as write_motion
from poise.io.recordings import read_recording as read_recording
from poise.io.recordings import write_c3d as write_c3d
from poise.io.registry import DIALECTS as DIALECTS
from poise.io.registry import dialect_for_writing as dialect_for_writing
from poise.io.registry import dialect_named as dialect_named
