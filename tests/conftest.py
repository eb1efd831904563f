"""Tests draw without a display; MuJoCo looks for how only once, when it is first imported."""

from poise.simulation import gl

gl.choose_gl()
