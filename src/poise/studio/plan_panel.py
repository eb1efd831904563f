"""The plan panel: a scene whose contacts and targets are moved in 3D, solved while one watches."""

from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pinocchio as pin
import viser

from poise.engines.multicontact import scene_names
from poise.engines.multicontact.scene import SceneFile, SolidWish, read_scene
from poise.errors import PoiseError
from poise.robot.quaternion import quat_of
from poise.studio import engine_jobs, words
from poise.studio.motion_show import Kept
from poise.studio.scene_edit import Handle, handles_of, moved, stretched
from poise.viewer import colours
from poise.viewer.page import set_value
from poise.viewer.stage import WORLD

if TYPE_CHECKING:
    from poise.studio.session import Session

LOOK = 0.4  # [s], between two looks at the progress
ROOT = f"{WORLD}/plan"
TARGET, CONTACT = colours.COM, colours.SUPPORT


class PlanPanel:
    """Choose a scene, move what is in it, solve it.

    Args:
        session: the browser.
    """

    def __init__(self, session: Session) -> None:
        self.session, self.robot = session, session.robot
        self.scene: SceneFile = read_scene(scene_names()[0])
        self.failed: str | None = None  # the phase that cannot be done
        self._why = ""
        self._nodes: list[Any] = []
        self._gizmos: dict[int, Any] = {}  # of the handles that are shown
        self._parts: list[Any] = []  # of the panel, for this scene
        self._drawn = False
        self._progress: Path | None = None
        gui, safely = session.client.gui, session.safely
        self._state = gui.add_html("")
        self.chooser = gui.add_dropdown("scene", tuple(scene_names()))
        show = gui.add_button("Show the scene", icon=viser.Icon.EYE)
        self._edit = gui.add_folder("Contacts, targets, phases")
        self.keep = gui.add_checkbox("keep these durations", False)
        self.seconds = gui.add_slider("at most [s]", min=5, max=300, step=5, initial_value=60)
        solve = gui.add_button("Solve", icon=viser.Icon.ROUTE)
        self.stop = gui.add_button(
            "Stop with the best so far", icon=viser.Icon.PLAYER_STOP, color="gray", visible=False
        )
        self.chooser.on_update(safely(lambda _: self.choose(self.chooser.value)))
        show.on_click(safely(lambda _: session.present(self)))
        solve.on_click(safely(lambda _: self.solve()))
        self.stop.on_click(safely(lambda _: self._halt()))
        self._say()
        self._build()

    # -- the scene ---------------------------------------------------------------------

    def choose(self, name: str) -> None:
        """Take another scene, as it is shipped."""
        self.scene, self.failed, self._why = read_scene(name), None, ""
        if self.chooser.value != name:
            set_value(self.chooser, name)
        self._build()
        self._say()
        if self.session.show is self:
            self._undraw()
        else:
            self.session.present(self)

    def _build(self) -> None:
        """Fields for the places, sliders for the phases."""
        gui, in_turn = self.session.client.gui, self.session.in_turn
        for part in self._parts:
            part.remove()
        self._parts = []
        self.fields: list[tuple[Handle, Any]] = []
        with self._edit:
            for handle in handles_of(self.robot, self.scene):
                x, y, z = (round(float(v), 3) for v in handle.place)
                box = gui.add_vector3(
                    f"{handle.label} [m]", (x, y, z), step=0.005, hint=f"{handle.kind}: x, y, z"
                )
                self._parts.append(box)
                self.fields.append((handle, box))

                def typed(event: Any, handle: Handle = handle, box: Any = box) -> None:
                    if event.client is not None:
                        self.move(handle, np.array(box.value))

                box.on_update(in_turn(typed))
            for k, phase in enumerate(self.scene.phases):
                slider = gui.add_slider(
                    f"{phase.name} [s]",
                    min=0.2,
                    max=max(8.0, phase.duration),
                    step=0.1,
                    initial_value=phase.duration,
                    hint=", ".join(phase.contacts),
                )
                self._parts.append(slider)

                def turned(event: Any, k: int = k, slider: Any = slider) -> None:
                    if event.client is not None:
                        self.stretch(k, float(slider.value))

                slider.on_update(in_turn(turned))

    def move(self, handle: Handle, place: np.ndarray) -> None:
        """Put a contact or a target somewhere else [m]."""
        self.scene = moved(self.robot, self.scene, handle, place)
        x, y, z = (round(float(v), 3) for v in place)
        for one, box in self.fields:
            if one is handle:
                set_value(box, (x, y, z))
        gizmo = self._gizmos.get(id(handle))
        if gizmo is not None and not np.allclose(gizmo.position, place, atol=1e-6):
            gizmo.position = place
        self._fresh()

    def stretch(self, phase: int, duration: float) -> None:
        """Let a phase last longer or shorter [s]."""
        self.scene = stretched(self.scene, phase, duration, self.keep.value)
        self._fresh()

    def _fresh(self) -> None:
        self.failed, self._why = None, ""
        self._say()

    def _say(self) -> None:
        """The phases in words, the one that cannot be done in red."""
        rows = "".join(
            '<div style="display:flex;font-size:12px;padding:1px 12px;'
            f"{f'color:{colours.css(words.BAD)};font-weight:600' if p.name == self.failed else ''}"
            f'"><span style="width:120px">{escape(p.name)}</span>'
            f"<span>{escape(', '.join(p.contacts))}</span></div>"
            for p in self.scene.phases
        )
        why = words.banner("No motion does all of this", self._why, words.BAD) if self._why else ""
        self._state.content = words.text(self.scene.title) + rows + why

    # -- the show ----------------------------------------------------------------------

    def enter(self) -> None:
        """The scene is shown, with what can be moved."""
        self._drawn = False

    def advance(self, passed: float) -> None:
        """Nothing moves by itself."""

    def draw(self) -> None:
        """Draw the scene when it has changed."""
        if self._drawn:
            return
        self._drawn = True
        session, scene = self.session, self.session.client.scene
        session.stage.robot.update(self.robot.half_sitting)
        session.follow_to(np.zeros(3))
        self._nodes.append(scene.add_frame(ROOT, show_axes=False))
        for k, solid in enumerate(self.scene.solids):
            self._nodes.append(_solid(scene, f"{ROOT}/solid{k}", solid))
        for k, (handle, box) in enumerate(self.fields):
            self._gizmo(k, handle, np.array(box.value))

    def _gizmo(self, k: int, handle: Handle, place: np.ndarray) -> None:
        scene, size = self.session.client.scene, self.robot.height
        gizmo = scene.add_transform_controls(
            f"{ROOT}/handle{k}",
            scale=0.13 * size,
            disable_rotations=True,
            position=place,
            depth_test=False,
        )
        colour = TARGET if handle.kind == "task" else CONTACT
        ball = scene.add_icosphere(f"{ROOT}/handle{k}/ball", radius=0.02 * size, color=colour)
        label = scene.add_label(f"{ROOT}/handle{k}/label", handle.label)
        self._nodes += [gizmo, ball, label]

        self._gizmos[id(handle)] = gizmo

        def dragged(_: Any) -> None:
            self.move(handle, np.array(gizmo.position))

        gizmo.on_update(self.session.in_turn(dragged))

    def _undraw(self) -> None:
        with self.session.lock:
            for node in reversed(self._nodes):
                node.remove()
            self._nodes, self._drawn = [], False
            self._gizmos.clear()

    def leave(self) -> None:
        """Something else is shown."""
        self._undraw()
        self.session.stage.canvas.show([])

    # -- solving -----------------------------------------------------------------------

    def solve(self) -> None:
        """Solve the scene in the workshop, tell how it goes, and show what was found."""
        session, name, robot = self.session, self.chooser.value, self.session.robot
        self._fresh()
        with tempfile.TemporaryDirectory(prefix="poise-plan-") as folder:
            self._progress = Path(folder) / "progress.json"
            self.stop.visible = True
            try:
                with session.busy(f"Planning {name}", "the program is being written") as notice:
                    session.later(LOOK, lambda: self._look(notice))
                    made = session.work(
                        engine_jobs.plan,
                        session.spec,
                        self.scene,
                        float(self.seconds.value),
                        str(self._progress),
                    )
            except PoiseError as error:
                self._blame(str(error))
                session.say(f"No plan for {name}", "The Plan tab says why.", "red", 12.0)
                return
            finally:
                self._progress, self.stop.visible = None, False
        title = session.finish(robot, Kept(f"plan, {name}", made.motion, made.judged)).title
        session.say(title, made.words, "green" if made.ok else "orange", 12.0)

    def _look(self, notice: Any) -> None:
        """Tell where the solver is, until it is done."""
        progress = self._progress
        if progress is None:
            return
        with suppress(OSError, ValueError, KeyError):  # it may be written just now
            told = json.loads(progress.read_text())
            left = max(0.0, float(self.seconds.value) - told["seconds"])
            notice.body = (
                f"{told['seconds']:.0f} s so far, at most {left:.0f} s left · round "
                f"{told['round']}, iteration {told['iteration']:.0f}: cost {told['cost']:.3g}, "
                f"off by {told['violation']:.1e}"
            )
        self.session.later(LOOK, lambda: self._look(notice))

    def _halt(self) -> None:
        if self._progress is not None:
            self._progress.with_suffix(".stop").touch()

    def _blame(self, why: str) -> None:
        """Colour the phase that an error names."""
        self._why = why
        self.failed = next((p.name for p in self.scene.phases if f"'{p.name}'" in why), None)
        self._say()


def _solid(scene: viser.SceneApi, path: str, solid: SolidWish) -> Any:
    R = pin.rpy.rpyToMatrix(*solid.rpy)
    x, y, z, w = quat_of(R).tolist()
    colour = tuple(int(c) for c in solid.colour)
    place: dict[str, Any] = {"wxyz": (w, x, y, z), "position": solid.position, "color": colour}
    if solid.kind == "box":
        return scene.add_box(path, dimensions=solid.size, **place)  # type: ignore[arg-type]
    if solid.kind == "sphere":
        return scene.add_icosphere(path, radius=solid.size[0], **place)
    return scene.add_cylinder(path, radius=solid.size[0], height=solid.size[1], **place)
