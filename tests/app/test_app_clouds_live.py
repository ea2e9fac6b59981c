"""Live prices: a paid plan is made with what clouds ask today, within the places where one may rent."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from cloud_double import OddProvider, usd
from clouds_world import Sky, providers_in, sky
from doubles import SimClock

from tradewind.app.clouds import live
from tradewind.app.clouds.live import live_plan, quotes, quoting
from tradewind.app.clouds.within import Within, key_of
from tradewind.domain.money import Money
from tradewind.domain.offer import Offer, PriceStatus, Purchase
from tradewind.ports.compute import CloudFault

DAY = date(2026, 11, 22)
PLACES = frozenset({("aws", "us-east-1"), ("alibaba", "us-east-1")})


def offer(name: str, price: str, status: PriceStatus = PriceStatus.DATED, **more: Any) -> Offer:
    usual: dict[str, Any] = {"cloud": "aws", "region": "us-east-1", "zone": None, "purchase": Purchase.ON_DEMAND}
    return Offer(
        instance_type=name, gpu="T4", form=None, gpu_known=True, gpus=Decimal(1), gpu_memory_gib=16.0, cpus=4,
        memory_gib=16.0, network_gbps=None, rdma=None, nvlink=None, price_per_hour=usd(price), price_status=status,
        as_of="2026-03", source="list", carbon_g_per_kwh=None, **(usual | more),
    )  # fmt: skip


def cheapest(offers: list[Offer]) -> Any:
    """A planner that takes the cheapest offer, and the next one as its fallback."""

    def make(within: Within) -> dict[str, Any]:
        kept, left_out = within.narrowed(offers)
        ranked = sorted(kept, key=lambda each: each.price_per_hour.amount if each.price_per_hour else 0)
        ways = [{"offer": each.to_json()} for each in ranked]
        return {"chosen": ways[0] if ways else None, "fallbacks": ways[1:2], "alternatives": [], "left_out": left_out}

    return make


def chosen(plan: dict[str, Any]) -> tuple[str, str, str]:
    told = plan["chosen"]["offer"]
    return told["instance_type"], told["price_per_hour"]["amount"], told["price_status"]


def test_offers_elsewhere_are_counted_by_region_of_their_own_cloud(tmp_path: Path) -> None:
    offers = [
        offer("a", "1"), offer("b", "1", region="us-west-2"), offer("c", "1", cloud="alibaba"),
        offer("d", "1", cloud="alibaba", region="cn-beijing"), offer("m", "1", cloud="machines", region="box"),
    ]  # fmt: skip
    kept, left_out = Within(PLACES, DAY).narrowed(offers)
    assert [each.instance_type for each in kept] == ["a", "c", "m"]
    assert left_out == {"not-configured": 2}
    assert [each.stock for each in kept] == [1, 1, None]  # a job has one machine


def test_the_plan_is_made_again_until_all_it_comes_to_was_asked() -> None:
    now = {"a": usd("5"), "b": usd("2"), "c": usd("3")}
    asked: list[str] = []

    def quote(each: Offer) -> Money | None:
        asked.append(each.instance_type)
        return now[each.instance_type]

    plan = live_plan(cheapest([offer(name, price) for name, price in (("a", "1"), ("b", "2"), ("c", "2.5"))]),
                     Within(PLACES, DAY), quote, SimClock())  # fmt: skip
    assert chosen(plan) == ("b", "2.00", "fresh")
    assert plan["chosen"]["offer"]["as_of"] == "2026-11-22"
    assert sorted(asked) == ["a", "b", "c"]  # each once


def test_an_old_price_that_is_not_told_is_left_out_and_a_dated_one_is_not() -> None:
    offers = [offer("old", "1", PriceStatus.OLD), offer("dated", "2"), offer("dear", "3")]
    plan = live_plan(cheapest(offers), Within(PLACES, DAY), lambda each: None, SimClock())
    assert chosen(plan) == ("dated", "2.00", "dated")
    assert plan["left_out"] == {"price-not-told": 1}


def test_when_the_time_is_up_the_plan_keeps_to_what_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimClock()

    def dearer(each: Offer) -> Money | None:
        clock.sleep(live.ASK_SECONDS)
        return usd("9")

    monkeypatch.setattr(live, "AT_ONCE", 1)
    plan = live_plan(
        cheapest([offer(str(each), str(each)) for each in range(1, 9)]), Within(PLACES, DAY), dearer, clock
    )
    assert chosen(plan) == ("1", "9.00", "fresh")
    assert plan["left_out"] == {"price-not-asked": 6}


def test_machines_of_ones_own_are_not_asked_about() -> None:
    own = offer("box", "1", cloud="machines", region="box")
    assert chosen(live_plan(cheapest([own]), Within(PLACES, DAY), _never, SimClock()))[0] == "box"


def test_nothing_that_fits_is_a_plan_too() -> None:
    assert live_plan(cheapest([]), Within(PLACES, DAY), _never, SimClock())["chosen"] is None


def _never(each: Offer) -> Money | None:
    raise AssertionError(each)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """What a slow cloud waits for; nobody waits for it longer than a moment."""
    monkeypatch.setattr(live, "ANSWER_SECONDS", 0.05)
    made = threading.Event()
    yield made
    made.set()


def test_a_cloud_that_is_slow_tells_nothing_and_holds_nobody_up(gate: threading.Event) -> None:
    slow, quick = offer("slow", "1"), offer("quick", "1")

    def quote(each: Offer) -> Money | None:
        if each is slow:
            gate.wait()
        return usd("1")

    assert quotes([slow, quick], quote) == {key_of(slow): None, key_of(quick): usd("1")}


def test_a_quote_names_the_offer_and_what_cannot_be_asked_tells_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = OddProvider(price=lambda order: usd("0.52"))
    made: Sky = sky(monkeypatch, provider)
    quote, one = quoting(providers_in(tmp_path)), offer("g4dn.xlarge", "1", zone="use1-az1", purchase=Purchase.SPOT)
    assert quote(one) == usd("0.52")
    assert provider.quoted == [("us-east-1", "use1-az1", "g4dn.xlarge", "spot")]
    provider.price = lambda order: CloudFault("throttle", "later", sent="yes")
    assert quote(one) is None
    assert quote(replace(one, cloud="alibaba")) is None  # its SDK is missing
    assert [cloud for cloud, _ in made.opened] == ["aws", "alibaba"]
