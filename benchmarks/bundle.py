"""A workdir on its way to a host, beside rsync over the same SSH server: many small files, one large, again unchanged.

Ours goes from the workdir to a job's folder in which its agent runs: packed, sent by content, checked and written out.
rsync copies the workdir; the second time it finds it there, while ours writes a second job's folder.
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from measure import process, seconds_of, tell

from tradewind.app.clock import SystemClock
from tradewind.nodes.bundle import pack
from tradewind.nodes.parcel import build_agent, build_library
from tradewind.nodes.ssh.road import Road
from tradewind.nodes.ssh.roads import Roads
from tradewind.nodes.ssh.transport import SshTransport
from tradewind.ports.transport import Parcel
from tradewind.wire.spec import Spec

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from door_pipe import take
from sshd import Sshd

ROUNDS = 3
SMALL_FILES, SMALL_BYTES = 20_000, 4_000
LARGE_BYTES = 500 * 10**6


def main() -> None:
    """Print seconds as multiples of rsync's, and what they are in MB and files a second."""
    chance = random.Random(8)
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder, Sshd() as server:
        server.know()
        place = Path(folder)
        for name, sizes in (("small-files", [SMALL_BYTES] * SMALL_FILES), ("large-file", [LARGE_BYTES])):
            work = filled(place / name, sizes, chance)
            rounds = [one_round(server, place / "round", work) for _ in range(ROUNDS)]
            for number, which in enumerate(("first", "second")):
                ours = statistics.median(each[number] for each in rounds)
                theirs = statistics.median(each[2 + number] for each in rounds)
                tell(
                    f"bundle/{name}/{which}", "times rsync", ours / theirs, None, seconds=round(ours, 3),
                    mb_per_second=round(sum(sizes) / 1e6 / ours, 1), files_per_second=round(len(sizes) / ours, 1),
                    rsync_seconds=round(theirs, 3), rsync_mb_per_second=round(sum(sizes) / 1e6 / theirs, 1),
                    rsync_files_per_second=round(len(sizes) / theirs, 1), rounds=ROUNDS,
                )  # fmt: skip
            shutil.rmtree(work)


def filled(work: Path, sizes: list[int], chance: random.Random) -> Path:
    """A workdir with files of these sizes, a hundred a folder; bytes that do not compress."""
    for number, size in enumerate(sizes):
        path = work / f"{number // 100}" / f"{number}.bin"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            for start in range(0, size, 1 << 20):
                file.write(chance.randbytes(min(1 << 20, size - start)))
    return work


def one_round(server: Sshd, place: Path, work: Path) -> tuple[float, float, float, float]:
    """Seconds of ours the first and the second time, then of rsync."""
    place.mkdir()
    copy = rsync(server, work, place / "copied")
    with opened(server, place) as (road, transport):
        theirs = (seconds_of(copy), seconds_of(copy))
        first, second = (seconds_of(lambda: send(road, transport, work, place)) for _ in range(2))
    shutil.rmtree(place)
    return first, second, *theirs


@contextmanager
def opened(server: Sshd, place: Path) -> Iterator[tuple[Road, SshTransport]]:
    """A road to the server with an empty folder at its end; what is on it ends with it."""
    address = server.address(folder=str(place / "host"))
    roads = Roads("0123456789abcdef", build_agent(place), SystemClock())
    road = roads.to(address)
    road.ask("hello", {})
    try:
        yield road, SshTransport(road, address, place / "ssh")
        road.ask("end", {"ids": [each["id"] for each in road.ask("instances", {"ids": None})["instances"]]}, 300.0)
    finally:
        roads.close()


def send(road: Road, transport: SshTransport, work: Path, place: Path) -> None:
    """Pack the workdir and start a job on it that has nothing to do."""
    instance = take(road)
    packed = pack(work, place / instance.id / "work.tar", most_bytes=1 << 33, most_files=1 << 20)
    spec = Spec(key=f"{instance.id}/1", job=instance.id, epoch=1, attempt=1, run="true", env={"PATH": os.defpath})
    agent, library = build_agent(place), build_library(place)
    transport.start(instance, Parcel(spec.to_json(), packed.path, agent, library, place / "store", {}))


def rsync(server: Sshd, work: Path, into: Path) -> Callable[[], None]:
    """A call that copies the workdir by rsync over the same server."""
    ssh = f"ssh -F {server.config} -p {server.port} -o StrictHostKeyChecking=yes"
    return process(["rsync", "-a", "-e", ssh, f"{work}/", f"{server.user}@{server.host}:{into}/"])


if __name__ == "__main__":
    main()
