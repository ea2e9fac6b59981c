"""What a refresh was told so far, on disk page by page: one that was killed goes on from there."""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tradewind.app.views.values import instant
from tradewind.domain.errors import Unavailable
from tradewind.domain.market import ListedMachine, ListedPrice
from tradewind.domain.offer import Purchase
from tradewind.ports.prices import Page

FORMAT = 1
GOES_ON_FOR = timedelta(hours=24)  # older pages are asked for again, so that prices of different days do not mix


@dataclass
class Staged:
    """The pages of one refresh, by part."""

    parts: tuple[str, ...]
    pages: dict[str, list[Page]] = field(default_factory=dict)

    def add(self, part: str, page: Page) -> None:
        """Take up one more page of a part."""
        self.pages.setdefault(part, []).append(page)

    def cursor(self, part: str) -> str | None:
        """What to ask for the next page with; None: the part has not begun, or is whole."""
        return self.pages[part][-1].cursor if part in self.pages else None

    def whole(self, part: str) -> bool:
        """Whether the last page of a part is here."""
        return part in self.pages and self.cursor(part) is None

    @property
    def prices(self) -> tuple[ListedPrice, ...]:
        """Of the parts that are whole, since half a part would look as if the rest were gone; each once."""
        return tuple(dict.fromkeys(price for page in self._whole_pages() for price in page.prices))

    @property
    def machines(self) -> tuple[ListedMachine, ...]:
        """Of the parts that are whole."""
        return tuple(machine for page in self._whole_pages() for machine in page.machines)

    @property
    def skipped(self) -> tuple[str, ...]:
        """What was told and could not be understood, of the parts that are whole."""
        return tuple(name for page in self._whole_pages() for name in page.skipped)

    def _whole_pages(self) -> list[Page]:
        return [page for part in self.parts if self.whole(part) for page in self.pages[part]]


class Staging:
    """The file of one cloud. It is locked while open, so that two refreshes of a cloud do not write into each other.

    Lines of JSON: the parts first, then one page a line, each on the disk before the next is asked for. A line that a
    kill tore is cut off and its page asked for again.

    Raises:
        Unavailable: ``refresh-already-runs`` (cloud).
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise Unavailable("refresh-already-runs", cloud=path.stem) from None
        self._path = path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._file)

    def begun(self, now: datetime) -> Staged | None:
        """What an earlier refresh left; None when it ended, or began too long ago."""
        lines = self._whole_lines()
        if not lines:
            return None
        head = lines[0]
        age = now - datetime.fromisoformat(head.get("begun", "1970-01-01T00:00:00Z"))
        if head.get("format") != FORMAT or not timedelta(0) <= age < GOES_ON_FOR:
            return None
        staged = Staged(tuple(head["parts"]))
        for line in lines[1:]:
            staged.add(line["part"], _page(line))
        return staged

    def begin(self, parts: tuple[str, ...], now: datetime) -> Staged:
        """Nothing told yet, of these parts."""
        self.clear()
        self._append({"format": FORMAT, "begun": instant(now), "parts": parts})
        return Staged(parts)

    def keep(self, part: str, page: Page) -> None:
        """Have a page on the disk."""
        self._append({
            "part": part, "cursor": page.cursor, "machines": [asdict(each) for each in page.machines],
            "prices": [asdict(each) for each in page.prices], "skipped": page.skipped,
        })  # fmt: skip

    def clear(self) -> None:
        """The refresh has ended: the next one begins anew."""
        os.ftruncate(self._file, 0)

    def _append(self, value: dict[str, Any]) -> None:
        data = json.dumps(value, default=str, separators=(",", ":")).encode() + b"\n"
        while data:
            data = data[os.write(self._file, data) :]
        os.fsync(self._file)

    def _whole_lines(self) -> list[dict[str, Any]]:
        told: list[dict[str, Any]] = []
        end = 0
        for line in self._path.read_bytes().splitlines(keepends=True):
            try:
                value = json.loads(line)
            except ValueError:
                break
            if not line.endswith(b"\n"):
                break
            told.append(value)
            end += len(line)
        os.ftruncate(self._file, end)
        return told


def _page(line: dict[str, Any]) -> Page:
    return Page(
        tuple(_machine(each) for each in line["machines"]), tuple(_price(each) for each in line["prices"]),
        line["cursor"], tuple(line["skipped"]),
    )  # fmt: skip


def _machine(value: dict[str, Any]) -> ListedMachine:
    gpus = value["gpus"]
    return ListedMachine(**{**value, "gpus": None if gpus is None else Decimal(gpus)})


def _price(value: dict[str, Any]) -> ListedPrice:
    return ListedPrice(
        **{**value, "purchase": Purchase(value["purchase"]), "price_per_hour": Decimal(value["price_per_hour"])}
    )
