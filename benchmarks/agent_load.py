"""The agent's load: share of a core and resident memory beside a job that tells steps as often as our library does."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import psutil
from installation import installation, until, write_job
from measure import tell

WATCHED_SECONDS = 20.0
BAR_CORE_PERCENT, BAR_MB = 0.5, 50.0
TALKER = """
import json, os, time
with open(os.environ["TRADEWIND_EVENTS"], "a", buffering=1) as events:
    for step in range(100000):
        events.write(json.dumps({"v": 1, "type": "step", "step": step, "total_steps": 100000}) + "\\n")
        time.sleep(0.2)  # the most often that tradewind.training tells
"""


def main() -> None:
    """Print the agent's processor time and its memory, each beside the job it serves."""
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder, installation() as home:
        job_file = write_job(Path(folder), "talker", "python talk.py")
        (job_file.parent / "talk.py").write_text(TALKER, encoding="utf-8")
        job = home.submit(job_file, "--local")
        node = Path(home.node_of(job)["address"]) / "node"
        until(lambda: home.ask("show", job)["progress"], "a step")
        agent = psutil.Process(int(json.loads((node / "agent.json").read_text(encoding="utf-8"))["pid"]))
        busy, peak = processor_seconds(agent), 0
        end = time.monotonic() + WATCHED_SECONDS
        while time.monotonic() < end:
            peak = max(peak, agent.memory_info().rss)
            time.sleep(0.5)
        busy = processor_seconds(agent) - busy
    tell("agent/processor", "% of a core", busy / WATCHED_SECONDS * 100, BAR_CORE_PERCENT, seconds=WATCHED_SECONDS)
    tell("agent/memory", "MB resident, peak", peak / 1e6, BAR_MB)


def processor_seconds(process: psutil.Process) -> float:
    """User and system seconds of a process and its ended children."""
    times = process.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


if __name__ == "__main__":
    main()
