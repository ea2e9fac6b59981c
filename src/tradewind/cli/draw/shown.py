"""All that is known of a family, a machine or a GPU; and which figures in circulation are wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import UNKNOWN, count, money, number
from tradewind.cli.draw.offers import date, hardware, paid
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.sheets import cuda_of, link_of, name_of
from tradewind.cli.draw.spot_and_images import images, spot
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, WARN, facts, gap, head, marked, stack, table

Shown = dict[str, Any]
LINES = 6  # prices of one way of buying that are drawn; --json has them all
_MACHINES = (
    Column("col-machine"), Column("col-gpu", drop=1), Column("col-memory", right=True, drop=4),
    Column("col-cpus", right=True, drop=5), Column("col-ram", right=True, drop=6),
    Column("col-network", right=True, drop=7), Column("col-rdma", drop=8), Column("col-nvlink", drop=9),
    Column("col-on-demand-from", right=True), Column("col-spot-from", right=True, drop=2),
    Column("col-regions", right=True, drop=3),
)  # fmt: skip
_PRICES = (
    Column("col-place"), Column("col-purchase"), Column("col-payment", drop=1), Column("col-price-hour", right=True),
    Column("col-listed"), Column("col-source", drop=2),
)  # fmt: skip


def shown(pen: Pen, told: Shown) -> RenderableType:
    """Data sheets, machines, the prices of a single machine, spot machines and images, claims."""
    parts: list[RenderableType] = []
    for sheet in told["gpus"]:
        parts += [Text(name_of(sheet), "bold"), facts(pen, _sheet(pen, sheet)), gap()]
    parts += _machines(pen, told["machines"])
    if told["prices"]:
        parts += [head(pen, "head-prices"), *_prices(pen, told["prices"]), gap()]
    if told["spot_terms"]:
        parts += [*spot(pen, told), gap()]
    if told["images"]:
        parts += [*images(pen, told["images"]), gap()]
    if told["claims"]:
        parts.append(head(pen, "head-claims"))
        parts += [_claim(pen, each) for each in told["claims"]]
        parts.append(gap())
    return stack(*parts[:-1])


def _sheet(pen: Pen, sheet: dict[str, Any]) -> Iterator[tuple[str, str]]:
    peaks = " · ".join(f"{kind} {number(value)}" for kind, value in sheet["peak_tflops"].items())
    made = f"{sheet['vendor']} {sheet['architecture']}"
    capability = sheet["compute_capability"]
    yield "fact-made", made + (f" · {pen.say('compute-capability', value=capability)}" if capability else "")
    yield "fact-memory", f"{number(sheet['memory_gib'])} GiB · {count(sheet['bandwidth_gb_s'])} GB/s"
    yield "fact-peaks", f"{peaks} TFLOPS" if peaks else UNKNOWN
    yield "fact-link", f"{link_of(pen, sheet)} · {count(sheet['tdp_w'])} W"
    yield "fact-cuda", cuda_of(sheet)
    yield "fact-source", sheet["source"] or UNKNOWN


def _machines(pen: Pen, machines: list[dict[str, Any]]) -> Iterator[RenderableType]:
    if not machines:
        return
    yield head(pen, "head-machines", pen.say("machines-note"))
    yield table(pen, _MACHINES, [_machine(pen, each) for each in machines])
    if not any(filter(None, (price for each in machines for price in each["cheapest"].values()))):
        yield Text("  " + pen.say("show-unpriced"), DIM)
    yield gap()


def _machine(pen: Pen, machine: dict[str, Any]) -> list[str]:
    cheapest = machine["cheapest"]
    return [
        *hardware(pen, machine),
        _from(cheapest["on_demand"]), _from(cheapest["spot"]), count(machine["regions"]),
    ]  # fmt: skip


def _from(line: dict[str, Any] | None) -> str:
    return money(line["price_per_hour"]) if line else UNKNOWN


def _prices(pen: Pen, lines: list[dict[str, Any]]) -> Iterator[RenderableType]:
    """The cheapest places of each way of buying and paying, own prices always; in the order of the ways."""
    drawn: Counter[tuple[str, str | None]] = Counter()
    rows = []
    for line in lines:
        drawn[way := (line["purchase"], line["payment"])] += 1
        if drawn[way] <= LINES or line["own"]:
            rows.append(_price(pen, line))
    yield table(pen, _PRICES, rows)
    if len(lines) > len(rows):
        yield Text("  " + pen.say("prices-more", count=count(len(lines) - len(rows))), DIM)


def _price(pen: Pen, line: dict[str, Any]) -> list[str]:
    return [
        line["zone"] or line["region"], pen.say(f"purchase-{line['purchase']}"), paid(pen, line["payment"]),
        money(line["price_per_hour"]), date(pen, line), line["source"] or UNKNOWN,
    ]  # fmt: skip


def _claim(pen: Pen, claim: dict[str, Any]) -> RenderableType:
    def told(part: str) -> str:
        return claim[f"{part}_zh" if pen.lang == "zh" else part] or ""

    wrong = claim["verdict"].startswith("wrong")
    said = pen.say("claim-said", said=told("said"), verdict=told("verdict"))
    why = told("why") or (pen.say("claim-why-unknown") if wrong else None)
    lines = [(("✗", BAD) if wrong else ("~", WARN), said), (("✓", GOOD), told("true")), (("·", DIM), why)]
    return marked((Text(*mark), line) for mark, line in lines if line)
