"""Robots in physics with the mouse's hand on them: what happened can be made again."""

import json

import numpy as np
import pytest

from poise.cli import main
from poise.engines.balance import FEEDBACKS
from poise.engines.expressive import find_style
from poise.engines.expressive.resting import rest_joints
from poise.errors import PoiseError
from poise.io import load
from poise.robot import load_robot
from poise.robot.robot import BASE_Q
from poise.studio import engine_jobs
from poise.studio.arm_dragging import rest_with_hand, sides_of
from poise.studio.live_physics import LivePhysics, replay_physics
from poise.studio.plants import STEPS_KEPT, with_feedback

NAO = load_robot("nao")


def held(live: LivePhysics, part: str, by: tuple[float, float, float]) -> dict:
    """An order to hold a part and pull it by some way [m]."""
    frame = NAO.model.frames[NAO.frame_id(part)]
    here = NAO.at(live.plant.seen.q).position(part)
    return {
        "joint": NAO.model.names[frame.parentJoint],
        "point": frame.placement.translation.tolist(),
        "target": (here + by).tolist(),
    }


def test_a_robot_that_was_pulled_pushed_and_squatted_does_it_all_again():
    live = LivePhysics("balance", NAO, {"feedback": "capture"})
    live.advance(0.2)
    live.record()
    live.order("hold", held(live, "chest", (0.08, 0.0, 0.0)))
    live.advance(0.3)
    assert live.plant.felt.force > 2.0
    live.order("let_go")
    live.order("push", {"force": 4.0, "direction": 90.0, "duration": 0.1})
    live.order("squat", {"relative_depth": 0.05, "period": 1.0, "cycles": 1.0})
    live.advance(0.5)
    live.stand_up({"feedback": "compliant"})
    live.advance(0.2)
    motion = live.stop_recording()
    again = replay_physics(NAO, json.loads(json.dumps(motion.recipe)))
    assert np.abs(again.q - motion.q).max() <= 1e-9
    assert np.abs(again.tau - motion.tau).max() <= 1e-9
    low = motion.q[: round(1.0 / live.dt), 2]
    assert low.max() - low.min() > 0.008  # it went down
    assert set(motion.contacts.parts) == set(NAO.feet)
    assert np.all(np.diff(motion.time) > 0.0)


def test_a_hand_that_is_pulled_forward_leads_the_robot_forward_and_again_the_same_way(tmp_path):
    live = LivePhysics("interact", NAO, {})
    live.advance(0.5)
    live.order("hold", held(live, "right_hand", (0.3, 0.0, 0.0)))
    live.record()
    for _ in range(7):
        live.advance(0.5)
    motion = live.stop_recording()
    assert motion.q[-1, 0] - motion.q[0, 0] > 0.06
    assert len(live.plant.steps) >= 3 and not live.plant.fell
    live.plant.controller.watch.reason = "the hand is beyond reach"
    live.advance(0.01)
    assert live.plant.hold is None  # it slips away
    recipe, again = tmp_path / "recipe.json", tmp_path / "again.npz"
    recipe.write_text(json.dumps(motion.recipe))
    assert main(["studio", "--replay", str(recipe), "--out", str(again), "--json"]) in (0, 1)
    assert np.abs(load(again).q - motion.q).max() <= 1e-9


def test_standing_up_begins_a_new_recipe_and_nothing_grows_for_ever():
    live = LivePhysics("interact", NAO, {})
    live.advance(0.6)
    live.order("stop")
    live.stand_up()
    assert live.ticks == 0 and live.recipe()["options"]["orders"] == []
    live.controller = live.plant.controller
    live.controller.gait.steps += [None] * 50
    live.controller.diary.rows["zmp"] = [()] * 50
    live.plant.forget()
    assert len(live.plant.steps) == STEPS_KEPT and not live.controller.diary.rows


def test_a_robot_pulled_over_lies_still_and_the_judge_is_told_so():
    live = LivePhysics("balance", NAO, {})
    live.record()
    live.order("hold", held(live, "head", (0.9, 0.0, -0.2)))
    for _ in range(12):
        live.advance(0.3)
        if live.plant.over:
            break
    assert live.plant.over and live.plant.fell
    ticks = live.ticks
    live.advance(0.3)
    assert live.ticks == ticks
    motion = live.stop_recording()
    report = engine_jobs.judge_live(str(NAO.folder), motion, live.plant.fell).report
    assert not report.ok
    assert any(f.question == "physics replay" and not f.ok for f in report.findings)


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("dance", None),
        ("hold", {"joint": "no such joint", "point": [0, 0, 0], "target": [0, 0, 0]}),
        ("hold", {"joint": "HeadYaw", "point": [0, 0, 0], "target": [0, 0, float("nan")]}),
    ],
)
def test_orders_that_make_no_sense_are_refused_and_not_noted(what, value):
    live = LivePhysics("balance", NAO, {})
    with pytest.raises(PoiseError):
        live.order(what, value)
    assert live.orders == []


def test_a_whole_scenario_is_run_judged_and_told():
    push = {"force": 2.0, "direction": 0.0, "duration": 0.1, "start": 0.1}
    made = engine_jobs.balance(str(NAO.folder), "stand", {"duration": 0.4}, push)
    assert made.words == "It stayed up." and made.motion.recipe["engine"] == "balance"


def test_an_arm_rests_where_its_hand_was_dragged_and_nothing_else_moves():
    style = find_style("normal")
    q = np.r_[NAO.half_sitting[:BASE_Q], rest_joints(NAO, style)]
    at = NAO.at(q)
    goal = at.pose("chest").actInv(at.position("left_hand")) + [0.03, 0.03, 0.05]
    angles = rest_with_hand(NAO, style, "left", goal)
    assert set(angles) == set(NAO.groups["left_arm"])
    moved = NAO.at(NAO.posture(angles, start=q))
    reached = moved.pose("chest").actInv(moved.position("left_hand"))
    assert np.linalg.norm(reached - goal) < 0.005
    assert set(sides_of(NAO).values()) == {"left", "right"}


@pytest.mark.parametrize("name", ["nao", "hrp2", "g1", "talos"])
@pytest.mark.parametrize("feedback", FEEDBACKS)
def test_every_feedback_of_the_page_works_on_every_robot(name, feedback):
    """A page has no slider for the filter that a tall robot needs, so it takes a longer one."""
    robot = load_robot(name)
    live = LivePhysics("balance", robot, with_feedback(robot, feedback))
    live.advance(1.0)
    assert not live.plant.fell
    same = with_feedback(NAO, "stiff")
    assert same == {"feedback": "stiff"}  # a robot that needs no other is left alone
