"""Offers and the catalog as commands: every answer by its contract, names that do not exist, own prices, a refresh."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import contracts
import pytest
from product import Cli

CONTRACT = """\
cloud,region,instance_type,purchase,price_per_hour,currency
aws,us-east-1,p4d.24xlarge,on_demand,9.99,USD
"""


def test_every_answer_of_the_catalog_is_by_contract(cli: Cli) -> None:
    for words, schema in [
        (("show", "gn7e"), contracts.CATALOG_SHOW), (("show", "p4d.24xlarge"), contracts.CATALOG_SHOW),
        (("show", "RTX 3090"), contracts.CATALOG_SHOW), (("gpus",), contracts.SHEETS),
        (("regions", "--near", "Beijing", "--cloud", "alibaba,gcp"), contracts.REGIONS),
        (("compare", "p4d.24xlarge", "gn7e", "GN10Xp", "--card-price", "9000 USD"), contracts.COMPARED),
        (("list",), contracts.HELD),
    ]:  # fmt: skip
        contracts.check(cli.json("catalog", *words), schema)


def test_the_question_of_the_first_page_is_answered(cli: Cli) -> None:
    asked = ("offers", "--gpu", "A100-80GB:8", "--cloud", "alibaba,tencent,aws", "--purchase", "spot,on_demand",
             "--near", "Beijing", "--currency", "CNY")  # fmt: skip
    found = cli.json(*asked)
    contracts.check(found, contracts.OFFERS)
    assert {each["cloud"] for each in found} == {"alibaba", "aws"}
    assert {(each["gpu"], each["gpus"]) for each in found} == {("A100-80GB", 8)}
    distances = [each["distance_km"] for each in found if each["distance_km"] is not None]
    assert distances == sorted(distances) and distances[0] < 50
    priced = [each for each in found if each["price_per_hour"]]
    assert all(each["converted"]["price_per_hour"]["currency"] == "CNY" for each in priced)
    dollars = next(each for each in priced if each["price_per_hour"]["currency"] == "USD")
    told = cli(*asked)
    assert "Converted at 1 USD = " in told.out and ", 2026-06 (" in told.out
    ratio = float(dollars["converted"]["price_per_hour"]["amount"]) / float(dollars["price_per_hour"]["amount"])
    assert 5 < ratio < 9
    rows = list(csv.DictReader(io.StringIO(cli(*asked, "--csv").out)))
    assert [row["instance_type"] for row in rows] == [each["instance_type"] for each in found]


@pytest.mark.parametrize(
    ("words", "code", "nearest"),
    [
        (("offers", "--gpu", "A100:7"), "gpu-count-unknown", "A100-80GB:8"),
        (("offers", "--gpu", "A101"), "gpu-unknown", "A10"),
        (("offers", "--region", "cn-beijin"), "region-unknown", "cn-beijing"),
        (("offers", "--cloud", "alibab"), "cloud-unknown", "alibaba"),
        (("offers", "--near", "Beijng"), "place-unknown", "Beijing"),
        (("offers", "--currency", "CNX"), "currency-unknown", "CNY"),
        (("offers", "--max-price", "3 CNX"), "currency-none", "CNY"),
        (("offers", "--max-price", "cheap"), "money-unreadable", ""),
        (("offers", "--cuda", "twelve"), "cuda-unreadable", ""),
        (("offers", "--sort", "beauty"), "option-choice-unknown", ""),
        (("offers", "--rdma", "maybe"), "option-choice-unknown", ""),
        (("offers", "--residency", "Europe"), "residency-unreadable", ""),
        (("offers", "--residency", "UK"), "residency-nowhere", ""),
        (("offers", "--purchase", "stolen"), "purchase-unknown", ""),
        (("catalog", "show", "gn6e-c8g1.16xlarge"), "machine-unknown", "ecs.gn6e-c12g1.12xlarge"),
        (("catalog", "compare", "p4d.24xlarg"), "machine-unknown", "p4d.24xlarge"),
        (("catalog", "compare", "gn7e", "--region", "cn-beijin"), "region-unknown", "cn-beijing"),
        (("catalog", "compare", "gn7e", "--card-price", "9 CNX"), "currency-none", "CNY"),
        (("catalog", "gpus", "--gpu", "H100-81GB"), "gpu-unknown", "H100-80GB"),
        (("catalog", "refresh", "--cloud", "azur"), "cloud-unknown", "azure"),
        (("catalog", "add", "/nowhere.csv"), "own-file-unreadable", ""),
    ],
)
def test_what_does_not_exist_gets_the_nearest_that_does(cli: Cli, words: tuple[str, ...], code: str,
                                                         nearest: str) -> None:  # fmt: skip
    done = cli(*words, "--json")
    assert (done.code, done.json["error"]["code"]) == (2, code)
    contracts.check(done.json, contracts.ERROR)
    assert nearest in done.json["error"]["facts"].get("nearest", "")
    assert done.json["error"]["next"] or done.json["error"]["why"]


def test_own_prices_win_and_are_shown_as_such(cli: Cli, tmp_path: Path) -> None:
    prices = tmp_path / "prices.csv"
    prices.write_text(CONTRACT)
    contracts.check(cli.json("catalog", "add", str(prices), "--as", "contract"), contracts.ADDED)
    (offer,) = cli.json("offers", "--gpu", "A100-40GB:8", "--region", "us-east-1", "--purchase", "on_demand",
                        "--cloud", "aws")  # fmt: skip
    assert offer["price_per_hour"]["amount"] == "9.99"
    assert offer["source"].startswith("own contract; list 21.9")
    lines = cli.json("catalog", "show", "p4d.24xlarge")["prices"]
    here = [each for each in lines if (each["region"], each["purchase"]) == ("us-east-1", "on_demand")]
    assert sorted(each["own"] for each in here) == [False, True]  # the listed one stays visible
    assert [each["name"] for each in cli.json("catalog", "list")["own"]] == ["contract"]


def test_faults_of_a_price_file_are_told_at_once_and_nothing_is_added(cli: Cli, tmp_path: Path) -> None:
    prices = tmp_path / "prices.csv"
    prices.write_text(CONTRACT + "aws,us-est-1,p4d.24xlarg,on_demnd,x,USX\naws\n")
    error = cli("catalog", "add", str(prices), "--json").json["error"]
    assert error["code"] == "own-prices-faulty"
    told = {(fault["where"]["line"], fault["code"]) for fault in error["faults"]}
    assert told == {(3, "own-region-unknown"), (3, "own-machine-unknown"), (3, "own-purchase-unknown"),
                    (3, "own-price-unreadable"), (3, "own-currency-unknown"), (4, "own-row-short")}  # fmt: skip
    assert cli.json("catalog", "list")["own"] == []


def test_own_rates_come_before_the_shipped_ones(cli: Cli) -> None:
    rates = cli.home / "catalog" / "own-rates.csv"
    rates.parent.mkdir(parents=True)
    rates.write_text("base,quote,value,as_of,source\nUSD,CNY,10,2026-11-21,my bank\n")
    offer = cli.json("offers", "--cloud", "aws", "--gpu", "T4", "--currency", "CNY", "--limit", "1")[0]
    listed, converted = (float(each["price_per_hour"]["amount"]) for each in (offer, offer["converted"]))
    assert converted == pytest.approx(10 * listed)
    rates.write_text("base,quote\nUSD,CNY\n")
    assert cli("offers", "--json").json["error"]["code"] == "rates-unreadable"


def test_a_damaged_overlay_is_said_and_passed_over(cli: Cli) -> None:
    torn = cli.home / "catalog" / "refreshed" / "aws.prices.csv"
    torn.parent.mkdir(parents=True)
    torn.write_text("torn")
    done = cli("offers", "--gpu", "T4", "--json")
    assert done.code == 0 and done.json
    assert "refreshed/aws.prices.csv" in done.err


def test_a_full_disk_leaves_the_own_prices_as_they_were(cli: Cli, tmp_path: Path) -> None:
    """A limit on the size of a file is what a full disk looks like to whoever writes."""
    prices = tmp_path / "prices.csv"
    prices.write_text(CONTRACT)
    cli.json("catalog", "add", str(prices), "--as", "contract")
    cli.json("catalog", "list")  # the snapshot with them is built while there is room
    prices.write_text(CONTRACT + "aws,us-east-1,p4d.24xlarge,spot,1,USD\n")
    code = (
        "import resource, sys; from tradewind.cli.main import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)); sys.argv[0] = 'tradewind'; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "catalog", "add", str(prices), "--as", "contract", "--json"],
        env=cli.environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert json.loads(done.stdout)["error"]["code"] == "catalog-not-kept", done.stderr
    assert [each["prices"] for each in cli.json("catalog", "list")["own"]] == [1]
    assert sorted(path.name for path in (cli.home / "catalog" / "own").iterdir()) == ["contract.csv"]


def test_a_corrupt_snapshot_is_rebuilt_and_that_is_said(cli: Cli) -> None:
    before = cli("offers", "--gpu", "T4", "--json")
    (snapshot,) = (cli.home / "cache" / "catalog").glob("catalog-*.sqlite")
    whole = snapshot.read_bytes()
    snapshot.write_bytes(whole[: len(whole) // 2])
    after = cli("offers", "--gpu", "T4", "--json")
    assert (after.code, after.json) == (0, before.json)
    assert "made anew from its files" in after.err and "made anew" not in before.err
    assert snapshot.read_bytes() == whole
    assert "made anew" not in cli("offers", "--gpu", "T4", "--json").err


@pytest.mark.parametrize(("name", "seen"), [
    ("p4d", {"aws"}), ("gn7e", {"alibaba"}), ("GN10Xp", {"tencent"}), ("a2", {"gcp"}), ("NC", {"azure"}),
    ("P2", {"huawei"}),
])  # fmt: skip
def test_a_family_comes_with_its_spot_terms_and_images(cli: Cli, name: str, seen: set[str]) -> None:
    shown = cli.json("catalog", "show", name)
    contracts.check(shown, contracts.CATALOG_SHOW)
    assert {each["cloud"] for each in shown["spot_terms"]} == {each["cloud"] for each in shown["images"]} == seen
    assert bool(shown["spot_records"]) == (name == "p4d")
    for words, heads in (((), ("Spot machines", "Machine images")), (("--lang", "zh"), ("竞价机器", "机器镜像"))):
        told = cli("catalog", "show", name, *words).out
        assert all(head in told for head in heads)


def test_machines_stand_by_gpu_and_size(cli: Cli) -> None:
    listed = [(each["gpus"], each["cpus"]) for each in cli.json("catalog", "show", "gn7e")["machines"]]
    assert listed == sorted(listed) and listed[0][0] == 1 and listed[-1][0] == 8
