"""SimulatedWorld: a robot on its servos, in MuJoCo."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import mujoco
import numpy as np

from poise.errors import BadInput, PoiseError
from poise.motion import Command, Observation
from poise.robot import Robot
from poise.robot.robot import BASE_Q, BASE_V
from poise.simulation.bridge import crossed, qvel_of
from poise.simulation.driving import look_ahead, write_inputs
from poise.simulation.model import build, integrator, servo_frequency
from poise.simulation.options import Push, SimulationOptions
from poise.simulation.scene import Scene
from poise.simulation.sensing import Delay, Sensing

RESOLVED = 0.8  # [rad], how far the fastest servo oscillation may turn in one physics step
SOON = 1e-9  # [s], two instants closer than this are the same


class SimulatedWorld:
    """A robot in MuJoCo, told what to do once a period and feeling what comes of it.

    Between two commands the servos' reference moves on at the commanded rates, so a motion
    that is sampled at the period does not reach the joints as a staircase. A command without
    rates is held.

    Args:
        robot: who is in it.
        period: between two commands [s].
        options: friction, servos, sensors, noise.
        scene: what stands around.
    """

    def __init__(
        self,
        robot: Robot,
        period: float = 0.005,
        options: SimulationOptions | None = None,
        scene: Scene | None = None,
    ) -> None:
        """Build the world.

        Args:
            robot: what moves in it.
            period: of commands and observations [s].
            options: how it differs from an ideal one.
            scene: floor and solids.
        """
        if not period > 0.0:
            raise BadInput("simulation", "period", f"{period} s", "a positive number")
        self.robot, self.period = robot, period
        self.options, self.scene = options or SimulationOptions(), scene or Scene()
        longest = self.options.physics_step
        if integrator(self.options) == mujoco.mjtIntegrator.mjINT_IMPLICITFAST:
            longest = min(longest, RESOLVED / servo_frequency(robot, self.options.gain_scale))
        self.steps = int(np.ceil(period / longest - 1e-6))
        self.physics = build(robot, self.options, self.scene, step=period / self.steps)
        self.model = self.physics.model
        self.data = mujoco.MjData(self.model)
        self._control = self.data.ctrl
        # views of MuJoCo's memory: asking for one costs more than the loop that uses it
        self._state = self.data.qpos, self.data.qvel, self._control, self.data.qfrc_applied
        self._late = self.model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE
        self._step = self.model.opt.timestep
        self._still = np.zeros(self.model.nu)
        limited = self.model.actuator_forcelimited.astype(bool)
        limits = np.where(limited, self.model.actuator_forcerange[:, 1], np.inf)
        motors = self.physics
        places = np.asarray(motors.motor_qpos), np.asarray(motors.motor_dofs)
        inertias = self.model.dof_M0[motors.motor_dofs]
        self._motors = (*places, motors.kp, motors.kd, limits, inertias)
        self._diverged = self.data.warning[mujoco.mjtWarning.mjWARN_BADQACC]
        self._sensing = Sensing(robot, self.physics, self.data, self.options)
        late = int(np.ceil(self.options.sensor_latency / period - 1e-6))
        self._delay = Delay(late) if late else None
        self._motor_map = robot.motor_map[self.physics.motors]
        self._ours = np.isin(np.arange(self.model.ngeom), list(self.physics.owners))
        self._pushes = [self._handle(push) for push in self.options.pushes]
        self._pulls: dict[str, _Handle] = {}
        self._waiting: deque[_Reference] = deque()
        self.reset(robot.half_sitting)

    # -- the World of poise.motion ---------------------------------------------------

    def reset(self, q: np.ndarray, v: np.ndarray | None = None) -> Observation:
        """Start over from a state at time zero, servos holding its joints."""
        robot, data, physics = self.robot, self.data, self.physics
        q = np.asarray(q, dtype=float)
        v = np.zeros(robot.nv) if v is None else np.asarray(v, dtype=float)
        if q.shape != (robot.nq,) or v.shape != (robot.nv,):
            raise BadInput(
                "simulation",
                "the state",
                f"of shapes {q.shape} and {v.shape}",
                f"({robot.nq},) and ({robot.nv},)",
            )
        mujoco.mj_resetData(self.model, data)
        data.qpos[physics.qpos] = q
        data.qvel[physics.dofs] = qvel_of(q, v)
        self._pulls.clear()
        self._acting = False
        self._waiting.clear()
        self._active = self._reference(Command(q[BASE_Q:], v[BASE_V:]), 0.0)
        self._drive(0.0)
        if self.model.na:
            data.act[:] = self._control  # servos with a lag start where they are told to be
        mujoco.mj_forward(self.model, data)
        self._sensing.reset()
        self._sensing.feel_forces()
        seen = self._sensing.observe()
        if self._delay is not None:
            self._delay.reset()
            return self._delay.pass_on(seen)
        return seen

    def step(self, command: Command) -> Observation:
        """Hold a command for one period and tell what is felt at its end."""
        model, data, waiting = self.model, self.data, self._waiting
        waiting.append(self._reference(command, data.time + self.options.command_latency))
        pushed = bool(self._pushes or self._pulls or self._acting)
        for k in range(self.steps):
            now = data.time
            while waiting and waiting[0].start <= now + SOON:
                self._active = waiting.popleft()
            self._drive(now)
            if pushed:
                self._apply_forces(now)
            mujoco.mj_step2(model, data)
            if k == self.steps - 1:
                self._sensing.feel_forces()
            mujoco.mj_step1(model, data)
        if self._diverged.number:
            raise PoiseError(
                f"The simulation of {self.robot.name} became unstable at {data.time:.3f} s; "
                "softer servos, a softer floor or a shorter physics_step will help."
            )
        seen = self._sensing.observe()
        return seen if self._delay is None else self._delay.pass_on(seen)

    def step_bare(self, seconds: float) -> None:
        """Let MuJoCo run alone for a while [s], servos as they are: what it costs without us."""
        mujoco.mj_step(self.model, self.data, round(seconds / self.model.opt.timestep))
        mujoco.mj_step1(self.model, self.data)  # where `step` expects to go on

    # -- hands on the robot ----------------------------------------------------------

    def pull(
        self,
        part: str,
        force: np.ndarray | tuple[float, float, float],
        moment: np.ndarray | tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Pull at a part until told otherwise.

        Args:
            part: a part, or any link or joint of the robot.
            force: at the origin of the part's frame, world axes [N]; zero lets go.
            moment: world axes [N m].
        """
        force, moment = np.array(force, dtype=float), np.array(moment, dtype=float)
        if not force.any() and not moment.any():
            self._pulls.pop(part, None)
            return
        handle = self._handle(Push(tuple(force), 0.0, np.inf, part))
        self._pulls[part] = _Handle(handle.body, handle.point, force, moment, 0.0, np.inf)

    def touching(self) -> frozenset[str]:
        """Who touches floor or solids now: parts by their soles, links by their shapes."""
        count = self.data.ncon
        if not count:
            return frozenset()
        geoms = self.data.contact.geom[:count]
        ours = self._ours[geoms]
        outer = ours[:, 0] != ours[:, 1]
        owners = self.physics.owners
        return frozenset(owners[int(g)] for g in set(geoms[outer][ours[outer]].tolist()))

    # -- inside ----------------------------------------------------------------------

    def _reference(self, command: Command, start: float) -> _Reference:
        physics = self.physics
        control, slope = physics.kp * command.joints[physics.motors], self._still
        if command.rates is not None:
            rates = command.rates[physics.motors]
            slope = physics.kp * rates
            control += physics.kd * rates
        if command.torques is not None:
            control += self._motor_map @ command.torques
        return _Reference(start, control, slope)

    def _drive(self, now: float) -> None:
        """Give the motors their inputs for the step that begins at a time [s]."""
        active = self._active
        write_inputs(active.base, active.slope, now - active.start, self._control)
        if self._late:
            look_ahead(active.slope, self._step, self._motors, *self._state)

    def _handle(self, push: Push) -> _Handle:
        frame = self.robot.model.frames[self.robot.frame_id(push.part)]
        return _Handle(
            int(self.physics.bodies[frame.parentJoint]),
            frame.placement.act(np.array(push.point, dtype=float)),
            np.array(push.force, dtype=float),
            np.zeros(3),
            push.start,
            push.start + push.duration,
        )

    def _apply_forces(self, now: float) -> None:
        data = self.data
        acting = [
            h
            for h in (*self._pushes, *self._pulls.values())
            if h.start <= now + SOON and now + SOON < h.end
        ]
        if acting or self._acting:
            data.xfrc_applied[:] = 0.0
        self._acting = bool(acting)
        for h in acting:
            R_world_body = data.xmat[h.body].reshape(3, 3)
            lever = data.xpos[h.body] + R_world_body @ h.point - data.xipos[h.body]
            data.xfrc_applied[h.body, :3] += h.force
            data.xfrc_applied[h.body, 3:] += h.moment + crossed(lever, h.force)


@dataclass(frozen=True, eq=False)
class _Handle:
    """Where and when a force acts."""

    body: int
    point: np.ndarray  # [m], in the body
    force: np.ndarray  # [N], world axes
    moment: np.ndarray  # [N m], world axes
    start: float  # [s]
    end: float  # [s]


@dataclass(frozen=True, eq=False)
class _Reference:
    """What the servos follow from an instant on: a control, and how fast it moves on."""

    start: float  # [s]
    base: np.ndarray  # [N m], kp q* + kd v* + feed-forward
    slope: np.ndarray  # [N m/s], kp v*
