"""A script that knows nothing of Tradewind, preempted without saving: it goes on from what it saved last."""

from __future__ import annotations

from pathlib import Path

import pytest
from product import TRADEWIND, Cli
from sshd import Sshd
from test_whole_machines import add, at_home

# It counts for as long as it is let, saves a hundred steps in all, in one file, and looks at no signal.
SCRIPT = """\
import pathlib, sys, time
kept, go = pathlib.Path("models/权重.pt"), pathlib.Path(sys.argv[1])
kept.parent.mkdir(exist_ok=True)
step = int(kept.read_text()) if kept.exists() else 0
print("from", step, flush=True)
while not go.exists():
    step += 1
    time.sleep(0.02)
    if step in (50, 100):
        kept.write_text(str(step))
"""


def script(folder: Path, go: Path) -> Path:
    folder.mkdir()
    (folder / "train.py").write_text(SCRIPT)
    (folder / "job.yaml").write_text(
        f"name: plain\nrun: exec {TRADEWIND.with_name('python')} train.py {go}\ncheckpoint: {{path: ./models}}\n"
        "resources: {accelerators: 'T4:1'}\n"
    )
    return folder / "job.yaml"


def preempted_and_resumed(cli: Cli, tmp_path: Path, *where: str) -> None:
    go = tmp_path / "go"
    job = cli.detach(script(tmp_path / "plain", go), "--rehearse", "--preempt-at", "5s", *where)
    shown = cli.until(job, lambda shown: len(shown["attempts"]) > 1 and "from 100" in shown["attempts"][1]["log_tail"])
    go.touch()
    shown = cli("wait", job, "--json").json
    first, second = shown["attempts"]
    assert (first["outcome"], second["outcome"]) == ("interrupted", "succeeded")
    assert (first["exit_code"], second["resumed_step"], second["repeated_steps"]) == (143, None, None)
    (kept,) = (each for each in shown["checkpoints"] if each["epoch"] == 1)
    assert (kept["state"], kept["verified"], kept["step"]) == ("complete", False, None)
    (resumed,) = (each for each in shown["events"] if each["kind"] == "resumed")
    assert resumed["data"]["saved_at"][:23] == kept["at"][:23]
    told, clock = cli("show", job).out, kept["at"][11:19]
    assert "unverified" in told
    told = cli("wait", job).out
    assert f"checkpoint (unverified) of {clock} is kept" in told
    assert f"resumed from the unverified checkpoint of {clock}" in told
    assert cli.json("leases") == []


def test_here(cli: Cli, tmp_path: Path) -> None:
    cli.env["TZ"] = "UTC"
    preempted_and_resumed(cli, tmp_path)


@pytest.mark.long
def test_on_a_machine(cli: Cli, tmp_path: Path) -> None:
    with Sshd(path=f"{TRADEWIND.parent}:/usr/bin:/bin") as server:
        cli.env.update(at_home(server, tmp_path / "user"), TZ="UTC")
        added = add(cli, server, "box")
        assert added.code == 0, added.err + added.out
        preempted_and_resumed(cli, tmp_path, "--on", "box")
