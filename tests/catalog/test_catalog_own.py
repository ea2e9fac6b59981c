"""A file of own prices is taken whole, or refused with every fault of every line."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tradewind.catalog.families import machines_named, prices_of
from tradewind.catalog.own import OwnPrice, own_csv, parse_own
from tradewind.catalog.search import Query, search
from tradewind.catalog.snapshot import Snapshot, open_snapshot
from tradewind.domain.errors import BadInput
from tradewind.domain.offer import PriceStatus, Purchase

TODAY = date(2026, 11, 21)
HEAD = "cloud,region,zone,instance_type,purchase,price_per_hour,currency,as_of,note\n"
GOOD = "aws,us-east-1,,p4d.24xlarge,on_demand,15.5,USD,2026-11-01,contract 7\n"


def refused(text: str | bytes, snapshot: Snapshot) -> BadInput:
    with pytest.raises(BadInput) as caught:
        parse_own(text.encode() if isinstance(text, str) else text, "prices.csv", snapshot, TODAY)
    assert caught.value.code == "own-prices-faulty"
    assert caught.value.facts["count"] == str(len(caught.value.faults))
    return caught.value


def laid_over(home: Path, text: str, name: str = "acme") -> Snapshot:
    overlays = home / "catalog"
    (overlays / "own").mkdir(parents=True, exist_ok=True)
    (overlays / "own" / f"{name}.csv").write_text(text, encoding="utf-8")
    return open_snapshot(home / "cache", overlays=overlays)


def test_a_file_is_read_whatever_the_case_and_order(snapshot: Snapshot) -> None:
    text = (
        "Currency,price_per_hour,PURCHASE,instance_type,region,cloud\nusd, 15.5 ,on-demand,P4D.24xlarge,US-EAST-1,AWS\n"
    )
    assert parse_own(b"\xef\xbb\xbf" + text.encode(), "prices.csv", snapshot, TODAY) == (
        OwnPrice("aws", "us-east-1", None, "p4d.24xlarge", Purchase.ON_DEMAND, Decimal("15.5"), "USD", "2026-11-21",
                 None),
    )  # fmt: skip


def test_what_was_read_can_be_kept_and_read_again(snapshot: Snapshot) -> None:
    prices = parse_own((HEAD + GOOD).encode(), "prices.csv", snapshot, TODAY)
    assert own_csv(prices) == HEAD + GOOD
    assert parse_own(own_csv(prices).encode(), "again.csv", snapshot, TODAY) == prices


@pytest.mark.parametrize(("line", "code", "nearest"), [
    ("awss,us-east-1,,p4d.24xlarge,on_demand,1,USD,,", "own-cloud-unknown", "aws"),
    ("aws,us-east1,,p4d.24xlarge,on_demand,1,USD,,", "own-region-unknown", "us-east-1"),
    ("aws,us-east-1,,p4d.32xlarge,on_demand,1,USD,,", "own-machine-unknown", "p4d.24xlarge"),
    ("gcp,us-central1,,p4d.24xlarge,on_demand,1,USD,,", "own-machine-unknown", ""),
    ("aws,us-east-1,,p4d.24xlarge,on_demnd,1,USD,,", "own-purchase-unknown", "on_demand"),
    ("aws,us-east-1,,p4d.24xlarge,on_demand,1,USS,,", "own-currency-unknown", "USD"),
    ("aws,us-east-1,,p4d.24xlarge,on_demand,0,USD,,", "own-price-unreadable", None),
    ("aws,us-east-1,,p4d.24xlarge,on_demand,-3,USD,,", "own-price-unreadable", None),
    ("aws,us-east-1,,p4d.24xlarge,on_demand,NaN,USD,,", "own-price-unreadable", None),
    ("aws,us-east-1,,p4d.24xlarge,on_demand,Infinity,USD,,", "own-price-unreadable", None),
    ("aws,us-east-1,,p4d.24xlarge,on_demand,$3,USD,,", "own-price-unreadable", None),
    ("aws,us-east-1,,p4d.24xlarge,on_demand,1,USD,yesterday,", "own-date-unreadable", None),
    ("aws,us-east-1,,p4d.24xlarge,on_demand,,USD,,", "own-value-missing", None),
    ("aws,us-east-1,,,on_demand,1,USD,,", "own-value-missing", None),
    ("aws,us-east-1,p4d.24xlarge,on_demand,1,USD", "own-row-short", None),
])  # fmt: skip
def test_a_bad_line_is_told_with_its_number_reason_and_nearest(
    snapshot: Snapshot, line: str, code: str, nearest: str | None
) -> None:
    fault = refused(f"{HEAD}{GOOD}\n{line}\n", snapshot).faults[0]
    assert fault.code == code
    assert fault.where
    assert (fault.where.file, fault.where.line) == ("prices.csv", 4), "the blank line counts"
    if nearest is not None:
        assert fault.facts["nearest"].split(", ")[0].startswith(nearest)


def test_all_faults_of_all_lines_are_told_at_once(snapshot: Snapshot) -> None:
    text = HEAD + GOOD + "awss,nowhere,,p4d,on_demand,x,USD,never,\n" + GOOD + "aws,nowhere,,p4dx,spt,0,ZZZ,,\n"
    told = [(fault.where.line if fault.where else None, fault.code) for fault in refused(text, snapshot).faults]
    assert told == [
        (3, "own-cloud-unknown"), (3, "own-price-unreadable"), (3, "own-date-unreadable"),
        (4, "own-row-twice"),
        (5, "own-region-unknown"), (5, "own-machine-unknown"), (5, "own-purchase-unknown"),
        (5, "own-currency-unknown"), (5, "own-price-unreadable"),
    ]  # fmt: skip


@pytest.mark.parametrize(("content", "codes"), [
    (b"", {"own-column-missing"}), (HEAD.encode(), {"own-empty"}),
    (b"cloud,region\naws,us-east-1\n", {"own-column-missing"}),
    (HEAD.replace("region", "regoin").encode(), {"own-column-unknown", "own-column-missing"}),
    (HEAD.replace("zone", "region").encode(), {"own-column-twice"}),
    (b"\xff\xfe" + HEAD.encode("utf-16-le"), {"own-not-utf8"}),
    ((HEAD + '"aws').encode() + b"\x00,", {"own-row-short"}),
])  # fmt: skip
def test_a_file_that_is_no_table_of_prices_is_refused(snapshot: Snapshot, content: bytes, codes: set[str]) -> None:
    assert {fault.code for fault in refused(content, snapshot).faults} == codes


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=300) | st.text(max_size=200).map(lambda text: (HEAD + text).encode()))
def test_any_bytes_are_read_or_refused(snapshot: Snapshot, content: bytes) -> None:
    try:
        assert parse_own(content, "prices.csv", snapshot, TODAY)
    except BadInput as error:
        assert error.faults


def test_an_own_price_wins_and_the_list_price_stays_visible(tmp_path: Path, snapshot: Snapshot) -> None:
    mine = laid_over(tmp_path, HEAD + GOOD)
    query = Query(gpu="A100-40GB", clouds=["aws"], regions=["us-east-1"], purchases=[Purchase.ON_DEMAND])
    listed, own = search(snapshot, query, TODAY)[0], search(mine, query, TODAY)[0]
    assert listed.price_per_hour
    assert own.price_per_hour
    assert (own.instance_type, own.price_per_hour.amount) == (listed.instance_type, Decimal("15.5"))
    assert (own.as_of, own.price_status) == ("2026-11-01", PriceStatus.FRESH)
    assert str(own.source).startswith("own acme; contract 7; list ")
    assert f"{listed.price_per_hour.amount} USD of {listed.as_of}" in str(own.source)
    assert len(search(mine, query, TODAY)) == len(search(snapshot, query, TODAY)), "one offer, not two"
    lines = [line for line in prices_of(mine, machines_named(mine, "p4d.24xlarge")[0], TODAY)
             if (line.region, line.purchase) == ("us-east-1", "on_demand")]  # fmt: skip
    assert [(line.own, line.offered) for line in lines] == [(True, True), (False, False)]


def test_a_dearer_own_price_wins_too(tmp_path: Path) -> None:
    mine = laid_over(tmp_path, HEAD + GOOD.replace("15.5", "99"))
    query = Query(gpu="A100-40GB", clouds=["aws"], regions=["us-east-1"], purchases=[Purchase.ON_DEMAND])
    price = search(mine, query, TODAY)[0].price_per_hour
    assert price
    assert price.amount == 99, "it is what one pays"


def test_an_own_price_without_a_zone_holds_in_all_of_them(tmp_path: Path, snapshot: Snapshot) -> None:
    query = Query(gpu="A100-40GB", clouds=["aws"], regions=["us-east-1"], purchases=[Purchase.SPOT])
    assert len({offer.zone for offer in search(snapshot, query, TODAY)}) > 1
    mine = laid_over(tmp_path, HEAD + GOOD.replace("on_demand", "spot"))
    assert [offer.zone for offer in search(mine, query, TODAY)] == [None]


def test_a_machine_without_a_list_price_gets_one(tmp_path: Path) -> None:
    text = HEAD + "huawei,cn-north-4,,p2s.16xlarge.8,subscription_month,210,CNY,2026-11-01,\n"
    offers = search(laid_over(tmp_path, text), Query(clouds=["huawei"], regions=["cn-north-4"]), TODAY)
    assert [(offer.instance_type, offer.country, offer.source) for offer in offers] == [
        ("p2s.16xlarge.8", "CN", "own acme")
    ]


def test_taking_the_file_away_brings_the_list_back(tmp_path: Path, snapshot: Snapshot) -> None:
    mine = laid_over(tmp_path, HEAD + GOOD)
    (tmp_path / "catalog" / "own" / "acme.csv").unlink()
    again = open_snapshot(tmp_path / "cache", overlays=tmp_path / "catalog")
    assert again.fingerprint == snapshot.fingerprint != mine.fingerprint
    assert search(again, Query(gpu="T4"), TODAY) == search(snapshot, Query(gpu="T4"), TODAY)
