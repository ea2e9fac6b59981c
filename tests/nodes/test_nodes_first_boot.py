"""The script of a machine's first boot, run for real: in namespaces of its own, on real disks, by images' shells."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from rented_bench import order
from sshd import missing

from tradewind.nodes.first_boot import user_data
from tradewind.nodes.ssh.handover import one_time_key
from tradewind.ports.compute import HardEnd, Order

ROOT = pwd.getpwuid(0).pw_dir
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGtleQ"
PRIVATE, PUBLIC = one_time_key()
ORDER = order(token="7e0b9d3e-5a4b-4c7e-8f3f-0d7a6a1c2b9e", hard_end="2126-11-22T12:00:00+00:00")
HARD_END = 4951022400  # of the order
# A layer over this computer's /etc, and folders of the machine's own: what the script writes ends with it.
NAMESPACES = ("unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc")
MACHINE = """
set -e
mount -t tmpfs machine /mnt && mkdir /mnt/u /mnt/w
mount -t overlay machine -o lowerdir=/etc,upperdir=/mnt/u,workdir=/mnt/w /etc
for folder in ~ /run /var/log; do mount -t tmpfs machine $folder; done
chmod 700 ~
mkdir /run/sshd
rm -rf /etc/tradewind /etc/ssh/sshd_config.d/*
: >/etc/fstab
PATH=$PROGRAMS:$PATH
set +e
"""


def text(ends_by: HardEnd = HardEnd.SERVER_SIDE, ordered: Order = ORDER) -> str:
    return user_data(ordered, host_key=PRIVATE, authorized_key=KEY, ends_by=ends_by)


class Machine:
    """Where the script runs: ``program`` puts one on its PATH, ``boot`` gives what the commands afterwards say."""

    def __init__(self, place: Path) -> None:
        self.programs = place / "programs"
        self.programs.mkdir()
        self.program("lsblk", "exit 0")  # no disk of this computer is to be seen
        self.program("shutdown", "echo $* >>~/shutdowns")

    def program(self, name: str, body: str) -> None:
        (self.programs / name).write_text(f"#!/bin/sh\n{body}\n")
        (self.programs / name).chmod(0o755)

    def boot(self, after: str, script: str | None = None, before: str = "", shell: str = "dash") -> str:
        (self.programs / "user-data").write_text(script or text())
        boot = f"boot() {{ {shell} {self.programs}/user-data; }}"
        done = subprocess.run(
            [*NAMESPACES, "sh", "-c", f"{MACHINE}\n{boot}\n{before}\nboot >~/said 2>&1\n{after}"],
            env={"PATH": os.environ["PATH"], "HOME": ROOT, "PROGRAMS": str(self.programs)},
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert not done.stderr, done.stderr
        return done.stdout


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    tried = subprocess.run([*NAMESPACES, "true"], capture_output=True, check=False) if os.geteuid() == 0 else None
    if tried is None or tried.returncode != 0:
        missing("root, and namespaces of its own")
    return Machine(tmp_path)


# -- the text


def test_the_text_is_small_and_the_same_each_time() -> None:
    assert text() == text()
    assert len(text().encode()) < 12_000
    assert f"hard_end={HARD_END}\npowers_off=no\n" in text()
    ends = {each: "powers_off=yes" in text(each) for each in HardEnd}
    assert [each for each, off in ends.items() if off] == [HardEnd.GUEST_TERMINATES]


@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_the_shells_of_images_read_it(shell: str) -> None:
    found = shutil.which(shell) or missing(shell)
    subprocess.run([found, "-n"], input=text().encode(), check=True)


# -- who may log in, and by which key the machine is known


def test_we_are_let_in_by_our_key_and_the_machine_shows_the_one_time_key(machine: Machine) -> None:
    image = (
        "mkdir ~/.ssh; printf '%s\\n' 'no-pty,command=\"echo '\\''Please login as the user \\\"ubuntu\\\"'\\''\" "
        "ssh-rsa AAAAimage' 'ssh-rsa AAAAusers own' >~/.ssh/authorized_keys\n"
        "ssh-keygen -q -t rsa -b 2048 -N '' -f /etc/ssh/only_rsa\n"
        "printf '%s\\n' 'HostKey /etc/ssh/only_rsa' 'PermitRootLogin no' 'ForceCommand false' >/etc/ssh/sshd_config"
    )
    said = machine.boot(
        "stat -c '%a %n' ~/.ssh ~/.ssh/* /etc/ssh/ssh_host_ed25519_key; cat ~/.ssh/authorized_keys\n"
        "cat /etc/ssh/ssh_host_ed25519_key.pub; sshd -T -C user=root,host=x,addr=127.0.0.1 |"
        "grep -i -e ^hostkey' ' -e ^permitrootlogin -e ^forcecommand",
        before=image,
    )
    assert said.splitlines() == [
        f"700 {ROOT}/.ssh", f"600 {ROOT}/.ssh/authorized_keys", "600 /etc/ssh/ssh_host_ed25519_key",
        f"{KEY} tradewind", "ssh-rsa AAAAusers own", f"{PUBLIC} tradewind",
        "permitrootlogin without-password", "forcecommand none",
        "hostkey /etc/ssh/ssh_host_ed25519_key", "hostkey /etc/ssh/only_rsa",
    ]  # fmt: skip


def test_settings_that_sshd_does_not_take_are_not_given_to_it(machine: Machine) -> None:
    said = machine.boot("cat /etc/ssh/sshd_config; tail -n 3 ~/said", before="echo Nonsense yes >/etc/ssh/sshd_config")
    assert said.startswith("Nonsense yes\ntradewind: failed with exit code 255: sshd -t")


# -- once and again


STATE = "find /etc/tradewind /etc/ssh /etc/fstab ~/.ssh /data* -type f 2>/dev/null | sort | xargs md5sum"


@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_run_again_it_changes_nothing_of_what_came_since(machine: Machine, shell: str) -> None:
    since = (
        f"echo 5000000000 >/etc/tradewind/hard-end; ssh-keygen -q -t ed25519 -N '' -f ~/own\n"
        f"cp ~/own /etc/ssh/ssh_host_ed25519_key\n{STATE} >~/before; boot >~/again\n"
        f"{STATE} | diff ~/before - && wc -l <~/before; cat /etc/tradewind/hard-end ~/again"
    )
    said = machine.boot(since, shell=shell).splitlines()
    assert int(said[0]) > 6 and said[1:] == ["5000000000"]


def test_what_an_image_kept_of_another_machine_of_ours_does_not_hold(machine: Machine) -> None:
    image = (
        "mkdir /etc/tradewind; cd /etc/tradewind; echo other >token; echo 1 >hard-end; echo {} >power-off.json\n"
        "echo '{}' >host-key.json; echo http://127.0.0.1:1 >metadata"
    )
    said = machine.boot("cd /etc/tradewind; cat token hard-end metadata host-key.json; ls", before=image)
    assert said.splitlines() == [
        ORDER.token, str(HARD_END), "http://127.0.0.1:1",
        '{"key": "/etc/ssh/ssh_host_ed25519_key", "reload": ["sh", "/etc/tradewind/reload-sshd"]}',
        "hard-end", "host-key.json", "metadata", "reload-sshd", "token",
    ]  # fmt: skip


# -- the hard end


def test_the_keeper_ends_the_machine_at_the_instant_that_is_in_the_file_now(machine: Machine) -> None:
    """It sleeps no longer than 15 s; here a second, so that the file is read again soon."""
    machine.program("sleep", "exec /usr/bin/sleep 0.05")
    said = machine.boot(
        "ls ~/shutdowns 2>/dev/null; echo garbage >/etc/tradewind/hard-end; /usr/bin/sleep 0.3\n"
        "ls ~/shutdowns 2>/dev/null; boot; date +%s >/etc/tradewind/hard-end\n"
        "until [ -s ~/shutdowns ]; do /usr/bin/sleep 0.05; done; head -n 1 ~/shutdowns\n"
        "cat /etc/tradewind/power-off.json",
        script=text(HardEnd.GUEST_TERMINATES),
    )
    assert said.splitlines() == [
        "-h now", f'{{"argv": ["{machine.programs}/shutdown", "-h", "now"], "token": "{ORDER.token}"}}',
    ]  # fmt: skip


def test_one_keeper_runs_however_often_it_is_begun(machine: Machine) -> None:
    said = machine.boot(
        "boot; boot; sleep 0.2; pgrep -fc '[s]h /etc/tradewind/keeper'", script=text(HardEnd.GUEST_TERMINATES)
    )
    assert said.splitlines()[-1] == "1"


def test_the_keeper_of_an_image_leaves_machines_alone_that_are_booted_from_it(machine: Machine) -> None:
    said = machine.boot(
        "cd /etc/tradewind; rm /run/tradewind-keeper.lock; sh keeper 1 i-another; echo $?; ls ~/shutdowns 2>&1\n"
        "echo 1 >hard-end; sh keeper 1 i-this & until [ -s ~/shutdowns ]; do /usr/bin/sleep 0.05; done; echo off",
        script=text(HardEnd.GUEST_TERMINATES),
        before="mkdir -p /var/lib/cloud; mount -t tmpfs machine /var/lib/cloud; mkdir /var/lib/cloud/data\n"
        "echo i-this >/var/lib/cloud/data/instance-id",
    )
    assert said.splitlines() == ["0", f"ls: cannot access '{ROOT}/shutdowns': No such file or directory", "off"]


def test_where_systemd_runs_a_service_keeps_the_hard_end(machine: Machine) -> None:
    machine.program("systemctl", "echo $* >>~/asked")
    unit = "/etc/systemd/system/tradewind-hard-end.service"
    said = machine.boot(
        f"cat ~/asked; systemd-analyze verify {unit} 2>&1 | grep tradewind; cat {unit}",
        script=text(HardEnd.GUEST_TERMINATES),
        before="mkdir -p /run/systemd/system /etc/systemd/system",
    )
    name = "tradewind-hard-end.service"
    assert said.splitlines()[:4] == [
        "daemon-reload", f"enable {name}", f"start --no-block {name}", "reload-or-restart ssh.service",
    ]  # fmt: skip
    assert said.splitlines()[4] == "[Unit]", "systemd has nothing to say against it"
    assert f'ExecStart=/bin/sh /etc/tradewind/keeper {HARD_END} ""' in said


def test_whatever_fails_the_hard_end_is_kept(machine: Machine) -> None:
    for name in ("lsblk", "ssh-keygen", "sshd", "getent", "systemctl", "service"):
        machine.program(name, "exit 9")
    said = machine.boot("cat /etc/tradewind/hard-end; ls /etc/tradewind/keeper; grep -c failed ~/said",
                        script=text(HardEnd.GUEST_TERMINATES))  # fmt: skip
    assert said.splitlines()[:2] == [str(HARD_END), "/etc/tradewind/keeper"] and int(said.splitlines()[2]) > 0


# -- data disks


PARTITIONS = b"\0" * 446 + b"\0\0\0\0\x83\0\0\0" + b"\0\x08\0\0" * 2 + b"\0" * 48 + b"\x55\xaa"
RAW = b"\0" * 4096 + b"what a program wrote without a file system"


HOLDING = ("table", "raw", "swap")


@pytest.fixture
def disks(machine: Machine, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The machine's disks: blank, with partitions, with bytes, for swapping, with a file system that it outgrew."""
    with ExitStack() as attached:
        made = {}
        for name, begins in (("blank", b""), ("table", PARTITIONS), ("raw", RAW), ("swap", b""), ("small", b"")):
            image = tmp_path / name
            image.write_bytes(begins)
            os.truncate(image, 32 << 20)
            if name == "swap":
                subprocess.run(["mkswap", "-q", image], check=True)
            if name == "small":
                subprocess.run(["mkfs.ext4", "-q", "-d", _with_a_file(tmp_path), image], check=True)
                os.truncate(image, 96 << 20)
            loop = subprocess.run(["losetup", "-f", "--show", image], capture_output=True, text=True, check=False)
            if loop.returncode != 0:
                missing("loop devices")
            made[name] = loop.stdout.strip()
            attached.callback(subprocess.run, ["losetup", "-d", made[name]], check=True)
        told = "; ".join(f"echo {each} disk 0" for each in made.values())
        machine.program("lsblk", f'case "$*" in *TYPE*) {told} ;; *) exec /usr/bin/lsblk "$@" ;; esac')
        yield made


def _with_a_file(place: Path) -> Path:
    folder = place / "content"
    folder.mkdir()
    (folder / "kept").touch()
    return folder


def test_blank_disks_are_formatted_what_holds_something_is_not_and_grown_ones_are_used_whole(
    machine: Machine, disks: dict[str, str]
) -> None:
    held = " ".join(disks[each] for each in HOLDING)
    after = (
        f"md5sum {held} | cut -d ' ' -f 1; findmnt -nro SOURCE,TARGET,FSTYPE | grep ' /data'; cat /etc/fstab\n"
        "ls /data1; df --output=size -B1M /data1 | tail -n 1; cat ~/resized\n"
        f"echo mine >/data/file; {STATE} >~/before; boot; {STATE} | diff ~/before -\n"
        "umount /data; boot >/dev/null; cat /data/file"
    )
    machine.program("resize2fs", 'echo "resize2fs $*" >>~/resized; exec /usr/sbin/resize2fs "$@"')
    before = {name: _md5(device) for name, device in disks.items()}
    said = machine.boot(after).splitlines()
    assert said[:3] == [before[each] for each in HOLDING]
    mounts, fstab, rest = said[3:5], said[5:7], said[7:]
    assert sorted(mounts) == [f"{disks['blank']} /data ext4", f"{disks['small']} /data1 ext4"]
    for line, place in zip(fstab, ("/data", "/data1"), strict=True):
        assert line.startswith("UUID=") and line.endswith(f" {place} auto defaults,nofail,x-systemd.growfs 0 2")
    assert rest[:2] == ["kept", "lost+found"] and f"resize2fs {disks['small']}" in rest
    assert int(rest[2]) > 64 or not _may_resize()
    left = [line for line in rest if "is left as it is" in line]
    assert {line.split()[1] for line in left} == {disks[each] for each in HOLDING}
    assert rest[-1] == "mine"


def _md5(device: str) -> str:
    return subprocess.run(["md5sum", device], capture_output=True, text=True, check=True).stdout.split()[0]


def _may_resize() -> bool:
    """Whether a mounted file system may be resized by us: with the capability CAP_SYS_RESOURCE."""
    [held] = [line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "CapEff" in line]
    return bool(int(held, 16) >> 24 & 1)
