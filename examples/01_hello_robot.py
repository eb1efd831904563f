"""Hello, robot

Load a humanoid, look at it at one instant, and have it judged while it does nothing but stand.
Shows `load_robot`, `Robot.at` and `check`.
"""

import poise
from poise.door import standing


def main(name: str = "nao") -> poise.Motion:
    robot = poise.load_robot(name)
    at = robot.at(robot.half_sitting)
    print(robot, "has its centre of mass at", at.com.round(3), "m")
    motion = standing(robot, duration=2.0)
    print(poise.check(motion))
    return motion


if __name__ == "__main__":
    main()
