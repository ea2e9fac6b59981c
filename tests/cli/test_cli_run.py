"""``run``, ``wait``, ``logs``, ``stop``: what is asked, what is told, and how it ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cli_world import Inside, Shell, answer, job_file

from tradewind.domain.money import parse_money
from tradewind.domain.workload import PreemptAt


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Inside(tmp_path / "home"))


@pytest.fixture
def job(tmp_path: Path) -> str:
    return job_file(tmp_path)


def lines(text: str) -> list[str]:
    return text.rstrip("\n").splitlines()


def test_a_rehearsal_is_told_from_needs_to_open_leases(shell: Shell, job: str) -> None:
    result = shell("run", job, "--rehearse", "--preempt-at", "25%,60%", "--time-scale", "60")
    assert result.code == 0
    assert result.err == ""
    told = result.out
    heads = ["Needs", "Plan  cheapest", "Choices", "Preempted: attempt 1", "✓ digits succeeded", "Money", "Prediction"]
    assert [told.index(head) for head in heads] == sorted(told.index(head) for head in heads)
    assert lines(told)[-1] == "open leases: none"
    (submit,) = shell.plane.submitted
    assert (submit.rehearse, submit.local, submit.time_scale) == (True, False, 60.0)
    assert submit.preempt_at == (PreemptAt(share=0.25), PreemptAt(share=0.6))
    assert submit.env == {"PATH": "/usr/bin", "LANG": "C.UTF-8"}


def test_a_trace_is_asked_for_with_its_speed_and_window(shell: Shell, job: str) -> None:
    words = ("run", job, "--rehearse", "--trace", "v100-2023-02-dev")
    assert shell(*words, "--trace-speed", "600", "--seed", "3", "--preempt-at", "none").code == 0
    assert shell(*words).code == 0
    first, second = shell.plane.submitted
    assert (first.trace, first.trace_speed, first.seed, first.preempt_at) == ("v100-2023-02-dev", 600.0, 3, ())
    assert (second.trace, second.trace_speed, second.seed, second.preempt_at) == ("v100-2023-02-dev", None, 0, None)


def test_an_unknown_trace_is_told_with_the_nearest_names(shell: Shell, job: str) -> None:
    result = shell("run", job, "--rehearse", "--trace", "v100-2023-20-dev")
    assert result.code == 2
    assert "v100-2023-02-dev" in result.err
    assert result.out == ""  # told before a plan is made


def test_every_moment_of_a_preemption_is_told_once(shell: Shell, job: str) -> None:
    told = lines(shell("run", job, "--rehearse").out)
    start = told.index("Preempted: attempt 1  injected at 25%")
    moments = [line.partition(" s  ")[2] for line in told[start + 1 :] if line.lstrip().startswith("+")]
    assert moments[:7] == [
        "notice: the machine will be taken",
        "checkpoint of step 206 is saved",
        "the job has stopped",
        "next lease runs: lease-m7zjvfm0-892n",
        "node is gone (lease-m7zjrvpq-0ke5)",
        "resumed at step 206, 0 steps repeated",
        "training again; 36.0 s lost",
    ]
    assert sum("notice: the machine" in line for line in told) == 2


def test_a_pipe_gets_a_progress_line_every_few_seconds_only(shell: Shell, job: str) -> None:
    told = [line for line in lines(shell("run", job, "--rehearse").out) if line.startswith("running")]
    changes = len(answer("show")["events"])
    assert 3 <= len(told) <= changes / 2  # the clock moves two seconds a look


def test_json_is_the_show_object_and_prose_goes_to_stderr(shell: Shell, job: str) -> None:
    result = shell("run", job, "--rehearse", "--json")
    assert result.json() == answer("show")
    assert lines(result.err)[-1] == "open leases: none"


@pytest.mark.parametrize(("state", "code"), [("SUCCEEDED", 0), ("FAILED", 5), ("EXPIRED", 6), ("STOPPED", 8)])
@pytest.mark.parametrize("words", [("run", "JOB", "--local"), ("wait", "digits")])
def test_the_exit_code_is_the_end_of_the_job(
    shell: Shell, job: str, state: str, code: int, words: tuple[str, ...]
) -> None:
    shell.plane.shown["state"] = state
    result = shell(*(job if word == "JOB" else word for word in words), "--json")
    assert result.code == code
    assert result.json()["state"] == state


def test_a_failed_command_tells_its_exit_code_and_its_last_lines(shell: Shell, job: str) -> None:
    shell.plane.shown = answer("failed")
    result = shell("run", job, "--local")
    assert result.code == 5
    assert "✗ digits failed · exit code 1" in result.out
    assert "ModuleNotFoundError: No module named 'torch'" in result.out


def test_detach_returns_what_was_accepted(shell: Shell, job: str) -> None:
    result = shell("run", job, "--rehearse", "--detach", "--json", "--request-id", "r1")
    assert result.code == 0
    assert set(result.json()) == {"job", "name", "state", "plan_id", "rehearsal"}
    assert shell.plane.submitted[0].request_id == "r1"
    assert "tradewind wait" in shell("run", job, "--local", "--detach").out


@pytest.mark.parametrize("words", [("run", "JOB", "--rehearse"), ("wait", "digits")])
def test_ctrl_c_detaches_and_says_how_to_come_back(shell: Shell, job: str, words: tuple[str, ...]) -> None:
    shell.plane.interrupt = True
    result = shell(*(job if word == "JOB" else word for word in words))
    assert result.code == 130
    assert "tradewind wait" in result.err and "tradewind stop" in result.err


@pytest.mark.parametrize(
    ("flags", "clouds", "more", "exit_code", "code"),
    [
        (["--rehearse", "--local"], (), [], 2, "rehearse-and-local"),
        (["--preempt-at", "25%"], (), [], 2, "preempt-without-rehearse"),
        (["--rehearse", "--time-scale", "0"], (), [], 2, "time-scale-unreadable"),
        (["--rehearse", "--time-scale", "1e300"], (), [], 2, "time-scale-unreadable"),
        (["--rehearse", "--preempt-at", "130%"], (), [], 2, "preempt-at-unreadable"),
        (["--trace", "v100-2023-02-dev"], (), [], 2, "trace-without-rehearse"),
        (["--local", "--trace", "v100-2023-02-dev"], (), [], 2, "trace-without-rehearse"),
        (["--rehearse", "--seed", "3"], (), [], 2, "needs-trace"),
        (["--rehearse", "--trace-speed", "auto"], (), [], 2, "needs-trace"),
        (["--rehearse", "--trace", "v100-2023-02-dev", "--trace-speed", "-1"], (), [], 2, "trace-speed-unreadable"),
        (["--rehearse", "--trace", "v100-2023-02-dev", "--trace-speed", "1e6"], (), [], 2, "trace-speed-unreadable"),
        (["--rehearse", "--trace", "v100-2023-20-dev"], (), [], 2, "trace-unknown"),
        (["--rehearse", "--trace", "v100-2023-20-dev", "--preempt-at", "5s"], (), [], 2, "trace-unknown"),
        (["--max-cost", "30"], (), [], 2, "money-unreadable"),
        ([], (), [], 3, "no-cloud-configured"),
        (["--yes", "--max-cost", "30 CNY"], (), [], 3, "no-cloud-configured"),
        (["--yes"], ("alibaba",), [], 2, "limit-missing"),
        ([], ("alibaba",), [], 2, "nobody-to-ask"),
        (["--local"], (), ["secrets: [TW_TEST_TOKEN]"], 2, "secret-missing"),
    ],
)
def test_runs_that_are_refused(
    shell: Shell, tmp_path: Path, flags: list[str], clouds: tuple[str, ...], more: list[str], exit_code: int, code: str
) -> None:
    shell.plane.clouds = clouds
    result = shell("run", job_file(tmp_path, more), *flags, "--json")
    assert result.code == exit_code
    assert result.json()["error"]["code"] == code
    assert shell.plane.submitted == []


def test_a_paid_run_without_a_cloud_shows_its_plan_first(shell: Shell, job: str) -> None:
    result = shell("run", job)
    assert result.code == 3
    assert "Plan  cheapest" in result.out
    assert "--rehearse" in result.err


@pytest.mark.parametrize(("typed", "submitted"), [("y\n", 1), ("n\n", 0), ("\n", 0), ("", 0)])
def test_money_is_spent_only_when_agreed(shell: Shell, job: str, typed: str, submitted: int) -> None:
    shell.plane.clouds, shell.terminal, shell.typed = ("alibaba",), True, typed
    result = shell("run", job)
    assert len(shell.plane.submitted) == submitted
    assert "At most $" in result.err and "even if everything goes wrong" in result.err


def test_yes_with_a_limit_asks_nothing(shell: Shell, job: str) -> None:
    shell.plane.clouds = ("alibaba",)
    assert shell("run", job, "--yes", "--max-cost", "30 CNY").code == 0
    assert shell.plane.submitted[0].max_cost == parse_money("30 CNY")


def test_secrets_travel_but_are_never_shown(shell: Shell, tmp_path: Path) -> None:
    shell.env["HF_TOKEN"] = "hf_abc"
    result = shell("run", job_file(tmp_path, ["secrets: [HF_TOKEN]"]), "--local")
    assert shell.plane.submitted[0].secrets == {"HF_TOKEN": "hf_abc"}
    assert "hf_abc" not in result.out + result.err + repr(shell.plane.submitted)


def test_nothing_fits(shell: Shell, job: str) -> None:
    plan: dict[str, Any] = answer("plan")
    plan.update(chosen=None, alternatives=[], fallbacks=[],
                infeasible={"changes": [{"set": "schedule.deadline", "to": "14.1h", "by": "+2.1h"}],
                            "together": []})  # fmt: skip
    shell.plane.plan = plan
    planned = shell("plan", job, "--json")
    assert (planned.code, planned.json()) == (3, plan)
    result = shell("run", job, "--rehearse")
    assert result.code == 3
    assert "schedule.deadline: 14.1h" in result.out
    assert shell.plane.submitted == []


def test_wait_ends_when_its_time_is_over(shell: Shell) -> None:
    result = shell("wait", "digits", "--timeout", "3s", "--json")
    assert result.code == 9
    assert result.json()["error"]["code"] == "wait-timeout"
    assert result.json()["error"]["retryable"] is True
    assert shell("wait", "digits", "--timeout", "soon").code == 2


def test_logs_are_printed_whole(shell: Shell) -> None:
    shell.plane.log = b"epoch 1 loss 0.3\nepoch 2 loss 0.2\n"
    assert shell("logs", "digits").out == shell("logs", "digits", "--follow").out == shell.plane.log.decode()


def test_stop_prints_the_show_object(shell: Shell) -> None:
    assert shell("stop", "digits", "--json").json()["state"] == "STOPPED"
    assert "open leases: none" in shell("stop", "digits").out
