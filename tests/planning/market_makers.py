"""Markets written by hand, and made by hypothesis, for the tests of this room."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from tradewind.planning.simulation import Choice, Market, Seen, SimJob

STEP = 1 / 6


def market(*zones: str, prices: Sequence[float] = (), od_price: float = 3.0, od_refusals: float = 0) -> Market:
    """One text a zone: ``#`` a step in which it is up, anything else one in which it is down."""
    rows = list(zip(*([letter == "#" for letter in zone] for zone in zones), strict=True))
    return Market(STEP, rows, [tuple(prices) or (1.0,) * len(zones)], od_price, od_refusals=od_refusals)


class Script:
    """A policy that does what is written, one letter a step: ``.`` nothing, ``o`` on-demand, a digit that zone."""

    def __init__(self, letters: str) -> None:
        self.letters = letters
        self.seen: list[tuple[str, int, bool, float]] = []

    def reset(self, job: SimJob) -> None:
        self.at = iter(self.letters)

    def decide(self, seen: Seen) -> Choice:
        self.seen.append((seen.kind, seen.zone, seen.preempted, seen.work_left))
        letter = next(self.at)
        return ("none", -1) if letter == "." else ("od", -1) if letter == "o" else ("spot", int(letter))


@st.composite
def worlds(draw: st.DrawFn, most_zones: int = 3, most_steps: int = 40) -> tuple[SimJob, Market]:
    """A job that on-demand can do in time, on a market of long and short outages; all of whole minutes."""
    zones, steps = draw(st.integers(1, most_zones)), draw(st.integers(4, most_steps))
    rows = []
    for _ in range(zones):
        row: list[bool] = []
        up = draw(st.booleans())
        while len(row) < steps:
            row += [up] * draw(st.integers(1, 12))
            up = not up
        rows.append(row[:steps])
    overhead = draw(st.sampled_from((1, 6, 12, 30)))
    deadline = 10 * steps - draw(st.integers(0, 9))
    work = draw(st.integers(1, max(1, deadline - overhead)))
    prices = tuple(draw(st.floats(0.1, 4.0)) for _ in range(zones))
    made = Market(STEP, list(zip(*rows, strict=True)), [prices], 3.0)
    return made.job(work / 60, deadline / 60, overhead / 60), made
