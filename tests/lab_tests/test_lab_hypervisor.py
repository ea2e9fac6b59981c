"""Machines of the lab are real: what runs in them, what is not to be seen there, and that nothing of them is left."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest
from lab.control import BootFault
from lab.hypervisor import Hypervisor, require
from lab.machines import Guest
from sshd import keygen, program

WAIT_SECONDS = 20.0
MARK = "/etc/tradewind-test-mark"


def until(what: Callable[[], Any]) -> Any:
    """What it gives as soon as that is true."""
    end = time.monotonic() + WAIT_SECONDS
    while not (found := what()):
        assert time.monotonic() < end, "it does not come about"
        time.sleep(0.01)
    return found


@dataclass
class Bench:
    """Machines, a key that they let in, and who powered itself off."""

    machines: Hypervisor
    folder: Path
    off: list[str] = field(default_factory=list)
    addresses: dict[str, str] = field(default_factory=dict)

    def boot(self, id_: str, *lines: str, fault: BootFault | None = None, **facts: Any) -> str:
        """Boot one that lets our key in, and wait until it is done with that; its address."""
        public = keygen(self.folder / id_)
        script = f"#!/bin/sh\nset -e\nmkdir -m 700 ~root/.ssh\necho '{public}' >~root/.ssh/authorized_keys\n"
        data = (script + "".join(f"{each}\n" for each in lines) + f"echo the end of {id_}\n").encode()
        guest = Guest(id_, facts.pop("cloud", "aws"), data, region="us-east-1", zone="us-east-1a",
                      instance_type="g4dn.xlarge", fault=fault, **facts)  # fmt: skip
        self.addresses[id_] = self.machines.boot(guest, self.off.append)
        if fault != "boots-never":
            until(lambda: b"user-data ended with code" in self.machines.console(id_))
        if fault not in ("boots-never", "boots-without-ssh"):
            until(lambda: self.serves(id_))
        return self.addresses[id_]

    def ssh(self, id_: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Log in as root with the key; the host key is whatever answers."""
        options = [
            "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR", "BatchMode=yes",
            "IdentityAgent=none", f"IdentityFile={self.folder / id_}", "ConnectTimeout=10",
        ]  # fmt: skip
        return subprocess.run(
            [program("ssh"), "-F", "none", *(f"-o{each}" for each in options), f"root@{self.addresses[id_]}", *words],
            capture_output=True, text=True, timeout=30, check=False,
        )  # fmt: skip

    def serves(self, id_: str) -> bool:
        """Whether something answers at its port 22."""
        try:
            socket.create_connection((self.addresses[id_], 22), timeout=5).close()
        except OSError:
            return False
        return True


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    require()
    before = set(threading.enumerate())
    machines = Hypervisor()
    try:
        yield Bench(machines, tmp_path)
    finally:
        machines.close()
    assert set(threading.enumerate()) == before


def running(mark: str) -> list[psutil.Process]:
    """Processes of this computer that were started with ``mark`` among their words."""
    return [each for each in psutil.process_iter(["cmdline"]) if mark in (each.info["cmdline"] or [])]


def test_a_machine_runs_its_user_data_as_root_among_files_of_its_own(bench: Bench) -> None:
    here = bench.folder / "of-this-computer"  # in its folder for what is temporary
    here.touch()
    bench.boot(
        "i-own", "id -u", "echo home=$HOME", f"ls {here} 2>/dev/null | wc -l",
        f"touch {MARK}; mkdir /a-new-folder", "ls /dev | grep -cE '^(sd|vd|nvme|loop)' || true", "hostname",
        gpu="Tesla T4", gpus=2, gpu_memory_mib=15360,
    )  # fmt: skip
    told = bench.machines.console("i-own").decode().splitlines()
    assert told[:2] == ["0", "home="]
    assert told[-5:] == ["0", "0", "i-own", "the end of i-own", "user-data ended with code 0"]
    assert not Path(MARK).exists()
    there = bench.ssh("i-own", f"ls {MARK}; command -v python3; nvidia-smi --query-gpu=index,name,memory.total; id -u")
    assert there.stdout.splitlines() == [
        MARK, f"{sys.prefix}/bin/python3", "0, Tesla T4, 15360", "1, Tesla T4, 15360", "0",
    ]  # fmt: skip


def test_machines_do_not_see_each_other(bench: Bench) -> None:
    bench.boot("i-one", f"touch {MARK}", "nohup sleep 4411 >/dev/null 2>&1 &")
    bench.boot("i-two")
    assert bench.addresses["i-one"] != bench.addresses["i-two"]
    assert bench.ssh("i-two", f"ls {MARK}").returncode != 0
    assert "4411" in bench.ssh("i-one", "ps ax").stdout
    assert "4411" not in bench.ssh("i-two", "ps ax").stdout


def test_a_machine_that_ends_ends_with_all_that_it_started(bench: Bench) -> None:
    bench.boot("i-end")
    bench.ssh("i-end", "setsid nohup sleep 4412 >/dev/null 2>&1 </dev/null &")
    assert running("4412")
    bench.machines.end("i-end")
    assert (running("4412"), bench.serves("i-end"), bench.machines.alive("i-end")) == ([], False, False)
    assert b"the end of i-end" in bench.machines.console("i-end")  # clouds keep it for a while
    bench.machines.end("i-end")  # once more is no fault
    assert bench.off == []


def test_machines_end_with_the_process_that_booted_them(tmp_path: Path) -> None:
    require()
    text = (
        "import os, time\nfrom lab.hypervisor import Hypervisor\nfrom lab.machines import Guest\n"
        "machines = Hypervisor()\nmachines.boot(Guest('i-1', 'aws', b'#!/bin/sh\\nsleep 4413 &\\necho up\\n'))\n"
        "while b'up' not in machines.console('i-1'): time.sleep(0.01)\n"
        "print(machines._place, flush=True)\nos.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False
    )
    assert done.returncode == -9, done.stderr
    until(lambda: not running("4413"))
    place = Path(done.stdout.strip())
    assert str(place) not in Path("/proc/self/mountinfo").read_text()
    place.rmdir()  # empty: what the machine wrote went with it


def test_a_stopped_machine_keeps_its_disk_and_boots_without_its_user_data(bench: Bench) -> None:
    bench.boot("i-stop", f"echo once >>{MARK}", "nohup sleep 4414 >/dev/null 2>&1 &")
    bench.machines.stop("i-stop")
    assert (bench.machines.alive("i-stop"), bench.serves("i-stop"), running("4414")) == (False, False, [])
    bench.machines.start("i-stop")
    until(lambda: bench.serves("i-stop"))
    assert bench.ssh("i-stop", f"cat {MARK}").stdout == "once\n"
    assert bench.ssh("i-stop", "reboot").returncode != 1
    until(lambda: "once" in bench.ssh("i-stop", f"cat {MARK}").stdout)
    assert bench.off == []


def test_a_machine_that_powers_itself_off_is_gone_or_stopped_and_says_so(bench: Bench) -> None:
    bench.boot("i-gone", shutdown="terminate")
    bench.boot("i-stopped", shutdown="stop")
    for id_, words in (("i-gone", "shutdown -h now"), ("i-stopped", "poweroff")):
        bench.ssh(id_, words)
        until(lambda: id_ in bench.off)  # noqa: B023 it is waited for here
        assert (bench.machines.alive(id_), bench.serves(id_)) == (False, False)
    bench.machines.start("i-stopped")
    until(lambda: bench.serves("i-stopped"))
    bench.machines.start("i-gone")
    assert not bench.serves("i-gone")


def test_a_shutdown_that_is_ahead_can_be_called_off_or_come_sooner(bench: Bench) -> None:
    bench.boot("i-1", shutdown="terminate")
    bench.ssh("i-1", "shutdown -r +5; shutdown -c")
    assert bench.machines.alive("i-1")
    bench.ssh("i-1", "shutdown -h +5; shutdown now")
    until(lambda: bench.off)


def test_boots_fail_as_they_are_told_to(bench: Bench) -> None:
    bench.boot("i-never", fault="boots-never")
    bench.boot("i-mute", fault="boots-without-ssh")
    assert (bench.machines.alive("i-never"), bench.serves("i-never")) == (False, False)
    assert bench.machines.console("i-never") == b""
    assert (bench.machines.alive("i-mute"), bench.serves("i-mute")) == (True, False)


def test_another_host_key_answers_from_the_start_or_from_a_moment_on(bench: Bench) -> None:
    keys = {}
    for id_, fault in (("i-strange", "host-key-changes"), ("i-usual", None)):
        bench.boot(id_, fault=fault)  # type: ignore[arg-type]
        keys[id_] = bench.ssh(id_, "cut -d' ' -f2 /etc/ssh/ssh_host_ed25519_key.pub").stdout.strip()
    assert keys["i-strange"] not in seen_key(bench, "i-strange")
    assert keys["i-usual"] in seen_key(bench, "i-usual")
    bench.machines.change_host_key("i-usual")
    until(lambda: bench.serves("i-usual") and keys["i-usual"] not in seen_key(bench, "i-usual"))


def seen_key(bench: Bench, id_: str) -> str:
    scan = [program("ssh-keyscan"), "-t", "ed25519", bench.addresses[id_]]
    return subprocess.run(scan, capture_output=True, text=True, timeout=30, check=False).stdout


def test_a_notice_is_to_be_read_in_the_machine(bench: Bench) -> None:
    bench.boot("i-spot")
    read = (
        'base=$(cat /etc/tradewind/metadata)/latest; header=X-aws-ec2-metadata-token; '
        'token=$(curl -sX PUT -H "$header-ttl-seconds: 60" $base/api/token); '
        'curl -s -w " %{http_code}" -H "$header: $token" $base/meta-data/spot/instance-action'
    )  # fmt: skip
    assert bench.ssh("i-spot", read).stdout == " 404"
    bench.machines.notice("i-spot", datetime(2026, 11, 22, 12, tzinfo=UTC))
    assert bench.ssh("i-spot", read).stdout == '{"action": "terminate", "time": "2026-11-22T12:00:00Z"} 200'
