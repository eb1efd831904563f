"""Files to try poise with, made here: a synthetic person as a laboratory would record it."""

from poise.examples.synthetic import SyntheticTrial as SyntheticTrial
from poise.examples.synthetic import synthetic_trial as synthetic_trial
from poise.examples.synthetic import write_synthetic_trial as write_synthetic_trial
