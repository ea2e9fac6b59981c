"""The commands around a run: detached, followed, stopped, failed, interrupted by Ctrl-C."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import contracts
from product import EXAMPLE, PATIENCE, Cli, cut


def job_file(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "job.yaml").write_text(text)
    return folder / "job.yaml"


def test_detached_shown_logged_waited_for(cli: Cli, tmp_path: Path) -> None:
    go = tmp_path / "go"
    job = job_file(tmp_path / "j", f"name: hello\nrun: |\n  echo begin\n  until [ -e '{go}' ]; do sleep 0.1; done\n"
                                   "  mkdir out; echo 42 > out/x\noutputs: [./out, ./absent]\n")  # fmt: skip
    told = cli.json("run", str(job), "--local", "--detach", "--request-id", "once")
    contracts.check(told, contracts.SUBMITTED)
    again = cli.json("run", str(job), "--local", "--detach", "--request-id", "once")
    assert again["job"] == told["job"]
    rows = cli.json("ps")
    contracts.check(rows, contracts.PS)
    assert [row["job"] for row in rows] == [told["job"]]
    following = cli.start("logs", "hello", "-f")
    go.touch()
    done = cli("wait", told["job"], "--json")
    assert done.code == 0
    contracts.check(done.json, contracts.SHOW)
    out, err = following.communicate(timeout=PATIENCE)
    assert (following.returncode, out) == (0, "begin\n"), err
    assert (Path(done.json["outputs"]["path"]) / "out" / "x").read_text() == "42\n"
    assert done.json["cost"] is None
    assert done.json["outputs"]["missing"] == ["./absent"]
    assert not (job.parent / "out").exists()  # nothing is written into the user's folder
    assert cli.quiet() == []


def test_a_failing_command_shows_its_exit_code_and_last_lines(cli: Cli, tmp_path: Path) -> None:
    job = job_file(tmp_path / "j", "run: |\n  echo before\n  echo cannot open data >&2; exit 3\n")
    done = cli("run", str(job), "--local")
    assert done.code == 5
    assert "cannot open data" in done.out
    assert "3" in done.out
    assert cli.json("leases") == []


def test_stop_ends_a_job_and_its_lease(cli: Cli, tmp_path: Path) -> None:
    job = cli.detach(cut(tmp_path / "digits", epochs=60), "--local")  # not over before it is stopped
    cli.until(job, lambda shown: shown["progress"])
    stopped = cli("stop", job, "--json")
    contracts.check(stopped.json, contracts.SHOW)
    assert stopped.json["state"] == "STOPPED"
    assert [each["outcome"] for each in stopped.json["attempts"]] == ["stopped"]
    assert stopped.json["attempts"][0]["last_checkpoint_step"] is not None  # by checkpoint first
    assert cli("wait", job).code == 8
    assert cli.json("leases") == []
    assert [each["end_reason"] for each in cli.json("leases", "--all")] == ["stopped"]
    assert cli.quiet() == []


def test_ctrl_c_detaches_and_the_job_goes_on(cli: Cli, tmp_path: Path) -> None:
    go = tmp_path / "go"
    job = job_file(tmp_path / "j", f"name: long\nrun: until [ -e '{go}' ]; do sleep 0.1; done; echo done\n")
    process = cli.start("run", str(job), "--local")
    deadline = time.monotonic() + PATIENCE
    while not (cli.home.exists() and [row for row in cli.json("ps") if row["state"] == "RUNNING"]):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    told = out + err
    assert "tradewind wait" in told or "tradewind logs" in told
    assert "tradewind stop" in told
    go.touch()
    assert cli("wait", "long", "--json").json["state"] == "SUCCEEDED"


def test_what_has_no_effect_is_said(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("x")
    job = job_file(tmp_path / "j", "name: said\nrun: ls\ncompliance: [mlps3]\ncheckpoint: {store: 's3://b/ck'}\n")
    (job.parent / "link").symlink_to(tmp_path / "outside")
    done = cli("run", str(job), "--local")
    assert done.code == 0
    for word in ("compliance", "s3://b/ck", "link"):
        assert word in done.err
    assert "link" not in "".join(cli.show("said")["attempts"][0]["log_tail"])


def test_wait_runs_out(cli: Cli, tmp_path: Path) -> None:
    job = job_file(tmp_path / "j", "name: long\nrun: sleep 60\n")
    cli.detach(job, "--local")
    assert cli("wait", "long", "--timeout", "1s").code == 9
    assert cli("stop", "long").code in (0, 8)
    assert cli.quiet() == []


def test_what_was_not_reached_is_an_event(cli: Cli, tmp_path: Path) -> None:
    job = job_file(tmp_path / "j", "run: echo quick\nmodel: {parameters: 1e6}\n"
                                   "training: {batch_size: 8, samples: 80, epochs: 1}\n")  # fmt: skip
    plain = cli("run", str(job), "--rehearse")
    assert plain.code == 0
    assert "no preemption is rehearsed" in plain.err
    name = cli.detach(job, "--rehearse", "--preempt-at", "25%,30s")
    cli("wait", name)
    events = cli.show(name)["events"]
    assert [each["why"] for each in events if each["kind"] == "preemption-not-reached"] == [
        "injected at 25%", "injected at 30s",
    ]  # fmt: skip


def test_an_empty_home_says_so(cli: Cli) -> None:
    assert cli.json("ps") == []
    assert cli.json("leases") == []
    assert cli.json("cost") == {"jobs": [], "open_leases": 0}
    sweep = cli.json("sweep")
    contracts.check(sweep, contracts.SWEEP)
    assert sweep["found"] == []


def test_questions_answer_by_contract(cli: Cli) -> None:
    contracts.check(cli.json("size", str(EXAMPLE)), contracts.SIZE)
    contracts.check(cli.json("plan", str(EXAMPLE)), contracts.PLAN)
    offers = cli.json("offers", "--gpu", "T4")
    contracts.check(offers, contracts.OFFERS)
    assert {offer["gpu"] for offer in offers} == {"T4"}


def test_errors_answer_by_contract(cli: Cli, tmp_path: Path) -> None:
    bad = job_file(tmp_path / "j", "run: echo\ntrainig: {}\n")
    for words, code in [
        (("run", str(bad), "--local"), 2), (("show", "job-nothing"), 2), (("offers", "--gpu", "A101"), 2),
        (("run", str(EXAMPLE), "--rehearse", "--local"), 2),
        (("run", str(job_file(tmp_path / "k", "run: echo\n")), "--rehearse", "--yes"), 3),
    ]:  # fmt: skip
        done = cli(*words, "--json")
        assert done.code == code, (words, done)
        contracts.check(done.json, contracts.ERROR)
    assert cli.json("ps", "--all") == []


def test_the_hard_end_holds_although_nobody_looks(cli: Cli, tmp_path: Path) -> None:
    job = job_file(tmp_path / "j", "name: endless\nrun: sleep 600\nschedule: {max_duration: 6s}\n")
    name = cli.detach(job, "--local")
    shown = cli.until(name, lambda shown: shown["state"] == "RUNNING" and shown["supervisor"])
    os.kill(shown["supervisor"]["pid"], signal.SIGKILL)
    assert cli.quiet() == []  # no supervisor, and yet nothing runs on
    assert cli("wait", name, "--json").code == 6
    assert cli.json("leases") == []
