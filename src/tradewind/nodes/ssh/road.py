"""The road to one host: questions from any thread, one link underneath that is opened, tended and opened again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from tradewind.nodes.ssh.address import Address
from tradewind.nodes.ssh.link import Link
from tradewind.nodes.ssh.loop import LoopThread
from tradewind.nodes.ssh.pace import BARRED, Pace
from tradewind.ports.clock import Clock
from tradewind.ports.host import HostRefused
from tradewind.ports.transport import Unreachable
from tradewind.wire import door

_SLOW_SECONDS = 1.0  # an answer that took longer, as behind large bodies, says less of the clock than one before it
Open = Callable[[Address, bool], Awaitable[Link]]  # the second: whether the last try failed


class Road:
    """Implements ``ports.host.Host``. Opened at the first question, closed when none was asked for a while.

    A call waits for the first try to open it; once a try failed, calls raise its cause at once, until one succeeds in
    the background. A link that broke is opened again at the next call, which waits a moment for that.
    """

    def __init__(self, address: Address, open_link: Open, thread: LoopThread, clock: Clock, pace: Pace) -> None:
        self.address = address
        self._open_link = open_link
        self._thread = thread
        self._clock = clock
        self._pace = pace
        self._link: Link | None = None
        self._trying: asyncio.Task[None] | None = None
        self._tending: asyncio.Task[None] | None = None
        self._tried = asyncio.Event()  # the first try since the road was last open is over
        self._cause: Unreachable | None = None  # of the last try, when it failed
        self._broke = False
        self._closed = False
        self._used_at = 0.0
        self._skew_s = 0.0
        self._hello: dict[str, Any] = {}

    @property
    def skew_s(self) -> float:
        """The host's clock minus ours, seconds, as last measured; 0.0 before."""
        return self._skew_s

    @property
    def hello(self) -> dict[str, Any]:
        """What the host said of itself when the road was last opened; empty before."""
        return dict(self._hello)

    def ask(self, op: str, request: Mapping[str, Any], timeout_s: float = 30.0) -> dict[str, Any]:
        """The answer to one question.

        Raises:
            HostRefused: the host said no.
            Unreachable: no answer came; its ``sent`` says whether the question may have arrived.
        """
        return self.exchange(op, request, timeout_s=timeout_s)[0]

    def exchange(
        self, op: str, request: Mapping[str, Any], body: bytes = b"", timeout_s: float = 30.0
    ) -> tuple[dict[str, Any], bytes]:
        """The answer to one question with bytes beside it: at most 64 MiB each way.

        Raises:
            HostRefused, Unreachable: as :meth:`ask`.
        """
        return self._thread.run(self._exchange(op, request, body, timeout_s))

    def begin(
        self, op: str, request: Mapping[str, Any], body: bytes = b"", timeout_s: float = 30.0
    ) -> Future[tuple[dict[str, Any], bytes]]:
        """What :meth:`exchange` will return or raise; questions go out in the order of the calls."""
        return self._thread.begin(self._exchange(op, request, body, timeout_s))

    def close(self) -> None:
        """Close the road for good; the door at its end closes too."""
        self._thread.run(self.closing())

    async def _exchange(
        self, op: str, request: Mapping[str, Any], body: bytes, timeout_s: float
    ) -> tuple[dict[str, Any], bytes]:
        ends_at = self._now() + timeout_s
        link = await self._ready(timeout_s)
        return await link.exchange(op, request, body, max(0.0, ends_at - self._now()))

    async def _ready(self, timeout_s: float) -> Link:
        """The open link.

        Raises:
            Unreachable: there is none.
        """
        self._used_at = self._now()
        if self._link is not None and not self._link.is_open:
            self._lost(self._link)
        if self._link is None and not self._closed:
            if self._trying is None:
                self._try()
            if self._cause is None:
                with suppress(TimeoutError):
                    patience_s = min(timeout_s, self._pace.patience_s) if self._broke else timeout_s
                    await asyncio.wait_for(self._tried.wait(), patience_s)
        if self._link is not None:
            return self._link
        if self._cause is not None:
            raise Unreachable(str(self._cause), self._cause.code)
        if self._closed:
            raise Unreachable(f"the road to {self.address.target} is closed")
        raise Unreachable(f"{self.address.target} is still being connected to", "timed-out")

    def _try(self) -> None:
        self._tried.clear()
        self._trying = asyncio.ensure_future(self._try_until_open())

    async def _try_until_open(self) -> None:
        """Open the link; in the end it is open, or nobody asked for long."""
        pauses = self._pace.pauses()
        try:
            while self._cause is None or not self._is_idle():
                try:
                    return await self._open()
                except Unreachable as fault:
                    self._cause = fault
                self._tried.set()
                await asyncio.sleep(self._pause(pauses))
            self._cause = None  # long ago: the next call tries for itself
        finally:
            self._trying = None
            self._tried.set()

    def _pause(self, pauses: Iterator[float]) -> float:
        """How long to wait before the next try."""
        soon = next(pauses)
        return self._pace.barred_s + soon if self._cause and self._cause.code in BARRED else soon

    async def _open(self) -> None:
        link = await self._open_link(self.address, self._cause is not None)
        try:
            await self._greet(link)
        except HostRefused as fault:
            link.abort()
            raise Unreachable(f"{self.address.target}: {fault.words}") from fault
        except BaseException:
            link.abort()
            raise
        self._link, self._cause, self._broke = link, None, False
        self._tending = asyncio.ensure_future(self._tend(link))
        link.when_over(lambda: self._lost(link))

    async def _greet(self, link: Link) -> None:
        """Learn who answers, and what its clock says."""
        before = self._clock.now().timestamp()
        hello, _ = await link.exchange("hello", {}, b"", self._pace.greet_s)
        after = self._clock.now().timestamp()
        now = hello.get("now")
        if hello.get("version") != door.VERSION or not isinstance(now, int | float):
            raise Unreachable(f"{self.address.target} speaks version {hello.get('version')} of the door's language")
        if not self._hello or after - before < _SLOW_SECONDS:
            self._skew_s = now - (before + after) / 2
        self._hello = hello

    async def _tend(self, link: Link) -> None:
        """Keep the door open while the road is in use, then close it."""
        while link.is_open:
            await asyncio.sleep(min(self._pace.ping_s, self._pace.idle_s) / 2)
            if self._is_idle() and link.is_quiet:
                self._link = None
                await link.close()
            elif self._now() - link.asked_at >= self._pace.ping_s / 2:
                try:
                    await self._greet(link)
                except (Unreachable, HostRefused):
                    link.abort()

    def _lost(self, link: Link) -> None:
        """The link is over. The next call makes another: a host of which nothing is asked is left in peace."""
        if self._link is link:
            self._link, self._broke = None, True

    async def closing(self) -> None:
        """What :meth:`close` does, for who is on the event loop."""
        self._closed = True
        link, self._link = self._link, None
        for task in (self._trying, self._tending):
            if task is not None:
                task.cancel()
        if link is not None:
            await link.close()

    def _is_idle(self) -> bool:
        return self._now() - self._used_at >= self._pace.idle_s

    def _now(self) -> float:
        return self._thread.loop.time()
