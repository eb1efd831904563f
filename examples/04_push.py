"""Push

A robot stands on its servos in the simulator while someone pushes its chest. Shows
`SimulationOptions`, `Push` and what a recording of the simulator tells.
"""

import poise
from poise.door import standing
from poise.simulation import Push, SimulationOptions, replay


def main(name: str = "talos", force: float = 40.0) -> bool:
    robot = poise.load_robot(name)
    push = Push(force=(force, 0.0, 0.0), start=0.5, duration=0.1)
    recorded, verdict = replay(robot, standing(robot, 3.0), SimulationOptions(pushes=(push,)))
    sway = 1e3 * abs(recorded.q[:, 0] - recorded.q[0, 0]).max()
    print(f"{name} {'stands' if verdict.upright else 'falls'}, swaying by {sway:.1f} mm")
    return verdict.upright


if __name__ == "__main__":
    main()
