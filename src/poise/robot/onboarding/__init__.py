"""Any humanoid from its URDF: feet, soles, hands, posture and the rest, found and tested."""

from poise.robot.onboarding.folder import write_folder as write_folder
from poise.robot.onboarding.guess import Guess as Guess
from poise.robot.onboarding.look import Onboarding as Onboarding
from poise.robot.onboarding.look import look_at as look_at
from poise.robot.onboarding.robot_toml import robot_toml as robot_toml
from poise.robot.onboarding.self_test import Test as Test
