"""A stand-in for docker and podman: no engine runs where these tests do.

The program of that name records how it was called, and hands its streams to a daemon, as docker's client does. The
daemon (a thread of the test) carries ``run`` out for real, as a process that is not below the caller: first process,
bash, the job; with the environment of the command line alone. When the first process ends, all of them do.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp

FLAGS_WITHOUT_VALUE = {
    "--rm", "--init", "--interactive", "--tty", "--force", "--volumes", "--all", "--quiet", "--no-trunc",
}  # fmt: skip
CLIENT = """#!{python}
import json, os, signal, socket, sys

def call(argv, fds):
    talk = socket.socket(socket.AF_UNIX)
    talk.connect({socket!r})
    told = json.dumps({{"argv": argv, "names": sorted(os.environ), "values": list(os.environ.values())}}).encode()
    socket.send_fds(talk, [len(told).to_bytes(4, "big")], fds)
    talk.sendall(told)
    return talk

def pass_on(number, frame):
    argv = sys.argv[1:]
    answer = call(["kill", "--signal", str(number), argv[argv.index("--name") + 1]], []).recv(1 << 16)
    if json.loads(answer)["exit"]:
        os._exit(128 + number)

signal.signal(signal.SIGTERM, pass_on)
answer = json.loads(call(sys.argv[1:], [0, 1, 2]).recv(1 << 16))
sys.stdout.write(answer["out"])
sys.stderr.write(answer["err"])
sys.exit(answer["exit"])
"""


@dataclass
class Container:
    """One container of the stand-in."""

    id: str
    name: str
    label: str
    process: subprocess.Popen[bytes] | None = None


@dataclass
class Call:
    """How the program was called."""

    argv: list[str]
    names: list[str]
    values: list[str]

    def given(self, flag: str) -> list[str]:
        """The values of a flag."""
        return [value for name, value in zip(self.argv, self.argv[1:], strict=False) if name == flag]


@dataclass
class Answer:
    """What the program says and how it ends."""

    exit: int = 0
    out: str = ""
    err: str = ""


@dataclass
class Engine:
    """The daemon, and a folder ``bin`` with the program for a node's PATH.

    ``image`` is the environment of its only image; ``refuses`` makes ``run`` fail; ``down`` makes everything fail;
    images named ``slow`` are pulled until ``pulled`` is set.
    """

    kind: str = "docker"
    image: dict[str, str] = field(default_factory=dict)
    refuses: int = 0
    down: bool = False
    closed: bool = False
    pulled: threading.Event = field(default_factory=threading.Event)
    calls: list[Call] = field(default_factory=list)
    containers: dict[str, Container] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.place = Path(mkdtemp(prefix="tw-engine-"))
        self.bin = self.place / "bin"
        self.bin.mkdir()
        program = self.bin / self.kind
        program.write_text(CLIENT.format(python=sys.executable, socket=str(self.place / "s")))
        program.chmod(0o755)
        self._first = self.place / "docker-init"  # its name is what the host's process table shows of such a process
        shutil.copy(str(shutil.which("bash")), self._first)
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(self.place / "s"))
        self._server.listen(32)
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """End it with all its containers."""
        self.closed = True
        self.pulled.set()
        for container in list(self.containers.values()):
            self._kill(container)
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        shutil.rmtree(self.place)

    def ran(self) -> list[Call]:
        """The calls that began containers."""
        return [call for call in self.calls if call.argv[0] == "run"]

    def _serve(self) -> None:
        while True:
            try:
                talk, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._hear, args=(talk,), daemon=True).start()

    def _hear(self, talk: socket.socket) -> None:
        with talk:
            size, fds, _, _ = socket.recv_fds(talk, 4, 3)
            told = talk.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL)
            if not told:  # the caller was killed
                return
            call = Call(**json.loads(told))
            self.calls.append(call)
            try:
                answer = Answer(1, err="Cannot connect to the daemon") if self.down else self._answer(call, fds)
            finally:
                for fd in fds:
                    os.close(fd)
            with suppress(OSError):
                talk.sendall(json.dumps(vars(answer)).encode())

    def _answer(self, call: Call, fds: list[int]) -> Answer:
        verb, *rest = call.argv
        if verb == "info":
            return Answer(out='99.1 ["name=seccomp"]\n')
        if verb == "run":
            return self._run(rest, fds)
        flags, words = parsed(rest)
        if verb == "kill":
            return self._signal(words[0], int(flags[0][1]))
        if verb == "ps":
            label = dict(flags)["--filter"].removeprefix("label=")
            return Answer(out="".join(f"{each.id}\n" for each in self.containers.values() if each.label == label))
        if verb == "rm":
            for each in [each for each in self.containers.values() if each.id in words]:
                self._kill(each)
            return Answer()
        return Answer(125, err=f"unknown command: {verb}")

    def _run(self, rest: list[str], fds: list[int]) -> Answer:
        flags, (image, *args) = parsed(rest)
        given = dict(flags)
        container = Container(f"{len(self.calls):064x}", given["--name"], given["--label"])
        if container.name in self.containers:
            return Answer(125, err=f"the name {container.name} is in use\n")
        if image == "slow":
            os.write(fds[2], b"Pulling from slow\n")
            self.pulled.wait()
            if self.closed:
                return Answer(1)
        if self.refuses:
            return Answer(self.refuses, err="it cannot be started\n")
        inner = {"PATH": os.environ["PATH"], **self.image}
        inner |= dict(value.split("=", 1) for name, value in flags if name == "--env")
        container.process = subprocess.Popen(
            [self._first, "-c", '"$@"; exit $?', "init", given["--entrypoint"], *args], env=inner,
            cwd=given["--workdir"], stdin=fds[0], stdout=fds[1], stderr=fds[2], start_new_session=True,
        )  # fmt: skip
        self.containers[container.name] = container
        code = container.process.wait()
        self._kill(container)
        return Answer(128 - code if code < 0 else code)

    def _signal(self, name: str, number: int) -> Answer:
        container = self.containers.get(name)
        if container is None or container.process is None:
            return Answer(1, err=f"no such container: {name}\n")
        container.process.send_signal(number)
        return Answer()

    def _kill(self, container: Container) -> None:
        if container.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(container.process.pid, signal.SIGKILL)
            container.process.wait()
        self.containers.pop(container.name, None)


def parsed(argv: list[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Flags with their values, and what follows them."""
    flags: list[tuple[str, str]] = []
    rest = list(argv)
    while rest and rest[0].startswith("--"):
        name = rest.pop(0)
        flags.append((name, "" if name in FLAGS_WITHOUT_VALUE else rest.pop(0)))
    return flags, rest
