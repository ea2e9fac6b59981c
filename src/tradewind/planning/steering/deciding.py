"""decide: a situation into what to do. The spot policy weighs; here it is fitted to what can really be had.

situation ─▶ pools that may be tried ─▶ policy ─▶ the pool that stands for its answer ─▶ Decision
             dropped ones never                   refused on-demand: the next one, at once
"""

from __future__ import annotations

from tradewind.planning.steering.asking import Answer, ask
from tradewind.planning.steering.decision import Action, Decision, Fact
from tradewind.planning.steering.patience import exhausted, given_up
from tradewind.planning.steering.situation import Situation

CALM = 2.0  # overheads (p99) that the slack must hold before a machine is left without another one in hand
SETTLED_HOURS = 1.0  # that a machine has run before it is let go to wait: what was just started is not thrown away


def decide(situation: Situation) -> Decision:
    """What to do now. The same situation always gives the same decision."""
    usable = [index for index, pool in enumerate(situation.pools) if pool.dropped is None or index == situation.running]
    if not usable:
        return Decision("give-up", None, 0.0, "refused-for-good", _tried(situation))
    if given_up(situation):
        waited = {**_tried(situation), "hours": round(situation.without, 3)}
        return Decision("give-up", None, 0.0, "nothing-granted", waited)
    spots = [index for index in usable if situation.pools[index].spot]
    resorts = sorted((index for index in usable if index not in spots), key=lambda each: _order(situation, each))
    if situation.work_left is None or not spots:
        return _by_price(situation, spots, resorts)
    answer = ask(situation, spots, resorts[0] if resorts else None)
    if answer.kind == "spot":
        assert answer.pool is not None
        return _take(situation, answer.pool, answer)
    if answer.kind == "od":
        return _last_resort(situation, spots, resorts, answer)
    return _idle(situation, spots, resorts, answer)


def _tried(situation: Situation) -> dict[str, Fact]:
    asked = [f"{pool.name} ({pool.dropped or pool.refusals})" for pool in situation.pools if pool.refusals]
    return {"tried": ", ".join(asked) or "-"}


def _order(situation: Situation, index: int) -> tuple[bool, float]:
    """On-demand pools in the order in which they are asked for: the one that runs, what is not down, the cheapest."""
    pool = situation.pools[index]
    return index != situation.running and pool.down_for > 0, pool.price


def _by_price(situation: Situation, spots: list[int], resorts: list[int]) -> Decision:
    """Without anything to weigh: keep what runs, else the cheapest spot pool, else on demand, whatever can be had."""
    why = "length-unknown" if situation.work_left is None else "on-demand-only"
    answer = Answer("od", None, why, {}, ())
    if situation.running is not None:
        return _take(situation, situation.running, answer)
    return _last_resort(situation, [], [*_free(situation, spots), *resorts] or spots, answer)


def _take(situation: Situation, pool: int, answer: Answer, why: str | None = None, *, risk: bool = False) -> Decision:
    """Have this pool: keep it, rent it, or change over to it."""
    action: Action = "rent" if situation.running is None else "keep" if situation.running == pool else "switch"
    told: dict[str, Fact] = {**answer.facts}
    if action == "switch" and not (situation.pools[pool].spare or _calm(situation)):
        return Decision("keep", situation.running, situation.step, "no-room-to-switch", told, answer.options)
    return Decision(action, pool, situation.step, why or answer.why, told, answer.options, risk)


def _last_resort(situation: Situation, spots: list[int], resorts: list[int], answer: Answer) -> Decision:
    """On demand, where it is granted; refused there, the next on-demand pool; refused by all, whatever can be had."""
    here = situation.running
    if here is not None and not situation.pools[here].spot:
        return _take(situation, here, answer)
    free = _free(situation, resorts)
    if free:
        return _take(situation, free[0], answer)
    why = "on-demand-refused" if resorts else "no-on-demand"
    other = [here] if here is not None else _free(situation, spots)
    if other:
        return _take(situation, other[0], answer, why, risk=True)
    asked = [*spots, *resorts]
    told: dict[str, Fact] = {**answer.facts, **_tried(situation)}
    return Decision("wait", None, _until_back(situation, asked), "nothing-to-be-had", told, answer.options,
                    at_risk=_pressing(situation))  # fmt: skip


def _idle(situation: Situation, spots: list[int], resorts: list[int], answer: Answer) -> Decision:
    """Wait, unless patience is over. A machine is let go for it only after an hour, and with time for two restarts."""
    told: dict[str, Fact] = {**answer.facts}
    if situation.running is not None and not (_calm(situation) and situation.age >= SETTLED_HOURS):
        return Decision("keep", situation.running, situation.step, "kept-in-hand", told, answer.options)
    if situation.running is None and exhausted(situation, sure=bool(resorts)):
        return _last_resort(situation, [], [*_free(situation, spots), *resorts] or spots, answer)
    return Decision("wait", None, situation.step, answer.why, told, answer.options)


def _free(situation: Situation, pools: list[int]) -> list[int]:
    """Those that may be tried now, the cheapest first."""
    free = [index for index in pools if situation.pools[index].down_for <= 0]
    return sorted(free, key=lambda each: situation.pools[each].price)


def _until_back(situation: Situation, pools: list[int]) -> float:
    """Until the first of them may be tried again, at most one step."""
    return min([situation.step, *(situation.pools[each].down_for for each in pools)])


def _calm(situation: Situation) -> bool:
    return situation.slack is None or situation.slack >= CALM * situation.overhead


def _pressing(situation: Situation) -> bool:
    """Whether waiting eats what the deadline needs."""
    return situation.slack is not None and situation.slack < situation.overhead + situation.step
