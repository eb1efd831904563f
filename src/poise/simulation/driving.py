"""What the motors are told at every physics step, as a compiled loop."""

from __future__ import annotations

import numpy as np

from poise.compiled import compiled

JUST_UNDER = 0.999  # of a torque limit


@compiled
def write_inputs(base: np.ndarray, slope: np.ndarray, since: float, control: np.ndarray) -> None:
    """The servos' reference some time [s] after its start: base + since * slope [N m]."""
    for k in range(control.shape[0]):
        control[k] = base[k] + since * slope[k]


@compiled
def look_ahead(
    slope: np.ndarray,
    step: float,
    motors: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    qpos: np.ndarray,
    qvel: np.ndarray,
    control: np.ndarray,
    ahead: np.ndarray,
) -> None:
    """Correct the inputs for a physics step that takes angles and rates at its end.

    MuJoCo's discrete step does, and two things follow:

    - The reference must be that of the end, too. The torque limit is decided at the
      beginning, so the input keeps the reference of the beginning and what the position
      gain misses is added as a torque.
    - A motor at its limit gets its full torque for the whole step. A light joint would by
      then be past its target, and come back the same way, for ever. So where full torque
      would carry a joint beyond the point at which its servo lets go, the input is lowered
      to just under the limit, and the end of the step counts again. What the way costs that
      the joint goes in the step anyway is given back, as far as it was asked for: else a
      stiff servo at its limit would brake whatever moves.

    Args:
        slope: of the reference, kp v* [N m/s], (motors,).
        step: length of the physics step [s].
        motors: place in qpos, place in qvel, kp, kd, torque limit, inertia; each (motors,).
        qpos: MuJoCo's.
        qvel: MuJoCo's.
        control: inputs of the motors, corrected, (motors,).
        ahead: forces applied to the joints, written where a motor acts.
    """
    angles, dofs, kp, kd, limits, inertias = motors
    for k in range(control.shape[0]):
        angle, rate, limit = qpos[angles[k]], qvel[dofs[k]], limits[k]
        torque = control[k] - kp[k] * angle - kd[k] * rate
        missed = step * slope[k]
        if abs(torque) > JUST_UNDER * limit:
            sign = 1.0 if torque > 0.0 else -1.0
            fast = rate + step * sign * limit / inertias[k]
            after = control[k] + missed - kp[k] * (angle + step * fast) - kd[k] * fast
            spare = sign * (torque + missed) - JUST_UNDER * limit
            missed = 0.0
            if after * sign < limit:
                control[k] += JUST_UNDER * sign * limit - torque
                missed = sign * max(min(spare, sign * step * kp[k] * rate), 0.0)
        ahead[dofs[k]] = missed
