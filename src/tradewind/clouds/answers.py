"""Reading what a cloud answered: values by path, rows with the odd ones told apart, time by the answer's own date."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from tradewind.ports.compute import CloudFault

Told = TypeVar("Told")
Read = TypeVar("Read")
_TOO_MUCH = Decimal(10) ** 15  # nothing that a cloud sells costs or holds as much, and no sum of less loses a digit


class Odd(Exception):
    """Something is not of the shape that the cloud publishes; the words say what."""


@contextmanager
def published(interface: str) -> Iterator[None]:
    """Within this block something odd is no single row but the answer itself.

    Raises:
        CloudFault: ``invalid``, with the interface and what was missing.
    """
    try:
        yield
    except Odd as odd:
        raise CloudFault("invalid", f"{interface}: {odd}", sent="yes") from odd


def pick(told: object, *path: str) -> Any:
    """What lies in ``told`` along ``path``.

    Raises:
        Odd: a step is missing or null.
    """
    for depth, step in enumerate(path, 1):
        if not isinstance(told, Mapping) or told.get(step) is None:
            raise Odd(f"{'.'.join(path[:depth])} is missing")
        told = told[step]
    return told


def text(told: object, *path: str) -> str:
    """The text along ``path``, never empty.

    Raises:
        Odd: missing, empty, or something else.
    """
    value = pick(told, *path)
    if not isinstance(value, str) or not value:
        raise Odd(f"{'.'.join(path)} is {value!r}, not text")
    return value


def listed(told: object, *path: str) -> list[Any]:
    """The list along ``path``, perhaps empty.

    Raises:
        Odd: missing, or something else.
    """
    value = pick(told, *path)
    if not isinstance(value, list):
        raise Odd(f"{'.'.join(path)} is no list")
    return value


def filled(rows: list[Any], cursor: str | None) -> list[Any]:
    """``rows`` of a list that cannot be empty: its first page has some.

    Raises:
        Odd: it has none: the words by which was asked mean something else by now.
    """
    if cursor is None and not rows:
        raise Odd("the list is empty")
    return rows


def named(told: object, *path: str) -> Mapping[str, Any]:
    """The object along ``path``, perhaps empty.

    Raises:
        Odd: missing, or something else.
    """
    value = pick(told, *path)
    if not isinstance(value, Mapping):
        raise Odd(f"{'.'.join(path) or repr(value)[:40]} is no object")
    return value


def whole(told: object, *path: str) -> int:
    """The whole number along ``path``, zero or more.

    Raises:
        Odd: missing, or something else.
    """
    number = amount(told, *path)
    if number != int(number):
        raise Odd(f"{'.'.join(path)} is {number}, not a whole number")
    return int(number)


def amount(told: object, *path: str) -> Decimal:
    """The number along ``path``, zero or more, as it is written.

    Raises:
        Odd: missing, negative, no number, or beyond anything that is sold.
    """
    value = pick(told, *path)
    try:
        number = None if isinstance(value, bool) else Decimal(str(value))
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite() or not 0 <= number < _TOO_MUCH:
        raise Odd(f"{'.'.join(path)} is {value!r}, not an amount")
    return number


def price(value: Decimal) -> Decimal:
    """A price per hour to a millionth, without zeros at its end.

    Raises:
        Odd: it is zero: clouds write that for what they do not sell; or beyond anything that is sold.
    """
    if value >= _TOO_MUCH:
        raise Odd(f"the price is {value:.3e}")
    kept = round(value, 6)
    if not kept:
        raise Odd("the price is 0")
    return kept.to_integral_value() if kept == kept.to_integral_value() else kept.normalize()


def read_rows(
    told: Sequence[Told], read: Callable[[Told], Iterable[Read]], name: Callable[[Told], str]
) -> tuple[tuple[Read, ...], tuple[str, ...]]:
    """What the rows say, and the names of the odd ones with why.

    Raises:
        Odd: of four or more rows that are ours, more than half are odd: the shape has changed, and the rest is not to
            be believed. A row that says nothing to us (another kind of machine) is not counted.
    """
    values: list[Read] = []
    skipped: list[str] = []
    ours = 0
    for row in told:
        try:
            said = list(read(row))
        except Odd as odd:
            skipped.append(f"{name(row)}: {odd}")
        else:
            values += said
            ours += bool(said)
    if len(skipped) + ours >= 4 and len(skipped) > ours:
        raise Odd(f"{len(skipped)} of {len(skipped) + ours} rows are odd, the first {skipped[0]}")
    return tuple(values), tuple(skipped)


def next_cursor(asked: str | None, told: object) -> str | None:
    """The cursor of the next page; None at the end, which clouds tell by leaving it out, or empty.

    Raises:
        Odd: it is the one that was asked with, so that the pages would never end; or neither text nor a number.
    """
    if not told:
        return None
    if isinstance(told, bool) or not isinstance(told, str | int):
        raise Odd(f"the next page is {told!r}")
    following = str(told)
    if following == asked:
        raise Odd(f"the page after {asked!r} is itself")
    return following


def answered_at(headers: Mapping[str, str]) -> datetime:
    """When the answer was given, by the cloud's clock. Header names are in lower case.

    Raises:
        Odd: no date, or none that can be read.
    """
    at = _http_date(headers.get("date", ""))
    if at is None:
        raise Odd(f"the header Date is {headers.get('date')!r}")
    return at


def wait_s(headers: Mapping[str, str]) -> float | None:
    """Seconds that the header Retry-After asks for; None without one that can be read.

    It is a number, or a date: that counts from the answer's own date, so a wrong clock on this side does no harm.
    """
    told = headers.get("retry-after", "").strip()
    if told.isdigit():
        return float(told)
    until, at = _http_date(told), _http_date(headers.get("date", ""))
    return max(0.0, (until - at).total_seconds()) if until and at else None


def _http_date(words: str) -> datetime | None:
    try:
        at = parsedate_to_datetime(words)
    except ValueError:
        return None
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
