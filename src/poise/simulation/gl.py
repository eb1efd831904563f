"""How MuJoCo draws without a display; to be imported before MuJoCo, which looks only once."""

from __future__ import annotations

import ctypes.util
import importlib
import os
import sys


def choose_gl() -> None:
    """Let MuJoCo draw off screen where there is no display; a user's own choice stands."""
    shown = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if shown or "MUJOCO_GL" in os.environ or not sys.platform.startswith("linux"):
        return
    for name, library in (("egl", "EGL"), ("osmesa", "OSMesa")):
        if ctypes.util.find_library(library):
            os.environ["MUJOCO_GL"] = name
            _look_again()
            return


def _look_again() -> None:
    """Somebody imported MuJoCo before us: it chose a way that needs a display, and aborts."""
    chosen = sys.modules.get("mujoco.rendering.classic.gl_context")
    if chosen is not None:
        importlib.reload(chosen)


choose_gl()
