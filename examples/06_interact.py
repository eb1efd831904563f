"""Interact

Lead a walking robot by the hand: a virtual partner pulls its right hand, wrist forces move the
hand, and the feet follow. Shows `poise.interact` and the numbers it leaves in the recipe.
"""

import poise
from poise.engines.interact.leader import Leader, Stretch


def main(name: str = "hrp2", seconds: float = 4.0) -> bool:
    leader = Leader("mine", wait=1.5, settle=3.0, stretches=(Stretch(seconds, forward=0.2),))
    motion = poise.interact(name, leader)
    figures = motion.recipe["figures"]
    print(f"went {figures['distance']:.2f} m of {figures['distance_led']:.2f} m")
    print(f"pulled with {figures['hand_force_max']:.0f} N at most, {figures['steps']} steps")
    print(f"real ZMP within 2 cm for {100 * figures['zmp_within_2cm']:.0f} % of the time")
    return bool(figures["upright"])


if __name__ == "__main__":
    main()
