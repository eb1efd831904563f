"""What can be chosen when a person is imitated, with units."""

from __future__ import annotations

from dataclasses import dataclass, fields

from poise.errors import BadInput

DYNAMIC, QUASISTATIC = "dynamic", "quasistatic"


@dataclass(frozen=True, kw_only=True)
class ImitateOptions:
    """How a walk is imitated."""

    balance: str = DYNAMIC  # "dynamic": preview control; "quasistatic": slow, CoM over the ZMP
    slow: float = 1.0  # times slower than the person, at least
    stride: float = 1.0  # of the marionette's steps, at most
    rockers: float = 1.0  # of the person's foot pitch at contact and toe-off, at most
    upper_body: bool = True  # imitate trunk and arms
    arms: float = 1.0  # of the person's arms, at most; less where they would hit the body
    lead: bool = True  # with steps from and to standing before and after the clip
    margin: float = 0.005  # [m], of the ZMP inside the support polygon
    rate: float = 200.0  # [Hz], of the motion
    passes: int = 3  # corrections of the centre of mass by the whole body's ZMP
    settle: float = 1.0  # [s], of standing at the end

    def __post_init__(self) -> None:
        if self.balance not in (DYNAMIC, QUASISTATIC):
            raise BadInput("imitate", "balance", self.balance, f"{DYNAMIC} or {QUASISTATIC}")
        low = {"slow": 1.0, "stride": 0.0, "rockers": 0.0, "arms": 0.0, "margin": 0.0, "rate": 20.0}
        high = {
            "slow": 100.0,
            "stride": 1.5,
            "rockers": 1.5,
            "arms": 1.0,
            "margin": 0.05,
            "rate": 1000.0,
        }
        for item in fields(self):
            if item.name in low:
                value, a, b = getattr(self, item.name), low[item.name], high[item.name]
                if not a <= value <= b:
                    raise BadInput("imitate", item.name, f"{value:g}", f"{a:g} to {b:g}")
