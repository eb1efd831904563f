"""Catching a push along one axis: calm while it is small, in a rush when it is not.

A small push finds the regulator (`regulator`), which never asks the ZMP to leave the soles. The
sooner the ZMP is on the rim the more is survived: when the capture point will be far out, a push
that still grows included, the ZMP is sent there at once (`rush`). Once the push has stopped growing
nothing is foreseen any more, and the ZMP is sent out less far: from then on what the robot itself
does shakes the estimate more than anybody who pushes.
"""

from __future__ import annotations

from poise.engines.balance.footing import Footing
from poise.engines.balance.push_observer import PushObserver
from poise.engines.balance.regulator import regulator_gain
from poise.engines.balance.rush import Rush
from poise.walking.pendulum import pendulum_rate

FRESH = 0.95  # how much of the rate of the tilt is kept from period to period
ALERT, ALARM = 0.15, 0.4  # of the way to the rim: where urgency begins and is complete
FORESEE = 0.05  # [s], how far ahead a push that grows is looked at
MOST = 2.5  # of the way to the rim: the greatest push that is believed
TRUST = 0.2  # [s], in which a tilt that the ZMP does not explain is taken for a wrong zero
BELIEVED = 0.3  # of the tilt at which soles reach their rim: the greatest such error
ASKEW = 0.4  # of the way to the rim, by which tilt and ZMP may tell different stories
WITHIN = 0.95  # of the way from the reference to the rim that the calm ZMP is sent
EDGE = 0.93  # the same in a rush: a foot rolls over its rim sooner than its outline tells
OVERTAKE = 2.0  # how far beyond the capture point the ZMP is sent, of where that is
RETURN = 0.7  # the same once the push grows no more
REST = 0.2  # [s], how long all has to be calm before another push may begin
HEAVIEST = 0.5  # of the weight, by which the load on the soles is believed to differ from it
REACHED = 0.8  # of the way to the rim: a ZMP that is there cannot be helped by ankles any more
STIFFEN = 0.05  # [s], in which the command comes to rest then, and while the robot tips
BACK = 0.7  # of the way to the rim: within, a capture point has come back
UNDER = 0.6  # of where the centre of mass is: where the feet are laid flat below it
LAY = 0.12  # [s], in which they are
GENTLY = 0.03  # [s], in which that begins


class AxisCatcher:
    """One axis of a robot that catches pushes.

    Attributes:
        tilt: of the robot on its soles, as measured [rad].
        tipped: whether the robot stood on a rim in the period before.
        rises: whether a push that grows now is one that has just begun.
        speed: of the centre of mass [m/s].
        observer: of what pushes.
    """

    def __init__(self, footing: Footing, dt: float, effort: float, believe: float) -> None:
        """Take the footing, the period [s], the effort, and how fast a push may change."""
        self._height, self._dt = footing.height, dt
        self._moment = footing.mass * footing.height
        self._omega = pendulum_rate(footing.height)
        self._omega2 = self._omega**2
        self._springs = footing.spring, footing.damper
        self._calm = regulator_gain(footing, dt, effort).tolist()
        self._rush = Rush(footing)
        self.observer = PushObserver(self._omega, dt, believe)
        self.move()

    def move(self) -> None:
        """The robot stands on something else from now on."""
        self.observer.move()
        self.tilt = self._falling = self.speed = 0.0
        self._mass = self._bias = self._zmp = 0.0
        self.tipped, self.rises, self._calm_for = False, True, 0.0

    def springy(self) -> float:
        """Where the ZMP would be at this tilt on soles without end [m]."""
        return self._springs[0] * self.tilt

    def lean(self, mass: float, held: float) -> None:
        """See the centre of mass, as it is and as the servos hold it [m]."""
        before, self.tilt = self.tilt, (mass - held) / self._height
        self._falling += (1.0 - FRESH) * ((self.tilt - before) / self._dt - self._falling)
        self._mass = mass

    def feel(
        self, zmp: float, blind: float, rim: float, load: float,
        momentum: float, against: float, flies: float,
    ) -> None:  # fmt: skip
        """Tell the push.

        Args:
            zmp: as felt, from where it should be [m].
            blind: where the soles on that side tell no more [m].
            rim: where they end [m].
            load: on them, of the weight.
            momentum: angular, about the centre of mass [N m s].
            against: velocity of the centre of mass less the IMU's [m/s].
            flies: acceleration of the IMU [m/s²].
        """
        spring, damper = self._springs
        if zmp / blind > 1.0:  # somewhere between the last sensor and the rim, as the tilt tells
            way = (spring * self.tilt + damper * self._falling - blind) / (rim - blind + 1e-9)
            zmp = blind + min(max(way, 0.0), 1.0) * (rim - blind)
        elif not self.tipped:
            unexplained = self.tilt - zmp / spring - self._bias
            most = BELIEVED * abs(rim) / spring
            bias = self._bias + self._dt / TRUST * unexplained
            self._bias = min(max(bias, -most), most)
        self._zmp = zmp
        turning = momentum / self._moment
        most = MOST * max(abs(rim), abs(blind))
        moment = min(max(load, 1.0 - HEAVIEST), 1.0 + HEAVIEST) * (self._mass - zmp)
        self.observer.step(self._mass, moment, turning, against, flies, most)
        self.speed = self.observer.rate - turning

    @property
    def capture(self) -> float:
        """The capture point, from where it should be [m]."""
        return self._mass + self.speed / self._omega

    def share(self, rim: float) -> float:
        """How far the capture point is on its way to a rim [m], a push that way included."""
        return self.capture / rim + max(self.observer.push / rim, 0.0)

    def catch(
        self, s: float, rate: float, held: tuple[float, float], low: float, high: float
    ) -> float:
        """The rate of the command on the soles [m/s].

        Args:
            s: the command [m].
            rate: its rate so far [m/s].
            held: what the servos make of it [m], [m/s].
            low: least ZMP on the soles [m].
            high: greatest.
        """
        spin = (self.speed - held[1]) / self._height
        tilt = self._tilted(spin, ASKEW * max(abs(low), abs(high)))
        calm = self._stay_calm(s, rate, held, (tilt, spin), low, high)
        x = self._expected(low, high)
        rim = high if x > 0.0 else low
        urgency = min((x / rim - ALERT) / (ALARM - ALERT), 1.0)
        if urgency <= 0.0:
            return calm
        if (self.capture + self.observer.push) / rim > 1.0 and self._zmp / rim > REACHED:
            return rate - self._dt / STIFFEN * rate
        further = OVERTAKE if self.rises else RETURN
        goal = min(max((1.0 + further) * x, EDGE * low), EDGE * high)
        mass = held[0] + self._height * tilt + self.observer.push
        fast = self._rush.rate(s, held, mass, spin, self._zmp, goal)
        return calm + urgency * (fast - calm)

    def _expected(self, low: float, high: float) -> float:
        """Where the capture point is about to be, the push included [m]; rims as in `catch`."""
        push, growth = self.observer.push, self.observer.growth
        x = self.capture + push
        if self.rises and push * growth > 0.0:
            x += FORESEE * growth
        far = max(x / high, x / low)
        if self.rises:
            noticed = far > ALERT or max(push / high, push / low) > ALERT
            self.rises = not (noticed and push * growth < 0.0)
        else:
            self._calm_for = self._calm_for + self._dt if far < ALERT else 0.0
            if self._calm_for > REST:
                self.rises, self._calm_for = True, 0.0
        return x

    def _tilted(self, spin: float, play: float) -> float:
        """The tilt on the soles [rad]: a foot that lies askew tilts without moving the ZMP.

        Args:
            spin: its rate [rad/s].
            play: by how much the ZMP may tell another story [m].
        """
        spring, damper = self._springs
        about, tilt = self._zmp - damper * spin, self.tilt - self._bias
        return min(max(tilt, (about - play) / spring), (about + play) / spring)

    def _stay_calm(
        self, s: float, rate: float, held: tuple[float, float], tilted: tuple[float, float],
        low: float, high: float,
    ) -> float:  # fmt: skip
        """The regulator's rate of the command [m/s]; `tilted` is tilt and spin."""
        (c, c_rate), (tilt, spin), d, g = held, tilted, self.observer.push, self._calm
        s, c = s + d, c + d
        u = -(g[0] * s + g[1] * rate + g[2] * c + g[3] * c_rate + g[4] * tilt + g[5] * spin)
        u = min(max(u, self._omega2 * (s - WITHIN * high)), self._omega2 * (s - WITHIN * low))
        return rate + self._dt * u

    def tip(self, s: float, rate: float, rim: float | None) -> float:
        """The rate of the command on a rim [m/s]; the rim [m] is None where another axis tips."""
        if rim is not None and self.share(rim) < BACK:
            return rate + self._dt / GENTLY * ((UNDER * self._mass - s) / LAY - rate)
        return rate - self._dt / STIFFEN * rate
