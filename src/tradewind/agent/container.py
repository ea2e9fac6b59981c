"""The container in which a node folder's job runs: begun, found among the host's processes, ended, visited.

``container.json`` names it before the engine is called, so that whoever ends the instance finds it: the agent, its
runner, or what holds the node after both were killed.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

from tradewind.agent import disk, engines, processes
from tradewind.agent.engines import DOCKER, ENV_CONTAINER, PODMAN, Engine, Host
from tradewind.agent.environment import found, of_process, promised
from tradewind.wire import spec as wire

RECORD = "container.json"
_ASK_SECONDS, _END_SECONDS, _TRIES = 10.0, 30.0, 3
# What an engine's client goes by; kept beside the container, for whoever ends it may have been started elsewhere.
_CLIENT = ("HOME", "XDG_RUNTIME_DIR", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "CONTAINER_HOST")
_NVIDIA = "/dev/nvidiactl"  # there when the NVIDIA driver is loaded (Linux)


class NoEngine(Exception):
    """Neither docker nor podman can be used here; says why."""


class Way(NamedTuple):
    """How a shell text is carried out: a command line, its environment, what its standard input gets."""

    argv: List[str]
    env: Dict[str, str]
    given: bytes


def way(root: str, spec: wire.Spec, text: str, secrets: Dict[str, str]) -> Way:
    """How a text is carried out in a container, which from now on may be there.

    Raises:
        NoEngine: no container can be run here.
    """
    client = _client()
    engine, host = find(client), _host()
    kept = {name: client[name] for name in _CLIENT if name in client}
    disk.write_json(os.path.join(root, RECORD), {"engine": list(engine), "instance": host.instance, "client": kept})
    os.makedirs(os.path.join(root, engines.HOME), mode=0o700, exist_ok=True)
    inner = promised(root, spec, {**engines.inside(root, spec, host), **secrets})
    return Way(engines.run(engine, host, root, spec, text), client, engines.fed(inner))


def find(client: Dict[str, str]) -> Engine:
    """docker where it can be used, else podman.

    Raises:
        NoEngine: neither.
    """
    why = []
    for engine in _there(client):
        if engine.kind == PODMAN:
            return engine
        told = _ask([engine.path, "info", "--format", "{{.ServerVersion}} {{json .SecurityOptions}}"], client)
        if told.returncode == 0:
            return engine._replace(rootless="name=rootless" in told.stdout)
        why.append("docker: " + " ".join((told.stderr or told.stdout).split()))
    raise NoEngine("; ".join(why) or "neither docker nor podman is on PATH ({})".format(client.get("PATH", "")))


def _there(client: Dict[str, str]) -> List[Engine]:
    paths = [(kind, shutil.which(kind, path=client.get("PATH"))) for kind in (DOCKER, PODMAN)]
    return [Engine(kind, path, kind == PODMAN and os.getuid() != 0) for kind, path in paths if path]


def _host() -> Host:
    gpus = os.environ.get(wire.ENV_GPUS)
    given = None if gpus is None and os.path.exists(_NVIDIA) else [uuid for uuid in (gpus or "").split(",") if uuid]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Host(os.environ.get(wire.ENV_INSTANCE, ""), os.getuid(), os.getgid(), _user(), given, memory // 2)


def _user() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a user whom only a directory service knows, or none does
        return str(os.getuid())


def _client() -> Dict[str, str]:
    """The environment of an engine's client: what a login finds, the mark, and never a secret."""
    own = {**found(), "HOME": os.environ.get("HOME") or os.path.expanduser("~")}
    runtime = "/run/user/{}".format(os.getuid())
    if os.path.isdir(runtime):
        own.setdefault("XDG_RUNTIME_DIR", runtime)
    if wire.ENV_INSTANCE in os.environ:
        own[wire.ENV_INSTANCE] = os.environ[wire.ENV_INSTANCE]
    return own


def inside(root: str, seen: processes.Table) -> Set[int]:
    """Pids of what runs in the folder's container, as far as the host shows it; only what is the user's own."""
    record = disk.read_json(os.path.join(root, RECORD))
    if record is None:
        return set()
    name = engines.name_of(record["instance"])
    marked = {pid for pid in seen if _own(pid) and of_process(pid).get(ENV_CONTAINER) == name}
    return processes.below(seen, marked)


def _own(pid: int) -> bool:
    try:
        return os.stat("/proc/{}".format(pid)).st_uid == os.getuid()
    except OSError:
        return False


def said(root: str, code: int) -> str:
    """What an exit code of the engine's own may mean; empty: the job's command ended so."""
    record = disk.read_json(os.path.join(root, RECORD))
    return engines.said(Engine(*record["engine"]), code) if record else ""


def end_all(instance: str, root: str) -> bool:
    """Kill and take away every container of an instance; whether none is left, as far as the engines tell.

    Costs nothing where none was ever begun. ``root``: the node's root; when it is gone, all engines are asked.
    """
    record, client = disk.read_json(os.path.join(root, RECORD)), _client()
    if record is not None:
        client.update(record["client"])
        asked = [Engine(*record["engine"])]
    else:
        asked = [] if os.path.isdir(root) else _there(client)
    gone = [_end(engine, instance, client) for engine in asked]  # of each, whatever the others say
    return all(gone)


def _end(engine: Engine, instance: str, client: Dict[str, str]) -> bool:
    for _ in range(_TRIES):
        told = _ask(engines.listing(engine, instance), client)
        if told.returncode != 0:
            return False
        if not told.stdout.split():
            return True
        _ask(engines.removal(engine, told.stdout.split()), client, _END_SECONDS)
    return False


def shell(root: str) -> Optional[Tuple[List[str], Dict[str, str]]]:
    """Command line and environment of a shell in the job's container, without its secrets; None: none runs now."""
    record = disk.read_json(os.path.join(root, RECORD))
    if record is None:
        return None
    client, engine, instance = {**_client(), **record["client"]}, Engine(*record["engine"]), record["instance"]
    if not _ask(engines.listing(engine, instance), client).stdout.split():
        return None
    with open(os.path.join(root, wire.SPEC), encoding="utf-8") as file:
        spec = wire.read_spec(file.read())
    host = _host()
    inner = promised(root, spec, engines.inside(root, spec, host))
    return engines.visit(engine, instance, root, inner, client), {**inner, **client}


def _ask(argv: List[str], client: Dict[str, str], seconds: float = _ASK_SECONDS) -> "subprocess.CompletedProcess[str]":
    """An engine's answer; one that cannot be had is an exit code of its own, and why."""
    try:
        return subprocess.run(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=client, cwd="/",
            universal_newlines=True, timeout=seconds, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as fault:
        return subprocess.CompletedProcess(argv, 255, "", str(fault))
