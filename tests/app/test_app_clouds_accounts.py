"""Accounts at clouds: which there are, what opening one wires, and what is asked of clouds for it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from cloud_double import OddProvider
from clouds_world import OWNER, Sky, providers_in, sky
from doubles import OddNodes, SimClock

from tradewind.app.clouds.accounts import CloudAccounts
from tradewind.app.clouds.discovery import discover
from tradewind.app.clouds.reaching import RentedReach
from tradewind.app.inside import open_inside
from tradewind.app.settings import Settings
from tradewind.domain.errors import BadInput, NotConfigured
from tradewind.leasing.intent import Wish, intend
from tradewind.leasing.room import Site
from tradewind.leasing.sweep import look
from tradewind.ports.cloud import Region
from tradewind.ports.compute import CloudFault, HardEnd, Instance, InstanceState, Order, Query
from tradewind.ports.transport import Unreachable

OFFER = {"cloud": "aws", "region": "us-east-1", "zone": None, "instance_type": "g4dn.xlarge", "purchase": "spot"}
ORDER = Order("t", "l", OWNER, "aws", "us-east-1", None, "g4dn.xlarge", "spot", "2026-11-21T20:00:00+00:00")


class Silent(RentedReach):
    """Transports that reach nobody; who hears of it is kept."""

    def __init__(self) -> None:
        self.heard: dict[str, object] = {}

    def transport(self, account: str, on_silence: object) -> OddNodes:  # type: ignore[override]
        self.heard[account] = on_silence
        return OddNodes()


def accounts(home: Path, text: str = "", named: Collection[str] = ()) -> CloudAccounts:
    return CloudAccounts(
        providers_in(home, text),
        Silent(),
        lambda: named,
        lambda cloud, order: replace(order, furnished=True),
        SimClock(),
    )


@pytest.fixture
def one(monkeypatch: pytest.MonkeyPatch) -> Sky:
    return sky(monkeypatch, OddProvider(), OddProvider("alibaba", found=None))


def test_where_nobody_rented_and_nothing_is_set_there_is_no_account_and_nobody_is_asked(
    tmp_path: Path, one: Sky
) -> None:
    assert accounts(tmp_path).names() == ()
    assert one.opened == []


def test_there_are_those_that_are_set_those_that_were_named_and_those_that_were_found(tmp_path: Path, one: Sky) -> None:
    made = accounts(tmp_path, "aws: {regions: eu-west-1}\n", ("local", "machines:box", "alibaba:cn-beijing"))
    assert made.names() == (
        "alibaba:cn-beijing", "alibaba:cn-beijing:network", "aws:eu-west-1", "aws:eu-west-1:network",
    )  # fmt: skip
    (tmp_path / "clouds.yaml").unlink()
    assert made.discover().places == {("aws", "us-east-1"), ("aws", "us-west-2")}
    assert "aws:us-west-2" in made.names()
    assert "aws:af-south-1" not in made.names()  # turned off


def test_a_network_of_ones_own_is_no_account_of_ours_but_one_that_was_rented_before_is(
    tmp_path: Path, one: Sky
) -> None:
    given = "aws: {regions: eu-west-1, network: given, subnets: s-1, groups: g-1}\n"
    assert accounts(tmp_path, given).names() == ("aws:eu-west-1",)
    assert accounts(tmp_path, given).open("aws:eu-west-1").site is None
    named = accounts(tmp_path, given, ["aws:us-east-1:network"])
    assert named.names() == ("aws:eu-west-1", "aws:us-east-1", "aws:us-east-1:network")


def test_any_account_can_be_opened_by_its_name_and_is_made_once(tmp_path: Path, one: Sky) -> None:
    made = accounts(tmp_path)
    account, network = made.open("aws:ap-east-1"), made.open("aws:ap-east-1:network")
    assert made.open("aws:ap-east-1") is account
    assert account.site == Site("aws:ap-east-1:network", "default")
    assert account.furnish is not None
    assert account.furnish(ORDER).furnished
    assert (network.site, network.furnish, network.compute.name) == (None, None, "aws")
    for name in ("aws", "aws:", "azure:westeurope", "local", "machines:box"):
        with pytest.raises(KeyError):
            made.open(name)


def test_settings_that_changed_open_the_account_anew_over_the_same_roads(tmp_path: Path, one: Sky) -> None:
    made = accounts(tmp_path)
    before = made.open("aws:us-east-1")
    (tmp_path / "clouds.yaml").write_text("aws: {network: private}\n")
    one.clouds["aws"] = OddProvider()
    after = made.open("aws:us-east-1")
    assert after.site == Site("aws:us-east-1:network", "private")
    assert after.transport is before.transport
    assert [settings.network for _, settings in one.opened] == ["default", "private"]


def test_a_faulty_file_leaves_rented_places_unknown_never_empty(tmp_path: Path, one: Sky) -> None:
    made = accounts(tmp_path, "aws: {regoins: x}\n", ["aws:us-east-1"])
    assert made.names() == ()
    with pytest.raises(KeyError):
        made.open("aws:us-east-1")
    with pytest.raises(BadInput):
        made.discover()


def test_a_place_that_was_rented_in_and_has_no_sdk_any_more_is_not_listed_as_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sky(monkeypatch)
    inside = open_inside(Settings(tmp_path), SimClock())
    now = inside.clock.now()
    with inside.db.write() as db:
        intend(db, Wish("job-1", 1, "aws:us-east-1", OFFER, timedelta(hours=1), HardEnd.GUEST_TERMINATES), "me", now)
    with pytest.raises(KeyError):
        inside.leasing.accounts["aws:us-east-1"]
    assert list(inside.leasing.accounts) == ["local", "rehearsal"]
    assert [each.account for each in look(inside.leasing).checked if not each.complete] == ["aws:us-east-1"]


def test_a_silent_machine_lets_the_address_of_now_in_where_that_is_ours_to_say(tmp_path: Path, one: Sky) -> None:
    made = accounts(tmp_path, "aws: {regions: us-east-1}\n")
    made.providers.address.network = lambda url: "203.0.113.9/32"  # type: ignore[method-assign]
    made.open("aws:us-east-1")
    network = one.clouds["aws"].network("us-east-1")
    network.launch(replace(ORDER, instance_type="default"))
    silent = Instance("i-1", "t", "l", OWNER, InstanceState.RUNNING, None, "10.0.0.1", SimClock().now())
    made._reach.heard["aws:us-east-1"](silent)  # type: ignore[attr-defined]
    assert network.admitted == [("i-0", "203.0.113.9/32")]
    for line in ("aws: {ssh_from: 198.51.100.0/24}\n", "aws: {network: given, subnets: s, groups: g}\n"):
        (tmp_path / "clouds.yaml").write_text(line)
        made._reach.heard["aws:us-east-1"](silent)  # type: ignore[attr-defined]
    assert len(network.admitted) == 1


def test_from_where_machines_are_reached_is_what_is_set_or_what_is_asked(tmp_path: Path, one: Sky) -> None:
    made = providers_in(tmp_path, "caller_address: http://127.0.0.1:1/\nalibaba: {ssh_from: 10.0.0.0/8}\n")
    assert made.ssh_from("alibaba") == "10.0.0.0/8"
    with pytest.raises(NotConfigured) as fault:
        made.ssh_from("aws")
    assert (fault.value.code, fault.value.facts["url"]) == ("caller-unknown", "http://127.0.0.1:1/")
    made.get("aws")
    with pytest.raises(CloudFault) as told:
        one.callers["aws"]()
    assert (told.value.kind, told.value.sent) == ("unavailable", "no")


def test_clouds_are_looked_at_by_their_credentials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    away = CloudFault("auth", "the token has expired", sent="yes")
    sky(monkeypatch, OddProvider("aws", away=away), OddProvider("alibaba", found=None))
    found = discover(providers_in(tmp_path))
    assert (found.places, {cloud: error.code for cloud, error in found.faults.items()}) == (
        frozenset(), {"aws": "cloud-not-asked"},
    )  # fmt: skip
    told = discover(providers_in(tmp_path, "alibaba: {regions: cn-beijing}\n"))
    assert {cloud: error.code for cloud, error in told.faults.items()} == {
        "alibaba": "credentials-missing", "aws": "cloud-not-asked",
    }  # fmt: skip
    set_up = discover(providers_in(tmp_path, "aws: {regions: us-east-1}\n"))  # regions that are set are not asked for
    assert set_up.places == {("aws", "us-east-1")}


def test_a_region_of_which_it_is_not_known_whether_it_is_on_is_rented_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sky(monkeypatch, OddProvider("alibaba", there=(Region("cn-beijing", None), Region("us-west-1", False))))
    assert discover(providers_in(tmp_path)).places == {("alibaba", "cn-beijing")}


def test_a_network_is_reached_at_once_and_nothing_runs_on_it(tmp_path: Path, one: Sky) -> None:
    transport = accounts(tmp_path).open("aws:us-east-1:network").transport
    (network,) = (OddProvider().network("us-east-1"),)
    network.launch(ORDER)
    (instance,) = network.find(Query()).instances
    transport.reach(instance)
    with pytest.raises(Unreachable) as fault:
        transport.hear(instance, 0, 0, 1)
    assert fault.value.code == "gone"
