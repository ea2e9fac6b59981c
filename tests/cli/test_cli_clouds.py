"""Accounts at clouds: what is told of them for people and for programs, and with which exit code."""

from __future__ import annotations

import json
import os
from pathlib import Path

import contracts
import pytest
from cli_world import Inside, Shell, answer

GOLDEN = Path(__file__).parent / "golden"
DRAWN = [
    ("clouds", "80", "en", ("clouds",)), ("clouds-60-zh", "60", "zh", ("clouds",)),
    ("clouds-check", "80", "en", ("clouds", "check", "aws")),
    ("clouds-check-60-zh", "60", "zh", ("clouds", "check", "aws")),
]  # fmt: skip


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Inside(tmp_path / "home"))


@pytest.mark.parametrize(("name", "width", "lang", "words"), DRAWN)
def test_it_is_drawn_as_it_was(shell: Shell, name: str, width: str, lang: str, words: tuple[str, ...]) -> None:
    shell.env["COLUMNS"] = width
    told, path = shell(*words, "--lang", lang).out, GOLDEN / f"{name}.txt"
    if os.environ.get("TRADEWIND_GOLDEN"):
        path.write_text(told, encoding="utf-8")
    assert told == path.read_text(encoding="utf-8")


def test_answers_for_programs_are_as_agreed(shell: Shell) -> None:
    contracts.check(shell("clouds", "--json").json(), contracts.CLOUDS)
    contracts.check(shell("clouds", "check", "aws", "--json").json(), contracts.CLOUD)
    assert shell("clouds", "policy", "aws", "--json").json() == shell("clouds", "policy", "aws").json()


def test_a_policy_is_printed_so_that_it_can_be_read_and_handed_on(shell: Shell) -> None:
    told = shell("clouds", "policy", "aws")
    assert (told.code, told.err) == (0, "")
    assert json.loads(told.out)["Statement"][0]["Action"] == ["ec2:RunInstances"]
    assert told.out.startswith('{\n  "Version"')


@pytest.mark.parametrize(("state", "code"), [("ready", 0), ("unknown", 0), ("lacking", 4)])
def test_a_check_ends_with_4_where_nothing_can_be_rented(shell: Shell, state: str, code: int) -> None:
    shell.inside.sky.checked = {**answer("clouds-check"), "state": state}
    assert shell("clouds", "check", "aws", "--region", "us-east-1").code == code
    assert shell.inside.sky.asked == [("aws", "us-east-1")]


def test_a_cloud_of_which_only_prices_are_known_cannot_be_checked(shell: Shell) -> None:
    told = shell("clouds", "check", "gcp", "--json")
    assert (told.code, told.json()["error"]["code"]) == (3, "cloud-not-rentable")


def test_what_is_the_same_in_several_regions_is_told_once(shell: Shell) -> None:
    told = " ".join(shell("clouds", "check", "aws").out.split())
    assert told.count("Quota P (on-demand)") == 1
    assert "Quota G and VT (spot) in 4 regions: 64 vCPU." in told
    assert "There is no default network in eu-central-1: one of ours is made" in told
    assert "You are not authorized" not in told  # of what is forbidden the next step says enough
    assert told.count("quotas/L-417A185B") == 4  # a link a region


def test_links_are_not_broken_on_a_narrow_terminal(shell: Shell) -> None:
    shell.env["COLUMNS"] = "60"
    links = [line.strip() for line in shell("clouds", "check", "aws").out.splitlines() if "https://" in line]
    assert len(links) == 4
    assert all(link.startswith("https://") and link.endswith("L-417A185B") for link in links)


def test_alone_it_lists_and_its_help_tells_what_else_there_is(shell: Shell) -> None:
    assert "alibaba" in shell("clouds").out
    assert "policy" in shell("clouds", "--help").out
    assert shell("clouds", "polcy").code == 2


def test_a_network_is_no_machine_and_one_of_rules_alone_costs_nothing(shell: Shell) -> None:
    lease = answer("leases-open")["leases"][0]
    network = {**lease, "lease": "network-1", "kind": "network", "cloud": "aws", "region": "us-east-1", "zone": None,
               "state": "RUNNING", "instance_type": "default", "price_per_hour": None, "cost_so_far": None, "job": None,
               "why_open": "network", "rehearsal": False, "paid_to": None}  # fmt: skip
    shell.plane.rows = [network]
    told = " ".join(shell("leases").out.split())
    assert "aws network us-east-1" in told
    assert "machines there are reached over it" in told
    assert "Without a known price" not in told
    shell.plane.rows = [{**network, "instance_type": "private"}]
    assert "Without a known price, thus in no sum: 1" in " ".join(shell("leases").out.split())


def test_a_run_after_which_only_networks_are_left_says_that_they_go_by_themselves(shell: Shell) -> None:
    network = {**answer("leases-open")["leases"][0], "kind": "network"}
    shell.plane.rows = [network]
    assert "nothing but networks" in shell("stop", "digits").out
    shell.plane.rows = [network, {**network, "kind": "instance"}]
    assert "open leases: 2 (see them" in shell("stop", "digits").out
