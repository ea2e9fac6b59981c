"""Regions: city, country, how clean the power is, how far. Plain text."""

from __future__ import annotations

from typing import Any

from tradewind.cli.draw.figures import UNKNOWN, count, number
from tradewind.cli.draw.pen import Column, Pen, aligned, wrapped

Region = dict[str, Any]
_COLUMNS = (
    Column("col-region"), Column("col-name", drop=5), Column("col-city", drop=1), Column("col-distance", right=True),
    Column("col-residency"), Column("col-priced", right=True, drop=4), Column("col-carbon", right=True, drop=2),
    Column("col-carbon-free", right=True, drop=3),
)  # fmt: skip


def regions(pen: Pen, listed: list[Region]) -> str:
    """The table, and what its figures are."""
    if not listed:
        return pen.say("no-regions")
    far = any(each["distance_km"] is not None for each in listed)
    kept = [index for index, column in enumerate(_COLUMNS) if far or column.code != "col-distance"]
    rows = [[row[index] for index in kept] for row in (_row(pen, each) for each in listed)]
    columns = [_COLUMNS[index] for index in kept]
    return "\n\n".join([aligned(pen, columns, rows), wrapped(pen.say("regions-legend"), pen.width)])


def _row(pen: Pen, region: Region) -> list[str]:
    free, far = region["carbon_free_percent"], region["distance_km"]
    city = region["name_zh"] if pen.lang == "zh" else region["city"]
    return [
        f"{region['cloud']} {region['region']}", region["name"] or UNKNOWN, city or UNKNOWN,
        UNKNOWN if far is None else f"{count(round(far))} km", " ".join(region["residency"]) or UNKNOWN,
        count(region["machines"]), number(region["carbon_g_per_kwh"]), UNKNOWN if free is None else f"{number(free)} %",
    ]  # fmt: skip
