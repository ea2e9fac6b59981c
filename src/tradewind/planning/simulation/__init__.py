"""Simulated runs of a job on measured or made-up spot markets, under any policy. Pure: a seed decides all chance."""

from tradewind.planning.simulation.baselines import EagerNextRegion, LastMoment, OnDemand, UniformProgress
from tradewind.planning.simulation.bound import bound
from tradewind.planning.simulation.market import STEP_HOURS, Market, SimJob
from tradewind.planning.simulation.run import Choice, Run, Seen, SpotPolicy, Step, run
from tradewind.planning.simulation.windows import markets, start_ticks, window

__all__ = [
    "STEP_HOURS", "Choice", "EagerNextRegion", "LastMoment", "Market", "OnDemand", "Run", "Seen", "SimJob",
    "SpotPolicy", "Step", "UniformProgress", "bound", "markets", "run", "start_ticks", "window",
]  # fmt: skip
