"""Offer: something for rent. Hardware, place, purchase and price, or an unknown price."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from tradewind.domain.money import Money


class Purchase(StrEnum):
    """How an offer is bought; a plan takes the first two."""

    ON_DEMAND = "on_demand"
    SPOT = "spot"
    CAPACITY_BLOCK = "capacity_block"
    RESERVED_1Y = "reserved_1y"
    RESERVED_3Y = "reserved_3y"
    SUBSCRIPTION_MONTH = "subscription_month"
    SUBSCRIPTION_YEAR = "subscription_year"


class PriceStatus(StrEnum):
    """How far a listed price can be believed, by its age; ``FREE``: there is none, and it is known to cost nothing."""

    FRESH = "fresh"
    DATED = "dated"
    OLD = "old"
    EXPIRED = "expired"
    UNKNOWN = "unknown"
    FREE = "free"


@dataclass(frozen=True, slots=True)
class Offer:
    """One machine in one place, bought one way.

    Attributes:
        gpu: canonical GPU id, or the cloud's own name when ``gpu_known`` is false (plans then reject it).
        gpus: number of GPUs; below 1 for a slice of one.
        gpu_memory_gib: memory of each GPU or slice; None when not sourced.
        as_of: date of the price as known: YYYY, YYYY-MM or YYYY-MM-DD.
        arch: of the processors, ``x86_64`` or ``arm64``; None when unknown.
        rdma, nvlink: the catalog's words (``EFA 400``, ``NVSwitch 600``, ``none``); None when unknown.
        stock: how many of it there are in all; None when unknown.
    """

    cloud: str
    region: str
    zone: str | None
    instance_type: str
    gpu: str
    form: str | None
    gpu_known: bool
    gpus: Decimal
    gpu_memory_gib: float | None
    cpus: int | None
    memory_gib: float | None
    network_gbps: float | None
    rdma: str | None
    nvlink: str | None
    purchase: Purchase
    price_per_hour: Money | None
    price_status: PriceStatus
    as_of: str | None
    source: str | None
    carbon_g_per_kwh: float | None
    country: str | None = None
    city: str | None = None
    arch: str | None = None
    stock: int | None = None

    @property
    def free(self) -> bool:
        """Whether it is known to cost nothing; it has no price then, in no currency."""
        return self.price_status is PriceStatus.FREE

    @property
    def price_per_gpu_hour(self) -> Money | None:
        """Price of one whole GPU for an hour; None when the price is unknown or there is no GPU."""
        if self.price_per_hour is None or self.gpus <= 0:
            return None
        return Money(self.price_per_hour.amount / self.gpus, self.price_per_hour.currency).rounded()

    def price_bounds(self) -> tuple[Money, Money] | None:
        """The price's range by its age, as the contracts state it; None for an unknown price."""
        if self.price_per_hour is None:
            return None
        low, high = spread(self.price_status, self.purchase)
        return self.price_per_hour * low, self.price_per_hour * high

    def to_json(self) -> dict[str, Any]:
        """One element of ``offers --json``."""
        each = self.price_per_gpu_hour
        return {
            "cloud": self.cloud, "region": self.region, "zone": self.zone, "instance_type": self.instance_type,
            "gpu": self.gpu, "form": self.form, "gpu_known": self.gpu_known, "gpus": _number(self.gpus),
            "gpu_memory_gib": self.gpu_memory_gib, "cpus": self.cpus, "memory_gib": self.memory_gib,
            "network_gbps": self.network_gbps, "rdma": self.rdma, "nvlink": self.nvlink,
            "purchase": self.purchase.value,
            "price_per_hour": self.price_per_hour.to_json() if self.price_per_hour else None,
            "price_per_gpu_hour": each.to_json() if each else None,
            "price_status": self.price_status.value, "as_of": self.as_of, "source": self.source,
            "carbon_g_per_kwh": self.carbon_g_per_kwh, "country": self.country, "city": self.city, "arch": self.arch,
            "stock": self.stock,
        }  # fmt: skip

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Offer:
        """The inverse of :meth:`to_json`: stored plans and leases are read back with it."""
        fields = {key: value[key] for key in cls.__slots__ if key in value}
        price = value["price_per_hour"]
        fields["gpus"] = Decimal(str(value["gpus"]))
        fields["purchase"] = Purchase(value["purchase"])
        fields["price_status"] = PriceStatus(value["price_status"])
        fields["price_per_hour"] = Money.from_json(price) if price else None
        return cls(**fields)


# (status, is spot) -> factors on the listed price. Our assumption, told to users as such: dated ±10 %, old on-demand
# ±25 %, old spot ×0.5 to ×2.
_SPREAD = {
    (PriceStatus.DATED, False): (Decimal("0.9"), Decimal("1.1")),
    (PriceStatus.DATED, True): (Decimal("0.9"), Decimal("1.1")),
    (PriceStatus.OLD, False): (Decimal("0.75"), Decimal("1.25")),
    (PriceStatus.OLD, True): (Decimal("0.5"), Decimal("2")),
}


def spread(status: PriceStatus, purchase: Purchase) -> tuple[Decimal, Decimal]:
    """The factors on a listed price that bound what it may be now, by its age; 1 and 1 where it is taken as listed."""
    return _SPREAD.get((status, purchase is Purchase.SPOT), (Decimal(1), Decimal(1)))


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)
