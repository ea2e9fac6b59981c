"""The environment of the job: the spec's, its secrets, and what the contract promises; nothing of the agent's own."""

from __future__ import annotations

import json
import os
from typing import Dict, Mapping

from tradewind.wire import spec as wire

# The runner is given the secrets here, in one piece: they outlive the agent and lie in no file.
_HANDED = "TRADEWIND_SECRETS"
# Of what a login on the node finds, this is about the login, not about the node.
_OF_THE_LOGIN = ("TRADEWIND_", "SSH_")


def checkpoint_folder(root: str, spec: wire.Spec) -> str:
    """Where the job writes checkpoints, absolute."""
    return os.path.normpath(os.path.join(root, wire.WORK, spec.checkpoint_dir))


def environment(root: str, spec: wire.Spec, secrets: Dict[str, str]) -> Dict[str, str]:
    """The whole environment of setup and run on the node itself; ``lib/`` comes first on PYTHONPATH."""
    base = found() if spec.host_environment else {}
    return promised(root, spec, {**base, **spec.env, **secrets})


def promised(root: str, spec: wire.Spec, given: Dict[str, str]) -> Dict[str, str]:
    """``given`` with what the contract says of every job's environment."""
    paths = [os.path.join(root, wire.LIB), given.get("PYTHONPATH", "")]
    own = {
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        wire.ENV_CHECKPOINT_DIR: checkpoint_folder(root, spec),
        wire.ENV_CHECKPOINT_EVERY: spec.checkpoint_every,
        wire.ENV_EVENTS: os.path.join(root, wire.EVENTS),
        wire.ENV_CADENCE: os.path.join(root, wire.CADENCE),
        wire.ENV_EPOCH: str(spec.epoch),
        wire.ENV_JOB: spec.job,
        wire.ENV_ATTEMPT: str(spec.attempt),
    }
    if wire.ENV_INSTANCE in os.environ:  # by this mark, inherited by all of the job, the node's holder finds it
        own[wire.ENV_INSTANCE] = os.environ[wire.ENV_INSTANCE]
    gpus = os.environ.get(wire.ENV_GPUS)
    if gpus is not None:
        own["CUDA_VISIBLE_DEVICES"] = gpus
        own["NVIDIA_VISIBLE_DEVICES"] = gpus or "void"  # for containers that the job starts itself
    return {**given, **own}


def found() -> Dict[str, str]:
    """What a login on the node finds, as whoever started the agent gave it to the agent."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OF_THE_LOGIN)}


def handed(secrets: Dict[str, str]) -> Dict[str, str]:
    """The environment that the agent starts the runner with: its own, and the secrets."""
    return {**os.environ, _HANDED: json.dumps(secrets)}


def received(environ: Mapping[str, str]) -> Dict[str, str]:
    """The secrets in a runner's environment."""
    return {str(name): str(value) for name, value in json.loads(environ.get(_HANDED, "{}")).items()}


def of_process(pid: int) -> Dict[str, str]:
    """The environment that a process was started with; empty where the system does not tell."""
    try:
        with open("/proc/{}/environ".format(pid), "rb") as file:
            pairs = (part.partition(b"=") for part in file.read().split(b"\0"))
            return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs if name}
    except OSError:
        return {}
