"""One's own or negotiated prices: a CSV file is read whole, and taken whole or not at all.

bytes ─▶ lines ─▶ every cell of every line checked ─▶ OwnPrices, or all faults with line, column and nearest
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from decimal import Decimal

from tradewind.catalog.families import machines
from tradewind.catalog.names import plain
from tradewind.catalog.overlays import OWN_COLUMNS, is_price
from tradewind.catalog.places import nearest, places
from tradewind.catalog.rates import currencies
from tradewind.catalog.snapshot import Snapshot
from tradewind.catalog.status import first_day
from tradewind.domain.errors import BadInput, Where
from tradewind.domain.offer import Purchase

OPTIONAL = frozenset({"zone", "as_of", "note"})

_CODES = {
    "cloud": "own-cloud-unknown", "region": "own-region-unknown", "instance_type": "own-machine-unknown",
    "purchase": "own-purchase-unknown", "currency": "own-currency-unknown",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class OwnPrice:
    """What one pays for a whole machine and hour. ``zone`` None: in every zone of the region."""

    cloud: str
    region: str
    zone: str | None
    instance_type: str
    purchase: Purchase
    price_per_hour: Decimal
    currency: str
    as_of: str
    note: str | None


def parse_own(content: bytes, file: str, snapshot: Snapshot, today: date) -> tuple[OwnPrice, ...]:
    """The prices in a CSV file with the columns of :data:`OWN_COLUMNS`, in any order; some may be missing.

    Names are taken whatever their case and spelling. A row without ``as_of`` is of ``today``.

    Raises:
        BadInput: ``own-prices-faulty`` (file, count), with every fault of every line in ``faults``.
    """
    faults: list[BadInput] = []
    rows = list(_rows(content, file, faults))
    known = _Known.of(snapshot)
    prices: list[OwnPrice] = []
    seen: dict[tuple[object, ...], int] = {}
    for line, row in rows:
        reading = _Line(Where(file, line), row, known)
        price = reading.price(today)
        faults += reading.faults
        if price is not None:
            key = price.cloud, price.region, price.zone, price.instance_type, price.purchase
            if (first := seen.setdefault(key, line)) != line:
                faults.append(BadInput("own-row-twice", where=Where(file, line), first=first))
            prices.append(price)
    if not rows and not faults:
        faults.append(BadInput("own-empty", where=Where(file)))
    if faults:
        raise BadInput("own-prices-faulty", where=Where(file), faults=tuple(faults), file=file, count=len(faults))
    return tuple(prices)


def own_csv(prices: Iterable[OwnPrice]) -> str:
    """The text to keep as ``own/NAME.csv``; it can be read again by :func:`parse_own`."""
    text = io.StringIO()
    writer = csv.DictWriter(text, OWN_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for each in prices:
        writer.writerow({name: "" if value is None else value for name, value in asdict(each).items()})
    return text.getvalue()


def _rows(content: bytes, file: str, faults: list[BadInput]) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and cells of every line that has as many cells as the header; what is wrong goes to ``faults``."""
    try:
        text = content.decode("utf-8-sig")  # spreadsheets begin with a byte order mark
    except UnicodeDecodeError as error:
        faults.append(BadInput("own-not-utf8", where=Where(file, content[: error.start].count(b"\n") + 1)))
        return
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        header = [cell.strip().casefold() for cell in next(reader, [])]
        faults += _header_faults(header, file)
        if faults:
            return
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) == len(header):
                yield reader.line_num, dict(zip(header, (cell.strip() for cell in cells), strict=True))
            else:
                where = Where(file, reader.line_num)
                faults.append(BadInput("own-row-short", where=where, cells=len(cells), wanted=len(header)))
    except csv.Error as error:
        faults.append(BadInput("own-not-csv", where=Where(file, reader.line_num), cause=error))


def _header_faults(header: list[str], file: str) -> list[BadInput]:
    where = Where(file, 1)
    unknown = [name for name in header if name not in OWN_COLUMNS]
    missing = [name for name in OWN_COLUMNS if name not in header and name not in OPTIONAL]
    twice = sorted({name for name in header if name and header.count(name) > 1})
    return [
        *(BadInput("own-column-unknown", where=where, column=name, nearest=", ".join(nearest(name, OWN_COLUMNS)))
          for name in unknown),
        *(BadInput("own-column-missing", where=where, column=name, known=", ".join(OWN_COLUMNS)) for name in missing),
        *(BadInput("own-column-twice", where=where, column=name) for name in twice),
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Known:
    """Every name that a line may use, under its plain spelling; regions and types by cloud."""

    clouds: dict[str, str]
    regions: dict[str, dict[str, str]]
    types: dict[str, dict[str, str]]

    @classmethod
    def of(cls, snapshot: Snapshot) -> _Known:
        regions: dict[str, dict[str, str]] = {}
        types: dict[str, dict[str, str]] = {}
        for place in places(snapshot):
            regions.setdefault(place.cloud, {})[place.region.casefold()] = place.region
        for machine in machines(snapshot):
            types.setdefault(machine.cloud, {})[plain(machine.instance_type)] = machine.instance_type
        return cls({name: name for name in types}, regions, types)


@dataclass(slots=True)
class _Line:
    """One line being read: what is wrong with it is collected, so that all of it is told at once."""

    where: Where
    row: Mapping[str, str]
    known: _Known
    faults: list[BadInput] = field(default_factory=list)

    def price(self, today: date) -> OwnPrice | None:
        """The price that the line tells; None when there are faults."""
        cloud = self._named("cloud", self.known.clouds)
        region = self._named("region", self.known.regions.get(cloud or ""))
        instance_type = self._named("instance_type", self.known.types.get(cloud or ""))
        purchase = self._named("purchase", {plain(each): each.value for each in Purchase})
        currency = self._named("currency", {name.casefold(): name for name in currencies()})
        price, as_of = self.row["price_per_hour"], self.row.get("as_of") or today.isoformat()
        if not price:
            self._fault("own-value-missing", column="price_per_hour")
        elif not is_price(price):
            self._fault("own-price-unreadable", text=price)
        if first_day(as_of) is None:
            self._fault("own-date-unreadable", text=as_of)
        if self.faults or not (cloud and region and instance_type and purchase and currency):
            return None
        return OwnPrice(cloud, region, self.row.get("zone") or None, instance_type, Purchase(purchase), Decimal(price),
                        currency, as_of, self.row.get("note") or None)  # fmt: skip

    def _named(self, column: str, choices: Mapping[str, str] | None) -> str | None:
        """The name that a cell means; without choices, which an unknown cloud leaves, nothing more is said."""
        text = self.row[column]
        if not text:
            self._fault("own-value-missing", column=column)
            return None
        if choices is None:
            return None
        word = plain(text) if column in {"instance_type", "purchase"} else text.casefold()
        if word not in choices:
            self._fault(_CODES[column], name=text, nearest=", ".join(choices[each] for each in nearest(word, choices)))
        return choices.get(word)

    def _fault(self, code: str, **facts: str) -> None:
        self.faults.append(BadInput(code, where=self.where, faults=(), **facts))
