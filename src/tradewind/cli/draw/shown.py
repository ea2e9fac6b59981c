"""All that is known of a family, a machine or a GPU; and which figures in circulation are wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tradewind.cli.draw.figures import UNKNOWN, count, measured, money, number
from tradewind.cli.draw.offers import gpus, listed
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.sheets import cuda_of, link_of, name_of
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, WARN, bullets, facts, gap, head, stack, table

Shown = dict[str, Any]
LINES = 40  # prices of one machine that are drawn; --json has them all
_MACHINES = (
    Column("col-machine"), Column("col-gpu", drop=2), Column("col-memory", right=True, drop=4),
    Column("col-cpus", right=True, drop=5), Column("col-ram", right=True, drop=6),
    Column("col-network", right=True, drop=7), Column("col-rdma", drop=8), Column("col-nvlink", drop=9),
    Column("col-on-demand-from", right=True), Column("col-spot-from", right=True, drop=1),
    Column("col-regions", right=True, drop=3),
)  # fmt: skip
_PRICES = (
    Column("col-place"), Column("col-purchase"), Column("col-payment", drop=1), Column("col-price-hour", right=True),
    Column("col-listed"), Column("col-source", drop=2),
)  # fmt: skip


def shown(pen: Pen, told: Shown) -> RenderableType:
    """Data sheets, machines, the prices of a single machine, claims."""
    parts: list[RenderableType] = []
    for sheet in told["gpus"]:
        parts += [Text(name_of(sheet), "bold"), facts(pen, _sheet(pen, sheet)), gap()]
    if told["machines"]:
        rows = [_machine(each) for each in told["machines"]]
        parts += [head(pen, "head-machines", pen.say("machines-note")), table(pen, _MACHINES, rows), gap()]
    if told["prices"]:
        rows = [_price(pen, each) for each in told["prices"][:LINES]]
        more = len(told["prices"]) - LINES
        parts += [head(pen, "head-prices"), table(pen, _PRICES, rows)]
        parts += [Text("  " + pen.say("prices-more", count=count(more)), DIM)] if more > 0 else []
        parts.append(gap())
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
    yield "fact-link", f"{link_of(sheet)} · {count(sheet['tdp_w'])} W"
    yield "fact-cuda", cuda_of(sheet)
    yield "fact-source", sheet["source"] or UNKNOWN


def _machine(machine: dict[str, Any]) -> list[str]:
    cheapest = machine["cheapest"]
    return [
        f"{machine['cloud']} {machine['instance_type']}", gpus(machine) if machine["gpus"] else machine["gpu"],
        measured(machine["gpu_memory_gib"], "GiB"), count(machine["cpus"]), measured(machine["memory_gib"], "GiB"),
        measured(machine["network_gbps"], "Gbps"), machine["rdma"] or UNKNOWN, machine["nvlink"] or UNKNOWN,
        _from(cheapest["on_demand"]), _from(cheapest["spot"]), count(machine["regions"]),
    ]  # fmt: skip


def _from(line: dict[str, Any] | None) -> str:
    return money(line["price_per_hour"]) if line else UNKNOWN


def _price(pen: Pen, line: dict[str, Any]) -> list[str]:
    return [
        line["zone"] or line["region"], pen.say(f"purchase-{line['purchase']}"), line["payment"] or "",
        money(line["price_per_hour"]), listed(pen, line), line["source"] or UNKNOWN,
    ]  # fmt: skip


def _claim(pen: Pen, claim: dict[str, Any]) -> RenderableType:
    mark = ("✗ ", BAD) if claim["verdict"].startswith("wrong") else ("~ ", WARN)
    said = Text.assemble(mark, pen.say("claim-said", said=claim["said"], verdict=claim["verdict"]))
    true = Text.assemble(("✓ ", GOOD), claim["true"])
    why = bullets([claim["why"]]) if claim["why"] else None
    return stack(*(Padding(line, (0, 0, 0, 2)) for line in (said, true)), why)
