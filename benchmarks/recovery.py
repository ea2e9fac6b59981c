"""Recovery of the control plane: its supervisor is killed while a job trains; how long until the next one commits."""

from __future__ import annotations

import os
import signal
import sqlite3
import tempfile
import time
from pathlib import Path

from installation import Installation, installation, until, write_job
from measure import tell

BAR_SECONDS, KILLS = 5.0, 5
TELLS = """while true; do echo '{"v":1,"type":"step","step":'$((n+=1))'}' >> "$TRADEWIND_EVENTS"; sleep 0.2; done"""


def main() -> None:
    """Print the worst and the median of a few kills, each followed by the command that a user would type."""
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder, installation() as home:
        job = home.submit(write_job(Path(folder), "ticks", TELLS), "--local")
        until(lambda: home.ask("show", job)["progress"], "the first step")
        taken = sorted(seconds_to_commit(home, job) for _ in range(KILLS))
        tell("control-plane/recovery", "s, worst", taken[-1], BAR_SECONDS, kills=KILLS,
             median_s=round(taken[KILLS // 2], 2))  # fmt: skip
        home.ask("stop", job)


def seconds_to_commit(home: Installation, job: str) -> float:
    """From SIGKILL to the first progress that the next supervisor committed."""
    shown = home.ask("show", job)
    os.kill(shown["supervisor"]["pid"], signal.SIGKILL)
    killed, before = time.perf_counter(), committed(home, job)
    home.ask("ps")  # what a user does; it sees to a supervisor
    until(lambda: committed(home, job) != before, "a commit")
    return time.perf_counter() - killed


def committed(home: Installation, job: str) -> str:
    """The progress as the database has it."""
    with sqlite3.connect(home.home / "tradewind.db") as db:
        return str(db.execute("SELECT progress FROM job WHERE id = ?", (job,)).fetchone()[0])


if __name__ == "__main__":
    main()
