"""``LAB=SOCKET python -m lab.tell do=reclaim id=i-… notice_s=120``: tell a lab that runs elsewhere what to do."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from lab.control_socket import ask


def order(words: list[str]) -> dict[str, Any]:
    """``name=value`` words as an order; what reads as a number is one."""
    return {name: _value(value) for name, _, value in (word.partition("=") for word in words)}


def _value(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


if __name__ == "__main__":
    answer = ask(Path(os.environ["LAB"]), **order(sys.argv[1:]))
    print(json.dumps(answer, indent=2))
    sys.exit(0 if answer["ok"] else 1)
