"""A swaying robot with TSID: one tick is the reference, the problem, the QP, the step."""

import numpy as np
import pinocchio as pin
from serving import problem, serve
from tsid import tsid_pywrap as tsid

told = problem()
whole = pin.buildModelFromUrdf(told["urdf"], pin.JointModelFreeFlyer())
locked = [k for k in range(2, whole.njoints) if whole.names[k] not in told["joints"]]
model = pin.buildReducedModel(whole, locked, pin.neutral(whole))
order = [model.joints[list(model.names).index(name)].idx_v - 6 for name in told["joints"]]
q, v = pin.neutral(model), np.zeros(model.nv)
q[:7] = told["q"][:7]
q[7:][order] = told["q"][7:]
torque = np.zeros(model.nv - 6)
torque[order] = told["torque"]

robot = tsid.RobotWrapper(model, tsid.RootJointType.FLOATING_BASE_SYSTEM, False)
formulation = tsid.InverseDynamicsFormulationAccForce("tick", robot, False)
formulation.computeProblemData(0.0, q, v)
data = formulation.data()
solver = tsid.SolverHQuadProgFast("qp")

keep = []  # the bindings do not hold on to what was added
for foot in told["feet"]:
    points = np.array(foot["points"]).T
    up = np.array(foot["normal"])
    contact = tsid.Contact6d(
        foot["link"], robot, foot["link"], points, up, told["friction"], 0.0, told["most"]
    )
    contact.setKp(1000.0 * np.ones(6))
    contact.setKd(2.0 * np.sqrt(1000.0) * np.ones(6))
    contact.setReference(robot.framePosition(data, model.getFrameId(foot["link"])))
    formulation.addRigidContact(contact, 1e-5)
    keep.append(contact)
for link in told["hands"]:
    hand = tsid.TaskSE3Equality(link, robot, link)
    hand.setKp(100.0 * np.ones(6))
    hand.setKd(20.0 * np.ones(6))
    pose = robot.framePosition(data, model.getFrameId(link))
    sample = tsid.TrajectorySE3Constant(link, pose).computeNext()
    hand.setReference(sample)
    formulation.addMotionTask(hand, 1.0, 1, 0.0)
    keep += [hand, sample]
chest = tsid.TaskSE3Equality("chest", robot, told["chest"])
chest.setKp(100.0 * np.ones(6))
chest.setKd(20.0 * np.ones(6))
chest.setMask(np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]))
pose = robot.framePosition(data, model.getFrameId(told["chest"]))
chest.setReference(tsid.TrajectorySE3Constant("chest", pose).computeNext())
formulation.addMotionTask(chest, 1.0, 1, 0.0)
posture = tsid.TaskJointPosture("posture", robot)
posture.setKp(25.0 * np.ones(robot.na))
posture.setKd(10.0 * np.ones(robot.na))
posture.setReference(tsid.TrajectoryEuclidianConstant("posture", q[7:].copy()).computeNext())
formulation.addMotionTask(posture, 0.01, 1, 0.0)
momentum = tsid.TaskAMEquality("momentum", robot)
momentum.setKp(10.0 * np.ones(3))
momentum.setReference(tsid.TrajectorySample(3))
formulation.addMotionTask(momentum, 0.1 / told["mass"], 1, 0.0)
com = tsid.TaskComEquality("com", robot)
com.setKp(100.0 * np.ones(3))
com.setKd(20.0 * np.ones(3))
formulation.addMotionTask(com, 10.0, 1, 0.0)
motors = tsid.TaskActuationBounds("motors", robot)
motors.setBounds(-torque, torque)
formulation.addActuationTask(motors, 1.0, 0, 0.0)

middle = robot.com(data).copy()
reference = tsid.TrajectorySample(3)
state = {"q": q, "v": v, "t": 0.0, "com": middle, "wish": middle}


def tick() -> None:
    """Reference, problem, QP, step."""
    t, dt = state["t"], told["dt"]
    size, rate = 0.02 * min(1.0, t), np.pi
    sine, cosine = size * np.sin(rate * t), size * np.cos(rate * t)
    state["wish"] = middle + np.array([0.0, sine, 0.0])
    reference.value(state["wish"])
    reference.derivative(np.array([0.0, rate * cosine, 0.0]))
    reference.second_derivative(np.array([0.0, -(rate**2) * sine, 0.0]))
    com.setReference(reference)
    answer = solver.solve(formulation.computeProblemData(t, state["q"], state["v"]))
    if answer.status != 0:
        raise SystemExit(f"TSID finds no solution at {t:.3f} s (status {answer.status})")
    a = formulation.getAccelerations(answer)
    step = dt * state["v"] + 0.5 * dt * dt * a
    state["q"] = pin.integrate(model, state["q"], step)
    state["v"] = state["v"] + dt * a
    state["t"] = t + dt


def quality() -> dict:
    """How far the centre of mass is from its reference [mm]."""
    found = pin.centerOfMass(model, model.createData(), state["q"])
    return {"error_mm": float(1e3 * np.linalg.norm(found - state["wish"]))}


serve(tick, quality)
