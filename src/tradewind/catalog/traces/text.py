"""Traces as CSV: a row where something changes, below comments that say what was measured.

    # tick_seconds: 300
    # ticks: 3247
    # nodes: 16
    zone,tick,available,spot_price,od_price
    us-east-2b,0,1,0.918,3.06
    us-east-2b,14,0,,

``available`` is 1 or 0 from that tick on; an empty price is the one before. Rows of one zone stand in order, the first
at tick 0. ``tick_seconds`` and the first three columns are needed; ``ticks`` is one more than the last row's unless
given; a price that is nowhere given is not known. More comments: ``nodes``, ``gpu``, ``start``, ``source``,
``licence``.
"""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass, field
from pathlib import Path

from tradewind.domain.errors import BadInput, Where
from tradewind.domain.trace import SpotTrace

COLUMNS = ("zone", "tick", "available", "spot_price", "od_price")
NEEDED = COLUMNS[:3]
MOST_FAULTS = 20  # told of one file; all are counted
MOST_TICKS = 5_000_000  # in all zones: 27 years of ten zones at 30 minutes

Head = dict[str, tuple[int, str]]  # key → line and text


def from_csv(content: bytes, path: Path) -> SpotTrace:
    """The trace in the text of a file.

    Raises:
        BadInput: ``trace-file-not-text`` (file), or ``trace-file-faulty`` (file, count) with faults and their lines.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise BadInput("trace-file-not-text", where=Where(str(path), line), file=path) from None
    reading = _Reading(str(path))
    trace = reading.trace(text, path.stem)
    if trace is None or reading.faults:
        told = tuple(reading.faults[:MOST_FAULTS])
        where = Where(str(path))
        raise BadInput("trace-file-faulty", where=where, faults=told, file=path, count=len(reading.faults))
    return trace


@dataclass(slots=True)
class _Zone:
    """The changes of one zone: (tick, value), in order."""

    available: list[tuple[int, int]] = field(default_factory=list)
    spot_price: list[tuple[int, float]] = field(default_factory=list)
    od_price: float = math.nan
    last: int = -1


class _Reading:
    """A text being read; what is wrong with it is collected."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.faults: list[BadInput] = []
        self.zones: dict[str, _Zone] = {}

    def trace(self, text: str, name: str) -> SpotTrace | None:
        """The trace, or None when too little could be read."""
        head = self._rows(text)
        if not self.zones and not self.faults:
            self.faults.append(BadInput("trace-file-empty", where=Where(self.file)))
        tick_seconds, nodes = self._positive(head, "tick_seconds"), self._whole(head, "nodes", 1)
        ticks = self._whole(head, "ticks", 1 + max((zone.last for zone in self.zones.values()), default=0))
        if ticks * len(self.zones) > MOST_TICKS:
            self.faults.append(BadInput("trace-file-long", where=self._where(head, "ticks"), limit=MOST_TICKS))
        late = next((name for name, zone in self.zones.items() if zone.last >= ticks), None)
        if late is not None:
            self.faults.append(BadInput("trace-tick-late", where=self._where(head, "ticks"), zone=late, ticks=ticks))
        if self.faults:
            return None
        zones = self.zones.values()
        return SpotTrace(
            name, tuple(self.zones), tick_seconds, tuple(_spread(zone.available, ticks) for zone in zones),
            tuple(_prices(zone.spot_price, ticks) for zone in zones), tuple(zone.od_price for zone in zones), nodes,
            **{key: head.get(key, (0, ""))[1] for key in ("gpu", "start", "source", "licence")},
        )  # fmt: skip

    def _rows(self, text: str) -> Head:
        """Reads every row into its zone; the comments above are returned."""
        head: Head = {}
        header: list[str] | None = None
        for number, line in enumerate(text.splitlines(), start=1):
            if line.startswith("#"):
                key, _, value = line[1:].partition(":")
                head[key.strip()] = (number, value.strip())
            elif line.strip():
                cells = [cell.strip() for cell in next(csv.reader(io.StringIO(line)))]
                if header is None:
                    header = [cell.casefold() for cell in cells]
                    if not self._usable(header, number):
                        break
                elif len(cells) == len(header):
                    self._row(dict(zip(header, cells, strict=True)), number)
                else:
                    self.faults.append(
                        BadInput("trace-row-short", where=self._at(number), cells=len(cells), wanted=len(header))
                    )
        return head

    def _usable(self, header: list[str], line: int) -> bool:
        missing = [column for column in NEEDED if column not in header]
        for column in missing:
            self.faults.append(
                BadInput("trace-column-missing", where=self._at(line), column=column, known=", ".join(COLUMNS))
            )
        return not missing

    def _row(self, row: dict[str, str], line: int) -> None:
        zone = self.zones.setdefault(row["zone"], _Zone())
        least = zone.last + 1
        begun = zone.last >= 0 or self.faults  # a line that could not be read may have been the zone's first
        if not row["tick"].isdecimal() or not least <= int(row["tick"]) <= (MOST_TICKS if begun else least):
            self.faults.append(BadInput("trace-tick-wrong", where=self._at(line), text=row["tick"], zone=row["zone"]))
            return
        tick = zone.last = int(row["tick"])
        if row["available"] not in {"0", "1"}:
            self.faults.append(BadInput("trace-available-wrong", where=self._at(line), text=row["available"]))
            return
        zone.available.append((tick, int(row["available"])))
        if text := row.get("spot_price"):
            zone.spot_price.append((tick, self._price(text, line)))
        if text := row.get("od_price"):
            zone.od_price = self._price(text, line)

    def _price(self, text: str, line: int) -> float:
        price = _number(text)
        if price is None or price < 0:
            self.faults.append(BadInput("trace-price-wrong", where=self._at(line), text=text))
            return math.nan
        return price

    def _positive(self, head: Head, key: str) -> float:
        line, text = head.get(key, (0, ""))
        value = _number(text)
        if value is None or value <= 0:
            self.faults.append(BadInput("trace-comment-wrong", where=self._at(line or 1), key=key, text=text))
            return 1.0
        return value

    def _whole(self, head: Head, key: str, default: int) -> int:
        if key not in head:
            return default
        value = self._positive(head, key)
        if value != int(value):
            self.faults.append(
                BadInput("trace-comment-wrong", where=self._at(head[key][0]), key=key, text=head[key][1])
            )
        return max(1, int(value))

    def _where(self, head: Head, key: str) -> Where:
        return Where(self.file, head[key][0] if key in head else None)

    def _at(self, line: int) -> Where:
        return Where(self.file, line)


def _spread(changes: list[tuple[int, int]], ticks: int) -> bytes:
    """From changes to one byte a tick."""
    ends = [tick for tick, _ in changes[1:]] + [ticks]
    return b"".join(bytes([value]) * (end - tick) for (tick, value), end in zip(changes, ends, strict=True))


def _prices(changes: list[tuple[int, float]], ticks: int) -> tuple[float, ...]:
    """One price, or one a tick where it changes; before the first that is given, that one held as well."""
    if len(changes) <= 1:
        return (changes[0][1] if changes else math.nan,)
    ends = [tick for tick, _ in changes[1:]] + [ticks]
    starts = [0] + [tick for tick, _ in changes[1:]]
    spread = zip(starts, ends, changes, strict=True)
    return tuple(price for start, end, (_, price) in spread for _ in range(end - start))


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
