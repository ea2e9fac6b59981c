"""Process 1 of a machine of the lab: makes its file systems, boots it, reaps, stops, starts and ends it.

Run by ``hypervisor.py`` in mount, pid and uts namespaces of its own, as ``python -I -S guest_init.py``: standard
library alone. Told on stdin, a line each: first the machine as JSON, then ``stop``, ``start``, ``new-host-key``. Says
on stdout: ``up``, ``stopped``, ``off`` (it powered itself off). Standard error is the console. When stdin ends, process
1 ends, and the kernel ends everything that runs in the machine and forgets its file systems.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

Told = dict[str, Any]

GRACE_S = 1.0  # between SIGTERM and SIGKILL of a machine that goes down
PRIVATE = ("root", "home", "tmp", "var/tmp", "run", "var/lib/tradewind", "etc/tradewind", "var/lib/cloud")
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
CONTROL = Path("/run/initctl")  # where the machine's own `shutdown` tells process 1 what it wants
HOST_KEY = Path("/etc/ssh/ssh_host_ed25519_key")
OTHER_HOST_KEY = Path("/run/other_host_key")
SCRIPT = Path("/var/lib/cloud/instance/scripts/part-001")
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

SHUTDOWN = f"""#!/bin/sh
# shutdown, poweroff, halt, reboot of a machine that no systemd runs on.
case "${{0##*/}}" in reboot) want=reboot now=1 ;; poweroff | halt) want=off now=1 ;; *) want=off now= ;; esac
when=
for word; do
    case $word in
        -r | --reboot) want=reboot ;;
        -c) echo cancel >{CONTROL}; exit ;;
        -*) ;;
        *) when=${{when:-$word}} ;;
    esac
done
[ -n "$now" ] && when=now
case ${{when:=+1}} in
    now) seconds=0 ;;
    *:*) seconds=$(($(date -d "$when" +%s) - $(date +%s))); [ "$seconds" -ge 0 ] || seconds=$((seconds + 86400)) ;;
    *) seconds=$((${{when#+}} * 60)) ;;
esac
echo "$want:$seconds" >{CONTROL}
"""

NVIDIA_SMI = """#!/bin/sh
# nvidia-smi as far as it lists GPUs; nobody computes on them.
case $1 in --query-gpu=*) fields=$(echo "${1#*=}" | tr , ' ') ;; --query-compute-apps=*) exit ;; *) exit 2 ;; esac
while read -r index uuid memory name; do
    line=
    for field in $fields; do
        case $field in
            index) value=$index ;; uuid) value=$uuid ;; name) value=$name ;; memory.total) value=$memory ;;
            driver_version) value=570.86.15 ;; *) value='[N/A]' ;;
        esac
        line="$line${line:+, }$value"
    done
    echo "$line"
done </etc/lab-gpus
"""


def main() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, [])  # whoever started the lab may wait for signals itself
    told: Told = json.loads(sys.stdin.readline())
    _make_root(Path(told["root"]), told["keep"])
    socket.sethostname(told["id"])
    _make_image(told)
    machine = _Machine(told)
    machine.boot(first=True)
    machine.obey()


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)


def _make_root(place: Path, keep: list[str]) -> None:
    """This computer's files, with a layer of the machine's own on top; without its users' folders and devices."""
    _mount("-t", "tmpfs", "machine", str(place))
    upper, work, root = (place / name for name in ("upper", "work", "root"))
    for folder in (upper, work, root):
        folder.mkdir()
    _mount("-t", "overlay", "machine", "-o", f"lowerdir=/,upperdir={upper},workdir={work}", str(root))
    for name in PRIVATE:
        folder = root / name
        folder.mkdir(parents=True, exist_ok=True)
        _mount("-t", "tmpfs", "machine", str(folder))
    (root / "root").chmod(0o700)
    for name in ("tmp", "var/tmp"):
        (root / name).chmod(0o1777)
    for path in keep:
        seen = root / path.lstrip("/")
        seen.mkdir(parents=True, exist_ok=True)
        _mount("--bind", path, str(seen))
        _mount("-o", "remount,bind,ro", str(seen))
    _mount("-t", "proc", "proc", str(root / "proc"))
    _make_devices(root)
    os.chroot(root)
    os.chdir("/")


def _make_devices(root: Path) -> None:
    """No disk of this computer is to be seen: a machine formats the disks that it finds."""
    dev, system = root / "dev", root / "sys"
    _mount("-t", "tmpfs", "-o", "mode=755", "machine", str(dev))
    _mount("-t", "tmpfs", "machine", str(system))
    for name in DEVICES:
        (dev / name).touch()
        _mount("--bind", f"/dev/{name}", str(dev / name))
    for name in ("pts", "shm"):
        (dev / name).mkdir()
    _mount("-t", "devpts", "-o", "newinstance,ptmxmode=0666,mode=620", "machine", str(dev / "pts"))
    _mount("-t", "tmpfs", "-o", "mode=1777", "machine", str(dev / "shm"))
    (dev / "ptmx").symlink_to("pts/ptmx")
    for name, number in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        (dev / name).symlink_to(f"/proc/self/fd{number}")
    cpus = system / "devices/system"
    cpus.mkdir(parents=True)
    _mount("--bind", "/sys/devices/system", str(cpus))
    _mount("-o", "remount,bind,ro", str(cpus))


def _make_image(told: Told) -> None:
    """What a cloud's image has when it first boots: root may not log in, host keys are nobody's yet."""
    for old in Path("/etc/ssh").glob("ssh_host_*"):
        old.unlink()
    path = ":".join([*told["path"], SYSTEM_PATH])
    # Locked accounts are turned away even with a key, and what passwd says of root is this computer's matter.
    lines = Path("/etc/shadow").read_text().splitlines()
    Path("/etc/shadow").write_text("".join(f"{_unlocked(line)}\n" for line in lines))
    Path("/etc/ssh/sshd_config").write_text(
        f"Include /etc/ssh/sshd_config.d/*.conf\nListenAddress {told['address']}\nPermitRootLogin prohibit-password\n"
        f"PasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\nPrintMotd no\nSetEnv PATH={path}\n"
        "Subsystem sftp internal-sftp\n"
    )
    for old in Path("/etc/ssh/sshd_config.d").glob("*.conf"):
        old.unlink()
    Path("/etc/profile.d/lab.sh").write_text(f"PATH={path}\n")
    Path("/etc/tradewind/metadata").write_text(f"{told['metadata']}\n")
    _program("/usr/sbin/shutdown", SHUTDOWN)
    for name in ("poweroff", "halt", "reboot"):
        _program(f"/usr/sbin/{name}", SHUTDOWN)
    if told["gpus"]:
        Path("/etc/lab-gpus").write_text("".join(f"{line}\n" for line in told["gpus"]))
        _program("/usr/bin/nvidia-smi", NVIDIA_SMI)
    if told["user_data"]:
        data = bytes.fromhex(told["user_data"])
        SCRIPT.parent.mkdir(parents=True)
        SCRIPT.write_bytes(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data)
        SCRIPT.chmod(0o700)


def _unlocked(line: str) -> str:
    name, _, rest = line.partition(":")
    return f"root:*:{rest.partition(':')[2]}" if name == "root" else line


def _program(path: str, text: str) -> None:
    made = Path(path)
    made.unlink(missing_ok=True)  # a link to systemctl, most likely
    made.write_text(text)
    made.chmod(0o755)


class _Machine:
    """What runs. Booted, or stopped: then process 1 alone is left, and keeps the disk."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._fault = told["fault"]
        self._control = -1
        self._up = False
        self._planned: tuple[float, str] | None = None  # when it goes down, and what then

    def boot(self, first: bool) -> None:
        if self._fault == "boots-never":
            return
        self._up = True
        CONTROL.unlink(missing_ok=True)
        os.mkfifo(CONTROL, 0o600)
        self._control = os.open(CONTROL, os.O_RDWR | os.O_NONBLOCK)  # open for writing too: it never ends
        if first:
            for kind in ("ed25519", "ecdsa"):
                _keygen(HOST_KEY.with_name(f"ssh_host_{kind}_key"), kind)
        if self._fault == "host-key-changes":
            _keygen(OTHER_HOST_KEY, "ed25519")
        if self._fault != "boots-without-ssh":
            self._serve_ssh()
        if first and SCRIPT.exists():
            self._run(["sh", "-c", f'{SCRIPT}; echo "user-data ended with code $?"'])
        self._say("up")

    def obey(self) -> None:
        """Do as told from outside and from within, for ever; reap what nobody waits for."""
        wake, woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        while True:
            _reap()
            heard = [0, wake] + ([self._control] if self._up else [])
            wait = None if self._planned is None else max(0.0, self._planned[0] - time.monotonic())
            ready, _, _ = select.select(heard, [], [], wait)
            if wake in ready:
                os.read(wake, 4096)
            if 0 in ready:
                self._told_outside(os.read(0, 4096).decode())
            if self._up and self._control in ready:
                self._told_within(os.read(self._control, 4096).decode().split()[-1])
            if self._planned and self._planned[0] <= time.monotonic():
                self._go_as_planned(self._planned[1])

    def _told_outside(self, words: str) -> None:
        if not words:
            os._exit(0)
        for word in words.split():
            if word == "stop":
                self._go_down()
                self._say("stopped")
            elif word == "start" and not self._up:
                self.boot(first=False)
            elif word == "new-host-key" and self._up:
                _keygen(OTHER_HOST_KEY, "ed25519")
                with contextlib.suppress(OSError, ValueError):
                    os.kill(int(Path("/run/sshd.pid").read_text()), signal.SIGKILL)
                self._serve_ssh()

    def _told_within(self, word: str) -> None:
        want, _, seconds = word.partition(":")
        self._planned = None if want == "cancel" else (time.monotonic() + int(seconds), want)

    def _go_as_planned(self, want: str) -> None:
        self._go_down()
        if want == "reboot":
            self.boot(first=False)
            return
        self._say("off")
        if self._told["shutdown"] == "terminate":
            os._exit(0)

    def _go_down(self) -> None:
        """End all processes but this one, with a moment to say goodbye."""
        if not self._up:
            return
        self._up, self._planned = False, None
        os.close(self._control)
        end = time.monotonic() + GRACE_S
        _everyone(signal.SIGTERM)
        while _reap() and time.monotonic() < end:
            time.sleep(0.01)
        _everyone(signal.SIGKILL)
        while _reap():
            time.sleep(0.01)
        for each in Path("/run").iterdir():
            if each != OTHER_HOST_KEY:
                shutil.rmtree(each, ignore_errors=True) if stat.S_ISDIR(each.lstat().st_mode) else each.unlink()

    def _serve_ssh(self) -> None:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        key = ["-h", str(OTHER_HOST_KEY)] if OTHER_HOST_KEY.exists() else []
        self._run([self._told["sshd"], "-D", "-E", "/var/log/sshd.log", *key])

    @staticmethod
    def _run(words: list[str]) -> None:
        subprocess.Popen(
            words, env={"PATH": SYSTEM_PATH}, stdin=subprocess.DEVNULL, stdout=sys.stderr, stderr=sys.stderr,
            start_new_session=True,
        )  # fmt: skip

    @staticmethod
    def _say(word: str) -> None:
        os.write(1, f"{word}\n".encode())


def _keygen(path: Path, kind: str) -> None:
    path.unlink(missing_ok=True)
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "", "-f", str(path)], check=True)


def _everyone(number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, number)


def _reap() -> bool:
    """Whether any process is left beside this one."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


if __name__ == "__main__":
    main()
