"""What a refresh brought: of each cloud what changed, or why it was refused or could not be asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import count, money
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, HEAD, WARN, bullets, stack

Cloud = dict[str, Any]
STYLES = {"refreshed": GOOD, "refused": BAD, "failed": BAD, "not_configured": WARN}
FEW = 5  # names that are told of many


def refreshed(pen: Pen, clouds: list[Cloud]) -> RenderableType:
    """One paragraph a cloud."""
    return stack(*(part for cloud in clouds for part in _cloud(pen, cloud)))


def _cloud(pen: Pen, cloud: Cloud) -> Iterator[RenderableType]:
    outcome = cloud["outcome"]
    yield Text.assemble((cloud["cloud"], HEAD), "  ", (pen.say(f"outcome-{outcome}"), STYLES[outcome]))
    if cloud["error"]:
        yield bullets(_sentences(cloud["error"]))
    else:
        yield bullets(_facts(pen, cloud))
    if cloud["changes"] and cloud["changes"]["largest"]:
        yield Text("  " + pen.say("head-largest"), DIM)
        yield bullets(_largest(pen, cloud["changes"]["largest"]), mark="→")


def _facts(pen: Pen, cloud: Cloud) -> Iterator[str]:
    changes = cloud["changes"]
    yield pen.say("refresh-told", prices=count(cloud["prices"]), machines=count(cloud["machines"]))
    yield pen.say("refresh-changes", **{key: count(changes[key]) for key in _COUNTED})
    if cloud["went_on"]:
        yield pen.say("refresh-went-on")
    if cloud["spot_points"]:
        yield pen.say("refresh-spot", count=count(cloud["spot_points"]))
    for code, names in (("refresh-skipped", cloud["skipped"]), ("refresh-no-machine", cloud["no_machine"])):
        if names:
            told = ", ".join(names[:FEW]) + (" …" if len(names) > FEW else "")
            yield pen.say(code, count=count(len(names)), names=told)
    for part in cloud["parts_failed"]:
        yield pen.say("refresh-part-failed", part=part["part"], why="; ".join(_sentences(part["error"])))
    if cloud["spot_error"]:
        yield "; ".join(_sentences(cloud["spot_error"]))


_COUNTED = ("new", "gone", "dearer", "cheaper", "same")


def _sentences(error: dict[str, Any]) -> list[str]:
    return [error[key] for key in ("what", "why", "next") if error[key]]


def _largest(pen: Pen, changes: list[dict[str, Any]]) -> Iterator[str]:
    for each in changes:
        named = f"{each['instance_type']} {each['zone'] or each['region']}"
        yield f"{named} · {pen.say('purchase-' + each['purchase'])} · {money(each['old'])} → {money(each['new'])}"
