"""The transport over a real SSH server: a whole job, and lines that break in the middle of what travels."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from road_bench import agent, roads
from sshd import Relay, Sshd, loopback
from transport_bench import CHUNK, Bench, files_below, wait_for

from tradewind.ports.transport import Unreachable
from tradewind.wire import journal
from tradewind.wire.spec import Command


@pytest.fixture(scope="module")
def server() -> Iterator[Sshd]:
    with Sshd("MaxSessions 1") as running:
        yield running


@contextmanager
def over(server: Sshd, place: Path, relay: Relay | None = None) -> Iterator[Bench]:
    address = server.address(relay, folder=str(place / "host"))
    with roads(agent()) as here:
        bench = Bench(place, here.to(address), address)
        yield bench
        bench.end()


def when_the_line_is_back(call: str, bench: Bench, *given: object) -> object:
    """What a call gives once it does; the control plane asks again, too."""
    answers: list[object] = []

    def answered() -> bool:
        try:
            answers.append(getattr(bench.transport, call)(bench.instance, *given))
        except Unreachable:
            return False
        return True

    wait_for(answered, call)
    return answers[-1]


def test_a_job_over_one_session_from_start_to_fetched_outputs(server: Sshd, tmp_path: Path) -> None:
    with over(server, tmp_path) as bench:
        (bench.work / "文.txt").write_text("work")
        bench.transport.reach(bench.instance)
        run = "mkdir out; cp 文.txt out/; echo $HOME"
        bench.transport.start(bench.instance, bench.parcel(run, outputs=["out"], host_environment=True))
        bench.wait(journal.OUTPUTS)
        assert bench.transport.hear(bench.instance, 0, 0, 1000).log.decode() == f"{server.home}\n"
        assert bench.transport.fetch_outputs(bench.instance, tmp_path / "fetched") == ("out/文.txt",)
        assert (tmp_path / "fetched" / "out" / "文.txt").read_text() == "work"
        bench.transport.command(bench.instance, Command("collected").to_json(), "collected")
        wait_for(lambda: not bench.transport.hear(bench.instance, 0, 0, 1).agent_alive, "the agent's end")


def test_a_line_that_is_cut_while_work_is_sent_costs_what_was_in_flight(server: Sshd, tmp_path: Path) -> None:
    with Relay(server) as relay, over(server, tmp_path, relay) as bench:
        size = 16 * CHUNK
        (bench.work / "large").write_bytes(os.urandom(size))
        parcel, before = bench.parcel("sleep 60"), relay.sent
        for bytes_ in (3 * CHUNK, 4 * CHUNK):
            relay.cut_after(sent=bytes_)
            with pytest.raises(Unreachable):
                bench.transport.start(bench.instance, parcel)
        when_the_line_is_back("start", bench, parcel)
        assert relay.sent - before < size + 2 * 6 * CHUNK
        assert files_below(bench.folder / "node" / "work") == files_below(bench.work)


def test_a_line_that_is_cut_while_outputs_and_checkpoints_come_costs_what_was_in_flight(
    server: Sshd, tmp_path: Path
) -> None:
    with Relay(server) as relay, over(server, tmp_path, relay) as bench:
        size = 12 * CHUNK
        run = f"mkdir out; head -c {size} /dev/urandom > out/large; for n in $(seq 50); do echo $n > out/$n; done"
        bench.transport.start(bench.instance, bench.parcel(run, outputs=["out"]))
        bench.wait(journal.OUTPUTS)
        path, before, into = bench.checkpoint(10, os.urandom(size)), relay.received, tmp_path / "fetched"
        relay.cut_after(received=6 * CHUNK)
        with pytest.raises(Unreachable):
            bench.transport.fetch_outputs(bench.instance, into)
        assert [each.name for each in into.iterdir()] == [".fetching"], "nothing has its name before all is there"
        assert when_the_line_is_back("fetch_outputs", bench, into)
        assert files_below(into) == files_below(bench.folder / "node" / "outputs" / "files")
        relay.cut_after(received=6 * CHUNK)
        with pytest.raises(Unreachable):
            bench.kept(path)
        wait_for(lambda: when_the_line_is_back("keep", bench, path, bench.store) is True, "the checkpoint")
        assert relay.received - before < 2 * size + 2 * 6 * CHUNK


def test_a_visitor_gets_a_shell_and_the_ports_by_the_systems_own_ssh(server: Sshd, tmp_path: Path) -> None:
    with over(server, tmp_path) as bench:
        bench.transport.start(bench.instance, bench.parcel("echo here > trace; sleep 60"))
        wait_for((bench.folder / "node" / "work" / "trace").exists, "the job's file")
        shell = bench.transport.visit(bench.instance)
        done = subprocess.run(
            shell, input="cat trace; echo token=$TOKEN\n", capture_output=True, text=True, timeout=20, check=False
        )
        assert [line for line in done.stdout.splitlines() if line in ("here", "token=")] == ["here", "token="], done
        with socket.socket() as there:
            there.bind(("127.0.0.1", 0))
            there.listen()
            threading.Thread(target=_answer, args=(there,), daemon=True).start()
            here = loopback()[1]
            tunnel = subprocess.Popen(bench.transport.visit(bench.instance, [(here, there.getsockname()[1])]))
            try:
                wait_for(lambda: _read(here) == b"dashboard", "the tunnel")
            finally:
                tunnel.kill()  # ssh now and then loses a gentle signal that meets a closing channel
                tunnel.wait()


def _answer(listening: socket.socket) -> None:
    with listening.accept()[0] as asked:
        asked.sendall(b"dashboard")


def _read(port: int) -> bytes:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as asked:
            return asked.recv(100)
    except OSError:
        return b""
