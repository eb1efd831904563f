"""Imitate

A person's captured walk on a robot. The person is synthetic, so that no file is needed: a straight
walk with a quarter turn, 37 markers, two force plates, as a laboratory would record it. Give the
path of your own C3D, TRC, BVH or AMC file instead.
"""

import poise
from poise.engines.imitate import ImitateOptions
from poise.examples import synthetic_trial


def main(name: str = "hrp2", physics: bool = True) -> poise.Motion:
    trial = synthetic_trial()
    options = ImitateOptions(rate=100.0)
    motion = poise.imitate(name, trial.walk, trial.static, trial.functional, options, physics)
    print(f"{name} walks {motion.recipe['slower']:.2f} times slower than the person")
    print(poise.check(motion, physics=physics))
    return motion


if __name__ == "__main__":
    main()
