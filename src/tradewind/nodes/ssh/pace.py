"""How long each step of reaching a host may take, and how soon it is tried again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from secrets import SystemRandom

# Trying again soon cures none of these: somebody has to do something first. A log-in that is refused over and over
# gets an address barred, too.
BARRED = frozenset({
    "folder-refused", "host-key-changed", "host-key-unknown", "jump-key-unknown", "login-refused", "no-python",
    "passphrase-needed", "password-only", "ssh-config",
})  # fmt: skip
_chance = SystemRandom()


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds, unless the name says otherwise.

    Attributes:
        connect_s: for the TCP connection; ``login_s``: from there until logged in; ``greet_s``: from there until the
            door speaks, the way of the agent included.
        keepalive_s: of silence, after which the host is asked for a sign of life; after ``keepalives`` without one
            the connection is given up.
        ping_s: without a question, after which the door is asked something, so that it stays open.
        idle_s: without a call, after which a road is closed.
        retry_s, retry_most_s: the first and the longest pause between two tries; ``barred_s``: the pause after a
            failure that time does not cure.
        patience_s: how long a call waits for a connection that broke and is being made again.
    """

    connect_s: float = 10.0
    login_s: float = 15.0
    greet_s: float = 60.0
    keepalive_s: float = 15.0
    keepalives: int = 3
    ping_s: float = 60.0
    idle_s: float = 600.0
    retry_s: float = 0.5
    retry_most_s: float = 30.0
    barred_s: float = 60.0
    patience_s: float = 2.0

    def pauses(self) -> Iterator[float]:
        """The pauses between one try and the next, each by chance between half and the whole of a doubling time."""
        longest = self.retry_s
        while True:
            yield longest * _chance.uniform(0.5, 1.0)
            longest = min(self.retry_most_s, 2 * longest)
