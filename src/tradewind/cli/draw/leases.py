"""Leases: what is costing money now and why, which places were looked at, and what a sweep found."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.burn import OWN, burn, free
from tradewind.cli.draw.figures import UNKNOWN, instant, money, number
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, HEAD, NARROW, WARN, gap, head, noted, stack, table
from tradewind.cli.draw.times import away, when

Lease = dict[str, Any]
Listed = dict[str, Any]
STYLES = {"RUNNING": GOOD, "UNKNOWN": BAD, "SUSPECT": WARN, "RELEASING": WARN, "RELEASED": DIM, "REFUSED": DIM}
CLOSED = ("RELEASED", "REFUSED")
INSTANTS_FROM = 140  # columns of a terminal that has room for instants beside times
_OPEN = (Column("col-state"), Column("col-machine"), Column("col-price-hour"), Column("col-cost-so-far"))
_ENDED = (
    Column("col-lease"), Column("col-state"), Column("col-job", drop=1), Column("col-machine", drop=2),
    Column("col-price-hour", right=True, drop=3), Column("col-cost-so-far", right=True), Column("col-why", drop=5),
)  # fmt: skip
_CHECKED = (
    Column("col-account"), Column("col-cloud", drop=2), Column("col-region", drop=1), Column("col-complete"),
    Column("col-at"),
)  # fmt: skip


def leases(pen: Pen, listed: Listed, everything: bool, now: datetime) -> RenderableType:
    """What is open, what it costs an hour, the ended ones where asked for, and where was looked."""
    rows = listed["leases"]
    open_ = [row for row in rows if row["state"] not in CLOSED]
    ended = [row for row in rows if row["state"] in CLOSED]
    return stack(
        opened(pen, open_, now) if open_ else _none(pen, listed, ever=everything and not ended),
        *(burn(pen, open_, complete(listed)) if open_ else ()),
        *((gap(), head(pen, "head-ended"), table(pen, _ENDED, [_ended(pen, row) for row in ended])) if ended else ()),
        gap(), *looked_at(pen, listed, now),
    )  # fmt: skip


def complete(listed: Listed) -> bool:
    """Whether every place was listed."""
    return bool(listed["checked"]) and all(each["complete"] for each in listed["checked"])


def _none(pen: Pen, listed: Listed, *, ever: bool) -> Text:
    if not complete(listed):
        return Text(pen.say("no-leases-known"), WARN)
    return Text(pen.say("no-leases-ever" if ever else "no-open-leases"), GOOD)


def opened(pen: Pen, rows: list[Lease], now: datetime) -> RenderableType:
    """Open leases: machine and money in a line, and below it which, since when, until when, and why."""
    lines: list[list[str | Text]] = [[_state(pen, row), Text(machine(row), HEAD), *_money(pen, row)] for row in rows]
    return noted(pen, _OPEN, lines, [_note(pen, row, now) for row in rows])


def one_line(pen: Pen, lease: Lease) -> Text:
    """A lease in one line, for the page of its job."""
    told = Text.assemble(lease["lease"], "  ", _state(pen, lease), f"  {machine(lease)}  {_money(pen, lease)[0]}")
    return told.append("  " + _why(pen, lease), DIM)


def _state(pen: Pen, lease: Lease) -> Text:
    return Text(pen.say(f"lease-{lease['state']}"), STYLES.get(lease["state"], HEAD))


def _why(pen: Pen, lease: Lease) -> str:
    if lease["why_open"] == "suspect" and lease["cloud"] in OWN:
        return pen.say("open-suspect-own")
    if lease["why_open"]:
        return pen.reason(lease["why_open"], "open-")
    return pen.reason(lease["end_reason"], "reason-") if lease["end_reason"] else ""


def _money(pen: Pen, lease: Lease) -> tuple[str, str]:
    """Its price an hour, and what it cost so far."""
    price, cost = lease["price_per_hour"], lease["cost_so_far"]
    if price:
        told = pen.say("per-hour", money=money(price))
    else:
        told = pen.say("price-none" if free(lease) else "price-not-known")
    return told, pen.say("so-far", money=money(cost)) if cost else ""


def _scaled(pen: Pen, lease: Lease) -> str:
    scale = lease["time_scale"] or 1
    return pen.say("scaled-by", scale=number(scale)) if scale != 1 else ""


def _note(pen: Pen, lease: Lease, now: datetime) -> Text:
    tell = when if pen.width >= INSTANTS_FROM else away
    since, contact = lease["paid_from"] or lease["requested_at"], (lease["node"] or {}).get("contact")
    parts = [
        lease["lease"] + (" " + pen.say("is-rehearsal") if lease["rehearsal"] else ""),
        pen.say("since-when", when=tell(pen, since, now)) if since else "",
        pen.say("last-heard", when=tell(pen, contact, now)) if contact and lease["state"] == "SUSPECT" else "",
        pen.say("ends-at-most", when=tell(pen, lease["hard_end"], now), limit=lease["limit"] or ""),
        _scaled(pen, lease),
    ]
    told = Text(" · ".join(filter(None, parts)), DIM)
    if lease["reclaim_at"]:
        told.append("\n").append(pen.say("taken-at", when=tell(pen, lease["reclaim_at"], now)), WARN)
    return told.append("\n").append(_why(pen, lease), "")


def _ended(pen: Pen, lease: Lease) -> list[str | Text]:
    scaled = _scaled(pen, lease)
    return [
        lease["lease"], _state(pen, lease), lease["job"] or UNKNOWN, machine(lease), money(lease["price_per_hour"]),
        money(lease["cost_so_far"]) + (f" ({scaled})" if scaled else ""), _why(pen, lease),
    ]  # fmt: skip


def machine(lease: Lease) -> str:
    """``aws g6f.2xlarge eus2-az1``, as far as it is known."""
    what = lease["kind"] if lease["kind"] == "network" else lease["instance_type"]
    parts = (lease["cloud"], what, lease["zone"] or lease["region"])
    return " ".join(part for part in parts if part) or str(lease["kind"])


def sweep(pen: Pen, swept: dict[str, Any], now: datetime) -> RenderableType:
    """What was looked at, what is there without a purpose, what was ended and what is ending still."""
    found, ended, ending = swept["found"], swept["ended"], swept["ending"]
    asked = bool(ended or ending)
    return stack(
        *looked_at(pen, swept, now), gap(),
        opened(pen, found, now) if found else Text(pen.say(_clean(swept)), GOOD),
        gap() if found else None,
        Text(pen.say("swept-ended", count=len(ended), ids=", ".join(ended)), GOOD) if ended else None,
        Text(pen.say("swept-ending", count=len(ending), ids=", ".join(ending)), WARN) if ending else None,
        Text(pen.say("swept-left", count=len(found))) if found and not asked else None,
    )  # fmt: skip


def _clean(swept: dict[str, Any]) -> str:
    return "swept-clean" if complete(swept) else "swept-unknown"


def looked_at(pen: Pen, listed: Listed, now: datetime) -> tuple[RenderableType, ...]:
    """The places that were asked, when, and whether they told all."""
    rows = [_checked(pen, each, now) for each in listed["checked"]]
    return (
        head(pen, "head-checked"),
        table(pen, _CHECKED, rows) if rows else Text("  " + pen.say("nothing-checked"), WARN),
    )


def _checked(pen: Pen, each: dict[str, Any], now: datetime) -> list[str | Text]:
    told = Text(pen.say("listed-whole"), GOOD) if each["complete"] else Text(pen.say("not-listed"), BAD)
    at = when(pen, each["seen_at"], now) if pen.width >= NARROW else instant(each["seen_at"], pen.zone)
    return [each["account"], each["cloud"], each["region"] or pen.say("all-regions"), told, at]
