"""How an operation says no."""

from __future__ import annotations

from typing import Any, Dict, Optional


class Refused(Exception):
    """Not done, and why: ``kind`` as in ``wire.door``, ``words`` for people, ``data`` what a table can say of it."""

    def __init__(self, kind: str, words: str, data: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(words)
        self.kind = kind
        self.words = words
        self.data = data or {}
