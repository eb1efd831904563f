"""Distances between links, and between links and what stands around, with their derivatives."""

from __future__ import annotations

from poise.engines.multicontact.chart import Chart
from poise.engines.multicontact.dynamics import Instants
from poise.engines.multicontact.options import PlanOptions
from poise.engines.multicontact.scene import SceneFile
from poise.engines.multicontact.stage import Stage


class Obstacles:
    def __init__(self, chart: Chart, scene: SceneFile, stage: Stage, options: PlanOptions) -> None:
        self.joints: list[int] = []

    def near(self, phase: int, at: Instants) -> list[int]:
        return []

    def distances(self, pair, at, nodes, slopes=True): ...
    def least(self, pair, phase): ...
    def floor(self, pair, phase): ...
    def chain(self, pair): ...
    def name(self, pair): ...
