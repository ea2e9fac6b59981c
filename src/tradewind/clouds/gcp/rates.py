"""The Cloud Billing Catalog read into rates of parts, and machines summed up from them. Pure.

A machine has no SKU of its own: its price is vCPUs × a rate + GiB × a rate + GPUs × a rate, and local SSD where some
comes with it; A4 and shares of a G4 are slices × a rate. The rates of one machine lie on several pages, so they are
carried from page to page (:class:`Rates`).
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from zlib import compress, decompress

from tradewind.clouds.answers import Odd, amount, listed, named, price, text
from tradewind.clouds.gcp.shapes_data import H100_MEGA, H200, RTX_PRO_6000, SHAPES, SLICES, Shape
from tradewind.domain.market import ListedPrice
from tradewind.domain.offer import Purchase

BILLING = "Google Cloud Billing Catalog v1"

_SPOT = r"(?:Spot )?Preemptible "
_FAMILY = "A2|A3|A3Plus|A3Ultra|G2|G4|N1 Predefined"
_CORE_OR_RAM = re.compile(
    rf"(?:{_SPOT}|Commitment v1: )?({_FAMILY}) (?:Instance )?(Core|Cpu|Ram) (?:running )?in .+"
)  # fmt: skip
_N1_COMMITTED = re.compile(r"Commitment v1: (Cpu|Ram) in .+")  # N1 was the only family when these were named
_NAMED = rf"Nvidia (.+) GPU|({H200}) GPU|({RTX_PRO_6000})"
_GPU = re.compile(rf"(?:Commitment v1: )?(?:{_NAMED}) (?:attached to {_SPOT}VMs )?(?:running )?in .+")
_SLICE = re.compile(rf"(?:{_SPOT}|Commitment v1: )?({'|'.join(map(re.escape, SLICES))}) (?:running )?in .+")
_SSD = re.compile(rf"SSD backed Local Storage(?: attached to {_SPOT}VMs?)?(?: in .+)?|Commitment v1: Local SSD in .+")
_GPUS = {shape.gpu: shape.gpu for shape in SHAPES.values()} | {"H100 80GB Plus": H100_MEGA}

_PURCHASES = {
    "OnDemand": Purchase.ON_DEMAND, "Preemptible": Purchase.SPOT,
    "Commit1Yr": Purchase.RESERVED_1Y, "Commit3Yr": Purchase.RESERVED_3Y,
}  # fmt: skip
_HOURS = {"h": 1, "GiBy.h": 1, "GiBy.mo": 730}  # how many hours a unit of usage lasts; a month is 730


@dataclass(frozen=True, slots=True)
class Rate:
    """What one unit of a part costs for an hour in a region: a vCPU, a GiB of memory or SSD, a GPU."""

    purchase: Purchase
    region: str
    part: str
    usd: str


@dataclass(slots=True)
class Rates:
    """The rates told so far, by purchase, region and part. Several for one: which holds is unknown, so none does."""

    told: dict[str, list[str]] = field(default_factory=dict)

    def add(self, rate: Rate) -> None:
        """Take a rate in; the same one twice is one."""
        known = self.told.setdefault(f"{rate.purchase}|{rate.region}|{rate.part}", [])
        if rate.usd not in known:
            known.append(rate.usd)

    def of(self, purchase: Purchase, region: str, part: str) -> Decimal | None:
        """The one rate of a part; None when there is none, or more than one."""
        known = self.told.get(f"{purchase}|{region}|{part}", ())
        return Decimal(known[0]) if len(known) == 1 else None

    def places(self) -> list[tuple[Purchase, str]]:
        """Every purchase and region that a rate was told for, in order."""
        return sorted({(Purchase(key.split("|")[0]), key.split("|")[1]) for key in self.told})

    def packed(self, token: str) -> str:
        """A cursor: the page's token and all that was told before it."""
        return urlsafe_b64encode(compress(json.dumps([token, self.told]).encode())).decode()


def unpacked(cursor: str | None) -> tuple[str | None, Rates]:
    """Token and rates of a cursor; the first page has none."""
    if cursor is None:
        return None, Rates()
    token, told = json.loads(decompress(urlsafe_b64decode(cursor)))
    return token, Rates(told)


def to_rates(sku: Mapping[str, Any]) -> Iterator[Rate]:
    """The rates of one SKU by region; none when it is no part of a machine with GPUs.

    Raises:
        Odd: not of the published shape, or without a price.
    """
    words = text(sku, "description")
    part = _part(words)
    if part is None:
        return
    usage = text(sku, "category", "usageType")
    purchase = Purchase.SPOT if "Preemptible" in words else _PURCHASES.get(usage)  # spot SSD is told as OnDemand
    if purchase is None:
        raise Odd(f"the usage type is {usage!r}")
    usd = _usd_per_hour(sku)
    for region in listed(sku, "serviceRegions"):
        yield Rate(purchase, str(region), part, str(usd))


def name_of(sku: object) -> str:
    """What to call an SKU that is odd."""
    return str(sku.get("description") or sku.get("skuId")) if isinstance(sku, Mapping) else repr(sku)[:40]


def to_prices(rates: Rates, day: str) -> tuple[tuple[ListedPrice, ...], tuple[str, ...]]:
    """The prices of all machines wherever every part has one rate, and what was missing although a GPU has a rate."""
    prices: list[ListedPrice] = []
    missing: dict[tuple[Purchase, str], set[str]] = {}
    for purchase, region in rates.places():
        for machine, shape in SHAPES.items():
            lines = [(part, units, rates.of(purchase, region, part)) for part, units in _bill(shape)]
            unknown = [part for part, _, rate in lines if rate is None]
            if not unknown:
                cost = price(sum((rate * units for _, units, rate in lines if rate), Decimal(0)))
                payment = "monthly" if purchase in (Purchase.RESERVED_1Y, Purchase.RESERVED_3Y) else None
                prices.append(ListedPrice("gcp", region, None, machine, purchase, payment, "USD", cost, day, BILLING))
            elif _gpu_part(shape) not in unknown:
                for part in unknown:
                    missing.setdefault((purchase, part), set()).add(region)
    return tuple(prices), tuple(
        f"{purchase} {part}: no single rate in {len(regions)} regions, {min(regions)} first"
        for (purchase, part), regions in sorted(missing.items())
    )


def _bill(shape: Shape) -> Iterator[tuple[str, Decimal]]:
    """Parts of a machine and how many units of each."""
    if shape.family:
        yield f"{shape.family} core", Decimal(shape.cpus)
        yield f"{shape.family} ram", Decimal(str(shape.memory_gib))
    yield _gpu_part(shape), Decimal(shape.gpus)
    if shape.ssd_gib:
        yield "ssd", Decimal(shape.ssd_gib)


def _gpu_part(shape: Shape) -> str:
    return f"gpu {shape.gpu}"


def _part(words: str) -> str | None:
    if found := _CORE_OR_RAM.fullmatch(words):
        return f"{found[1]} {'ram' if found[2] == 'Ram' else 'core'}"
    if found := _N1_COMMITTED.fullmatch(words):
        return f"N1 Predefined {'ram' if found[1] == 'Ram' else 'core'}"
    if found := _GPU.fullmatch(words) or _SLICE.fullmatch(words):
        named = next(filter(None, found.groups()))
        return f"gpu {_GPUS[named]}" if named in _GPUS else None
    return "ssd" if _SSD.fullmatch(words) else None


def _usd_per_hour(sku: Mapping[str, Any]) -> Decimal:
    told = listed(sku, "pricingInfo")
    if len(told) != 1:  # without dates in the question, the latest alone is told
        raise Odd(f"it has {len(told)} prices")
    expression = named(told[0], "pricingExpression")
    unit, tiers = text(expression, "usageUnit"), listed(expression, "tieredRates")
    if unit not in _HOURS or len(tiers) != 1 or named(tiers[0]).get("startUsageAmount"):
        raise Odd(f"it is priced per {unit} in {len(tiers)} tiers")
    money = named(tiers[0], "unitPrice")
    if text(money, "currencyCode") != "USD":
        raise Odd(f"its currency is {money['currencyCode']}")
    whole = amount(money, "units") if "units" in money else Decimal(0)  # proto3 leaves zeros out
    nanos = amount(money, "nanos") if "nanos" in money else Decimal(0)
    cost = (whole + nanos.scaleb(-9)) / _HOURS[unit]
    if not cost:
        raise Odd("the price is 0")
    return cost
