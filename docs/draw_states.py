"""Draws the pictures of docs/states.md from the transition tables in tradewind.domain.states.

python docs/draw_states.py           writes the pictures into docs/states.md
python docs/draw_states.py --check   exit 1 when the page is not in step with the tables
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from tradewind.domain.states import JOB_TRANSITIONS, LEASE_PAID, LEASE_TRANSITIONS

PAGE = Path(__file__).with_name("states.md")
PAID_STYLE = "classDef paid fill:#fde9c8,stroke:#b7791f,color:#1a202c"
State = TypeVar("State", bound=StrEnum)


def draw(table: Mapping[State, frozenset[State]], paid: Collection[State] = ()) -> str:
    """A Mermaid state diagram of ``table``, in the order of its states; the first state is where all begins.

    A state that every other state with a way out leads to is drawn with one arrow, from a frame around them.
    """
    live = [state for state, after in table.items() if after]
    shared = [target for target in table if all(target in table[state] for state in live if state != target)]
    framed = [state for state in live if state not in shared]
    begin = [f"[*] --> {framed[0]}", *_arrows(table, framed, framed)]
    if shared:
        begin = ["state live {", *(f"    {line}" for line in begin), "}", *(f"live --> {state}" for state in shared)]
    ends = [state for state, after in table.items() if not after]
    lines = [*begin, *_arrows(table, live, ends), *(f"{state} --> [*]" for state in ends)]
    if paid:
        lines += [PAID_STYLE, f"class {','.join(state for state in table if state in paid)} paid"]
    return "\n".join(["```mermaid", "stateDiagram-v2", *(f"    {line}" for line in lines), "```"])


def _arrows(
    table: Mapping[State, frozenset[State]], sources: Collection[State], targets: Collection[State]
) -> list[str]:
    return [f"{source} --> {target}" for source in sources for target in targets if target in table[source]]


def put(page: str, name: str, picture: str) -> str:
    """``page`` with ``picture`` between its two comments of that name."""
    start, end = f"<!-- drawn: {name} -->", "<!-- end -->"
    return re.sub(rf"{start}.*?{end}", lambda _: f"{start}\n{picture}\n{end}", page, count=1, flags=re.DOTALL)


def main() -> int:
    """Exit status: 0 when the page is in step, or has been brought in step."""
    page = PAGE.read_text(encoding="utf-8")
    drawn = put(put(page, "lease", draw(LEASE_TRANSITIONS, LEASE_PAID)), "job", draw(JOB_TRANSITIONS))
    if "--check" in sys.argv[1:]:
        return int(page != drawn)
    PAGE.write_text(drawn, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
