"""What a cloud of the lab has for rent: machine types by zone, how many are left and may be had, what they cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class MachineType:
    """A type for rent; ``price`` is its list price for an hour where no region has another."""

    name: str
    cpus: int
    memory_gib: float
    price: Decimal
    gpu: str = ""
    gpus: int = 0
    gpu_memory_gib: float = 0.0
    gbps: float = 10.0


@dataclass
class Market:
    """Prices are for an hour, in ``currency``.

    Attributes:
        zones: region → zone → names of the types that it has.
        stock: (zone, type) → how many are left; not named: any number.
        spot: (zone, type) → prices, each since when, oldest first; not named: ``spot_share`` of the list price.
        quota: (region, spot) → vCPUs that the account may have at once; not named: any number.
    """

    currency: str
    types: dict[str, MachineType]
    zones: dict[str, dict[str, tuple[str, ...]]]
    prices: dict[tuple[str, str], Decimal] = field(default_factory=dict)
    stock: Counter[tuple[str, str]] = field(default_factory=Counter)
    spot: dict[tuple[str, str], list[tuple[datetime, Decimal]]] = field(default_factory=dict)
    spot_share: Decimal = Decimal("0.3")
    quota: dict[tuple[str, bool], int] = field(default_factory=dict)

    def offers(self, region: str, machine_type: str) -> list[str]:
        """The zones that have the type."""
        return [zone for zone, types in self.zones[region].items() if machine_type in types]

    def left(self, zone: str, machine_type: str) -> int | None:
        """How many can still be rented; None: any number."""
        return self.stock.get((zone, machine_type))

    def take(self, zone: str, machine_type: str, count: int) -> None:
        """Rent so many (negative: give them back)."""
        if (zone, machine_type) in self.stock:
            self.stock[zone, machine_type] -= count

    def price(self, region: str, machine_type: str) -> Decimal:
        """The list price."""
        return self.prices.get((region, machine_type), self.types[machine_type].price)

    def spot_price(self, region: str, zone: str, machine_type: str, at: datetime) -> Decimal:
        """What a spot machine costs at ``at``."""
        since = [price for begin, price in self.spot.get((zone, machine_type), []) if begin <= at]
        return since[-1] if since else round(self.price(region, machine_type) * self.spot_share, 3)

    def within_quota(self, region: str, *, spot: bool, running: Iterable[str], wanted: str, count: int) -> bool:
        """Whether ``count`` more may run beside the types that are ``running``."""
        limit = self.quota.get((region, spot))
        in_use = sum(self.types[name].cpus for name in running)
        return limit is None or in_use + count * self.types[wanted].cpus <= limit
