"""What AWS tells, read into our values. Pure.

Sources: the price list's product JSON as GetProducts gives it (Price List API 2017-10-15); EC2 API 2016-11-15.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from tradewind.clouds.answers import Odd, amount, listed, named, pick, price, text, whole
from tradewind.domain.market import ListedMachine, ListedPrice, SpotPoint
from tradewind.domain.offer import Purchase

PRICE_LIST = "AWS Price List API 2017-10-15"
SPOT_PRICES = "AWS EC2 API 2016-11-15 DescribeSpotPriceHistory"

PLAIN_LINUX = {  # whole machines under plain Linux, as they run; for a tenancy
    "operatingSystem": "Linux", "preInstalledSw": "NA", "capacitystatus": "Used",
}  # fmt: skip
# Where each partition of AWS answers for the price list of all its regions.
PRICE_LIST_AT = {"aws": "us-east-1", "aws-cn": "cn-northwest-1", "aws-us-gov": "us-east-1"}

# The families with GPUs by AWS's naming rules: P and G; DL has accelerators that the catalog lists beside them.
GPU_FAMILIES = ("p*", "g*", "dl*")
_GPU_TYPE = re.compile(r"(?:p|g|gr|dl)\d")
_TERMS = {"1yr": (Purchase.RESERVED_1Y, 8760), "3yr": (Purchase.RESERVED_3Y, 26280)}  # hours that a term has
_OUT_OF_MIB = 1024


def to_prices(row: str, region: str, day: str, only: str | None = None) -> Iterator[ListedPrice]:
    """The prices of one product: on demand, and of each term the standard class, else the convertible one.

    Args:
        row: the JSON text of one element of ``PriceList``.
        only: of this type, whatever it has; None: of every type with GPUs.

    Raises:
        Odd: not of the published shape, or without a price.
    """
    product = _product(row)
    attributes = named(product, "product", "attributes")
    if attributes.get("regionCode") != region:
        raise Odd(f"it is of {attributes.get('regionCode')!r}, not of {region}")
    machine = text(attributes, "instanceType")
    wanted = machine == only if only else _GPU_TYPE.match(machine)
    if not wanted or attributes.get("marketoption", "OnDemand") != "OnDemand":  # else a block
        return

    def listed_at(purchase: Purchase, payment: str | None, currency: str, per_hour: Decimal) -> ListedPrice:
        return ListedPrice("aws", region, None, machine, purchase, payment, currency, price(per_hour), day, PRICE_LIST)

    terms = named(product, "terms")
    for term in named(terms, "OnDemand").values():
        currency, once, per_hour = _parts(term)
        if once:
            raise Odd("an on-demand price has a part that is paid once")
        yield listed_at(Purchase.ON_DEMAND, None, currency, per_hour)
    reserved = named(terms, "Reserved") if "Reserved" in terms else {}
    for (purchase, payment), (currency, per_hour) in _reserved(reserved).items():
        yield listed_at(purchase, payment, currency, per_hour)


def name_of(row: str) -> str:
    """What to call a product whose row is odd."""
    try:
        return text(_product(row), "product", "attributes", "instanceType")
    except Odd:
        return f"product {row[:40]}"


def to_machine(told: Mapping[str, Any]) -> Iterator[ListedMachine]:
    """The machine of one element of ``InstanceTypes``; none for a type without GPUs.

    Raises:
        Odd: not of the published shape.
    """
    machine = text(told, "InstanceType")
    gpus = listed(told, "GpuInfo", "Gpus") if "GpuInfo" in told else []
    if not gpus:
        return
    if len(gpus) > 1:
        raise Odd("it has GPUs of several kinds")
    gpu, network = gpus[0], named(told, "NetworkInfo")
    lanes = [card.get("BaselineBandwidthInGbps") for card in network.get("NetworkCards", [])]
    gbps = sum(lanes) if lanes and all(lanes) else None
    yield ListedMachine(
        cloud="aws",
        instance_type=machine,
        gpu=f"{text(gpu, 'Manufacturer')} {text(gpu, 'Name')}",
        gpus=_gpus(gpu),
        gpu_memory_gib=round(whole(gpu, "MemoryInfo", "SizeInMiB") / _OUT_OF_MIB, 1),
        cpus=whole(told, "VCpuInfo", "DefaultVCpus"),
        memory_gib=whole(told, "MemoryInfo", "SizeInMiB") / _OUT_OF_MIB,
        network_gbps=gbps,
        rdma=_rdma(network, gbps),
        local_nvme_gb=_local_disk(told),
        arch="arm64" if "arm64" in listed(told, "ProcessorInfo", "SupportedArchitectures") else "x86_64",
    )


def to_spot(told: Mapping[str, Any], region: str, zones: Mapping[str, str]) -> SpotPoint:
    """One element of ``SpotPriceHistory``. ``zones`` are zone ids by the account's own zone names.

    Raises:
        Odd: not of the published shape, or in a zone that the account does not have.
    """
    name = text(told, "AvailabilityZone")
    zone = told.get("AvailabilityZoneId") or zones.get(name)
    if not zone:
        raise Odd(f"zone {name} is not among the account's")
    at = pick(told, "Timestamp")
    if not isinstance(at, datetime):
        raise Odd(f"Timestamp is {at!r}")
    currency = "CNY" if region.startswith("cn-") else "USD"  # the interface names none: it is the partition's
    cost = price(amount(told, "SpotPrice"))
    return SpotPoint("aws", region, zone, text(told, "InstanceType"), at.astimezone(UTC), currency, cost)


def to_spot_price(point: SpotPoint, day: str) -> ListedPrice:
    """The price that holds on ``day`` by the latest point of a place."""
    return ListedPrice(
        "aws", point.region, point.zone, point.instance_type, Purchase.SPOT, None, point.currency,
        point.price_per_hour, day, SPOT_PRICES,
    )  # fmt: skip


def _product(row: str) -> Any:
    try:
        return json.loads(row, parse_float=Decimal)
    except (ValueError, TypeError):
        raise Odd("it is no JSON text") from None


def _reserved(terms: Mapping[str, Any]) -> dict[tuple[Purchase, str], tuple[str, Decimal]]:
    """Currency and effective hourly price, by term and way to pay; ``convertible`` where there is no standard class."""
    by_class: dict[str, dict[tuple[Purchase, str], tuple[str, Decimal]]] = {"standard": {}, "convertible": {}}
    for term in terms.values():
        attributes = named(term, "termAttributes")
        kind, length = text(attributes, "OfferingClass"), text(attributes, "LeaseContractLength")
        if kind not in by_class or length not in _TERMS:
            raise Odd(f"a reservation is {kind} for {length}")
        purchase, hours = _TERMS[length]
        currency, once, per_hour = _parts(term)
        by_class[kind][purchase, text(attributes, "PurchaseOption").lower()] = currency, per_hour + once / hours
    standard = by_class["standard"]
    terms_sold = {purchase for purchase, _ in standard}
    convertible = {
        (purchase, f"{payment} convertible"): cost
        for (purchase, payment), cost in by_class["convertible"].items()
        if purchase not in terms_sold
    }
    return standard | convertible


def _parts(term: object) -> tuple[str, Decimal, Decimal]:
    """Currency, what is paid once, and what is paid for an hour."""
    paid = {"Quantity": Decimal(0), "Hrs": Decimal(0)}
    currencies: set[str] = set()
    for dimension in named(term, "priceDimensions").values():
        unit, told = text(dimension, "unit"), named(dimension, "pricePerUnit")
        if unit not in paid or len(told) != 1:
            raise Odd(f"a price is per {unit} in {'/'.join(told) or 'no currency'}")
        (currency,) = told
        paid[unit] += amount(told, currency)
        currencies.add(currency)
    if len(currencies) != 1:
        raise Odd("a price has parts in several currencies, or none")
    return currencies.pop(), paid["Quantity"], paid["Hrs"]


def _gpus(gpu: Mapping[str, Any]) -> Decimal:
    """GPUs of a machine; types with a share of one tell its size beside a count of whole ones."""
    share = amount(gpu, "GpuPartitionSize") if "GpuPartitionSize" in gpu else Decimal(1)
    return share * whole(gpu, "LogicalGpuCount") if share < 1 else Decimal(whole(gpu, "Count"))


def _rdma(network: Mapping[str, Any], gbps: float | None) -> str | None:
    efa = network.get("EfaSupported")
    if efa is None or (efa and gbps is None):
        return None
    return f"EFA {gbps:g}" if efa else "none"


def _local_disk(told: Mapping[str, Any]) -> float | None:
    if told.get("InstanceStorageSupported") is False:
        return 0.0
    size = told.get("InstanceStorageInfo", {}).get("TotalSizeInGB")
    return float(size) if size is not None else None
