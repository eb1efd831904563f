"""Plan

A motion through contact phases: the constraints hold at every instant, and a certificate says by
how much. Shows `poise.plan` and what a planned motion carries.
"""

import poise


def main(name: str = "hrp2", scene: str = "reach") -> bool:
    motion = poise.plan(name, scene)
    figures = motion.recipe["figures"]
    print(f"{figures['variables']} unknowns, {figures['iterations']} iterations")
    for bound in motion.recipe["certificate"]["bounds"]:
        print(
            f"{bound['family']:<16} {bound['worst']:9.4g} of {bound['limit']:.4g} {bound['unit']}"
        )
    report = poise.check(motion)
    print(report)
    return report.ok


if __name__ == "__main__":
    main()
