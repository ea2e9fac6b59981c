"""One session on a connection with the agent's door at its other end: frames out, frames in, many questions at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import asyncssh

from tradewind.nodes.ssh.faults import Attempt, explained, unreachable
from tradewind.nodes.ssh.greeting import Greeter, Welcome
from tradewind.ports.host import HostRefused
from tradewind.ports.transport import Unreachable
from tradewind.wire import door

_CLOSE_SECONDS = 2.0
_Answer = tuple[dict[str, Any], bytes]


class Link(asyncssh.SSHClientSession[bytes]):
    """Lives on the event loop alone; the connection is its own, and ends with it.

    Attributes:
        asked_at: the loop's time at which the last question went out.
    """

    def __init__(self, connection: asyncssh.SSHClientConnection, welcome: Welcome, attempt: Attempt) -> None:
        self._connection = connection
        self._welcome = welcome
        self._attempt = attempt
        self._loop = asyncio.get_running_loop()
        self._greeter: Greeter | None = Greeter()
        self._frames = Frames()
        self._errors = bytearray()
        self._channel: asyncssh.SSHClientChannel[bytes] | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._pending: dict[int, asyncio.Future[_Answer]] = {}
        self._number = 0
        self._ending = False
        self._open: asyncio.Future[None] = self._loop.create_future()
        self._over: asyncio.Future[Unreachable] = self._loop.create_future()
        self.asked_at = self._loop.time()

    @classmethod
    async def over(
        cls, connection: asyncssh.SSHClientConnection, welcome: Welcome, attempt: Attempt, greet_s: float
    ) -> Link:
        """A link over a fresh connection, whose door has spoken.

        Raises:
            Unreachable: it does not open, and the connection is closed; ``no-python``, ``no-space``,
                ``folder-refused`` and others say why.
        """
        link = cls(connection, welcome, attempt)
        try:
            await connection.create_session(
                lambda: link, welcome.command, encoding=None, request_pty=False, term_type=None
            )
            async with asyncio.timeout(greet_s):
                await link._open
        except TimeoutError:
            connection.abort()
            raise explained("timed-out", attempt) from None
        except asyncssh.Error as fault:
            connection.abort()
            raise unreachable(fault, attempt) from fault
        except BaseException:
            connection.abort()
            raise
        return link

    @property
    def is_open(self) -> bool:
        """Questions can be asked."""
        return not self._over.done()

    @property
    def is_quiet(self) -> bool:
        """No answer is being waited for."""
        return not self._pending

    def when_over(self, call: Callable[[], None]) -> None:
        """Have ``call`` called once no answer will come any more."""
        self._over.add_done_callback(lambda _: call())

    async def exchange(self, op: str, request: Mapping[str, Any], body: bytes, timeout_s: float) -> _Answer:
        """Ask, and wait for the answer.

        Raises:
            HostRefused: the host said no.
            Unreachable: no answer came in time, or none will come.
        """
        self._number += 1
        number = self._number
        answer: asyncio.Future[_Answer] = self._loop.create_future()
        try:
            async with asyncio.timeout(timeout_s):
                await self._write({**request, "n": number, "op": op}, body)
                self._pending[number] = answer
                return await answer
        except TimeoutError:
            sent = number in self._pending
            words = f"{self._attempt.target} did not answer {op} within {timeout_s:g} s"
            raise Unreachable(words, "timed-out", "maybe" if sent else "no") from None
        finally:
            self._pending.pop(number, None)

    async def close(self) -> None:
        """Let the door end, and the connection with it."""
        self._ending = True
        if self._channel is not None:
            with suppress(OSError):
                self._channel.write_eof()
        self._connection.close()
        with suppress(TimeoutError, asyncssh.Error, OSError):
            await asyncio.wait_for(self._connection.wait_closed(), _CLOSE_SECONDS)
        self._connection.abort()

    def abort(self) -> None:
        """Give the connection up at once."""
        self._connection.abort()

    async def _write(self, header: dict[str, Any], body: bytes) -> None:
        await self._writable.wait()
        if self._over.done():
            fault = self._over.result()
            raise Unreachable(str(fault), fault.code)
        assert self._channel is not None
        try:
            self._channel.write(door.frame(header, body))
        except BrokenPipeError:  # the session has ended, and why is not heard yet
            raise explained("cut", self._attempt, "the session has ended") from None
        self.asked_at = self._loop.time()

    # What asyncssh tells.

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        """The session was granted; the command is about to run."""
        self._channel = chan

    def session_started(self) -> None:
        """The command runs: it waits for the loader."""
        self._hand_over(self._welcome.loader)

    def data_received(self, data: bytes, datatype: int | None) -> None:
        """Something came: of errors the end is kept, all else is the way to the door, then frames."""
        if datatype == asyncssh.EXTENDED_DATA_STDERR:
            self._errors += data
            del self._errors[:-2000]
            return
        try:
            if self._greeter is None:
                self._take(data)
            else:
                self._greet(self._greeter, data)
        except (door.Garbled, Unreachable) as fault:
            self._end(fault)
            self._connection.abort()

    def pause_writing(self) -> None:
        """The host takes nothing more for now."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """It takes again."""
        self._writable.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """The session is over."""
        self._end(exc)
        # The session alone may have ended; nobody else uses the connection.
        self._connection.close()

    def _hand_over(self, part: bytes) -> None:
        assert self._channel is not None
        with suppress(BrokenPipeError):  # the session has ended already: what it said is told when that is heard
            self._channel.write(part)

    def _greet(self, greeter: Greeter, data: bytes) -> None:
        spoken = greeter.feed(data)
        if spoken is False:
            self._hand_over(self._welcome.agent)
        elif spoken:
            self._greeter = None
            if not self._open.done():
                self._open.set_result(None)
            self._take(greeter.rest)

    def _take(self, data: bytes) -> None:
        for header, body in self._frames.feed(data):
            answer = self._pending.pop(header.get("n", 0), None)
            if answer is None or answer.done():
                continue  # whoever asked has given up waiting
            if "fault" in header:
                fault = header["fault"]
                answer.set_exception(HostRefused(fault["kind"], fault["words"], fault.get("data")))
            else:
                answer.set_result((header.get("ok", {}), body))

    def _end(self, exc: Exception | None) -> None:
        if self._over.done():
            return
        told = self._reason(exc)
        self._over.set_result(told)
        self._writable.set()
        if not self._open.done():
            self._open.set_exception(told)
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(Unreachable(str(told), told.code, "maybe"))

    def _reason(self, exc: Exception | None) -> Unreachable:
        said = " ".join(self._errors.decode("utf-8", "replace").split())
        if self._greeter is None:
            why = str(exc) if exc else said or ("it was closed" if self._ending else "the door closed")
            return explained("cut", self._attempt, why)
        if isinstance(exc, Unreachable):
            return explained(exc.code, self._attempt, str(exc))
        heard = "; ".join(each for each in (self._greeter.said, said) if each)
        if exc is not None:
            return explained("cut", self._attempt, str(exc))
        return explained("unreachable", self._attempt, f"its door did not open; it said: {heard or 'nothing'}")


class Frames:
    """Puts frames together from what comes in pieces."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> list[tuple[dict[str, Any], bytes]]:
        """The frames that are whole now, in order: header and body.

        Raises:
            door.Garbled: what came is no frame.
        """
        self._held += data
        whole = []
        while len(self._held) >= door.HEAD_BYTES:
            text, body = door.read_head(bytes(self._held[: door.HEAD_BYTES]))
            begins, ends = door.HEAD_BYTES + text, door.HEAD_BYTES + text + body
            if len(self._held) < ends:
                break
            header = door.read_header(bytes(self._held[door.HEAD_BYTES : begins]))
            whole.append((header, bytes(self._held[begins:ends])))
            del self._held[:ends]
        return whole
