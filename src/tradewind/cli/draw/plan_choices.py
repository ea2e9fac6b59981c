"""The choices of a plan on a terminal: the picture, the list of what has a letter in it, the fallbacks in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tradewind.cli.draw import front
from tradewind.cli.draw.choices import Choice, choices, tip, unbeaten
from tradewind.cli.draw.figures import count, exactly, hours, mass
from tradewind.cli.draw.offers import gpus, purchase
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.plan_reasons import fails_apart
from tradewind.cli.draw.plan_told import an_hour, cost_told, machines, probability, sum_told, tip_told
from tradewind.cli.draw.scene import Scene, scene
from tradewind.cli.draw.strokes import DIM, GOOD, MARK, gap, head, table

Plan = dict[str, Any]
Placed = dict[str, Any]
ROOMY = 112  # columns from which on the choices have their ranges
FEW = 3  # choices; below that the next best, although beaten, are listed as well
_CHOICES = (
    Column("col-letter"), Column("col-offer"), Column("col-gpu", drop=2), Column("col-purchase", drop=1),
    Column("col-place", drop=4), Column("col-price-hour", right=True), Column("col-hours", right=True),
    Column("col-cost", right=True), Column("col-on-time", right=True, drop=3), Column("col-grams", right=True),
)  # fmt: skip
_FALLBACKS = (
    Column("col-letter", right=True), Column("col-offer"), Column("col-purchase", drop=1), Column("col-place", drop=3),
    Column("col-price-hour", right=True), Column("col-hours", right=True), Column("col-cost", right=True),
    Column("col-apart", drop=2),
)  # fmt: skip


def front_and_list(pen: Pen, plan: Plan, everything: bool) -> Iterator[RenderableType]:
    """The picture, and the list of what has a letter in it."""
    shown, left = choices(plan, everything)
    seen = scene(plan, shown, front.ticks(pen.width))
    drawn = front.picture(pen, seen) if seen else []
    if seen and drawn:
        yield from (gap(), head(pen, "head-front", _legend(pen, seen)), *drawn)
        yield Padding(Text(_scales(pen, seen), DIM), (0, 0, 0, 2))
    beaten = [placed for placed in plan["alternatives"] if placed["beaten"]] if everything or len(shown) < FEW else []
    rows = [*(_choice(pen, each) for each in shown), *(_beaten(pen, placed) for placed in beaten)]
    if len(rows) > 1:
        columns = _columns(plan, _CHOICES)
        cells = [[row[column.code] for column in columns] for row in rows]
        meaning = pen.say(unbeaten(plan)) if plan["front"] else ""
        yield from (gap(), head(pen, "page-choices", meaning), table(pen, columns, cells))
    found = tip(plan, shown)
    if found:
        yield Padding(Text(tip_told(pen, found), GOOD), (0, 0, 0, 2))
    if left:
        yield Padding(Text(pen.say("choices-left-out", count=left), DIM), (0, 0, 0, 2))


def _legend(pen: Pen, seen: Scene) -> str:
    chosen = next((mark.letter for mark in seen.marks if mark.chosen), "")
    return pen.say("front-means", letter=chosen) if chosen else pen.say("front-means-nothing")


def _scales(pen: Pen, seen: Scene) -> str:
    """What the lines are, and what cannot be seen."""
    told = [pen.say(f"front-{name}") for name, limit in seen.limits() if limit is not None]
    told += [pen.say("front-axes"), *([pen.say("front-outside", count=count(seen.outside))] if seen.outside else [])]
    return " · ".join(told)


def _columns(plan: Plan, columns: tuple[Column, ...]) -> list[Column]:
    """Those that this plan can fill; the price of an hour stands in where nobody knows how many."""
    chosen = plan["chosen"]
    timed = chosen is not None and chosen["on_time_probability"] is not None
    known = chosen is None or chosen["hours"] is not None
    wanted = {"col-on-time": timed, "col-grams": plan["objective"] == "carbon", "col-price-hour": not known,
              "col-hours": known, "col-cost": known}  # fmt: skip
    return [column for column in columns if wanted.get(column.code, True)]


def _choice(pen: Pen, choice: Choice) -> dict[str, Text]:
    """The cells of a way with a letter; with its ranges where there is room."""
    way, placed = choice.way, choice.placed
    ranged = placed is not None and pen.width >= ROOMY
    letter = f"[{choice.letter}]" if choice.chosen else f" {choice.letter}"
    time = hours(placed["hours"]) if ranged and placed else hours(exactly(way["hours"]))
    cost = cost_told(pen, placed["cost"]) if ranged and placed else sum_told(pen, way["cost"])
    return _cells(pen, way, way["nodes"], MARK if choice.chosen else "", {
        "col-letter": letter, "col-price-hour": an_hour(pen, placed), "col-hours": time, "col-cost": cost,
        "col-on-time": probability(placed), "col-grams": mass(way["carbon_g"]),
    })  # fmt: skip


def _beaten(pen: Pen, placed: Placed) -> dict[str, Text]:
    roomy = pen.width >= ROOMY
    return _cells(pen, placed["offer"], placed["nodes"], DIM, {
        "col-letter": " ·", "col-price-hour": an_hour(pen, placed), "col-hours": hours(placed["hours"], ranged=roomy),
        "col-cost": cost_told(pen, placed["cost"], ranged=roomy), "col-on-time": probability(placed),
        "col-grams": mass(placed["carbon_g"]),
    })  # fmt: skip


def _cells(pen: Pen, offer: dict[str, Any], nodes: int, style: str, others: dict[str, str]) -> dict[str, Text]:
    told = {
        "col-offer": machines(pen, offer, nodes), "col-gpu": gpus(offer), "col-purchase": purchase(pen, offer),
        "col-place": offer["zone"] or offer["region"], **others,
    }  # fmt: skip
    return {code: Text(cell, style) for code, cell in told.items()}


def fallbacks(pen: Pen, plan: Plan) -> list[RenderableType]:
    """Where the job goes when the chosen offer cannot be had or is lost, in order."""
    columns = _columns(plan, _FALLBACKS)
    rows = [[cell[column.code] for column in columns] for cell in _ranked(pen, plan)]
    return [gap(), head(pen, "head-fallbacks"), table(pen, columns, rows)] if rows else []


def _ranked(pen: Pen, plan: Plan) -> Iterator[dict[str, Text]]:
    for rank, placed in enumerate(plan["fallbacks"], 1):
        yield _cells(pen, placed["offer"], placed["nodes"], "", {
            "col-letter": f"{rank}.", "col-price-hour": an_hour(pen, placed),
            "col-hours": hours(placed["hours"], ranged=False), "col-cost": cost_told(pen, placed["cost"], ranged=False),
            "col-apart": fails_apart(pen, plan["chosen"], placed),
        })  # fmt: skip
