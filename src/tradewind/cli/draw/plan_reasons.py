"""Why a plan is as it is, in plain text: fallbacks, rejections, changes that would help, what is taken for granted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tradewind import words
from tradewind.cli.draw.figures import count
from tradewind.cli.draw.pen import Pen

Plan = dict[str, Any]
Placed = dict[str, Any]
MOST_REASONS = 6  # on a terminal; --all has every one

TOLD = ("interruption", "spot-restarts", "on-demand-share")  # among the facts of the way itself

# What an assumption is about; they are told in this order, and what is not named here last.
ABOUT = {
    "time": ("length-at-most", "length-unknown", "limits-unjudged", "setup-hours", "setup-p99"),
    "money": ("price-range", "exchange-rate", "disk-assumed", "storage-tariff-unknown", "egress-assumed",
              "egress-not-counted", "egress-tariff-unknown"),
    "spot": ("spot-hazards", "spot-wait", "spot-without-store", "spot-saves-unknown", *TOLD),
    "data": ("data-size-assumed", "data-size-unknown", "data-far", "data-each-epoch", "data-region-unknown",
             "data-egress-unknown"),
    "place": ("nodes-open", "quota-unknown", "quota-not-asked", "refused-lately", "compliance-unchecked"),
    "carbon": ("gpu-power", "carbon-unknown"),
    "choice": ("objective-balanced",),
}  # fmt: skip


class Reason(NamedTuple):
    """Why offers were rejected: how many, the sentence, and how near the nearest came (empty: not known)."""

    offers: int
    told: str
    nearest: str


def reasons(pen: Pen, plan: Plan) -> list[Reason]:
    """All reasons; those that something near would have passed first, then by how many offers they rejected."""
    told = [
        Reason(int(each["count"]), pen.reason(each["why"], "rejected-"),
               pen.reason(each["near"], "near-") if each["near"] else each["nearest"] or "")
        for each in plan["rejected"]
    ]  # fmt: skip
    return sorted(told, key=lambda reason: (not reason.nearest, -reason.offers))


def fails_apart(pen: Pen, chosen: Placed, fallback: Placed) -> str:
    """In what a fallback differs from the chosen way, so that both are hardly lost at once."""
    old, new = chosen["offer"], fallback["offer"]
    place = next((name for name in ("cloud", "region", "zone") if old[name] != new[name]), None)
    codes = [f"apart-{place}"] if place else []
    codes += ["apart-gpu"] if old["gpu"] != new["gpu"] else []
    codes += ["apart-purchase"] if new["purchase"] == "on_demand" != old["purchase"] else []
    return pen.say("list-comma").join(map(pen.say, codes)) or pen.say("apart-type")


def changes(pen: Pen, plan: Plan) -> tuple[str, list[tuple[str, str]]]:
    """The sentence above the changes, and each change as a line of the job file with what it means."""
    infeasible = plan["infeasible"] or {"changes": [], "together": []}
    single, together = infeasible["changes"], infeasible["together"]
    heading = "any-of-these" if single else "both-of-these" if together else "no-single-change"
    lines = [
        (pen.say("change-to", key=each["set"], to=each["to"]), pen.say(f"change-{each['set']}", by=each["by"] or ""))
        for each in single or together
    ]
    return pen.say(heading), lines


def assumptions(pen: Pen, plan: Plan) -> list[tuple[str, list[str]]]:
    """Labels of what assumptions are about, with their sentences; what holds of several clouds is said once."""
    places = {code: (about, rank) for about, codes in ABOUT.items() for rank, code in enumerate(codes)}
    by_subject: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for text in _merged(pen, plan["assumptions"]):
        code, _ = words.coded(text)
        if code in TOLD:
            continue
        about, rank = places.get(code, ("choice", 99))
        by_subject[about].append((rank, pen.reason(text, "assumed-")))
    return [(pen.say(f"about-{about}"), [told for _, told in sorted(by_subject[about], key=lambda each: each[0])])
            for about in ABOUT if about in by_subject]  # fmt: skip


def _merged(pen: Pen, coded: Sequence[str]) -> Iterable[str]:
    """The same assumptions with clouds joined where they differ in nothing else."""
    clouds: dict[tuple[str, tuple[tuple[str, str], ...]], list[str]] = {}
    for text in coded:
        code, facts = words.coded(text)
        cloud = facts.pop("cloud", "")
        facts.pop("region", None)
        clouds.setdefault((code, tuple(facts.items())), []).append(cloud)
    for (code, others), names in clouds.items():
        joined = pen.say("list-comma").join(filter(None, names))
        told = {**dict(others), **({"cloud": joined} if joined else {})}
        yield " ".join([code, *(f"{name}={value!r}" for name, value in told.items())])


def rejected_in_all(plan: Plan) -> str:
    """How many offers were rejected."""
    return count(sum(int(each["count"]) for each in plan["rejected"]))
