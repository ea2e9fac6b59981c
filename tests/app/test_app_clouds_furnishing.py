"""Furnishing an order: its price is held against today's, and what it lacks is filled in."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from cloud_double import Answer, OddProvider, OddRegion, usd

from tradewind.app.clouds.furnishing import furnish
from tradewind.app.settings import Settings
from tradewind.domain.money import parse_money
from tradewind.nodes.ssh.pins import Pins
from tradewind.ports.compute import CloudFault, Order

ORDER = Order(
    "3f0c9d7e-6d8e-4f36-9a10-2b7d1c5f0a11", "lease-1", "owner-1", "aws", "us-east-1", None, "g4dn.xlarge", "spot",
    "2026-11-21T20:00:00+00:00", {"tradewind:lease": "lease-1"}, 1.0, price="1.00", currency="USD",
    price_status="fresh", price_cap="1.10", network="sg-1",
)  # fmt: skip


def region(price: Answer) -> OddRegion:
    return OddProvider(price=lambda order: price).cloud("us-east-1")


@pytest.mark.parametrize(("status", "price"), [
    ("fresh", usd("1.10")), ("fresh", usd("0.20")), ("fresh", None), ("dated", None), ("old", usd("1.05")),
    ("fresh", CloudFault("throttle", "later", sent="yes")), ("fresh", parse_money("1 CNY")),
])  # fmt: skip
def test_an_order_is_whole_when_its_price_still_holds(tmp_path: Path, status: str, price: Answer) -> None:
    whole = furnish(Settings(tmp_path), region(price), replace(ORDER, price_status=status))
    assert (whole.furnished, whole.zone, whole.image) == (True, "us-east-1-a", "image-1")
    filled_in = {name: getattr(ORDER, name) for name in ("furnished", "zone", "image", "user_data", "price_status")}
    assert replace(whole, **filled_in) == ORDER  # and nothing else of it changed


@pytest.mark.parametrize(("status", "price"), [
    ("fresh", usd("1.11")), ("dated", usd("2")), ("old", None), ("old", CloudFault("auth", "no", sent="yes")),
    ("fresh", parse_money("20 CNY")),
])  # fmt: skip
def test_an_order_that_costs_more_than_planned_is_not_sent_and_nothing_is_left_of_it(
    tmp_path: Path, status: str, price: Answer
) -> None:
    with pytest.raises(CloudFault) as fault:
        furnish(Settings(tmp_path), region(price), replace(ORDER, price_status=status))
    assert (fault.value.kind, fault.value.sent) == ("price_cap", "no")
    assert "planned $1.00" in fault.value.words
    assert not (tmp_path / "nodes").exists()


def test_the_machine_is_told_apart_before_it_exists(tmp_path: Path) -> None:
    whole = furnish(Settings(tmp_path), region(usd("1")), ORDER)
    kept = Pins(tmp_path / "nodes").read(ORDER.token)
    assert kept is not None
    assert (kept.pins, kept.order["lease"]) == ((kept.one_time,), "lease-1")
    public = (tmp_path / "keys" / "id_ed25519.pub").read_text().split()[1]
    private = (tmp_path / "keys" / "id_ed25519").read_text()
    assert public in whole.user_data
    assert private.splitlines()[3] not in whole.user_data
    assert len(whole.user_data.encode()) <= region(None).caps.user_data_bytes
    (file,) = (tmp_path / "nodes").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_key_that_cannot_be_kept_sends_nothing(tmp_path: Path) -> None:
    (tmp_path / "nodes").write_text("in the way")
    with pytest.raises(CloudFault) as fault:
        furnish(Settings(tmp_path), region(usd("1")), ORDER)
    assert (fault.value.kind, fault.value.sent) == ("unavailable", "no")
    assert os.listdir(tmp_path / "keys")
