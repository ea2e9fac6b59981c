"""Listing, checking and removing machines over hosts that answer, are away or refuse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doubles import SimClock
from machine_world import Host, Lab, facts, gpu, job_on, machine, open_lab

from tradewind.app.inside import Inside
from tradewind.app.machines.own import OwnMachines
from tradewind.domain.errors import BadInput, CloudRefused, NotFound
from tradewind.leasing import tags
from tradewind.ports.compute import Query
from tradewind.ports.host import HostRefused
from tradewind.ports.transport import Unreachable

AWAY = Unreachable("nobody there", "timed-out")
USER = {"pid": 7, "user": "eve", "command": "python", "memory_gib": 3.0}


@pytest.fixture
def lab(tmp_path: Path) -> tuple[Inside, Lab]:
    """A home with the machine `box`, which answers."""
    inside, made = open_lab(tmp_path, SimClock())
    inside.registry.write(machine("box", gpu(0)))
    made.hosts["box.lab.org"] = Host({"facts": facts(gpu(0)), "gpus": facts(gpu(0))["gpus"]})
    return inside, made


def instance_of(inside: Inside, account: str) -> dict[str, object]:
    """An instance of `lease-1` as the door tells of it."""
    told = tags.Tags("me", "lease-1", "t", inside.clock.now(), "job-1", 1, account, None)
    return {"state": "running", "tags": tags.write(told), "gpus": [{"index": 0, "uuid": "GPU-0"}]}


def test_a_list_tells_who_uses_what_now_and_which_job_of_ours_has_it(lab: tuple[Inside, Lab]) -> None:
    inside, made = lab
    used = gpu(1, used_by=[USER])
    made.hosts["box.lab.org"].answers |= {
        "gpus": facts(gpu(0, held_by={"pid": 3, "user": "me"}), used)["gpus"],
        "instances": {"instances": [instance_of(inside, "machines:box")]},
    }
    job_on(inside, "machines:box")
    (told,) = OwnMachines(inside).list()
    assert (told["name"], told["target"], told["state"], told["why"]) == ("box", "box.lab.org", "reachable", None)
    assert [each["job"] for each in told["gpus"]] == [{"job": "job-1", "name": "train"}, None]
    assert told["gpus"][1]["used_by"] == [USER]
    assert told["gpus"][0]["gpu"] == "RTX-4090"
    assert told["jobs"] == [{"job": "job-1", "name": "train", "lease": "lease-1", "state": "RUNNING", "gpus": 1}]
    assert told["host_keys"][0].startswith("SHA256:")


@pytest.mark.parametrize(("away", "state", "code"), [
    (AWAY, "away", "timed-out"), (None, "unknown", "host-refused"),
])  # fmt: skip
def test_of_a_host_that_does_not_answer_the_list_tells_what_was_last_known(
    lab: tuple[Inside, Lab], away: Unreachable | None, state: str, code: str
) -> None:
    inside, made = lab
    host = made.hosts["box.lab.org"]
    host.away, host.refuses = away, {"gpus": HostRefused("unavailable", "no driver")}
    (told,) = OwnMachines(inside).list()
    assert (told["state"], told["why"]["code"]) == (state, code)
    assert [(each["index"], each["used_by"], each["held_by"]) for each in told["gpus"]] == [(0, None, None)]


def test_a_check_keeps_what_it_found_and_gpus_that_it_could_not_see_as_they_were(lab: tuple[Inside, Lab]) -> None:
    inside, made = lab
    hidden: dict[str, Any] = {"gpus": [], "driver": None, "how": "nvidia-smi", "unknown": "it hangs"}
    made.hosts["box.lab.org"].answers["facts"] = facts(cpus=99, gpus=hidden)
    made.hosts["box.lab.org"].skew_s = 30.0
    (told,) = OwnMachines(inside).check("box")
    assert (told["machine"], told["error"], told["gpus"]) == ("box", None, None)
    assert {each["id"] for each in told["findings"]} >= {"unknown", "clock-skew"}
    kept = inside.registry.require("box")
    assert (kept.facts["cpus"], kept.facts["checked_at"]) == (99, told["checked_at"])
    assert [each["index"] for each in kept.usable] == [0]


def test_a_check_of_all_tells_which_cannot_be_asked(lab: tuple[Inside, Lab]) -> None:
    inside, _ = lab
    inside.registry.write(machine("far"))
    box, far = OwnMachines(inside).check(None)
    assert (box["error"], far["facts"], far["findings"]) == (None, None, [])
    assert far["error"] == {
        "code": "host-unknown",
        "facts": {"target": "far.lab.org", "why": "far.lab.org: no such host"},
    }
    with pytest.raises(NotFound, match="machine-not-added"):
        OwnMachines(inside).check("nowhere")


def test_a_machine_is_removed_with_all_that_is_ours_on_it(lab: tuple[Inside, Lab]) -> None:
    inside, made = lab
    told = OwnMachines(inside).remove("box", force=False)
    assert (told["reached"], told["removed"], told["left"]) == (True, ["/home/ada/.tradewind-node"], [])
    assert made.hosts["box.lab.org"].asked == ["instances", "remove"]
    assert (inside.registry.names(), inside.registry.removed(), made.forgotten) == ((), ("box",), ["box.lab.org"])


@pytest.mark.parametrize(
    ("account", "lease"), [("machines:box", True), ("rehearsal:box", True), ("machines:box", False)]
)
def test_a_machine_with_a_job_on_it_or_waiting_for_it_stays(lab: tuple[Inside, Lab], account: str, lease: bool) -> None:
    inside, made = lab
    job_on(inside, account, lease=lease)
    for force in (False, True):
        with pytest.raises(BadInput) as fault:
            OwnMachines(inside).remove("box", force=force)
        assert (fault.value.code, fault.value.facts["jobs"]) == ("machine-in-use", "job-1")
    assert made.hosts["box.lab.org"].asked == []


def test_a_job_that_has_another_place_to_go_holds_no_machine(lab: tuple[Inside, Lab]) -> None:
    inside, _ = lab
    job_on(inside, "machines:box", lease=False, pools=2)
    assert OwnMachines(inside).remove("box", force=False)["reached"]


def test_what_runs_there_under_another_name_of_the_host_keeps_it(lab: tuple[Inside, Lab]) -> None:
    inside, made = lab
    job_on(inside, "machines:alias")
    made.hosts["box.lab.org"].answers["instances"] = {"instances": [instance_of(inside, "machines:alias")]}
    with pytest.raises(BadInput, match="machine-in-use"):
        OwnMachines(inside).remove("box", force=True)


def test_a_host_that_is_away_is_given_up_only_when_somebody_insists(lab: tuple[Inside, Lab]) -> None:
    inside, made = lab
    made.hosts["box.lab.org"].away = AWAY
    job_on(inside, "machines:box", wanted=False)  # stopped, and its end was never seen
    with pytest.raises(BadInput, match="machine-in-use"):
        OwnMachines(inside).remove("box", force=False)
    told = OwnMachines(inside).remove("box", force=True)
    assert (told["reached"], told["removed"]) == (False, [])
    assert told["left"] == [f"~/.tradewind-node/{inside.settings.installation()}"]
    assert inside.leasing.accounts["machines:box"].compute.find(Query()).complete  # the row comes to its end there


def test_without_a_job_a_host_that_is_away_is_refused_by_its_cause(lab: tuple[Inside, Lab]) -> None:
    inside, made = lab
    made.hosts["box.lab.org"].away = AWAY
    with pytest.raises(CloudRefused) as fault:
        OwnMachines(inside).remove("box", force=False)
    assert (fault.value.code, fault.value.facts["target"]) == ("timed-out", "box.lab.org")
    assert inside.registry.names() == ("box",)


def test_our_key_is_taken_out_of_the_host_before_the_folder_goes(lab: tuple[Inside, Lab]) -> None:
    from tradewind.nodes.ssh.login import make_own_key

    inside, made = lab
    make_own_key(inside.settings.home)
    inside.registry.write(replace(machine("box"), own_key=True))
    told = OwnMachines(inside).remove("box", force=False)
    assert told["own_key"] == "taken-out"
    assert made.hosts["box.lab.org"].asked == ["instances", "authorize", "remove"]


def test_where_other_hosts_use_the_folder_it_is_said_to_stay(lab: tuple[Inside, Lab]) -> None:
    inside, made = lab
    made.hosts["box.lab.org"].answers["remove"] = {"removed": []}
    told = OwnMachines(inside).remove("box", force=False)
    assert (told["reached"], told["removed"], len(told["left"])) == (True, [], 1)
