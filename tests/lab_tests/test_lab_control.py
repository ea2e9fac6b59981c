"""What goes wrong in the lab: counted, where it is to be, and ordered over the control socket."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab.control import Conditions, Control, Fault
from lab.control_socket import ControlSocket, ask
from lab.tell import order

RUN = "RunInstances"


@pytest.fixture
def control() -> Control:
    return Control()


def kinds(control: Control, times: int, cloud: str = "aws", operation: str = RUN, **where: str) -> list[str | None]:
    met = [control.meet(cloud, operation, **where) for _ in range(times)]
    return [each.kind if each else None for each in met]


def test_the_third_request_meets_a_fault_and_no_other(control: Control) -> None:
    control.add(Fault("lost-answer", "aws", RUN, nth=3))
    assert kinds(control, 2) == [None, None]
    assert kinds(control, 3, operation="DescribeInstances") == [None] * 3
    assert kinds(control, 3, cloud="alibaba") == [None] * 3
    assert kinds(control, 3) == ["lost-answer", None, None]


def test_a_fault_may_last(control: Control) -> None:
    control.add(Fault("throttle", nth=2, times=2))
    assert kinds(control, 5) == [None, "throttle", "throttle", None, None]
    control.add(Fault("capacity", times=0, zone="use1-az1"))
    assert kinds(control, 3, zone="use1-az1") == ["capacity"] * 3
    assert kinds(control, 2, zone="use1-az2") == [None] * 2
    control.clear()
    assert kinds(control, 2, zone="use1-az1") == [None] * 2


def test_of_two_faults_the_first_is_met_and_both_are_counted(control: Control) -> None:
    control.add(Fault("capacity", "aws"))
    control.add(Fault("quota", "aws", nth=2))
    assert kinds(control, 3) == ["capacity", "quota", None]


def test_a_cloud_is_as_it_was_told_to_be(control: Control) -> None:
    control.set("aws", list_lag_s=30)
    control.set("aws", clock_skew_s=5)
    assert control.conditions("aws") == Conditions(list_lag_s=30, clock_skew_s=5)
    assert control.conditions("alibaba") == Conditions()


def test_what_was_asked_is_recorded_with_what_it_met(control: Control) -> None:
    control.add(Fault("dropped", region="us-east-1"))
    control.meet("aws", RUN, "us-west-2")
    control.meet("aws", RUN, "us-east-1")
    assert [(each.region, each.met) for each in control.recorded] == [("us-west-2", None), ("us-east-1", "dropped")]


class Machine:
    """Deeds of a cloud that has one machine."""

    def __init__(self) -> None:
        self.done: list[Any] = []

    def instances(self) -> list[dict[str, str]]:
        return [{"id": "i-1", "state": "running"}]

    def reclaim(self, id_: str, notice_s: float | None) -> None:
        self._do(id_, "reclaim", notice_s)

    def rebalance(self, id_: str) -> None:
        self._do(id_, "rebalance")

    def vanish(self, id_: str) -> None:
        self._do(id_, "vanish")

    def change_host_key(self, id_: str) -> None:
        self._do(id_, "change_host_key")

    def _do(self, id_: str, *what: Any) -> None:
        if id_ != "i-1":
            raise KeyError(id_)
        self.done.append(what)


@pytest.fixture
def machine(control: Control) -> Machine:
    machine = Machine()
    control.register("aws", machine)
    return machine


@pytest.fixture
def path(control: Control, tmp_path: Path) -> Iterator[Path]:
    with ControlSocket(control, tmp_path / "control") as opened:
        yield opened.path


def test_the_socket_orders_all_that_can_be_ordered(control: Control, machine: Machine, path: Path) -> None:
    assert ask(path, do="fault", kind="capacity", cloud="aws", operation=RUN, nth=2) == {"ok": True}
    assert ask(path, do="set", cloud="aws", state_delay_s=3) == {"ok": True}
    assert kinds(control, 2) == [None, "capacity"]
    assert control.conditions("aws").state_delay_s == 3
    assert ask(path, do="instances")["instances"] == [{"cloud": "aws", "id": "i-1", "state": "running"}]
    assert ask(path, do="requests")["requests"] == [{"cloud": "aws", "operation": RUN, "asked": 2}]
    ask(path, do="reclaim", id="i-1", notice_s=120)
    for deed in ("reclaim", "rebalance", "vanish", "change_host_key"):
        assert ask(path, do=deed, id="i-1") == {"ok": True}
    assert machine.done == [("reclaim", 120), ("reclaim", None), ("rebalance",), ("vanish",), ("change_host_key",)]
    ask(path, do="clear")
    assert control.conditions("aws") == Conditions()


@pytest.mark.parametrize("told, word", [
    ({"do": "dance"}, "dance"), ({"do": "fault", "kind": "rain"}, "rain"), ({"do": "vanish", "id": "i-2"}, "machine"),
    ({"do": "fault"}, "kind"), ({"do": "set", "cloud": "aws", "mood": 1}, "mood"), ([], "object"), ({}, "do"),
])  # fmt: skip
def test_an_order_that_cannot_be_done_is_answered_by_why(machine: Machine, path: Path, told: Any, word: str) -> None:
    with socket.socket(socket.AF_UNIX) as asked:
        asked.connect(str(path))
        asked.sendall(json.dumps(told).encode() + b"\n")
        with asked.makefile("rb") as answers:
            answer = json.loads(answers.readline())
    assert answer["ok"] is False
    assert word in answer["why"]


def test_the_socket_is_its_users_alone_and_goes_with_the_lab(control: Control, tmp_path: Path) -> None:
    with ControlSocket(control, tmp_path / "control") as opened:
        assert opened.path.stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / "control").exists()


def test_words_of_a_shell_become_an_order() -> None:
    assert order(["do=reclaim", "id=i-0abc", "notice_s=120"]) == {"do": "reclaim", "id": "i-0abc", "notice_s": 120}
