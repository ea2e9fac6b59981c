"""The transport to machines that are a folder on this computer: the node's root is ``ADDRESS/node``.

The node looks as it would anywhere else; only the way there is short: files are copied, the agent is started by name.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tradewind.nodes.bundle import unpack
from tradewind.nodes.outputs import Entry, take
from tradewind.ports.compute import Instance
from tradewind.ports.transport import Heard, Parcel, Unreachable
from tradewind.wire import shelf
from tradewind.wire import spec as wire

_IDENTITY = "instance.json"
_HOLDER = "machine.lock"  # held by the process that holds the machine, as long as it lives
_START_SECONDS = 60.0
# The agent's own environment; the job's is in the spec.
_AGENT_ENVIRONMENT = (
    "PATH", "LANG", "LC_ALL", "TMPDIR",
    # By these docker and podman of the user are found.
    "HOME", "XDG_RUNTIME_DIR", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "CONTAINER_HOST",
)  # fmt: skip


class LocalTransport:
    """Implements ``ports.Transport``; ``python`` runs the agent (3.8 up, the standard library is enough)."""

    def __init__(self, python: str = sys.executable) -> None:
        self._python = python

    def reach(self, instance: Instance) -> None:
        """Nothing, when the folder is there and carries the instance's token.

        Raises:
            Unreachable: there is none, or it is another's.
        """
        try:
            identity = json.loads((Path(instance.address) / _IDENTITY).read_text(encoding="utf-8"))
        except (OSError, ValueError) as fault:
            raise Unreachable(f"{instance.address}: {fault}") from fault
        if not isinstance(identity, dict) or identity.get("token") != instance.token:
            raise Unreachable(f"{instance.address} is another machine")

    def store(self, instance: Instance, here: Path) -> str:
        """The job's store itself."""
        del instance
        return str(here)

    def start(self, instance: Instance, parcel: Parcel) -> None:
        """Put the parcel there and start the agent. The same spec again only sees to it that an agent lives.

        Raises:
            Unreachable: the machine is not there or serves another spec, secrets are missing, or no agent starts.
        """
        self.reach(instance)
        root = root_of(instance)
        there = _text(root / wire.SPEC)
        if there is None:
            _put(root, parcel)
        elif there != parcel.spec:
            other = f"{root} serves {wire.read_spec(there).key}, not {wire.read_spec(parcel.spec).key}"
            raise Unreachable(other, "other-spec")
        self._serve(instance, parcel.secrets)

    def revive(self, instance: Instance, secrets: Mapping[str, str]) -> None:
        """Start the agent again; one that lives, or that has ended its work, is left as it is.

        Raises:
            Unreachable: the machine is not there or has ended, or the agent does not start.
        """
        self.reach(instance)
        self._serve(instance, secrets)

    def _serve(self, instance: Instance, secrets: Mapping[str, str]) -> None:
        holder = Path(instance.address) / _HOLDER
        if holder.exists() and not _is_held(holder):
            raise Unreachable(f"{instance.address} has ended; only its folder is left")
        root = root_of(instance)
        kept = {name: os.environ[name] for name in _AGENT_ENVIRONMENT if name in os.environ}
        try:
            done = subprocess.run(
                [self._python, "-I", "-S", str(root / wire.ZIPAPP), "serve", str(root)],
                input=wire.write_secrets(dict(secrets)).encode(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                start_new_session=True, env={**kept, wire.ENV_INSTANCE: instance.id}, cwd="/",
                timeout=_START_SECONDS, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as fault:
            raise Unreachable(f"the agent does not start: {fault}") from fault
        if done.returncode not in (wire.SERVING, wire.SERVED):
            code = "secrets-missing" if done.returncode == wire.NEEDS else "unreachable"
            raise Unreachable(f"the agent does not start: {done.stderr.decode(errors='replace')[-2000:]}", code)

    def hear(self, instance: Instance, journal_offset: int, log_offset: int, limit: int) -> Heard:
        """What journal and log say from the offsets on, at most ``limit`` bytes of each.

        Raises:
            Unreachable: the machine is not there.
        """
        self.reach(instance)
        root = root_of(instance)
        alive = _is_held(root / wire.AGENT_LOCK)  # first: what an agent wrote before it ended is then in the journal
        return Heard(
            _read(root / wire.JOURNAL, journal_offset, limit), _read(root / wire.LOG, log_offset, limit), alive
        )

    def keep(self, instance: Instance, path: str, store: Path) -> bool:
        """True: the agent put it into the job's store itself.

        Raises:
            ValueError: it is not there any more.
        """
        del instance
        if not Path(path).is_relative_to(store) or not shelf.is_complete(path):
            raise ValueError(f"{path} is no checkpoint in {store}")
        return True

    def command(self, instance: Instance, text: str, name: str) -> None:
        """Leave ``commands/NAME.json``, unless it is there or was carried out.

        Raises:
            Unreachable: the machine is not there.
        """
        self.reach(instance)
        folder = root_of(instance) / wire.COMMANDS
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.json"
        if any(folder.glob(f"{name}.json*")):
            return
        _write(path, text)

    def fetch_outputs(self, instance: Instance, into: Path) -> tuple[str, ...]:
        """Copy the outputs into ``into``, checked against their manifest; the names of the files.

        Raises:
            Unreachable: the machine is not there, or its outputs are not ready.
            ValueError: a file differs from its manifest.
        """
        self.reach(instance)
        place = root_of(instance) / wire.OUTPUTS
        told = _text(place / wire.OUTPUTS_MANIFEST)
        if told is None:
            raise Unreachable(f"{place} holds no manifest yet")

        def bring(files: Sequence[Entry], draft: Path) -> None:
            for entry in files:
                _copy(place / wire.OUTPUT_FILES / entry["name"], draft / entry["name"])

        return take(json.loads(told), bring, into)

    def visit(self, instance: Instance, tunnels: Sequence[tuple[int, int]] = ()) -> tuple[str, ...]:
        """A shell where the job works; the ports are this computer's own.

        Raises:
            Unreachable: the machine is not there.
        """
        self.reach(instance)
        if tunnels:
            return ()
        return (self._python, "-I", "-S", str(root_of(instance) / wire.ZIPAPP), "shell", instance.address)


def root_of(instance: Instance) -> Path:
    """The node's root folder of a machine on this computer."""
    return Path(instance.address) / "node"


def _put(root: Path, parcel: Parcel) -> None:
    """Everything but the spec, then the spec: where it lies, the rest is whole."""
    root.mkdir(exist_ok=True)
    root.chmod(0o700)
    unpack(parcel.work, _emptied(root / wire.WORK))
    _lay_out(parcel.library, _emptied(root / wire.LIB))
    shutil.copyfile(parcel.agent, root / wire.ZIPAPP)
    (root / wire.COMMANDS).mkdir(exist_ok=True)
    _write(root / wire.SPEC, parcel.spec)


def _emptied(folder: Path) -> Path:
    """``folder`` without what a start that was cut short left there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def _lay_out(library: Path, into: Path) -> None:
    """The library as a folder on PYTHONPATH, from a folder or a zip."""
    if library.is_dir():
        shutil.copytree(library, into, dirs_exist_ok=True)
        return
    with zipfile.ZipFile(library) as archive:
        archive.extractall(into)


def _copy(source: Path, target: Path) -> None:
    """Copy a file, its rights with it; one that is not there is missed when the copies are compared."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        shutil.copy(source, target)


def _write(path: Path, text: str) -> None:
    """Write a file whole and synced; only the owner may read it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    with draft.open("wb") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def _read(path: Path, offset: int, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(limit)
    except FileNotFoundError:
        return b""


def _is_held(lock: Path) -> bool:
    """Whether a live process holds the lock (``flock``): true of the agent as long as it lives."""
    try:
        with lock.open("rb+") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
