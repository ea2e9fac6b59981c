"""The commands about one's own machines, as the pages have them, carried out one after the other on a real sshd."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from sshd import Sshd
from test_docs_commands import ROOT, commands

TRADEWIND = Path(sys.executable).with_name("tradewind")
PATIENCE = 120.0
PAGES = [ROOT / "README.md", ROOT / "docs" / "machines.md"]
JOB = f"""\
name: digits
run: |
  {sys.executable} -m http.server $PORT --bind 127.0.0.1 &
  until [ -e "$GO" ]; do sleep 0.1; done
  kill %1; mkdir out; echo 42 > out/x
outputs: [./out]
"""


@pytest.fixture
def user(tmp_path: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder with a job file, and the environment of a user who can log in to ``gpu-box``, whose key they know."""
    with Sshd() as server:
        server.know()
        home = tmp_path / "user"
        (home / ".ssh").mkdir(parents=True, mode=0o700)
        box = f"Host gpu-box\n  HostName {server.host}\n  Port {server.port}\n  User {server.user}\n"
        (home / ".ssh" / "config").write_text(box + server.config.read_text())
        folder = tmp_path / "here"
        folder.mkdir()
        (folder / "job.yaml").write_text(
            f"{JOB}ports: [{server.port}]\nenv: {{GO: {folder}/go, PORT: '{server.port}'}}\n"
        )
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        yield folder, {**kept, "HOME": str(home), "TRADEWIND_HOME": str(tmp_path / "home"), "COLUMNS": "100"}


def session(page: Path) -> list[list[str]]:
    """The commands of a page from adding a machine to removing it."""
    words = [each[1:] for each in commands(page) if each[0] == "tradewind"]
    begin = next(at for at, each in enumerate(words) if each[:2] == ["machines", "add"])
    end = next(at for at, each in enumerate(words) if each[:2] == ["machines", "remove"])
    return words[begin : end + 1]


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_says_of_machines_can_be_typed(user: tuple[Path, dict[str, str]], page: Path) -> None:
    folder, env = user
    told = {}
    for words in session(page):
        if words[0] == "attach":
            (folder / "go").touch()
        if "--ports" in words:
            tunnel(folder, env, words)
            continue
        done = subprocess.run([TRADEWIND, *words], cwd=folder, env=env, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE)  # fmt: skip
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        told[" ".join(words[:2])] = done.stdout
    assert "gpu-box is added" in told["machines add"]
    assert "reachable" in told["machines list"]
    assert (folder / "results" / "out" / "x").read_text() == "42\n"
    assert "nothing is left" in told["machines remove"]


def tunnel(folder: Path, env: dict[str, str], words: list[str]) -> None:
    """Open the tunnels, see that the job answers through them, and close them as Ctrl-C does."""
    deadline = time.monotonic() + PATIENCE
    with subprocess.Popen([TRADEWIND, *words], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:  # fmt: skip
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        while True:
            try:
                with urlopen(address, timeout=10) as answer:
                    assert answer.status == 200
                break
            except OSError:
                assert process.poll() is None and time.monotonic() < deadline, process.communicate()
                time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
