"""Offers: one line each, and the pieces of an offer that other drawings name. Plain text, quick to start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tradewind.cli.draw.figures import UNKNOWN, count, measured, money, number
from tradewind.cli.draw.pen import Column, Pen, aligned, wrapped

Offer = dict[str, Any]
Found = dict[str, Any]
SHOWN = 30  # a screen; nobody reads a thousand lines
SOURCE = 28  # letters of a source that a table shows; --json has it whole

# In the order of the table; where it is too wide, the column with the highest number goes first.
_COLUMNS = (
    Column("col-offer"), Column("col-place"), Column("col-city", drop=8), Column("col-distance", right=True, drop=1),
    Column("col-gpu"), Column("col-memory", right=True, drop=6), Column("col-cpus", right=True, drop=10),
    Column("col-ram", right=True, drop=9), Column("col-network", right=True, drop=13), Column("col-rdma", drop=11),
    Column("col-nvlink", drop=12), Column("col-carbon", right=True, drop=7), Column("col-purchase", drop=2),
    Column("col-price-hour", right=True), Column("col-converted", right=True, drop=3),
    Column("col-price-gpu-hour", right=True, drop=5), Column("col-listed", drop=4), Column("col-source", drop=14),
)  # fmt: skip


def offers(pen: Pen, found: Found) -> str:
    """The table of offers with remarks below it, or what to do when there is none.

    What is the same in all of them stands above the table, so that more columns fit.
    """
    shown, more = found["offers"], found["more"]
    below = [pen.say("more-offers", count=count(more))] if more else []
    below += [*dates(pen, found), *remarks(pen, found)]
    told = [wrapped(line, pen.width) for line in below]
    if not shown:
        return "\n".join([wrapped(pen.say("no-offers"), pen.width), *told])
    columns, rows, same = _split(pen, shown)
    above = [wrapped(line, pen.width) for line in same]
    return "\n".join([*above, *([""] if above else []), aligned(pen, columns, rows), "", *told])


def _split(pen: Pen, shown: list[Offer]) -> tuple[list[Column], list[list[str]], list[str]]:
    """Columns that tell offers apart with their rows, and what is the same in all; neither holds what is not asked."""
    converted = any(offer.get("converted", {}).get("price_per_hour") != offer["price_per_hour"] for offer in shown)
    asked = {"col-distance": "distance_km" in shown[0], "col-converted": "converted" in shown[0] and converted}
    every = [_row(pen, offer) for offer in shown]
    apart, same, unknown = [], [], []
    for index, column in enumerate(_COLUMNS):
        cells = {row[index] for row in every}
        if not asked.get(column.code, True):
            continue
        if len(shown) == 1 or len(cells) > 1 or column.code in _ALWAYS:
            apart.append(index)
        elif cells == {UNKNOWN}:
            unknown.append(pen.say(column.code))
        else:
            same.append(f"{pen.say(column.code)} {cells.pop()}")
    above = [" · ".join(same), pen.say("offers-all-unknown", what=", ".join(unknown)) if unknown else ""]
    columns = [_COLUMNS[index] for index in apart]
    return columns, [[row[index] for index in apart] for row in every], [line for line in above if line]


_ALWAYS = ("col-offer", "col-place", "col-price-hour")


def _row(pen: Pen, offer: Offer) -> list[str]:
    kilometres, converted = offer.get("distance_km"), offer.get("converted") or {}
    return [
        f"{offer['cloud']} {offer['instance_type']}", _where(offer),
        ", ".join(part for part in (offer["city"], offer["country"]) if part) or UNKNOWN,
        measured(kilometres, "km"), gpus(offer) if offer["gpus"] else pen.say("no-gpu"),
        measured(offer["gpu_memory_gib"], "GiB"),
        count(offer["cpus"]), measured(offer["memory_gib"], "GiB"), measured(offer["network_gbps"], "Gbps"),
        fabric(pen, offer["rdma"]), fabric(pen, offer["nvlink"]), number(offer["carbon_g_per_kwh"]),
        purchase(pen, offer), price(pen, offer), money(converted.get("price_per_hour")),
        price(pen, offer, "price_per_gpu_hour"), date(pen, offer),
        _short(offer["source"]),
    ]  # fmt: skip


def _where(offer: Offer) -> str:
    """The zone or region; a list price of specialists, and a machine without any price, is of no known place."""
    return UNKNOWN if offer["region"] == "unknown" else str(offer["zone"] or offer["region"])


def hardware(pen: Pen, machine: Offer) -> list[str]:
    """Cells of a machine: name, GPUs, memory of each, processors, RAM, network, RDMA, NVLink."""
    return [
        f"{machine['cloud']} {machine['instance_type']}", gpus(machine) if machine["gpus"] else machine["gpu"],
        measured(machine["gpu_memory_gib"], "GiB"), count(machine["cpus"]), measured(machine["memory_gib"], "GiB"),
        measured(machine["network_gbps"], "Gbps"), fabric(pen, machine["rdma"]), fabric(pen, machine["nvlink"]),
    ]  # fmt: skip


def fabric(pen: Pen, told: str | None) -> str:
    """``EFA 400``, ``NVSwitch 600``, none, or unknown: what joins GPUs or machines, and how fast in all."""
    if told is None:
        return UNKNOWN
    kind, _, unknown = told.partition(" (Gbps not sourced")
    return pen.say("fabric-none") if told == "none" else pen.say("fabric-speed-unknown", kind=kind) if unknown else told


def paid(pen: Pen, payment: str | None) -> str:
    """How a commitment is paid; a cloud's own name for it stays as it is."""
    code = f"payment-{(payment or '').replace(' ', '-')}"
    told = pen.say(code)
    return told if told != code else payment or ""


def date(pen: Pen, offer: Offer) -> str:
    """``2024-12 old``, ``2026-11-21 yours``: the date alone where the price can be believed."""
    told = pen.say(f"date-{offer['price_status']}", as_of=offer["as_of"])
    return f"{told} {pen.say('price-own')}" if _own(offer) else told


def _own(offer: Offer) -> bool:
    return (offer["source"] or "").startswith("own ")


def _short(source: str | None) -> str:
    if source is None:
        return UNKNOWN
    return source if len(source) <= SOURCE else source[: SOURCE - 1].rstrip(" ,;(") + "…"


def dates(pen: Pen, found: Found) -> Iterator[str]:
    """From when the prices of a table are, since narrow tables leave the dates out; and how age enters their order."""
    shown = found["offers"]
    known = sorted(offer["as_of"] for offer in shown if offer["as_of"])
    if not known:
        return
    counted = Counter(offer["price_status"] for offer in shown)
    told = ", ".join(f"{counted[each]} {pen.say('age-' + each)}" for each in _AGES if counted[each])
    between = known[0] if known[0] == known[-1] else f"{known[0]} … {known[-1]}"
    yield pen.say("prices-from", dates=between, told=told)
    widened = [pen.say(f"ranked-{age}") for age in ("dated", "old") if counted[age]]
    if widened and len(counted) > 1 and found["sorted_by"].startswith("price"):
        yield pen.say("offers-ranked", widths=", ".join(widened))


_AGES = ("fresh", "dated", "old", "expired", "unknown", "free")


def remarks(pen: Pen, found: Found) -> Iterator[str]:
    """What should be known beside the offers: rates, what only an unknown value kept out, the state of the catalog."""
    if found["near"]:
        yield pen.say("near-point", name=found["near"])
    for rate in found["rates"]:
        yield pen.say("rate-used", **rate)
    if found["specialists"]:
        yield pen.say("offers-of-specialists", count=count(found["specialists"]))
    own = sum(map(_own, found["offers"]))
    if own:
        yield pen.say("offers-own", count=count(own))
    if found["unpriced"]:
        yield pen.say("offers-unpriced", count=count(found["unpriced"]))
    for name, number_of in found["left_out"].items():
        yield pen.say("offers-unknown", count=count(number_of), what=pen.say(f"unknown-{name}"))
    yield from warnings(pen, found)


def warnings(pen: Pen, told: Mapping[str, Any]) -> Iterator[str]:
    """What is amiss with the catalog: files passed over, a snapshot made anew, a clock that is behind."""
    for each in told["passed_over"]:
        yield pen.say("overlay-passed-over", file=each["file"], why=pen.reason(each["why"], "passed-"))
    if told["rebuilt"]:
        yield pen.say("snapshot-rebuilt")
    if told["clock_behind"]:
        yield pen.say("clock-behind", **told["clock_behind"])


def gpus(offer: Offer) -> str:
    """``8 × A100-80GB SXM``."""
    form = offer.get("form")
    return f"{count(offer['gpus'])} × {offer['gpu']}" + (f" {form}" if form else "")


def purchase(pen: Pen, offer: Offer) -> str:
    """How the offer is bought."""
    return pen.say(f"purchase-{offer['purchase']}")


def price(pen: Pen, offer: Offer, name: str = "price_per_hour") -> str:
    """What it costs; of a machine of one's own, that it is free."""
    return pen.say("price-free") if free(offer) else money(offer[name])


def free(offer: Offer) -> bool:
    """Whether it is known to cost nothing."""
    return bool(offer["price_status"] == "free")


def listed(pen: Pen, offer: Offer) -> str:
    """The price's date and how far it can be believed."""
    return pen.say(f"status-{offer['price_status']}", as_of=offer["as_of"] or UNKNOWN)


def place(offer: Offer) -> str:
    """``cn-beijing-h (Beijing, CN)``."""
    where = ", ".join(part for part in (offer.get("city"), offer.get("country")) if part)
    return f"{offer['zone'] or offer['region']}" + (f" ({where})" if where else "")


def named(offer: Offer) -> str:
    """``alibaba ecs.gn7i-c8g1.2xlarge cn-beijing-h``: enough to tell offers apart."""
    return f"{offer['cloud']} {offer['instance_type']} {offer['zone'] or offer['region']}"
