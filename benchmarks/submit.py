"""Submit: how long `tradewind run --local --detach` takes beside `tradewind ps`, which opens the same store."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from installation import installation, write_job
from measure import percentile, seconds_of, tell

JOBS = 15


def main() -> None:
    """Print the median and the 95th percentile of whole commands, each taken while nothing else runs."""
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder, installation() as home:
        job_file = write_job(Path(folder), "nothing", "true")
        submits, looks, jobs = [], [], []
        for _ in range(JOBS):
            looks.append(seconds_of(lambda: home.ask("ps")))
            submits.append(seconds_of(lambda: jobs.append(home.submit(job_file, "--local"))))
            home.ask("wait", jobs[-1], "--timeout", "120s")
    tell(
        "submit/command",
        "ms at the 95th percentile",
        percentile(submits, 0.95) * 1e3,
        None,
        median_ms=round(statistics.median(submits) * 1e3, 1),
        baseline_ms=round(statistics.median(looks) * 1e3, 1),
        jobs=JOBS,
    )


if __name__ == "__main__":
    main()
