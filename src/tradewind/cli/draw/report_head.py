"""The head of a report: what it was, how it ended in one sentence, and the answers that are looked for first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tradewind.cli.draw.figures import (
    UNKNOWN,
    count,
    hours,
    instant,
    measured,
    moment,
    money,
    money_spread,
    number,
    span,
)  # fmt: skip
from tradewind.cli.draw.jobs import offer_text, state, steps
from tradewind.cli.draw.markup import Markup, element
from tradewind.cli.draw.offers import gpus, place, purchase
from tradewind.cli.draw.page_parts import cards, pairs, section
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.plan_told import Fact

Report = dict[str, Any]
Show = dict[str, Any]
TONES = {"SUCCEEDED": "good", "FAILED": "bad", "EXPIRED": "bad", "STOPPED": "warn"}
MARKS = {"SUCCEEDED": "✓", "FAILED": "✗", "EXPIRED": "✗", "STOPPED": "■"}
RESULTS = 3  # measures that are told large


def header(pen: Pen, report: Report) -> Markup:
    """Name and state, the verdict, and when it was."""
    show = report["show"]
    tone = TONES.get(show["state"], "going")
    told = f"{MARKS.get(show['state'], '…')} {state(pen, show).plain}"
    when = pen.say("report-when", job=show["job"], begun=instant(show["submitted_at"]),
                   ended=instant(show["ended_at"]) if show["ended_at"] else "")  # fmt: skip
    return element(
        "header", element("h1", show["name"], " ", element("span", told, class_=f"state {tone}")),
        element("p", verdict(pen, report), class_="said"), element("p", when, class_="note"),
    )  # fmt: skip


def verdict(pen: Pen, report: Report) -> str:
    """How it ended, how often it was interrupted, and what it cost, in one sentence."""
    show = report["show"]
    lost = losses(show)
    broken = pen.say("report-broken", **lost.told()) if lost.count else ""
    paid = money(show["cost"]) if show["cost"] else ""
    kind = "rehearsed" if show["rehearsal"] else "paid" if paid else "free"
    return pen.say(
        "report-verdict", ended=pen.say(f"report-ended-{_end(show)}", span=span(_seconds(report)), steps=steps(show)),
        why=_why(pen, show), broken=broken, money=pen.say(f"report-money-{kind}", money=paid),
    )  # fmt: skip


def _why(pen: Pen, show: Show) -> str:
    """Why it did not succeed; of a command that failed its exit code."""
    if not show["why"] or show["state"] == "SUCCEEDED":
        return ""
    if show["why"].startswith("exited "):
        return pen.say("with-exit", number=show["exit_code"])
    return pen.reason(show["why"], "why-")


def _end(show: Show) -> str:
    return str(show["state"]) if show["ended_at"] else "not"


def _seconds(report: Report) -> float:
    show = report["show"]
    return (moment(show["ended_at"] or report["made_at"]) - moment(show["submitted_at"])).total_seconds()


@dataclass(frozen=True, slots=True)
class Losses:
    """How often a job was interrupted, seconds without training after that, steps done again; None: not known."""

    count: int
    seconds: float | None
    repeated: int | None

    def told(self) -> dict[str, str]:
        """All three for a sentence, empty where not known."""
        return {
            "count": count(self.count), "seconds": "" if self.seconds is None else span(self.seconds),
            "repeated": "" if self.repeated is None else count(self.repeated),
        }  # fmt: skip


def losses(show: Show) -> Losses:
    """What the interruptions took. Of a script that tells no steps, and until it trains again, nobody knows."""
    attempts = show["attempts"]
    last = attempts[-1] if attempts else {"lost_seconds": 0.0, "repeated_steps": 0}
    return Losses(
        sum(each["outcome"] == "interrupted" for each in attempts),
        None if last["lost_seconds"] is None else sum(each["lost_seconds"] or 0.0 for each in attempts),
        None if last["repeated_steps"] is None else sum(each["repeated_steps"] or 0 for each in attempts),
    )


def answers(pen: Pen, report: Report) -> Markup:
    """Time, money, interruptions, results, the deadline: large."""
    return cards(pen, [*_answers(pen, report)])


def _answers(pen: Pen, report: Report) -> Iterator[Fact]:
    show = report["show"]
    predicted, tone = show["predicted"] or {}, TONES.get(show["state"], "")
    planned = pen.say("report-predicted", value=hours(predicted["hours"])) if predicted.get("hours") else ""
    yield Fact("fact-time", span(_seconds(report)), planned, tone=tone)
    yield _money(pen, report)
    yield _interruptions(pen, losses(show))
    yield _result(pen, show)
    if show["deadline"]:
        late = _late(report)
        told = "report-open" if late is None else "was-late" if late else "was-in-time"
        tones = {None: "", True: "bad", False: "good"}
        yield Fact("col-in-time", pen.say(told), instant(show["deadline"]), tone=tones[late])


def _interruptions(pen: Pen, lost: Losses) -> Fact:
    if not lost.count:
        return Fact("report-interruptions", pen.say("report-none"))
    told = lost.told()
    time = pen.say("report-lost", span=told["seconds"]) if told["seconds"] else pen.say("report-lost-unknown")
    steps_again = pen.say("report-repeated", count=told["repeated"]) if told["repeated"] else ""
    return Fact("report-interruptions", told["count"], time, steps_again or pen.say("report-repeated-unknown"))


def _money(pen: Pen, report: Report) -> Fact:
    show = report["show"]
    if not show["cost"]:
        return Fact("report-cost", pen.say("price-none"))
    predicted = (show["predicted"] or {}).get("cost")
    planned = pen.say("report-predicted", value=money_spread(predicted)) if predicted else ""
    code = "report-cost-rehearsed" if show["rehearsal"] else "report-cost"
    return Fact(code, money(show["cost"]), planned, pen.say("report-not-spent") if show["rehearsal"] else "")


def _result(pen: Pen, show: Show) -> Fact:
    found = [f"{name} {number(value, 4)}" for name, value in sorted(show["metrics"].items())[:RESULTS]]
    progress = show["progress"] or {}
    loss = pen.say("live-loss", value=number(progress["loss"])) if progress.get("loss") is not None else ""
    reached = pen.say("report-steps", steps=steps(show)) if show["progress"] else ""
    told = found[0] if found else loss or reached or UNKNOWN
    rest = [each for each in (*found[1:], loss, reached) if each and each != told]
    return Fact("report-result", told, " · ".join(rest))


def _late(report: Report) -> bool | None:
    """Whether it ended after its deadline; None while it goes on."""
    show = report["show"]
    return moment(show["ended_at"]) > moment(show["deadline"]) if show["ended_at"] else None


def job_section(pen: Pen, report: Report) -> Markup:
    """What was carried out, where, and in which environment. Of environments the names alone."""
    told = [(pen.say(code), value) for code, value in _facts(pen, report) if value]
    return section(pen.say("report-job"), pairs(told))


def _facts(pen: Pen, report: Report) -> Iterator[tuple[str, str]]:
    show = report["show"]
    workload, offer = show["workload"], show["offer"]
    rehearsed = (workload.get("rehearse") or {}).get("run") if show["rehearsal"] else None
    yield "report-run", rehearsed or workload["run"]
    yield "fact-model", _pairs_of(workload.get("model"))
    yield "report-training", _pairs_of(workload.get("training"))
    if offer:
        sizes = (measured(offer["gpu_memory_gib"], "GiB"), f"{count(offer['cpus'])} vCPU",
                 measured(offer["memory_gib"], "GiB RAM"))  # fmt: skip
        counted = [gpus(offer)] if offer["gpus"] else []
        where = " · ".join([offer_text(offer), purchase(pen, offer), place(offer), *counted, *sizes])
        yield "report-planned-on" if show["rehearsal"] else "fact-offer", where
    yield "report-ran-on", show.get("on") or (pen.say("report-this-computer") if show["rehearsal"] else "")
    yield "report-versions", _versions(show)
    yield "report-image", workload.get("image") or ""
    yield "report-names", ", ".join([*sorted(workload.get("env") or {}), *(workload.get("secrets") or [])])
    yield "report-exit", "" if show["exit_code"] is None else str(show["exit_code"])
    if show["plan"]:
        yield "report-plan", pen.say("report-plan-of", plan=show["plan"]["plan_id"], date=show["plan"]["catalog_date"])


def _pairs_of(told: dict[str, Any] | None) -> str:
    return " · ".join(f"{name} {_plain(value)}" for name, value in (told or {}).items() if value is not None)


def _plain(value: Any) -> str:
    return count(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _versions(show: Show) -> str:
    """What the job said of its interpreter and libraries when it began, the last time; else what the agent runs on."""
    told = [event["data"].get("versions") or {} for event in show["events"] if event["kind"] == "training-started"]
    agent = [event["data"].get("python") for event in show["events"] if event["kind"] == "agent-started"]
    found = told[-1] if told else {"python": agent[-1]} if agent and agent[-1] else {}
    return " · ".join(f"{name} {version}" for name, version in found.items())
