"""Plan a walk again while it is walked, with placo's pattern generator.

The same four steps as poise gets: 20 cm long, 0.7 s on one foot, 0.2 s on both.
"""

import xml.etree.ElementTree as ET
from pathlib import Path

import placo
from serving import problem, serve

told = problem()
tree = ET.parse(told["urdf"])
for name, frame in told["frames"].items():  # placo looks for these names
    ET.SubElement(tree.getroot(), "link", name=name)
    joint = ET.SubElement(tree.getroot(), "joint", name=f"{name}_frame", type="fixed")
    ET.SubElement(joint, "parent", link=frame["link"])
    ET.SubElement(joint, "child", link=name)
    xyz, rpy = (" ".join(map(str, frame[key])) for key in ("xyz", "rpy"))
    ET.SubElement(joint, "origin", xyz=xyz, rpy=rpy)
urdf = Path(told["urdf"]).with_name("named.urdf")
tree.write(urdf)

robot = placo.HumanoidRobot(str(urdf), placo.Flags.ignore_collisions)
for name, angle in zip(told["joints"], told["q"][7:], strict=True):
    robot.set_joint(name, angle)
robot.update_kinematics()
robot.update_support_side("left")
robot.ensure_on_floor()
robot.update_kinematics()

parameters = placo.HumanoidParameters()
parameters.single_support_duration = told["single"]
parameters.double_support_ratio = told["double"] / told["single"]
parameters.startend_double_support_ratio = told["start"] / told["single"]
parameters.walk_com_height = told["height"]
parameters.feet_spacing = told["spacing"]
parameters.foot_length, parameters.foot_width = told["sole"]
parameters.walk_max_dx_forward = 0.5
planner = placo.FootstepsPlannerRepetitive(parameters)
planner.configure(told["step"], 0.0, 0.0, told["steps"])
feet = robot.get_T_world_left(), robot.get_T_world_right()
steps = planner.plan(placo.HumanoidRobot_Side.left, *feet)
supports = placo.FootstepsPlanner.make_supports(steps, 0.0, True, True, True)
generator = placo.WalkPatternGenerator(robot, parameters)
walk = generator.plan(supports, robot.com_world(), 0.0)
now = told["start"] + 0.1  # on one foot
planner.configure(told["wish"], 0.0, 0.0, told["steps"])


def tick() -> None:
    """Other footsteps from now on, and a plan of the centre of mass for them."""
    again = generator.replan_supports(planner, walk, now, now)
    generator.replan(again, walk, now)


serve(tick)
