"""The computer restarts in the middle of a job: no process is left, and the old numbers may belong to others."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from product import Cli

from tradewind.clouds.local import processes


def reboot(cli: Cli, bystander: int) -> None:
    """Everything of the home ends at once, and the machine's number goes to a bystander in another boot."""
    for process in cli.processes():
        process.kill()
    assert cli.quiet() == []
    (machine,) = (cli.home / "instances").glob("local-*/machine.json")
    taken = {"pid": bystander, "pgid": bystander, "started": processes.started_at(bystander), "boot": "the-last-one"}
    machine.write_text(json.dumps(taken))


def test_after_a_reboot_the_job_begins_again_and_nobody_else_is_touched(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    job_file = tmp_path / "job" / "job.yaml"
    again = tmp_path / "again"
    job_file.write_text(f"run: '[ -e {again} ] || sleep 600; echo done > out.txt'\noutputs: [out.txt]\n")
    job = cli.detach(job_file, "--local")
    cli.until(job, lambda shown: any(event["kind"] == "run-started" for event in shown["events"]))
    bystander = subprocess.Popen(["sleep", "600"])
    reboot(cli, bystander.pid)
    again.touch()

    after = cli.json("wait", job)
    assert [each["outcome"] for each in after["attempts"]] == ["interrupted", "succeeded"]
    assert (Path(after["outputs"]["path"]) / "out.txt").read_text() == "done\n"
    assert [each["end_reason"] for each in cli.json("leases", "--all")] == ["vanished", "done"]
    assert cli.json("leases") == []
    told = cli.json("explain", job)
    assert told["code"] == "job-SUCCEEDED" and told["next_wake"] is None
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()
    assert cli.quiet() == []
