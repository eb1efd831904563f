"""Balance: strict priorities with ZMP regulation, pushed and squatting.

After Galdeano, Chemori, Krut and Fraisse, "Task-based whole-body control of humanoid robots with
ZMP regulation, real-time application to a squat-like motion" (SSD 2014), with its equations
corrected and the stability analysis that it lacks.
"""

from poise.engines.balance.controller import BalanceController as BalanceController
from poise.engines.balance.engine import Trial as Trial
from poise.engines.balance.engine import prepare as prepare
from poise.engines.balance.options import FEEDBACKS as FEEDBACKS
from poise.engines.balance.options import BalanceOptions as BalanceOptions
from poise.engines.balance.scenario import Scenario as Scenario
from poise.engines.balance.scenario import Shove as Shove
from poise.engines.balance.scenario import find_scenario as find_scenario
from poise.engines.balance.scenario import scenario_names as scenario_names
from poise.engines.balance.stale import StaleSoles as StaleSoles
