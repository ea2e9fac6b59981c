"""Leases: what is rented, and what a sweep saw."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import UNKNOWN, instant, money, number
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, WARN, gap, head, stack, table

Lease = dict[str, Any]
_STYLES = {"RUNNING": GOOD, "UNKNOWN": BAD, "SUSPECT": WARN, "RELEASING": WARN, "RELEASED": DIM, "REFUSED": DIM}
_COLUMNS = (
    Column("col-lease"), Column("col-state"), Column("col-job", drop=1), Column("col-machine", drop=2),
    Column("col-price-hour", right=True, drop=3), Column("col-cost-so-far", right=True), Column("col-hard-end", drop=4),
    Column("col-why", drop=5),
)  # fmt: skip
_CHECKED = (Column("col-cloud"), Column("col-account"), Column("col-region"), Column("col-complete"), Column("col-at"))


def leases(pen: Pen, rows: list[Lease], everything: bool) -> RenderableType:
    """One line a lease; an empty answer says that everything was looked at."""
    if not rows:
        return Text(pen.say("no-leases-ever" if everything else "no-open-leases"), GOOD)
    return table(pen, _COLUMNS, [_row(pen, lease) for lease in rows], indent=0)


def _row(pen: Pen, lease: Lease) -> list[str | Text]:
    scale = lease.get("time_scale") or 1
    cost = money(lease["cost_so_far"]) + (f" ({pen.say('scaled-by', scale=number(scale))})" if scale != 1 else "")
    reason = lease["end_reason"] or lease["why_open"]
    return [
        lease["lease"], Text(pen.say(f"lease-{lease['state']}"), _STYLES.get(lease["state"], "")),
        lease["job"] or UNKNOWN, _machine(lease), money(lease["price_per_hour"]), cost, instant(lease["hard_end"]),
        pen.reason(reason, "reason-") if reason else "",
    ]  # fmt: skip


def _machine(lease: Lease) -> str:
    parts = (lease["cloud"], lease["instance_type"], lease["zone"] or lease["region"])
    return " ".join(part for part in parts if part) or str(lease["kind"])


def sweep(pen: Pen, swept: dict[str, Any]) -> RenderableType:
    """What was looked at, what is there without a purpose, what was ended."""
    checked = [_checked(pen, each) for each in swept["checked"]]
    found, ended = swept["found"], swept["ended"]
    left = len(found) - len(ended)
    return stack(
        head(pen, "head-checked"),
        table(pen, _CHECKED, checked) if checked else Text("  " + pen.say("nothing-checked"), WARN),
        gap(),
        leases(pen, found, everything=False) if found else Text(pen.say(_clean(swept)), GOOD),
        Text(pen.say("swept-ended", count=len(ended), ids=", ".join(map(str, ended)))) if ended else None,
        Text(pen.say("swept-left", count=left)) if left > 0 else None,
    )


def _clean(swept: dict[str, Any]) -> str:
    complete = swept["checked"] and all(each["complete"] for each in swept["checked"])
    return "swept-clean" if complete else "swept-unknown"


def _checked(pen: Pen, each: dict[str, Any]) -> list[str | Text]:
    complete = Text(pen.say("yes"), GOOD) if each["complete"] else Text(pen.say("not-listed"), BAD)
    return [each["cloud"], each["account"] or "", each["region"] or "", complete, instant(each["seen_at"])]
