"""The status of a price is a function of two dates."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradewind.catalog.status import first_day, price_status
from tradewind.domain.offer import PriceStatus

DAYS = st.dates(date(2000, 1, 1), date(2100, 1, 1))
AGEING = [PriceStatus.FRESH, PriceStatus.DATED, PriceStatus.OLD, PriceStatus.EXPIRED]


@given(DAYS, st.integers(0, 5000), st.integers(0, 5000))
def test_a_price_never_gets_younger(listed: date, days: int, more: int) -> None:
    earlier = price_status(listed.isoformat(), listed + timedelta(days))
    later = price_status(listed.isoformat(), listed + timedelta(days + more))
    assert AGEING.index(earlier) <= AGEING.index(later)


@given(DAYS, st.integers(0, 5000))
def test_fresh_is_thirty_days(listed: date, days: int) -> None:
    assert (price_status(listed.isoformat(), listed + timedelta(days)) is PriceStatus.FRESH) == (days <= 30)


@given(DAYS, st.integers(1, 5000))
def test_the_future_is_dated(today: date, days: int) -> None:
    assert price_status((today + timedelta(days)).isoformat(), today) is PriceStatus.DATED


@given(DAYS, DAYS)
def test_a_coarser_date_counts_from_its_first_day(listed: date, today: date) -> None:
    assert price_status(f"{listed:%Y-%m}", today) is price_status(f"{listed:%Y-%m}-01", today)
    assert price_status(f"{listed:%Y}", today) is price_status(f"{listed:%Y}-01-01", today)


@pytest.mark.parametrize(
    ("as_of", "today", "status"),
    [
        ("2026-11-01", date(2026, 12, 1), PriceStatus.FRESH),
        ("2026-11-01", date(2026, 12, 2), PriceStatus.DATED),
        ("2025-11-21", date(2026, 11, 21), PriceStatus.DATED),
        ("2025-11-21", date(2026, 11, 22), PriceStatus.OLD),
        ("2024-02-29", date(2025, 2, 28), PriceStatus.DATED),
        ("2024-02-29", date(2025, 3, 1), PriceStatus.OLD),
        ("2023-11-21", date(2026, 11, 21), PriceStatus.OLD),
        ("2023-11-21", date(2026, 11, 22), PriceStatus.EXPIRED),
        ("2020", date(2026, 11, 21), PriceStatus.EXPIRED),
        ("2024-12", date(2026, 11, 21), PriceStatus.OLD),
    ],
)
def test_the_limits(as_of: str, today: date, status: PriceStatus) -> None:
    assert price_status(as_of, today) is status


@pytest.mark.parametrize(
    "text", [None, "", "soon", "2026-13", "2026-02-30", "26-01-01", "2026-1-1", "2026-01-01T00", "0000"]
)
def test_what_is_no_date_is_unknown(text: str | None) -> None:
    assert first_day(text) is None
    assert price_status(text, date(2026, 11, 21)) is PriceStatus.UNKNOWN


def test_the_end_of_the_calendar_is_no_error() -> None:
    assert price_status("9999-12-31", date.max) is PriceStatus.FRESH
    assert price_status("9998", date.max) is PriceStatus.OLD
