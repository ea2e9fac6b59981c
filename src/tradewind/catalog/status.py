"""How far a listed price can be believed, by the age of its date."""

from __future__ import annotations

import re
from datetime import date

from tradewind.domain.offer import PriceStatus

FRESH_DAYS = 30  # the three limits are those of the contract "offers, catalog"
DATED_MONTHS = 12
OLD_MONTHS = 36

_AS_OF = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)


def price_status(as_of: str | None, today: date) -> PriceStatus:
    """The status of a price listed on ``as_of`` (``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD``), seen on ``today``.

    The age counts from the first day of what is known. A date in the future is only dated: whoever wrote it, or this
    computer's clock, is wrong. What is no date makes the price unknown.
    """
    listed = first_day(as_of)
    if listed is None:
        return PriceStatus.UNKNOWN
    if listed > today:
        return PriceStatus.DATED
    if (today - listed).days <= FRESH_DAYS:
        return PriceStatus.FRESH
    if today <= _months_after(listed, DATED_MONTHS):
        return PriceStatus.DATED
    return PriceStatus.OLD if today <= _months_after(listed, OLD_MONTHS) else PriceStatus.EXPIRED


def first_day(as_of: str | None) -> date | None:
    """The first day of a date as known; None for what is no date."""
    match = _AS_OF.fullmatch(as_of or "")
    if not match:
        return None
    year, month, day = match.groups(default="01")
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _months_after(day: date, months: int) -> date:
    """The same day of a later month; of a shorter month, its last day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if year > date.max.year:
        return date.max
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month + 1, min(day.day, last))
        except ValueError:
            continue
    raise AssertionError("every month has 28 days")
