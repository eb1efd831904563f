"""Hours of walking with sliders that nobody leaves alone: does anything break, grow or slow down?

    python tools/soak_walk.py --minutes 60 --seed 1 --robot nao

Every second one knob, drawn at random, goes anywhere in its range. A walk may fall; then it must
say why, and it stands up and goes on. Everything else that is not as it should be is counted, in
the motion as it would be exported: not a number, joint angles, joint speeds, motor torques,
couplings, torques that leap from one tick to the next. What a tick costs is told in processor
time, so other programs do not count.
"""

from __future__ import annotations

import argparse
import resource
from collections import Counter
from collections.abc import Sequence
from time import process_time

import numpy as np

from poise.engines.expressive import ExpressiveController, Style
from poise.engines.expressive.options import KNOBS, NUMBERS
from poise.engines.expressive.recorder import motion_of_ticks
from poise.engines.expressive.tick import Tick
from poise.motion import Motion
from poise.robot import Robot, load_robot
from poise.robot.robot import BASE_Q, BASE_V

SLACK = 1e-6  # of a limit, for rounding
LEAP = 0.1  # of its limit, by which no torque may change in a tick
APART = 1e-3  # [rad], how far coupled joints may be apart, as the judge has it


def main() -> None:
    """Walk, and tell what happened."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0, help="of simulated time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--robot", default="nao")
    args = parser.parse_args()
    robot, random = load_robot(args.robot), np.random.default_rng(args.seed)
    walker = ExpressiveController(robot)
    walker.start()
    broken: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    per_second = round(1.0 / walker.options.dt)
    seconds = round(60.0 * args.minutes)
    costs, memory = [], []
    named = 0
    last: Sequence[Tick] = ()
    for second in range(seconds):
        name = NUMBERS[random.integers(len(NUMBERS))]
        one = KNOBS[name]
        value = float(random.uniform(one.low, one.high))
        walker.set_style(walker.style.changed(**{name: value}))
        start = process_time()
        ticks = [walker.tick() for _ in range(per_second)]
        costs.append((process_time() - start) / per_second)
        memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0)
        broken += broken_rows(robot, motion_of_ticks(robot, ticks, {}))
        up = [tick for tick in (*last, *ticks) if not tick.reason]
        broken["motor that leaps"] += leaps(robot, up)
        last = () if walker.fallen else ticks[-1:]
        named += sum(bool(tick.gave_way) for tick in ticks)
        if walker.fallen:
            reason = walker.reason.rsplit(" at ", 1)[0]
            broken["fall without a reason"] += not reason
            reasons[reason] += 1
            walker.set_style(Style())
            walker.stand_up()
            walker.start()
        if (second + 1) % 300 == 0:
            print(f"{(second + 1) / 60:.0f} min, {sum(reasons.values())} falls", flush=True)
    tenth = max(seconds // 10, 1)
    early, late = np.median(costs[tenth : 2 * tenth]), np.median(costs[-tenth:])
    print(f"{args.robot}, {args.minutes:g} min, seed {args.seed}")
    print("broken:", {name: n for name, n in broken.items() if n} or "nothing")
    print(f"ticks in which a requirement gave way, and was named: {named}")
    print(f"falls: {sum(reasons.values())}, each with its reason; the most frequent:")
    for reason, n in reasons.most_common(8):
        print(f"  {n:4d}  {reason}")
    print(f"tick: {1e6 * early:.0f} us in the second tenth, {1e6 * late:.0f} us in the last")
    print(f"memory: {memory[min(300, seconds - 1)]:.0f} MB early, {memory[-1]:.0f} MB at the end")


def leaps(robot: Robot, ticks: Sequence[Tick]) -> int:
    """In how many ticks of a robot that is up some torque changes by too much."""
    motors = np.array([tick.tau for tick in ticks]).reshape(-1, robot.na) @ robot.motor_map.T
    changes = np.abs(np.diff(motors, axis=0))
    return int((changes > LEAP * robot.effort_limit).any(axis=1).sum())


def broken_rows(robot: Robot, motion: Motion) -> Counter[str]:
    """In how many rows of a motion each thing is not as it should be."""
    joints, rates = motion.q[:, BASE_Q:], np.abs(motion.v[:, BASE_V:])
    motors = np.abs(motion.tau @ robot.motor_map.T)
    numbers = np.hstack([motion.q, motion.v, motion.tau])
    apart = np.abs([robot.coupling_gap(q) for q in motion.q])
    rows = {
        "not a number": ~np.isfinite(numbers),
        "joint beyond its range": (joints < robot.lower - SLACK) | (joints > robot.upper + SLACK),
        "joint too fast": rates > robot.velocity_limit * (1 + SLACK),
        "motor beyond its torque": motors > robot.effort_limit * (1 + SLACK),
        "coupled joints apart": apart > APART,
    }
    return Counter({name: int(bad.any(axis=1).sum()) for name, bad in rows.items()})


if __name__ == "__main__":
    main()
