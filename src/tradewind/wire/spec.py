"""The spec: what the control plane puts on a node for the agent to carry out.

Layout of a node's root folder (every path below is relative to it)::

    agent.pyz        the agent                      spec.json       this spec (written by the control plane)
    work/            the unpacked workdir           agent.json      who serves: {"pid", "started", "version"}
    lib/             tradewind.training, .wire      journal.jsonl   records, see ``wire.journal``
    events.jsonl     TRADEWIND_EVENTS of the job    log             output of setup and run, bytes as written
    commands/        one JSON file a command        run.json        the runner's own: pid, pgid, exit code
    cadence.json     ``wire.cadence``: how soon a loss is to be expected, once the control plane told
    outputs/         outputs.json {"files": [{"name", "bytes", "crc32"}], "missing": [...]} and files/, made at the end
    agent.lock       held (flock) by the agent as long as it lives
    home/            HOME of a job in a container   container.json  which container that is, and of which engine
    release.json     {"at", "why"}, left by an agent that ends: the lease ends then by its hard-end way (seconds since
                     the epoch), unless it was ended before
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List, Optional

VERSION = 1

SPEC, AGENT, JOURNAL, LOG, EVENTS, COMMANDS, RUN = (
    "spec.json", "agent.json", "journal.jsonl", "log", "events.jsonl", "commands", "run.json",
)  # fmt: skip
CADENCE = "cadence.json"
WORK, LIB, OUTPUTS, OUTPUTS_MANIFEST = "work", "lib", "outputs", "outputs.json"
ZIPAPP, AGENT_LOCK, OUTPUT_FILES, RELEASE = "agent.pyz", "agent.lock", "files", "release.json"

# Exit codes of a job that mean something to the agent (docs/job-file.md; training library).
CHECKPOINTED, OLDER_IS_VALID = 75, 76
# Exit codes of ``agent.pyz serve``: it serves; it could not; another one serves; secrets are missing, nothing began.
SERVING, FAILED, SERVED, NEEDS = 0, 1, 3, 4

# Environment that the agent gives to the job.
ENV_CHECKPOINT_DIR, ENV_EVENTS, ENV_CHECKPOINT_EVERY = (
    "TRADEWIND_CHECKPOINT_DIR", "TRADEWIND_EVENTS", "TRADEWIND_CHECKPOINT_EVERY",
)  # fmt: skip
ENV_EPOCH, ENV_JOB, ENV_ATTEMPT = "TRADEWIND_EPOCH", "TRADEWIND_JOB", "TRADEWIND_ATTEMPT"
ENV_CADENCE = "TRADEWIND_CADENCE"  # path of cadence.json; it need not be there yet
# What starts an agent gives it: the instance it is on, and the uuids of the GPUs that are its own, by comma (empty:
# none at all; not set: whatever there is).
ENV_INSTANCE, ENV_GPUS = "TRADEWIND_INSTANCE", "TRADEWIND_GPUS"


@dataclass(frozen=True)
class Spec:
    """One attempt's work on one node.

    Attributes:
        key: ``JOB/EPOCH``; an agent that serves this key answers a repeated start with what it already does.
        run, setup: shell text for ``bash -eo pipefail`` in ``work/``; setup may be empty.
        env: the environment of the job, without secrets.
        host_environment: whether ``env`` goes on top of what a login on the node finds; False: it is all there is.
        secrets: names of the secrets, whose values come to the agent's standard input as :func:`write_secrets` gives
            them, and lie in no file.
        image: the container image that the job runs in; empty: it runs on the node itself.
        mounts: folders of the node that a container sees: ``{"source", "target"}``, for reading only.
        checkpoint_dir: where the job writes checkpoints, relative to ``work/`` or absolute.
        store: folder of the job's checkpoints, outliving the node; empty: none.
        notice: how the cloud tells of a reclaim: ``{"kind": "file", "path": …}``, or the ``kind`` of a cloud whose
            metadata service is asked (``agent.reclaims``); empty: no way known.
        hard_end: seconds since the epoch at which the agent ends its processes whatever happens.
        stop_grace_seconds: between SIGTERM and SIGKILL on a stop.
        after_exit_seconds: how long to wait for the control plane after the job's end.
    """

    key: str
    job: str
    epoch: int
    attempt: int
    run: str
    setup: str = ""
    env: Dict[str, str] = field(default_factory=dict)
    host_environment: bool = False
    secrets: List[str] = field(default_factory=list)
    image: str = ""
    mounts: List[Dict[str, str]] = field(default_factory=list)
    outputs: List[str] = field(default_factory=list)
    checkpoint_dir: str = "./checkpoints"
    checkpoint_every: str = "auto"
    store: str = ""
    notice: Dict[str, str] = field(default_factory=dict)
    notice_seconds: float = 120.0
    hard_end: float = 0.0
    stop_grace_seconds: float = 30.0
    after_exit_seconds: float = 1200.0
    version: int = VERSION

    def to_json(self) -> str:
        """The spec as JSON text, keys sorted: the same spec gives the same bytes."""
        return json.dumps(asdict(self), sort_keys=True)


def read_spec(text: str) -> Spec:
    """The spec in ``text``; keys of a later version are ignored.

    Raises:
        ValueError: not a spec.
    """
    value = json.loads(text)
    known = Spec.__dataclass_fields__
    try:
        return Spec(**{name: value[name] for name in known if name in value})
    except TypeError as fault:
        raise ValueError("not a spec: {}".format(fault)) from None


@dataclass(frozen=True)
class Command:
    """A file in ``commands/``, named ``NAME.json`` and carried out once: ``stop``, ``collected`` or ``cadence``.

    ``stop``: SIGTERM, wait ``grace_seconds``, SIGKILL. ``collected``: everything was fetched, the agent may end.
    ``cadence``: losses without a notice are to be expected ``mean_seconds_between_losses`` apart; several such files
    are obeyed in the order of their names. An agent passes over a command that it does not know.
    """

    name: str
    grace_seconds: Optional[float] = None
    mean_seconds_between_losses: Optional[float] = None

    def to_json(self) -> str:
        """The command as JSON text."""
        return json.dumps(asdict(self), sort_keys=True)


def read_command(text: str) -> Command:
    """The command in ``text``."""
    value: Dict[str, Any] = json.loads(text)
    given = {each: value.get(each) for each in ("grace_seconds", "mean_seconds_between_losses")}
    return Command(name=str(value["name"]), **given)


def write_secrets(secrets: Dict[str, str]) -> str:
    """``NAME=value`` lines, names sorted; backslash and newline in a value are escaped."""
    escaped = {name: value.replace("\\", "\\\\").replace("\n", "\\n") for name, value in secrets.items()}
    return "".join("{}={}\n".format(name, escaped[name]) for name in sorted(escaped))


def read_secrets(text: str) -> Dict[str, str]:
    """The secrets in ``text``, the inverse of :func:`write_secrets`; lines without ``=`` are passed over."""
    pairs = (line.split("=", 1) for line in text.split("\n") if "=" in line)
    return {name: re.sub(r"\\(.)", lambda found: found[1].replace("n", "\n"), value) for name, value in pairs}
