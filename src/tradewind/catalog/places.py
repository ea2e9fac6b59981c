"""Clouds and regions: where they are, how clean their power is, and the nearest name to a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.errors import BadInput


@dataclass(frozen=True, slots=True)
class Place:
    """A region of a cloud; None: not sourced.

    Attributes:
        country: ISO 3166-1 alpha-2.
        carbon_g_per_kwh: annual mean of the grid, g of CO2 for each kWh; differences under 20 % mean nothing.
        carbon_free_percent: share of hours matched by carbon-free power, where the cloud publishes it.
    """

    cloud: str
    region: str
    name: str | None
    name_zh: str | None
    country: str | None
    city: str | None
    carbon_g_per_kwh: float | None
    carbon_free_percent: float | None
    source: str


_COLUMNS = "cloud, region, name, name_zh, country, city, carbon_g_per_kwh, carbon_free_percent, source"


def clouds(snapshot: Snapshot) -> tuple[str, ...]:
    """The clouds that the snapshot knows, in alphabetical order."""
    return tuple(row[0] for row in snapshot.rows("SELECT DISTINCT cloud FROM machine ORDER BY cloud"))


def places(snapshot: Snapshot, cloud: str | None = None) -> tuple[Place, ...]:
    """All regions, or those of one cloud, by cloud and region."""
    question = f"SELECT {_COLUMNS} FROM place WHERE ?1 IS NULL OR cloud = ?1 ORDER BY cloud, region"  # noqa: S608
    return tuple(Place(*row) for row in snapshot.rows(question, (cloud,)))


def place(snapshot: Snapshot, cloud: str, region: str) -> Place | None:
    """One region of a cloud; None when the cloud has no such region."""
    question = f"SELECT {_COLUMNS} FROM place WHERE cloud = ? AND region = ?"  # noqa: S608
    return next((Place(*row) for row in snapshot.rows(question, (cloud, region))), None)


def require_cloud(snapshot: Snapshot, name: str) -> str:
    """The cloud that ``name`` means, whatever its case.

    Raises:
        BadInput: ``cloud-unknown`` (name, nearest).
    """
    return _required("cloud-unknown", name, clouds(snapshot))


def require_region(snapshot: Snapshot, name: str, cloud: str | None = None) -> str:
    """The region that ``name`` means, whatever its case, in ``cloud`` or in any.

    Raises:
        BadInput: ``region-unknown`` (name, nearest).
    """
    return _required("region-unknown", name, (each.region for each in places(snapshot, cloud)))


def _required(code: str, name: str, known: Iterable[str]) -> str:
    by_word = {each.casefold(): each for each in known}
    word = name.strip().casefold()
    if word in by_word:
        return by_word[word]
    from difflib import get_close_matches  # only needed when something was misspelt

    near = get_close_matches(word, sorted(by_word), n=3, cutoff=0.5)
    raise BadInput(code, name=name, nearest=", ".join(by_word[each] for each in near))
