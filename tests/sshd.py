"""A real sshd on a loopback address of its own, a user's SSH set-up beside it, and a relay that fails as networks do.

    with Sshd() as server:
        server.address()                what `nodes.ssh` takes to reach it: host key pinned, the user's key accepted
        server.home                     HOME of who logs in, in a folder of the test's own
        with Relay(server) as relay:    a way there that can be stalled, cut and counted
            server.address(relay)

Who logs in is the user that runs the tests, or with ``user=ordinary_user()`` somebody who is not root.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import pwd
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

import psutil
import pytest

from tradewind.nodes.ssh.address import Address

WAIT_SECONDS = 20.0
_MARK = "TRADEWIND_TEST_SSHD"
_NUMBERS = itertools.count(1)
# Ends sshd when the standard input closes: with the test process, however that ends.
_KEEPER = '"$@" & read -r _; kill $! 2>/dev/null; wait'
_SHELLS = ("/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh", "/usr/bin/fish")


def missing(what: str) -> NoReturn:
    """Skip on a user's machine, fail where ``CI=true``."""
    say: Callable[[str], NoReturn] = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
    say(f"{what} is not here")


def program(name: str) -> str:
    """Path of an OpenSSH program; without it the test is skipped, or fails where ``CI=true``."""
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin") or missing(name)


def ordinary_user() -> str:
    """Somebody who is not root and whom sshd can log in: ourselves, or a user of this computer with a shell."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    found = [each.pw_name for each in pwd.getpwall() if each.pw_uid != 0 and each.pw_shell in _SHELLS]
    return "postgres" if "postgres" in found else found[0] if found else missing("a user with a shell besides root")


def keygen(path: Path, passphrase: str = "", kind: str = "ed25519") -> str:
    """A new key pair at ``path`` and ``path.pub``; the public text, ``ssh-ed25519 AAAA…``."""
    for old in (path, _public(path)):
        old.unlink(missing_ok=True)
    words = ["-q", "-t", kind, "-N", passphrase, "-a", "1", "-C", "test", "-f", str(path)]
    subprocess.run([program("ssh-keygen"), *words, *(["-b", "2048"] if kind == "rsa" else [])], check=True)
    return " ".join(_public(path).read_text().split()[:2])


def loopback() -> tuple[str, int]:
    """An address and a port of loopback that nobody uses."""
    number = os.getpid() * 64 + next(_NUMBERS)
    host = f"127.{1 + number // 64000 % 250}.{number // 250 % 250}.{1 + number % 250}"
    with socket.socket() as asked:
        asked.bind((host, 0))
        return host, int(asked.getsockname()[1])


class Sshd:
    """A running server; ``options`` are lines of its configuration and win over those here.

    Attributes:
        host, port: where it listens.
        user: who logs in; ``identity``: the private key that is accepted for them.
        home: their HOME; ``config``: an ``ssh_config`` of a user who has that key, no agent and no known hosts.
        host_key: public text of its only host key, whose private part lies at ``host_key_path``.
    """

    def __init__(self, *options: str, user: str | None = None, path: str = "/usr/local/bin:/usr/bin:/bin") -> None:
        self._sshd = program("sshd")
        self._me = pwd.getpwuid(os.geteuid()).pw_name
        self.user = user or self._me
        self.folder = Path(tempfile.mkdtemp(prefix="tradewind-sshd-"))
        self.folder.chmod(0o755)
        self.host, self.port = loopback()
        self.mark = f"{os.getpid()}-{next(_NUMBERS)}"
        self.home = self._home()
        self.host_key_path = self.folder / "host_key"
        self.host_key = keygen(self.host_key_path)
        self.identity = self.folder / "id"
        self.accept(keygen(self.identity))
        self.known_hosts = self.folder / "known_hosts"
        self.config = self.folder / "ssh_config"
        self.configure()
        self._options = options
        self._path = path
        self._keeper: subprocess.Popen[bytes] | None = None
        self.start()

    def accept(self, *keys: str) -> None:
        """Let these keys in, and no others."""
        (self.folder / "accepted").write_text("".join(f"{key}\n" for key in keys))

    def configure(self, *lines: str) -> None:
        """Write the user's ``ssh_config``: ``lines`` first, then the usual ones."""
        usual = [
            f"IdentityFile {self.identity}", "IdentityAgent none", f"UserKnownHostsFile {self.known_hosts}",
            "GlobalKnownHostsFile /dev/null",
        ]  # fmt: skip
        self.config.write_text("\n".join([*lines, "Host *", *(f"  {each}" for each in usual), ""]))

    def know(self, *keys: str) -> None:
        """Put these host keys of the server, by default the real one, into the user's known hosts."""
        with self.known_hosts.open("a") as file:
            file.writelines(f"[{self.host}]:{self.port} {key}\n" for key in keys or (self.host_key,))

    def address(self, by: Relay | None = None, **changes: Any) -> Address:
        """What ``nodes.ssh`` takes to reach it, by way of a relay if given."""
        usual: dict[str, Any] = {
            "host": by.host if by else self.host, "port": by.port if by else self.port, "user": self.user,
            "pins": (self.host_key,), "config": self.config,
        }  # fmt: skip
        return Address(**(usual | changes))

    def new_host_key(self) -> str:
        """Serve under another host key from now on, as a reinstalled host does; its public text."""
        self.stop()
        self.host_key = keygen(self.host_key_path)
        self.start()
        return self.host_key

    def host_key_config(self) -> Path:
        """A file that tells the door's ``host-key`` which key is the server's and how to have it read again."""
        config = self.folder / "host-key.json"
        reload = ["kill", "-HUP", str(self._listener().pid)]
        config.write_text(json.dumps({"key": str(self.host_key_path), "reload": reload}))
        return config

    def log(self) -> str:
        """What the server said, and of its sessions what went wrong."""
        return (self.folder / "log").read_text(errors="replace")

    def sessions(self) -> list[psutil.Process]:
        """Processes of those who logged in, and of what they started, wherever it went."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                told = process.environ()
                if told.get(_MARK) == self.mark or told.get("HOME") == str(self.home):  # jobs get HOME, and no marks
                    found.append(process)
        return found

    def start(self) -> None:
        """Serve; returns when connections are taken."""
        (self.folder / "sshd_config").write_text("\n".join([*self._options, *self._lines(), ""]))
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        with (self.folder / "log").open("ab") as log:
            self._keeper = subprocess.Popen(
                ["sh", "-c", _KEEPER, "sh", self._sshd, "-D", "-e", "-f", str(self.folder / "sshd_config")],
                stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        end = time.monotonic() + WAIT_SECONDS
        while not self._answers():
            assert self._keeper.poll() is None and time.monotonic() < end, f"sshd does not start: {self.log()}"
            time.sleep(0.01)

    def stop(self) -> None:
        """Take no more connections and end those that are open; what the sessions started lives on."""
        if self._keeper is None or self._keeper.stdin is None:
            return
        connections = self._listener().children(recursive=True)
        self._keeper.stdin.close()
        self._keeper.wait()
        self._keeper = None
        for process in connections:
            with contextlib.suppress(psutil.Error):
                if process.name().startswith("sshd"):
                    process.kill()

    def close(self) -> None:
        """Stop, end whatever was started by those who logged in, and take the folder away."""
        self.stop()
        end = time.monotonic() + WAIT_SECONDS
        while left := self.sessions():
            assert time.monotonic() < end, f"do not end: {left}"
            for process in left:
                with contextlib.suppress(psutil.Error):
                    process.kill()
            psutil.wait_procs(left, timeout=0.1)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Sshd:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _listener(self) -> psutil.Process:
        assert self._keeper
        return psutil.Process(self._keeper.pid).children()[0]

    def _home(self) -> Path:
        home = self.folder / "home"
        home.mkdir()
        entry = pwd.getpwnam(self.user)
        if os.geteuid() == 0:
            os.chown(home, entry.pw_uid, entry.pw_gid)
        return home

    def _lines(self) -> Iterator[str]:
        yield f"ListenAddress {self.host}\nPort {self.port}\nHostKey {self.host_key_path}\nPidFile none"
        yield f"AuthorizedKeysFile {self.folder}/accepted {self.home}/.ssh/authorized_keys\nStrictModes no"
        yield "PermitRootLogin yes\nPasswordAuthentication no\nKbdInteractiveAuthentication no"
        # Without PAM sshd lets no locked account in, and those of services are locked.
        yield f"UsePAM {'no' if self.user == self._me else 'yes'}\nPrintMotd no\nLogLevel VERBOSE"
        yield f"SetEnv HOME={self.home} PATH={self._path} {_MARK}={self.mark}"

    def _answers(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection((self.host, self.port), timeout=1):
            return True
        return False


class Relay:
    """A way to a server over a TCP relay on a loopback address of its own, which can fail.

    Attributes:
        connections: how many were taken; ``sent``, ``received``: bytes passed on to and from the server.
    """

    def __init__(self, server: Sshd) -> None:
        self._to = (server.host, server.port)
        self.connections = self.sent = self.received = 0
        self._left: dict[str, int] = {}
        self._open: set[asyncio.StreamWriter] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self._flow = asyncio.Event()
        self._flow.set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="relay")
        self._thread.start()
        self.host, self.port = loopback()
        self._listening = socket.create_server((self.host, self.port), backlog=100)
        self._listening.setblocking(False)
        self._loop.call_soon_threadsafe(self._loop.add_reader, self._listening, self._take)

    def stall(self) -> None:
        """Pass nothing on, in either direction, and close nothing: the cable is out."""
        self._loop.call_soon_threadsafe(self._flow.clear)

    def resume(self) -> None:
        """Pass on again, and what was held up."""
        self._loop.call_soon_threadsafe(self._flow.set)

    def cut(self) -> None:
        """Close every connection at once; new ones are taken."""
        self._loop.call_soon_threadsafe(self._cut)

    def cut_after(self, sent: int | None = None, received: int | None = None) -> None:
        """Close every connection when that many bytes more were passed on to, or from, the server."""
        self._left = {name: count for name, count in (("sent", sent), ("received", received)) if count is not None}

    def close(self) -> None:
        """End."""
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(WAIT_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Relay:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _take(self) -> None:
        taken, _ = self._listening.accept()
        self.connections += 1
        task = self._loop.create_task(self._serve(taken))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, taken: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=taken)
        self._open.add(writer)
        try:
            back, there = await asyncio.open_connection(*self._to)
        except OSError:
            self._drop(writer)
            return
        self._open.add(there)
        pumps = [asyncio.ensure_future(self._pump(reader, there, "sent")),
                 asyncio.ensure_future(self._pump(back, writer, "received"))]  # fmt: skip
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        self._drop(writer, there)

    def _drop(self, *writers: asyncio.StreamWriter) -> None:
        for each in writers:
            each.close()
            self._open.discard(each)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                await self._flow.wait()
                data = self._counted(name, data)
                writer.write(data)
                await writer.drain()
                if self._left.get(name) == 0:
                    self._left = {}
                    self._cut()

    def _counted(self, name: str, data: bytes) -> bytes:
        if name in self._left:
            data = data[: self._left[name]]
            self._left[name] -= len(data)
        setattr(self, name, getattr(self, name) + len(data))
        return data

    def _cut(self) -> None:
        for each in self._open:
            each.close()

    async def _end(self) -> None:
        """Close all and wait for every task: one that is cancelled before it begins would leave its socket open."""
        self._loop.remove_reader(self._listening)
        self._listening.close()
        self._flow.set()
        while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            for each in self._open:
                each.transport.abort()  # what is not yet sent would keep a closed one open
            await asyncio.wait(tasks, timeout=0.01)


@contextlib.contextmanager
def blackhole() -> Iterator[tuple[str, int]]:
    """An address and port at which a connection is neither taken nor refused: its queue of waiting ones is full."""
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.bind((loopback()[0], 0))
        listening.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listening.getsockname())
        yield listening.getsockname()


@contextlib.contextmanager
def ssh_agent(folder: Path, *keys: Path) -> Iterator[Path]:
    """Path of the socket of an ssh-agent that holds these keys, which have no passphrase."""
    path = folder / f"agent-{next(_NUMBERS)}"
    process = subprocess.Popen([program("ssh-agent"), "-D", "-a", str(path)], stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + WAIT_SECONDS
        while not path.exists():
            assert time.monotonic() < end, "ssh-agent does not start"
            time.sleep(0.01)
        if keys:
            subprocess.run(
                [program("ssh-add"), "-q", *map(str, keys)], env={**os.environ, "SSH_AUTH_SOCK": str(path)}, check=True
            )
        yield path
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def through(shell: str, *before: str) -> str:
    """An option that gives every command to ``shell``, after the commands ``before``: who logs in has that shell."""
    line = "; ".join([*before, f'exec {shell} -c "$SSH_ORIGINAL_COMMAND"'])
    return f"ForceCommand /bin/sh -c {shlex.quote(line)}"


def _public(path: Path) -> Path:
    return path.with_name(f"{path.name}.pub")
