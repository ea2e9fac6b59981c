"""The transport on this computer, with a real agent: start, hear, command, fetch, revive."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest
from checkpoints import put_checkpoint

from tradewind.nodes.bundle import pack
from tradewind.nodes.local import LocalTransport, root_of
from tradewind.nodes.outputs import Entry, take
from tradewind.nodes.parcel import build_agent, build_library
from tradewind.ports.compute import Instance, InstanceState
from tradewind.ports.transport import Parcel, Transport, Unreachable
from tradewind.wire import journal
from tradewind.wire.spec import Command, Spec

WAIT_SECONDS = 20.0
SECRETS = {"TOKEN": "sesame\nopen"}


def wait_for(look: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while not look():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.02)


class Bench:
    """A machine that is a folder, and what is sent to it."""

    def __init__(self, place: Path) -> None:
        self.transport: Transport = LocalTransport()
        self.place = place
        address = place / f"local-{os.getpid()}-{time.monotonic_ns()}"
        address.mkdir()
        self.instance = Instance(
            id=address.name, token="t-1", lease="l", owner="o", state=InstanceState.RUNNING, why=None,
            address=str(address), launched_at=datetime.now(UTC),
        )  # fmt: skip
        (address / "instance.json").write_text(json.dumps({"token": "t-1"}))
        self.work = place / "workdir"
        self.work.mkdir()
        self.root = root_of(self.instance)
        self.store = place / "store"

    def parcel(self, run: str, **changes: object) -> Parcel:
        env = {"PATH": os.environ["PATH"], "PY": sys.executable}
        given: dict[str, object] = {
            "key": "job/1", "job": "job", "epoch": 1, "attempt": 1, "env": env, "secrets": ["TOKEN"],
        }  # fmt: skip
        spec = Spec(run=run, **{**given, **changes})  # type: ignore[arg-type]
        packed = pack(self.work, self.place / "work.tar")
        into = self.place / "parcel"
        return Parcel(spec.to_json(), packed.path, build_agent(into), build_library(into), self.store, SECRETS)

    def told(self, type_: str) -> list[dict[str, object]]:
        heard = self.transport.hear(self.instance, 0, 0, 1 << 20)
        return [each for each in journal.read_lines(heard.journal)[0] if each["type"] == type_]

    def wait(self, type_: str) -> dict[str, object]:
        wait_for(lambda: bool(self.told(type_)), type_)
        return self.told(type_)[0]

    def alive(self) -> bool:
        return self.transport.hear(self.instance, 0, 0, 1).agent_alive

    def marked(self) -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get("TRADEWIND_INSTANCE") == self.instance.id:
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def end(self) -> None:
        for process in self.marked():
            try:
                process.kill()
            except psutil.Error:
                continue


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.end()


def test_a_job_from_start_to_fetched_outputs(bench: Bench, tmp_path: Path) -> None:
    (bench.work / "train.py").write_text(
        "import os, tradewind.training, tradewind.wire.spec as spec\n"
        "print(os.path.dirname(os.path.dirname(os.path.dirname(spec.__file__))), repr(os.environ['TOKEN']))\n"
        "os.makedirs('out')\nopen('out/a.txt', 'w').write('result')\n"
    )
    (bench.work / ".gitignore").write_text("*.bin\n")
    (bench.work / "data.bin").write_text("stays")
    parcel = bench.parcel('"$PY" train.py', outputs=["out"])
    bench.transport.start(bench.instance, parcel)
    bench.wait(journal.OUTPUTS)
    assert bench.alive()
    heard = bench.transport.hear(bench.instance, 0, 0, 1 << 20)
    assert heard.log.decode() == f"{bench.root}/lib 'sesame\\nopen'\n"
    assert bench.transport.hear(bench.instance, 5, 4, 10).journal == heard.journal[5:15]
    assert bench.transport.hear(bench.instance, 0, 4, 3).log == heard.log[4:7]
    assert not (bench.root / "work" / "data.bin").exists()
    written = [path for path in bench.root.rglob("*") if path.is_file() and path != bench.root / "log"]
    assert not [path for path in written if b"sesame" in path.read_bytes()], "secrets lie in no file"
    into = tmp_path / "fetched"
    assert bench.transport.fetch_outputs(bench.instance, into) == ("out/a.txt",)
    assert (into / "out" / "a.txt").read_text() == "result"
    assert [path.name for path in into.iterdir()] == ["out"]
    for _ in range(2):
        bench.transport.command(bench.instance, Command("collected").to_json(), "collected")
    wait_for(lambda: not bench.alive(), "the agent's end")
    bench.transport.command(bench.instance, Command("collected").to_json(), "collected")
    assert [path.name for path in (bench.root / "commands").iterdir()] == ["collected.json.done"]
    bench.transport.start(bench.instance, parcel)
    bench.transport.revive(bench.instance, SECRETS)
    assert len(bench.told(journal.RUN_ENDED)) == len(bench.told(journal.AGENT_STARTED)) == 1
    wait_for(lambda: not bench.marked(), "nothing left")


def test_the_same_spec_is_started_once_and_another_is_refused(bench: Bench) -> None:
    parcel = bench.parcel("echo once >> starts; sleep 60")
    bench.transport.start(bench.instance, parcel)
    bench.wait(journal.RUN_STARTED)
    bench.transport.start(bench.instance, parcel)
    assert len(bench.told(journal.AGENT_STARTED)) == 1
    with pytest.raises(Unreachable, match="serves job/1, not job/2"):
        bench.transport.start(bench.instance, bench.parcel("true", key="job/2"))
    os.kill(json.loads((bench.root / "agent.json").read_text())["pid"], signal.SIGKILL)
    wait_for(lambda: not bench.alive(), "the agent's death")
    bench.transport.revive(bench.instance, SECRETS)
    assert bench.alive()
    wait_for(lambda: len(bench.told(journal.AGENT_STARTED)) == 2, "the second life")
    assert bench.told(journal.AGENT_STARTED)[1]["adopted"]
    assert (bench.root / "work" / "starts").read_text() == "once\n"
    assert {each.pid for each in bench.marked()} >= {bench.told(journal.RUN_STARTED)[0]["pid"]}


def test_a_start_that_was_cut_short_is_done_again_whole(bench: Bench) -> None:
    (bench.root / "work").mkdir(parents=True)
    (bench.root / "work" / "half").write_text("")
    bench.transport.start(bench.instance, bench.parcel("ls half || true"))
    bench.wait(journal.RUN_ENDED)
    assert b"half" in bench.transport.hear(bench.instance, 0, 0, 1000).log, "ls names it as missing"
    assert not (bench.root / "work" / "half").exists()
    assert (bench.root.stat().st_mode & 0o777, (bench.root / "spec.json").stat().st_mode & 0o777) == (0o700, 0o600)


def test_a_machine_that_is_gone_or_another(bench: Bench) -> None:
    bench.transport.reach(bench.instance)
    identity = Path(bench.instance.address) / "instance.json"
    identity.write_text(json.dumps({"token": "t-2"}))
    with pytest.raises(Unreachable, match="another machine"):
        bench.transport.reach(bench.instance)
    identity.unlink()
    for call in (
        lambda: bench.transport.reach(bench.instance),
        lambda: bench.transport.hear(bench.instance, 0, 0, 1),
        lambda: bench.transport.revive(bench.instance, {}),
        lambda: bench.transport.start(bench.instance, bench.parcel("true")),
        lambda: bench.transport.command(bench.instance, "{}", "stop"),
        lambda: bench.transport.fetch_outputs(bench.instance, bench.place),
    ):
        with pytest.raises(Unreachable):
            call()


def test_an_agent_that_cannot_start_is_told_with_its_words(bench: Bench) -> None:
    broken = bench.parcel("true")
    broken.agent.write_text("raise SystemExit('no agent here')")
    with pytest.raises(Unreachable, match="no agent here"):
        bench.transport.start(bench.instance, broken)
    with pytest.raises(Unreachable, match="does not start"):
        LocalTransport(python="/nowhere/python").revive(bench.instance, {})
    with pytest.raises(Unreachable, match="no manifest"):
        bench.transport.fetch_outputs(bench.instance, bench.place)


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"name": "a", "bytes": 1, "crc32": "352441c2"}, "has 3 bytes"),
        ({"name": "a", "bytes": 3, "crc32": "00000000"}, "352441c2"),
        ({"name": "none", "bytes": 3, "crc32": "352441c2"}, "missing"),
        ({"name": "../a", "bytes": 3, "crc32": "352441c2"}, "leads out"),
    ],
)
def test_an_output_that_differs_from_its_manifest_is_refused(
    tmp_path: Path, entry: dict[str, object], why: str
) -> None:
    source, into = tmp_path / "source", tmp_path / "into"
    source.mkdir()
    (source / "a").write_text("abc")
    (source / "b").write_text("abc")
    good = {"name": "b", "bytes": 3, "crc32": "352441c2"}

    def bring(files: Sequence[Entry], draft: Path) -> None:
        for each in files:
            if (source / each["name"]).exists():
                shutil.copy(source / each["name"], draft / each["name"])

    with pytest.raises(ValueError, match=why):
        take({"files": [good, entry]}, bring, into)
    assert list(into.iterdir()) == []
    assert take({"files": [good]}, bring, into) == ("b",)


def test_a_checkpoint_is_kept_where_the_agent_put_it(bench: Bench) -> None:
    assert bench.transport.store(bench.instance, bench.store) == str(bench.store)
    kept = put_checkpoint(bench.store, 1, 20, {"model.pt": "state"})
    assert bench.transport.keep(bench.instance, str(kept), bench.store)
    elsewhere = put_checkpoint(bench.place / "other", 1, 20, {"model.pt": "state"})
    for path in (kept.with_name("step-00000040"), elsewhere):
        with pytest.raises(ValueError, match="no checkpoint"):
            bench.transport.keep(bench.instance, str(path), bench.store)


def test_without_its_secrets_a_job_does_not_begin(bench: Bench) -> None:
    parcel = bench.parcel('test "$TOKEN" = "$EXPECTED"', env={"PATH": os.environ["PATH"], "EXPECTED": SECRETS["TOKEN"]})
    with pytest.raises(Unreachable) as raised:
        bench.transport.start(bench.instance, replace(parcel, secrets={}))
    assert raised.value.code == "secrets-missing" and not bench.told(journal.RUN_STARTED)
    bench.transport.revive(bench.instance, SECRETS)
    assert bench.wait(journal.RUN_ENDED)["exit"] == 0


def test_a_visit_is_a_shell_where_the_job_works_and_ports_need_no_tunnel(bench: Bench) -> None:
    bench.transport.start(bench.instance, bench.parcel("echo here > trace; sleep 60"))
    wait_for((bench.root / "work" / "trace").exists, "the job's file")
    assert bench.transport.visit(bench.instance, [(16006, 6006)]) == ()
    done = subprocess.run(
        bench.transport.visit(bench.instance), input="cat trace; echo $TRADEWIND_JOB; echo token=$TOKEN\n",
        capture_output=True, text=True, timeout=WAIT_SECONDS, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["here", "job", "token="]


def test_agent_and_library_are_the_same_bytes_each_time_and_hold_no_more_than_they_need(tmp_path: Path) -> None:
    for build in (build_agent, build_library):
        assert build(tmp_path / "1").read_bytes() == build(tmp_path / "2").read_bytes()
    names = zipfile.ZipFile(tmp_path / "1" / "agent.pyz").namelist()
    assert {"__main__.py", "tradewind/__init__.py", "tradewind/wire/spec.py", "tradewind/agent/serve.py"} <= set(names)
    assert {name.split("/")[1] for name in names if name.count("/") > 1} == {"agent", "wire"}
    names = zipfile.ZipFile(tmp_path / "1" / "library.zip").namelist()
    assert {name.split("/")[1] for name in names if name.count("/") > 1} == {"training", "wire"}
