"""Knobs as sliders: the units people think in, and a scale on which every part can be reached."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, degrees, floor, log10, radians

from poise.motion.knobs import Knob

DECADES = 30.0  # a knob whose range spans more than this factor moves by its logarithm


@dataclass(frozen=True)
class Dial:
    """How one number is shown: the slider's own scale, and back to SI units."""

    knob: Knob  # in SI units
    label: str
    low: float
    high: float
    step: float
    kind: str  # "mm", "deg", "log" or "as is"

    def shown(self, value: float) -> float:
        """Where the slider stands for a value in SI units."""
        number = {"mm": 1e3 * value, "deg": degrees(value)}.get(self.kind, value)
        if self.kind == "log":
            number = log10(max(value, self.knob.low))
        places = max(0, -floor(log10(self.step)))
        return min(max(round(number, places), self.low), self.high)

    def told(self, shown: float) -> float:
        """The value in SI units for a place of the slider."""
        value = {"mm": shown / 1e3, "deg": radians(shown)}.get(self.kind, shown)
        if self.kind == "log":
            value = 10.0**shown
        return float(min(max(value, self.knob.low), self.knob.high))

    def words(self, value: float) -> str:
        """A value in SI units as people read it."""
        if self.kind == "log":
            return f"{value:.3g}"
        unit = {"mm": " mm", "deg": "°"}.get(self.kind, f" {self.knob.unit}".rstrip())
        return f"{self.shown(value):.3g}{unit}"


def dial_of(knob: Knob) -> Dial:
    """The slider of a knob that is a number in SI units."""
    name = knob.name.replace("_", " ")
    if knob.unit == "m":
        low, high = ceil(1e4 * knob.low) / 10.0, floor(1e4 * knob.high) / 10.0
        return Dial(knob, f"{name} [mm]", low, high, 0.1 if high - low < 40.0 else 0.5, "mm")
    if knob.unit == "rad":
        return Dial(knob, f"{name} [°]", _degrees(knob.low), _degrees(knob.high), 0.5, "deg")
    if knob.low > 0.0 and knob.high / knob.low > DECADES:
        low, high = ceil(1e2 * log10(knob.low)) / 1e2, floor(1e2 * log10(knob.high)) / 1e2
        return Dial(knob, f"{name} [log]", low, high, 0.01, "log")
    low, high = ceil(1e2 * knob.low) / 1e2, floor(1e2 * knob.high) / 1e2
    unit = f" [{knob.unit}]" if knob.unit else ""
    return Dial(knob, f"{name}{unit}", low, high, 0.01, "as is")


def _degrees(angle: float) -> float:
    return round(degrees(angle), 1)
