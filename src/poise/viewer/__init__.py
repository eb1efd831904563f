"""Looking at robots and motions: pages in the browser (viser), pictures and plots as files."""

from poise.viewer.canvas import ViserCanvas as ViserCanvas
from poise.viewer.page import view as view
from poise.viewer.pictures import film_strip as film_strip
from poise.viewer.pictures import video as video
from poise.viewer.plots import plot_balance as plot_balance
from poise.viewer.plots import plot_joints as plot_joints
from poise.viewer.scene import RobotScene as RobotScene
from poise.viewer.server import Served as Served
from poise.viewer.standing import show_robot as show_robot
