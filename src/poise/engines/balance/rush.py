"""A ZMP that is sent to where it is needed as fast as servos can bring it there.

While somebody pushes, every hundredth of a second in which the ZMP is not yet on the rim is
momentum that nobody takes out again. The regulator is too gentle for that; here the tilt on the
soles, which is what moves the ZMP, is given dynamics of its own,

    a'' = -2 D q a' - q² (a - a*),      a* = m g p* / K,      a = (m g p - B a') / K

by the acceleration of the centre of mass that does it (`regulator` has the equation),

    c'' = w² (c + z a + d - p*) + J / (m z) ((q² - K / J) (a - a*) + (2 D q - B / J) a')

and that by the command which servos of a known lag turn into it. The tilt is told by the ZMP that
is felt: a foot that lies askew tilts the robot without moving its ZMP, and the ZMP is what matters.
"""

from __future__ import annotations

from math import sqrt

from poise.engines.balance.footing import Footing
from poise.robot.robot import GRAVITY

SWIFT = 0.9  # q, of the rate of the servos
SWIFTEST = 45.0  # [1/s], whatever the servos: sensors are noisy, and soles no springs
DAMPED = 0.8  # D
REACH = 0.002  # [s], in which the command is where it should be, as far as its speed allows
FASTEST = 0.5  # of sqrt(g z), the speed of the command


class Rush:
    """One axis of a robot in a hurry."""

    def __init__(self, footing: Footing) -> None:
        """Take what it stands on."""
        m, z, J = footing.mass, footing.height, footing.inertia
        self._omega2, self._tau = GRAVITY / z, footing.servo_time
        self._spring, self._damper = footing.spring, footing.damper
        swift = min(SWIFT / footing.servo_time, SWIFTEST)
        self._place = J / (m * z) * (swift**2 - footing.stiffness / J)
        self._rate = J / (m * z) * (2.0 * DAMPED * swift - footing.damping / J)
        self._fastest = FASTEST * sqrt(GRAVITY * z)

    def rate(
        self, s: float, held: tuple[float, float], mass: float, spin: float, zmp: float, goal: float
    ) -> float:
        """The rate of the command [m/s].

        Args:
            s: the command [m].
            held: what the servos make of it, c [m], c' [m/s].
            mass: the centre of mass and what pushes it, c + z a + d [m].
            spin: a' [rad/s].
            zmp: p, as felt [m].
            goal: p* [m].
        """
        c, c_rate = held
        off = (zmp - goal - self._damper * spin) / self._spring
        pushed = self._omega2 * (mass - goal) + self._place * off + self._rate * spin
        wish = c + 2.0 * self._tau * c_rate + self._tau**2 * pushed
        return min(max((wish - s) / REACH, -self._fastest), self._fastest)
