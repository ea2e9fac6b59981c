"""The transport to hosts over SSH: all of it asked through the door of one host (``wire.door``)."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tradewind.nodes import archive
from tradewind.nodes.outputs import take
from tradewind.nodes.ssh.address import Address
from tradewind.nodes.ssh.channel import FRAME_SECONDS, Channel, patience
from tradewind.nodes.ssh.command import ssh_command
from tradewind.nodes.ssh.fetching import from_instance
from tradewind.nodes.ssh.keeping import Keeping
from tradewind.nodes.ssh.sending import STORE, Piece, hand_on, pieces_of, send, whole
from tradewind.ports.compute import Instance
from tradewind.ports.host import HostRefused
from tradewind.ports.transport import Heard, Parcel, Unreachable
from tradewind.wire import spec as wire

_SECONDS, _START_SECONDS, _STARTS = 30.0, 120.0, 3
_OUTPUTS = f"node/{wire.OUTPUTS}/{wire.OUTPUT_FILES}"
# What a refusal of the door is called among the codes of Unreachable.
_CODES = {"no-space": "no-space", "busy": "other-spec", "gone": "gone"}


class SshTransport:
    """Implements ``ports.Transport`` for the instances on one host."""

    def __init__(self, road: Channel, address: Address, folder: Path) -> None:
        """``folder``: where what the user's own ``ssh`` is told of the host may lie."""
        self._road = road
        self._address = address
        self._folder = folder
        self._keeping = Keeping(road)

    def reach(self, instance: Instance) -> None:
        """Nothing, when the instance is on the host and carries its token."""
        with _refusals_as_unreachable():
            found = self._road.ask("instances", {"ids": [instance.id]})["instances"]
        if not found:
            raise Unreachable(f"{instance.id} is not on {self._address.target}", "gone")
        if found[0]["token"] != instance.token:
            raise Unreachable(f"{instance.id} on {self._address.target} is another machine", "gone")

    def store(self, instance: Instance, here: Path) -> str:
        """A folder beside the agent's root; what counts is brought home from there (:meth:`keep`)."""
        del here
        return f"{instance.address}/{STORE}"

    def start(self, instance: Instance, parcel: Parcel) -> None:
        """Send what the host lacks of the parcel, then have the agent started on it.

        Raises:
            Unreachable: no answer, no room, another spec is served, secrets are missing, or the agent does not start.
        """
        spec = wire.read_spec(parcel.spec)
        entries = archive.read_manifest(parcel.work)
        agent, library = whole(parcel.agent), whole(parcel.library)
        pieces = {**pieces_of(parcel.work, entries), **dict((agent, library))}
        asked = {
            "id": instance.id, "spec": parcel.spec, "secrets": dict(parcel.secrets),
            "names": {"agent": _named(*agent), "library": _named(*library)},
        }  # fmt: skip
        with _refusals_as_unreachable():
            if spec.store:
                hand_on(self._road, instance.id, parcel.store, spec.epoch)
            for tries in range(_STARTS, 0, -1):
                send(self._road, pieces)
                try:
                    self._road.exchange("start", asked, archive.manifest_path(parcel.work).read_bytes(), _long(pieces))
                    return
                except HostRefused as fault:
                    if tries == 1 or "blob" not in fault.data:  # a blob was damaged or dropped there meanwhile
                        raise

    def revive(self, instance: Instance, secrets: Mapping[str, str]) -> None:
        """Have the agent started again; one that lives, or that has ended its work, is left as it is."""
        with _refusals_as_unreachable():
            self._road.ask("revive", {"id": instance.id, "secrets": dict(secrets)}, _START_SECONDS)

    def hear(self, instance: Instance, journal_offset: int, log_offset: int, limit: int) -> Heard:
        """What journal and log say from the offsets on, at most ``limit`` bytes of each."""
        asked = {"id": instance.id, "journal": journal_offset, "log": log_offset, "limit": limit}
        with _refusals_as_unreachable():
            told, body = self._road.exchange("hear", asked, b"", _SECONDS)
        journal = int(told["journal"])
        return Heard(body[:journal], body[journal:], bool(told["alive"]), self._road.skew_s)

    def keep(self, instance: Instance, path: str, store: Path) -> bool:
        """Whether the checkpoint lies in the store here; while it does not it is on its way. See :class:`Keeping`."""
        return self._keeping.keep(instance, path, store)

    def command(self, instance: Instance, text: str, name: str) -> None:
        """Leave a command for the agent; the same name twice is one command."""
        with _refusals_as_unreachable():
            self._road.ask("command", {"id": instance.id, "name": name, "text": text})

    def fetch_outputs(self, instance: Instance, into: Path) -> tuple[str, ...]:
        """Fetch the outputs into ``into``, checked against their manifest; the names of the files."""
        with _refusals_as_unreachable():
            told = self._road.ask("outputs", {"id": instance.id}, FRAME_SECONDS)["manifest"]
            if told is None:
                raise Unreachable(f"{instance.id} has not gathered its outputs yet", "gone")
            return take(told, from_instance(self._road, instance.id, _OUTPUTS), into)

    def visit(self, instance: Instance, tunnels: Sequence[tuple[int, int]] = ()) -> tuple[str, ...]:
        """The user's own ``ssh``, with this host's pinned key: a shell where the job works, or its ports."""
        if tunnels:
            held = [word for here, there in tunnels for word in ("-L", f"127.0.0.1:{here}:127.0.0.1:{there}")]
            return ssh_command(self._address, self._folder, ("-N", "-o", "ExitOnForwardFailure=yes", *held))
        with _refusals_as_unreachable():
            argv = self._road.ask("shell", {"id": instance.id})["argv"]
        return ssh_command(self._address, self._folder, ("-t", "--", shlex.join(argv)))


def _named(sha256: str, piece: Piece) -> list[object]:
    return [sha256, piece.bytes]


def _long(pieces: Mapping[str, Piece]) -> float:
    """What a start may take: all files are written, then the agent begins."""
    return _START_SECONDS + patience(sum(piece.bytes for piece in pieces.values()))


@contextmanager
def _refusals_as_unreachable() -> Iterator[None]:
    """What the door refuses, in the words of this port."""
    try:
        yield
    except HostRefused as fault:
        code = fault.data.get("code") or _CODES.get(fault.kind, "unreachable")
        raise Unreachable(fault.words, str(code)) from fault
