"""What is laid over the shipped files: refreshed prices and machines of a cloud, and a user's own prices.

refreshed/CLOUD.machines.csv ─▶ machines so far unknown are added, empty cells of known ones filled
refreshed/CLOUD.prices.csv   ─▶ replace what is listed for the same cloud, region and purchase
own/NAME.csv                 ─▶ stand beside the listed ones, and win

A file that cannot be trusted is passed over whole, with why; the others and the shipped data are as good as before.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path

from tradewind.catalog.parts import OWN, overlay_files
from tradewind.catalog.rates import currencies
from tradewind.catalog.sealed import Row, unsealed
from tradewind.catalog.status import first_day
from tradewind.domain.offer import Purchase

MACHINE_COLUMNS = (
    "cloud", "instance_type", "family", "gpu_model", "gpu_count", "gpu_memory_gib_each", "vcpus", "memory_gib",
    "network_gbps", "rdma", "nvlink", "local_nvme_gb", "arch", "notes", "source",
)  # fmt: skip
PRICE_COLUMNS = (
    "cloud", "region", "zone", "instance_type", "purchase", "payment", "currency", "price_per_hour", "as_of", "source",
)  # fmt: skip
OWN_COLUMNS = (
    "cloud", "region", "zone", "instance_type", "purchase", "price_per_hour", "currency", "as_of", "note",
)  # fmt: skip
_PURCHASES = frozenset(each.value for each in Purchase)


@dataclass(frozen=True, slots=True)
class Overlays:
    """Rows of the overlays that can be trusted; the files that were passed over, each with why as a coded reason."""

    machines: list[Row]
    prices: list[Row]
    own: list[Row]
    passed_over: list[tuple[str, str]]


def read_overlays(overlays: Path | None, types: Iterable[tuple[str, str]]) -> Overlays:
    """The overlays in the folder; ``types`` are the shipped machines as (cloud, instance type)."""
    known = set(types)
    found = Overlays([], [], [], [])
    for path in overlay_files(overlays):  # NAME.machines.csv sorts before NAME.prices.csv, which speaks of its machines
        try:
            text = path.read_text(encoding="utf-8")
            if path.parent.name == OWN:
                found.own.extend(_checked(_own(text, path.stem), known))
            elif path.stem.endswith(".machines"):
                rows = unsealed(text, MACHINE_COLUMNS)
                found.machines.extend(rows)
                known |= {(row["cloud"], row["instance_type"]) for row in rows}
            else:
                found.prices.extend(_checked(unsealed(text, PRICE_COLUMNS), known))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            found.passed_over.append((f"{path.parent.name}/{path.name}", f"unreadable cause={str(error)!r}"))
        except ValueError as error:
            found.passed_over.append((f"{path.parent.name}/{path.name}", str(error)))
    return found


def machines_in_force(shipped: list[Row], refreshed: Iterable[Row]) -> list[Row]:
    """Shipped machines with their empty cells filled from the refreshed ones, and those that are new."""
    merged = {(row["cloud"], row["instance_type"]): row for row in shipped}
    for row in refreshed:
        key = row["cloud"], row["instance_type"]
        told = merged.get(key)
        merged[key] = {name: told[name] or row.get(name, "") for name in told} if told else row
    return [merged[key] for key in sorted(merged)]


def prices_in_force(shipped: Iterable[Row], refreshed: list[Row]) -> list[Row]:
    """The refreshed prices, and the shipped ones of places and ways of buying that were not refreshed."""
    anew = {_scope(row) for row in refreshed}
    return [*(row for row in shipped if _scope(row) not in anew), *refreshed]


def _scope(row: Row) -> tuple[str, str, str]:
    return row["cloud"], row["region"], row["purchase"]


def _own(text: str, name: str) -> list[Row]:
    reader = csv.DictReader(io.StringIO(text))
    if reader.fieldnames != list(OWN_COLUMNS):
        raise ValueError(f"columns-differ wanted={', '.join(OWN_COLUMNS)!r}")
    return [{**row, "payment": "", "source": f"own {name}"} for row in reader]


def _checked(rows: list[Row], types: set[tuple[str, str]]) -> list[Row]:
    """The rows, all of them sane.

    Raises:
        ValueError: the first that is not, as a coded reason with its number.
    """
    known, is_day = frozenset(currencies()), cache(first_day)
    sane: tuple[tuple[str, Callable[[Row], object]], ...] = (
        ("no-machine", lambda row: (row["cloud"], row["instance_type"]) in types),
        ("not-positive", lambda row: is_price(row["price_per_hour"])),
        ("no-purchase", lambda row: row["purchase"] in _PURCHASES),
        ("no-currency", lambda row: row["currency"] in known),
        ("no-date", lambda row: is_day(row["as_of"])),
    )
    for number, row in enumerate(rows, start=1):
        if None in row or None in row.values():
            raise ValueError(f"cells row={number}")
        for why, holds in sane:
            if not holds(row):
                name = f"{row['cloud']} {row['instance_type']}"
                raise ValueError(f"{why} row={number} name={name!r}")
    return rows


def is_price(text: str) -> bool:
    """Whether ``text`` is a plain positive decimal number."""
    try:
        number = Decimal(text)
        return number.is_finite() and number > 0
    except InvalidOperation:
        return False
