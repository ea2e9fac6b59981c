"""Recovery: a node's processes are killed while the example trains; how long until it trains again."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from installation import ROOT, Installation, installation, until
from measure import tell

BAR_SECONDS = 10.0  # from the moment that the new node is reachable


def main() -> None:
    """Print the seconds from a reachable new node to its first new step, and from the kill to that step."""
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder, installation() as home:
        job = home.submit(example_without_preemptions(Path(folder)), "--local")
        node = home.node_of(job)
        until(lambda: trains_with_checkpoint(home.ask("show", job)), "a step after a checkpoint")
        killed = time.time()
        os.killpg(int(node["pgid"]), signal.SIGKILL)
        shown = until(lambda: trains_again(home, job), "a new step")
        again = instant(shown["progress"]["updated_at"])
        reachable = reachable_at(shown, shown["attempts"][1]["leases"][0])
        assert reachable is not None
        tell(
            "resume/node-to-step",
            "s",
            again - reachable,
            BAR_SECONDS,
            kill_to_step_s=round(again - killed, 2),
            resumed_step=shown["attempts"][1]["resumed_step"],
            repeated_steps=shown["attempts"][1]["repeated_steps"],
        )


def example_without_preemptions(folder: Path) -> Path:
    """A copy of the example whose only preemption is ours."""
    workdir = shutil.copytree(ROOT / "examples" / "digits", folder / "digits")
    job_file = workdir / "job.yaml"
    lines = [each for each in job_file.read_text(encoding="utf-8").splitlines() if not each.startswith("rehearse:")]
    job_file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return job_file


def trains_with_checkpoint(shown: dict[str, Any]) -> bool:
    """Whether a complete checkpoint lies behind the newest step."""
    complete = [each["step"] for each in shown["checkpoints"] if each["state"] == "complete"]
    return bool(complete and shown["progress"] and shown["progress"]["step"] > complete[-1])


def trains_again(home: Installation, job: str) -> dict[str, Any] | None:
    """The show object once the second attempt has told a step of its own, from its own node.

    Raises:
        RuntimeError: the job ended instead.
    """
    shown: dict[str, Any] = home.ask("show", job)
    if shown["ended_at"]:
        raise RuntimeError(f"the job ended in {shown['state']} before it trained again")
    if len(shown["attempts"]) < 2:
        return None
    reachable = reachable_at(shown, shown["attempts"][1]["leases"][0])
    return shown if reachable is not None and instant(shown["progress"]["updated_at"]) > reachable else None


def reachable_at(shown: dict[str, Any], lease: str) -> float | None:
    """When the lease's machine answered, seconds since the epoch; None while it has not."""
    changes = [each for each in shown["events"] if each["what"] == lease and each["to"] == "RUNNING"]
    return instant(changes[0]["at"]) if changes else None


def instant(text: str) -> float:
    """Seconds since the epoch of an ISO instant."""
    return datetime.fromisoformat(text).timestamp()


if __name__ == "__main__":
    main()
