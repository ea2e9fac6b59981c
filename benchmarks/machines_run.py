"""A job on a machine of one's own: from `run` to its first line, beside the same job on this computer.

The machine is a real sshd on a loopback address. Workdirs of 200 files of 16 KiB; the second run has the same one.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from installation import Installation, installation, until, write_job
from measure import tell
from own_machine import add, server

RUNS, FILES, FILE_BYTES = 5, 200, 16 << 10


def main() -> None:
    """Print seconds to the first line: a first run, further ones with an unchanged workdir, and runs on `local`."""
    with server() as host, tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder, installation() as home:
        add(home, host, "box")
        job = write_job(Path(folder), "first-line", "date +%s.%N > at; cat at; sleep 0.2", "outputs: [at]\n")
        fill(job.parent)
        with kept_awake(home, Path(folder)):
            first = to_first_line(home, job, "--on", "box")
            again = [to_first_line(home, job, "--on", "box") for _ in range(RUNS)]
            local = [to_first_line(home, job, "--local") for _ in range(RUNS)]
        told = {"local_s": round(statistics.median(local), 2), "runs": RUNS}
        tell("machines/run-to-first-line", "s", first, None, **told)
        tell("machines/run-to-first-line-unchanged", "s", statistics.median(again), None, **told)


def fill(workdir: Path) -> None:
    """Files that no compression makes small, the same at every run."""
    draw = random.Random(8)
    for number in range(FILES):
        (workdir / f"part-{number:03d}").write_bytes(draw.randbytes(FILE_BYTES))


@contextmanager
def kept_awake(home: Installation, folder: Path) -> Iterator[None]:
    """A job that goes on meanwhile: the supervisor lives, as in a lab that trains all day."""
    other = home.submit(write_job(folder, "awake", "sleep 1000"), "--local")
    until(lambda: home.ask("show", other)["state"] == "RUNNING", "a running job")
    yield
    home.ask("stop", other)


def to_first_line(home: Installation, job: Path, *words: str) -> float:
    """Seconds from the command's start to the instant that the job itself wrote down."""
    began = time.time()
    name = home.submit(job, *words)
    done = home.ask("wait", name)
    return float(Path(done["outputs"]["path"], "at").read_text()) - began


if __name__ == "__main__":
    main()
