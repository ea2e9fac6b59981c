"""The environment of the job: the spec's, its secrets, and what the contract promises; nothing of the agent's own."""

from __future__ import annotations

import json
import os
from typing import Dict, Mapping

from tradewind.wire import spec as wire

# By this mark, inherited by everything on the node, its cloud finds what belongs to the instance.
INSTANCE_MARK = "TRADEWIND_INSTANCE"
# The runner is given the secrets here, in one piece: they outlive the agent and never lie on disk again.
_HANDED = "TRADEWIND_SECRETS"


def checkpoint_folder(root: str, spec: wire.Spec) -> str:
    """Where the job writes checkpoints, absolute."""
    return os.path.normpath(os.path.join(root, wire.WORK, spec.checkpoint_dir))


def environment(root: str, spec: wire.Spec, secrets: Dict[str, str]) -> Dict[str, str]:
    """The whole environment of setup and run; ``lib/`` comes first on PYTHONPATH."""
    given = {**spec.env, **secrets}
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
    if INSTANCE_MARK in os.environ:
        own[INSTANCE_MARK] = os.environ[INSTANCE_MARK]
    return {**given, **own}


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


def read_secrets(root: str, spec: wire.Spec) -> Dict[str, str]:
    """The secrets as their file has them; none when it was taken."""
    try:
        with open(os.path.join(root, spec.secrets_path), "rb") as file:
            return wire.read_secrets(file.read().decode())
    except OSError:
        return {}
