"""Markets cut from a measured trace: which window a seed stands for, and its ticks as steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from tradewind.domain.trace import SpotTrace
from tradewind.planning.simulation.chance import Chance
from tradewind.planning.simulation.market import STEP_HOURS, Market


def start_ticks(trace: SpotTrace, hours: float, seed: int, runs: int = 1) -> list[int]:
    """Ticks at which the windows of a seed begin; the first is the one that a rehearsal with that seed replays.

    A window lies whole within the trace, unless it is longer: then it begins anywhere and the trace is repeated.
    """
    room = trace.ticks - ceil(hours * 3600 / trace.tick_seconds - 1e-6)
    places = room + 1 if room >= 0 else trace.ticks
    chance = Chance("window", trace.name, seed)
    return [chance.below(places) for _ in range(runs)]


def markets(
    trace: SpotTrace,
    hours: float,
    seed: int,
    runs: int,
    *,
    zones: Sequence[int] | None = None,
    spot_price: Sequence[float] | None = None,
    od_price: float | None = None,
) -> Iterator[Market]:
    """``runs`` windows of so many hours of a trace, as markets in steps of ten minutes.

    Args:
        zones: those of the trace that take part, by number; None: all.
        spot_price: an hour of all nodes in each of them; None: what the trace says, with its changes.
        od_price: None: of the trace's zones that take part, the cheapest.
    """
    for tick in start_ticks(trace, hours, seed, runs):
        yield window(trace, tick, hours, zones=zones, spot_price=spot_price, od_price=od_price)


def window(
    trace: SpotTrace,
    start_tick: float,
    hours: float,
    *,
    zones: Sequence[int] | None = None,
    spot_price: Sequence[float] | None = None,
    od_price: float | None = None,
    step_hours: float = STEP_HOURS,
) -> Market:
    """The market of a trace from a tick on: a step is up if every tick that it touches is; its first has its price."""
    taken = range(len(trace.zones)) if zones is None else zones
    seconds, steps = step_hours * 3600, ceil(hours / step_hours - 1e-9)
    begins = [start_tick + step * seconds / trace.tick_seconds for step in range(steps)]
    up = [trace.up(zone, start_tick, seconds, steps) for zone in taken]
    if spot_price is not None:
        prices = [tuple(spot_price)]
    elif all(len(trace.spot_price[zone]) == 1 for zone in taken):
        prices = [tuple(trace.spot_price[zone][0] * trace.nodes for zone in taken)]
    else:
        prices = [tuple(trace.price(zone, begin) * trace.nodes for zone in taken) for begin in begins]
    on_demand = min(trace.od_price[zone] for zone in taken) * trace.nodes if od_price is None else od_price
    return Market(step_hours, list(zip(*up, strict=True)), prices, on_demand)
