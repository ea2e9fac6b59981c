"""Checkpoint intervals over the shipped traces: time lost to saving and to repeating, by the machine's age or fixed.

Every run of a zone, from the tick at which it came up to its loss, is one machine without a notice. The loop saves as
the training library does: 30 seconds after its start, then every interval. The pooled hazards were read from the same
traces, among others: the figure says what the rule is worth where they hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from measure import tell

from tradewind.catalog.traces import trace, traces
from tradewind.planning.checkpointing import hours_between_losses
from tradewind.wire.cadence import LONGEST_SECONDS, MEAN_SECONDS_BETWEEN_LOSSES, SHORTEST_SECONDS, interval_seconds

BLOCKING_SECONDS = (0.5, 5.0, 30.0)
MOMENTS = 4  # at which a run may have ended within its last tick, all taken as equally likely
Rule = Callable[[float], float]  # age in seconds → seconds to the next save
Life = tuple[float, bool]  # seconds that a machine ran, and whether it was lost then or the trace ended


def main() -> None:
    """Print what intervals by age lose, beside the fixed one of 4 hours between losses and the best fixed one."""
    machines = [life for name in traces() for life in lives(name)]
    for blocking in BLOCKING_SECONDS:

        def by_age(age: float, blocking: float = blocking) -> float:
            hours = hours_between_losses(age / 3600, spot=True, announced=False)
            return interval_seconds(blocking, 0.0, hours * 3600)

        fixed = interval_seconds(blocking, 0.0, MEAN_SECONDS_BETWEEN_LOSSES)
        wastes = {each: wasted(machines, always(each), blocking) for each in (fixed, *candidates())}
        best = min(wastes, key=wastes.__getitem__)
        tell(
            "checkpoint-interval", "% of machine time lost", wasted(machines, by_age, blocking),
            round(wastes[fixed], 3), blocking_seconds=blocking, fixed_seconds=round(fixed),
            hindsight=round(wastes[best], 3), hindsight_seconds=round(best), machines=len(machines) // MOMENTS,
        )  # fmt: skip


def always(seconds: float) -> Rule:
    """The same interval at every age."""
    return lambda age: seconds


def lives(name: str) -> Iterator[Life]:
    """The machines of a trace whose beginning it saw, each as often as there are moments to end at."""
    measured = trace(name)
    for ticks in measured.available:
        for run in re.finditer(rb"\x01+", ticks):
            if run.start():
                whole, lost = (run.end() - run.start() - 1) * measured.tick_seconds, run.end() < len(ticks)
                for moment in range(MOMENTS):
                    yield whole + (moment + 0.5) / MOMENTS * measured.tick_seconds, lost


def wasted(machines: list[Life], rule: Rule, blocking: float) -> float:
    """Of all the time that machines ran, the percentage that went to saves and to work that was lost with them."""
    return 100 * sum(waste_of(life, rule, blocking) for life in machines) / sum(seconds for seconds, _ in machines)


def waste_of(life: Life, rule: Rule, blocking: float) -> float:
    """Seconds of one machine's life that were of no use."""
    seconds, lost = life
    saved, saves, due = 0.0, 0, SHORTEST_SECONDS
    while due + blocking <= seconds:
        saved, saves, due = due, saves + 1, due + rule(due)
    return saves * blocking + (max(0.0, seconds - saved - (blocking if saves else 0.0)) if lost else 0.0)


def candidates() -> list[float]:
    """Fixed intervals to choose from in hindsight, a fifth apart."""
    found = [SHORTEST_SECONDS]
    while found[-1] * 1.2 <= LONGEST_SECONDS:
        found.append(found[-1] * 1.2)
    return found


if __name__ == "__main__":
    main()
