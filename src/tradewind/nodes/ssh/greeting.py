"""From a login shell of any kind to the agent's door: the command line, and what is said until the door speaks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tradewind.ports.transport import Unreachable
from tradewind.wire.door import GREETING

# One line in single quotes without backslash, `!` or further single quotes: sh, bash, dash, zsh, csh, tcsh and fish
# hand it to /bin/sh alike. The word before `-1` is a variable, so that a shell that prints commands says it not.
# Where no Python is on the PATH of a plain login, the one is asked for that a full login would find.
_FIND_PYTHON = (
    "m=TRADEWIND-LOADER; "
    'try() { "$1" -I -S -c "import sys; sys.exit(sys.version_info < (3, 8))" </dev/null >/dev/null 2>&1 &&'
    ' exec "$1" -I -S -c "import sys; exec(sys.stdin.buffer.read(int(sys.argv[1])))" BYTES; }; '
    "for p in python3 python3.14 python3.13 python3.12 python3.11 python3.10 python3.9 python3.8 python; do"
    ' try "$p"; done; '
    'try "$("${SHELL:-/bin/sh}" -lc "command -v python3" </dev/null 2>/dev/null | tail -n 1)"; '
    'echo "$m-1 no-python"; exit 127'
)
_SIGNAL = re.compile(re.escape(GREETING) + rb"|TRADEWIND-LOADER-1 ([a-z-]+) ?([^\n]*)\n")
_KEPT_BYTES = 2000
_NEED = b"need"


@dataclass(frozen=True, slots=True)
class Welcome:
    """How a door is opened: the agent that is wanted on the host, and the folder it keeps there."""

    root: str
    agent: bytes = field(repr=False)
    name: str

    @property
    def command(self) -> str:
        """The command line for the host's shell; it names nothing of ours, as everybody there can read it."""
        return f"exec /bin/sh -c '{_FIND_PYTHON.replace('BYTES', str(len(self.loader)))}'"

    @property
    def loader(self) -> bytes:
        """What that command reads first and runs."""
        return _loader() + f"\nmain({self.root!r}, {self.name!r}, {len(self.agent)})\n".encode()


class Greeter:
    """Passes over what a login prints until the loader or the door speaks.

    Attributes:
        rest: what came after the greeting.
    """

    def __init__(self) -> None:
        self._heard = bytearray()
        self.rest = b""

    @property
    def said(self) -> str:
        """The end of what was passed over, for people."""
        return " ".join(self._heard[-_KEPT_BYTES:].decode("utf-8", "replace").replace("\0", "").split())

    def feed(self, data: bytes) -> bool | None:
        """True: the door is open. False: the agent is asked for. None: nothing of ours yet.

        Raises:
            Unreachable: the loader says why it cannot open the door.
        """
        self._heard += data
        found = _SIGNAL.search(self._heard)
        if found is None:
            del self._heard[: -4 * _KEPT_BYTES]
            return None
        word, text, after = found[1], bytes(found[2] or b""), bytes(self._heard[found.end() :])
        if word is None:
            self.rest = after
            return True
        if word != _NEED:
            raise Unreachable(text.decode("utf-8", "replace"), bytes(word).decode())
        self._heard[found.start() :] = after
        return False


@cache
def _loader() -> bytes:
    return Path(__file__).with_name("loader.py").read_bytes()
