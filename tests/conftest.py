"""What holds for all tests.

They draw without a display, and MuJoCo looks for how only once, when it is first imported. No test
asserts a time, so hypothesis may take as long as a busy machine makes it.
"""

from hypothesis import HealthCheck, settings

from poise.simulation import gl

gl.choose_gl()
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
