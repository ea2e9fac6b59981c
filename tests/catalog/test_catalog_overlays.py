"""What is laid over the shipped data: it replaces what was asked anew; what is damaged is passed over."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tradewind import words
from tradewind.catalog.families import machines_named
from tradewind.catalog.refresh import current, machines_csv, prices_csv
from tradewind.catalog.search import Query, coverage, search
from tradewind.catalog.snapshot import Snapshot, open_snapshot
from tradewind.domain.market import ListedMachine, ListedPrice
from tradewind.domain.offer import Purchase

TODAY = date(2026, 11, 21)
P4D = ListedPrice("aws", "us-east-1", None, "p4d.24xlarge", Purchase.ON_DEMAND, None, "USD", Decimal("20.5"),
                  "2026-11-20", "AWS Price List")  # fmt: skip
NEW = ListedPrice("aws", "us-east-1", None, "p9.48xlarge", Purchase.ON_DEMAND, None, "USD", Decimal(70), "2026-11-20",
                  "AWS Price List")  # fmt: skip
P9 = ListedMachine("aws", "p9.48xlarge", "NVIDIA A100", Decimal(8), 80.0, 192, 2048.0, 3200.0, "EFA 3200",
                   "NVSwitch 600", 30000.0)  # fmt: skip


def refreshed(home: Path, prices: Sequence[ListedPrice] = (), machines: Sequence[ListedMachine] = ()) -> Path:
    folder = home / "overlays" / "refreshed"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "aws.machines.csv").write_text(machines_csv(machines, "EC2 DescribeInstanceTypes"), encoding="utf-8")
    (folder / "aws.prices.csv").write_text(prices_csv(prices), encoding="utf-8")
    return home / "overlays"


def on_demand(snapshot: Snapshot, region: str) -> dict[str, str]:
    query = Query(clouds=["aws"], regions=[region], purchases=[Purchase.ON_DEMAND])
    return {offer.instance_type: str(offer.price_per_hour) for offer in search(snapshot, query, TODAY)
            if offer.price_per_hour}  # fmt: skip


def test_refreshed_prices_replace_those_of_their_place_and_way_of_buying(tmp_path: Path, snapshot: Snapshot) -> None:
    new = open_snapshot(tmp_path, overlays=refreshed(tmp_path, [P4D]))
    assert on_demand(new, "us-east-1") == {"p4d.24xlarge": "$20.50"}, "what was not told is not sold there any more"
    assert on_demand(new, "us-west-2") == on_demand(snapshot, "us-west-2")
    for purchase in (Purchase.SPOT, Purchase.RESERVED_1Y):
        query = Query(clouds=["aws"], regions=["us-east-1"], purchases=[purchase])
        assert search(new, query, TODAY) == search(snapshot, query, TODAY)
    assert new.date == "2026-11-20" > snapshot.date
    assert new.passed_over == ()


def test_a_machine_unknown_so_far_is_added_and_its_gpu_resolved(tmp_path: Path, snapshot: Snapshot) -> None:
    assert machines_named(snapshot, "p9.48xlarge") == ()
    new = open_snapshot(tmp_path, overlays=refreshed(tmp_path, [NEW], [P9]))
    offers = search(new, Query(gpu="A100-80GB", regions=["us-east-1"], rdma="EFA", min_rdma_gbps=3200), TODAY)
    assert [(offer.instance_type, offer.gpu_known, offer.form) for offer in offers] == [("p9.48xlarge", True, "SXM")]
    assert coverage(new).machines == coverage(snapshot).machines + 1


def test_a_gpu_that_the_vocabulary_does_not_know_keeps_its_clouds_name(tmp_path: Path) -> None:
    strange = ListedMachine("aws", "p9.48xlarge", "NVIDIA X900 Ultra", Decimal(8))
    new = open_snapshot(tmp_path, overlays=refreshed(tmp_path, [NEW], [strange]))
    offer = search(new, Query(gpu="NVIDIA X900 Ultra"), TODAY)[0]
    assert (offer.gpu_known, offer.gpu_memory_gib) == (False, None)


def test_a_known_machine_keeps_what_was_checked_and_has_its_gaps_filled(tmp_path: Path, snapshot: Snapshot) -> None:
    known = machines_named(snapshot, "p4d.24xlarge")[0]
    told = ListedMachine("aws", "p4d.24xlarge", "NVIDIA T4", Decimal(1), cpus=1, rdma="none")
    gap = next(each for each in machines_named(snapshot, "g6f.large") if each.cloud == "aws")
    told_gap = ListedMachine("aws", gap.instance_type, None, None, rdma="none", local_nvme_gb=77.0)
    new = open_snapshot(tmp_path, overlays=refreshed(tmp_path, [], [told, told_gap]))
    assert machines_named(new, "p4d.24xlarge")[0] == known
    filled = machines_named(new, gap.instance_type)[0]
    assert filled.local_nvme_gb == (77.0 if gap.local_nvme_gb is None else gap.local_nvme_gb)


def test_what_is_in_force_after_a_refresh_is_what_was_told(tmp_path: Path) -> None:
    new = open_snapshot(tmp_path, overlays=refreshed(tmp_path, [P4D, NEW], [P9]))
    told = {each for each in current(new, "aws") if (each.region, each.purchase) == ("us-east-1", "on_demand")}
    assert told == {P4D, NEW}


@pytest.mark.parametrize("harm", ["cut", "flip", "empty", "binary"])
def test_a_damaged_overlay_is_said_and_passed_over_whole(tmp_path: Path, snapshot: Snapshot, harm: str) -> None:
    overlays = refreshed(tmp_path, [P4D])
    path = overlays / "refreshed" / "aws.prices.csv"
    whole = path.read_bytes()
    path.write_bytes({"cut": whole[:-20], "flip": whole.replace(b"20.5", b"20.7"), "empty": b"",
                      "binary": bytes(range(256))}[harm])  # fmt: skip
    new = open_snapshot(tmp_path, overlays=overlays)
    assert [each.file for each in new.passed_over] == ["refreshed/aws.prices.csv"]
    assert new.passed_over[0].why
    assert search(new, Query(), TODAY) == search(snapshot, Query(), TODAY)
    found = open_snapshot(tmp_path, overlays=overlays)
    assert (found.origin, found.passed_over) == ("found", new.passed_over), "it is said again, every time"
    path.write_bytes(whole)
    assert open_snapshot(tmp_path, overlays=overlays).passed_over == ()


@pytest.mark.parametrize(("price", "why"), [
    (NEW, "no-machine"),
    (replace(P4D, region="us-west-2", price_per_hour=Decimal(0)), "not-positive"),
    (replace(P4D, region="us-west-2", currency="XXX"), "no-currency"),
    (replace(P4D, region="us-west-2", as_of="soon"), "no-date"),
])  # fmt: skip
def test_a_whole_file_of_nonsense_is_passed_over_with_why(tmp_path: Path, price: ListedPrice, why: str) -> None:
    new = open_snapshot(tmp_path, overlays=refreshed(tmp_path, [P4D, price]))
    assert [each.file for each in new.passed_over] == ["refreshed/aws.prices.csv"]
    told = new.passed_over[0].why
    assert told.startswith(f"{why} row=2 name='aws ")
    for lang in words.LANGUAGES:
        sentence = words.reason(told, lang, "passed-")
        assert "2" in sentence and "aws" in sentence and why not in sentence


@pytest.mark.parametrize(("content", "why"), [
    (b"nonsense", "columns-differ"), (bytes(range(256)), "unreadable"),
    (b"cloud,region,zone,instance_type,purchase,price_per_hour,currency,as_of,note\naws,us-east-1\n", "cells"),
    (b'"' + b"x" * 200_000, "unreadable"),
])  # fmt: skip
def test_an_own_file_that_was_changed_by_hand_is_passed_over_with_why(
    tmp_path: Path, snapshot: Snapshot, content: bytes, why: str
) -> None:
    own = tmp_path / "overlays" / "own" / "acme.csv"
    own.parent.mkdir(parents=True)
    own.write_bytes(content)
    new = open_snapshot(tmp_path, overlays=tmp_path / "overlays")
    assert [each.file for each in new.passed_over] == ["own/acme.csv"]
    assert new.passed_over[0].why.partition(" ")[0] == why
    assert all(words.known(f"passed-{why}", lang) for lang in words.LANGUAGES)
    assert search(new, Query(), TODAY) == search(snapshot, Query(), TODAY)


def test_one_damaged_file_does_not_cost_another(tmp_path: Path) -> None:
    overlays = refreshed(tmp_path, [P4D])
    (overlays / "own").mkdir()
    (overlays / "own" / "acme.csv").write_text("nonsense", encoding="utf-8")
    new = open_snapshot(tmp_path, overlays=overlays)
    assert [each.file for each in new.passed_over] == ["own/acme.csv"]
    assert on_demand(new, "us-east-1") == {"p4d.24xlarge": "$20.50"}


def test_an_overlay_changes_the_snapshot_and_the_same_one_finds_it_again(tmp_path: Path, snapshot: Snapshot) -> None:
    overlays = tmp_path / "overlays"
    first = open_snapshot(tmp_path, overlays=overlays)
    assert (first.origin, first.fingerprint) == ("built", snapshot.fingerprint), (
        "a folder that is not there lays nothing"
    )
    refreshed(tmp_path, [P4D])
    second, third = open_snapshot(tmp_path, overlays=overlays), open_snapshot(tmp_path, overlays=overlays)
    assert (second.origin, third.origin) == ("built", "found")
    assert second.fingerprint == third.fingerprint != first.fingerprint
    assert open_snapshot(tmp_path).fingerprint == first.fingerprint


@pytest.mark.parametrize("count", [20_000, pytest.param(200_000, marks=pytest.mark.long)])
def test_a_very_large_market_is_built_and_searched(tmp_path: Path, snapshot: Snapshot, count: int) -> None:
    types = sorted({each.instance_type for each in current(snapshot, "aws")})
    prices = [
        ListedPrice("aws", f"region-{number // len(types)}", None, types[number % len(types)], Purchase.ON_DEMAND, None,
                    "USD", Decimal(number % 97 + 1), "2026-11-20", "AWS Price List")
        for number in range(count)
    ]  # fmt: skip
    large = open_snapshot(tmp_path, overlays=refreshed(tmp_path, prices))
    assert coverage(large).prices == coverage(snapshot).prices + count
    query = Query(gpu="T4", purchases=[Purchase.ON_DEMAND])
    extra = [offer for offer in search(large, query, TODAY) if offer.region.startswith("region-")]
    t4 = {offer.instance_type for offer in search(snapshot, Query(gpu="T4", clouds=["aws"]), TODAY)}
    assert len(extra) == sum(each.instance_type in t4 for each in prices)
    assert {offer.country for offer in extra} == {None}, "a region that the catalog does not know is nowhere"


def test_a_full_disk_is_said_and_leaves_nothing_half_built(tmp_path: Path) -> None:
    """A limit on the size of a file is what a full disk looks like to whoever writes."""
    code = (
        "import resource, sys; from pathlib import Path; from tradewind.catalog.snapshot import open_snapshot; "
        "from tradewind.domain.errors import NotConfigured\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))\n"
        "try: open_snapshot(Path(sys.argv[1]))\n"
        "except NotConfigured as error: print(error.code)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "catalog-home-unwritable"
    assert list((tmp_path / "catalog").iterdir()) == []
    assert open_snapshot(tmp_path).origin == "built"
