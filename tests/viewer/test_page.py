"""The viewer page in a real browser: what a person would see and press."""

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from browser import launch, picture, watched
from poise.robot import load_robot
from poise.viewer.page import Screening, Session, view
from viewer_helpers.motions import shuffle, squat

NAO = load_robot("nao")
WALK = shuffle(NAO, steps=4)
PATIENCE = 90.0  # [s]: without a graphics card, and with other tests running, pages are slow
# a browser may leave between two pictures; pytest sees viser's warning about it
pytestmark = pytest.mark.filterwarnings("ignore:Queued a")
SMALL = {"width": 900, "height": 640}
TINY = {"width": 420, "height": 240}  # a picture of it is drawn in no time


@pytest.fixture(scope="module")
def browser():
    with launch() as opened:
        yield opened


@pytest.fixture(scope="module")
def screening():
    with view(WALK, NAO, port=0, block=False, shadows=False) as shown:
        yield shown


@pytest.fixture(scope="module")
def opened(browser, screening):
    """One page for most tests, the session behind it, and the errors it met."""
    page = browser.new_page(viewport=SMALL)
    errors = watched(page)
    yield page, enter(page, screening), errors
    page.close()


@pytest.fixture
def page(opened):
    """The page, paused at the start of the motion; it must stay without errors."""
    page, session, errors = opened
    session.playback.playing = False
    session.playback.seek(session.playback.start)
    session.draw(force=True)
    yield page, session
    assert errors == []


def enter(page, screening: Screening) -> Session:
    """Open the page in a browser, and wait until it is there."""
    before = set(screening.theatre.sessions)
    page.goto(screening.address)
    until(page, lambda: set(screening.theatre.sessions) - before, "a session")
    page.get_by_text("time [s]").wait_for(timeout=1e3 * PATIENCE)
    page.wait_for_function("window.__poiseKeys", timeout=1e3 * PATIENCE)  # the keys are the last
    [new] = set(screening.theatre.sessions) - before
    return screening.theatre.sessions[new]


def test_the_page_has_its_name_and_draws_plainly_without_a_graphics_card(page):
    it, _ = page
    assert it.title().startswith("poise · ")
    told = it.evaluate(
        "[...document.querySelectorAll('canvas')].map(one => one.getContext('webgl2'))"
        ".filter(one => one).map(one => one.getContextAttributes().antialias)"
    )
    assert told
    assert not any(told)  # the browser of these tests has no graphics card


CARD = """
const ask = WebGL2RenderingContext.prototype.getParameter;
WebGL2RenderingContext.prototype.getParameter = function (what) {
  return what === 37446 ? 'A card of 2026' : ask.call(this, what); };
"""
SHADERS = """
const give = WebGL2RenderingContext.prototype.shaderSource;
window.shaders = [];
WebGL2RenderingContext.prototype.shaderSource = function (shader, text) {
  window.shaders.push(text); return give.call(this, shader, text); };
"""


def test_a_graphics_card_keeps_its_smooth_edges(browser, screening):
    it = browser.new_page(viewport=SMALL)
    it.add_init_script(CARD)
    it.goto(screening.address, wait_until="commit")
    script = "document.createElement('canvas').getContext('webgl2')?.getContextAttributes()"
    it.wait_for_function("document.querySelector('#root')", timeout=1e3 * PATIENCE)
    assert it.evaluate(script)["antialias"] is True
    it.close()


def until(page, holds: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, f"waited {PATIENCE:.0f} s for {what}"
        page.wait_for_timeout(100)


def shown_time(page) -> float:
    """The number beside the time slider [s]."""
    return float(
        page.evaluate(
            """() => [...document.querySelectorAll('label')].find(l => l.textContent == 'time [s]')
            .closest('div').parentElement.parentElement.querySelector('input[type=text]').value"""
        )
    )


def coloured(pixels: np.ndarray) -> float:
    """The share of the middle of a picture that is not paper."""
    height, width, _ = pixels.shape
    middle = pixels[: int(0.7 * height), : width - 340].astype(int)
    return float((np.abs(middle - 255).max(axis=2) > 60).mean())


def still_page(browser, screening, *scripts):
    """A page of its own with the motion paused in the middle, and the errors it met."""
    page = browser.new_page(viewport=SMALL)
    errors = watched(page)
    for script in scripts:
        page.add_init_script(script)
    session = enter(page, screening)
    session.playback.playing = False
    session.playback.seek(1.0)
    session.draw(force=True)
    close = page.locator(".mantine-Notification-closeButton")
    while close.count():
        close.first.click()
        page.wait_for_timeout(500)
    return page, session, errors


def test_the_processor_shades_simply_and_nobody_sees_it(browser, screening):
    shots, cheap = [], []
    for scripts in ((SHADERS,), (SHADERS, CARD)):
        page, _, errors = still_page(browser, screening, *scripts)
        until(page, lambda it=page: coloured(picture(it, "matt")) > 0.02, "a robot in the picture")
        shots.append(picture(page, f"matt-{len(shots)}")[:, : SMALL["width"] - 340].astype(float))
        signs = ("vec3 lit(vec3 n)", "flat out vec3 cellRgb", "1.5 * linewidth", "{ gl_Position")
        told = page.evaluate("window.shaders")
        cheap.append([sum(sign in one for one in told) for sign in signs])
        page.close()
        assert errors == []
    surfaces, floors, lines, backdrops = cheap[0]
    assert surfaces > 0 and floors == 1 and lines > 0 and backdrops == 1
    assert cheap[1] == [0, 0, 0, 0]  # a graphics card is given what the page wrote
    off, seen = np.abs(shots[0] - shots[1]).max(axis=2), np.abs(shots[1] - 255.0).max(axis=2)
    assert np.median(off[seen > 20.0]) < 8.0  # of 255: the robot
    floor = (seen > 4.0) & (seen < 40.0)  # its lines
    assert np.percentile(off[floor], 75.0) <= 2.0
    assert abs((shots[0] - shots[1])[floor].mean()) < 0.5
    assert off[seen == 0.0].max() < 60.0 and np.median(off[seen == 0.0]) == 0.0  # the paper


HASTE = """
const later = window.setTimeout;
window.setTimeout = (f, wait, ...more) => later(f, Math.min(wait, 2000), ...more);
"""


def test_a_fine_screen_is_measured_as_seen_and_the_notice_goes_away(browser, screening):
    page = browser.new_page(viewport=SMALL, device_scale_factor=2)
    errors = watched(page)
    page.add_init_script(HASTE)
    session = enter(page, screening)
    shown = "document.querySelector('canvas[data-engine]').clientWidth"
    until(page, lambda: session.client.camera.image_width == page.evaluate(shown), "its width")
    assert page.evaluate(shown) < SMALL["width"]
    slider = page.get_by_text("time [s]").locator("xpath=ancestor::*[.//input]").last
    box = slider.bounding_box()  # of the panel over the robot
    assert box["x"] >= 0 and 300 < box["width"] < page.evaluate(shown) - box["x"]
    notice = page.locator("#webgl-software-rendering")
    notice.wait_for(state="attached", timeout=1e3 * PATIENCE)
    notice.wait_for(state="detached", timeout=1e3 * PATIENCE)
    page.close()
    assert errors == []


PICTURES = """
const clear = WebGL2RenderingContext.prototype.clear;
window.pictures = 0;
WebGL2RenderingContext.prototype.clear = function (...what) {
  window.pictures += 1; return clear.apply(this, what); };
"""


def test_a_page_that_is_told_nothing_draws_little_and_news_at_once(browser, screening):
    counts = {}
    for name, scripts in {"processor": (PICTURES,), "card": (PICTURES, CARD)}.items():
        page, session, errors = still_page(browser, screening, *scripts)
        page.set_viewport_size(TINY)
        page.wait_for_timeout(1000)
        session.playback.seek(1.2)
        session.draw(force=True)  # after which the page draws for a quarter of a second
        before = page.evaluate("window.pictures")
        page.wait_for_timeout(500)
        counts[name] = page.evaluate("window.pictures") - before
        page.close()
        assert errors == []
    assert 2 <= counts["processor"] <= 5
    assert counts["processor"] < counts["card"]  # one after the other


NO_PATIENCE = """
const later = window.setTimeout;
window.setTimeout = (f, wait, ...more) => wait > 60 && wait <= 120 ? 0 : later(f, wait, ...more);
"""


@pytest.mark.parametrize(
    "scripts", [(PICTURES,), (PICTURES, NO_PATIENCE)], ids=["as is", "no timer"]
)
def test_news_are_drawn_also_after_a_pause(browser, screening, scripts):
    """A picture that waits for news must come with them, whether or not its time had come."""
    page, session, errors = still_page(browser, screening, *scripts)
    for wait in (50, 400, 1500, 100, 700):
        page.wait_for_timeout(wait)
        before = page.evaluate("window.pictures")
        session.playback.seek(session.playback.time + 0.05)
        session.draw(force=True)
        until(page, lambda n=before: page.evaluate("window.pictures") > n, "a picture")
    page.close()
    assert errors == []


NO_PICTURES = """
const ask = window.requestAnimationFrame;
window.requestAnimationFrame = f => window.blind ? 0 : ask.call(window, f);
"""


def test_a_press_on_a_slider_is_told_before_the_next_picture(browser, screening):
    page, session, errors = still_page(browser, screening, NO_PICTURES)
    box = page.locator(".mantine-Slider-root").last.bounding_box()
    page.evaluate("window.blind = true")  # as if a picture were drawn all the time
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    until(page, lambda: session.playback.time != 1.0 or session.playback.speed != 1.0, "the slider")
    page.evaluate("window.blind = false")
    page.close()
    assert errors == []


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768)])
def test_the_page_shows_the_robot(browser, screening, width, height):
    page = browser.new_page(viewport={"width": width, "height": height})
    errors = watched(page)
    session = enter(page, screening)
    session.playback.seek(1.0)
    session.draw(force=True)
    name = f"viewer-{width}x{height}"
    until(page, lambda: coloured(picture(page, name)) > 0.02, "a robot in the picture")
    close = page.locator(".mantine-Notification-closeButton")  # about the missing graphics card
    while close.count():
        close.first.click()
        page.wait_for_timeout(500)
    picture(page, name)
    page.close()
    assert errors == []


def test_play_moves_the_time_and_space_pauses(page):
    opened, session = page
    opened.get_by_role("button", name="Play").click()
    until(opened, lambda: session.playback.playing, "the play button")
    started = session.playback.time
    until(opened, lambda: session.playback.time != started, "time to pass")
    opened.get_by_role("button", name="Pause").wait_for(timeout=1e3 * PATIENCE)
    opened.keyboard.press("Space")
    until(opened, lambda: not session.playback.playing, "the space bar")
    paused = session.playback.time
    opened.wait_for_timeout(500)
    assert session.playback.time == paused
    until(opened, lambda: abs(shown_time(opened) - paused) < 2e-3, "the slider")
    opened.keyboard.press("Space")
    until(opened, lambda: session.playback.playing, "the space bar again")


def test_arrows_step_and_leave_the_camera_alone(page):
    opened, session = page
    until(opened, lambda: session.client.camera.position is not None, "a camera")
    opened.wait_for_timeout(1000)
    eye = np.array(session.client.camera.position)
    for key, expected in (
        ("ArrowRight", WALK.time[1]),
        ("Shift+ArrowRight", WALK.time[11]),
        ("ArrowLeft", WALK.time[10]),
        ("End", WALK.time[-1]),
        ("Home", WALK.time[0]),
    ):
        opened.keyboard.press(key)
        until(opened, lambda at=expected: session.playback.time == at, key)
    opened.keyboard.down("ArrowRight")  # held, it would turn viser's camera
    opened.wait_for_timeout(2000)
    opened.keyboard.up("ArrowRight")
    opened.wait_for_timeout(500)
    assert np.allclose(session.client.camera.position, eye, atol=1e-6)


def test_boxes_say_what_is_drawn_and_do_not_keep_the_keys(page):
    opened, session = page
    support = session.client.scene.get_handle_by_name("/world/marks/support")
    assert support.visible
    opened.get_by_text("Support polygon").click()
    until(opened, lambda: not support.visible, "the support polygon to go")
    opened.keyboard.press("Space")  # plays; it does not tick the box again
    until(opened, lambda: session.playback.playing, "the space bar")
    assert not support.visible


def test_views_and_following(page):
    opened, session = page
    opened.get_by_role("button", name="Top", exact=True).click()
    until(opened, lambda: session.client.camera.position[2] > 2.0 * NAO.height, "the view")
    session.playback.seek(session.playback.end)
    session.draw(force=True)
    world = session.client.scene.get_handle_by_name("/world")
    assert world.position[0] < -0.05  # the robot went ahead, the world went back
    opened.keyboard.press("f")
    until(opened, lambda: world.position[0] == 0.0, "the world to stay")


def test_another_joint_can_be_plotted(page):
    opened, session = page
    opened.get_by_role("tab", name="Joint").click()
    angle = session._plots._angle
    for joint in ("LKneePitch", "RElbowYaw"):
        opened.get_by_label("joint", exact=True).click()
        opened.get_by_role("option", name=joint).click()
        limit = np.degrees(NAO.upper[NAO.index(joint)])
        until(opened, lambda up=limit: angle._values[0][0] == pytest.approx(up), "another plot")
    assert opened.get_by_text("Torques: this motion brings none along").is_visible()
    opened.keyboard.press("Space")
    until(opened, lambda: session.playback.playing, "the keys to be the page's again")


def test_two_browsers_each_have_their_own_time(browser, screening, page):
    opened, session = page
    other = browser.new_page(viewport=SMALL)
    second = enter(other, screening)
    opened.keyboard.press("End")
    until(opened, lambda: session.playback.time == session.playback.end, "the end")
    assert second.playback.time == second.playback.start
    other.keyboard.press("Space")
    until(other, lambda: second.playback.playing, "the second browser to play")
    assert not session.playback.playing
    other.close()
    until(opened, lambda: second.closed, "the second browser to be forgotten")


def test_a_second_motion_is_a_ghost_and_the_page_stops_without_leaving_threads(browser):
    before = set(threading.enumerate())
    with view(WALK, NAO, port=0, block=False, compare=squat(NAO), shadows=False) as shown:
        page = browser.new_page(viewport=SMALL)
        session = enter(page, shown)
        ghost = session.client.scene.get_handle_by_name("/world/ghost")
        assert ghost.visible
        page.get_by_text("Second motion").click()
        until(page, lambda: not ghost.visible, "the ghost to go")
        page.keyboard.press("Space")
        until(page, lambda: session.playback.playing, "the motion to play")
    left = set(threading.enumerate()) - before
    assert not left, left
    page.close()
