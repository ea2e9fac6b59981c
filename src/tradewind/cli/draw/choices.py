"""Choices: the unbeaten ways of a plan with the letters that they have in its picture, list and page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple

Plan = dict[str, Any]
LETTERS = ascii_lowercase + ascii_uppercase
MOST = 8  # listed on a terminal; --all has every one
HARDLY_FASTER = 0.98  # of the hours of a cheaper one: less of a gain is not worth a line
HARDLY_DEARER = 1.15  # for so little more of what was asked to be least, a way may be
MUCH_BETTER = 0.5  # of the other, and then it is worth a look
CLEANER = 0.9  # of the least grams so far: where carbon counts, such a way is worth a line though it is not faster


@dataclass(frozen=True, slots=True)
class Choice:
    """One unbeaten way.

    Attributes:
        letter: by which picture and list name it.
        way: the element of the plan's ``front``.
        placed: the same way whole (the contract's ``P``); None where the plan has it in its front only.
    """

    letter: str
    way: dict[str, Any]
    placed: dict[str, Any] | None

    @property
    def chosen(self) -> bool:
        """Whether it is the plan's choice."""
        return bool(self.way["chosen"])


def choices(plan: Plan, everything: bool = False) -> tuple[list[Choice], int]:
    """The ways worth a line, the cheapest first and lettered in that order, and how many unbeaten ones are left out."""
    front = sorted(plan["front"], key=_order)
    if not front and plan["chosen"]:  # how long it takes is not known: nothing is beaten, and one is chosen
        front = [_way(plan["chosen"])]
    shown = front[: len(LETTERS)] if everything or len(front) == 1 else _worth(front, plan["objective"] == "carbon")
    whole = {_key(placed["offer"], placed["nodes"]): placed for placed in _placed(plan)}
    lettered = zip(LETTERS, shown, strict=False)
    made = [Choice(letter, way, whole.get(_key(way, way["nodes"]))) for letter, way in lettered]
    return made, len(front) - len(made)


class Tip(NamedTuple):
    """A way that a person would likely want to know of: a little more of one thing, and much less of the other.

    ``more`` and ``less`` are shares of the chosen way's: 0.05 more, 0.15 of the other.
    """

    code: str
    letter: str
    more: float
    less: float


def tip(plan: Plan, shown: Sequence[Choice]) -> Tip | None:
    """What stands beside the cheapest, or the fastest, for hardly any more; None where nothing does."""
    least, other = {"cost": ("rank_cost", "hours"), "time": ("hours", "rank_cost")}.get(plan["objective"], ("", ""))
    chosen = next((each.way for each in shown if each.chosen), None)
    if not least or chosen is None or not chosen[least] or not chosen[other]:
        return None
    tips = [
        Tip("tip-faster" if other == "hours" else "tip-cheaper", each.letter,
            each.way[least] / chosen[least] - 1, each.way[other] / chosen[other])
        for each in shown
    ]  # fmt: skip
    worth = [each for each in tips if each.more < HARDLY_DEARER - 1 and each.less <= MUCH_BETTER]
    return min(worth, key=lambda each: each.more, default=None)


def unbeaten(plan: Plan) -> str:
    """The code of what it means not to be beaten in this plan."""
    return "unbeaten-carbon-means" if plan["objective"] == "carbon" else "unbeaten-means"


def _worth(front: Sequence[dict[str, Any]], carbon_counts: bool) -> list[dict[str, Any]]:
    """Without those that gain hardly anything over a cheaper one; the chosen always stays."""
    worth, fastest, cleanest = list[dict[str, Any]](), float("inf"), float("inf")
    for way in front:
        grams = float("inf") if way["carbon_g"] is None else way["carbon_g"]
        gains = way["hours"] <= HARDLY_FASTER * fastest or (carbon_counts and grams <= CLEANER * cleanest)
        if way["chosen"] or gains:
            worth.append(way)
            fastest, cleanest = min(fastest, way["hours"]), min(cleanest, grams)
    return _thinned(worth)


def _thinned(worth: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """At most ``MOST``: the chosen, and others evenly taken, both ends among them."""
    others = [way for way in worth if not way["chosen"]]
    room = MOST - (len(worth) - len(others))
    if len(others) > room:
        others = [others[round(place * (len(others) - 1) / (room - 1))] for place in range(room)]
    return sorted([*others, *(way for way in worth if way["chosen"])], key=_order)


def _way(chosen: dict[str, Any]) -> dict[str, Any]:
    """A chosen way in the shape of an element of the front, its cost not known."""
    return {**chosen["offer"], "nodes": chosen["nodes"], "hours": None, "cost": None, "rank_cost": None,
            "carbon_g": None, "chosen": True}  # fmt: skip


def _order(way: dict[str, Any]) -> tuple[float, float]:
    return way["rank_cost"], way["hours"]


def _placed(plan: Plan) -> list[dict[str, Any]]:
    return [*filter(None, [plan["chosen"]]), *plan["alternatives"], *plan["fallbacks"]]


def _key(offer: dict[str, Any], nodes: int) -> tuple[object, ...]:
    return *(offer[name] for name in ("cloud", "instance_type", "region", "zone", "purchase")), nodes
