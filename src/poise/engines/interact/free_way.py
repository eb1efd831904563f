"""How far an offered hand is free to go: until its arm meets the body or comes to its end.

A hand that is led goes to and fro beside a body that sways and steps. Where its arm is at the hips
after a few centimetres, no partner can lead it: it is the robot itself that holds the hand back.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from poise.engines.interact.body import Body, Wishes
from poise.engines.interact.clearance import Clearance
from poise.engines.interact.rest import Rest
from poise.robot import Robot

DT = 0.05  # [s]
WAYS = 8  # directions over the ground that are tried
STEPS = 20  # in which a hand is led along one of them
RETURN = 5.0  # [1/s], how fast a hand comes back to its line
STUCK = 0.3  # of its pace: a hand that goes slower has come to the end of its way


def free_way(robot: Robot, rest: Rest, enough: float, least: float = 0.0) -> float:
    """The shortest way that is free for an offered hand, of all ways over the ground [m].

    Args:
        robot: who; it stands.
        rest: how it offers its hands.
        enough: no way is tried further [m].
        least: what is no longer than this is not measured further [m].
    """
    at = robot.at(rest.q)
    still = Wishes(
        rest.com[:2],
        np.zeros(2),
        {part: at.pose(part) for part in robot.feet},
        {part: np.zeros(6) for part in robot.feet},
        0.0,
        0.0,
    )
    body, free = Body(robot, rest, DT), enough
    clearance = Clearance(robot, rest.q, rest.shoulders.values(), DT)
    for hand in rest.hands:
        for angle in 2.0 * np.pi * np.arange(WAYS) / WAYS:
            way = np.array([np.cos(angle), np.sin(angle), 0.0])
            free = min(free, _along(body, clearance, still, hand, way, enough))
            if free <= least:
                return free
    return free


def _along(
    body: Body, clearance: Clearance, still: Wishes, hand: str, way: np.ndarray, enough: float
) -> float:
    """How far one hand comes one way [m]; the others stay where they are."""
    rest, pace = body.rest, enough / (STEPS * DT)
    body.reset(rest.q)
    places = {part: body.at.position(part).copy() for part in body.hands}
    start, gone = places[hand].copy(), 0.0
    while gone < enough:
        twists = {}
        for part, place in places.items():
            off = rest.R_hands[part] @ body.at.rotation(part).T
            back = place - body.at.position(part), pin.log3(off)
            twists[part] = RETURN * np.concatenate(back)
        twists[hand][:3] += pace * way
        body.step(still, twists)
        body.look()
        before, gone = gone, float((body.at.position(hand) - start) @ way)
        if gone - before < STUCK * pace * DT or clearance.left(body.q) < 0.0:
            return max(before, 0.0)
        places[hand] = start + gone * way
    return enough
