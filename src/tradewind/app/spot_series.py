"""What spot machines cost over time, as the clouds tell it: one CSV a cloud that only grows."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from tradewind.app.views.values import instant
from tradewind.domain.market import SpotPoint

COLUMNS = ("region", "zone", "instance_type", "at", "currency", "price_per_hour")
Key = tuple[str, str, str, str]  # region, zone, instance type, instant


class SpotSeries:
    """The points of one cloud. A line that a kill tore is cut off when the next ones are written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: set[Key] = set()
        self._newest: dict[str, datetime] = {}
        self._end = self._read()

    def newest(self, region: str) -> datetime | None:
        """When the newest point of a region was; None: there is none."""
        return self._newest.get(region)

    def add(self, points: Iterable[SpotPoint]) -> int:
        """How many of the points are new; they are on the disk when this returns."""
        new = [each for each in sorted(set(points), key=_order) if self._take_up(_key(each), each.at)]
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        if self._end == 0:
            lines.writerow(COLUMNS)
        lines.writerows((*_key(each), each.currency, each.price_per_hour) for each in new)
        self._append(text.getvalue().encode())
        return len(new)

    def _append(self, data: bytes) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            file.truncate(self._end)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        self._end += len(data)

    def _read(self) -> int:
        """Length of the whole lines, which are taken up."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return 0
        end = data.rfind(b"\n") + 1
        for region, zone, instance_type, at, *_ in list(csv.reader(io.StringIO(data[:end].decode())))[1:]:
            self._take_up((region, zone, instance_type, at), datetime.fromisoformat(at))
        return end

    def _take_up(self, key: Key, at: datetime) -> bool:
        if key in self._known:
            return False
        self._known.add(key)
        self._newest[key[0]] = max(at, self._newest.get(key[0], at))
        return True


def _key(point: SpotPoint) -> Key:
    return point.region, point.zone or "", point.instance_type, instant(point.at) or ""


def _order(point: SpotPoint) -> tuple[datetime, Key]:
    return point.at, _key(point)
