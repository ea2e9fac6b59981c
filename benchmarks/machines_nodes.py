"""A hundred machines at once, each with a job that tells a step a second: what their supervisor takes.

One sshd serves them all, each with a folder of its own as its disk, and all agents run on this computer; the figures
are the supervisor's alone, over a minute in which nothing changes.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import psutil
from installation import Installation, installation, until, write_job
from measure import tell
from own_machine import add, server

NODES, SECONDS = 100, 60.0
# One process a job: a shell that tells a step a second.
STEPS = """\
step=0
while :; do
  step=$((step + 1))
  printf '{"v": 1, "type": "step", "step": %d}\\n' $step >> "$TRADEWIND_EVENTS"
  sleep 1
done
"""


def main() -> None:
    """Print the supervisor's share of a core and its memory, and how old what it knows is."""
    with (
        tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder,
        installation() as home,
        server("MaxSessions 1", "MaxStartups 10:30:100") as host,
    ):
        for number in range(NODES):
            add(home, host, f"node-{number:03d}", "--folder", f"{host.folder}/disk-{number:03d}")
        began = time.monotonic()
        jobs = [
            home.submit(write_job(Path(folder), f"steps-{number:03d}", STEPS), "--on", f"node-{number:03d}")
            for number in range(NODES)
        ]
        until(lambda: len(training(home)) == NODES, "all jobs at work", 900, 2.0)
        all_at_work = time.monotonic() - began
        supervisor = psutil.Process(home.ask("show", jobs[0])["supervisor"]["pid"])
        before, began = supervisor.cpu_times(), time.monotonic()
        time.sleep(SECONDS)
        after, ended = supervisor.cpu_times(), time.monotonic()
        share = (after.user + after.system - before.user - before.system) / (ended - began)
        ages = sorted(time.time() - each for each in training(home))
        tell(
            "machines/supervisor-of-100-nodes", "share of a core", share, None, nodes=NODES,
            memory_mb=round(supervisor.memory_info().rss / 1e6), threads=supervisor.num_threads(),
            seconds_until_all_trained=round(all_at_work), age_of_progress_median_s=round(ages[NODES // 2], 1),
            age_of_progress_worst_s=round(ages[-1], 1),
        )  # fmt: skip


def training(home: Installation) -> list[float]:
    """When each job that trains was heard of last, seconds since the epoch."""
    from datetime import datetime

    told = [each["progress"]["updated_at"] for each in home.ask("ps") if each["progress"]]
    return [datetime.fromisoformat(each).timestamp() for each in told]


if __name__ == "__main__":
    main()
