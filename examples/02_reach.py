"""Reach

Lift a hand while the feet stay where they are and the centre of mass stays over them: inverse
kinematics with what must hold exactly and what is only wanted.
"""

import poise
from poise.control import reach
from poise.tasks import CenterOfMass, FramePose, FramePosition, Posture, Task


def main(name: str = "hrp2") -> float:
    robot = poise.load_robot(name)
    at = robot.at(robot.half_sitting)
    feet = [Task(foot, FramePose(foot, at.pose(foot))) for foot in robot.feet]
    balance = Task("balance", CenterOfMass(at.com.copy(), height=False))
    lifted = at.position("left_hand") + [0.1, 0.0, 0.2]  # [m]
    hand = Task("hand", FramePosition("left_hand", lifted))
    posture = Task("posture", Posture(robot.half_sitting[7:]), weight=1e-4)
    q = reach(robot, robot.half_sitting, [hand, posture], required=[*feet, balance])
    error = abs(robot.at(q).position("left_hand") - lifted).max()
    print(f"hand within {1e3 * error:.2f} mm of where it should be")
    return float(error)


if __name__ == "__main__":
    main()
