"""The registry of machines: files of the home, noticed when they change; the targets and names that people give."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from machine_world import ADDED, gpu, machine

from tradewind.app.machines.registry import Registry, name_for, require_name
from tradewind.app.machines.targets import Target, parse_target
from tradewind.domain.errors import BadInput, NotFound
from tradewind.domain.money import parse_money


def test_a_machine_is_read_as_it_was_written_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "machines")
    whole = machine("box", gpu(0), user="me", port=2222, price=parse_money("2 CNY"), gpus=(0, 1), folder="/data",
                    own_key=True, country="DE")  # fmt: skip
    registry.write(whole)
    assert Registry(tmp_path / "machines").all() == (whole,)
    path = tmp_path / "machines" / "box.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [each.name for each in path.parent.iterdir()] == ["box.json"]  # no draft stays


def test_what_another_process_writes_is_noticed(tmp_path: Path) -> None:
    one, other = Registry(tmp_path), Registry(tmp_path)
    one.write(machine())
    assert other.get("box") == machine()
    one.write(replace(machine(), country="FR"))
    assert other.require("box").country == "FR"
    one.retire("box", ADDED)
    assert (other.names(), other.get("box"), other.removed()) == ((), None, ("box",))
    one.write(machine())
    assert (other.names(), other.removed()) == (("box",), ())


def test_a_machine_that_is_not_there_is_asked_for_with_those_that_are(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "none")
    assert (registry.all(), registry.removed()) == ((), ())
    registry.write(machine("one"))
    with pytest.raises(NotFound) as fault:
        registry.require("two")
    assert (fault.value.code, fault.value.facts) == ("machine-not-added", {"name": "two", "known": "one"})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": "box"}'])
def test_a_damaged_record_is_said_to_be_damaged(tmp_path: Path, text: str) -> None:
    (tmp_path / "box.json").write_text(text)
    with pytest.raises(BadInput) as fault:
        Registry(tmp_path).all()
    assert fault.value.code == "machine-unreadable"
    assert fault.value.facts["path"] == str(tmp_path / "box.json")


def test_a_draft_of_a_killed_process_is_passed_over(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    (tmp_path / f".box.json.{os.getpid()}").write_text("torn")
    registry.write(machine())
    assert registry.names() == ("box",)


@pytest.mark.parametrize(("host", "name"), [
    ("gpu1.lab.org", "gpu1"), ("gpu1", "gpu1"), ("10.0.0.5", "10.0.0.5"), ("fe80::1%eth0", "fe80-1-eth0"),
    ("-", "machine"), ("box.lab", "box-3"),
])  # fmt: skip
def test_a_machine_is_named_after_its_host(host: str, name: str) -> None:
    assert name_for(host, ("box", "box-2")) == name
    assert require_name(name) == name


@pytest.mark.parametrize("name", ["", "a b", "../x", "a/b", ".x", "-x", "x.removed", "x" * 64, "é"])
def test_a_name_that_cannot_be_a_file_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="machine-name-unreadable"):
        require_name(name)


@pytest.mark.parametrize(("text", "told"), [
    ("me@gpu1.lab.org:2222", Target("gpu1.lab.org", "me", 2222)), ("gpu1", Target("gpu1", None, None)),
    (" me@10.0.0.5 ", Target("10.0.0.5", "me", None)), ("::1", Target("::1", None, None)),
    ("me@fe80::1%eth0", Target("fe80::1%eth0", "me", None)), ("me@[2001:db8::5]:22", Target("2001:db8::5", "me", 22)),
    ("ssh://me@gpu1:22/", Target("gpu1", "me", 22)),
])  # fmt: skip
def test_a_target_is_read_as_ssh_would(text: str, told: Target) -> None:
    assert parse_target(text) == told


@pytest.mark.parametrize(
    "text", ["", "a b", "-oProxyCommand=x", "me@-x", "host:99999", "a@b@c", "host:", "/x", "host:x"]
)
def test_what_is_no_target_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="target-unreadable"):
        parse_target(text)
