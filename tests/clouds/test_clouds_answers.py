"""Reading answers: what is missing is named, odd rows are told apart, waits and days go by the cloud's own clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradewind.clouds.answers import (
    Odd,
    amount,
    answered_at,
    listed,
    named,
    next_cursor,
    pick,
    price,
    published,
    read_rows,
    text,
    wait_s,
    whole,
)
from tradewind.ports.compute import CloudFault

DATE = "Sat, 21 Nov 2026 08:00:00 GMT"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.decimals() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


def test_the_step_that_is_missing_is_named() -> None:
    with pytest.raises(Odd, match=r"^a\.b is missing$"):
        pick({"a": {"b": None}}, "a", "b", "c")


@given(JSON)
def test_whatever_was_told_is_read_or_odd(told: Any) -> None:
    for read, kind in ((text, str), (listed, list), (named, dict), (amount, Decimal), (whole, int)):
        try:
            assert isinstance(read(told, "a"), kind)
        except Odd as odd:
            assert "a" in str(odd)


@pytest.mark.parametrize(
    ("value", "number"), [("0.0310000000", "0.031"), (3, "3"), (0.1, "0.1"), (Decimal("1E+2"), "100"), ("0", "0")]
)
def test_an_amount_is_what_was_written(value: object, number: str) -> None:
    assert amount({"a": value}, "a") == Decimal(number)


@pytest.mark.parametrize(
    "value", [True, "", "NaN", float("inf"), "-0.01", -1, [], {}, "1,5", "3 USD", 1e30, "1e999999", 10**15]
)
def test_what_is_no_amount_is_odd(value: object) -> None:
    with pytest.raises(Odd):
        amount({"a": value}, "a")


def test_a_price_is_kept_to_a_millionth_and_zero_is_none() -> None:
    assert str(price(Decimal("13.92109412300"))) == "13.921094"
    assert str(price(Decimal("3.0000000"))) == "3"
    assert str(price(Decimal(110))) == "110"
    with pytest.raises(Odd):
        price(Decimal(0))


@pytest.mark.parametrize("value", ["1e30", "1e15", "Infinity"])
def test_an_absurd_price_is_odd(value: str) -> None:
    with pytest.raises(Odd, match="the price is"):
        price(Decimal(value))


@given(st.decimals(min_value=0, allow_nan=False, allow_infinity=False))
def test_whatever_a_price_is_it_is_kept_or_odd(value: Decimal) -> None:
    try:
        assert abs(price(value) - value) <= Decimal("0.000001")
    except Odd as odd:
        assert "the price is" in str(odd)


def read(row: Any) -> Iterator[str]:
    if row != "another kind":
        yield text(row, "a")


def test_odd_rows_are_named_and_the_others_kept() -> None:
    rows: list[Any] = [{"a": "x"}, {"b": 1}, {"a": "y"}, "another kind"]
    assert read_rows(rows, read, repr) == (("x", "y"), ("{'b': 1}: a is missing",))


def test_when_most_of_what_is_ours_is_odd_the_shape_has_changed() -> None:
    rows: list[Any] = [{"a": "x"}, {"b": 1}, {"b": 2}, {"b": 3}, *["another kind"] * 100]
    with pytest.raises(Odd, match="3 of 4 rows are odd"):
        read_rows(rows, read, repr)


@pytest.mark.parametrize("told", [None, ""])
def test_no_cursor_or_an_empty_one_is_the_end(told: str | None) -> None:
    assert next_cursor("before", told) is None


@pytest.mark.parametrize(("asked", "told"), [("before", "before"), ("50", 50)])
def test_a_cursor_that_does_not_move_is_odd(asked: str, told: object) -> None:
    assert next_cursor("somewhere else", told) == asked
    with pytest.raises(Odd, match="is itself"):
        next_cursor(asked, told)


@pytest.mark.parametrize("told", [True, [1], {"a": 1}, Decimal("1.5")])
def test_a_cursor_that_is_neither_text_nor_a_number_is_odd(told: object) -> None:
    with pytest.raises(Odd, match="the next page is"):
        next_cursor(None, told)


def test_something_odd_in_the_answer_itself_is_an_invalid_answer() -> None:
    with pytest.raises(CloudFault) as met, published("ListThings"):
        text({}, "things")
    assert (met.value.kind, met.value.words) == ("invalid", "ListThings: things is missing")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "Sat, 21 Nov 2026 08:01:30 GMT", "date": DATE}, 90.0),
        ({"retry-after": "Sat, 21 Nov 2026 07:00:00 GMT", "date": DATE}, 0.0),
        ({"retry-after": "Sat, 21 Nov 2026 08:01:30 GMT"}, None),
        ({"retry-after": "later", "date": DATE}, None),
        ({"retry-after": "-5"}, None),
        ({}, None),
    ],
)
def test_a_wait_is_seconds_or_until_a_date_by_the_clouds_clock(headers: dict[str, str], seconds: float | None) -> None:
    assert wait_s(headers) == seconds


def test_an_answer_without_a_date_is_odd() -> None:
    assert answered_at({"date": DATE}) == datetime(2026, 11, 21, 8, tzinfo=UTC)
    with pytest.raises(Odd):
        answered_at({})
    with pytest.raises(Odd):
        answered_at({"date": "today"})
