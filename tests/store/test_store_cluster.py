"""The tests' own PostgreSQL ends with the process that started it, and databases of it are apart from each other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from cluster import cluster
from store_rows import job

from tradewind.store import records
from tradewind.store.database import Database

STARTS = """
import sys
from cluster import cluster
made = cluster()
print(made.folder, (made.data / "postmaster.pid").read_text().split()[0], flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, None])
def test_the_server_and_its_folder_are_gone_with_their_process(end: signal.Signals | None) -> None:
    cluster()  # skips where there is no PostgreSQL
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    process = subprocess.Popen([sys.executable, "-c", STARTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env=environment)  # fmt: skip
    assert process.stdout and process.stdin
    folder, pid = process.stdout.readline().split()
    server = psutil.Process(int(pid))
    assert "postgres" in server.name()
    if end is None:
        process.stdin.close()  # it ends by itself
    else:
        process.send_signal(end)
    process.wait(60)
    for _ in range(600):
        if not Path(folder).exists():
            break
        time.sleep(0.1)
    assert not Path(folder).exists()
    assert not server.is_running() or server.status() == psutil.STATUS_ZOMBIE
    process.stdout.close()
    process.stdin.close()


def test_databases_of_one_cluster_are_apart() -> None:
    first, second = cluster().fresh(), cluster().fresh()
    one, two = Database(first), Database(second)
    with one.write() as connection:
        records.insert(connection, job())
    with two.read() as connection:
        assert records.jobs(connection) == []
    cluster().drop(first)  # although somebody is connected
    two.close()
    cluster().drop(second)


def test_where_everything_must_be_there_a_missing_server_fails_and_elsewhere_skips(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("cluster._binaries", lambda: None)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception):
        cluster.__wrapped__()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception):
        cluster.__wrapped__()
