"""The numbers of inverse dynamics and inverse kinematics, written by compiled loops."""

from __future__ import annotations

import numpy as np

from poise.compiled import compiled
from poise.robot.robot import BASE_Q, BASE_V


@compiled
def write_contacts(
    H: np.ndarray,
    bias: np.ndarray,
    forces: np.ndarray,
    normals: np.ndarray,
    sinking: np.ndarray,
    first: int,
    A: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
) -> None:
    """The base rows of H a - forces' f = -bias, and the surfaces: normals a >= sinking.

    Args:
        H: joint-space inertia, symmetric, (nv, nv).
        bias: Coriolis, centrifugal and gravity terms (nv,).
        forces: generalised force of each coefficient (size, nv).
        normals: of the contact points (count, nv).
        sinking: least normal acceleration of each [m/s^2], (count,).
        first: row of the first contact point.
        A: rows, written.
        lower: written.
        upper: written in the base rows; surfaces have none.
    """
    nv = H.shape[0]
    for i in range(BASE_V):
        for c in range(nv):
            A[i, c] = H[c, i]
        for c in range(forces.shape[0]):
            A[i, nv + c] = -forces[c, i]
        lower[i] = upper[i] = -bias[i]
    for k in range(normals.shape[0]):
        for c in range(nv):
            A[first + k, c] = normals[k, c]
        lower[first + k] = sinking[k]


@compiled
def write_coupling_pull(
    rows: np.ndarray,
    offsets: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    rate: float,
    lower: np.ndarray,
    upper: np.ndarray,
) -> None:
    """Accelerations that take back what coupled joints came apart, like a damped spring.

    Args:
        rows: C with C v = 0 (couplings, nv).
        offsets: C_joints times the joint angles, where the couplings hold [rad], (couplings,).
        q: configuration (nq,).
        v: velocity (nv,).
        rate: of the spring [1/s].
        lower: written, (couplings,).
        upper: written.
    """
    for k in range(rows.shape[0]):
        apart, apart_rate = -offsets[k], 0.0
        for c in range(BASE_V, v.shape[0]):
            apart += rows[k, c] * q[BASE_Q - BASE_V + c]
            apart_rate += rows[k, c] * v[c]
        lower[k] = upper[k] = -rate * (rate * apart + 2.0 * apart_rate)


@compiled
def write_cost(
    J: np.ndarray,
    pull: np.ndarray,
    weight: np.ndarray,
    joint_weight: np.ndarray,
    joint_pull: np.ndarray,
    small: float,
    P: np.ndarray,
    r: np.ndarray,
) -> None:
    """The cost sum of weight (J a + pull)² and of the tasks of single joints.

    Args:
        J: rows of the tasks (m, nv).
        pull: of each row (m,).
        weight: of each row (m,).
        joint_weight: (na,).
        joint_pull: (na,).
        small: what every acceleration costs besides.
        P: the upper triangle of its leading block is written.
        r: written.
    """
    nv = J.shape[1]
    for i in range(nv):
        row = P[i]
        for j in range(i, nv):
            row[j] = 0.0
        s = 0.0
        for k in range(J.shape[0]):
            own = J[k]
            a = weight[k] * own[i]
            if a != 0.0:
                s += a * pull[k]
                for j in range(i, nv):
                    row[j] += a * own[j]
        row[i] += small
        if i >= BASE_V:
            row[i] += joint_weight[i - BASE_V]
            s += joint_pull[i - BASE_V]
        r[i] = s
    for i in range(nv, r.shape[0]):
        r[i] = 0.0


@compiled
def add_effort(
    H: np.ndarray,
    bias: np.ndarray,
    joints: np.ndarray,
    weight: float,
    P: np.ndarray,
    r: np.ndarray,
) -> None:
    """Add the cost of torques that no contact force reaches: weight (H a + bias)² of joints."""
    nv = H.shape[0]
    for joint in joints:
        k = BASE_V + joint
        for i in range(nv):
            a = weight * H[i, k]
            if a != 0.0:
                r[i] += a * bias[k]
                for j in range(i, nv):
                    P[i, j] += a * H[j, k]


@compiled
def add_joint_task(
    angles: np.ndarray,
    rates: np.ndarray,
    target: np.ndarray,
    target_rate: np.ndarray,
    slopes: np.ndarray,
    weight: float,
    gain: float,
    damping: float,
    joint_weight: np.ndarray,
    joint_pull: np.ndarray,
) -> None:
    """Add a task that concerns single joints.

    Args:
        angles: of the joints now [rad], (na,).
        rates: [rad/s], (na,).
        target: where they should be [rad], (na,).
        target_rate: how fast that moves [rad/s], (na,).
        slopes: derivative of each row by its joint (na,).
        weight: of the task.
        gain: [1/s^2].
        damping: [1/s].
        joint_weight: added to, (na,).
        joint_pull: added to, (na,).
    """
    for k in range(angles.shape[0]):
        own = weight * slopes[k] * slopes[k]
        joint_weight[k] += own
        off, rate = angles[k] - target[k], rates[k] - target_rate[k]
        joint_pull[k] += own * (gain * off + damping * rate)


@compiled
def write_pull(
    J: np.ndarray,
    v: np.ndarray,
    error: np.ndarray,
    flow: np.ndarray,
    drift: np.ndarray,
    gain: np.ndarray,
    damping: np.ndarray,
    out: np.ndarray,
) -> None:
    """What the rows of the tasks want: drift + damping (J v + flow) + gain error, into out."""
    for k in range(J.shape[0]):
        row, rate = J[k], flow[k]
        for c in range(v.shape[0]):
            rate += row[c] * v[c]
        out[k] = drift[k] + damping[k] * rate + gain[k] * error[k]


@compiled
def write_torques(
    H: np.ndarray, bias: np.ndarray, forces: np.ndarray, x: np.ndarray, out: np.ndarray
) -> None:
    """Generalised forces H a + bias - forces' f of the answer x = (a, f), into out (nv,)."""
    nv = H.shape[0]
    for i in range(nv):
        out[i] = bias[i]
    for c in range(nv):
        a = x[c]
        for i in range(nv):
            out[i] += H[i, c] * a
    for k in range(forces.shape[0]):
        f = x[nv + k]
        if f != 0.0:
            for i in range(nv):
                out[i] -= f * forces[k, i]


@compiled
def keeps_limits(
    x: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    tau: np.ndarray,
    motors: np.ndarray,
    least: np.ndarray,
    most: np.ndarray,
) -> bool:
    """Whether accelerations and torques of the joints are within their limits.

    Args:
        x: accelerations first.
        lower: of the joints' accelerations (na,).
        upper: (na,).
        tau: torques (na,).
        motors: torque of each motor by the torques of the joints (na, na), or empty when every
            joint has a motor of its own.
        least: torque of each motor [N m], (na,).
        most: torque of each motor [N m], (na,).
    """
    na = tau.shape[0]
    for k in range(na):
        a = x[BASE_V + k]
        if not (lower[k] <= a <= upper[k]):
            return False
        torque = tau[k]
        if motors.shape[0] > 0:
            torque = 0.0
            for j in range(na):
                torque += motors[k, j] * tau[j]
        if not (least[k] <= torque <= most[k]):
            return False
    return True


@compiled
def write_wishes(
    error: np.ndarray,
    jacobian: np.ndarray,
    flow: np.ndarray,
    gain: np.ndarray,
    root: np.ndarray,
    above: int,
    J: np.ndarray,
    e: np.ndarray,
) -> None:
    """Rows J v = e under which errors die at their gains; see `residual.Linear`.

    Args:
        error: (m,).
        jacobian: (m, nv).
        flow: (m,).
        gain: of each row [1/s], (m,).
        root: of the weight of each row, (m,).
        above: rows that are left alone.
        J: written below them, (above + m, nv).
        e: likewise.
    """
    for k in range(error.shape[0]):
        e[above + k] = -root[k] * (gain[k] * error[k] + flow[k])
        for c in range(J.shape[1]):
            J[above + k, c] = root[k] * jacobian[k, c]


@compiled
def write_speeds(
    q: np.ndarray,
    least: np.ndarray,
    greatest: np.ndarray,
    speed: np.ndarray,
    dt: float,
    low: np.ndarray,
    high: np.ndarray,
) -> None:
    """Joint speeds that keep speed and position limits over one period.

    Args:
        q: configuration (nq,).
        least: joint angles [rad], (na,).
        greatest: likewise.
        speed: greatest joint speeds [rad/s], (na,).
        dt: the period [s].
        low: written [rad/s], (na,).
        high: written.
    """
    for k in range(low.shape[0]):
        angle, most = q[BASE_Q + k], speed[k]
        low[k] = max(min((least[k] - angle) / dt, most), -most)
        high[k] = min(max((greatest[k] - angle) / dt, low[k]), most)


@compiled
def write_viable(
    q: np.ndarray,
    v: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    speed: np.ndarray,
    dt: float,
    brake: float,
    settling: float,
    lower: np.ndarray,
    upper: np.ndarray,
) -> None:
    """Bounds on joint accelerations that keep position and speed limits; see `viability`.

    Args:
        q: configuration (nq,).
        v: velocity (nv,).
        low: least joint angles [rad], (na,).
        high: greatest.
        speed: greatest joint speeds [rad/s], (na,).
        dt: control period [s].
        brake: deceleration to count on [rad/s^2].
        settling: how fast a joint may settle at a limit [1/s]; abruptly when infinite.
        lower: written [rad/s^2], (na,).
        upper: written.
    """
    for k in range(low.shape[0]):
        angle, rate = q[BASE_Q + k], v[BASE_V + k]
        up = _most(high[k] - angle, rate, speed[k], dt, brake, settling)
        down = -_most(angle - low[k], -rate, speed[k], dt, brake, settling)
        lower[k] = down
        upper[k] = max(up, down)


@compiled
def _most(
    room: float, rate: float, speed: float, dt: float, brake: float, settling: float
) -> float:
    """Greatest acceleration towards a limit that is `room` away.

    The speed s whose stopping distance after one more period fits: s dt + s²/(2 b) = room.
    Beyond a limit already, brake as hard as one can count on, no harder. And no more than lets
    the joint settle at the limit like a critically damped spring, which begins to brake at nothing
    and ends at nothing; its greatest speed it reaches as gradually.
    """
    reach = brake * (np.sqrt(max(2.0 / brake * room + dt * dt, 0.0)) - dt)
    most = (min(reach, speed) - rate) / dt
    if settling < np.inf:
        most = min(most, settling * (settling * room - 2.0 * rate), settling * (speed - rate))
    return max(most, -brake)
