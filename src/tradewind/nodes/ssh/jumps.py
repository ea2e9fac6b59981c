"""Jump hosts: one connection to each, shared by all hosts behind it, closed when the last of them is left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import asyncssh

from tradewind.ports.transport import Unreachable

_AT_ONCE = 4
# The configuration that the hops are read from, and the hops one after the other, each as it is written there.
Chain = tuple[Path | None, tuple[str, ...]]


@dataclass(slots=True)
class _Jump:
    opening: asyncio.Task[asyncssh.SSHClientConnection]
    users: int = 0

    @property
    def is_over(self) -> bool:
        """It was not to be had, or is no more."""
        if not self.opening.done():
            return False
        return self.opening.cancelled() or self.opening.exception() is not None or self.opening.result().is_closed()


class Jumps:
    """The connections to jump hosts; ``connect`` makes one. Lives on the event loop alone."""

    def __init__(self, connect: Callable[[Chain], Awaitable[asyncssh.SSHClientConnection]]) -> None:
        self._connect = connect
        self._jumps: dict[Chain, _Jump] = {}
        self._gates: dict[str, asyncio.Semaphore] = {}
        self._watching: set[asyncio.Task[None]] = set()

    def gate(self, chain: Chain) -> asyncio.Semaphore:
        """What lets at most four hosts at once be reached over the same first hop."""
        return self._gates.setdefault(chain[1][0], asyncio.Semaphore(_AT_ONCE))

    async def reach(
        self, chain: Chain, onward: Callable[[asyncssh.SSHClientConnection], Awaitable[asyncssh.SSHClientConnection]]
    ) -> asyncssh.SSHClientConnection:
        """A connection made by ``onward`` over the last hop of the chain, which stays as long as that does.

        Raises:
            Unreachable: a hop cannot be reached.
        """
        jump = self._enter(chain)
        try:
            connection = await onward(await asyncio.shield(jump.opening))
        except BaseException:
            self._leave(chain, jump)
            raise
        watch = asyncio.ensure_future(self._watch(connection, chain, jump))
        self._watching.add(watch)
        watch.add_done_callback(self._watching.discard)
        return connection

    @asynccontextmanager
    async def lent(self, chain: Chain) -> AsyncIterator[asyncssh.SSHClientConnection]:
        """The connection to the last hop of the chain, for a while.

        Raises:
            Unreachable: a hop cannot be reached.
        """
        jump = self._enter(chain)
        try:
            yield await asyncio.shield(jump.opening)
        finally:
            self._leave(chain, jump)

    def _enter(self, chain: Chain) -> _Jump:
        jump = self._jumps.get(chain)
        if jump is None or jump.is_over:
            jump = self._jumps[chain] = _Jump(asyncio.ensure_future(self._connect(chain)))
        jump.users += 1
        return jump

    async def _watch(self, connection: asyncssh.SSHClientConnection, chain: Chain, jump: _Jump) -> None:
        try:
            await connection.wait_closed()
        finally:
            self._leave(chain, jump)

    def _leave(self, chain: Chain, jump: _Jump) -> None:
        jump.users -= 1
        if jump.users:
            return
        if self._jumps.get(chain) is jump:
            del self._jumps[chain]
        jump.opening.cancel()
        if jump.opening.done():
            with suppress(Unreachable, asyncio.CancelledError):
                jump.opening.result().close()
