"""Google Cloud's machine types and billing catalog, from a stub that checks requests by the discovery documents."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from lab.gcp_prices import Gcp, error, sku
from lab.stub import Stub, again, broken, cut_off, gateway_page, replying, throttled

from tradewind.clouds.gcp.prices import GcpPrices, connect
from tradewind.domain.market import ListedPrice
from tradewind.domain.offer import Purchase
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page

HERE, THERE = "us-central1", "europe-west4"
IN, SPOT_IN = "running in Americas", "attached to Spot Preemptible VMs running in Americas"


def machine_type(name: str, cpus: int, memory_mib: int, gpu: str = "", count: int = 0) -> dict[str, Any]:
    gpus = [{"guestAcceleratorType": gpu, "guestAcceleratorCount": count}] if gpu else []
    return {"name": name, "guestCpus": cpus, "memoryMb": memory_mib, "architecture": "X86_64", "accelerators": gpus}


def catalog() -> list[dict[str, Any]]:
    """SKUs of us-central1, and some of europe-west4 where a part is missing."""
    return [
        sku(f"A2 Instance Core {IN}", "0.031611"),
        sku(f"A2 Instance Ram {IN}", "0.004237", "OnDemand", "GiBy.h"),
        sku(f"Nvidia Tesla A100 GPU {IN}", "2.933908"),
        sku(f"Nvidia Tesla A100 80GB GPU {IN}", "3.92808"),
        sku("SSD backed Local Storage", "0.08", "OnDemand", "GiBy.mo"),
        sku(f"N1 Predefined Instance Core {IN}", "0.031611"),
        sku(f"N1 Predefined Instance Ram {IN}", "0.004237", "OnDemand", "GiBy.h"),
        sku(f"Nvidia Tesla T4 GPU {IN}", "0.35"),
        sku(f"Spot Preemptible A2 Instance Core {IN}", "0.016", "Preemptible"),
        sku(f"Spot Preemptible A2 Instance Ram {IN}", "0.002", "Preemptible", "GiBy.h"),
        sku(f"Nvidia Tesla A100 GPU {SPOT_IN}", "1.5", "Preemptible"),
        sku("Commitment v1: A2 Cpu in Americas for 1 Year", "0.02", "Commit1Yr"),
        sku("Commitment v1: A2 Ram in Americas for 1 Year", "0.003", "Commit1Yr", "GiBy.h"),
        sku(f"Commitment v1: Nvidia Tesla A100 GPU {IN} for 1 Year", "1.8", "Commit1Yr"),
        sku("Commitment v1: A2 Cpu in Americas for 3 Years", "0.01", "Commit3Yr"),
        sku("Commitment v1: A2 Ram in Americas for 3 Years", "0.001", "Commit3Yr", "GiBy.h"),
        sku("Commitment v1: Nvidia Tesla A100 GPU in Americas for 3 Years", "1.0", "Commit3Yr"),
        sku("Nvidia Tesla A100 GPU running in Netherlands", "2.933908", "OnDemand", "h", THERE),
        sku("E2 Instance Core running in Americas", "0.02"),
        sku(f"Nvidia Tesla T4 Virtual Workstation GPU {IN}", "0.55"),
    ]


@pytest.fixture
def gcp() -> Gcp:
    a2 = machine_type("a2-highgpu-1g", 12, 87040, "nvidia-tesla-a100", 1)
    n1 = machine_type("n1-standard-8", 8, 30720)
    return Gcp(
        types={
            "us-central1-a": [a2, n1, machine_type("e2-standard-4", 4, 16384)],
            "us-central1-b": [a2],
            "europe-west4-a": [machine_type("g2-standard-48", 48, 196608, "nvidia-l4", 4)],
        },
        skus=catalog(),
    )


@pytest.fixture
def stub(gcp: Gcp, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Stub]:
    with gcp.stub() as running:
        key = tmp_path / "key.json"
        key.write_text(json.dumps(gcp.key_file(running.url)))
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(key))
        monkeypatch.setenv("NO_GCE_CHECK", "true")
        for name in ("GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "HTTP_PROXY", "http_proxy"):
            monkeypatch.delenv(name, raising=False)
        yield running


def ask(stub: Stub) -> GcpPrices:
    """The adapter with the SDK's own credentials, and the stub's addresses."""
    found = connect()
    assert isinstance(found, GcpPrices)
    return GcpPrices(found._credentials, found._project, compute=stub.url, billing=stub.url)


def pages(prices: GcpPrices, part: str) -> list[Page]:
    told = [prices.page(part, None)]
    while told[-1].cursor is not None:
        told.append(prices.page(part, told[-1].cursor))
    return told


def prices_of(stub: Stub) -> dict[tuple[str, str, Purchase], ListedPrice]:
    told = [each for page in pages(ask(stub), "prices") for each in page.prices]
    assert len({(each.instance_type, each.region, each.purchase) for each in told}) == len(told)
    return {(each.instance_type, each.region, each.purchase): each for each in told}


def fault_of(stub: Stub, part: str = "prices") -> CloudFault:
    prices = ask(stub)
    with pytest.raises(CloudFault) as met:
        prices.page(part, None)
    return met.value


def asked(stub: Stub) -> int:
    return sum(heard.path != "/token" for heard in stub.log)


def test_known_machines_come_with_the_sum_of_their_parts(stub: Stub) -> None:
    told = prices_of(stub)
    assert told["a2-highgpu-1g", HERE, Purchase.ON_DEMAND].price_per_hour == Decimal("3.673385")
    assert told["a2-megagpu-16g", HERE, Purchase.ON_DEMAND].price_per_hour == Decimal("55.739504")
    assert told["n1-standard-8+nvidia-tesla-t4:1", HERE, Purchase.ON_DEMAND].price_per_hour == Decimal("0.729998")
    assert told["a2-highgpu-1g", HERE, Purchase.SPOT].price_per_hour == Decimal(
        "1.862"
    )  # 12 × 0.016 + 85 × 0.002 + 1.5
    assert told["a2-highgpu-1g", HERE, Purchase.RESERVED_1Y].price_per_hour == Decimal("2.295")
    assert told["a2-highgpu-1g", HERE, Purchase.RESERVED_3Y].price_per_hour == Decimal("1.205")
    assert told["a2-highgpu-1g", HERE, Purchase.RESERVED_1Y].payment == "monthly"
    assert {each.currency for each in told.values()} == {"USD"}
    assert {each.as_of for each in told.values()} <= stub.days


def test_local_ssd_that_comes_with_a_machine_is_in_its_price(stub: Stub) -> None:
    told = prices_of(stub)["a2-ultragpu-1g", HERE, Purchase.ON_DEMAND]
    assert told.price_per_hour == Decimal("5.068798")  # … + 375 GiB × 0.08 a month / 730


def test_a_place_where_a_part_has_no_rate_has_no_price_and_is_named(stub: Stub) -> None:
    (page,) = pages(ask(stub), "prices")
    assert {each.region for each in page.prices} == {HERE}
    assert "on_demand A2 core: no single rate in 1 regions, europe-west4 first" in page.skipped


def test_two_rates_for_one_part_are_no_rate(stub: Stub, gcp: Gcp) -> None:
    gcp.skus.append(sku("A2 Instance Core running in Iowa", "0.05"))
    (page,) = pages(ask(stub), "prices")
    assert not [each for each in page.prices if each.purchase == "on_demand" and each.instance_type.startswith("a2")]
    assert any(each.startswith("on_demand A2 core: no single rate") for each in page.skipped)


def test_the_same_rate_twice_is_one(stub: Stub, gcp: Gcp) -> None:
    gcp.skus += catalog()
    assert prices_of(stub)["a2-highgpu-1g", HERE, Purchase.ON_DEMAND].price_per_hour == Decimal("3.673385")


def test_the_sum_does_not_depend_on_the_pages_nor_on_who_asks_for_them(stub: Stub, gcp: Gcp) -> None:
    whole = prices_of(stub)
    gcp.page_size = 3
    told: list[ListedPrice] = []
    cursor = None
    for _ in range(7):
        page = ask(stub).page("prices", cursor)  # another process each time
        assert page == ask(stub).page("prices", cursor)
        told += page.prices
        cursor = page.cursor
    assert cursor is None
    assert {each.price_per_hour for each in told} == {each.price_per_hour for each in whole.values()}


def test_machines_come_once_with_their_hardware(stub: Stub) -> None:
    (page,) = pages(ask(stub), "machines")
    told = {each.instance_type: each for each in page.machines}
    assert len(told) == len(page.machines)
    a2, t4 = told["a2-highgpu-1g"], told["n1-standard-8+nvidia-tesla-t4:1"]
    assert (a2.gpu, a2.gpus, a2.cpus, a2.memory_gib, a2.arch) == ("nvidia-tesla-a100", Decimal(1), 12, 85.0, "x86_64")
    assert (t4.gpu, t4.gpus, t4.cpus, t4.memory_gib) == ("nvidia-tesla-t4", Decimal(1), 8, 30.0)
    assert (told["g2-standard-48"].gpus, told["g2-standard-48"].memory_gib) == (Decimal(4), 192.0)
    assert not any(name.startswith("e2") for name in told)


def test_a_price_is_told_of_no_machine_that_the_shipped_catalog_lacks() -> None:
    import csv

    from tradewind import catalog as room
    from tradewind.clouds.gcp.shapes_data import RTX_SLICE, SHAPES

    with (Path(room.__file__).parent / "data" / "instances.csv").open(encoding="utf-8", newline="") as lines:
        shipped = {row["instance_type"]: row for row in csv.DictReader(lines) if row["cloud"] == "gcp"}
    for name, shape in SHAPES.items():
        row = shipped[name]
        gpus = shape.gpus / 8 if shape.gpu == RTX_SLICE else shape.gpus
        assert (shape.cpus, gpus) == (int(row["vcpus"]), float(row["gpu_count"]))
        assert shape.family is None or shape.memory_gib == float(row["memory_gib"])  # of slices it is not billed


def newer() -> list[dict[str, Any]]:
    """SKUs of G4 in us-central1 as of 2026, and of A3 Ultra and A4; A3 Ultra's vCPU and memory rates are made up."""
    return [
        sku("G4 Instance Core running in Iowa", "0.04891"),
        sku("G4 Instance Ram running in Iowa", "0.00587", "OnDemand", "GiBy.h"),
        sku("RTX 6000 96GB running in Iowa", "1.09565"),
        sku("RTX 6000 96GB attached to Spot Preemptible VMs running in Iowa", "0.4", "Preemptible"),
        sku("Spot Preemptible G4 Instance Core running in Iowa", "0.02", "Preemptible"),
        sku("Spot Preemptible G4 Instance Ram running in Iowa", "0.002", "Preemptible", "GiBy.h"),
        sku("Commitment v1: G4 Cpu in Iowa for 1 Year", "0.03", "Commit1Yr"),
        sku("Commitment v1: G4 Ram in Iowa for 1 Year", "0.004", "Commit1Yr", "GiBy.h"),
        sku("Commitment v1: RTX 6000 96GB running in Iowa for 1 Year", "0.7", "Commit1Yr"),
        sku("1/8 vGPU no lssd running in Iowa", "0.64688"),
        sku("1/8 vGPU no lssd attached to DWS Defined Duration VMs running in Iowa", "0.32344"),
        sku("A3Ultra Instance Core running in Americas", "0.02"),
        sku("A3Ultra Instance Ram running in Americas", "0.001", "OnDemand", "GiBy.h"),
        sku("H200 141GB GPU running in Americas", "9.31174"),
        sku("SSD backed Local Storage", "0.08", "OnDemand", "GiBy.mo"),
        sku("A4 Nvidia B200 (1 gpu slice) running in Americas", "16.11"),
        sku("Spot Preemptible A4 Nvidia B200 (1 gpu slice) running in Americas", "4.9542"),  # told as OnDemand
        sku("Commitment v1: A4 Nvidia B200 (1 gpu slice) in Americas for 1 Year", "9.5", "Commit1Yr"),
        sku("A4 Nvidia B200 (1 gpu slice) attached to DWS Defined Duration VMs running in Americas", "5.5"),
    ]


def test_newer_machines_come_with_the_sum_of_their_parts_or_slices(stub: Stub, gcp: Gcp) -> None:
    gcp.skus = newer()
    told = {(name, way): str(each.price_per_hour) for (name, _, way), each in prices_of(stub).items()}
    assert told == {
        ("g4-standard-48", "on_demand"): "4.49993", ("g4-standard-96", "on_demand"): "8.99986",
        ("g4-standard-192", "on_demand"): "17.99972", ("g4-standard-384", "on_demand"): "35.99944",
        ("g4-standard-48", "spot"): "1.72", ("g4-standard-96", "spot"): "3.44",
        ("g4-standard-192", "spot"): "6.88", ("g4-standard-384", "spot"): "13.76",
        ("g4-standard-48", "reserved_1y"): "2.86", ("g4-standard-96", "reserved_1y"): "5.72",
        ("g4-standard-192", "reserved_1y"): "11.44", ("g4-standard-384", "reserved_1y"): "22.88",
        ("g4-standard-6", "on_demand"): "0.64688",
        ("a3-ultragpu-8g-nolssd", "on_demand"): "81.92592",  # 224 × 0.02 + 2952 × 0.001 + 8 × 9.31174
        ("a3-ultragpu-8g", "on_demand"): "83.240988",  # … + 12000 × 0.08 / 730
        ("a4-highgpu-8g", "on_demand"): "128.88", ("a4-highgpu-8g", "spot"): "39.6336",
        ("a4-highgpu-8g", "reserved_1y"): "76",
    }  # fmt: skip


def test_a_share_of_a_gpu_is_told_by_the_description_alone(stub: Stub, gcp: Gcp) -> None:
    share = machine_type("g4-standard-6", 6, 22528, "nvidia-rtx-pro-6000", 1)
    gcp.types = {"us-central1-a": [
        share | {"description": "Graphics Optimized: 1/8 NVIDIA RTX PRO 6000 GPU, 6 vCPUs, 22GB RAM"},
        machine_type("g4-standard-12", 12, 46080, "nvidia-rtx-pro-6000", 1) | {"description": "12 vCPUs, 45GB RAM"},
        machine_type("g4-standard-96", 96, 368640, "nvidia-rtx-pro-6000", 2),
    ]}  # fmt: skip
    (page,) = pages(ask(stub), "machines")
    assert {each.instance_type: each.gpus for each in page.machines} == {
        "g4-standard-6": Decimal("0.125"), "g4-standard-96": Decimal(2),
    }  # fmt: skip
    assert page.skipped == ("g4-standard-12: it does not tell its share of a GPU",)


@pytest.mark.parametrize("part", ["machines", "prices"])
def test_pages_are_followed_to_the_end_with_one_request_each(stub: Stub, gcp: Gcp, part: str) -> None:
    gcp.page_size = 2
    told = pages(ask(stub), part)
    assert asked(stub) == len(told) == (2 if part == "machines" else 10)


def test_a_token_is_fetched_once(stub: Stub, gcp: Gcp) -> None:
    gcp.page_size = 2
    pages(ask(stub), "prices")
    assert sum(heard.path == "/token" for heard in stub.log) == 1


@pytest.mark.parametrize("part", ["machines", "prices"])
def test_a_page_that_is_told_twice_ends_the_refresh(stub: Stub, gcp: Gcp, part: str) -> None:
    gcp.page_size = 1
    prices = ask(stub)
    cursor = prices.page(part, None).cursor
    stub.meet(1, again)
    with pytest.raises(CloudFault) as met:
        prices.page(part, cursor)
    assert met.value.kind == "invalid"


def after_the_token(stub: Stub) -> GcpPrices:
    """An adapter that has its token, so that the next request is the one that counts."""
    prices = ask(stub)
    prices.page("machines", None)
    return prices


@pytest.mark.parametrize("fault", [broken, cut_off, gateway_page(502), gateway_page(200)])
def test_no_answer_or_half_of_one_is_unavailable_and_never_an_empty_list(stub: Stub, fault: Any) -> None:
    prices = after_the_token(stub)
    before = len(stub.log)
    stub.meet(1, fault)
    with pytest.raises(CloudFault) as met:
        prices.page("prices", None)
    assert met.value.kind == "unavailable"
    assert len(stub.log) == before + 1


def test_throttling_tells_how_long_to_wait(stub: Stub) -> None:
    prices = after_the_token(stub)
    stub.meet(1, throttled("30"))
    with pytest.raises(CloudFault) as met:
        prices.page("prices", None)
    assert (met.value.kind, met.value.retry_after_s) == ("throttle", 30.0)


def test_a_rate_limit_that_is_told_as_forbidden_is_throttling(stub: Stub) -> None:
    prices = after_the_token(stub)
    told = error(403, "Quota exceeded for quota metric 'Queries'", "rateLimitExceeded")
    stub.meet(1, replying(replace(told, headers={"Retry-After": "11"})))
    with pytest.raises(CloudFault) as met:
        prices.page("prices", None)
    assert (met.value.kind, met.value.retry_after_s) == ("throttle", 11.0)


@pytest.mark.parametrize(("api", "part"), [("cloudbilling", "prices"), ("compute", "machines")])
def test_not_allowed_is_told_as_that_and_never_as_an_empty_list(stub: Stub, gcp: Gcp, api: str, part: str) -> None:
    gcp.denied = {api}
    fault = fault_of(stub, part)
    assert (fault.kind, fault.words) == ("auth", "Permission denied on the project.")


def test_zones_that_did_not_answer_are_not_taken_for_empty_ones(stub: Stub, gcp: Gcp) -> None:
    gcp.unreachable = ["zones/us-central1-b"]
    fault = fault_of(stub, "machines")
    assert fault.kind == "unavailable"
    assert "us-central1-b" in fault.words


@pytest.mark.parametrize("ahead", [timedelta(hours=3), timedelta(hours=-3)])
def test_a_clock_that_is_off_is_told_as_that(stub: Stub, ahead: timedelta) -> None:
    stub.ahead = ahead
    assert fault_of(stub).kind == "clock"


def test_a_key_that_is_not_the_accounts_is_told_as_that(stub: Stub, gcp: Gcp, monkeypatch: Any, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(json.dumps(Gcp({}, []).key_file(stub.url)))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(other))
    assert fault_of(stub).kind == "auth"
    assert asked(stub) == 0


def test_without_credentials_nothing_is_sent(stub: Stub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS")
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    with pytest.raises(CloudFault) as met:
        connect()
    assert (met.value.kind, met.value.sent) == ("auth", "no")
    assert stub.log == []


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda one: one["pricingInfo"].clear(), "it has 0 prices"),
        (lambda one: expression(one).update(usageUnit="mo"), "priced per mo"),
        (lambda one: expression(one)["tieredRates"].append({"startUsageAmount": 100}), "in 2 tiers"),
        (lambda one: money(one).update(units="0", nanos=0), "the price is 0"),
        (lambda one: money(one).update(nanos=-5), "not an amount"),
        (lambda one: money(one).update(currencyCode="EUR"), "its currency is EUR"),
        (lambda one: one["category"].update(usageType="Commit5Yr"), "the usage type is 'Commit5Yr'"),
    ],
)
def test_one_odd_sku_is_named_and_the_others_hold(stub: Stub, gcp: Gcp, spoil: Any, why: str) -> None:
    odd = deepcopy(sku(f"Nvidia L4 GPU {IN}", "0.56"))
    spoil(odd)
    gcp.skus.append(odd)
    (page,) = pages(ask(stub), "prices")
    assert any(each.startswith(f"Nvidia L4 GPU {IN}: ") and why in each for each in page.skipped)
    assert {each.instance_type.split("-")[0] for each in page.prices} == {"a2", "n1"}


def expression(one: dict[str, Any]) -> Any:
    return one["pricingInfo"][0]["pricingExpression"]


def money(one: dict[str, Any]) -> Any:
    return expression(one)["tieredRates"][0]["unitPrice"]


def test_a_price_without_whole_dollars_or_without_cents_is_read(stub: Stub, gcp: Gcp) -> None:
    for one in gcp.skus:
        if one["description"] == f"Nvidia Tesla A100 GPU {IN}":
            money(one).update(units="3")
            money(one).pop("nanos")
        if one["description"] == f"A2 Instance Core {IN}":
            money(one).pop("units")
    assert prices_of(stub)["a2-highgpu-1g", HERE, Purchase.ON_DEMAND].price_per_hour == Decimal("3.739477")


@pytest.mark.parametrize(
    ("part", "body"),
    [
        ("prices", {"skus": {}}), ("prices", {"skus": []}), ("prices", {"items": []}), ("prices", []),
        ("prices", {"skus": [{"description": f"A2 Instance Core {IN}", "prices": []}] * 5}),
        ("machines", {"machineTypes": []}), ("machines", []), ("machines", {"items": []}),
        ("machines", {"items": {"zones/a": {"machineTypes": {}}}}),
    ],
)  # fmt: skip
def test_an_answer_of_another_schema_is_refused_whole(stub: Stub, part: str, body: Any) -> None:
    prices = after_the_token(stub)
    stub.meet(1, lambda reply, _: type(reply)(body=json.dumps(body).encode()))
    with pytest.raises(CloudFault) as met:
        prices.page(part, None)
    assert met.value.kind == "invalid"


def test_google_tells_no_spot_history(stub: Stub) -> None:
    assert list(ask(stub).spot_history(HERE, ["a2-highgpu-1g"], datetime(2026, 11, 1, tzinfo=UTC))) == []


def test_without_the_sdk_the_missing_module_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.auth", None)
    with pytest.raises(ModuleNotFoundError) as met:
        connect()
    assert met.value.name == "google.auth"
