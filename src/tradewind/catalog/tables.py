"""The tables of a snapshot, filled from the CSV files.

instances ─▶ canonical GPU, form ─▶ machine
prices ─▶ which way to pay becomes the offer ─▶ price
regions ─▶ place        sources ─▶ source        tariffs ─▶ tariff
"""

from __future__ import annotations

import csv
import hashlib
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from tradewind.catalog.forms import form_of
from tradewind.catalog.parts import FILES
from tradewind.domain.gpus import resolve

Row = dict[str, str]

# machine.gpus is NULL where the source does not say how many GPUs, or what share, a type has.
TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE machine (
    id INTEGER PRIMARY KEY, cloud TEXT NOT NULL, instance_type TEXT NOT NULL, gpu TEXT NOT NULL,
    gpu_known INTEGER NOT NULL, form TEXT, gpus TEXT, gpu_memory_gib REAL, cpus INTEGER, memory_gib REAL,
    network_gbps REAL, rdma TEXT, nvlink TEXT, local_nvme_gb REAL, arch TEXT NOT NULL, notes TEXT, source TEXT NOT NULL,
    UNIQUE (cloud, instance_type));
CREATE TABLE price (
    machine INTEGER NOT NULL REFERENCES machine (id), region TEXT NOT NULL, zone TEXT, purchase TEXT NOT NULL,
    payment TEXT, currency TEXT NOT NULL, price_per_hour TEXT NOT NULL, as_of TEXT NOT NULL,
    source INTEGER NOT NULL REFERENCES source (id), note TEXT, offered INTEGER NOT NULL);
CREATE TABLE place (
    cloud TEXT NOT NULL, region TEXT NOT NULL, name TEXT, name_zh TEXT, country TEXT, city TEXT,
    carbon_g_per_kwh REAL, carbon_free_percent REAL, source TEXT NOT NULL, PRIMARY KEY (cloud, region)) WITHOUT ROWID;
CREATE TABLE source (id INTEGER PRIMARY KEY, source TEXT NOT NULL);
CREATE TABLE tariff (
    cloud TEXT NOT NULL, kind TEXT NOT NULL, region TEXT NOT NULL, tier INTEGER NOT NULL, unit TEXT NOT NULL,
    tier_text TEXT, price TEXT NOT NULL, currency TEXT NOT NULL, trust TEXT NOT NULL, as_of TEXT, source TEXT NOT NULL,
    PRIMARY KEY (cloud, kind, region, tier)) WITHOUT ROWID;
"""
INDEXES = """
CREATE INDEX machine_gpu ON machine (gpu);
CREATE INDEX price_offered ON price (machine) WHERE offered;
"""


def fill(path: Path, data: Path) -> None:
    """Write the tables of the CSV files in ``data`` into the empty file ``path``; the same files give the same bytes.

    Raises:
        ValueError: the CSV files contradict each other.
    """
    tables = {name: _read(data / name) for name in FILES}
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        # Nobody reads the file yet and a crash leaves only a file to throw away: no journal, no waiting.
        database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + TABLES)
        database.execute("BEGIN")
        machines = _add_machines(database, tables["instances.csv"], _texts(tables["sources.csv"]))
        _add_prices(database, tables["prices.csv"], machines, _add_sources(database, tables["sources.csv"]))
        _add_places(database, tables["regions.csv"])
        _add_tariffs(database, tables["tariffs.csv"])
        meta = {"date": max(row["as_of"] for row in tables["prices.csv"] if len(row["as_of"]) == 10),
                "fingerprint": _fingerprint(data)}  # fmt: skip
        database.executemany("INSERT INTO meta VALUES (?, ?)", sorted(meta.items()))
        database.execute("COMMIT")
        database.executescript(INDEXES + "ANALYZE; VACUUM;")


def offered_first(payment: str, price_per_hour: str) -> tuple[bool, float]:
    """Sort key of the ways to pay one thing: the first becomes the offer.

    Nothing up front and monthly payment come first, because only they leave the money where it is; else the lowest.
    """
    return not payment.startswith(("no upfront", "monthly")), float(price_per_hour)


def _add_machines(
    database: sqlite3.Connection, rows: list[Row], texts: Mapping[str, str]
) -> dict[tuple[str, str], int]:
    ids: dict[tuple[str, str], int] = {}
    families = _families(rows)
    for number, row in enumerate(rows, start=1):
        ids[row["cloud"], row["instance_type"]] = number
        found = resolve(row["gpu_model"])
        form = form_of(found[0], row, families[_family(row)]) if found else None
        database.execute(
            "INSERT INTO machine VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (number, row["cloud"], row["instance_type"], found[0] if found else row["gpu_model"], found is not None,
             form, row["gpu_count"] or None, *_numbers(row, "gpu_memory_gib_each"), _whole(row["vcpus"]),
             *_numbers(row, "memory_gib", "network_gbps"), row["rdma"] or None, row["nvlink"] or None,
             *_numbers(row, "local_nvme_gb"), row["arch"], row["notes"] or None, texts[row["source_id"]]),
        )  # fmt: skip
    return ids


def _add_prices(
    database: sqlite3.Connection,
    rows: list[Row],
    machines: Mapping[tuple[str, str], int],
    sources: Mapping[str, int],
) -> None:
    offered = _offered(rows)
    for index, row in enumerate(rows):
        machine = machines.get((row["cloud"], row["instance_type"]))
        if machine is None:
            raise ValueError(f"a price for {row['cloud']} {row['instance_type']}, which is not in instances.csv")
        database.execute(
            "INSERT INTO price VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (machine, row["region"], row["zone"] or None, row["purchase"], row["payment"] or None, row["currency"],
             row["price_per_hour"], row["as_of"], sources[row["source_id"]], row["note"] or None, index in offered),
        )  # fmt: skip


def _offered(rows: list[Row]) -> set[int]:
    """Positions of the rows that become offers: of each way to buy a machine in a zone, one way to pay."""
    best: dict[tuple[str, ...], int] = {}
    for index, row in enumerate(rows):
        key = tuple(row[name] for name in ("cloud", "region", "zone", "instance_type", "purchase"))
        rival = rows[best.setdefault(key, index)]
        if offered_first(row["payment"], row["price_per_hour"]) < offered_first(
            rival["payment"], rival["price_per_hour"]
        ):
            best[key] = index
    return set(best.values())


def _add_sources(database: sqlite3.Connection, rows: list[Row]) -> dict[str, int]:
    ids = {row["source_id"]: number for number, row in enumerate(rows, start=1)}
    database.executemany("INSERT INTO source VALUES (?, ?)", [(ids[row["source_id"]], row["source"]) for row in rows])
    return ids


def _add_places(database: sqlite3.Connection, rows: list[Row]) -> None:
    texts = ("cloud", "region", "name", "name_zh", "country", "city")
    database.executemany(
        "INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(*(row[name] or None for name in texts), *_numbers(row, "carbon_gco2_per_kwh", "cfe_percent"), row["source"])
         for row in rows],
    )  # fmt: skip


def _add_tariffs(database: sqlite3.Connection, rows: list[Row]) -> None:
    names = ("cloud", "kind", "region", "tier", "unit", "tier_text", "price", "currency", "trust", "as_of", "source")
    database.executemany(
        "INSERT INTO tariff VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [tuple(row[name] or None for name in names) for row in rows],
    )


def _family(row: Row) -> tuple[str, str, str]:
    return row["cloud"], row["family"] or row["instance_type"], row["gpu_model"]


def _families(rows: Iterable[Row]) -> dict[tuple[str, str, str], frozenset[str]]:
    """The kinds of GPU link that the types of one family have, by family."""
    kinds: dict[tuple[str, str, str], frozenset[str]] = {}
    for row in rows:
        kinds[_family(row)] = kinds.get(_family(row), frozenset()) | {row["nvlink"].split(" ")[0]}
    return kinds


def _texts(rows: Iterable[Row]) -> dict[str, str]:
    return {row["source_id"]: row["source"] for row in rows}


def _numbers(row: Row, *names: str) -> tuple[float | None, ...]:
    return tuple(float(row[name]) if row[name] else None for name in names)


def _whole(text: str) -> int | None:
    return int(float(text)) if text else None


def _fingerprint(data: Path) -> str:
    digest = hashlib.sha256()
    for name in FILES:
        digest.update((data / name).read_bytes())
    return digest.hexdigest()


def _read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))
