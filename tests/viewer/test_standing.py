import re

import numpy as np
import pinocchio as pin
import pytest

from browser import launch, picture, watched
from poise.robot import load_robot, robot_names
from poise.robot.robot import BASE_Q
from poise.viewer.figures import margin, support_polygon
from poise.viewer.standing import _words, on_the_floor, show_robot, standing_touches

NAO = load_robot("nao")
PATIENCE = 90_000  # [ms]


@pytest.mark.parametrize("name", robot_names())
def test_every_robot_is_balanced_in_half_sitting(name):
    robot = load_robot(name)
    touches = standing_touches(robot, robot.half_sitting)
    assert {touch.part for touch in touches} == set(robot.feet)
    assert margin(robot.at(robot.half_sitting).com, support_polygon(touches)) > 0.0


def test_a_raised_leg_leaves_the_other_foot_flat_on_the_floor():
    q = on_the_floor(NAO, NAO.posture({"LHipPitch": -1.2, "LKneePitch": 1.5}))
    assert [touch.part for touch in standing_touches(NAO, q)] == ["right_foot"]
    assert np.allclose(q[BASE_Q:], NAO.posture({"LHipPitch": -1.2, "LKneePitch": 1.5})[BASE_Q:])
    pose = NAO.at(q).pose("right_foot")
    assert np.allclose(pose.rotation, np.eye(3), atol=1e-9)
    assert pose.translation[2] == pytest.approx(0.0, abs=1e-12)


def test_the_floor_is_found_from_any_height_and_tilt():
    q = np.array(NAO.half_sitting)
    tilt = pin.SE3(pin.rpy.rpyToMatrix(0.1, -0.2, 0.3), np.array([0.4, -0.1, 0.7]))
    q[:BASE_Q] = pin.SE3ToXYZQUAT(tilt * pin.XYZQUATToSE3(q[:BASE_Q]))
    assert len(standing_touches(NAO, on_the_floor(NAO, q))) == 2


@pytest.mark.parametrize(
    ("x", "words"), [(0.0, "Balanced, with"), (1.0, "Not balanced"), (np.nan, "No foot")]
)
def test_balance_is_said_in_words(x, words):
    support = support_polygon(standing_touches(NAO, NAO.half_sitting))
    assert words in _words(np.array([x, 0.0, 0.3]), support)


def test_a_slider_bends_the_robot_until_it_falls():
    with launch() as browser, show_robot(NAO, port=0, block=False, shadows=False) as served:
        page = browser.new_page(viewport={"width": 1024, "height": 768})
        errors = watched(page)
        page.goto(served.address)
        page.get_by_text(re.compile("^Balanced, with")).wait_for(timeout=PATIENCE)
        picture(page, "standing")
        for name in ("LAnklePitch", "RAnklePitch"):
            row = page.locator("label").filter(has_text=name).locator("xpath=../../..")
            box = row.locator("input[type=text]")
            box.fill("30")
            box.press("Enter")
        page.get_by_text(re.compile("^Not balanced")).wait_for(timeout=PATIENCE)
        picture(page, "standing-falls")
        page.get_by_role("button", name="Half-sitting").click()
        page.get_by_text(re.compile("^Balanced, with")).wait_for(timeout=PATIENCE)
        assert errors == []
