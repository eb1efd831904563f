"""Reach with a hand while both feet stand, with crocoddyl: one tick is a whole solve.

Joint limits, torques and friction are penalties, as in crocoddyl's own examples of humanoids.
"""

import crocoddyl
import numpy as np
import pinocchio as pin
from serving import problem, serve

told = problem()
whole = pin.buildModelFromUrdf(told["urdf"], pin.JointModelFreeFlyer())
locked = [k for k in range(2, whole.njoints) if whole.names[k] not in told["joints"]]
model = pin.buildReducedModel(whole, locked, pin.neutral(whole))
order = [model.joints[model.getJointId(name)].idx_v - 6 for name in told["joints"]]
q = pin.neutral(model)
q[:7] = told["q"][:7]
lower, upper, torque = np.zeros((3, model.nv - 6))
q[7:][order], lower[order], upper[order] = told["q"][7:], told["lower"], told["upper"]
torque[order] = told["torque"]
data = model.createData()
pin.framesForwardKinematics(model, data, q)

state = crocoddyl.StateMultibody(model)
actuation = crocoddyl.ActuationModelFloatingBase(state)
nu = actuation.nu
start = np.concatenate([q, np.zeros(model.nv)])
far = 1e10
low = np.concatenate([np.full(6, -far), lower, np.full(model.nv, -far)])
high = np.concatenate([np.full(6, far), upper, np.full(model.nv, far)])
hand = model.getFrameId(told["hand"]["link"])
goal = np.array(told["hand"]["goal"])
offset = np.array(told["hand"]["offset"])  # of the point in the link
model.addFrame(
    pin.Frame(
        "tip",
        model.frames[hand].parentJoint,
        hand,
        model.frames[hand].placement * pin.SE3(np.eye(3), offset),
        pin.FrameType.OP_FRAME,
    )
)
tip = model.getFrameId("tip")


def stage(running: bool) -> crocoddyl.DifferentialActionModelAbstract:
    """Dynamics and costs of a knot."""
    contacts = crocoddyl.ContactModelMultiple(state, nu)
    costs = crocoddyl.CostModelSum(state, nu)
    for foot in told["feet"]:
        frame = model.getFrameId(foot["link"])
        contacts.addContact(
            foot["link"],
            crocoddyl.ContactModel6D(
                state, frame, data.oMf[frame], pin.LOCAL_WORLD_ALIGNED, nu, np.array([0.0, 40.0])
            ),
        )
        box = np.array([0.5 * foot["length"], 0.5 * foot["width"]])
        cone = crocoddyl.WrenchCone(np.eye(3), told["friction"], box)
        wrench = crocoddyl.ResidualModelContactWrenchCone(state, frame, cone, nu, True)
        inside = crocoddyl.ActivationModelQuadraticBarrier(
            crocoddyl.ActivationBounds(cone.lb, cone.ub)
        )
        costs.addCost(
            f"cone {foot['link']}", crocoddyl.CostModelResidual(state, inside, wrench), 1e1
        )
    limits = crocoddyl.ActivationModelQuadraticBarrier(crocoddyl.ActivationBounds(low, high))
    of_state = crocoddyl.ResidualModelState(state, state.zero(), nu)
    costs.addCost("limits", crocoddyl.CostModelResidual(state, limits, of_state), 1e3)
    weights = np.concatenate([np.full(6, 0.1), np.full(model.nv - 6, 0.1), np.full(model.nv, 1.0)])
    calm = crocoddyl.ActivationModelWeightedQuad(weights)
    rest = crocoddyl.ResidualModelState(state, start, nu)
    costs.addCost("rest", crocoddyl.CostModelResidual(state, calm, rest), 1e-1 if running else 10.0)
    if running:
        effort = crocoddyl.ResidualModelControl(state, nu)
        costs.addCost("effort", crocoddyl.CostModelResidual(state, effort), 1e-4)
    else:
        reach = crocoddyl.ResidualModelFrameTranslation(state, tip, goal, nu)
        costs.addCost("reach", crocoddyl.CostModelResidual(state, reach), 1e5)
    return crocoddyl.DifferentialActionModelContactFwdDynamics(
        state, actuation, contacts, costs, 0.0, True
    )


knots = round(told["duration"] / told["dt"])
step = crocoddyl.IntegratedActionModelEuler(stage(running=True), told["dt"])
last = crocoddyl.IntegratedActionModelEuler(stage(running=False), 0.0)
shooting = crocoddyl.ShootingProblem(start, [step] * knots, last)
found = {}


def tick() -> None:
    """Solve it from nothing: standing still, held up by torques."""
    solver = crocoddyl.SolverFDDP(shooting)
    solver.th_stop = 1e-6
    still = shooting.quasiStatic([start] * knots)
    solver.solve([start] * (knots + 1), still, 200, False, 1e-9)
    found.update(x=solver.xs, u=solver.us, iterations=solver.iter)


def quality() -> dict:
    """How well the answer does what was asked, also between its knots."""
    worst, feet = 0.0, 0.0
    for one, two in zip(list(found["x"])[:-1], list(found["x"])[1:], strict=True):
        for share in np.linspace(0.0, 1.0, 5):
            between = pin.interpolate(model, one[: model.nq], two[: model.nq], share)
            over = np.maximum(lower - between[7:], between[7:] - upper)
            worst = max(worst, float(over.max()))
            fresh = model.createData()
            pin.framesForwardKinematics(model, fresh, between)
            for foot in told["feet"]:
                k = model.getFrameId(foot["link"])
                gap = fresh.oMf[k].translation - data.oMf[k].translation
                feet = max(feet, float(np.linalg.norm(gap)))
    end = model.createData()
    pin.framesForwardKinematics(model, end, found["x"][-1][: model.nq])
    most = max(float((np.abs(u) - torque).max()) for u in found["u"])
    return {
        "limits_rad": worst,
        "torque_Nm": most,
        "feet_mm": 1e3 * feet,
        "hand_mm": float(1e3 * np.abs(end.oMf[tip].translation - goal).max()),
        "iterations": float(found["iterations"]),
    }


serve(tick, quality)
