"""Azure's machines: read region after region from a stub that checks requests by the published operations."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from azure.core.exceptions import ClientAuthenticationError, ServiceRequestError
from lab.azure_machines import LOCATIONS, SKUS, SUBSCRIPTION, TOKEN, Arm, error, size
from lab.stub import Reply, Stub, again, broken, cut_off, gateway_page, replying, throttled

from tradewind.clouds.azure.machines import Inventory
from tradewind.clouds.azure.management import Management, default_credential
from tradewind.clouds.azure.prices import AzurePrices, connect
from tradewind.domain.market import ListedMachine
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page

A100, H100, T4 = "Standard_NC24ads_A100_v4", "Standard_ND96isr_H100_v5", "Standard_NC64as_T4_v3"


@dataclass
class Given:
    """A credential that gives what it was given."""

    token: str = TOKEN
    fails: Exception | None = None

    def get_token(self, *scopes: str) -> Given:
        assert scopes == ("https://management.azure.com/.default",)
        if self.fails:
            raise self.fails
        return self


@pytest.fixture
def arm() -> Arm:
    disk = {"resourceType": "disks", "name": "Premium_LRS", "locations": ["eastus"], "capabilities": []}
    limited = {"type": "Location", "values": ["eastus"], "reasonCode": "NotAvailableForSubscription",
               "restrictionInfo": {"locations": ["eastus"], "zones": ["1"]}}  # fmt: skip
    h100 = size(H100, "eastus", vCPUs="96", MemoryGB="1900", GPUs="8", RdmaEnabled="True", CpuArchitectureType="x64")
    return Arm({
        "westeurope": [size(T4, "westeurope", vCPUs="64", MemoryGB="440", GPUs="4", RdmaEnabled="False")],
        "eastus": [
            size(A100, "eastus", vCPUs="24", MemoryGB="220", GPUs="1", RdmaEnabled="False", CpuArchitectureType="x64"),
            h100 | {"restrictions": [limited]}, disk,
            size("Standard_D4s_v5", "eastus", vCPUs="4", MemoryGB="16", GPUs="0"),
            size("Standard_E2s_v5", "eastus", vCPUs="2", MemoryGB="16"),
        ],
    })  # fmt: skip


@pytest.fixture
def stub(arm: Arm) -> Iterator[Stub]:
    with Stub(arm.answer, lambda _, words: error(400, "InvalidRequest", words)) as running:
        yield running


def asked(stub: Stub, credential: Any = None) -> Inventory:
    return Inventory(Management(SUBSCRIPTION, lambda: credential or Given(), stub.url))


def pages(inventory: Inventory) -> list[Page]:
    told = [inventory.page(None)]
    while told[-1].cursor is not None:
        assert told[-1].cursor not in {page.cursor for page in told[:-1]}, "these pages never end"
        told.append(inventory.page(told[-1].cursor))
    return told


def machines(stub: Stub) -> dict[str, ListedMachine]:
    return {each.instance_type: each for page in pages(asked(stub)) for each in page.machines}


def fault_of(inventory: Inventory, cursor: str | None = "eastus") -> CloudFault:
    with pytest.raises(CloudFault) as met:
        inventory.page(cursor)
    return met.value


def test_known_machines_come_with_their_hardware(stub: Stub) -> None:
    told = machines(stub)
    assert set(told) == {A100, H100, T4}
    assert (told[A100].gpu, told[A100].gpus, told[A100].cpus, told[A100].memory_gib) == ("A100", Decimal(1), 24, 220)
    assert (told[H100].gpu, told[H100].gpus, told[H100].cpus, told[H100].memory_gib) == ("H100", Decimal(8), 96, 1900)
    assert (told[T4].gpus, told[T4].arch, told[T4].gpu_memory_gib) == (Decimal(4), "x86_64", None)
    assert (told[T4].rdma, told[H100].rdma) == ("none", None)  # there is some, and how wide is not told


def test_a_size_that_this_subscription_may_not_use_is_still_a_machine(stub: Stub, arm: Arm) -> None:
    assert arm.skus["eastus"][1]["restrictions"]
    assert H100 in machines(stub)


@pytest.mark.parametrize(
    ("name", "count", "gpu", "gpus"),
    [
        ("Standard_NV6ads_A10_v5", "1", "A10", None), ("Standard_NV72ads_A10_v5", "2", "A10", 2),
        ("Standard_NG8ads_V620_v1", "1", "V620", None), ("Standard_NC8ads_A10_v4", "1", "A10", None),
        ("Standard_NC32lds_xl_RTXPRO6000BSE_v6", "1", "RTXPRO6000BSE", None),
        ("Standard_NV4as_v4", "1", None, None), ("Standard_NC6s_v3", "1", None, 1),
        ("Standard_ND128isr_NDR_GB200_v6", "4", "GB200", 4), ("Standard_ND96asr_v4", "8", None, 8),
        ("Standard_ND96isr_MI300X_v5", "8", "MI300X", 8),
    ],
)  # fmt: skip
def test_a_gpu_is_named_by_the_size_alone_and_a_one_that_may_be_a_share_is_unknown(
    stub: Stub, arm: Arm, name: str, count: str, gpu: str | None, gpus: int | None
) -> None:
    arm.skus["eastus"] = [size(name, "eastus", vCPUs="8", MemoryGB="55", GPUs=count)]
    told = machines(stub)[name]
    assert (told.gpu, told.gpus) == (gpu, gpus)


def test_arm_machines_are_told_as_such(stub: Stub, arm: Arm) -> None:
    name = "Standard_ND128isr_NDR_GB200_v6"
    arm.skus["eastus"] = [size(name, "eastus", vCPUs="128", MemoryGB="900", GPUs="4", CpuArchitectureType="Arm64")]
    assert machines(stub)[name].arch == "arm64"


def test_each_region_is_asked_for_once_and_groups_of_regions_are_not(stub: Stub) -> None:
    pages(asked(stub))
    assert [heard.path for heard in stub.log] == [LOCATIONS, SKUS, SKUS]
    assert [heard.query.get("$filter") for heard in stub.log[1:]] == [
        "location eq 'eastus'",
        "location eq 'westeurope'",
    ]


def test_pages_are_followed_to_the_end_of_a_region(stub: Stub, arm: Arm) -> None:
    arm.page_size = 2
    told = pages(asked(stub))
    assert [page.cursor for page in told] == ["eastus", "eastus 2", "eastus 4", "westeurope", None]
    assert [len(page.machines) for page in told] == [0, 2, 0, 0, 1]
    assert {heard.headers["host"] for heard in stub.log} == {stub.url.removeprefix("http://")}


def test_the_same_cursor_gives_the_same_page_to_another_process(stub: Stub, arm: Arm) -> None:
    arm.page_size = 2
    assert asked(stub).page("eastus") == asked(stub).page("eastus")
    assert asked(stub).page("eastus 4").cursor == "westeurope"


def test_a_page_that_is_told_twice_ends_the_refresh(stub: Stub, arm: Arm) -> None:
    arm.page_size = 2
    inventory = asked(stub)
    cursor = inventory.page("eastus").cursor
    stub.meet(1, again)
    assert fault_of(inventory, cursor).kind == "invalid"


@pytest.mark.parametrize("link", ["https://management.azure.com/?$skiptoken=", "https://management.azure.com/", 5, [1]])
def test_a_link_that_leads_nowhere_is_another_schema(stub: Stub, link: Any) -> None:
    stub.meet(2, replying(Reply(body=json.dumps({"value": [], "nextLink": link}).encode())))
    assert fault_of(asked(stub)).kind == "invalid"


@pytest.mark.parametrize("number", [1, 2], ids=["the regions", "the sizes"])
@pytest.mark.parametrize(
    ("fault", "kind"),
    [(throttled("17"), "throttle"), (broken, "unavailable"), (cut_off, "unavailable"),
     (gateway_page(502), "unavailable"), (gateway_page(200), "unavailable"),
     (replying(Reply(body=b'{"items": []}')), "invalid"), (replying(Reply(body=b"[]")), "invalid")],
    ids=["throttled", "503", "half an answer", "a page under 502", "a page under 200", "another shape", "a list"],
)  # fmt: skip
def test_a_question_that_failed_is_a_fault_and_can_be_asked_again(
    stub: Stub, number: int, fault: Any, kind: str
) -> None:
    inventory = asked(stub)
    stub.meet(number, fault)
    met = fault_of(inventory)
    assert (met.kind, met.retry_after_s, len(stub.log)) == (kind, 17 if kind == "throttle" else None, number)
    assert len(inventory.page("eastus").machines) == 2


@pytest.mark.parametrize("denied", [LOCATIONS, SKUS])
def test_not_allowed_is_told_as_that_and_never_as_an_empty_list(stub: Stub, arm: Arm, denied: str) -> None:
    arm.denied = {denied}
    fault = fault_of(asked(stub))
    assert (fault.kind, fault.words.partition(":")[0]) == ("auth", "AuthorizationFailed")


def test_no_region_at_all_means_that_we_may_not_look(stub: Stub, arm: Arm) -> None:
    arm.skus = {}
    assert fault_of(asked(stub), None).kind == "auth"


@pytest.mark.parametrize(
    ("fails", "kind"),
    [(ClientAuthenticationError("log in first"), "auth"), (ServiceRequestError("no route"), "unavailable")],
)
def test_without_a_token_nothing_is_sent(stub: Stub, fails: Exception, kind: str) -> None:
    fault = fault_of(asked(stub, Given(fails=fails)))
    assert (fault.kind, fault.sent, stub.log) == (kind, "no", [])


def test_an_old_token_is_refused_and_told_nowhere(stub: Stub) -> None:
    fault = fault_of(asked(stub, Given("a-secret-that-must-not-be-told")))
    assert fault.kind == "auth"
    assert "a-secret" not in fault.words


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        ({"vCPUs": "many"}, "not an amount"), ({"MemoryGB": "-1"}, "not an amount"), ({"GPUs": "1.5"}, "not a whole"),
        ({"CpuArchitectureType": "Itanium"}, "its architecture is 'Itanium'"),
    ],
)  # fmt: skip
def test_one_odd_size_is_named_and_the_others_hold(stub: Stub, arm: Arm, spoil: dict[str, str], why: str) -> None:
    arm.skus["eastus"].append(size("Standard_NC48ads_A100_v4", "eastus", **{
        "vCPUs": "48", "MemoryGB": "440", "GPUs": "2", **spoil,
    }))  # fmt: skip
    page = asked(stub).page("eastus")
    (odd,) = page.skipped
    assert (len(page.machines), odd.startswith("Standard_NC48ads_A100_v4: "), why in odd) == (2, True, True)


def test_a_capability_that_is_gone_from_all_sizes_is_another_schema(stub: Stub, arm: Arm) -> None:
    arm.skus["eastus"] = [size(f"Standard_NC{n}ads_A100_v4", "eastus", vCPUs="8", GPUs="1") for n in range(4)]
    fault = fault_of(asked(stub))
    assert (fault.kind, "MemoryGB is missing" in fault.words) == ("invalid", True)


def test_machines_are_a_part_only_where_a_subscription_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AZURE_SUBSCRIPTION_ID", raising=False)
    assert connect().parts() == ("on_demand_and_spot", "reserved")
    monkeypatch.setenv("AZURE_SUBSCRIPTION_ID", SUBSCRIPTION)
    assert connect().parts() == ("machines", "on_demand_and_spot", "reserved")


def test_the_part_of_the_prices_is_the_inventorys(stub: Stub) -> None:
    prices = AzurePrices(inventory=asked(stub))
    assert prices.page("machines", None).cursor == "eastus"
    assert len(prices.page("machines", "eastus").machines) == 2


def test_a_refresh_that_goes_on_without_the_subscription_says_what_is_missing() -> None:
    with pytest.raises(CloudFault, match="AZURE_SUBSCRIPTION_ID is not set") as met:
        AzurePrices().page("machines", "eastus")
    assert (met.value.kind, met.value.sent) == ("auth", "no")


def test_the_sdks_own_chain_that_finds_nothing_is_told_before_anything_is_asked(
    stub: Stub, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential")  # the link of the chain that asks no network
    for name in ("AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET"):
        monkeypatch.delenv(name, raising=False)
    with caplog.at_level(logging.CRITICAL):
        fault = fault_of(Inventory(Management(SUBSCRIPTION, endpoint=stub.url)))
    assert (fault.kind, fault.sent, stub.log) == ("auth", "no", [])


def test_without_the_extra_the_machines_alone_are_missing_and_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "azure.identity", None)
    with pytest.raises(CloudFault, match=r'pip install "tradewind\[azure\]"') as met:
        default_credential()
    assert met.value.kind == "auth"
    monkeypatch.setenv("AZURE_SUBSCRIPTION_ID", SUBSCRIPTION)
    assert "on_demand_and_spot" in connect().parts()
