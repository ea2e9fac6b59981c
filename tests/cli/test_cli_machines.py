"""One's own machines, and visits to a job: what is asked and told, in colour or without, for people and programs."""

from __future__ import annotations

from pathlib import Path

import contracts
import pytest
from cli_world import Inside, Shell, answer, job_file
from rich.cells import cell_len

from tradewind.app.interface import AddMachine
from tradewind.cli.index import MACHINES
from tradewind.domain.money import parse_money


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Inside(tmp_path / "home"))


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_answers_for_programs_are_as_agreed(shell: Shell) -> None:
    contracts.check(shell("machines", "list", "--json").json(), contracts.OWN_MACHINES)
    contracts.check(shell("machines", "check", "--json").json(), contracts.MACHINE_CHECKS)
    added = shell("machines", "add", "ada@gpu-box", "--host-key", "SHA256:n1", "--json")
    contracts.check(added.json(), contracts.MACHINE_ADDED)
    contracts.check(shell("machines", "remove", "gpu-box", "--json").json(), contracts.MACHINE_REMOVED)
    contracts.check(shell("ssh", "digits", "--ports", "--json").json(), contracts.VISIT)
    contracts.check(shell("fetch", "digits", "--json").json(), contracts.FETCHED)


def test_settings_go_with_the_machine(shell: Shell) -> None:
    shell("machines", "add", "ada@gpu-box:2222", "--name", "box", "--price", "2 CNY", "--gpus", "1, 0,1", "--folder",
          "/data/t", "--country", "DE", "--host-key", "SHA256:n1", "--no-own-key")  # fmt: skip
    asked, answers = shell.inside.park.asked[-1]
    assert asked == AddMachine(
        "ada@gpu-box:2222", price=parse_money("2 CNY"), gpus=(0, 1), name="box", folder="/data/t", country="DE",
        host_key="SHA256:n1", own_key=False,
    )  # fmt: skip
    assert answers == []  # nobody sits there
    shell("machines", "add", "gpu-box", "--host-key", "SHA256:n1")
    assert shell.inside.park.asked[-1][0] == AddMachine("gpu-box", host_key="SHA256:n1")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["machines", "add", "box", "--gpus", "a,1"], "gpu-indices-unreadable"),
        (["machines", "add", "box", "--gpus", "0,,1"], "gpu-indices-unreadable"),
        (["machines", "add", "box", "--price", "2"], "money-unreadable"),
        (["machines", "add", "ada@gpu-box"], "host-key-unasked"),
        (["machines", "remove"], "parameter-missing"),
        (["machines", "ad"], "command-unknown"),
        (["ssh", "nobody"], "job-unknown"),
    ],
)
def test_command_lines_that_are_refused(shell: Shell, words: list[str], code: str) -> None:
    result = shell(*words, "--json")
    assert (result.code, result.json()["error"]["code"]) == (2, code)


def test_without_a_terminal_the_fingerprint_and_the_whole_command_are_told(shell: Shell) -> None:
    told = squeezed(shell("machines", "add", "ada@gpu-box").err)
    assert "ssh-ed25519 SHA256:n1" in told
    assert told.endswith("tradewind machines add ada@gpu-box --host-key SHA256:n1")


def test_a_person_sees_the_fingerprints_and_answers_once(shell: Shell) -> None:
    shell.terminal, shell.typed, shell.unseen = True, "y\nn\n", "correct horse"
    result = shell("machines", "add", "ada@gpu-box")
    assert result.code == 0
    assert shell.inside.park.asked[-1][1] == ["yes", "correct horse", None]
    assert "\n  ssh-ed25519 SHA256:n1\n  ssh-rsa SHA256:n2\n" in result.err
    assert shell.questions == ["Passphrase of ~/.ssh/id_ed25519 (for ada@gpu-box, not shown): "]
    assert "correct horse" not in result.out + result.err
    assert "gpu-box is added." in result.out and "--on gpu-box" in result.out
    shell.typed, shell.unseen = "\n", ""
    refused = shell("machines", "add", "ada@gpu-box")
    assert refused.code == 2 and "was not added" in refused.err


def test_another_key_than_before_is_asked_for_in_other_words(shell: Shell) -> None:
    shell.terminal, shell.typed = True, "y\ny\n"
    assert "NOT" not in shell("machines", "add", "ada@gpu-box").err
    shell.inside.park.changed = "yes"
    result = shell("machines", "add", "ada@gpu-box")
    assert "NOT the ones that were pinned" in result.err
    assert "was here already" in result.out


def test_a_list_says_who_uses_which_gpu_and_what_is_free(shell: Shell) -> None:
    told = squeezed(shell("machines", "list").out)
    assert "GPU 0: your job digits (job-m7zjrvpq-0ke5)" in told
    assert "GPU 1: bob, pid 4711 python train.py, 20.1 GiB" in told
    assert "GPU 4: a job of eve (pid 77)" in told
    assert "free: GPU 2, 3 " in told
    assert "without GPU: clean (job-m7zjrvpz-4dda), pending" in told
    assert "5 × RTX-4090" in told and "1 × RTX-4090 + 1 × A100-80GB" in told
    shell.inside.park.listed = []
    assert "tradewind machines add" in shell("machines", "list").out


def test_what_a_silent_machine_does_is_unknown_not_free(shell: Shell) -> None:
    shell.inside.park.listed = answer("machines")[1:2]
    told = squeezed(shell("machines", "list").out)
    assert "free: GPU" not in told
    assert "away" in told and "ada@[2001:db8::7]:2222 does not answer" in told


def test_a_machine_without_an_answer_makes_a_check_4(shell: Shell) -> None:
    every = shell("machines", "check")
    assert every.code == 4
    assert "does not answer" in every.out
    one = shell("machines", "check", "far", "--json")
    assert (one.code, one.json()["error"]["code"]) == (4, "timed-out")
    assert shell("machines", "check", "gpu-box").code == 3  # it has no bash


@pytest.mark.parametrize(("severity", "code"), [("fault", 3), ("warning", 0), ("unknown", 0)])
def test_a_fault_that_keeps_jobs_away_makes_a_check_3(shell: Shell, severity: str, code: int) -> None:
    (check, _) = answer("machines-check")
    check["findings"] = [{**check["findings"][0], "severity": severity}]
    shell.inside.park.checked = [check]
    assert shell("machines", "check", "gpu-box").code == code


def test_findings_are_told_by_words_the_worst_first(shell: Shell) -> None:
    told = shell("machines", "check", "gpu-box").out
    marks = [
        line.split()[0]
        for line in told.partition("Findings")[2].splitlines()
        if line.startswith("  ") and line[2] != " "
    ]
    order = ["FAULT", "warning", "unknown", "note", "ok"]
    assert marks == sorted(marks, key=order.index)
    assert len(set(marks)) > 2
    for finding in shell("machines", "check", "--json").json()["machines"][0]["findings"]:
        assert finding["summary"] != f"finding-{finding['id']}"
        assert bool(finding["next"]) or finding["severity"] in ("ok", "note", "unknown"), finding


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("columns", [60, 80, 140])
def test_a_check_keeps_to_the_width_and_needs_no_colour(shell: Shell, columns: int, lang: str) -> None:
    shell.env["COLUMNS"] = str(columns)
    lines = shell("machines", "check", "--lang", lang).out.splitlines()
    assert max(map(cell_len, lines)) <= columns
    assert not any("\x1b" in line or line != line.rstrip() for line in lines)


@pytest.mark.parametrize(
    ("why", "state", "told"),
    [
        ("no-contact code=timed-out said='no answer within 10 s'", "RUNNING", "running, no contact"),
        ("machine-busy said='GPU 0 is used by bob (pid 4711)'", "WAITING", "waiting, machine in use"),
        ("secrets-missing names='HF_TOKEN'", "PREPARING", "preparing, secrets missing"),
        ("checkpoint-coming step=120", "RUNNING", "running, fetching its checkpoint"),
        ("resume", "RUNNING", "running "),
    ],
)
def test_what_holds_a_job_up_stands_beside_its_state(shell: Shell, why: str, state: str, told: str) -> None:
    shell.plane.shown |= {"why": why, "state": state, "ended_at": None, "rehearsal": False}
    shell.env["COLUMNS"] = "200"
    assert told in shell("ps", "--all").out
    page = squeezed(shell("show", "digits").out)
    assert told.strip() in page
    if why.startswith("no-contact"):
        assert "no contact: it does not answer (no answer within 10 s)" in page
    if why.startswith("machine-busy"):
        assert "it is in use: GPU 0 is used by bob (pid 4711)" in page


def test_removing_says_what_is_gone_and_what_could_not_be(shell: Shell) -> None:
    gone = shell("machines", "remove", "gpu-box").out
    assert "taken away: /data/tradewind/3f1c" in gone and "nothing is left" in gone
    shell.inside.park.folders = []
    assert "nothing is left" not in shell("machines", "remove", "gpu-box").out
    shell.inside.park.folders, shell.inside.park.asked = ["/data/tradewind/3f1c"], []
    shell.inside.park.reached = False
    away = shell("machines", "remove", "gpu-box")
    assert away.code == 4 and "remove gpu-box --force" in away.err
    told = shell("machines", "remove", "gpu-box", "--force").out
    assert "left there: /data/tradewind/3f1c" in told and "authorized_keys" in told
    assert shell.inside.park.asked == [("gpu-box", False), ("gpu-box", True)]


def test_ssh_becomes_the_shell(shell: Shell) -> None:
    assert shell("ssh", "digits").code == 0
    assert shell.became == [["ssh", "-t", "box"]]
    told = shell("ssh", "digits", "--json").json()
    assert (told["argv"], len(shell.became)) == (["ssh", "-t", "box"], 1)


def test_ports_are_told_as_addresses_and_one_that_is_taken_is_said(shell: Shell) -> None:
    result = shell("ssh", "digits", "--ports")
    assert result.out.splitlines() == ["http://127.0.0.1:6006", "http://127.0.0.1:41234"]
    assert "8888 is taken" in result.err and "6006" not in result.err
    assert "Ctrl-C" in result.err
    assert shell.became == [["ssh", "-N", "box"]]
    shell.plane.tunnels = []
    assert "no tunnel" in shell("ssh", "digits", "--ports").err
    assert len(shell.became) == 1


def test_a_missing_ssh_program_is_said(shell: Shell) -> None:
    shell.plane.tunnels = ["absent"]
    result = shell("ssh", "digits", "--ports")
    assert result.code == 3
    assert "absent cannot be started" in result.err and "OpenSSH" in result.err


def test_attach_is_the_foreground_of_run(shell: Shell, tmp_path: Path) -> None:
    ran = shell("run", job_file(tmp_path), "--local").out
    attached = shell("attach", "digits")
    assert attached.code == 0
    assert ran.endswith(attached.out)
    assert shell("attach", "digits", "--json").json() == answer("show")
    shell.plane.interrupt = True
    left = shell("attach", "digits")
    assert left.code == 130 and "tradewind wait" in left.err


def test_outputs_are_listed_or_copied(shell: Shell) -> None:
    listed = shell("fetch", "digits").out
    assert "/outputs · files: 3. Copy them: tradewind fetch JOB --to DIR" in squeezed(listed)
    copied = shell("fetch", "digits", "--to", "results").out
    assert copied.startswith("Copied to results · files: 3")
    assert shell.plane.calls == [("fetch", None), ("fetch", Path("results"))]
    shell.plane.outputs = 200
    assert "and 180 more" in shell("fetch", "digits").out
    shell.plane.shown["state"] = "RUNNING"
    assert "has not ended" in shell("fetch", "digits").out


def test_a_job_goes_to_the_machine_that_is_named(shell: Shell, tmp_path: Path) -> None:
    job = job_file(tmp_path)
    assert shell("run", job, "--on", "box").code == 0  # free: nothing is asked, no limit is needed
    assert shell("run", job, "--on", "box", "--rehearse").code == 0
    assert [(each.on, each.rehearse) for each in shell.plane.submitted] == [("box", False), ("box", True)]
    both = shell("run", job, "--on", "box", "--local", "--json")
    assert (both.code, both.json()["error"]["code"]) == (2, "local-and-on")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", MACHINES)
def test_every_command_has_its_page(shell: Shell, name: str, lang: str) -> None:
    page = shell("machines", name, "--help", "--lang", lang).out
    assert f"\n  tradewind machines {name}" in page  # an example
    below = page.splitlines()[1:]
    assert not any(line.rstrip().endswith(("--json", "--help", "NAME", "DIR", "MONEY")) for line in below)


def test_what_is_free_has_no_price_anywhere(shell: Shell, tmp_path: Path) -> None:
    nothing = {"amount": "0", "currency": "CNY"}
    plan = answer("plan")
    free = {**plan["chosen"]["offer"], "cloud": "machines", "instance_type": "1x-L4", "region": "gpu-box", "zone": None,
            "price_per_hour": None, "price_per_gpu_hour": None, "price_status": "free"}  # fmt: skip
    cost = {**plan["chosen"]["cost"], "value": "0", "low": "0", "high": "0"}
    parts = dict.fromkeys(plan["chosen"]["cost_parts"], nothing)
    plan["chosen"] = {**plan["chosen"], "offer": free, "cost": cost, "cost_parts": parts, "purchase": "on_demand"}
    plan["fallbacks"] = [plan["chosen"]]
    way = {**next(each for each in plan["front"] if each["chosen"]), "cost": nothing, "rank_cost": 0.0}
    plan["front"] = [{**way, "cloud": "machines", "instance_type": "1x-L4", "region": "gpu-box", "zone": None}]
    shell.plane.plan = plan
    for words in (["plan", job_file(tmp_path)], ["plan", job_file(tmp_path), "--plain"]):
        told = shell(*words).out
        assert "yours, no price" in told and "¥" not in told
    shell.inside.found = [free]
    assert [line.split()[-3:] for line in shell("offers").out.splitlines() if "1x-L4" in line] == [
        ["free", "free", "yours"]
    ]
