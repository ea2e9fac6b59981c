"""What is laid over the shipped catalog, under TRADEWIND_HOME/catalog: this room writes it, the catalog reads it.

refreshed/CLOUD.machines.csv, CLOUD.prices.csv   what a cloud told at the last refresh
own/NAME.csv                                     one's own or negotiated prices
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import TypeVar

from tradewind.catalog import refresh as judge
from tradewind.domain.errors import Unavailable
from tradewind.domain.market import ListedMachine, ListedPrice

T = TypeVar("T")


def lay_over(
    catalog: Path, cloud: str, machines: Iterable[ListedMachine], prices: Sequence[ListedPrice], day: date
) -> None:
    """Join what a cloud told on ``day`` with what it told before.

    Machines go first, since prices speak of them: a kill between leaves machines without a price, and no price without
    its machine.
    """
    folder = catalog / "refreshed"
    machines_file, prices_file = folder / f"{cloud}.machines.csv", folder / f"{cloud}.prices.csv"
    known = judge.merge_machines(_before(machines_file, judge.read_machines), machines)
    replace(machines_file, judge.machines_csv(known, f"{cloud}: its own inventory and price interfaces, {day}"))
    replace(prices_file, judge.prices_csv(judge.merge_prices(_before(prices_file, judge.read_prices), prices)))


def _before(path: Path, read: Callable[[str], tuple[T, ...]]) -> tuple[T, ...]:
    """What the last refresh left; nothing when there was none, or when its file is damaged."""
    try:
        return read(path.read_text("utf-8"))
    except (FileNotFoundError, ValueError, ArithmeticError):
        return ()


def keep(path: Path, text: str) -> None:
    """:func:`replace` for what a user asked for.

    Raises:
        Unavailable: ``catalog-not-kept`` (path, cause): the disk is full, or the home cannot be written.
    """
    try:
        replace(path, text)
    except OSError as error:
        raise Unavailable("catalog-not-kept", path=path, cause=error.strerror) from None


def replace(path: Path, text: str) -> None:
    """Have ``text`` in the file, or what was there before: never a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
