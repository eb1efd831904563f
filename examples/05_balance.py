"""Balance

A small humanoid is pushed while it stands on simulated force sensors, once with nobody looking at
the ZMP and once with its balance controller. Shows `balance`, knobs and pushes.
"""

import poise
from poise.engines.balance import Shove


def main(name: str = "hoap3", force: float = 8.0) -> dict[str, float]:
    push, lean = Shove(force=force, direction=0.0, start=0.5, duration=0.5), {}
    for feedback in ("none", "capture"):
        settings = {"feedback": feedback, "duration": 1.5}
        motion = poise.balance(name, "stand", settings=settings, pushes=[push])
        zmp = 1e3 * motion.signals["felt_zmp"][:, 0]
        lean[feedback] = float(zmp[motion.row(0.98)] - zmp[motion.row(0.45)])
        print(f"{feedback}: the ZMP is {lean[feedback]:.0f} mm off at the end of the push")
    return lean


if __name__ == "__main__":
    main()
