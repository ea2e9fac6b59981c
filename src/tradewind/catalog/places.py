"""Clouds and regions: where they are, how clean their power is, how far away; the nearest name to a misspelt one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import asin, cos, radians, sin, sqrt

from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.errors import BadInput

EARTH_RADIUS_KM = 6371.0  # mean
ONE_PLACE_KM = 300  # sites of one name that are no farther apart count as one place
_POINT = re.compile(r"(-?\d{1,2}(?:\.\d+)?)\s*,\s*(-?\d{1,3}(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Place:
    """A region of a cloud; None: not sourced.

    Attributes:
        country: ISO 3166-1 alpha-2.
        lat, lon: of the site or the centre of its city, degrees.
        carbon_g_per_kwh: annual mean of the grid, g of CO2 for each kWh; differences under 20 % mean nothing.
        carbon_free_percent: share of hours matched by carbon-free power, where the cloud publishes it.
    """

    cloud: str
    region: str
    name: str | None
    name_zh: str | None
    country: str | None
    city: str | None
    lat: float | None
    lon: float | None
    carbon_g_per_kwh: float | None
    carbon_free_percent: float | None
    source: str


@dataclass(frozen=True, slots=True)
class Point:
    """A point on the globe, degrees, and what it was found by."""

    name: str
    lat: float
    lon: float


_COLUMNS = "cloud, region, name, name_zh, country, city, lat, lon, carbon_g_per_kwh, carbon_free_percent, source"


def clouds(snapshot: Snapshot) -> tuple[str, ...]:
    """The clouds that the snapshot knows, in alphabetical order; specialists are none."""
    rows = snapshot.rows("SELECT DISTINCT cloud FROM machine WHERE tier = 'cloud' ORDER BY cloud")
    return tuple(row[0] for row in rows)


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
    return required("cloud-unknown", name, {each: each for each in clouds(snapshot)})


def require_region(snapshot: Snapshot, name: str, cloud: str | None = None) -> str:
    """The region that ``name`` means, whatever its case, in ``cloud`` or in any.

    Raises:
        BadInput: ``region-unknown`` (name, nearest).
    """
    return required("region-unknown", name, {each.region: each.region for each in places(snapshot, cloud)})


def locate(snapshot: Snapshot, text: str) -> Point:
    """The point that ``text`` means: latitude and longitude, a city, or a region's code or name in either language.

    Two clouds may give the same code to places far apart; then ``aws eu-west-1`` says which.

    Raises:
        BadInput: ``place-unknown`` (name, nearest), ``place-ambiguous`` (name, nearest: each cloud's).
    """
    match = _POINT.fullmatch(text.strip())
    if match and abs(float(match[1])) <= 90 and abs(float(match[2])) <= 180:
        return Point(text.strip(), float(match[1]), float(match[2]))
    known: dict[str, list[tuple[Place, Point]]] = {}
    for each in places(snapshot):
        if each.lat is not None and each.lon is not None:
            point = Point(each.city or each.region, each.lat, each.lon)
            for name in {each.city, each.name_zh, each.region, each.name, f"{each.cloud} {each.region}"} - {None}:
                known.setdefault(str(name), []).append((each, point))
    meant = known[required("place-unknown", text, {each: each for each in sorted(known)})]
    first = meant[0][1]
    if any(_km(first.lat, first.lon, other.lat, other.lon) > ONE_PLACE_KM for _, other in meant):
        near = ", ".join(f"{each.cloud} {each.region}" for each, _ in meant)
        raise BadInput("place-ambiguous", name=text, nearest=near)
    return first


def distances(snapshot: Snapshot, lat: float, lon: float) -> dict[tuple[str, str], float]:
    """How far each (cloud, region) with known coordinates is from a point, km along a great circle."""
    rows = snapshot.rows("SELECT cloud, region, lat, lon FROM place WHERE lat IS NOT NULL AND lon IS NOT NULL")
    return {(cloud, region): _km(lat, lon, there, here) for cloud, region, there, here in rows}


def required(code: str, name: str, known: dict[str, str]) -> str:
    """The value of the key that ``name`` is but for its case.

    Raises:
        BadInput: ``code`` (name, nearest).
    """
    by_word = {key.casefold(): value for key, value in known.items()}
    word = name.strip().casefold()
    if word in by_word:
        return by_word[word]
    near = nearest(word, by_word)
    raise BadInput(code, name=name, nearest=", ".join(dict.fromkeys(by_word[each] for each in near)))


def nearest(word: str, known: Iterable[str], cutoff: float = 0.5) -> list[str]:
    """At most three of the known words that ``word`` may have meant, the likeliest first; at least ``cutoff`` alike."""
    from difflib import get_close_matches  # only needed when something was misspelt

    return get_close_matches(word, sorted(known), n=3, cutoff=cutoff)


def _km(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    """Haversine formula on a sphere: within 0.6 % of the ellipsoid."""
    first, second = radians(lat), radians(other_lat)
    arc = sin((second - first) / 2) ** 2 + cos(first) * cos(second) * sin(radians(other_lon - lon) / 2) ** 2
    return 2 * EARTH_RADIUS_KM * asin(min(1.0, sqrt(arc)))
