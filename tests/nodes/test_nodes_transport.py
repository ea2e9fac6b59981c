"""The transport to a host through its door: a job from start to outputs, bundles by content, checkpoints home."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from checkpoints import put_checkpoint
from door_pipe import DoorPipe, take
from pythons import python38
from transport_bench import CHUNK, SECRETS, Bench, files_below, small_disk, wait_for

from tradewind.agent import locks
from tradewind.nodes.ssh.address import Address
from tradewind.ports.transport import Unreachable
from tradewind.wire import journal, manifest
from tradewind.wire.spec import Command


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DoorPipe]:
    with closing(DoorPipe(tmp_path_factory.mktemp("host") / "root")) as made:
        yield made


@pytest.fixture
def bench(tmp_path: Path, host: DoorPipe) -> Iterator[Bench]:
    host.sent = host.received = 0
    made = Bench(tmp_path, host, Address("lab"))
    yield made
    if host.process.poll() is not None:
        host.reopen()
    made.end()


def test_a_job_from_start_to_fetched_outputs(bench: Bench, host: DoorPipe, tmp_path: Path) -> None:
    (bench.work / "train.py").write_text(
        "import os, tradewind.training, tradewind.wire.spec as spec\n"
        "print(os.path.dirname(os.path.dirname(os.path.dirname(spec.__file__))), repr(os.environ['TOKEN']))\n"
        "print(repr(os.environ['CUDA_VISIBLE_DEVICES']), oct(os.umask(0)))\n"
        "os.makedirs('out/empty')\nopen('out/a.txt', 'w').write('result')\nopen('out/none', 'w')\n"
        "open('out/文', 'w').write('字')\nopen('out/run.sh', 'w').write('#!')\nos.chmod('out/run.sh', 0o755)\n"
    )
    parcel = bench.parcel('"$PY" train.py', outputs=["out"])
    bench.transport.reach(bench.instance)
    bench.transport.start(bench.instance, parcel)
    bench.wait(journal.OUTPUTS)
    heard = bench.transport.hear(bench.instance, 0, 0, 1 << 20)
    assert heard.agent_alive
    assert heard.log.decode().splitlines() == [f"{bench.folder}/node/lib 'sesame\\nopen'", "'' 0o22"]
    part = bench.transport.hear(bench.instance, 5, 4, 10)
    assert (part.journal, part.log) == (heard.journal[5:15], heard.log[4:14])
    into = tmp_path / "fetched"
    names = bench.transport.fetch_outputs(bench.instance, into)
    assert names == ("out/a.txt", "out/none", "out/run.sh", "out/文")
    assert {name: (into / name).read_text() for name in names} == dict(
        zip(names, ("result", "", "#!", "字"), strict=True)
    )
    assert os.access(into / "out/run.sh", os.X_OK) and not os.access(into / "out/a.txt", os.X_OK)
    assert [path.name for path in into.iterdir()] == ["out"]
    for _ in range(2):
        bench.transport.command(bench.instance, Command("collected").to_json(), "collected")
    wait_for(lambda: not bench.transport.hear(bench.instance, 0, 0, 1).agent_alive, "the agent's end")
    bench.transport.start(bench.instance, parcel)
    bench.transport.revive(bench.instance, {})
    assert len(bench.told(journal.RUN_ENDED)) == len(bench.told(journal.AGENT_STARTED)) == 1
    written = files_below(host.root)
    assert [name for name, data in written.items() if b"sesame" in data] == [
        f"instances/{bench.instance.id}/node/log"
    ], "the job printed it there itself"


def test_the_same_spec_is_started_once_and_another_is_refused(bench: Bench) -> None:
    parcel = bench.parcel("echo once >> starts; sleep 60")
    bench.transport.start(bench.instance, parcel)
    bench.wait(journal.RUN_STARTED)
    bench.transport.start(bench.instance, parcel)
    assert len(bench.told(journal.AGENT_STARTED)) == 1
    with pytest.raises(Unreachable, match="serves job/1, not job/2") as raised:
        bench.transport.start(bench.instance, bench.parcel("true", key="job/2"))
    assert raised.value.code == "other-spec"
    agent = json.loads((bench.folder / "node" / "agent.json").read_text())["pid"]
    os.kill(agent, signal.SIGKILL)
    wait_for(lambda: not bench.transport.hear(bench.instance, 0, 0, 1).agent_alive, "the agent's death")
    bench.transport.revive(bench.instance, SECRETS)
    assert bench.wait(journal.AGENT_STARTED, 2)["adopted"]
    assert (bench.folder / "node" / "work" / "starts").read_text() == "once\n"


def test_without_its_secrets_a_job_does_not_begin(bench: Bench) -> None:
    parcel = bench.parcel('test -n "$TOKEN"')
    with pytest.raises(Unreachable) as raised:
        bench.transport.start(bench.instance, replace(parcel, secrets={}))
    assert raised.value.code == "secrets-missing"
    assert "sesame" not in repr(parcel)
    bench.transport.start(bench.instance, parcel)
    assert bench.wait(journal.RUN_ENDED)["exit"] == 0


def test_a_machine_that_is_gone_has_ended_or_is_another(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="another machine"):
        bench.transport.reach(replace(bench.instance, token="other"))
    with pytest.raises(Unreachable, match="not gathered"):
        bench.transport.fetch_outputs(bench.instance, tmp_path / "fetched")
    holder = json.loads((bench.folder / "machine.json").read_text())["pid"]
    psutil.Process(holder).kill()
    wait_for(lambda: not locks.is_held(str(bench.folder / "machine.lock")), "the holder's death")
    with pytest.raises(Unreachable, match="has ended") as raised:
        bench.transport.start(bench.instance, bench.parcel("true"))
    assert raised.value.code == "gone"
    bench.host.ask("end", {"ids": [bench.instance.id]})
    for call in (
        lambda: bench.transport.reach(bench.instance),
        lambda: bench.transport.hear(bench.instance, 0, 0, 1),
        lambda: bench.transport.revive(bench.instance, {}),
        lambda: bench.transport.command(bench.instance, "{}", "stop"),
        lambda: bench.transport.fetch_outputs(bench.instance, tmp_path / "fetched"),
        lambda: bench.transport.visit(bench.instance),
    ):
        with pytest.raises(Unreachable) as raised:
            call()
        assert raised.value.code == "gone"


def test_a_visit_is_the_users_own_ssh(bench: Bench) -> None:
    argv = bench.transport.visit(bench.instance)
    assert Path(argv[0]).name == "ssh" and argv[-3:-1] == ("-t", "--")
    assert argv[-1].endswith(f" shell {bench.folder}")
    tunnels = bench.transport.visit(bench.instance, [(16006, 6006), (18080, 8080)])
    assert "ExitOnForwardFailure=yes" in tunnels and "-N" in tunnels
    assert [word for word in tunnels if word.startswith("127.")] == [
        "127.0.0.1:16006:127.0.0.1:6006", "127.0.0.1:18080:127.0.0.1:8080",
    ]  # fmt: skip


@pytest.mark.skipif(python38() is None, reason="there is no Python 3.8 here")
def test_python_3_8_is_enough_on_the_host(tmp_path: Path) -> None:
    with closing(DoorPipe(tmp_path / "host" / "root", python=python38() or "")) as host:
        bench = Bench(tmp_path, host, Address("lab"))
        (bench.work / "large").write_bytes(os.urandom(CHUNK + 1))
        bench.transport.start(bench.instance, bench.parcel("mkdir out; mv large out", outputs=["out"]))
        bench.wait(journal.OUTPUTS)
        assert bench.transport.fetch_outputs(bench.instance, tmp_path / "fetched") == ("out/large",)
        assert bench.kept(bench.checkpoint(10, b"ten"))
        bench.end()


# -- bundles


def test_a_workdir_arrives_as_it_is(bench: Bench) -> None:
    (bench.work / "deep" / "空 格").mkdir(parents=True)
    (bench.work / "empty").mkdir()
    (bench.work / "deep" / "空 格" / "文.txt").write_text("文")
    (bench.work / "none").touch()
    (bench.work / "run.sh").write_text("#!/bin/sh\n")
    (bench.work / "run.sh").chmod(0o740)
    (bench.work / "large").write_bytes(os.urandom(CHUNK + 1))
    (bench.work / "link").symlink_to("deep/空 格")
    odd = os.fsencode(bench.work) + b"/\xff\xfe"
    with open(odd, "w") as file:
        file.write("no UTF-8")
    bench.transport.start(bench.instance, bench.parcel("sleep 60"))
    there = bench.folder / "node" / "work"
    assert files_below(there) == files_below(bench.work)
    assert (there / "link").readlink() == Path("deep/空 格") and (there / "empty").is_dir()
    assert ((there / "run.sh").stat().st_mode & 0o777, (there / "none").stat().st_mode & 0o777) == (0o755, 0o644)
    assert b"\xff\xfe" in os.listdir(os.fsencode(there))


def test_only_what_changed_travels_the_second_time(bench: Bench, host: DoorPipe) -> None:
    for number in range(300):
        (bench.work / f"{number}.py").write_bytes(os.urandom(2000))
    (bench.work / "large").write_bytes(os.urandom(3 * CHUNK))
    bench.transport.start(bench.instance, bench.parcel("sleep 60"))
    assert host.sent > 3 * CHUNK + 600_000
    assert len(list((host.root / "blobs").iterdir())) < 10, "small files are few files there"
    (bench.work / "7.py").write_text("changed")
    first, second = host.sent, take(bench.host)
    bench.transport.start(second, bench.parcel("sleep 60", key="job/2"))
    assert host.sent - first < 250_000, "names, not contents"
    assert files_below(Path(second.address, "node", "work")) == files_below(bench.work)
    bench.host.ask("end", {"ids": [second.id]})


def test_a_sending_that_is_cut_goes_on_where_it_was(bench: Bench, host: DoorPipe) -> None:
    size = 12 * CHUNK
    (bench.work / "large").write_bytes(os.urandom(size))
    for number in range(64):
        (bench.work / f"{number}").write_bytes(os.urandom(50_000))
    parcel = bench.parcel("sleep 60")
    cuts = (700_000, 5 * CHUNK, 3 * CHUNK + 17)
    for bytes_ in cuts:
        host.cut_after(sent=bytes_)
        with pytest.raises(Unreachable):
            bench.transport.start(bench.instance, parcel)
        host.reopen()
    bench.transport.start(bench.instance, parcel)
    assert files_below(bench.folder / "node" / "work") == files_below(bench.work)
    again = host.sent - size - 64 * 50_000
    assert again < len(cuts) * 5 * CHUNK, "of each cut at most what was in flight"


def test_a_blob_that_was_damaged_there_is_sent_again(bench: Bench, host: DoorPipe) -> None:
    (bench.work / "small").write_bytes(os.urandom(5000))
    (bench.work / "large").write_bytes(os.urandom(2 * CHUNK))
    bench.transport.start(bench.instance, bench.parcel("sleep 60"))
    blobs = host.root / "blobs"
    pack_ = blobs / "000001.pack"
    pack_.write_bytes(bytes(pack_.stat().st_size))
    (large,) = [path for path in blobs.iterdir() if path.stat().st_size == 2 * CHUNK]
    os.truncate(large, CHUNK)
    second = take(bench.host)
    bench.transport.start(second, bench.parcel("sleep 60", key="job/2"))
    assert files_below(Path(second.address, "node", "work")) == files_below(bench.work)
    bench.host.ask("end", {"ids": [second.id]})


def test_a_host_without_room_says_so_and_takes_the_rest_when_there_is(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", megabytes=12) as disk, closing(DoorPipe(disk / "root")) as host:
        bench = Bench(tmp_path, host, Address("lab"))
        (bench.work / "large").write_bytes(os.urandom(5 * CHUNK))
        (disk / "others").write_bytes(bytes(6 * CHUNK))
        parcel = bench.parcel("sleep 60")
        for _ in range(2):
            with pytest.raises(Unreachable) as raised:
                bench.transport.start(bench.instance, parcel)
            assert raised.value.code == "no-space"
        assert not (bench.folder / "node" / "spec.json").exists()
        (disk / "others").unlink()
        bench.transport.start(bench.instance, parcel)
        assert files_below(bench.folder / "node" / "work") == files_below(bench.work)
        bench.end()


# -- checkpoints


def test_checkpoints_are_brought_home_and_the_newest_are_kept(bench: Bench) -> None:
    steps = [10, 20, 30, 40, 50]
    for step in steps:
        path = bench.checkpoint(step, os.urandom(3 * CHUNK // 2))
        assert bench.kept(path)
        assert manifest.check(str(bench.store / "epoch-0001" / manifest.folder_name(step)))["step"] == step
    wait_for(lambda: not (bench.folder / "pinned").exists(), "the pin's end")
    home = sorted(path.name for path in (bench.store / "epoch-0001").iterdir())
    assert home == ["step-00000030", "step-00000040", "step-00000050"]


def test_a_checkpoint_is_brought_home_whole_though_the_agent_drops_it(bench: Bench) -> None:
    path = bench.checkpoint(10, os.urandom(40 * CHUNK))
    assert not bench.transport.keep(bench.instance, path, bench.store)
    wait_for((bench.folder / "pinned").exists, "the pin")
    newer = bench.checkpoint(20, b"newer")
    os.rename(path, f"{path}-dropped")
    assert not bench.transport.keep(bench.instance, newer, bench.store)
    wait_for((bench.store / "epoch-0001" / "step-00000010").exists, "the older one")
    assert manifest.check(str(bench.store / "epoch-0001" / "step-00000010"))
    assert bench.kept(newer)


def test_a_pull_that_is_cut_goes_on_where_it_was(bench: Bench, host: DoorPipe) -> None:
    size = 24 * CHUNK
    path = bench.checkpoint(10, os.urandom(size))
    draft = bench.store / "epoch-0001" / ".tmp-step-00000010" / "model.pt"
    host.cut_after(received=8 * CHUNK)
    with pytest.raises(Unreachable):
        wait_for(lambda: bench.transport.keep(bench.instance, path, bench.store), "the cut")
    assert draft.stat().st_size > 4 * CHUNK
    host.reopen()
    assert bench.kept(path)
    assert manifest.check(str(bench.store / "epoch-0001" / "step-00000010"))
    assert host.received < size + 6 * CHUNK


def test_what_a_newer_checkpoint_has_in_common_with_the_last_is_not_brought_again(bench: Bench, host: DoorPipe) -> None:
    data = os.urandom(8 * CHUNK)
    assert bench.kept(bench.checkpoint(10, data))
    received = host.received
    assert bench.kept(bench.checkpoint(20, data))
    assert host.received - received < CHUNK
    old, new = (bench.store / "epoch-0001" / manifest.folder_name(step) / "model.pt" for step in (10, 20))
    assert new.samefile(old)
    old.write_bytes(data[::-1])  # damaged here: what is linked is read before it is believed
    assert bench.kept(bench.checkpoint(30, data))
    assert manifest.check(str(bench.store / "epoch-0001" / manifest.folder_name(30)))


def test_a_torn_or_lost_or_fenced_checkpoint_is_not_brought_home(bench: Bench) -> None:
    torn = bench.checkpoint(10, b"a" * 1000)
    Path(torn, "model.pt").write_bytes(b"b" * 1000)
    lost = str(Path(torn).with_name("step-00000099"))
    late = bench.checkpoint(20, b"late")
    for path, why in (
        (torn, "checksum"),
        (lost, "no manifest"),
        (str(bench.folder / "instance.json"), "no checkpoint"),
    ):
        with pytest.raises(ValueError, match=why):
            bench.kept(path)
    (bench.store / manifest.FENCE).write_text("2\n")
    with pytest.raises(ValueError, match="fenced"):
        bench.kept(late)
    assert not list(bench.store.rglob("step-*/MANIFEST.json"))


def test_a_checkpoint_waits_for_room_here(bench: Bench, tmp_path: Path) -> None:
    path = bench.checkpoint(10, os.urandom(3 * CHUNK))
    with small_disk(tmp_path / "disk", megabytes=5) as disk:
        (disk / "others").write_bytes(bytes(4 * CHUNK))
        bench.store = disk / "store"
        with pytest.raises(Unreachable, match="No space left"):
            bench.kept(path)
        (disk / "others").unlink()
        assert bench.kept(path)
        wait_for(lambda: not (bench.folder / "pinned").exists(), "the pin's end")


def test_the_newest_whole_checkpoint_and_the_fence_go_to_the_next_machine(bench: Bench) -> None:
    put_checkpoint(bench.store, 1, 10, {"model.pt": "ten", "deep/more.bin": "more", "none": ""})
    torn = put_checkpoint(bench.store, 2, 20, {"model.pt": "twenty"})
    (torn / "model.pt").write_text("TWENTY")
    (bench.store / manifest.FENCE).write_text("3\n")
    run = "cat $TRADEWIND_CHECKPOINT_DIR/step-00000010/model.pt"
    for _ in range(2):
        bench.transport.start(bench.instance, bench.parcel(run, epoch=3, key="job/3"))
    bench.wait(journal.RUN_ENDED)
    assert bench.transport.hear(bench.instance, 0, 0, 100).log == b"ten"
    assert (bench.folder / "store" / manifest.FENCE).read_text() == "3\n"
    assert bench.wait(journal.RESTORED)["step"] == 10
    assert not (bench.folder / "store" / "epoch-0002").exists()


def test_a_checkpoint_goes_on_where_its_sending_was_cut(bench: Bench, host: DoorPipe) -> None:
    size = 9 * CHUNK
    put_checkpoint(bench.store, 1, 10, {"model.pt": "x" * size})
    parcel = bench.parcel("true", epoch=2, key="job/2")
    for bytes_ in (4 * CHUNK, 4 * CHUNK):
        host.cut_after(sent=bytes_)
        with pytest.raises(Unreachable):
            bench.transport.start(bench.instance, parcel)
        host.reopen()
    bench.transport.start(bench.instance, parcel)
    assert host.sent < size + 10 * CHUNK + 1_000_000
    assert bench.wait(journal.RESTORED)["step"] == 10


# -- full size


@pytest.mark.long
def test_a_hundred_thousand_files_arrive(bench: Bench, host: DoorPipe) -> None:
    for number in range(100_000):
        if number % 100 == 0:
            (bench.work / f"{number // 100}").mkdir()
        (bench.work / f"{number // 100}" / f"{number}").write_bytes(b"%d" % number)
    bench.transport.start(bench.instance, bench.parcel("sleep 600"))
    there = bench.folder / "node" / "work"
    assert sum(len(names) for _, _, names in os.walk(there)) == 100_000
    assert all((there / f"{n // 100}" / f"{n}").read_bytes() == b"%d" % n for n in range(0, 100_000, 97))
    assert len(list((host.root / "blobs").iterdir())) < 20, "not a file for each"
    sent, second = host.sent, take(host)
    bench.transport.start(second, bench.parcel("sleep 600", key="job/2"))
    assert host.sent - sent < 40_000_000, "names, not contents"
    host.ask("end", {"ids": [second.id]})


@pytest.mark.long
def test_a_file_of_five_gigabytes_goes_on_after_a_cut(bench: Bench, host: DoorPipe) -> None:
    size = 5 << 30
    with (bench.work / "large").open("wb") as file:
        for number in range(size // (64 * CHUNK)):
            file.write(os.urandom(CHUNK) * 63 + number.to_bytes(8, "big") * (CHUNK // 8))
    parcel = bench.parcel("sleep 600")
    host.cut_after(sent=3 << 30)
    with pytest.raises(Unreachable):
        bench.transport.start(bench.instance, parcel)
    host.reopen()
    bench.transport.start(bench.instance, parcel)
    assert host.sent < size + 32 * CHUNK
    there = bench.folder / "node" / "work" / "large"
    assert manifest.crc32_of(str(there)) == manifest.crc32_of(str(bench.work / "large"))
