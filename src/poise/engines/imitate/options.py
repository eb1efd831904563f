"""What can be chosen when a person is imitated, with units."""

from __future__ import annotations

from dataclasses import dataclass

from poise.errors import BadInput

DYNAMIC, QUASISTATIC = "dynamic", "quasistatic"


@dataclass(frozen=True, kw_only=True)
class ImitateOptions:
    """How a walk is imitated."""

    balance: str = DYNAMIC  # "dynamic": preview control; "quasistatic": slow, CoM over the ZMP
    slow: float = 1.0  # times slower than the person, at least
    stride: float = 1.0  # share of the marionette's steps, at most
    turns: float = 1.0  # share of what the hips can turn a foot against the other, at most
    width: float = 1.0  # factor on the least width of steps; more where legs would hit each other
    bend: float = 0.4  # [rad], of the knees, that is kept; less where they are weak
    sway: float = 1.0  # share of the way over a standing foot; less where ankles are stiff
    rockers: float = 1.0  # share of the person's foot pitch at contact and toe-off, at most
    upper_body: bool = True  # imitate trunk and arms
    lean: float = 1.0  # share of the person's tilts of the pelvis; less where motors are weak
    arms: float = 1.0  # share of the person's arms; less where they would hit the body
    aside: float = 0.0  # [rad], that arms are held away from the body; more where they would hit
    lead: bool = True  # with steps from and to standing before and after the clip
    margin: float = 0.005  # [m], of the ZMP inside the support polygon
    rate: float = 200.0  # [Hz], of the motion
    passes: int = 1  # corrections of the centre of mass by the whole body's ZMP, after the sketch's
    settle: float = 1.0  # [s], of standing at the end

    def __post_init__(self) -> None:
        if self.balance not in (DYNAMIC, QUASISTATIC):
            raise BadInput("imitate", "balance", self.balance, f"{DYNAMIC} or {QUASISTATIC}")
        ranges = {
            "slow": (1.0, 100.0),
            "stride": (0.0, 1.5),
            "turns": (0.0, 1.0),
            "width": (1.0, 2.0),
            "bend": (0.15, 1.0),
            "sway": (0.5, 1.0),
            "rockers": (0.0, 1.5),
            "lean": (0.0, 1.0),
            "arms": (0.0, 1.0),
            "aside": (0.0, 0.5),
            "margin": (0.0, 0.05),
            "rate": (20.0, 20000.0),
        }
        for name, (low, high) in ranges.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise BadInput("imitate", name, f"{value:g}", f"{low:g} to {high:g}")
