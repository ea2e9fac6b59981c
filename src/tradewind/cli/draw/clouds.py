"""Accounts at clouds: what is configured, where machines may be rented, what is missing and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tradewind.cli.draw.figures import UNKNOWN
from tradewind.cli.draw.pen import GAP, Column, Pen
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, HEAD, WARN, Unbroken, facts, gap, head, noted, stack

Cloud = dict[str, Any]
Check = dict[str, Any]
STATES = {  # in the order they are told
    "ready": GOOD, "lacking": BAD, "unknown": WARN, "refused": BAD, "no-credentials": DIM, "extra-missing": DIM,
    "prices-only": DIM,
}  # fmt: skip
# Facts that differ from one region to the next of what is otherwise the same; where all is well their networks too.
_OF_A_REGION = ("region", "ask", "seconds")
_NAMED = 3  # regions; more are counted
VERDICTS = {"missing": BAD, "unknown": WARN, "warning": WARN, "ok": GOOD}  # in the order they are told
_CLOUDS = (Column("col-cloud"), Column("col-state"), Column("col-credentials", drop=1), Column("col-may-launch"))


def clouds(pen: Pen, listed: list[Cloud]) -> RenderableType:
    """Each cloud in a line, the most useful first, and below it what is missing there."""
    listed = sorted(listed, key=lambda each: list(STATES).index(each["state"]))
    rows: list[list[str | Text]] = [
        [Text(each["cloud"], HEAD), state(pen, each), credentials(pen, each), places(pen, each)] for each in listed
    ]
    return noted(pen, _CLOUDS, rows, [_note(pen, each) for each in listed])


def state(pen: Pen, cloud: Cloud) -> Text:
    """What it is good for, in a word."""
    return Text(pen.say(f"cloud-state-{cloud['state']}"), STATES[cloud["state"]])


def credentials(pen: Pen, cloud: Cloud) -> str:
    """Where credentials were found; they are the SDK's to read, never ours."""
    found = cloud["credentials"]
    if not found:
        return ""
    kind, _, name = found.partition(" ")
    return pen.say(f"credentials-{kind}", name=name)


def places(pen: Pen, cloud: Cloud) -> str:
    """``4 of 6 regions``; empty where none was looked at."""
    told = [each["may_launch"] for each in cloud["regions"]]
    if not told:
        return ""
    if None in told and True not in told:
        return UNKNOWN
    return pen.say("of-regions", count=told.count(True), all=len(told))


def _note(pen: Pen, cloud: Cloud) -> Text:
    """What keeps it from being used, or who one is there and what is missing."""
    if cloud["state"] == "prices-only":
        return Text(pen.say("prices-alone"), DIM)
    if cloud["error"]:
        return Text("\n".join(filter(None, (cloud["error"][part] for part in ("what", "why", "next")))), DIM)
    shown = [each for each in merged(pen, cloud["checks"]) if each.verdict == "missing" or each.code == "identity"]
    lines = [(each.summary, VERDICTS[each.verdict] if each.verdict != "ok" else DIM) for each in shown] + [
        (after, DIM) for after in dict.fromkeys(filter(None, (each.after for each in shown)))
    ]
    if any(each.ask for each in shown):
        lines.append((pen.say("has-links", cloud=cloud["cloud"]), DIM))
    return Text("\n").join(Text(line, style) for line, style in lines)


def check(pen: Pen, told: Cloud) -> RenderableType:
    """The page of one cloud: everything that was looked at, the worst first."""
    rows: list[tuple[str, str | Text]] = [
        ("fact-credentials", credentials(pen, told)), ("fact-may-launch", places(pen, told)),
    ]  # fmt: skip
    found = merged(pen, told["checks"])
    return stack(
        Text.assemble((told["cloud"], HEAD), "  ", state(pen, told)), facts(pen, rows),
        gap(), head(pen, "head-checks"), _checks(pen, found), *_links(pen, found),
    )  # fmt: skip


def _links(pen: Pen, found: Iterable[Merged]) -> Iterator[RenderableType]:
    """Where more can be asked for; a link that is broken cannot be followed."""
    links = dict.fromkeys(link for each in found if each.verdict != "ok" for link in each.ask)
    if links:
        yield gap()
        yield head(pen, "head-ask-here")
        yield from (Unbroken(f"  {link}") for link in links)


def _checks(pen: Pen, found: Sequence[Merged]) -> RenderableType:
    grid = Table.grid(padding=(0, GAP, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    found = sorted(found, key=lambda each: list(VERDICTS).index(each.verdict))
    held = [each for each in found if each.code == "right" and each.verdict == "ok"]
    shown = [each for each in found if each not in held]
    for each, following in zip_longest(shown, shown[1:]):
        again = following is not None and following.after == each.after
        told = Text(each.summary).append("\n" + each.after if each.after and not again else "", DIM)
        grid.add_row(_verdict(pen, each.verdict), told)
    if held:
        grid.add_row(_verdict(pen, "ok"), Text(pen.say("rights-held", count=sum(each.count for each in held))))
    return Padding(grid, (0, 0, 0, 2))


def _verdict(pen: Pen, verdict: str) -> Text:
    return Text(pen.say(f"verdict-{verdict}"), VERDICTS[verdict])


@dataclass(frozen=True, slots=True)
class Merged:
    """What was looked at and stands alike, in all regions where it does; ``count``: how many things that is."""

    code: str
    verdict: str
    summary: str
    after: str
    ask: tuple[str, ...]
    count: int


def merged(pen: Pen, checks: Iterable[Check]) -> list[Merged]:
    """What was looked at, in the order of the checks: each thing once for the regions where it is the same, and rights
    that stand alike in the same regions together."""
    groups: dict[tuple[object, ...], list[Check]] = {}
    for each in checks:
        apart = (*_OF_A_REGION, "id") if each["verdict"] == "ok" else _OF_A_REGION
        same = tuple(sorted((name, fact) for name, fact in each["facts"].items() if name not in apart))
        words = None if each["code"] == "right" else each["words"]
        groups.setdefault((each["code"], each["verdict"], words, same), []).append(each)
    alike: dict[tuple[object, ...], list[list[Check]]] = {}
    for key, group in groups.items():
        rights = ("right", key[1], tuple(each["region"] for each in group))
        alike.setdefault(rights if key[0] == "right" else key, []).append(group)
    return [_merged(pen, several) for several in alike.values()]


def _merged(pen: Pen, several: list[list[Check]]) -> Merged:
    """Things that stand alike, each with what was looked at by region; but of rights it is one thing."""
    group, first = several[0], several[0][0]
    ask = tuple(filter(None, (each["facts"].get("ask") for each in group)))
    regions = [each["region"] for each in group if each["region"]]
    told = {**first["facts"], "words": (first["words"] or "").rstrip(".")}
    if len(regions) > 1:
        fine = {"id": ""} if first["verdict"] == "ok" else {}
        names, number = pen.say("list-comma").join(regions), pen.say("regions", count=len(regions))
        told |= fine | {"region": names if len(regions) <= _NAMED else number}
    if first["code"] == "right":
        told["action"] = pen.say("list-comma").join(each[0]["facts"]["action"] for each in several)
    summary = pen.say(f"checked-{first['code']}-{first['verdict']}", **told)
    return Merged(first["code"], first["verdict"], summary, first["next"], ask, len(several))
