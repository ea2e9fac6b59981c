"""Jobs on machines of one's own: real sshds on addresses of their own, reached as a user's would be."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import contracts
import pytest
from product import PATIENCE, TRADEWIND, Cli, Done, command_line, cut
from sshd import Relay, Sshd

from tradewind.nodes.ssh.keys import fingerprint

CANARY = "canary-7f3a9c51d2"
LOOP = """\
import json, os, pathlib, signal, sys, time
events, keep = open(os.environ["TRADEWIND_EVENTS"], "a"), pathlib.Path(os.environ["TRADEWIND_CHECKPOINT_DIR"])
saved = keep / "step"
step, total = int(saved.read_text()) if saved.exists() else 0, int(sys.argv[1])
asked = []
signal.signal(signal.SIGTERM, lambda *_: asked.append(1))
go = pathlib.Path(sys.argv[2])
while step < total or not go.exists():
    step += 1
    events.write(json.dumps({"v": 1, "type": "step", "step": step, "total_steps": total}) + "\\n"); events.flush()
    print("step", step, flush=True)
    if asked:
        saved.write_text(str(step))
        sys.exit(75)
    time.sleep(0.05)
out = pathlib.Path("out"); out.mkdir(exist_ok=True)
(out / "结果 1.txt").write_text(str(step))
"""


@pytest.fixture
def sshd() -> Iterator[Sshd]:
    with Sshd(path=f"{TRADEWIND.parent}:{os.environ['PATH']}") as server:
        yield server


@pytest.fixture
def own(cli: Cli, sshd: Sshd, tmp_path: Path) -> Cli:
    """A user who has one machine, `box`."""
    cli.env.update(at_home(sshd, tmp_path / "user"))
    added = add(cli, sshd, "box")
    assert added.code == 0, added.err + added.out
    return cli


def at_home(sshd: Sshd, home: Path) -> dict[str, str]:
    """The environment of a user with a home of their own, whose `~/.ssh/config` names the server's key."""
    (home / ".ssh").mkdir(parents=True, mode=0o700)
    (home / ".ssh" / "config").write_text(sshd.config.read_text())
    return {"HOME": str(home)}


def add(cli: Cli, sshd: Sshd, name: str, by: Relay | None = None, host_key: str | None = None) -> Done:
    target = f"{sshd.user}@{by.host}:{by.port}" if by else f"{sshd.user}@{sshd.host}:{sshd.port}"
    return cli("machines", "add", target, "--name", name, "--host-key", host_key or fingerprint(sshd.host_key))


def on_the_machine(sshd: Sshd) -> list[Path]:
    """What lies on the machine of Tradewind's."""
    return sorted((sshd.home / ".tradewind-node").rglob("*"))


def looping(folder: Path, steps: int, go: Path, more: str = "") -> Path:
    folder.mkdir()
    (folder / "loop.py").write_text(LOOP)
    (folder / "job.yaml").write_text(
        f"name: loop\nrun: exec '{TRADEWIND.with_name('python')}' loop.py {steps} '{go}'\noutputs: [./out]\n{more}"
    )
    return folder / "job.yaml"


def test_a_job_runs_on_a_machine_is_followed_and_fetched_and_the_machine_removed(
    own: Cli, sshd: Sshd, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    job = own.detach(looping(tmp_path / "j", 3, go), "--on", "box")
    shown = own.until(job, lambda each: (each["progress"] or {}).get("step", 0) >= 3)
    contracts.check(shown, contracts.SHOW)
    assert shown["offer"]["cloud"] == "machines"
    leases = own.json("leases")
    contracts.check(leases, contracts.LEASES)
    assert [each["region"] for each in leases] == ["box"]
    busy = own("machines", "remove", "box")
    assert busy.code == 2, "a machine with a lease on it is not removed"
    following = own.start("logs", job, "-f")
    go.touch()
    done = own("wait", job, "--json")
    assert done.code == 0
    out, err = following.communicate(timeout=PATIENCE)
    assert out.startswith("step 1\nstep 2\n"), err
    assert done.json["cost"] is None  # a machine without a price
    to = tmp_path / "here"
    assert own("fetch", job, "--to", str(to)).code == 0
    assert int((to / "out" / "结果 1.txt").read_text()) >= 3
    removed = own("machines", "remove", "box")
    assert removed.code == 0, removed.err
    assert on_the_machine(sshd) == []
    assert own.json("leases") == []
    assert own.quiet() == []


def test_a_stop_is_by_checkpoint_and_ends_what_ran_on_the_machine(own: Cli, sshd: Sshd, tmp_path: Path) -> None:
    job = own.detach(looping(tmp_path / "j", 10**6, tmp_path / "never"), "--on", "box")
    own.until(job, lambda each: each["progress"])
    stopped = own("stop", job, "--json")
    assert stopped.json["state"] == "STOPPED"
    assert [each["outcome"] for each in stopped.json["attempts"]] == ["stopped"]
    saved = stopped.json["attempts"][0]["last_checkpoint_step"]
    assert [each["state"] for each in stopped.json["checkpoints"] if each["step"] == saved] == ["complete"]
    assert (own.home / "jobs" / job / "checkpoints" / "epoch-0001" / f"step-{saved:08d}" / "content" / "step").exists()
    assert own.json("leases") == []
    assert [path for path in on_the_machine(sshd) if path.parent.name == "instances"] == []
    assert [each for each in sshd.sessions() if "loop.py" in command_line(each)] == []
    assert own.quiet() == []


def test_a_rehearsal_on_a_machine_is_preempted_and_resumes_there_from_its_last_step(own: Cli, tmp_path: Path) -> None:
    job = cut(tmp_path / "digits", epochs=4)
    text = job.read_text().replace("env: {", f'env: {{PATH: "{TRADEWIND.parent}:{os.environ["PATH"]}", ')
    job.write_text(text)
    name = own.detach(job, "--rehearse", "--on", "box", "--preempt-at", "40%")
    done = own("wait", name, "--json").json
    assert done["state"] == "SUCCEEDED", done
    assert [each["outcome"] for each in done["attempts"]] == ["interrupted", "succeeded"]
    assert done["attempts"][1]["repeated_steps"] == 0
    assert done["attempts"][1]["resumed_step"] == done["attempts"][0]["last_checkpoint_step"]
    assert done["metrics"]["test_accuracy"] > 0.9
    kept = own.home / "jobs" / name / "checkpoints"
    assert {path.name for path in kept.glob("epoch-*")} >= {"epoch-0001", "epoch-0002"}
    assert own.json("leases") == []


@pytest.mark.long
def test_a_link_that_drops_costs_nothing_but_news(cli: Cli, sshd: Sshd, tmp_path: Path) -> None:
    cli.env.update(at_home(sshd, tmp_path / "user"))
    with Relay(sshd) as relay:
        added = add(cli, sshd, "far", relay)
        assert added.code == 0, added.err
        go = tmp_path / "go"
        job = cli.detach(looping(tmp_path / "j", 3, go), "--on", "far")
        before = cli.until(job, lambda each: (each["progress"] or {}).get("step", 0) >= 3)["progress"]["step"]
        relay.stall()
        silent = cli.until(job, lambda each: [event for event in each["events"] if event["kind"] == "lease-suspect"])
        assert silent["state"] == "RUNNING"
        assert silent["why"], "somebody who looks is told that the machine is silent"
        told = cli("leases", "--json")
        assert (told.code, [each["state"] for each in told.json]) == (4, ["SUSPECT"])
        relay.resume()
        back = cli.until(job, lambda each: each["progress"]["step"] > before + 20)
        assert [each["attempt"] for each in back["attempts"]] == [1]
        go.touch()
        done = cli("wait", job, "--json").json
    assert (done["state"], len(done["attempts"]), done["attempts"][0]["lost_seconds"]) == ("SUCCEEDED", 1, 0)


def test_a_changed_host_key_stops_everything_and_says_what_to_do(own: Cli, sshd: Sshd, tmp_path: Path) -> None:
    job = own.detach(looping(tmp_path / "j", 10**6, tmp_path / "never"), "--on", "box")
    own.until(job, lambda each: each["progress"])
    old = fingerprint(sshd.host_key)
    sshd.new_host_key()
    shown = own.until(job, lambda each: "host key" in (each["why"] or ""))
    assert shown["state"] == "RUNNING"
    checked = own("machines", "check", "box", "--json")
    assert checked.code == 4
    assert checked.json["error"]["code"] == "host-key-changed"
    assert "--host-key" in checked.json["error"]["next"]
    assert add(own, sshd, "box", host_key=old).code == 2
    assert add(own, sshd, "box").code == 0  # whoever knows the new key by another way says so
    assert own("stop", job, "--json").json["state"] == "STOPPED"
    assert own.json("leases") == []


@pytest.mark.long
def test_two_users_on_one_host_neither_see_nor_harm_each_other(own: Cli, sshd: Sshd, tmp_path: Path) -> None:
    other = Cli(tmp_path / "other-home", dict(own.env))
    assert add(other, sshd, "box").code == 0  # the same account on the host, another installation
    go = tmp_path / "go"
    mine = own.detach(looping(tmp_path / "j", 3, go), "--on", "box")
    theirs = other.detach(looping(tmp_path / "k", 10**6, go.with_name("never")), "--on", "box")
    own.until(mine, lambda each: each["progress"])
    other.until(theirs, lambda each: each["progress"])
    assert [each["job"] for each in own.json("leases")] == [mine]
    assert [each["job"] for each in other.json("leases")] == [theirs]
    assert own.json("sweep")["found"] == []
    assert other("stop", theirs, "--json").json["state"] == "STOPPED"
    assert other("machines", "remove", "box").code == 0
    go.touch()
    assert own("wait", mine, "--json").json["state"] == "SUCCEEDED"
    assert other.quiet() == []


def test_a_secret_is_in_the_job_and_nowhere_else(own: Cli, sshd: Sshd, tmp_path: Path) -> None:
    own.env["HF_TOKEN"] = CANARY
    go = tmp_path / "go"
    folder = tmp_path / "j"
    folder.mkdir()
    (folder / "job.yaml").write_text(
        "name: secretive\nsecrets: [HF_TOKEN]\noutputs: [./out]\n"
        'run: |\n  mkdir out; printf %s "$HF_TOKEN" | sha256sum > out/sha\n  echo ready\n'
        f"  until [ -e '{go}' ]; do sleep 0.1; done\n"
    )
    job = own.detach(folder / "job.yaml", "--on", "box")
    deadline = time.monotonic() + PATIENCE
    while "ready" not in own("logs", job).out:
        assert time.monotonic() < deadline
    assert holding(CANARY, tmp_path, sshd.folder) == []
    assert [each for each in own.processes() if CANARY in command_line(each)] == []
    go.touch()
    done = own("wait", job, "--json").json
    assert done["state"] == "SUCCEEDED"
    sha = Path(done["outputs"]["path"], "out", "sha").read_text().split()[0]
    assert sha == hashlib.sha256(CANARY.encode()).hexdigest()
    assert holding(CANARY, tmp_path, sshd.folder) == []


def holding(text: str, *folders: Path) -> list[str]:
    """Files below the folders in which the text stands, by name or content."""
    found = []
    for path in {each for folder in folders for each in folder.rglob("*")}:
        if text in path.name or (path.is_file() and text.encode() in path.read_bytes()):
            found.append(str(path))
    return found
