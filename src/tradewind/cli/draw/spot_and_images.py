"""Beside prices: how spot machines fared, on which terms they are sold, and the images that machines begin with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType

from tradewind.cli.draw.figures import UNKNOWN, count, money, share
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.strokes import bullets, head, table

Told = dict[str, Any]
_BANDS = ("<5%", "5-10%", "10-15%", "15-20%", ">20%")
_BY_MACHINE = (
    Column("col-machine"), Column("col-regions", right=True, drop=1), Column("col-reclaimed"),
    Column("col-saved", right=True),
)  # fmt: skip
_BY_REGION = (
    Column("col-region"), Column("col-reclaimed"), Column("col-saved", right=True),
    Column("col-average", right=True, drop=1), Column("col-range", right=True, drop=2),
)  # fmt: skip


def spot(pen: Pen, told: Told) -> Iterator[RenderableType]:
    """Records by region of one machine, or by machine of several; then the terms of each cloud."""
    records = told["spot_records"]
    until = max((each["as_of"] for each in records), default=None)
    yield head(pen, "head-spot", pen.say("spot-recorded", as_of=until) if until else "")
    machines = list(dict.fromkeys(f"{each['cloud']} {each['instance_type']}" for each in records))
    if len(machines) == 1:
        yield table(pen, _BY_REGION, [_region(each) for each in records])
    elif machines:
        yield table(pen, _BY_MACHINE, [
            _machine(pen, name, [each for each in records if f"{each['cloud']} {each['instance_type']}" == name])
            for name in machines
        ])  # fmt: skip
    sources = dict.fromkeys(each["source"] for each in records)
    code = "spot-legend" if len(machines) == 1 else "spot-legend-regions"
    legend = [pen.say(code, source=", ".join(sources))] if records else []
    yield bullets([*legend, *(line for each in told["spot_terms"] for line in _terms(pen, each))])


def _region(record: Told) -> list[str]:
    low, high = record["lowest"], record["highest"]
    return [
        record["region"], record["interrupted"] or UNKNOWN, share(record["saved"]), money(record["average"]),
        f"{money(low)}–{money(high)}" if low and high else UNKNOWN,
    ]  # fmt: skip


def _machine(pen: Pen, name: str, records: list[Told]) -> list[str]:
    bands = Counter(each["interrupted"] for each in records)
    taken = ", ".join(pen.say("spot-regions", band=band, count=bands[band]) for band in _BANDS if bands[band])
    saved = sorted(each["saved"] for each in records if each["saved"] is not None)
    between = "–".join(dict.fromkeys((f"{saved[0] * 100:.0f}", f"{saved[-1] * 100:.0f}"))) if saved else ""
    return [name, count(len(records)), taken or UNKNOWN, f"{between} %" if between else UNKNOWN]


def _terms(pen: Pen, terms: Told) -> Iterator[str]:
    if terms["notice_s"] is None:
        yield pen.say("spot-terms-unknown", cloud=terms["cloud"])
    else:
        code = "spot-notice" if terms["notice_s"] else "spot-no-notice"
        yield pen.say(code, cloud=terms["cloud"], seconds=count(terms["notice_s"]), source=terms["source"])
    published = terms["published"]
    if published:
        told = {**published, "share": share(published["saved_up_to"]), "as_of": published["as_of"] or UNKNOWN}
        yield pen.say("spot-published", cloud=terms["cloud"], **told)


def images(pen: Pen, listed: list[Told]) -> Iterator[RenderableType]:
    """The images of the clouds, and how each is found."""
    yield head(pen, "head-images", pen.say("images-note"))
    yield bullets(
        " · ".join((f"{each['cloud']} {each['name']}", pen.say("image-user", user=each["user"]),
                    pen.say("image-driver", driver=_driver(pen, each["driver"])), each["lookup"]))
        for each in listed
    )  # fmt: skip


def _driver(pen: Pen, told: str) -> str:
    """The source's words begin with yes or no, or say what puts the driver in."""
    if told.startswith("yes"):
        return pen.say("driver-yes")
    return pen.say("driver-no" if told == "no" else "driver-later")
