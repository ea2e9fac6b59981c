"""The policy: for every step of a job one of nothing, a zone's spot machine, or on-demand.

history ─▶ beliefs ─▶ levels ─▶ price of slack ─▶ what might be done, weighed ─▶ guard ─▶ action
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tradewind.planning.spot.alone import Alone
from tradewind.planning.spot.beliefs import Beliefs
from tradewind.planning.spot.chain import FIRST_LEVEL, NOTHING, ON_DEMAND
from tradewind.planning.spot.guard import Guard
from tradewind.planning.spot.levels import WORTH, Sight, look
from tradewind.planning.spot.slack import LEAST_WORK, PRICES, hours_of, length_of, outlook

Action = tuple[str, int]
Option = tuple[str, int, float]  # kind, zone, expected cost of the rest in money
WAIT: Action = ("none", -1)
RESORT: Action = ("od", -1)

SHARE = 0.95  # of the slack beyond the guard's reserve that is planned to be used


class Weighed(NamedTuple):
    """Something that might be done: its expected cost with slack at its price, and without, in on-demand hours."""

    cost: float
    action: Action
    money: float


class Policy:
    """Decides step by step, for one job after the other.

    Attributes:
        why: of the last decision: a word (``keep-spot take-spot move-spot wait take-on-demand keep-on-demand``,
            ``deadline`` where only the guard wanted on-demand, ``no-on-demand``) and numbers.
    """

    def __init__(self) -> None:
        self.why: tuple[str, dict[str, float]] = ("undecided", {})
        self._weighed: list[Weighed] = []
        self._unit = 1.0

    @property
    def options(self) -> tuple[Option, ...]:
        """What might have been done, with the expected cost of the rest in money, the best first."""
        return tuple((*each.action, each.money * self._unit) for each in sorted(self._weighed))

    def reset(self, job: Any) -> None:
        """Begin a job; nothing of another one is kept.

        ``job``: ``work``, ``deadline``, ``overhead`` (p99), ``step`` in hours, ``spot_price`` by zone, ``od_price``.
        More where it is known: ``overhead_mean``, ``hazard`` by zone (multiplier on the pooled hazards),
        ``transfer_hours`` and ``transfer_cost`` from place to place (the last one is on-demand's), ``checkpoint_cost``
        and ``notice`` in hours, ``od_granted``.
        """
        zones = len(job.spot_price)
        self._save, notice = _given(job, "checkpoint_cost", 0.0), _given(job, "notice", None)
        self._hours, self._money = _given(job, "transfer_hours", None), _given(job, "transfer_cost", None)
        self._short = notice is not None and notice < self._save  # a loss takes the work since the last save along
        self._guard = Guard(job.overhead, job.step, self._hours, self._save, job.step if self._short else 0.0)
        self._start = _given(job, "overhead_mean", job.overhead)
        self._granted = _given(job, "od_granted", True)
        hazard = _given(job, "hazard", (1.0,) * zones)
        self._beliefs = Beliefs(hazard, job.step)
        moved = self._hours or self._money
        self._alone = None
        if zones == 1 and not moved:
            reserve, least = self._guard.reserve(-1), self._guard.least(-1, 0)
            self._alone = Alone(self._start, reserve, least, self._save, hazard[0], job.step)
        self._place, self._resort = -1, zones  # where the checkpoint lies; -1: nowhere yet
        self._sigma = 0  # number of the price that slack had

    def decide(self, s: Any) -> Action:
        """What runs from now until the next decision."""
        (self._alone or self._beliefs).learn(s.history)
        here = s.zone if s.kind == "spot" else -1
        if s.kind != "none":
            self._place = here if s.kind == "spot" else self._resort
        slack, self._unit = s.time_left - s.work_left, s.od_price
        unsaved = _given(s, "unsaved", 0.0) if self._short else 0.0
        start = round(self._start + unsaved, 3)
        self._weighed = self._weigh_all(s, here, slack, start, unsaved)
        allowed = [each for each in self._weighed if self._may(each.action, s, here, slack, unsaved)]
        action = self._choose(allowed, s.kind)
        self.why = (
            self._word(action, s.kind, here),
            {"slack_hours": slack, "reserve_hours": self._guard.reserve(self._place)}
            | ({} if self._alone else {"slack_price": PRICES[self._sigma] * s.od_price}),
        )
        return action

    def _weigh_all(self, s: Any, here: int, slack: float, start: float, unsaved: float) -> list[Weighed]:
        """What might be done, each with its cost: looked ahead exactly for one zone, by the price of slack for many."""
        if not any(price < WORTH * s.od_price for price in s.spot_price):
            return self._weigh_dear(s)
        if self._alone:
            costs = self._alone.costs(s, slack, unsaved)
            if not self._granted and s.kind != "od":
                del costs[RESORT]
            return [Weighed(cost, action, cost) for action, cost in costs.items()]
        sight = look(self._beliefs.zones, s.available, s.spot_price, s.od_price, here, start)
        return self._weigh(s, sight, here, slack, start)

    def _weigh_dear(self, s: Any) -> list[Weighed]:
        """Nothing is cheaper than on-demand: so that, and spot only where on-demand is not granted."""
        if self._granted or s.kind == "od":
            return [Weighed(s.work_left, RESORT, s.work_left)]
        dear = [(s.work_left * price / s.od_price, zone) for zone, price in enumerate(s.spot_price)]
        return [Weighed(cost, ("spot", zone), cost) for cost, zone in dear if s.available[zone]]

    def _weigh(self, s: Any, sight: Sight, here: int, slack: float, start: float) -> list[Weighed]:
        """What might be done, each with its cost by the outlook at the price that slack has now."""
        length = length_of(s.work_left)
        view = outlook(sight.levels, sight.prices, length, start)
        place, phases = view.chain.place, sight.phases
        runs = sight.run_of(here) if here >= 0 else ON_DEMAND if s.kind == "od" else NOTHING
        left = max(0.0, slack - self._guard.reserve(self._place)) * SHARE
        left *= hours_of(length) / max(s.work_left, LEAST_WORK)
        self._sigma = view.price(place[phases, runs], left, self._sigma)
        best, sigma = view.best(self._sigma), PRICES[self._sigma]
        found = [Weighed(best.cost[place[phases, NOTHING]], WAIT,
                         best.cost[place[phases, NOTHING]] - sigma * best.use[place[phases, NOTHING]])]  # fmt: skip
        ways = [(RESORT, ON_DEMAND, 1.0, self._resort)] if self._granted or s.kind == "od" else []
        for level, zones in enumerate(sight.zones):
            for zone in dict.fromkeys((*zones[:1], here) if here in zones else zones[:1]):
                ways.append((("spot", zone), FIRST_LEVEL + level, s.spot_price[zone] / s.od_price, zone))
        for action, run, price, target in ways:
            at, hours, moved = place[phases, run], 0.0, 0.0
            if action != (s.kind, here):
                hours, moved = self._start_at(target, start)
            money = hours * price + moved / s.od_price
            cost = best.cost[at] + money + sigma * hours
            found.append(Weighed(cost, action, cost - sigma * (best.use[at] + hours)))
        return found

    def _start_at(self, target: int, start: float) -> tuple[float, float]:
        """Hours and money of a start at ``target``; checkpoint and data are brought there from where they lie."""
        if self._place in (-1, target):
            return start, 0.0
        hours = self._hours[self._place][target] if self._hours else 0.0
        return start + self._save + hours, self._money[self._place][target] if self._money else 0.0

    def _may(self, action: Action, s: Any, here: int, slack: float, unsaved: float) -> bool:
        """Whether the guard lets it be done."""
        kind, zone = action
        if kind == "od":
            return True
        if kind == "none":
            return self._guard.may_wait(slack - (self._save if here >= 0 else 0.0), self._place)
        if zone == here:
            return self._guard.may_stay(slack, zone, s.overhead_left, unsaved)
        return self._guard.may_start(slack, self._place, zone)

    def _choose(self, allowed: list[Weighed], kind: str) -> Action:
        """The cheapest; but on-demand is not started while spot may be: the guard leaves time to do so later."""
        if not allowed and not self._granted:  # nothing can be guarded: whatever makes progress
            allowed = [each for each in self._weighed if each.action[0] == "spot"]
        if not allowed:
            return RESORT if self._granted else WAIT
        best = min(allowed).action
        if best == RESORT and kind != "od":
            return min((each for each in allowed if each.action[0] == "spot"), default=min(allowed)).action
        return best

    def _word(self, action: Action, kind: str, here: int) -> str:
        """The word for what was decided."""
        if action[0] == "spot":
            return "keep-spot" if action[1] == here else "move-spot" if kind == "spot" else "take-spot"
        if action == WAIT:
            return "wait" if self._granted else "no-on-demand"
        if kind == "od":
            return "keep-on-demand"
        return "take-on-demand" if min(self._weighed).action == RESORT else "deadline"


def _given(value: Any, name: str, otherwise: Any) -> Any:
    """What ``value`` says of ``name``; ``otherwise`` where it says nothing."""
    found = getattr(value, name, None)
    return otherwise if found is None else found
