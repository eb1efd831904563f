"""The studio in a real browser: what a person would see, press and take home."""

import json
import shlex
import threading
import time
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import viser
from PIL import Image

from browser import launch, picture, watched
from poise.checks import Report
from poise.checks.finding import Finding
from poise.door import standing
from poise.engines.expressive import knobs_for
from poise.errors import PoiseError
from poise.examples import write_synthetic_trial
from poise.io import load, read_motion
from poise.robot import load_robot
from poise.studio import open_studio
from poise.studio import session as session_module
from poise.studio.hands import wait_until_heard
from poise.studio.jobs import Judged
from poise.studio.live_physics import replay_physics
from poise.studio.motion_show import Kept, MotionShow
from poise.studio.script import replay
from poise.studio.session import Session
from poise.viewer.stage import camera_of
from shared import shared

PATIENCE = 200.0  # [s]: without a graphics card, and with other tests running, pages are slow
pytestmark = pytest.mark.filterwarnings("ignore:Queued a")
NAO = load_robot("nao")
SMALL = {"width": 1024, "height": 768}
TINY = {"width": 480, "height": 360}  # nobody looks at it, and it is drawn without a graphics card
COARSE = "/?fixedDpr=0.5"  # the robot in a quarter of the points: most of the time goes to drawing


@pytest.fixture(scope="module")
def browser():
    with launch() as opened:
        yield opened


@pytest.fixture(scope="module")
def studio():
    """The studio at a few pictures a second: most of a test's time is drawing without a card."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session_module, "FRAME", 0.3)
        with open_studio(NAO, port=0, block=False) as opened:
            yield opened


@pytest.fixture(scope="module")
def opened(browser, studio):
    """One page for most tests, the session behind it, and the errors it met."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    errors = watched(page)
    yield page, enter(page, studio), errors
    page.close()


@pytest.fixture
def page(opened):
    """The page with the live robot on it; it must stay without errors."""
    page, session, errors = opened
    session.present(session.walk)
    yield page, session
    assert errors == []


def enter(page, studio) -> Session:
    """Open the page in a browser, and wait until its robot walks."""
    before = set(studio.sessions)
    page.goto(studio.address + COARSE)
    until(page, lambda: set(studio.sessions) - before, "a session")
    [new] = set(studio.sessions) - before
    session = studio.sessions[new]
    page.get_by_role("tab", name="Walk").wait_for(timeout=1e3 * PATIENCE)
    until(page, session.ready.is_set, "the whole page")
    page.wait_for_function("window.__poiseHands", timeout=1e3 * PATIENCE)
    close = page.locator(".mantine-Notification-closeButton")  # about the missing graphics card
    if close.count():
        close.first.dispatch_event("click")  # it may still be sliding in
    return session


def until(page, holds: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, f"waited {PATIENCE:.0f} s for {what}"
        page.wait_for_timeout(50)


def all_heard(session: Session) -> None:
    """Wait until the page has drawn everything it was told."""
    assert wait_until_heard(session.client, PATIENCE)


def tab(page, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()


def press(page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def taken_home(page, act: Callable[[], object], path) -> str:
    """What the browser downloads when something is done; its name."""
    with page.expect_download(timeout=1e3 * PATIENCE) as download:
        act()
    download.value.save_as(path)
    return download.value.suggested_filename


def shown(session: Session) -> MotionShow:
    assert isinstance(session.show, MotionShow)
    return session.show


def opens(page, session: Session) -> MotionShow:
    """Wait for a finished motion; a slow page may still show the panel of one before."""
    until(page, lambda: isinstance(session.show, MotionShow), "the motion")
    all_heard(session)
    page.get_by_role("button", name="Back to live").wait_for(timeout=1e3 * PATIENCE)
    return shown(session)


def test_presets_and_sliders_reach_the_live_robot_and_a_drag_is_one_step(page):
    opened, session = page
    walk = session.walk
    until(opened, lambda: walk.live.last and walk.live.last.state == "walking", "the robot to walk")
    press(opened, "proud")
    until(opened, lambda: walk.design.base.name == "proud", "the preset")
    until(opened, lambda: walk.live.controller.style.chest_pitch < 0.0, "the robot to take it on")
    before = walk.design
    slider = opened.locator(".mantine-Slider-root").first
    box = slider.bounding_box()
    x, y = box["x"] + 0.55 * box["width"], box["y"] + 0.5 * box["height"]
    opened.mouse.move(x, y)
    opened.mouse.down()
    for _ in range(4):
        x += 0.02 * box["width"]
        opened.mouse.move(x, y)
        opened.wait_for_timeout(60)
    opened.mouse.up()
    until(opened, lambda: "step_length" in walk.design.settings, "the slider")
    box = slider.locator("xpath=ancestor::*[.//input]").last.locator("input:visible").first

    def last_word() -> bool:  # of the drag: it may be under way in a slow page
        asked = pytest.approx(1e-3 * float(box.input_value()))
        return walk.design.settings["step_length"] == asked

    def taken() -> bool:
        asked = pytest.approx(walk.design.settings["step_length"])
        return last_word() and walk.live.controller.style.value_on(NAO, "step_length") == asked

    until(opened, last_word, "what the page shows")
    until(opened, taken, "the robot to take the slider on")
    told = walk.design.settings["step_length"]
    assert opened.locator(".poise-bar").count() in (0, 17)  # where the robot will fall
    picture(opened, "studio-walk-1440x900")
    press(opened, "↶ Undo")
    until(opened, lambda: walk.design == before, "one step back")
    press(opened, "↷ Redo")
    until(opened, lambda: walk.design.settings.get("step_length") == told, "one step forward")


def test_a_robot_walks_what_is_shown_whoever_answers_first(page, monkeypatch):
    """The messages of a drag are answered by several threads, which overtake each other."""
    walk = page[1].walk
    keep, waits = walk.history.change, iter(0.02 * np.random.default_rng(1).random(40))

    def slowly(design, what):
        time.sleep(next(waits))
        keep(design, what)
        time.sleep(next(waits))

    monkeypatch.setattr(walk.history, "change", slowly)
    slider, dial = walk._sliders["step_length"]
    moved = SimpleNamespace(client=walk.session.client, target=slider)
    hands = []
    for shown in np.linspace(40.0, 50.0, 12).round():
        slider._impl.value = float(shown)  # as viser does, before it calls whoever listens
        hands += [threading.Thread(target=heard, args=[moved]) for heard in slider._impl.update_cb]
        hands[-1].start()
    for hand in hands:
        hand.join()
    asked = pytest.approx(dial.told(float(slider.value)))
    assert walk.design.settings["step_length"] == asked
    assert walk.live.controller.style.value_on(NAO, "step_length") == asked


def test_sliders_stay_where_they_are_while_the_words_above_them_change(page):
    """Else a mouse that drags a slider is suddenly over another one."""
    opened, session = page
    walk, label = session.walk, opened.get_by_text("step length").first
    walk.take_preset("normal")
    until(opened, lambda: not walk.bars.why, "a walk that nobody doubts")
    opened.wait_for_timeout(500)  # the words follow
    all_heard(session)
    before = label.bounding_box()["y"]
    walk.turn("com_height", knobs_for(NAO)["com_height"].low)
    opened.get_by_text("Expected to be").wait_for(timeout=1e3 * PATIENCE)
    assert label.bounding_box()["y"] == pytest.approx(before, abs=1.0)
    walk.take_preset("normal")


def test_a_walk_is_made_judged_and_exported(page, tmp_path):
    opened, session = page
    session.walk.take_preset("normal")
    session.keeper.steps.value = 2
    tab(opened, "Keep")
    press(opened, "Make and judge the walk")
    show = opens(opened, session)
    opened.get_by_text(show.kept.report.verdict).wait_for(timeout=1e3 * PATIENCE)
    opened.keyboard.press("Space")
    until(opened, lambda: not show.playback.playing, "the space bar")
    opened.keyboard.press("Home")
    until(opened, lambda: show.playback.time == show.playback.start, "the start")
    opened.keyboard.press("ArrowRight")
    until(opened, lambda: show.playback.time == show.kept.motion.time[1], "one step")
    picture(opened, "studio-motion-1440x900")
    opened.get_by_text("From above").wait_for(timeout=1e3 * PATIENCE)
    tab(opened, "Feet")
    opened.get_by_text("Contact forces [N], recorded").wait_for(timeout=1e3 * PATIENCE)
    tab(opened, "Joint")
    opened.get_by_text("Torque [N m]").wait_for(timeout=1e3 * PATIENCE)
    cursor = show.plots._torque._plot.data[-1]
    at = show.plots._torque._plot.data[0][np.isfinite(cursor)]
    assert at == pytest.approx(show.playback.time)
    press(opened, "Verdict")
    jump = opened.get_by_role("button", name="Go to").first
    jump.wait_for(timeout=1e3 * PATIENCE)
    picture(opened, "studio-verdict-1440x900")
    when = float(jump.inner_text().rsplit(" ", 2)[1])
    jump.click()
    until(opened, lambda: abs(show.playback.time - when) < 0.01, "the worst instant")
    press(opened, "Export")
    opened.get_by_label("dialect").click()
    opened.get_by_role("option", name="unitree-csv").click()
    button = opened.get_by_role("dialog").get_by_role("button", name="Export")
    name = taken_home(opened, button.click, tmp_path / "walk.csv")
    assert name.endswith(".csv")
    motion, _ = read_motion(tmp_path / "walk.csv", NAO)
    assert np.abs(motion.q[0, 7:] - show.kept.motion.q[0, 7:]).max() < 1e-4
    press(opened, "↩ Back to it")
    until(opened, lambda: session.show is session.walk, "the live robot")


def test_a_recording_of_the_live_robot_is_made_again_from_its_recipe(page):
    opened, session = page
    tab(opened, "Keep")
    press(opened, "Record")
    until(opened, lambda: session.walk.live.recorded_for > 0.3, "a recording")
    session.walk.take_preset("sad")
    until(opened, lambda: session.walk.live.recorded_for > 0.8, "more of it")
    opened.get_by_role("button", name="Stop recording").click()
    motion = opens(opened, session).kept.motion
    again = replay(NAO, json.loads(json.dumps(motion.recipe)))
    assert np.abs(again.q - motion.q).max() <= 1e-9
    press(opened, "✕ Back to live")
    until(opened, lambda: session.show is session.walk, "the live robot")


def test_what_is_not_good_is_said_and_exported_only_when_told_so(page):
    opened, session = page
    motion = standing(NAO, 0.5)
    failed = Finding("joint position", 3.0, 2.0, "rad", "HeadYaw", 0.2, ok=False)
    session.open_motion(
        session.keep(Kept("too far", motion, Judged(Report((failed,), robot="nao"))))
    )
    opens(opened, session)
    opened.get_by_text("not good: 1 of 1 fail (joint position)").wait_for(timeout=1e3 * PATIENCE)
    press(opened, "Export")
    opened.get_by_role("button", name="Export although it is not good").wait_for()
    press(opened, "Cancel")
    opened.get_by_role("dialog").wait_for(state="hidden", timeout=1e3 * PATIENCE)
    press(opened, "Verdict")
    opened.get_by_role("button", name="Go to joint position at 0.20 s").click()
    until(opened, lambda: abs(shown(session).playback.time - 0.2) < 1e-9, "the worst instant")


def test_the_judge_tells_the_loads_of_a_motion_that_brings_none_along(page):
    opened, session = page
    show = session.open_motion(session.keep(Kept("told nothing", standing(NAO, 0.5))))
    opens(opened, session)
    tab(opened, "Joint")
    opened.get_by_text("Torques: this motion brings none along").wait_for(timeout=1e3 * PATIENCE)
    press(opened, "Verdict")
    opened.get_by_role("dialog").get_by_text("Good").wait_for(timeout=1e3 * PATIENCE)
    press(opened, "Close")
    opened.get_by_text("Torque [N m]").wait_for(timeout=1e3 * PATIENCE)
    tab(opened, "Feet")
    opened.get_by_text("Contact forces [N], by the judge").wait_for(timeout=1e3 * PATIENCE)
    feet = show.plots._forces._values
    assert sum(feet).min() > 0.99 * NAO.weight
    assert opened.get_by_text("brings none along").count() == 0


def test_report_video_and_screenshot_are_taken_home(page, tmp_path):
    opened, session = page
    good = Judged(Report((), robot="nao"))
    session.open_motion(session.keep(Kept("still", standing(NAO, 0.3), good)))
    opens(opened, session)
    for button, name, begins in (
        ("Report", "still.html", b"<!doctype html"),
        ("Video", "still.mp4", b"\x00\x00\x00"),
    ):
        path = tmp_path / name
        assert taken_home(opened, lambda b=button: press(opened, b), path) == name
        assert path.read_bytes()[: len(begins)].lower() == begins
    tab(opened, "Robot")
    taken_home(opened, lambda: press(opened, "Screenshot"), tmp_path / "studio.png")
    assert np.ptp(np.asarray(Image.open(tmp_path / "studio.png").convert("L"))) > 100


def test_styles_go_out_and_come_in_and_bad_ones_are_refused(page, tmp_path):
    opened, session = page
    session.walk.take_preset("proud")
    session.walk.turn("step_length", 0.031)
    tab(opened, "Keep")
    path = tmp_path / "mine.toml"
    assert taken_home(opened, lambda: press(opened, "Save the style"), path) == "proud.toml"
    session.walk.take_preset("normal")
    chooser = opened.locator("input[type=file]")

    def load(content: bytes) -> None:
        for k in range(chooser.count()):
            if ".toml" in (chooser.nth(k).get_attribute("accept") or ""):
                file = {"name": "../mine.toml", "mimeType": "text/plain", "buffer": content}
                chooser.nth(k).set_input_files(file)

    load(path.read_bytes())
    until(opened, lambda: session.walk.design.base.name == "proud", "the style")
    assert session.walk.design.value(NAO, "step_length") == pytest.approx(0.031)
    for bad in (b"[geometry]\nstep_length = nan\n", b"\xff\xfe", b"[geometry]\nstep_lenght = 1\n"):
        notices = opened.get_by_text("This did not work").count()
        load(bad)
        seen = notices + 1
        until(
            opened,
            lambda n=seen: opened.get_by_text("This did not work").count() >= n,
            "a sentence about what is wrong",
        )
    assert session.walk.design.base.name == "proud"
    press(opened, "Copy as command")
    line = opened.locator(".poise-text").inner_text()
    assert shlex.split(line)[:4] == ["poise", "walk", "--robot", "nao"]
    press(opened, "Close")
    press(opened, "Share as text")
    text = opened.locator(".poise-text").inner_text()
    press(opened, "Copy")
    opened.get_by_role("button", name="Copied").wait_for(timeout=1e3 * PATIENCE)
    session.walk.take_preset("sad")
    paste = opened.get_by_role("dialog").locator("textarea")
    paste.fill("step length: 3 cm")
    press(opened, "Walk as pasted")
    opened.get_by_text("pasted.toml").first.wait_for(timeout=1e3 * PATIENCE)  # what is wrong
    assert session.walk.design.base.name == "sad"
    paste.fill(text)
    press(opened, "Walk as pasted")
    until(opened, lambda: session.walk.design.base.name == "proud", "the style that was sent")
    assert session.walk.design.value(NAO, "step_length") == pytest.approx(0.031)
    opened.get_by_role("dialog").wait_for(state="hidden", timeout=1e3 * PATIENCE)


def test_a_fall_is_said_in_words_and_the_robot_stands_up_again(page):
    opened, session = page
    live = session.walk.live
    with live.lock:
        live.controller._watch.notes.append((live.controller.time, "somebody tripped it"))
        live.controller._watch.conclude(live.controller.time)
        live.controller._fall(live.last)
    opened.get_by_text("Somebody tripped it").wait_for(timeout=1e3 * PATIENCE)
    press(opened, "↑ Stand up")
    until(opened, lambda: not live.controller.fallen, "the robot to stand")
    opened.get_by_text("Somebody tripped it").wait_for(state="hidden", timeout=1e3 * PATIENCE)
    press(opened, "▶ Walk")
    until(opened, lambda: live.walking, "the robot to walk")
    opened.keyboard.press("?")
    keys = opened.get_by_text("These keys; also ?")
    keys.wait_for(timeout=1e3 * PATIENCE)
    first = session.dialogs._open["Keys"]
    opened.keyboard.press("h")  # again: still one dialog
    until(opened, lambda: first.closed and "Keys" in session.dialogs._open, "another one")
    opened.keyboard.press("Escape")
    keys.wait_for(state="hidden", timeout=1e3 * PATIENCE)


def on_screen(page, session: Session, point: np.ndarray) -> tuple[float, float]:
    """Where a point of the robot's world is on the page [px]."""
    camera = session.client.camera
    eye = np.array(camera.position)
    ahead = np.array(camera.look_at) - eye
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    away = point + session.stage._world.position - eye
    box = page.locator("canvas").first.bounding_box()
    scale = 0.5 * box["height"] / np.tan(0.5 * camera.fov) / (away @ ahead)
    x = box["x"] + 0.5 * box["width"] + scale * (away @ right)
    return x, box["y"] + 0.5 * box["height"] - scale * (away @ np.cross(right, ahead))


def drag(
    page, session: Session, where: Callable[[], np.ndarray], by: int, seen: Callable[[], object]
) -> None:
    """Take hold of the robot at a point, and move the mouse sideways until something is seen.

    The robot may have walked on before the mouse is down; then it is tried again.
    """
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        x, y = on_screen(page, session, where())
        page.mouse.move(x, y)
        page.mouse.down()
        way = 0
        for _ in range(75):
            way = way + by if abs(way) < 60 else 5 * by
            page.mouse.move(x + way, y + 4)
            page.wait_for_timeout(80)
            if seen():
                return
        page.mouse.up()
    raise AssertionError(f"for {PATIENCE:.0f} s the robot did not feel the mouse")


def test_an_arm_is_dragged_to_where_it_shall_rest_in_one_step(page):
    opened, session = page
    walk = session.walk
    tab(opened, "Walk")
    walk.take_preset("normal")
    before = walk.design
    walk.live.controller.stop()  # a slow page shows where a walking hand was, not where it is
    until(opened, lambda: walk.live.last and walk.live.last.state == "standing", "a standing robot")
    all_heard(session)

    def hand() -> np.ndarray:
        return NAO.at(walk.live.last.q).position("right_hand")

    drag(opened, session, hand, -10, lambda: "RShoulderRoll" in walk.design.pose)
    opened.mouse.up()
    press(opened, "↶ Undo")
    until(opened, lambda: walk.design == before, "one step back")
    walk.live.controller.start()


@pytest.mark.parametrize(("name", "part"), [("Balance", "chest"), ("Interact", "right_hand")])
def test_a_robot_in_physics_feels_the_mouse_and_is_taken_home(page, tmp_path, name, part):
    opened, session = page
    panel = {"Balance": session.balance, "Interact": session.lead}[name]
    tab(opened, name)
    press(opened, "▶ Begin")
    until(opened, lambda: session.show is panel and panel.live.ticks > 50, "the robot in physics")
    opened.get_by_role("button", name="Record", exact=True).last.click()
    until(opened, lambda: panel.live.recording, "the recording")

    def place() -> np.ndarray:
        return NAO.at(panel.live.plant.seen.q).position(part)

    drag(opened, session, place, 10, lambda: panel.live.plant.felt.force > 0.5)
    picture(opened, f"studio-{name.lower()}-1440x900")
    opened.mouse.up()
    until(opened, lambda: panel.live.plant.hold is None, "the mouse to let go")
    opened.get_by_role("button", name="Stop recording").click()
    motion = opens(opened, session).kept.motion
    press(opened, "Export")
    button = opened.get_by_role("dialog").get_by_role("button", name="Export").first
    taken_home(opened, button.click, tmp_path / "lived.npz")
    taken = load(tmp_path / "lived.npz")
    again = replay_physics(NAO, taken.recipe)
    assert np.abs(again.q - motion.q).max() <= 1e-9
    press(opened, "✕ Back to live")
    until(opened, lambda: session.show is session.walk, "the live robot")


def test_a_target_is_moved_in_the_scene_and_the_plan_is_certified(page, tmp_path):
    opened, session = page
    planner = session.planner
    tab(opened, "Plan")
    planner.chooser.value = "reach"
    press(opened, "Show the scene")
    until(opened, lambda: session.show is planner and planner._drawn, "the scene")
    [(handle, _)] = planner.fields
    there = NAO.at(NAO.half_sitting).position("right_hand") + [0.04, 0.0, -0.02]
    planner.move(handle, there)
    assert planner.scene.tasks[0].position == pytest.approx(there, abs=1e-3)
    opened.get_by_text("touch [m]").first.wait_for(timeout=1e3 * PATIENCE)  # its fields
    planner.stretch(0, 1.2)
    picture(opened, "studio-plan-1440x900")
    press(opened, "Solve")
    recipe = opens(opened, session).kept.motion.recipe
    assert recipe["certificate"]["holds"]
    assert recipe["scene"]["phases"][0]["duration"] == pytest.approx(1.2)
    press(opened, "Export")
    button = opened.get_by_role("dialog").get_by_role("button", name="Export").first
    taken_home(opened, button.click, tmp_path / "plan.npz")
    assert load(tmp_path / "plan.npz").recipe["engine"] == "multicontact"
    planner.move(planner.fields[0][0], there + [0.6, 0.0, 0.5])
    tab(opened, "Plan")
    press(opened, "Solve")
    opened.get_by_text("Phase 'reach' has no solution").wait_for(timeout=1e3 * PATIENCE)
    assert planner.failed == "reach" and "(off by" in planner._why


@pytest.fixture
def aside(opened):
    """The page of the other tests, small meanwhile: it is drawn without a graphics card."""
    page, _, _ = opened
    before = page.viewport_size
    page.set_viewport_size(TINY)
    yield
    page.set_viewport_size(before)


def test_browsers_are_alone_with_their_robots_and_leave_nothing_behind(
    aside, page, browser, studio
):
    first, mine = page
    mine.walk.take_preset("normal")
    before = {t for t in threading.enumerate() if t.name.startswith("poise studio")}
    second = browser.new_page(viewport=TINY)
    errors = watched(second)
    other = enter(second, studio)
    other.walk.take_preset("sad")
    assert mine.walk.design.base.name == "normal"
    assert mine.walk.live is not other.walk.live
    second.reload()
    until(first, lambda: not other.thread.is_alive(), "the session of the page that was reloaded")
    assert other not in studio.sessions.values()
    second.close()
    ticks = mine.walk.live.ticks
    until(first, lambda: mine.walk.live.ticks > ticks, "the first robot to walk on")

    def left() -> bool:
        return {t for t in threading.enumerate() if t.name.startswith("poise studio")} <= before

    until(first, left, "the threads of those who left to end")
    assert errors == []


def test_another_robot_takes_the_stage(aside, browser, studio):
    page = browser.new_page(viewport=SMALL)
    errors = watched(page)
    session = enter(page, studio)
    thread, before = session.thread, session.robot
    session.change_robot("hoap3")
    until(page, lambda: session.walk.live.ticks > 50, "the other robot to walk")
    page.get_by_text("HOAP").first.wait_for(timeout=1e3 * PATIENCE)
    assert session.walk.robot.name == "hoap3" and session.thread is thread
    middle = camera_of("Corner", session.robot.height)[1]
    until(page, lambda: np.allclose(session.client.camera.look_at, middle, atol=1e-3), "its size")
    until(page, session.ready.is_set, "the whole page")
    session.finish(before, Kept("late", standing(NAO, 0.3)))  # work for the robot that left
    page.get_by_text("It is for Aldebaran NAO").wait_for(timeout=1e3 * PATIENCE)
    assert session.show is session.walk and session.shelf == []
    picture(page, "studio-hoap3-1024x768")
    session.change_robot("nao")
    until(page, session.ready.is_set, "the first robot")
    assert session.robots.shelf.options == ("late",)
    with pytest.raises(PoiseError, match="another robot"):
        session.open_motion(Kept("of hoap3", standing(load_robot("hoap3"), 0.3)))
    assert session.show is session.walk and session.live_plots.visible
    page.close()
    assert errors == []


def test_files_that_belong_together_come_one_after_the_other(page):
    """A page hands over one file at a time; a skeleton or forces lie beside another one."""
    _, session = page
    imitator, folder = session.imitator, shared("mocap")

    def brought(name: str) -> viser.UploadedFile:
        path = folder / name
        return viser.UploadedFile(path.name, path.read_bytes())

    with pytest.raises(PoiseError, match=r"08_01\.amc needs its skeleton"):
        imitator.bring(brought("cmu_amc/08_01.amc"))
    assert imitator.person is None
    imitator.bring(brought("cmu_amc/08.asf"))
    assert imitator._trial.name == "08_01.amc" and imitator.person is not None
    imitator.bring(brought("bmc/walk1.trc"))
    alone = imitator.person
    with pytest.raises(PoiseError, match=r"other\.forces"):
        imitator.bring(viser.UploadedFile("other.forces", b"nothing of this kind"))
    assert imitator.person is alone and imitator._trial.forces is None
    imitator.bring(brought("bmc/walk1.forces"))
    assert imitator._trial.forces is not None and imitator.person is not alone
    bad = viser.UploadedFile("bad.c3d", b"no recording")
    with pytest.raises(PoiseError, match=r"bad\.c3d"):
        imitator.bring(bad)
    assert imitator._trial.name == "walk1.trc"  # who is shown is who will be imitated
    with pytest.raises(PoiseError, match="takes no force file"):
        imitator.bring(brought("cmu_bvh/" + sorted((folder / "cmu_bvh").glob("*.bvh"))[0].name))
        imitator.bring(brought("bmc/walk1.forces"))


def test_a_person_is_seen_an_event_moved_and_the_robot_walks_so(page, tmp_path):
    opened, session = page
    write_synthetic_trial(tmp_path)
    imitator = session.imitator
    tab(opened, "Imitate")
    chooser = opened.locator("input[type=file]")
    wanted = [
        k
        for k in range(chooser.count())
        if ".trc" in (chooser.nth(k).get_attribute("accept") or "")
    ]
    chooser.nth(wanted[1]).set_input_files(tmp_path / "walk.c3d")  # the first is for standing
    until(opened, lambda: imitator._trial and imitator._trial.name == "walk.c3d", "the walk")
    until(opened, lambda: session.show is imitator and imitator._beside, "the person")
    all_heard(session)
    until(opened, lambda: imitator._due > 0.0, "the person to be drawn")
    before = imitator.person.contacts["left"]["ic"][1]
    imitator.move("left", "ic", 1, before + 0.03)
    assert "events moved" in imitator._state.content
    with pytest.raises(PoiseError, match="must stay between"):
        imitator.move("left", "ic", 1, before + 3.0)
    first = imitator._of("right")[0]
    when = imitator._time(first)
    thumb = opened.locator(".multi-slider").last.locator(".multi-slider-thumb").first
    thumb.scroll_into_view_if_needed(timeout=1e3 * PATIENCE)
    box = thumb.bounding_box()
    x, y = box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]
    opened.mouse.move(x, y)
    opened.mouse.down()
    opened.mouse.move(x + 4.0, y)
    opened.mouse.up()
    until(opened, lambda: imitator._time(first) > when, "the thumb on the timeline")
    picture(opened, "studio-imitate-1440x900")
    person = imitator.person
    press(opened, "Imitate")
    show = opens(opened, session)
    assert show.kept.report.ok
    assert show.kept.motion.recipe["events"]["left"]["ic"][1] == pytest.approx(before + 0.03)
    start, end = show.kept.likeness.clip
    show.go_to(0.5 * (start + end))
    middle = 0.5 * (person.time[0] + person.time[-1])
    assert show._recorded() == pytest.approx(middle, abs=0.02)
    until(opened, lambda: not show._moved, "the person beside the motion")
    tab(opened, "Person")
    opened.get_by_text("person: feet, CoM, CoP").wait_for(timeout=1e3 * PATIENCE)
    opened.get_by_label("figure").click()
    opened.get_by_role("option", name="knee").click()
    opened.get_by_text("right knee (RKneePitch) [deg]").wait_for(timeout=1e3 * PATIENCE)
    picture(opened, "studio-person-1440x900")
    path = tmp_path / "figures.html"
    press_page = partial(press, opened, "All figures as a page")
    assert taken_home(opened, press_page, path).endswith("-figures.html")
    assert "joint angles correlate" in path.read_text()
    press(opened, "Export")
    button = opened.get_by_role("dialog").get_by_role("button", name="Export").first
    taken_home(opened, button.click, tmp_path / "imitation.npz")
    taken = load(tmp_path / "imitation.npz")
    assert taken.recipe["engine"] == "imitate"
    assert np.array_equal(taken.q, show.kept.motion.q)
    press(opened, "✕ Back to live")
    until(opened, lambda: session.show is session.walk, "the live robot")
