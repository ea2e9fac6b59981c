"""The market as a use case: what should be known of the snapshot that answers, whatever the day."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from tradewind.app import market
from tradewind.app.queries import OffersQuery
from tradewind.app.settings import Settings


class Stopped:
    """A clock that stands."""

    def __init__(self, day: datetime) -> None:
        self._day = day

    def now(self) -> datetime:
        return self._day


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize(("gpu", "tier", "told"), [
    ("RTX-3090", "cloud", True), ("T4", "cloud", False), ("MI250X", "specialist", False),
])  # fmt: skip
def test_what_only_specialists_rent_is_said(settings: Settings, gpu: str, tier: str, told: bool) -> None:
    found = market.offers(settings, OffersQuery(gpu=gpu, tier=tier))
    assert bool(found["specialists"]) is told
    if told:
        theirs = market.offers(settings, OffersQuery(gpu=gpu, tier="specialist"))["offers"]
        assert found["specialists"] == len(theirs)


@pytest.mark.parametrize(("day", "behind"), [
    (datetime(2020, 1, 1, tzinfo=UTC), True), (datetime(2026, 11, 17, tzinfo=UTC), True),
    (datetime(2026, 11, 18, tzinfo=UTC), False), (datetime(2027, 3, 1, tzinfo=UTC), False),
])  # fmt: skip
def test_a_clock_before_the_newest_price_is_said_and_answers_all_the_same(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, day: datetime, behind: bool
) -> None:
    monkeypatch.setattr(market, "SystemClock", lambda: Stopped(day))
    found = market.offers(settings, OffersQuery(gpu="T4", clouds=("azure",)))
    newest = market.catalog_of(settings).date
    assert date.fromisoformat(newest) == date(2026, 11, 18)
    assert found["clock_behind"] == ({"today": day.date().isoformat(), "newest": newest} if behind else None)
    assert found["offers"]
    if day.year == 2020:
        assert {each["price_status"] for each in found["offers"]} <= {"dated", "unknown"}, "no age is made up"


def test_a_missing_home_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    home = tmp_path / "above" / "home"
    market.catalog_of(Settings(home))
    assert home.stat().st_mode & 0o777 == 0o700
