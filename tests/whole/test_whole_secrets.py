"""A secret of a job on this computer: nowhere but in its environment, and asked for again by whoever lost it."""

from __future__ import annotations

import hashlib
import signal
from pathlib import Path

import psutil
from product import Cli

CANARY = "canary-5b0d83e1f6"
JOB = """\
name: guarded
run: |
  printf %s "$HF_TOKEN" | sha256sum
  touch "$TRADEWIND_CHECKPOINT_DIR/begun"
  until [ -e {go} ]; do sleep 0.1; done
setup: test -n "$HF_TOKEN"
secrets: [HF_TOKEN]
"""


def shown_anywhere(cli: Cli) -> list[str]:
    """Files under the home and in the supervisor's folder, and command lines of any process, that hold the canary."""
    places = [cli.home, (cli.home / "supervisor.socket").readlink().parent]
    files = [path for place in places for path in place.rglob("*") if path.is_file()]
    told = [str(path) for path in files if CANARY.encode() in path.read_bytes()]
    return told + [line for process in psutil.process_iter() if CANARY in (line := command_line(process))]


def command_line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def test_a_secret_is_in_nothing_that_was_written_and_is_given_again_when_all_who_knew_it_died(
    cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    file = tmp_path / "work" / "job.yaml"
    file.write_text(JOB.format(go=tmp_path / "go"))
    cli.env["HF_TOKEN"] = CANARY
    job = cli.detach(file, "--local")
    cli.until(job, lambda shown: any(cli.home.glob("instances/*/node/work/checkpoints/begun")))
    assert shown_anywhere(cli) == []

    for process in cli.processes():
        process.send_signal(signal.SIGKILL)
    cli.env.pop("HF_TOKEN")
    waiting = cli.until(job, lambda shown: "HF_TOKEN" in (shown["why"] or ""))
    assert waiting["state"] in ("ACQUIRING", "WAITING") and cli.json("leases") == []

    cli.env["HF_TOKEN"] = CANARY
    assert [each["job"] for each in cli.json("ps")] == [job]
    cli.env.pop("HF_TOKEN")
    (tmp_path / "go").touch()
    ended = cli("wait", job, "--json").json
    assert (ended["state"], len(ended["attempts"])) == ("SUCCEEDED", 2)
    digest = hashlib.sha256(CANARY.encode()).hexdigest()
    for number in (1, 2):
        assert digest in (cli.home / "jobs" / job / "logs" / f"attempt-{number}.log").read_text()
    assert not [path for path in cli.home.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]
