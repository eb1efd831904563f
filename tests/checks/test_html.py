"""The report's page: one file, opened in a real browser, that shows what was judged."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from playwright.sync_api import Browser, Page

from browser import launch, picture, watched
from checks_helpers.clean import lift, sway
from checks_helpers.faults import not_a_number, swapped_knees, zmp_outside
from poise.checks import PhysicsVerdict, judge
from poise.checks.html import page, write_html
from poise.checks.page import chosen_rows, packed
from poise.checks.surfaces import primitive, surfaces_of
from poise.errors import BadInput
from poise.motion import Motion
from poise.robot import load_robot

LARGEST = 5e6  # [bytes]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launch() as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@lru_cache
def report_page(folder: Path, motion: Motion, replayed: Motion | None = None) -> Path:
    robot = load_robot(motion.robot)
    verdict = None if replayed is None else PhysicsVerdict(True, None, 4.0, 0.02, 0.001, 0.0)
    report = judge(motion, robot, physics=verdict)
    return write_html(report, motion, robot, folder / f"{id(motion)}.html", replayed)


def opened(
    browser: Browser, path: Path, width: int = 1024, height: int = 768
) -> tuple[Page, list[str]]:
    tab = browser.new_page(viewport={"width": width, "height": height})
    errors = watched(tab)
    tab.goto(path.as_uri())
    tab.wait_for_function("document.querySelector('#findings tr') !== null")
    settle(tab)
    return tab, errors


def settle(tab: Page) -> None:
    """Wait until what was asked for is on the screen."""
    tab.evaluate("() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")


def seen(tab: Page, name: str) -> np.ndarray:
    """The part of the screen where the robot is."""
    box = tab.locator("#scene").bounding_box()
    assert box is not None
    x, y, w, h = (int(box[k]) for k in ("x", "y", "width", "height"))
    return picture(tab, name)[y + 40 : y + h - 50, x + 10 : x + w - 10].astype(float)


def test_the_page_needs_nothing_else(folder: Path) -> None:
    text = report_page(folder, lift("nao")).read_text("utf-8")
    assert not re.search(r"""(src|href)\s*=\s*["'](?!data:)""", text)
    assert "http://" not in text and "https://" not in text and "@import" not in text
    assert "{{" not in text
    assert len(text) < LARGEST


def test_a_finding_brings_the_whole_page_to_its_instant(browser: Browser, folder: Path) -> None:
    path = report_page(folder, zmp_outside("nao"))
    tab, errors = opened(browser, path)
    assert "not good" in tab.locator("#verdict").inner_text()
    first = tab.locator("#findings tr").first
    assert first.get_attribute("data-question") == "support"
    before = seen(tab, "report-start")
    tab.locator("tr[data-question='ZMP margin']").click()
    settle(tab)
    when = judge(zmp_outside("nao"), load_robot("nao"))["ZMP margin"].when
    assert abs(tab.evaluate("poise.clock.t") - when) < 1e-3
    assert f"{when:.3f}" in tab.locator("#clock").inner_text()
    after = seen(tab, "report-worst")
    assert np.abs(after - before).max() > 50.0, "the robot did not move"
    margin = tab.locator(".plot", has_text="ZMP margin").locator("b").first.inner_text()
    assert float(margin) < -9.0
    assert errors == []


def test_the_scene_is_not_blank(browser: Browser, folder: Path) -> None:
    tab, errors = opened(browser, report_page(folder, lift("nao")))
    shown = seen(tab, "report-scene")
    assert len(np.unique(shown.reshape(-1, 3), axis=0)) > 500
    orange = (shown[..., 0] > 180) & (shown[..., 1] < 120) & (shown[..., 2] < 80)
    assert orange.sum() > 100, "NAO's orange is missing"
    assert errors == []


def test_it_plays_steps_and_turns(browser: Browser, folder: Path) -> None:
    tab, errors = opened(browser, report_page(folder, lift("nao")))
    tab.keyboard.press("Space")
    tab.wait_for_function("poise.clock.t > 0.2", timeout=20_000)
    tab.keyboard.press("Space")
    stopped = tab.evaluate("poise.clock.t")
    settle(tab)
    assert tab.evaluate("poise.clock.t") == stopped
    tab.keyboard.press("ArrowRight")
    assert 0.0 < tab.evaluate("poise.clock.t") - stopped < 0.05
    tab.keyboard.press("End")
    assert tab.evaluate("poise.clock.t === poise.clock.last")
    tab.keyboard.press("Home")
    settle(tab)
    before = seen(tab, "report-corner")
    tab.locator("#cameras button", has_text="front").click()
    settle(tab)
    assert np.abs(seen(tab, "report-front") - before).max() > 50.0
    box = tab.locator("#timeline").bounding_box()
    assert box is not None
    tab.mouse.click(box["x"] + 0.6 * box["width"], box["y"] + 30)
    assert 1.5 < tab.evaluate("poise.clock.t") < 3.0
    assert errors == []


def test_a_joint_is_chosen_by_hand_and_by_its_finding(browser: Browser, folder: Path) -> None:
    motion = lift("nao")
    robot = load_robot("nao")
    tab, errors = opened(browser, report_page(folder, motion))
    tab.select_option("#joint", label="HeadYaw")
    assert tab.locator("#joint").input_value() == str(robot.index("HeadYaw"))
    tab.locator("tr[data-question='joint velocity']").click()
    fastest = judge(motion, robot)["joint velocity"].where
    assert tab.locator("#joint").input_value() == str(robot.index(fastest))
    assert errors == []


def test_the_page_is_small_and_moves_the_joints_as_pinocchio_does(
    browser: Browser, folder: Path
) -> None:
    for name in ("nao", "talos"):
        robot = load_robot(name)
        path = report_page(folder, sway(name))
        assert path.stat().st_size < LARGEST
        tab, _ = opened(browser, path)
        q = pin.randomConfiguration(robot.model, -np.ones(robot.nq), np.ones(robot.nq))
        theirs = tab.evaluate("q => jointPoses(poise.values.played.tree, q)", q.tolist())
        data = robot.model.createData()
        pin.forwardKinematics(robot.model, data, q)
        for k in range(1, robot.model.njoints):
            T = data.oMi[k]
            assert np.allclose(theirs[k]["p"], T.translation, atol=1e-5)
            turn = pin.Quaternion(np.array(theirs[k]["q"])).matrix()
            assert np.allclose(turn, T.rotation, atol=1e-5)


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768)])
def test_it_fits_the_screen_in_light_and_dark(
    browser: Browser, folder: Path, width: int, height: int
) -> None:
    tab, errors = opened(browser, report_page(folder, swapped_knees("nao")), width, height)
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    light = picture(tab, f"report-light-{width}").mean()
    tab.locator("#theme").click()
    settle(tab)
    assert picture(tab, f"report-dark-{width}").mean() < 0.5 * light
    for part in ("#verdict", "#scene", "#play", "#timeline", "tr[data-question='contact slip']"):
        box = tab.locator(part).bounding_box()
        assert box is not None and box["x"] + box["width"] <= width + 1
    assert errors == []


def test_a_replay_is_drawn_as_a_ghost(browser: Browser, folder: Path) -> None:
    motion = sway("nao")
    q = motion.q.copy()
    q[:, 0] += 0.1
    tab, errors = opened(browser, report_page(folder, motion, replace(motion, q=q)))
    both = seen(tab, "report-ghost")
    tab.locator("#layers button", has_text="replay").click()
    settle(tab)
    assert np.abs(seen(tab, "report-alone") - both).max() > 30.0
    assert tab.locator("tr[data-question='physics replay']").count() == 1
    assert errors == []


def test_a_motion_that_cannot_be_read_still_has_a_page(browser: Browser, folder: Path) -> None:
    tab, errors = opened(browser, report_page(folder, not_a_number("nao")))
    assert "cannot be read" in tab.locator("#nothing").inner_text()
    assert tab.locator("#findings tr.FAIL").count() == 1
    assert errors == []


def test_words_of_a_file_cannot_become_part_of_the_page() -> None:
    robot, motion = load_robot("nao"), sway("nao")
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    report = judge(replace(motion, robot=evil, recipe={"engine": evil}), robot)
    text = page(report, motion, replace(robot, title=evil), surfaces=())
    assert "<script>alert" not in text and "<img" not in text


def test_an_interrupted_write_leaves_the_old_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, motion, robot = tmp_path / "report.html", sway("nao"), load_robot("nao")
    path.write_text("the old page")
    report = judge(motion, robot)

    def broken(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", broken)
    with pytest.raises(BadInput, match="disk full"):
        write_html(report, motion, robot, path, surfaces=())
    assert path.read_text() == "the old page"
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_the_worst_instants_are_among_the_frames() -> None:
    time = np.arange(0.0, 100.0, 0.005)
    rows = chosen_rows(time, [12.345, 99.9])
    assert len(rows) < 3100
    assert {2469, 19980} <= set(rows.tolist())
    assert rows[0] == 0 and rows[-1] == len(time) - 1


def test_packed_numbers_are_little_endian_floats() -> None:
    told = packed(np.array([[1.0, 2.0], [3.0, np.nan]]))
    assert told["n"] == [2, 2]
    back = np.frombuffer(base64.b64decode(told["f32"]), dtype="<f4")
    assert np.array_equal(back, [1.0, 2.0, 3.0, np.nan], equal_nan=True)


@pytest.mark.parametrize(
    ("kind", "size", "volume"),
    [
        ("box", (1.0, 2.0, 3.0), 6.0),
        ("sphere", (1.0,), 4.19),
        ("cylinder", (1.0, 2.0), 6.28),
        ("capsule", (1.0, 2.0), 10.47),
    ],
)
def test_primitives_are_closed_and_face_outwards(
    kind: str, size: tuple[float, ...], volume: float
) -> None:
    vertices, faces = primitive(kind, size)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    found = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert 0.93 * volume < found < 1.001 * volume


def test_surfaces_move_with_the_joints_they_belong_to() -> None:
    robot = load_robot("hrp2")
    found = surfaces_of(robot)
    assert {s.joint for s in found} <= set(range(1, robot.model.njoints))
    data = robot.model.createData()
    pin.forwardKinematics(robot.model, data, robot.half_sitting)
    lowest = min(
        float((s.vertices @ data.oMi[s.joint].rotation[2] + data.oMi[s.joint].translation[2]).min())
        for s in found
    )
    assert abs(lowest) < 2e-3  # it stands on the ground
