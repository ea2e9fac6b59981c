"""How this node learns that its cloud takes it: from a file, or by asking the cloud's metadata service in a thread."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Dict, Optional

from tradewind.agent import disk
from tradewind.agent.background import Background
from tradewind.agent.glance import Glance
from tradewind.agent.reclaims import SERVICES
from tradewind.wire import journal

if TYPE_CHECKING:
    from tradewind.agent.attempt import Attempt
    from tradewind.agent.metadata import Told

FILE = "file"
_ASK_SECONDS = 5.0  # as often as AWS asks for
_UNANSWERED = 3  # in a row: then what it would say is unknown


def know(probe: Dict[str, str]) -> None:
    """Nothing, when this agent can learn of a reclaim in this way (or there is no way).

    Raises:
        ValueError: it cannot; better said at the start than a notice missed.
    """
    kind = probe.get("kind")
    if probe and kind not in SERVICES and not (kind == FILE and probe.get("path")):
        raise ValueError("unknown kind of notice: {}".format(json.dumps(probe)))


class NoNotice:
    """Nobody tells."""

    def turn(self, now: float) -> Optional[float]:
        """None."""


class FileNotice:
    """A file that holds ``{"deadline": seconds since the epoch}`` once it is there."""

    def __init__(self, path: str, notice_seconds: float) -> None:
        self._file = Glance(path)
        self._notice_seconds = notice_seconds

    def turn(self, now: float) -> Optional[float]:
        """When the node is taken; None while nothing is announced. A notice without a deadline counts from now."""
        told = disk.read_json(self._file.path) if self._file.changed(now) else None
        if told is None:
            return None
        try:
            return float(told["deadline"])
        except (KeyError, TypeError, ValueError):
            return now + self._notice_seconds


class MetadataNotice:
    """The cloud's metadata service, asked every five seconds in a thread of its own: it may be slow, or silent."""

    def __init__(self, attempt: Attempt) -> None:
        from tradewind.agent.metadata import Metadata  # HTTP: only where it is spoken

        self._attempt = attempt
        self._metadata = Metadata(attempt.spec.notice)
        self._asking: Optional[Background[Told]] = None
        self._ask_at = 0.0
        self._unanswered = 0

    def turn(self, now: float) -> Optional[float]:
        """When the node is taken; None while nothing is announced, or heard."""
        if self._asking is None:
            if now >= self._ask_at:
                self._ask_at = now + _ASK_SECONDS
                usual = now + self._attempt.spec.notice_seconds
                self._asking = Background(lambda: self._metadata.look(usual))
            return None
        if not self._asking.done():
            return None
        asked, self._asking = self._asking, None
        return self._heard(asked)

    def _heard(self, asked: Background[Told]) -> Optional[float]:
        from tradewind.agent.metadata import Silent

        memory, source = self._attempt.memory, self._attempt.spec.notice["kind"]
        try:
            told = asked.result()
        except Silent as fault:
            self._unanswered += 1
            if self._unanswered >= _UNANSWERED and not memory.notice_unknown:
                self._attempt.diary.tell(journal.NOTICE_UNKNOWN, source=source, why=str(fault))
            return None
        self._unanswered = 0
        if told.rebalance and not memory.rebalance:
            self._attempt.diary.tell(journal.REBALANCE, source=source)
        return told.deadline


def listen(attempt: Attempt) -> NoNotice | FileNotice | MetadataNotice:
    """What the spec's probe asks for."""
    probe = attempt.spec.notice
    if not probe:
        return NoNotice()
    if probe["kind"] == FILE:
        return FileNotice(probe["path"], attempt.spec.notice_seconds)
    return MetadataNotice(attempt)
