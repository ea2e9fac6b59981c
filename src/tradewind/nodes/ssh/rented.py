"""The transport to the machines of one cloud account: each met (:mod:`.meeting`), then asked as any host is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tradewind.nodes.ssh.address import Address
from tradewind.nodes.ssh.meeting import Meeting
from tradewind.nodes.ssh.pace import Pace
from tradewind.nodes.ssh.pins import Pins
from tradewind.nodes.ssh.roads import Roads
from tradewind.nodes.ssh.transport import SshTransport
from tradewind.ports.clock import Clock
from tradewind.ports.compute import Instance
from tradewind.ports.transport import Heard, Parcel, Unreachable

# Before its first boot is over a machine shows another host key, and lets nobody in.
PACE = Pace(barred_s=2.0)
_SILENT = "timed-out"  # what a firewall looks like that takes nothing from where this computer is now
_SILENCE_SECONDS = 60.0  # between two words that machines of the account are silent


@dataclass(frozen=True, slots=True)
class _Node:
    """A machine that was met: how it is asked, and what was taken there."""

    address: Address
    transport: SshTransport
    taken: Instance


class RentedTransport:
    """Implements ``ports.Transport``. After :meth:`reach` any process of this installation may make the other calls.

    Args:
        roads: closed by whoever made them; :data:`PACE` suits machines that are booting.
        identity: the private key of this installation, which the machines let in.
        ssh: where what the user's own ``ssh`` is told of the machines may lie.
        on_silence: told of a machine that does not answer, at most once a minute.
    """

    def __init__(
        self, roads: Roads, pins: Pins, identity: Path, ssh: Path, clock: Clock,
        on_silence: Callable[[Instance], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self._roads = roads
        self._meeting = Meeting(roads, pins, identity, clock)
        self._ssh = ssh
        self._clock = clock
        self._on_silence = on_silence
        self._told_at = float("-inf")
        self._lock = threading.Lock()
        self._meets: dict[str, threading.Lock] = {}  # by token: one hand-over at a time
        self._nodes: dict[str, _Node] = {}

    def reach(self, instance: Instance) -> None:
        """Nothing, when the machine answers, is the one that was rented, and holds what was taken there.

        Raises:
            Unreachable: besides the codes of SSH ``no-address``, it has none yet; ``host-key-unknown``, nothing is kept
                here of it; ``gpus-missing``, ``gpus-busy``, it has not what was ordered; ``gone``, what was taken there
                has ended, since the machine was restarted, say.
        """
        with self._lock:
            alone = self._meets.setdefault(instance.token, threading.Lock())
        with self._telling(instance), alone:
            self._meeting.meet(instance)

    def store(self, instance: Instance, here: Path) -> str:
        """A folder beside the agent's root; what counts is brought home from there (:meth:`keep`)."""
        node = self._node(instance)
        return node.transport.store(node.taken, here)

    def start(self, instance: Instance, parcel: Parcel) -> None:
        """Send what the machine lacks of the parcel, then have the agent started on it."""
        with self._at(instance) as node:
            node.transport.start(node.taken, parcel)

    def revive(self, instance: Instance, secrets: Mapping[str, str]) -> None:
        """Have the agent started again; one that lives, or that has ended its work, is left as it is."""
        with self._at(instance) as node:
            node.transport.revive(node.taken, secrets)

    def hear(self, instance: Instance, journal_offset: int, log_offset: int, limit: int) -> Heard:
        """What journal and log say from the offsets on, at most ``limit`` bytes of each."""
        with self._at(instance) as node:
            return node.transport.hear(node.taken, journal_offset, log_offset, limit)

    def keep(self, instance: Instance, path: str, store: Path) -> bool:
        """Whether the checkpoint lies in the store here; while it does not it is on its way."""
        with self._at(instance) as node:
            return node.transport.keep(node.taken, path, store)

    def command(self, instance: Instance, text: str, name: str) -> None:
        """Leave a command for the agent; the same name twice is one command."""
        with self._at(instance) as node:
            node.transport.command(node.taken, text, name)

    def fetch_outputs(self, instance: Instance, into: Path) -> tuple[str, ...]:
        """Fetch the outputs into ``into``, checked against their manifest; the names of the files."""
        with self._at(instance) as node:
            return node.transport.fetch_outputs(node.taken, into)

    def visit(self, instance: Instance, tunnels: Sequence[tuple[int, int]] = ()) -> tuple[str, ...]:
        """The user's own ``ssh``, with the machine's pinned key: a shell where the job works, or its ports."""
        with self._at(instance) as node:
            return node.transport.visit(node.taken, tunnels)

    def let_go(self, is_open: Callable[[str], bool]) -> None:
        """Close the roads to machines that are rented no more, as ``is_open`` tells of a token."""
        with self._lock:
            known = {*self._meets, *self._nodes}
        for token in [each for each in known if not is_open(each)]:
            with self._lock:
                self._meets.pop(token, None)
                node = self._nodes.pop(token, None)
            if node is not None:
                self._roads.forget(node.address)

    @contextmanager
    def _at(self, instance: Instance) -> Iterator[_Node]:
        with self._telling(instance):
            yield self._node(instance)

    def _node(self, instance: Instance) -> _Node:
        """The machine, from what is kept of it: nothing is asked. One transport a machine, since it goes on fetching.

        Raises:
            Unreachable: it was not met yet.
        """
        with self._lock:
            known = self._nodes.get(instance.token)
            if known is not None and known.address.host == instance.address:
                return known
            kept = self._meeting.known(instance)
            if kept.folder is None:
                raise Unreachable(f"{instance.id} at {instance.address} was not reached yet")
            if known is not None:
                self._roads.forget(known.address)
            address = self._meeting.address(instance, kept.pins)
            taken = replace(instance, id=Path(kept.folder).name, address=kept.folder)
            made = _Node(address, SshTransport(self._roads.to(address), address, self._ssh), taken)
            self._nodes[instance.token] = made
            return made

    @contextmanager
    def _telling(self, instance: Instance) -> Iterator[None]:
        """What is silent is told of."""
        try:
            yield
        except Unreachable as fault:
            if fault.code == _SILENT and self._due():
                self._on_silence(instance)
            raise

    def _due(self) -> bool:
        with self._lock:
            now = self._clock.monotonic()
            due = now - self._told_at >= _SILENCE_SECONDS
            self._told_at = now if due else self._told_at
            return due
