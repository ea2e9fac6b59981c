"""The tables of a snapshot, filled from the CSV files and what is laid over them.

instances, specialists, refreshed ─▶ canonical GPU, form ─▶ machine
prices, refreshed, own ─▶ which way to pay becomes the offer ─▶ listing, price
regions ─▶ place        sources ─▶ source        tariffs ─▶ tariff
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from operator import itemgetter
from pathlib import Path

from tradewind.catalog.machines import COLUMNS, family_links, family_of, machine_row, specialist_rows
from tradewind.catalog.overlays import machines_in_force, prices_in_force, read_overlays
from tradewind.catalog.parts import FILES, overlay_files, shipped_files
from tradewind.catalog.sealed import Row

# machine.gpus is NULL where the source does not say how many GPUs, or what share, a type has; then so is price.per_gpu.
# A listing is what many prices share: currency, way of buying and date. Prices of one machine lie side by side, and an
# index holds all that finding and sorting needs: a search reads few pages, and whole rows only of what it returns.
TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE machine ({COLUMNS});
CREATE TABLE listing (id INTEGER PRIMARY KEY, currency TEXT NOT NULL, purchase TEXT NOT NULL, as_of TEXT NOT NULL);
CREATE TABLE price (
    id INTEGER PRIMARY KEY, machine INTEGER NOT NULL REFERENCES machine (id), listing INTEGER NOT NULL
    REFERENCES listing (id), place INTEGER REFERENCES place (id), region TEXT NOT NULL, zone TEXT, payment TEXT,
    price_per_hour TEXT NOT NULL, per_gpu REAL, source INTEGER NOT NULL REFERENCES source (id), note TEXT,
    own INTEGER NOT NULL, offered INTEGER NOT NULL);
CREATE TABLE place (
    id INTEGER PRIMARY KEY, cloud TEXT NOT NULL, region TEXT NOT NULL, name TEXT, name_zh TEXT, country TEXT, city TEXT,
    lat REAL, lon REAL, carbon_g_per_kwh REAL, carbon_free_percent REAL, source TEXT NOT NULL, UNIQUE (cloud, region));
CREATE TABLE source (id INTEGER PRIMARY KEY, source TEXT NOT NULL);
CREATE TABLE tariff (
    cloud TEXT NOT NULL, kind TEXT NOT NULL, region TEXT NOT NULL, tier INTEGER NOT NULL, unit TEXT NOT NULL,
    tier_text TEXT, price TEXT NOT NULL, currency TEXT NOT NULL, trust TEXT NOT NULL, as_of TEXT, source TEXT NOT NULL,
    PRIMARY KEY (cloud, kind, region, tier)) WITHOUT ROWID;
CREATE TABLE passed_over (file TEXT PRIMARY KEY, why TEXT NOT NULL) WITHOUT ROWID;
"""
INDEXES = """
CREATE INDEX machine_gpu ON machine (gpu);
CREATE INDEX price_found ON price (machine, offered, per_gpu, listing, place, region);
"""
_side_by_side = itemgetter("cloud", "instance_type", "region", "zone", "purchase")
_thing = itemgetter("cloud", "region", "instance_type", "purchase", "zone")  # what is bought: one price is its offer


def fill(path: Path, data: Path, overlays: Path | None = None) -> None:
    """Write the tables into the empty file ``path``; the same files give the same bytes.

    Raises:
        ValueError: the files in ``data`` contradict each other. Overlays are never the reason: they are passed over.
    """
    files = shipped_files(data)
    tables = {name: _read(path) for name, path in zip(FILES, files, strict=True)}
    texts = {row["source_id"]: row["source"] for row in tables["sources.csv"]}
    for name in ("instances.csv", "prices.csv"):
        for row in tables[name]:
            row["source"] = texts[row["source_id"]]
    instances = tables["instances.csv"]
    over = read_overlays(overlays, ((row["cloud"], row["instance_type"]) for row in instances))
    specialists, their_prices = specialist_rows(tables["specialists.csv"])
    listed = prices_in_force(tables["prices.csv"], over.prices)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        # Nobody reads the file yet and a crash leaves only a file to throw away: no journal, no waiting.
        database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + TABLES)
        database.execute("BEGIN")
        _add_machines(database, machines_in_force(instances, over.machines), specialists)
        _add_places(database, tables["regions.csv"])
        _add_prices(database, [*listed, *their_prices], over.own)
        _add_tariffs(database, tables["tariffs.csv"])
        meta = {"date": max(row["as_of"] for row in listed if len(row["as_of"]) == 10),
                "fingerprint": _fingerprint(files + overlay_files(overlays))}  # fmt: skip
        database.executemany("INSERT INTO meta VALUES (?, ?)", sorted(meta.items()))
        database.executemany("INSERT INTO passed_over VALUES (?, ?)", over.passed_over)
        database.execute("COMMIT")
        database.executescript(INDEXES + "ANALYZE; VACUUM;")


def offered_first(payment: str, price_per_hour: str) -> tuple[bool, float]:
    """Sort key of the ways to pay one thing: the first becomes the offer.

    Nothing up front and monthly payment come first, because only they leave the money where it is; else the lowest.
    """
    return not payment.startswith(("no upfront", "monthly")), float(price_per_hour)


def _add_machines(database: sqlite3.Connection, clouds: list[Row], specialists: list[Row]) -> None:
    links = family_links(clouds)
    rows = [("cloud", row) for row in clouds] + [("specialist", row) for row in specialists]
    values = [
        machine_row(number, tier, row, links.get(family_of(row), frozenset()))
        for number, (tier, row) in enumerate(rows, start=1)
    ]
    marks = ", ".join("?" * len(values[0]))
    database.executemany(f"INSERT INTO machine VALUES ({marks})", values)  # noqa: S608


def _add_prices(database: sqlite3.Connection, listed: list[Row], own: list[Row]) -> None:
    """Ids rise with type, place and way of buying, so that a search can order equals by them."""
    _note_what_own_replaces(own, listed)
    rows = sorted(own + listed, key=_side_by_side)
    offered, negotiated = _offered(listed, own), {id(row) for row in own}
    machines = {
        (cloud, instance_type): (number, float(gpus) if gpus else None)
        for number, cloud, instance_type, gpus in database.execute("SELECT id, cloud, instance_type, gpus FROM machine")
    }
    places = {(cloud, region): number for number, cloud, region in database.execute(
        "SELECT id, cloud, region FROM place")}  # fmt: skip
    listings = _numbered(database, "listing", ((row["currency"], row["purchase"], row["as_of"]) for row in rows))
    sources = _numbered(database, "source", ((row["source"],) for row in rows))

    def value(number: int, row: Row) -> tuple[object, ...]:
        machine = machines.get((row["cloud"], row["instance_type"]))
        if machine is None:
            raise ValueError(f"a price for {row['cloud']} {row['instance_type']}, which is not in instances.csv")
        per_gpu = float(row["price_per_hour"]) / machine[1] if machine[1] else None
        return (
            number, machine[0], listings[row["currency"], row["purchase"], row["as_of"]],
            places.get((row["cloud"], row["region"])), row["region"], row["zone"] or None, row["payment"] or None,
            row["price_per_hour"], per_gpu, sources[row["source"],], row.get("note") or None, id(row) in negotiated,
            id(row) in offered,
        )  # fmt: skip

    database.executemany(
        "INSERT INTO price VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (value(number, row) for number, row in enumerate(rows, start=1)),
    )


def _numbered(
    database: sqlite3.Connection, table: str, values: Iterable[tuple[str, ...]]
) -> dict[tuple[str, ...], int]:
    """The distinct values, stored in ``table`` under numbers from 1."""
    numbers = {value: number for number, value in enumerate(sorted(set(values)), start=1)}
    marks = ", ?" * len(next(iter(numbers), ()))
    database.executemany(
        f"INSERT INTO {table} VALUES (?{marks})",  # noqa: S608
        [(number, *value) for value, number in numbers.items()],
    )
    return numbers


def _offered(listed: list[Row], own: list[Row]) -> set[int]:
    """Identities of the rows that become offers: one way to pay each thing, and one's own price before any list's.

    An own price without a zone holds in every zone of the region.
    """
    best: dict[tuple[str, ...], Row] = {}
    for row in listed:
        rival = best.setdefault(_thing(row), row)
        if offered_first(row["payment"], row["price_per_hour"]) < offered_first(
            rival["payment"], rival["price_per_hour"]
        ):
            best[_thing(row)] = row
    mine = {_thing(row): row for row in own}
    kept = {key: row for key, row in best.items() if key not in mine and (*key[:-1], "") not in mine}
    return {id(row) for row in (*kept.values(), *mine.values())}


def _note_what_own_replaces(own: list[Row], listed: list[Row]) -> None:
    """Write the lowest list price of the same thing into the note of an own one, so that both stay visible."""
    wanted = {_thing(row)[:-1] for row in own}
    lists: dict[tuple[str, ...], Row] = {}
    for row in listed:
        if (key := _thing(row)[:-1]) in wanted:
            lists[key] = min(row, lists.get(key, row), key=lambda each: float(each["price_per_hour"]))
    for row in own:
        if replaced := lists.get(_thing(row)[:-1]):
            told = f"list {replaced['price_per_hour']} {replaced['currency']} of {replaced['as_of']}"
            row["note"] = f"{row['note']}; {told}" if row["note"] else told


def _add_places(database: sqlite3.Connection, rows: list[Row]) -> None:
    texts = ("cloud", "region", "name", "name_zh", "country", "city")
    numbers = ("lat", "lon", "carbon_gco2_per_kwh", "cfe_percent")
    database.executemany(
        "INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(id_, *(row[name] or None for name in texts), *(float(row[name]) if row[name] else None for name in numbers),
          row["source"]) for id_, row in enumerate(rows, start=1)],
    )  # fmt: skip


def _add_tariffs(database: sqlite3.Connection, rows: list[Row]) -> None:
    names = ("cloud", "kind", "region", "tier", "unit", "tier_text", "price", "currency", "trust", "as_of", "source")
    database.executemany(
        "INSERT INTO tariff VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [tuple(row[name] or None for name in names) for row in rows],
    )


def _fingerprint(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(_content(path))
    return digest.hexdigest()


def _read(path: Path) -> list[Row]:
    return list(csv.DictReader(io.StringIO(_content(path).decode(), newline="")))


def _content(path: Path) -> bytes:
    """The bytes of a table, packed or not."""
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content
