"""The one event loop of this process that all SSH connections live on, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

Answer = TypeVar("Answer")
_making = threading.Lock()
_made: list[LoopThread] = []


class LoopThread:
    """An event loop that other threads hand their work to."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        # A daemon: work that waits for a host's answer does not keep the process from ending.
        threading.Thread(target=self.loop.run_forever, name="ssh", daemon=True).start()

    def begin(self, work: Coroutine[Any, Any, Answer]) -> Future[Answer]:
        """What ``work`` will return or raise. Works begin in the order of the calls."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def run(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """What ``work`` returns or raises; it is cancelled when the waiting thread is interrupted."""
        future = self.begin(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise


async def waiting(call: Callable[[], Answer]) -> Answer:
    """What ``call`` returns or raises; its thread does not keep the process from ending, as a person may be slow."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Answer] = loop.create_future()

    def wait() -> None:
        try:
            answer = call()
        except Exception as fault:  # noqa: BLE001 (whatever it is, it is for who awaits)
            loop.call_soon_threadsafe(done.set_exception, fault)
        else:
            loop.call_soon_threadsafe(done.set_result, answer)

    threading.Thread(target=wait, name="prompt", daemon=True).start()
    return await done


def loop_thread() -> LoopThread:
    """The process's own."""
    with _making:
        if not _made:
            _made.append(LoopThread())
        return _made[0]
