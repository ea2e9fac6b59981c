"""Refreshing the catalog: what is told is judged, laid over, kept through kills, and refused when it looks broken."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from doubles import SimClock

from tradewind.app.asked import Step
from tradewind.app.market import catalog_of
from tradewind.app.patience import TRIES
from tradewind.app.refresh import Refresher
from tradewind.app.settings import Settings
from tradewind.app.staging import GOES_ON_FOR, Staging
from tradewind.catalog import refresh as judge
from tradewind.catalog.families import machines_named, prices_of
from tradewind.domain.errors import NotConfigured
from tradewind.domain.market import ListedMachine, ListedPrice, SpotPoint
from tradewind.domain.offer import Purchase
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page

TYPE = "p4d.24xlarge"
Answer = dict[str, Any]


def price(amount: str, region: str = "us-east-1", **more: Any) -> ListedPrice:
    given = {"instance_type": TYPE, "purchase": Purchase.ON_DEMAND, "zone": None, "currency": "USD", **more}
    return ListedPrice("aws", region, given["zone"], given["instance_type"], given["purchase"], None,
                       given["currency"], Decimal(amount), "2026-11-21", "the double, v1")  # fmt: skip


@dataclass
class PriceList:
    """The port in memory. ``pages``: of each part its pages; ``faults``: raised at the n-th call, counted from 0."""

    clock: SimClock
    pages: dict[str, list[Page]]
    faults: dict[int, BaseException] = field(default_factory=dict)
    points: list[SpotPoint] = field(default_factory=list)
    spot_fault: CloudFault | None = None
    calls: list[tuple[str, str | None]] = field(default_factory=list)
    at: list[float] = field(default_factory=list)
    name: str = "aws"
    calls_per_second: float = 2.0

    def parts(self) -> tuple[str, ...]:
        return tuple(self.pages)

    def page(self, part: str, cursor: str | None) -> Page:
        self.calls.append((part, cursor))
        self.at.append(self.clock.monotonic())
        if fault := self.faults.pop(len(self.calls) - 1, None):
            raise fault
        return self.pages[part][int(cursor or 0)]

    def spot_history(self, region: str, instance_types: Sequence[str], since: datetime) -> Iterator[SpotPoint]:
        if self.spot_fault:
            raise self.spot_fault
        return (each for each in self.points if each.region == region and each.at >= since)


def paged(*pages: Sequence[ListedPrice], machines: Sequence[ListedMachine] = ()) -> list[Page]:
    last = len(pages) - 1
    return [Page(tuple(machines) if number == 0 else (), tuple(prices), None if number == last else str(number + 1))
            for number, prices in enumerate(pages)]  # fmt: skip


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose snapshot is built: copies of it start at once."""
    home = tmp_path_factory.mktemp("built")
    catalog_of(Settings(home))
    return home


@pytest.fixture
def settings(tmp_path: Path, built: Path) -> Settings:
    shutil.copytree(built, tmp_path / "home")
    return Settings(tmp_path / "home")


@pytest.fixture
def clock() -> SimClock:
    return SimClock()


def in_force(settings: Settings, region: str = "us-east-1", kind: Purchase = Purchase.ON_DEMAND) -> set[str]:
    machine = machines_named(catalog_of(settings), TYPE)[0]
    lines = prices_of(catalog_of(settings), machine, date(2026, 11, 21))
    return {str(each.price_per_hour.amount) for each in lines if (each.region, each.purchase) == (region, kind)}


def refresh(settings: Settings, source: PriceList, tell: Callable[[Step], None] = lambda step: None) -> Answer:
    (answer,) = Refresher(settings, source.clock, lambda: 0.5, tell).refresh(["aws"], lambda cloud: source)
    return answer


def own_region(settings: Settings) -> list[ListedPrice]:
    """Everything that is known of one region on demand, so that a refresh of it loses nothing."""
    return [replace(each, price_per_hour=each.price_per_hour * 2, source="the double, v1")
            for each in judge.current(catalog_of(settings), "aws")
            if (each.region, each.purchase) == ("us-east-1", Purchase.ON_DEMAND)]  # fmt: skip


def test_what_a_cloud_tells_replaces_what_was_shipped(settings: Settings, clock: SimClock) -> None:
    before = in_force(settings)
    told = own_region(settings)
    answer = refresh(settings, PriceList(clock, {"us-east-1": paged(told[:3], told[3:])}))
    assert answer["outcome"] == "refreshed", answer
    assert answer["changes"]["dearer"] == len(told) == answer["prices"]
    assert {str(Decimal(each) * 2) for each in before} == in_force(settings)
    assert in_force(settings, "eu-west-1")  # what was not asked for stays


def test_a_machine_that_was_not_known_is_added(settings: Settings, clock: SimClock) -> None:
    machine = ListedMachine("aws", "p99.48xlarge", "NVIDIA H100", Decimal(8), 80.0, 192, 2048.0)
    told = [*own_region(settings), price("55.5", instance_type="p99.48xlarge"), price("1", instance_type="unheard.of")]
    answer = refresh(settings, PriceList(clock, {"us-east-1": paged(told, machines=[machine])}))
    assert answer["outcome"] == "refreshed"
    assert answer["no_machine"] == ["unheard.of"]
    (found,) = machines_named(catalog_of(settings), "p99.48xlarge")
    assert found.gpus == 8
    assert catalog_of(settings).passed_over == ()


@pytest.mark.parametrize("kill_at", [0, 1, 2, 3])
def test_a_refresh_that_was_killed_goes_on_where_it_was(settings: Settings, clock: SimClock, kill_at: int) -> None:
    told = own_region(settings)
    pages = {"a": paged(told[:2], told[2:4]), "b": paged(told[4:6], told[6:])}
    before = in_force(settings)
    killed = PriceList(clock, pages, {kill_at: KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        refresh(settings, killed)
    assert in_force(settings) == before
    again = PriceList(clock, pages)
    answer = refresh(settings, again)
    asked = [("a", None), ("a", "1"), ("b", None), ("b", "1")]
    assert again.calls == asked[kill_at:]
    assert (answer["outcome"], answer["went_on"]) == ("refreshed", True)
    assert answer["prices"] == len(told)
    third = PriceList(clock, pages)
    assert refresh(settings, third)["went_on"] is False
    assert third.calls == asked


def test_a_torn_line_is_asked_for_again(settings: Settings, clock: SimClock) -> None:
    told = own_region(settings)
    pages = {"a": paged(told[:3], told[3:])}
    with pytest.raises(KeyboardInterrupt):
        refresh(settings, PriceList(clock, pages, {1: KeyboardInterrupt()}))
    staged = settings.catalog / "refreshing" / "aws.jsonl"
    staged.write_bytes(staged.read_bytes()[:-20])
    again = PriceList(clock, pages)
    assert refresh(settings, again)["prices"] == len(told)
    assert again.calls == [("a", None), ("a", "1")]


def test_pages_of_another_day_are_asked_for_again(settings: Settings, clock: SimClock) -> None:
    told = own_region(settings)
    pages = {"a": paged(told[:3], told[3:])}
    with pytest.raises(KeyboardInterrupt):
        refresh(settings, PriceList(clock, pages, {1: KeyboardInterrupt()}))
    clock.sleep(GOES_ON_FOR.total_seconds())
    again = PriceList(clock, pages)
    assert refresh(settings, again)["went_on"] is False
    assert len(again.calls) == 2


def test_it_waits_as_long_as_the_cloud_says(settings: Settings, clock: SimClock) -> None:
    slower = CloudFault("throttle", "slower", sent="yes", retry_after_s=40)
    source = PriceList(clock, {"a": paged(own_region(settings))}, {0: slower})
    steps: list[Step] = []
    assert refresh(settings, source, steps.append)["outcome"] == "refreshed"
    assert source.at[1] - source.at[0] >= 40
    assert [each.waiting_s for each in steps if each.waiting_s] == [40]


def test_calls_keep_the_pace_that_the_cloud_allows(settings: Settings, clock: SimClock) -> None:
    told = own_region(settings)
    source = PriceList(clock, {name: paged([each]) for name, each in zip("abcdefgh", told, strict=False)})
    refresh(settings, source)
    assert all(later - earlier >= 0.5 for earlier, later in zip(source.at, source.at[1:], strict=False))


def test_a_cloud_that_stops_answering_is_told_and_its_pages_kept(settings: Settings, clock: SimClock) -> None:
    told = own_region(settings)
    pages = {"a": paged(told[:3], told[3:])}
    away = {number: CloudFault("unavailable", "no answer", sent="maybe") for number in range(1, 1 + TRIES)}
    source = PriceList(clock, pages, {**away})
    answer = refresh(settings, source)
    assert (answer["outcome"], answer["error"]["code"]) == ("failed", "prices-not-answered")
    assert len(source.calls) == 1 + TRIES
    again = PriceList(clock, pages)
    assert refresh(settings, again)["outcome"] == "refreshed"
    assert again.calls == [("a", "1")]


def test_a_part_that_is_not_allowed_leaves_the_others(settings: Settings, clock: SimClock) -> None:
    told = own_region(settings)
    before = in_force(settings, "eu-west-1")
    pages = {"us-east-1": paged(told), "eu-west-1": paged([price("99", "eu-west-1")], [price("98", "eu-west-1")])}
    denied = CloudFault("auth", "opt in first", sent="yes")
    answer = refresh(settings, PriceList(clock, pages, {2: denied}))  # the second page of the second part
    assert answer["outcome"] == "refreshed"
    assert [(each["part"], each["error"]["code"]) for each in answer["parts_failed"]] == [
        ("eu-west-1", "prices-not-allowed")
    ]
    assert answer["prices"] == len(told)
    assert in_force(settings, "eu-west-1") == before  # half of a part would look as if the rest were gone


def test_a_cloud_without_credentials_or_sdk_does_not_keep_the_others(settings: Settings, clock: SimClock) -> None:
    works = PriceList(clock, {"a": paged(own_region(settings))})

    def connect(cloud: str) -> PriceList:
        if cloud == "gcp":
            raise NotConfigured("extra-missing", cloud=cloud, module="google")
        if cloud == "alibaba":
            raise CloudFault("auth", "no key", sent="no")
        return works

    answers = Refresher(settings, clock, lambda: 0.5, lambda step: None).refresh(["gcp", "alibaba", "aws"], connect)
    assert [each["outcome"] for each in answers] == ["not_configured", "not_configured", "refreshed"]
    assert [each["error"]["code"] for each in answers[:2]] == ["extra-missing", "prices-not-allowed"]


def test_pages_that_go_in_a_circle_end(settings: Settings, clock: SimClock) -> None:
    told = own_region(settings)
    circle = [Page((), (told[0],), "1"), Page((), (told[1],), "1")]
    answer = refresh(settings, PriceList(clock, {"a": circle}))
    assert (answer["outcome"], answer["error"]["code"]) == ("failed", "prices-not-understood")


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda told: told[: len(told) // 3], "refresh-half-gone"),
        (lambda told: [replace(each, price_per_hour=each.price_per_hour * 30) for each in told], "refresh-off-by-ten"),
        (lambda told: [replace(told[0], price_per_hour=Decimal(0)), *told[1:]], "refresh-not-positive"),
        (lambda told: [replace(each, currency="CNY") for each in told], "refresh-currency-changed"),
        (lambda told: [], "refresh-nothing-told"),
        (lambda told: [*told, replace(told[0], price_per_hour=Decimal(7))], "refresh-told-twice"),
    ],
)
def test_what_looks_broken_is_refused_and_the_last_good_one_kept(
    settings: Settings, clock: SimClock, spoil: Callable[[list[ListedPrice]], list[ListedPrice]], code: str
) -> None:
    good = own_region(settings)
    assert refresh(settings, PriceList(clock, {"a": paged(good)}))["outcome"] == "refreshed"
    before = in_force(settings)
    answer = refresh(settings, PriceList(clock, {"a": paged(spoil(good))}))
    assert (answer["outcome"], answer["error"]["code"]) == ("refused", code)
    assert in_force(settings) == before
    again = PriceList(clock, {"a": paged(good)})
    assert refresh(settings, again)["outcome"] == "refreshed"  # what was refused is not gone on with
    assert again.calls


def test_the_same_answer_twice_is_one(settings: Settings, clock: SimClock) -> None:
    told = own_region(settings)
    answer = refresh(settings, PriceList(clock, {"a": paged(told, told)}))
    assert (answer["outcome"], answer["prices"]) == ("refreshed", len(told))


def test_two_refreshes_of_one_cloud_do_not_mix(settings: Settings, clock: SimClock) -> None:
    source = PriceList(clock, {"a": paged(own_region(settings))})
    with Staging(settings.catalog / "refreshing" / "aws.jsonl"):
        answer = refresh(settings, source)
    assert (answer["outcome"], answer["error"]["code"]) == ("failed", "refresh-already-runs")
    assert source.calls == []


def test_spot_prices_are_kept_as_a_series(settings: Settings, clock: SimClock) -> None:
    spot = [price("5", zone=f"use1-az{number}", purchase=Purchase.SPOT) for number in range(1, 4)]
    start = clock.now() - timedelta(days=3)
    points = [SpotPoint("aws", "us-east-1", "use1-az1", TYPE, start + timedelta(hours=each), "USD", Decimal(5 + each))
              for each in range(10)]  # fmt: skip
    told = {"spot": paged(spot_in_force(settings, spot))}
    first = refresh(settings, PriceList(clock, told, points=points[:6]))
    assert first["spot_points"] == 6, first
    series = settings.catalog / "spot" / "aws.csv"
    series.write_bytes(series.read_bytes() + b"us-east-1,use1")  # a kill tore a line
    second = refresh(settings, PriceList(clock, told, points=points))
    assert second["spot_points"] == 4
    lines = series.read_text().splitlines()
    assert len(lines) == 1 + 10 == len(set(lines))


def spot_in_force(settings: Settings, more: list[ListedPrice]) -> list[ListedPrice]:
    known = [each for each in judge.current(catalog_of(settings), "aws")
             if (each.region, each.purchase) == ("us-east-1", Purchase.SPOT)]  # fmt: skip
    return list({(each.zone, each.instance_type): each for each in (*known, *more)}.values())


def test_spot_history_that_cannot_be_asked_leaves_the_prices(settings: Settings, clock: SimClock) -> None:
    denied = CloudFault("auth", "not allowed", sent="yes")
    answer = refresh(settings, PriceList(clock, {"spot": paged(spot_in_force(settings, []))}, spot_fault=denied))
    assert answer["outcome"] == "refreshed"
    assert answer["spot_error"]["code"] == "prices-not-allowed"


def test_a_full_disk_leaves_what_was_in_force(settings: Settings, clock: SimClock) -> None:
    """Writes past a limit fail as on a full disk, in a process of its own."""
    assert refresh(settings, PriceList(clock, {"a": paged(own_region(settings))}))["outcome"] == "refreshed"
    before = in_force(settings)
    code = (
        "import resource, signal, sys, json\n"
        "from pathlib import Path\n"
        "from test_app_refresh import *\n"
        "settings, clock = Settings(Path(sys.argv[1])), SimClock()\n"
        "told = [replace(each, price_per_hour=each.price_per_hour * 2) for each in own_region(settings)]\n"
        "catalog_of(settings)\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))\n"
        "print(json.dumps(refresh(settings, PriceList(clock, {'a': paged(told)}))))\n"
    )
    env = {"PYTHONPATH": f"{Path(__file__).parent}:{Path(__file__).parents[1]}"}
    command = [sys.executable, "-c", code, str(settings.home)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    answer = json.loads(done.stdout or "null")
    assert answer, done.stderr
    assert (answer["outcome"], answer["error"]["code"]) == ("failed", "refresh-not-kept")
    assert in_force(settings) == before
