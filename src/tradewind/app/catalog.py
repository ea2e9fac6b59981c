"""The catalog of this home, as answers: what a name means, GPUs, regions, what is held, one's own prices."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tradewind.app.asked import Step
from tradewind.app.clock import SystemClock
from tradewind.app.market import catalog_of, rates_of, state
from tradewind.app.overlays import keep
from tradewind.app.queries import CompareQuery
from tradewind.app.settings import Settings
from tradewind.app.views.values import instant
from tradewind.catalog import places
from tradewind.catalog.families import machines
from tradewind.catalog.refresh import current
from tradewind.catalog.search import coverage
from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.errors import BadInput

Answer = dict[str, Any]
_NAME = re.compile(r"^[\w.-]{1,60}$")


class HomeCatalog:
    """The port ``Catalog`` over the shipped data and what this home lays over it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def show(self, name: str) -> Answer:
        """All that is known of a family, a machine or a GPU."""
        from tradewind.app.views.catalog import shown

        return shown(catalog_of(self._settings), name, SystemClock().now().date())

    def gpus(self, names: tuple[str, ...]) -> list[Answer]:
        """Data sheets, of all GPUs when none is named."""
        from tradewind.app.views.catalog import sheets

        return sheets(names)

    def regions(self, clouds: tuple[str, ...], near: str | None) -> list[Answer]:
        """Regions, the nearest first when a place is named."""
        from tradewind.app.views.catalog import regions

        snapshot = catalog_of(self._settings)
        wanted = [places.require_cloud(snapshot, each) for each in clouds] or list(places.clouds(snapshot))
        point = places.locate(snapshot, near) if near else None
        return regions(snapshot, wanted, point, SystemClock().now().date())

    def compare(self, query: CompareQuery) -> Answer:
        """Machines side by side, and renting them against buying."""
        from tradewind.app.views.compared import compared

        return compared(catalog_of(self._settings), query, SystemClock().now().date(), rates_of(self._settings))

    def held(self) -> Answer:
        """What answers come from, and how old it is."""
        snapshot, folder = catalog_of(self._settings), self._settings.catalog
        return {
            "snapshot": {"date": snapshot.date, "fingerprint": snapshot.fingerprint, **asdict(coverage(snapshot))},
            "clouds": [self._cloud(snapshot, each) for each in places.clouds(snapshot)],
            "own": [
                {"name": path.stem, "prices": _lines(path), "path": str(path), "added_at": _written(path)}
                for path in sorted((folder / "own").glob("*.csv"))
            ],
            **state(snapshot, SystemClock().now().date()),
        }  # fmt: skip

    def _cloud(self, snapshot: Snapshot, cloud: str) -> Answer:
        prices = current(snapshot, cloud)
        return {
            "cloud": cloud, "machines": sum(each.cloud == cloud for each in machines(snapshot)), "prices": len(prices),
            "newest": max((each.as_of for each in prices), default=None),
            "refreshed_at": _written(self._settings.catalog / "refreshed" / f"{cloud}.prices.csv"),
        }  # fmt: skip

    def add(self, path: Path, name: str | None) -> Answer:
        """Have the prices of a file in the catalog, all of them or none."""
        from tradewind.catalog.own import own_csv, parse_own

        called = path.stem if name is None else name
        if not _NAME.match(called):
            raise BadInput("own-name-unusable", name=called)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise BadInput("own-file-unreadable", path=path, cause=error.strerror) from None
        prices = parse_own(content, str(path), catalog_of(self._settings), SystemClock().now().date())
        kept = self._settings.catalog / "own" / f"{called}.csv"
        replaced = kept.exists()
        keep(kept, own_csv(prices))
        return {"name": called, "path": str(kept), "prices": len(prices), "replaced": replaced}

    def rates(self, refresh: bool) -> list[Answer]:
        """The rates in force, those that win first; with ``refresh`` today's are asked for and kept."""
        from tradewind.app.exchange import asked_for, in_force

        if refresh:
            from tradewind.clouds.ecb.rates import connect

            asked_for(self._settings, connect())
        return in_force(self._settings)

    def refresh(self, clouds: tuple[str, ...], tell: Callable[[Step], None]) -> list[Answer]:
        """Ask the clouds for their prices and machines."""
        from tradewind.app.price_sources import SOURCES, connect
        from tradewind.app.refresh import Refresher

        snapshot = catalog_of(self._settings)
        wanted = dict.fromkeys(places.require_cloud(snapshot, each) for each in clouds) or SOURCES
        refresher = Refresher(self._settings, SystemClock(), random.random, tell)
        return refresher.refresh(wanted, lambda cloud: connect(cloud, self._settings.sites))


def _written(path: Path) -> str | None:
    """When a file was written; null when there is none."""
    try:
        return instant(datetime.fromtimestamp(path.stat().st_mtime, UTC))
    except FileNotFoundError:
        return None


def _lines(path: Path) -> int:
    return max(0, len(path.read_text(encoding="utf-8", errors="replace").splitlines()) - 1)
