"""Cases of the suite in which the way to a machine matters, over a real sshd: the others are played over pipes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import test_conformance_clouds as suite
from grounds import FolderGround
from sshd import Relay, Sshd, keygen

from tradewind.app.clock import SystemClock
from tradewind.clouds.machines.compute import MachinesCompute
from tradewind.domain.machine import Machine
from tradewind.nodes.parcel import build_agent
from tradewind.nodes.ssh.road import Road
from tradewind.nodes.ssh.roads import Roads
from tradewind.ports.compute import InstanceState, Query
from tradewind.ports.host import Host


class SshGround(FolderGround):
    """A machine that is reached over SSH."""

    prefix = "machine-"

    def __init__(self, place: Path, host: Host, home: Path) -> None:
        self.place, self.clock = place, SystemClock()
        self.machines = home / ".tradewind-node" / "me" / "instances"
        self.cloud = MachinesCompute(Machine("box", "box", self.clock.now(), ()), host, self.clock)


@dataclass
class CutAtTake:
    """A road whose line is cut when the answer to the ``nth`` order comes."""

    road: Road
    relay: Relay
    nth: int

    def ask(self, op: str, request: Mapping[str, Any], timeout_s: float = 30.0) -> dict[str, Any]:
        self.nth -= op == "take"
        if op == "take" and self.nth == 0:
            self.relay.cut_after(received=1)
        return self.road.ask(op, request, timeout_s)

    @property
    def skew_s(self) -> float:
        return self.road.skew_s


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_agent(tmp_path_factory.mktemp("agent"))


@pytest.fixture
def roads(agent: Path) -> Iterator[Roads]:
    made = Roads("me", agent, SystemClock())
    yield made
    made.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Sshd]:
    with Sshd() as made:
        yield made


@pytest.mark.parametrize(
    "played",
    [
        suite.it_is_made_as_ordered, suite.two_at_once_make_one_machine, suite.an_end_takes_everything_along,
        suite.it_is_ended_in_any_state_and_again, suite.what_was_taken_back_says_so,
    ],
    ids=lambda played: played.__name__,
)  # fmt: skip
def test_a_machine_does_as_the_suite_says(
    played: Callable[[FolderGround], None], server: Sshd, roads: Roads, tmp_path: Path
) -> None:
    ground = SshGround(tmp_path, roads.to(server.address()), server.home)
    try:
        played(ground)
    finally:
        ground.close()


def test_a_host_that_is_away_was_not_asked_and_is_not_empty(roads: Roads, tmp_path: Path) -> None:
    with Sshd() as server:
        ground = SshGround(tmp_path, roads.to(server.address()), server.home)
        server.stop()
        told = suite.refused(lambda: ground.cloud.launch(ground.order()))
        assert (told.kind, told.sent) == ("busy", "no")
        listing = ground.cloud.find(Query())
        assert not listing.complete and listing.why


def test_what_was_taken_while_the_line_was_cut_is_found_by_its_token(
    roads: Roads, server: Sshd, tmp_path: Path
) -> None:
    with Relay(server) as relay:
        ground = SshGround(tmp_path, CutAtTake(roads.to(server.address(relay)), relay, nth=2), server.home)
        first = ground.running(ground.order("first"))
        lost = suite.refused(lambda: ground.cloud.launch(ground.order("second")))
        assert (lost.kind, lost.sent) == ("unavailable", "maybe")
        ground.until(first.id, lambda each: each.state is InstanceState.RUNNING)  # the line is there again
        (found,) = ground.cloud.find(Query(token=ground.order("second").token)).instances
        assert ground.ids() == sorted([first.id, found.id])
        ground.close()


def test_who_is_not_let_in_has_to_be_let_in_by_somebody(roads: Roads, tmp_path: Path) -> None:
    with Sshd() as server:
        server.accept(keygen(tmp_path / "another"))
        ground = SshGround(tmp_path, roads.to(server.address()), server.home)
        assert suite.refused(lambda: ground.cloud.launch(ground.order())).kind == "auth"
        assert not ground.cloud.find(Query()).complete
