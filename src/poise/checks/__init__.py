"""The judge: one question a file, each with worst value, limit, where and when."""

from poise.checks.finding import Finding as Finding
from poise.checks.judge import judge as judge
from poise.checks.options import CheckOptions as CheckOptions
from poise.checks.physics import PhysicsVerdict as PhysicsVerdict
from poise.checks.report import Report as Report
