"""The catalog: warm questions over the snapshot and over ten times it, a build, and a refresh of 200,000 prices."""

from __future__ import annotations

import csv
import sqlite3
import statistics
import tempfile
from collections.abc import Callable
from contextlib import closing
from datetime import date
from decimal import Decimal
from pathlib import Path
from shutil import copytree

from measure import seconds_of, tell

from tradewind.catalog.families import machines
from tradewind.catalog.parts import DATA
from tradewind.catalog.query import Query
from tradewind.catalog.refresh import Changes, current, merge_prices, prices_csv, verdict
from tradewind.catalog.search import search
from tradewind.catalog.snapshot import Snapshot, open_snapshot
from tradewind.domain.market import ListedPrice
from tradewind.domain.money import Money
from tradewind.domain.offer import Purchase

TODAY = date(2026, 11, 21)
TIMES = 10  # how many snapshots' worth of prices a large one holds
ROUNDS = 25
REFRESHED = 200_000  # prices of one refresh
QUESTIONS = {
    "gpu": Query(gpu="T4"),
    "filtered": Query(min_gpu_memory_gib=40, max_price=Money(Decimal(50), "USD"), cuda="12", countries=("US", "DE"),
                      limit=20),
    "whole": Query(),
}  # fmt: skip


def main() -> None:
    """Print the lines; the baseline of a question is SQLite's own count of the rows that it looks through."""
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder:
        here = Path(folder)
        tell("catalog/build", "s", seconds_of(lambda: open_snapshot(here / "built")), None)
        snapshot = open_snapshot(here / "built")
        tell("catalog/snapshot", "MB", snapshot.path.stat().st_size / 1e6, 5.0)
        large = open_snapshot(here / "large", _larger(here / "data"))
        for name, query in QUESTIONS.items():
            whole = name == "whole"
            _ask(f"catalog/{name}", snapshot, query, None if whole else 10.0)
            _ask(f"catalog/{name}-x{TIMES}", large, query, None if whole else 30.0)
        _refresh(snapshot, here)


def _ask(name: str, snapshot: Snapshot, query: Query, bar: float | None) -> None:
    """The median of warm rounds: the process has asked before, as a server or a planner has."""
    found = len(search(snapshot, query, TODAY))
    taken = [seconds_of(lambda: search(snapshot, query, TODAY)) for _ in range(ROUNDS)]
    counting = [seconds_of(_count(snapshot)) for _ in range(ROUNDS)]
    tell(name, "ms", statistics.median(taken) * 1e3, bar, offers=found,
         baseline_ms=round(statistics.median(counting) * 1e3, 2))  # fmt: skip


def _count(snapshot: Snapshot) -> Callable[[], object]:
    def count() -> None:
        with closing(sqlite3.connect(snapshot.path)) as database:
            database.execute("SELECT SUM(per_gpu) FROM price JOIN machine ON machine.id = price.machine").fetchone()

    return count


def _refresh(snapshot: Snapshot, here: Path) -> None:
    """Merge, judge, write and build what a very large refresh told."""
    old = current(snapshot, "aws")
    types = [each.instance_type for each in machines(snapshot) if each.cloud == "aws"]
    told = old + tuple(
        ListedPrice("aws", f"region-{number // len(types)}", None, types[number % len(types)], Purchase.ON_DEMAND, None,
                    "USD", Decimal(1), "2026-11-20", "benchmark")
        for number in range(REFRESHED - len(old))
    )  # fmt: skip

    def refresh() -> None:
        if not isinstance(verdict(old, told), Changes):
            raise SystemExit("the refresh was refused: no figure")
        path = here / "overlays" / "refreshed" / "aws.prices.csv"
        path.parent.mkdir(parents=True)
        path.write_text(prices_csv(merge_prices((), told)), encoding="utf-8")
        if open_snapshot(here / "refreshed", overlays=here / "overlays").passed_over:
            raise SystemExit("the overlay was passed over: no figure")

    taken = seconds_of(refresh)
    tell("catalog/refresh", "prices/s", REFRESHED / taken, None, prices=REFRESHED, seconds=round(taken, 2))


def _larger(to: Path) -> Path:
    """Data with :data:`TIMES` as many prices: those that are there, and the same again in regions of other names."""
    copytree(DATA, to)
    for name in ("prices.csv", "regions.csv"):
        with (DATA / name).open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        with (to / name).open("w", encoding="utf-8", newline="") as lines:
            writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            for copy in range(TIMES):
                suffix = f"-{copy}" if copy else ""
                writer.writerows({**row, "region": row["region"] + suffix} for row in rows)
    return to


if __name__ == "__main__":
    main()
