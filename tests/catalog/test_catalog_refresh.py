"""The pure part of a refresh: what was told is merged, judged, kept; what cannot be believed is refused."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradewind.catalog.refresh import (
    Change,
    Changes,
    Refused,
    current,
    machines_csv,
    merge_machines,
    merge_prices,
    prices_csv,
    read_machines,
    read_prices,
    verdict,
)
from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.market import ListedMachine, ListedPrice
from tradewind.domain.money import Money
from tradewind.domain.offer import Purchase


def price(number: int, amount: str = "2", **other: object) -> ListedPrice:
    base = ListedPrice("aws", "us-east-1", None, f"p4d.{number}xlarge", Purchase.ON_DEMAND, None, "USD",
                       Decimal(amount), "2026-11-20", "AWS Price List, offer AmazonEC2")  # fmt: skip
    return replace(base, **other)  # type: ignore[arg-type]


OLD = [price(number) for number in range(10)]
PRICES = st.lists(
    st.builds(
        price, st.integers(0, 9), st.decimals("0.01", "500", places=4).map(str),
        region=st.sampled_from(["us-east-1", "eu-west-1"]), zone=st.sampled_from([None, "use1-az4"]),
        purchase=st.sampled_from(list(Purchase)), payment=st.sampled_from([None, "no upfront"]),
    ),
    unique_by=lambda each: (each.region, each.zone, each.instance_type, each.purchase, each.payment), max_size=30,
)  # fmt: skip


def test_a_refresh_is_told_in_numbers_and_by_its_largest_changes() -> None:
    told = [*OLD[3:], price(3, "3"), price(4, "1"), price(5, "2.2"), price(77), price(78)]
    told = list({each.instance_type: each for each in told}.values())
    found = verdict(OLD, told)
    assert isinstance(found, Changes)
    assert (found.new, found.gone, found.dearer, found.cheaper, found.same) == (2, 3, 2, 1, 4)
    two = Money(Decimal(2), "USD")
    assert found.largest[0] == Change(
        "us-east-1", None, "p4d.4xlarge", Purchase.ON_DEMAND, two, Money(Decimal(1), "USD")
    )
    assert [str(each.new.amount) for each in found.largest] == ["1", "3", "2.2"]


@pytest.mark.parametrize(("told", "why"), [
    ([], "nothing-told"),
    (OLD[:4], "half-gone"),
    ([replace(each, instance_type="x" + each.instance_type) for each in OLD], "half-gone"),
    ([replace(each, price_per_hour=each.price_per_hour * 10) for each in OLD], "off-by-ten"),
    ([replace(each, price_per_hour=each.price_per_hour / 730) for each in OLD], "off-by-ten"),
    ([*OLD[1:], price(0, "0")], "not-positive"),
    ([*OLD[1:], price(0, "-2")], "not-positive"),
    ([*OLD[1:], price(0, "NaN")], "not-positive"),
    ([*OLD[1:], price(0, "Infinity")], "not-positive"),
    ([*OLD[1:], price(0, currency="CNY")], "currency-changed"),
    ([*OLD, price(0, "3")], "told-twice"),
])  # fmt: skip
def test_what_looks_broken_is_refused_with_why(told: list[ListedPrice], why: str) -> None:
    found = verdict(OLD, told)
    assert isinstance(found, Refused)
    assert found.why == why


def test_exactly_half_is_kept_and_one_outlier_is_no_reason() -> None:
    assert isinstance(verdict(OLD, OLD[:5]), Changes)
    assert isinstance(verdict(OLD, [*OLD[1:], price(0, "200")]), Changes)


def test_only_what_was_asked_anew_is_judged() -> None:
    elsewhere = [replace(each, region="eu-west-1") for each in OLD]
    spot = [replace(each, purchase=Purchase.SPOT) for each in OLD]
    assert verdict([*OLD, *elsewhere, *spot], OLD) == Changes(0, 0, 0, 0, 10, ())
    assert isinstance(verdict([], OLD), Changes), "a first refresh has nothing to be compared with"


@given(PRICES)
def test_telling_the_same_again_changes_nothing(told: list[ListedPrice]) -> None:
    if told:
        assert verdict(told, told) == Changes(0, 0, 0, 0, len(told), ())
    assert set(merge_prices(told, told)) == set(told)


@given(PRICES, PRICES)
def test_a_merge_keeps_what_was_not_asked_and_takes_all_that_was_told(
    old: list[ListedPrice], told: list[ListedPrice]
) -> None:
    merged = merge_prices(old, told)
    anew = {(each.region, each.purchase) for each in told}
    assert set(merged) == set(told) | {each for each in old if (each.region, each.purchase) not in anew}
    assert len(merged) == len(set(merged))


@given(PRICES)
def test_prices_survive_their_file(told: list[ListedPrice]) -> None:
    assert read_prices(prices_csv(told)) == tuple(told)


MACHINE = ListedMachine("aws", "p9.8xlarge", "NVIDIA A100 80GB", Decimal("0.5"), 40.0, 32, 128.5, 100.0, "EFA 100",
                        "none", 900.0, "arm64")  # fmt: skip


def test_machines_survive_their_file() -> None:
    bare = ListedMachine("aws", "p9.large", None, None)
    text = machines_csv([MACHINE, bare], "EC2 DescribeInstanceTypes 2026-11-20")
    assert read_machines(text) == (MACHINE, bare)
    assert text.count("DescribeInstanceTypes") == 2


def test_of_a_machine_what_was_told_last_counts() -> None:
    other = replace(MACHINE, instance_type="a1")
    assert merge_machines([MACHINE, other], [replace(MACHINE, cpus=64)]) == (other, replace(MACHINE, cpus=64))


@pytest.mark.parametrize("harm", [
    lambda text: text[:-1], lambda text: text[: len(text) // 2], lambda text: text.replace("2,2026", "3,2026", 1),
    lambda text: text.replace("p4d.1x", "p4d.7x"), lambda text: "", lambda text: text + "aws\n",
    lambda text: text.replace("region", "place", 1),
])  # fmt: skip
def test_a_damaged_file_is_noticed(harm: object) -> None:
    text = prices_csv(OLD)
    harmed = harm(text)  # type: ignore[operator]
    assert harmed != text
    with pytest.raises(ValueError, match=r"torn|columns-differ"):
        read_prices(harmed)


def test_what_is_in_force_is_what_is_listed(snapshot: Snapshot, prices: list[dict[str, str]]) -> None:
    rows = [row for row in prices if row["cloud"] == "azure"]
    found = current(snapshot, "azure")
    assert len(found) == len(rows)
    assert {(each.region, each.instance_type, each.purchase, str(each.price_per_hour)) for each in found} == {
        (row["region"], row["instance_type"], row["purchase"], row["price_per_hour"]) for row in rows
    }
