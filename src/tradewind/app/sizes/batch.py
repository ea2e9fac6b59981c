"""Many questions at once: one JSON object a line in, one answer a line out, in the same order.

    lines ─▶ rows ─▶ groups of one model and shape ─▶ workers (one trace each at a time) ─▶ answers in order

The keys of a row are the flags of ``size`` with ``_``. A row that cannot be answered is answered with its error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from typing import Any

from tradewind.app.queries import SizeOverrides
from tradewind.app.sizes import flags
from tradewind.domain.errors import BadInput, TradewindError, Where
from tradewind.domain.workload import Workload

LINE_BYTES = 100_000
TOLD = ("fits", "rejected", "storage", "trace_seconds", "limits", "assumptions", "explain", "needs", "machines")
Size = Callable[[Workload, SizeOverrides], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Row:
    """A line that was read, by its number from 1; or the fault that it cannot be read for."""

    line: int
    question: tuple[Workload, SizeOverrides] | BadInput


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to the row on ``line``: fields of the ``size`` answer, or what went wrong."""

    line: int
    answer: dict[str, Any] | None = None
    fault: TradewindError | None = None


def answers(lines: Iterable[str], file: str, size: Size, workers: int) -> Iterator[Answered]:
    """Answers in the order of the lines, each as soon as all before it are there; empty lines have none."""
    rows = [_row(number, line, file) for number, line in enumerate(lines, 1) if line.strip()]
    handed: dict[int, Future[list[Answered]]] = {}
    pool = ThreadPoolExecutor(workers, "size")
    try:
        for group in _grouped(rows):
            future = pool.submit(_answer_all, group, size, file)
            handed |= dict.fromkeys((row.line for row in group), future)
        for row in rows:
            yield next(each for each in handed[row.line].result() if each.line == row.line)
    finally:  # where nobody reads on, what has not begun need not
        pool.shutdown(wait=False, cancel_futures=True)


def _row(number: int, line: str, file: str) -> Row:
    where = Where(file, number)
    try:
        if len(line) > LINE_BYTES:
            raise BadInput("row-unreadable", where=where, why=f"> {LINE_BYTES} B")
        given = json.loads(line)
        if not isinstance(given, dict):
            raise BadInput("row-not-object", where=where)
        if given.get("model") is None:
            raise BadInput("key-missing", where=where, key="model")
        return Row(number, flags.asked(given, name=str))
    except ValueError as fault:
        return Row(number, BadInput("row-unreadable", where=where, why=fault))
    except BadInput as fault:
        fault.where = where
        return Row(number, fault)


def _grouped(rows: Iterable[Row]) -> Iterable[list[Row]]:
    """Rows about one model in one shape, which share a trace, together; groups in the order of their first rows."""
    groups: dict[object, list[Row]] = {}
    for row in rows:
        key: object = row.line
        if not isinstance(row.question, BadInput):
            workload = row.question[0]
            of = workload.training
            key = (workload.model, of.task, of.precision, of.image_size, of.sequence, of.classes, of.attention,
                   of.adapter)  # fmt: skip
        groups.setdefault(key, []).append(row)
    return groups.values()


def _answer_all(rows: list[Row], size: Size, file: str) -> list[Answered]:
    return [_answer(row, size, file) for row in rows]


def _answer(row: Row, size: Size, file: str) -> Answered:
    if isinstance(row.question, BadInput):
        return Answered(row.line, fault=row.question)
    try:
        told = size(*row.question)
    except TradewindError as shared:
        fault = copy(shared)  # rows about one model that cannot be traced share the fault, each has its line
        fault.where = shared.where or Where(file, row.line)
        return Answered(row.line, fault=fault)
    except Exception as bug:  # noqa: BLE001  the other rows have their answers
        where = Where(file, row.line)
        return Answered(row.line, fault=TradewindError("row-crashed", where=where, kind=type(bug).__name__, text=bug))
    return Answered(row.line, {key: told[key] for key in TOLD if told.get(key) is not None or key in TOLD[:3]})
