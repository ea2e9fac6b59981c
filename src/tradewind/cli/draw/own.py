"""One's own prices, once they are in the catalog."""

from __future__ import annotations

from typing import Any

from tradewind.cli.draw.pen import Pen, wrapped


def added(pen: Pen, told: dict[str, Any]) -> str:
    """That they are there, and what they take the place of."""
    return wrapped(pen.say("own-replaced" if told["replaced"] else "own-added", **told), pen.width)
