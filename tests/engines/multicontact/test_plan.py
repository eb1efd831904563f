"""A small motion from the scene to the judge, and what happens when there is none."""

from dataclasses import replace

import numpy as np
import pytest

import poise
from multicontact_helpers.small import SHIFT
from poise.engines.multicontact import PlanOptions, engine, parse_scene, solve
from poise.engines.multicontact.certificate import certify
from poise.engines.multicontact.dynamics import load
from poise.engines.multicontact.engine import CLOSE, recipe_of
from poise.engines.multicontact.quantities import quantities
from poise.engines.multicontact.result import motion_from
from poise.errors import Infeasible
from poise.solvers.interior_point import Answer, Iterate


@pytest.fixture(scope="module")
def robot():
    return poise.load_robot("hrp2")


@pytest.fixture(scope="module")
def solved(robot):
    return solve(robot, parse_scene(SHIFT))


@pytest.fixture(scope="module")
def motion(robot, solved):
    return motion_from(
        solved.problem, solved.x, 1000.0, recipe_of(robot, parse_scene(SHIFT), solved)
    )


def test_it_is_judged_good_every_millisecond(motion, robot):
    report = poise.check(motion, robot, physics=False)
    assert report.ok, str(report)


def test_it_does_what_was_asked(motion, robot):
    from poise.engines.multicontact.staging import tip

    hand = robot.at(motion.q[-1]).pose("right_hand").act(tip(robot, "right_hand"))
    assert np.abs(hand - [0.4, -0.2, 0.8]).max() < 0.021


def test_feet_stay_within_a_tenth_of_a_millimetre(motion, robot):
    for part in robot.feet:
        places = np.array([robot.at(q).pose(part).translation for q in motion.q[::20]])
        assert np.linalg.norm(places - places[0], axis=1).max() < 1e-4


def test_the_certificate_bounds_what_happens_between_its_nodes(solved):
    problem, u = solved.problem, solved.unpacked
    share = np.linspace(0.0, 1.0, 600)
    at = problem.instants(u, 0, share)
    loaded = load(at, problem.sharing(u, 0), problem.moved(0))
    use = quantities(problem.stage, problem.stage.phases[0], at, loaded, ())
    torque = max(b.worst / b.limit for b in solved.certificate.bounds if b.family == "joint torque")
    assert np.abs(use[:, : problem.chart.na]).max() <= torque + 1e-9
    assert solved.certificate.holds
    assert not replace(solved.certificate, contact_error=2e-4).holds
    assert certify(problem, solved.x).contact_error < 1e-4


def test_a_joint_hardly_beyond_its_range_is_a_violation(solved):
    """Its end stop is there; a torque that much over its limit is left to the margin."""
    seen = replace(
        solved.certificate,
        bounds=tuple(replace(b, excess=2e-4) for b in solved.certificate.bounds),
    )
    assert [b.family for b in seen.violations(2e-3)] == ["joint position"]


@pytest.mark.parametrize("after", [1, 3, 14])
def test_a_stop_gives_the_motion_so_far(robot, after):
    seen = []

    def watch(progress):
        seen.append(progress)
        return len(seen) == after

    found = poise.plan(robot, parse_scene(SHIFT), watch=watch)
    assert found.recipe["figures"]["stopped"]
    assert len(seen) == after
    assert len(found) > 10
    assert np.isfinite(found.q).all()
    assert np.isfinite(seen[0].motion().q).all()


@pytest.mark.parametrize(
    ("violations", "costs", "best"),
    [
        ((0.0, 0.5 * CLOSE, 0.5 * CLOSE, 0.5), (9.0, 5.0, 7.0, 1.0), 1),  # the cheapest that holds
        ((0.5, 0.1, 0.2), (1.0, 50.0, 2.0), 1),  # none holds: the nearest to it
    ],
)
def test_a_solve_that_is_stopped_ends_with_its_best(robot, monkeypatch, violations, costs, best):
    rounds = engine.Rounds.of(robot, parse_scene(SHIFT), PlanOptions(collisions=False, workers=1))
    problem, x = rounds.first_problem()

    def stopped(program, x, options, watch):
        for k, (violation, cost) in enumerate(zip(violations, costs, strict=True)):
            watch(Iterate(k, x + k, cost, violation))
        return Answer(x + k, cost, violation, np.zeros(0), "User_Requested_Stop", k)

    monkeypatch.setattr(engine, "minimise", stopped)
    found = rounds._solve(problem, x, 10)
    assert np.array_equal(found.x, x + best)
    assert (found.cost, found.violation) == (costs[best], violations[best])


def test_a_heavier_weight_on_time_is_quicker_and_on_jerk_smoother(robot, solved):
    scene = replace(parse_scene(SHIFT), cost={})
    options = PlanOptions(jerk_weight=1e-3, collisions=False)
    quick = solve(robot, scene, replace(options, time_weight=50.0))
    smooth = solve(robot, scene, replace(options, jerk_weight=1e-2))
    base = solve(robot, scene, options)
    assert quick.unpacked.durations.sum() < 0.85 * base.unpacked.durations.sum()
    for found in (base, quick):  # where the durations end is the optimiser's choice
        for phase, duration in zip(
            found.problem.stage.phases, found.unpacked.durations, strict=True
        ):
            assert phase.shortest + 1e-3 < duration < phase.longest - 1e-3
    jerk = [s.figures["cost_shares"]["jerk"] for s in (base, smooth)]
    assert jerk[1] / 10.0 < jerk[0]


def test_a_contact_out_of_reach_is_named_with_its_phase(robot):
    far = SHIFT.replace("position = [0.4, -0.2, 0.8]", "position = [2.0, -0.2, 0.8]")
    with pytest.raises(Infeasible, match=r"Phase 'reach'.*task 'touch'"):
        solve(robot, parse_scene(far))


def test_a_hand_that_cannot_get_there_is_named_with_what_holds_it_back(robot):
    hand = """[[contact]]
name = "hand"
part = "right_hand"
position = [1.6, -0.2, 0.8]
[[phase]]
name = "lean"
contacts = ["left foot", "right foot", "hand"]
[[phase]]"""
    with pytest.raises(Infeasible) as told:
        solve(
            robot, parse_scene(SHIFT.replace("[[phase]]", hand, 1)), PlanOptions(collisions=False)
        )
    assert "Phase 'lean' has no solution; in conflict: contact 'hand' (off by" in str(told.value)
    assert "\n" not in str(told.value)


def test_a_phase_too_short_for_the_motors_says_what_they_lack(robot):
    hasty = "duration = 0.06\nshortest = 0.05\nlongest = 0.07"
    scene = parse_scene(SHIFT.replace("duration = 1.5", hasty))
    with pytest.raises(Infeasible, match=r"Phase 'reach'.*joint torque of .* over") as told:
        solve(robot, scene, PlanOptions(collisions=False, iterations=30))
    assert "\n" not in str(told.value)


def test_contradicting_constraints_are_named(robot):
    weak = SHIFT + "\n[limits]\ntorque = 0.02\n"
    with pytest.raises(Infeasible, match=r"Phase 'reach'.*joint torque of"):
        solve(robot, parse_scene(weak), PlanOptions(iterations=40, collisions=False))
