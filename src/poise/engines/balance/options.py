"""The knobs of the balance controller, declared once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from poise.engines.balance.stability import Loop, require_stable, shortest_filter
from poise.motion.knobs import check_all, choice, knob
from poise.robot import Robot
from poise.walking.pendulum import pendulum_rate

FEEDBACKS = ("none", "stiff", "compliant", "capture")
CONTROLLER = "controller"


@dataclass(frozen=True)
class BalanceOptions:
    """How a robot keeps its balance; every number fits any robot."""

    feedback: str = choice(
        "capture", FEEDBACKS,
        "what a push does: nothing, lean against it, give way, or catch the capture point",
        CONTROLLER,
    )  # fmt: skip
    zmp_error: str = choice(
        "total", ("total", "soles"),
        "ZMP of both feet together, or the paper's sum of each sole's own error", CONTROLLER,
    )  # fmt: skip
    solver: str = choice(
        "projections", ("projections", "limits"),
        "strict levels by projections, or by QPs that keep joint, speed and CoP limits", CONTROLLER,
    )  # fmt: skip
    k: float = knob(5.0, 0.5, 50.0, "1/s", "how fast every error dies", CONTROLLER)
    Kp: float = knob(0.3, 0.0, 5.0, "", "stiff: lean for each metre of ZMP error", CONTROLLER)
    Kd: float = knob(0.0, 0.0, 0.5, "s", "stiff: lean for its rate", CONTROLLER)
    kz: float = knob(1.0, 0.0, 20.0, "1/s", "compliant: how fast it gives way", CONTROLLER)
    zmp_filter: float = knob(
        0.1, 0.0, 1.0, "s", "time constant of the filter on the ZMP", CONTROLLER
    )
    servo_time: float = knob(
        0.02, 0.0, 0.2, "s", "lag of the servos that stability is judged with", CONTROLLER
    )
    comfort_time: float = knob(1.0, 0.05, 20.0, "s", "how fast comfort is sought", CONTROLLER)
    share_time: float = knob(
        0.05, 0.0, 0.5, "s", "smoothing of the share of load of each foot", CONTROLLER
    )
    effort: float = knob(
        -3.0, -9.0, 0.0, "", "capture: ten to this is what moving the mass costs", CONTROLLER
    )
    believe: float = knob(
        -3.0, -8.0, 0.0, "", "capture: ten to this is how fast a push may change", CONTROLLER
    )
    sinkage: float = knob(
        0.0005, 0.0001, 0.01, "m", "capture: how far the soles give under the weight", CONTROLLER
    )
    swing: float = knob(
        0.8, 0.0, 1.0, "", "capture: share of their speed at which trunk and arms swing", CONTROLLER
    )
    step: float = knob(
        1.0, 0.0, 1.0, "", "capture: a recovery step, as a share of the longest; 0 takes none",
        CONTROLLER,
    )  # fmt: skip
    speed: float = knob(1.0, 0.05, 1.0, "", "share of the joints' speed limits", CONTROLLER)

    def __post_init__(self) -> None:
        check_all("balance", self)

    def loop(self, robot: Robot) -> Loop | None:
        """What the stability of the ZMP feedback depends on; None without such a feedback."""
        height = float(robot.at(robot.half_sitting).com[2])
        omega = pendulum_rate(height)
        if self.feedback == "stiff":
            a, b = self.k * self.Kp, self.k * self.Kd
        elif self.feedback == "compliant":
            a, b = -self.kz, 0.0
        else:
            return None
        return Loop(self.k, a, b, self.zmp_filter, self.servo_time, omega)

    def steadied(self, robot: Robot) -> BalanceOptions:
        """The same, with as long a filter on the ZMP as this robot needs to be stable.

        Where no filter helps it stays as it is, and is refused with a reason when it is used.
        """
        loop = self.loop(robot)
        if loop is None or loop.stable:
            return self
        needed = shortest_filter(loop)
        return self if needed is None else replace(self, zmp_filter=needed)

    def require_stable(self, robot: Robot) -> None:
        """Refuse gains with which this robot would rock itself over."""
        loop = self.loop(robot)
        if loop is None:
            return
        stiff = self.feedback == "stiff"
        gain = self.Kp if stiff else self.kz
        require_stable(loop, f"balance of {robot.name}", "Kp" if stiff else "kz", f"{gain:g}")
