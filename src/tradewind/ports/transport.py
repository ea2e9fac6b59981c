"""The port for reaching a node: putting files there, starting the agent, reading what it wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from tradewind.ports.compute import Instance


class Unreachable(Exception):
    """The node does not answer; it may still be running and paid for.

    ``code`` says why, where that is known: of SSH ``host-key-changed``, ``host-key-unknown``, ``login-refused``,
    ``password-only``, ``passphrase-needed``, ``no-python``, ``no-bash``, ``host-unknown``, ``connection-refused``,
    ``timed-out``, ``too-many-connections``, ``cut``. ``sent``: whether what was asked may have arrived.
    """

    def __init__(self, words: str, code: str = "unreachable", sent: Literal["no", "maybe"] = "no") -> None:
        super().__init__(words)
        self.code = code
        self.sent = sent


@dataclass(frozen=True, slots=True)
class Parcel:
    """What an attempt needs on its node: the spec as JSON text, the workdir's archive, agent and library.

    ``store`` is the job's store on this computer: what a node elsewhere needs of it (the fence, the newest complete
    checkpoint) travels too. ``secrets`` are NAME → value: handed to the agent in memory, written nowhere.
    """

    spec: str
    work: Path
    agent: Path
    library: Path
    store: Path
    secrets: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Heard:
    """What was read from a node: bytes from the asked offsets on, and whether an agent is alive there.

    ``skew_s``: the node's clock minus ours; instants in the journal are the node's.
    """

    journal: bytes
    log: bytes
    agent_alive: bool
    skew_s: float = 0.0


class Transport(Protocol):
    """Reaching the nodes of one kind of machine."""

    def reach(self, instance: Instance) -> None:
        """Nothing, when the machine answers and is the one meant.

        Raises:
            Unreachable: it does not answer, or is another.
        """
        ...

    def store(self, instance: Instance, here: Path) -> str:
        """The folder to which the node's agent copies checkpoints, as the node names it; ``here``: the job's store."""
        ...

    def start(self, instance: Instance, parcel: Parcel) -> None:
        """Put the parcel there and start the agent; with the same spec already served, only see that it is.

        Raises:
            Unreachable: the node does not answer, has no room, or serves another spec.
        """
        ...

    def revive(self, instance: Instance, secrets: Mapping[str, str]) -> None:
        """Start the agent again on a node whose agent died; it adopts the running job.

        Raises:
            Unreachable: the node does not answer, or the agent does not start.
        """
        ...

    def hear(self, instance: Instance, journal_offset: int, log_offset: int, limit: int) -> Heard:
        """What the node wrote from the offsets on, at most ``limit`` bytes of each.

        Raises:
            Unreachable: the node does not answer.
        """
        ...

    def keep(self, instance: Instance, path: str, store: Path) -> bool:
        """Whether the checkpoint at ``path`` (the node's word) lies whole in the job's ``store`` here.

        While it does not it is being fetched, without holding up the caller: ask again.

        Raises:
            Unreachable: the node does not answer.
            ValueError: it is torn, or is not there any more.
        """
        ...

    def command(self, instance: Instance, text: str, name: str) -> None:
        """Leave a command for the agent; the same name twice is one command."""
        ...

    def fetch_outputs(self, instance: Instance, into: Path) -> tuple[str, ...]:
        """Copy the job's outputs into ``into``, checked against their manifest; the names of the files.

        What was fetched before a cut is not fetched again.

        Raises:
            Unreachable: the node does not answer.
            ValueError: a file differs from its manifest.
        """
        ...

    def visit(self, instance: Instance, tunnels: Sequence[tuple[int, int]] = ()) -> tuple[str, ...]:
        """A command line for the user's terminal: a shell where the job works.

        With ``tunnels``, pairs of a port here and one there, both on the loopback address, it holds those instead;
        empty when the node is this computer, whose ports need none.

        Raises:
            Unreachable: the node does not answer.
        """
        ...
