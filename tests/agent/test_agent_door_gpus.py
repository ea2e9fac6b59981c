"""GPUs of a host: read with NVIDIA's library or its program, given to one job only, whoever rents."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from agent_door import Fault, Host, hosting
from agent_node import wait_for
from stub_gpus import DRIVER, Box, Gpu, Nvml, Smi

from tradewind.agent.door import gpu_locks, gpus, nvml
from tradewind.agent.door.faults import Refused

ME = gpu_locks.user(os.getuid())


@pytest.fixture
def somebody() -> Iterator[subprocess.Popen[bytes]]:
    """A process that computes, as far as a driver can say."""
    process = subprocess.Popen(["sleep", "304"])
    yield process
    process.kill()
    process.wait()


def host_with(place: Path, box: Box, **options: Any) -> Host:
    place.mkdir(exist_ok=True)
    host = Host(place, **options)
    host.env.update(box.env)
    return host


@pytest.mark.parametrize("kind", ["nvml", "nvidia-smi"])
def test_the_gpus_are_told_with_who_computes_on_them(
    tmp_path: Path, somebody: subprocess.Popen[bytes], kind: str
) -> None:
    box = (Nvml if kind == "nvml" else Smi)(tmp_path / "box", Gpu(), Gpu("NVIDIA-RTX-4090", 24.0))
    host = host_with(tmp_path, box)
    box.gpus[1].processes = [(somebody.pid, 3.1), (2**22 - 1, None)]
    box.tell()
    with hosting(host):
        told = host.ask("gpus")
        first, second = told.pop("gpus")
        assert told == {"driver": DRIVER, "how": kind, "unknown": None}
        assert first == {
            "index": 0, "uuid": box.gpus[0].uuid, "name": "NVIDIA-H100-80GB-HBM3", "memory_gib": 80.0, "used_by": [],
            "held_by": None,
        }  # fmt: skip
        assert (second["index"], second["memory_gib"]) == (1, 24.0)
        own, gone = second["used_by"]
        assert own == {"pid": somebody.pid, "user": ME, "command": "sleep 304", "memory_gib": 3.1}
        assert gone == {"pid": 2**22 - 1, "user": None, "command": None, "memory_gib": None}
        assert host.ask("facts")["gpus"]["gpus"] == [first, second]


@pytest.mark.parametrize("processes", ["_v2", "_v3", ""])
def test_every_age_of_the_library_tells_of_all_processes(tmp_path: Path, processes: str) -> None:
    box = Nvml(tmp_path / "box", Gpu(), processes=processes)
    box.gpus[0].processes = [(pid, pid / 4) for pid in range(1, 21)]
    box.tell()
    host = host_with(tmp_path, box)
    with hosting(host):
        used = host.ask("gpus")["gpus"][0]["used_by"]
        assert [(each["pid"], each["memory_gib"]) for each in used] == box.gpus[0].processes


def test_a_driver_that_does_not_answer_is_unknown_and_not_none(tmp_path: Path) -> None:
    box = Smi(tmp_path / "box")
    box.tell(fault="Failed to initialize NVML: Driver/library version mismatch")
    host = host_with(tmp_path, box)
    with hosting(host):
        told = host.ask("gpus")
        assert (told["gpus"], told["how"]) == ([], "none")
        assert "Driver/library version mismatch" in told["unknown"]
        with pytest.raises(Fault, match=r"invalid: .*Driver/library version mismatch"):
            host.take(gpus=1)


def test_a_gpu_that_fell_off_the_bus_hides_no_other(tmp_path: Path) -> None:
    box = Nvml(tmp_path / "box", Gpu(), Gpu(gib=0.0), Gpu())
    host = host_with(tmp_path, box)
    with hosting(host):
        told = host.ask("gpus")
        assert [each["index"] for each in told["gpus"]] == [0, 2]
        assert told["unknown"] == "GPU 1: GPU is lost"


def test_where_the_library_fails_the_program_is_asked(tmp_path: Path) -> None:
    library, program = Nvml(tmp_path / "library", Gpu()), Smi(tmp_path / "program", Gpu())
    library.tell(fault="18")
    host = host_with(tmp_path, library)
    host.env.update(program.env)
    with hosting(host):
        told = host.ask("gpus")
        assert told["how"] == "nvidia-smi"
        assert [each["uuid"] for each in told["gpus"]] == [program.gpus[0].uuid]


def test_a_job_takes_free_gpus_only_of_those_that_may_be_used(
    tmp_path: Path, somebody: subprocess.Popen[bytes]
) -> None:
    box = Smi(tmp_path / "box", *(Gpu() for _ in range(4)))
    box.gpus[1].processes = [(somebody.pid, 3.1)]
    box.tell()
    host = host_with(tmp_path, box)
    with hosting(host):
        taken = host.take(gpus=2, allowed=[1, 2, 3])
        assert taken["gpus"] == [{"index": n, "uuid": box.gpus[n].uuid} for n in (2, 3)]
        held = host.ask("gpus")["gpus"][2]["held_by"]
        assert held == {"pid": taken["pgid"], "user": ME}
        with pytest.raises(Fault) as fault:
            host.take(gpus=3)
        assert fault.value.kind == "capacity"
        assert fault.value.words == (
            f"GPU 1 is used by {ME} (pid {somebody.pid}, sleep 304, 3.1 GiB); GPU 2 is held for a job of {ME} "
            f"(pid {taken['pgid']}); GPU 3 is held for a job of {ME} (pid {taken['pgid']}); 1 of 4 free"
        )
        assert (fault.value.data["free"], fault.value.data["wanted"]) == (1, 3)
        assert [each["index"] for each in fault.value.data["busy"]] == [1, 2, 3]
        assert host.instance_ids() == [taken["id"]]
        assert host.take(gpus=1)["gpus"][0]["index"] == 0  # what was locked for the refused one is free again
        with pytest.raises(Fault, match="invalid: GPUs asked for: 3, that may be used here: 2"):
            host.take(gpus=3, allowed=[0, 1, 9])
        assert host.take()["gpus"] == []


def test_two_tradewinds_never_have_the_same_gpu(tmp_path: Path) -> None:
    box = Smi(tmp_path / "box", Gpu(), Gpu(), Gpu())
    hosts = [host_with(tmp_path / owner, box, owner=owner) for owner in ("one", "two")]

    def take(host: Host) -> list[str]:
        try:
            return [each["uuid"] for each in host.take(gpus=1)["gpus"]]
        except Fault as fault:
            assert fault.kind == "capacity"
            return []

    with hosting(*hosts), ThreadPoolExecutor(2) as pool:
        taken = [each for _ in range(2) for each in pool.map(take, hosts)]
        given = [uuid for each in taken for uuid in each]
        assert sorted(given) == sorted(each.uuid for each in box.gpus)  # each once, and one of four went away empty


def test_a_holder_that_is_killed_gives_its_gpus_back(tmp_path: Path) -> None:
    box = Smi(tmp_path / "box", Gpu())
    mine, theirs = (host_with(tmp_path / owner, box, owner=owner) for owner in ("one", "two"))
    with hosting(mine, theirs):
        taken = mine.take(gpus=1)
        with pytest.raises(
            Fault, match=f"capacity: GPU 0 is held for a job of {ME} .pid {taken['pgid']}.; 0 of 1 free"
        ):
            theirs.take(gpus=1)
        os.kill(taken["pgid"], signal.SIGKILL)
        wait_for(lambda: mine.ask("gpus")["gpus"][0]["held_by"] is None, "the lock to come free")
        assert theirs.take(gpus=1)["gpus"] == taken["gpus"]
        assert mine.until(taken["id"], "gone")["why"] == "unknown"
        mine.ask("end", ids=[taken["id"]])  # which ends nothing of the other's
        assert theirs.instance(theirs.instance_ids()[0])["state"] == "running"


def test_a_gpu_is_free_again_when_its_instance_was_ended(tmp_path: Path) -> None:
    box = Smi(tmp_path / "box", Gpu())
    host = host_with(tmp_path, box)
    with hosting(host):
        first = host.take(gpus=1)
        host.ask("end", ids=[first["id"]])
        assert host.take(gpus=1)["gpus"] == first["gpus"]


def test_however_many_ask_who_holds_a_gpu_all_are_told(tmp_path: Path) -> None:
    box = Smi(tmp_path / "box", Gpu())
    host = host_with(tmp_path, box)
    with hosting(host):
        pgid = host.take(gpus=1)["pgid"]

        def told() -> bool:
            return gpu_locks.holder(box.gpus[0].uuid) == {"pid": pgid, "user": ME}

        for _ in range(400):  # more than can wait for an answer at one moment
            wait_for(told, "the holder's name")


def test_a_gpu_of_which_nobody_can_tell_who_uses_it_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    card = nvml.Card(0, Gpu().uuid, "GRID", 2**34, None)
    monkeypatch.setattr(nvml, "look", lambda: nvml.Seen(DRIVER, [card], []))
    with pytest.raises(Refused, match="GPU 0: who uses it cannot be told; 0 of 1 free"):
        gpus.choose(1, None)


def test_many_processes_are_counted_and_long_commands_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    card = nvml.Card(0, Gpu().uuid, "A100", 2**36, [(os.getpid(), None)] * 5)
    monkeypatch.setattr(nvml, "look", lambda: nvml.Seen(DRIVER, [card], []))
    with pytest.raises(Refused, match=r" and 2 more; 0 of 1 free") as refused:
        gpus.choose(1, None)
    assert all(len(each["command"]) <= 60 for each in refused.value.data["busy"][0]["used_by"])
