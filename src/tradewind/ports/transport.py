"""The port for reaching a node: putting files there, starting the agent, reading what it wrote."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tradewind.ports.compute import Instance


class Unreachable(Exception):
    """The node does not answer; it may still be running and paid for."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """What an attempt needs on its node: the spec as JSON text, the workdir's archive and the agent's zipapp.

    ``secrets`` are NAME → value; they are written by the transport with owner-only rights and never logged.
    """

    spec: str
    work: Path
    agent: Path
    library: Path
    secrets: dict[str, str]


@dataclass(frozen=True, slots=True)
class Heard:
    """What was read from a node: bytes from the asked offsets on, and whether an agent is alive there."""

    journal: bytes
    log: bytes
    agent_alive: bool


class Transport(Protocol):
    """Reaching the nodes of one kind of machine."""

    def reach(self, instance: Instance) -> None:
        """Nothing, when the machine answers and is the one meant.

        Raises:
            Unreachable: it does not answer, or is another.
        """
        ...

    def start(self, instance: Instance, parcel: Parcel) -> None:
        """Put the parcel there and start the agent; with the same spec already served, only see that it is.

        Raises:
            Unreachable: the node does not answer.
        """
        ...

    def revive(self, instance: Instance) -> None:
        """Start the agent again on a node whose agent died; it adopts the running job."""
        ...

    def hear(self, instance: Instance, journal_offset: int, log_offset: int, limit: int) -> Heard:
        """What the node wrote from the offsets on, at most ``limit`` bytes of each.

        Raises:
            Unreachable: the node does not answer.
        """
        ...

    def command(self, instance: Instance, text: str, name: str) -> None:
        """Leave a command for the agent; the same name twice is one command."""
        ...

    def fetch_outputs(self, instance: Instance, into: Path) -> tuple[str, ...]:
        """Copy the job's outputs into ``into``, checked against their manifest; the names of the files.

        Raises:
            Unreachable: the node does not answer.
            ValueError: a file differs from its manifest.
        """
        ...
