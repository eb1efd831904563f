"""Robot (facts) and Snapshot (an instant): loading, onboarding and the zoo."""

from poise.robot.loading import load_robot as load_robot
from poise.robot.loading import robot_names as robot_names
from poise.robot.parts import Coupling as Coupling
from poise.robot.parts import Mirror as Mirror
from poise.robot.parts import Sensor as Sensor
from poise.robot.parts import Servos as Servos
from poise.robot.parts import Shape as Shape
from poise.robot.parts import Sole as Sole
from poise.robot.robot import Robot as Robot
from poise.robot.snapshot import Snapshot as Snapshot
