"""Command lines for docker and podman, and what is said through them: pure.

The node's root is mounted at its own path, so that every path in the job's environment holds inside as well. The
network is the host's: tunnels and other nodes reach the job's ports as without a container.

What stands in ``--env`` an engine keeps in a file of the container's, and whoever may ask it can read it. So only marks
are given there; the environment, its secrets with it, comes through standard input to ``bash``, which then becomes the
job's.
"""

from __future__ import annotations

import math
import os
from typing import Dict, List, Mapping, NamedTuple, Optional

from tradewind.agent.environment import checkpoint_folder
from tradewind.wire import spec as wire

DOCKER, PODMAN = "docker", "podman"
LABEL = "tradewind.instance"
HOME = "home"  # of the job, in the node's root: what setup installs for its user is there for the run
# In the environment of everything inside: by it the node finds the container's processes among its own.
ENV_CONTAINER = "TRADEWIND_CONTAINER"
# These are of the shell that a job was submitted from; an image has its own.
_OF_A_SHELL = ("PATH", "HOME", "LANG", "VIRTUAL_ENV")
_FAILED, _NOT_RUNNABLE, _NOT_FOUND = 125, 126, 127
_LOADER = """
kept=${PYTHONPATH-}
while IFS= read -r -d '' pair; do export "$pair"; done
export PATH="$HOME/.local/bin:$PATH" PYTHONPATH="$PYTHONPATH${kept:+:$kept}"
exec bash -eo pipefail -c "$1" < /dev/null
""".strip()


class Engine(NamedTuple):
    """What runs containers. ``rootless``: the root inside is the user outside."""

    kind: str
    path: str
    rootless: bool


class Host(NamedTuple):
    """What of the host a container is given. ``gpus``: by uuid; None: all there are. ``shm_bytes``: of ``/dev/shm``."""

    instance: str
    uid: int
    gid: int
    user: str
    gpus: Optional[List[str]]
    shm_bytes: int


def name_of(instance: str) -> str:
    """The one container of an instance; setup's is gone before the run's begins."""
    return "tradewind-" + instance


def run(engine: Engine, host: Host, root: str, spec: wire.Spec, text: str) -> List[str]:
    """The command line that carries out a shell text; :func:`fed` goes to its standard input."""
    name = name_of(host.instance)
    return [
        engine.path, "run", "--rm", "--init", "--interactive",
        "--name", name, "--label", "{}={}".format(LABEL, host.instance),
        *_user(engine, host),
        "--network", "host", "--security-opt", "label=disable", "--log-driver", "none",
        "--shm-size", str(host.shm_bytes), "--stop-timeout", str(math.ceil(spec.stop_grace_seconds)),
        *_gpus(engine, host.gpus),
        *_mounts(root, spec), "--workdir", os.path.join(root, wire.WORK),
        "--env", "{}={}".format(ENV_CONTAINER, name), "--env", "{}={}".format(wire.ENV_INSTANCE, host.instance),
        "--entrypoint", "bash", spec.image, "-c", _LOADER, "tradewind", text,
    ]  # fmt: skip


def _user(engine: Engine, host: Host) -> List[str]:
    """Files written inside are the user's outside."""
    if engine.kind == DOCKER and engine.rootless:
        return ["--user", "0:0"]
    keep = ["--userns", "keep-id"] if engine.kind == PODMAN and engine.rootless else []
    return [*keep, "--user", "{}:{}".format(host.uid, host.gid)]


def _gpus(engine: Engine, uuids: Optional[List[str]]) -> List[str]:
    """The GPUs of the instance; without any, an image that asks for all of them gets none either."""
    if uuids is not None and not uuids:
        return ["--env", "NVIDIA_VISIBLE_DEVICES=void"]
    if engine.kind == DOCKER:
        return ["--gpus", "all" if uuids is None else '"device={}"'.format(",".join(uuids))]
    return [part for uuid in uuids or ["all"] for part in ("--device", "nvidia.com/gpu=" + uuid)]


def _mounts(root: str, spec: wire.Spec) -> List[str]:
    checkpoints = checkpoint_folder(root, spec)
    told = [_mount(root, root)]
    if not (checkpoints + os.sep).startswith(root + os.sep):
        told.append(_mount(checkpoints, checkpoints))
    work = os.path.join(root, wire.WORK)
    told += [_mount(each["source"], os.path.join(work, each["target"]), "readonly") for each in spec.mounts]
    return [part for mount in told for part in ("--mount", mount)]


def _mount(source: str, target: str, *more: str) -> str:
    """One value of ``--mount``: comma-separated values, of which both engines read quoted ones."""
    parts = ["type=bind", "source=" + source, "target=" + target, *more]
    return ",".join('"{}"'.format(part.replace('"', '""')) if set(part) & set(',"') else part for part in parts)


def inside(root: str, spec: wire.Spec, host: Host) -> Dict[str, str]:
    """What the environment in a container has of ours, besides what the contract promises.

    Programs look for the name of a user whom the image need not know.
    """
    of_job = spec.env if spec.host_environment else {
        name: value for name, value in spec.env.items() if name not in _OF_A_SHELL
    }  # fmt: skip
    return {**of_job, "HOME": os.path.join(root, HOME), "USER": host.user, "LOGNAME": host.user}


def fed(environment: Mapping[str, str]) -> bytes:
    """The environment as the container's ``bash`` reads it."""
    return b"".join(os.fsencode("{}={}\0".format(name, environment[name])) for name in sorted(environment))


def listing(engine: Engine, instance: str) -> List[str]:
    """The command line that tells the ids of an instance's containers."""
    return [
        engine.path, "ps", "--all", "--quiet", "--no-trunc", "--filter", "label={}={}".format(LABEL, instance),
    ]  # fmt: skip


def removal(engine: Engine, ids: List[str]) -> List[str]:
    """The command line that kills containers and takes them away."""
    return [engine.path, "rm", "--force", "--volumes", *ids]


def visit(
    engine: Engine, instance: str, root: str, environment: Mapping[str, str], client: Mapping[str, str]
) -> List[str]:
    """The command line that opens a shell in the container, for a client in the environment ``client``.

    A value is given by its name, for a command line can be read by others; not where the client has its own.
    """
    pairs = []
    for name in sorted(environment):
        pairs += ["--env", "{}={}".format(name, environment[name]) if name in client else name]
    work = os.path.join(root, wire.WORK)
    return [
        engine.path, "exec", "--interactive", "--tty", "--workdir", work, *pairs, name_of(instance), "bash", "-i",
    ]  # fmt: skip


def said(engine: Engine, code: int) -> str:
    """What an exit code of an engine's own may mean; empty: the job's command ended so."""
    return {
        _FAILED: "exit 125: {} could not make or start the container; its words are above".format(engine.kind),
        _NOT_RUNNABLE: "exit 126: bash cannot be run in the image, or the command ended so",
        _NOT_FOUND: "exit 127: there is no bash in the image, or the command ended so",
    }.get(code, "")  # fmt: skip
