"""The sizes with GPUs that a subscription sees, region after region: Resource SKUs of Microsoft.Compute.

They tell no GPU's name but the one in the size's own, and a share of a GPU as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tradewind.clouds.answers import Odd, amount, listed, next_cursor, published, read_rows, text, whole
from tradewind.clouds.azure.management import Management
from tradewind.domain.market import ListedMachine
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page

LOCATIONS_VERSION, SKUS_VERSION = "2022-12-01", "2021-07-01"
_ACCELERATOR = re.compile(r"_([A-Z]+\d+[A-Z0-9]*)_v\d+$")  # Standard_NC24ads_A100_v4
_SOLD_IN_SHARES = re.compile(r"Standard_N[VG]|.+_A10_|.+_RTXPRO6000")
_ARCHITECTURES = {"x64": "x86_64", "Arm64": "arm64"}


class Inventory:
    """The part ``machines``. A cursor is the region to ask, and behind a blank what its next page is asked with."""

    def __init__(self, management: Management) -> None:
        self._management = management
        self._known: tuple[str, ...] | None = None

    def page(self, cursor: str | None) -> Page:
        """The sizes of a region; the first page only finds out which regions there are."""
        regions = self._regions()
        if cursor is None:
            return Page((), (), regions[0])
        region, _, token = cursor.partition(" ")
        further = {"skiptoken": token} if token else {}
        answer = self._management.get(
            "/providers/Microsoft.Compute/skus", version=SKUS_VERSION, filter=f"location eq '{region}'", **further
        )
        with published("ResourceSkus_List"):
            machines, odd = read_rows(listed(answer, "value"), to_machines, _name)
            following = next_cursor(token, _skiptoken(answer.get("nextLink")))
        after = next((each for each in regions if each > region), None)
        return Page(machines, (), f"{region} {following}" if following else after, odd)

    def _regions(self) -> tuple[str, ...]:
        """Those of iron and concrete: a subscription also lists groups of them."""
        if self._known is None:
            answer = self._management.get("/locations", version=LOCATIONS_VERSION)
            with published("Subscriptions_ListLocations"):
                told = [each for each in listed(answer, "value") if text(each, "metadata", "regionType") == "Physical"]
                self._known = tuple(sorted(text(each, "name") for each in told))
        if not self._known:
            raise CloudFault("auth", "the subscription lists no region", sent="yes")
        return self._known


def to_machines(sku: Any) -> Iterator[ListedMachine]:
    """A Resource SKU as a machine; nothing for a disk, or a size without GPUs.

    Raises:
        Odd: not of the published shape.
    """
    if text(sku, "resourceType") != "virtualMachines":
        return
    able = {text(each, "name"): each.get("value") for each in listed(sku, "capabilities")}
    gpus = amount(able, "GPUs") if "GPUs" in able else 0
    if not gpus:
        return
    name = text(sku, "name")
    accelerator = _ACCELERATOR.search(name)
    yield ListedMachine(
        cloud="azure", instance_type=name, gpu=accelerator[1] if accelerator else None, gpus=_gpus(name, able),
        cpus=whole(able, "vCPUs"), memory_gib=float(amount(able, "MemoryGB")),
        rdma="none" if able.get("RdmaEnabled") == "False" else None, arch=_architecture(able),
    )  # fmt: skip


def _gpus(name: str, able: Mapping[str, Any]) -> Decimal | None:
    """How many; None for a 1 that may stand for a share."""
    count = whole(able, "GPUs")
    return None if count == 1 and _SOLD_IN_SHARES.match(name) else Decimal(count)


def _architecture(able: Mapping[str, Any]) -> str:
    told = text(able, "CpuArchitectureType") if "CpuArchitectureType" in able else "x64"
    if told not in _ARCHITECTURES:
        raise Odd(f"its architecture is {told!r}")
    return _ARCHITECTURES[told]


def _skiptoken(link: Any) -> str | None:
    """What the next page is asked with. Only that is taken from the link: what to ask, and whom, is ours."""
    if not link:
        return None
    token = parse_qs(urlsplit(str(link)).query).get("$skiptoken", [""])[0]
    if not token:
        raise Odd(f"nextLink is {str(link)[:80]!r}")
    return token


def _name(sku: Any) -> str:
    return str(sku.get("name")) if isinstance(sku, Mapping) else repr(sku)[:40]
