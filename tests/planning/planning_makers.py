"""Offers, fits and strategies of hypothesis for the tests of this room."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from tradewind.domain.estimate import Estimate
from tradewind.domain.fit import Fit, MemoryParts, PeakMemory
from tradewind.domain.money import Money, Rate
from tradewind.domain.offer import Offer, PriceStatus, Purchase
from tradewind.domain.plan import Plan
from tradewind.domain.precision import Precision
from tradewind.planning import Ask, plan

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
CNY = Rate("USD", "CNY", Decimal("7.1"), "2026-11-20", "made up")
SPEED = {"T4": 1.0, "L4": 1.5, "A10": 2.0, "A100-80GB": 8.0, "H100-80GB": 16.0}  # relative, one GPU


def money(text: str, currency: str = "USD") -> Money:
    return Money(Decimal(text), currency)


def make_offer(**given: Any) -> Offer:
    """A fresh on-demand T4 of one cloud for 1 USD an hour; ``price`` and ``currency`` in short."""
    price, currency = given.pop("price", "1"), given.pop("currency", "USD")
    fields: dict[str, Any] = {
        "cloud": "aws", "region": "r1", "zone": None, "instance_type": "t4.small", "gpu": "T4", "form": None,
        "gpu_known": True, "gpus": Decimal(1), "gpu_memory_gib": 16.0, "cpus": 8, "memory_gib": 32.0,
        "network_gbps": None, "rdma": None, "nvlink": None, "purchase": Purchase.ON_DEMAND,
        "price_per_hour": None if price is None else money(price, currency), "price_status": PriceStatus.FRESH,
        "as_of": "2026-11-01", "source": "test", "carbon_g_per_kwh": 400.0, "country": "US", "city": None,
    }  # fmt: skip
    return Offer(**(fields | given))


def make_fit(gpu: str = "T4", gpus: float = 1, seconds: float = 1.0, *, fits: bool = True, nodes: int = 1) -> Fit:
    """A fit whose step takes ``seconds``, half to twice that; not fitting, it is 1.25 GiB short."""
    usable = 14.0
    peak = Estimate(8.0, 6.0, 10.0) if fits else Estimate(15.0, 14.5, 15.25)
    return Fit(
        gpu, gpus, nodes, "single" if gpus == 1 else "ddp", 32, 1, Precision.FP32, "none", fits,
        PeakMemory(peak, peak, peak), 16.0, usable, MemoryParts(1, 1, 1, 1, 1, 1), 64, 1e12,
        Estimate(seconds, seconds / 2, seconds * 2), Estimate(32 / seconds, 16 / seconds, 64 / seconds), "samples",
        0.3, "compute",
    )  # fmt: skip


_FITS: dict[tuple[str, float, int], Fit] = {}


def fit_of(offer: Offer, nodes: int = 1) -> Fit | str:
    """One second a step on a T4, less on faster or more GPUs; each further machine is worth seven tenths of one."""
    if offer.gpu not in SPEED:
        return "no-data-sheet"
    gpus = float(offer.gpus) * nodes
    key = (offer.gpu, gpus, nodes)
    if key not in _FITS:
        worth = float(offer.gpus) * (1 + 0.7 * (nodes - 1))
        _FITS[key] = make_fit(offer.gpu, gpus, 1 / (SPEED[offer.gpu] * worth), nodes=nodes)
    return _FITS[key]


def make_plan(ask: Ask, offers: list[Offer], **given: Any) -> Plan:
    """The plan for tests: now and rates are fixed."""
    fields: dict[str, Any] = {"now": NOW, "catalog_date": "2026-11-21", "rates": (CNY,)}
    chosen_fit = given.pop("fit_of", fit_of)
    return plan(ask, offers, chosen_fit, **(fields | given))


def mostly(usual: Any, *others: Any) -> st.SearchStrategy[Any]:
    """``usual`` in most draws, so that not every draw breaks some constraint."""
    return st.sampled_from([usual] * (4 * len(others)) + list(others))


PRICES = ("0.1", "0.1234", "0.5", "1", "1.99", "2.5", "7.7777", "30", "98.32")


@st.composite
def some_offers(draw: st.DrawFn) -> Offer:
    """Any offer, most of them usable."""
    gpu, count = draw(mostly("T4", "Nothing-1") | st.sampled_from(list(SPEED))), draw(st.sampled_from([1, 2, 4, 8]))
    cloud = draw(st.sampled_from(["aws", "gcp", "alibaba"]))
    return make_offer(
        cloud=cloud,
        region=draw(st.sampled_from(["r1", "r2"])),
        zone=draw(st.sampled_from([None, "a", "b"])),
        instance_type=f"{gpu}.{count}",
        gpu=gpu,
        gpu_known=draw(mostly(True, False)),
        gpus=Decimal(count),
        cpus=draw(mostly(16, 4, None)),
        purchase=draw(mostly(Purchase.ON_DEMAND, Purchase.SPOT, Purchase.RESERVED_1Y) | st.just(Purchase.SPOT)),
        network_gbps=draw(st.sampled_from([None, 25.0])),
        carbon_g_per_kwh=draw(mostly(400.0, 20.0, None)),
        price=draw(st.sampled_from(PRICES) | mostly("3", None)),
        currency="CNY" if cloud == "alibaba" else "USD",
        price_status=draw(mostly(PriceStatus.FRESH, *PriceStatus)),
        country=draw(mostly("DE", "US", "NO", "CN", None)),
    )


offer_lists = st.lists(some_offers(), max_size=10)
