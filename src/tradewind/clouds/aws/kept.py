"""Answers that hold for a while: asked once, then told from memory until they are old."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from tradewind.ports.clock import Clock

Answer = TypeVar("Answer")


class Kept(Generic[Answer]):
    """Answers by what they were asked with, each for ``seconds``. Two threads may ask the same at once: no harm."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._seconds = seconds
        self._answers: dict[str, tuple[float, Answer]] = {}

    def get(self, asked: str, ask: Callable[[], Answer]) -> Answer:
        """The answer, from memory or by ``ask``; what that raises is not kept."""
        now = self._clock.monotonic()
        at, answer = self._answers.get(asked, (None, None))
        if at is None or answer is None or now - at > self._seconds:
            answer = ask()
            self._answers[asked] = (now, answer)
        return answer
