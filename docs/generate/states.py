"""Pictures of the states of a lease and a job: the arrows are the transition tables', the places are ours."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from tradewind.domain.states import JOB_TRANSITIONS, LEASE_PAID, LEASE_TRANSITIONS

State = TypeVar("State", bound=StrEnum)
Point = tuple[float, float]

COLUMN, ROW = 150.0, 92.0  # between the middles of two boxes
WIDE, HIGH = 112.0, 34.0
STYLE = """\
  .ground { fill: #fcfcfb; stroke: #d8d6d0 }
  .state { fill: #ffffff; stroke: #52606d; stroke-width: 1.3 }
  .paid { fill: #fde9c8; stroke: #9a6410; stroke-width: 1.3 }
  .frame { fill: none; stroke: #9aa5b1; stroke-dasharray: 5 4 }
  .way { fill: none; stroke: #52606d; stroke-width: 1.2; marker-end: url(#tip) }
  text { font: 600 12px system-ui, sans-serif; fill: #1f2933; text-anchor: middle; dominant-baseline: central }
  .note { font-weight: 400; fill: #3e4c59 }"""


@dataclass(frozen=True)
class Layout:
    """Where states stand (column, row), how far arrows bow to the left of their direction, and a frame's note."""

    title: str
    places: Mapping[str, Point]
    bows: Mapping[tuple[str, str], float] = field(default_factory=dict)


LEASE = Layout(
    "The states of a lease; those on a coloured ground may cost money",
    {"INTENDED": (0, 1.2), "REQUESTED": (1, 1.2), "PENDING": (2, 1.2), "RUNNING": (3, 1.2), "RELEASING": (4, 1.2),
     "RELEASED": (5, 1.2), "UNKNOWN": (1.5, 2.5), "SUSPECT": (3, 2.1), "REFUSED": (0.5, 2.5)},
    {("INTENDED", "RELEASED"): 172, ("PENDING", "RELEASING"): 62, ("UNKNOWN", "RELEASING"): -160,
     ("RUNNING", "SUSPECT"): 14, ("SUSPECT", "RUNNING"): 14},
)  # fmt: skip
JOB = Layout(
    "The states of a job; every state in the frame may also become STOPPING",
    {"QUEUED": (0, 1.9), "PLANNED": (1, 1.9), "ACQUIRING": (2, 1.9), "PREPARING": (3, 1.9), "RUNNING": (4, 1.9),
     "FINISHING": (5.2, 1.9), "WAITING": (1.5, 3.1), "INTERRUPTED": (3.5, 3.1), "STOPPING": (5.2, 4.4),
     "STOPPED": (6.5, 4.4), "SUCCEEDED": (6.5, 1.2), "FAILED": (6.5, 1.9), "EXPIRED": (6.5, 2.6)},
    {("QUEUED", "FINISHING"): 215, ("PLANNED", "FINISHING"): 165, ("ACQUIRING", "FINISHING"): 115,
     ("PREPARING", "FINISHING"): 62, ("WAITING", "FINISHING"): -200, ("INTERRUPTED", "FINISHING"): -22,
     ("ACQUIRING", "WAITING"): 12, ("WAITING", "ACQUIRING"): 12, ("INTERRUPTED", "WAITING"): 0},
)  # fmt: skip


def lease() -> str:
    """The picture of a lease, SVG."""
    return draw(LEASE, LEASE_TRANSITIONS, LEASE_PAID)


def job() -> str:
    """The picture of a job, SVG."""
    return draw(JOB, JOB_TRANSITIONS)


def draw(layout: Layout, table: Mapping[State, frozenset[State]], paid: Collection[State] = ()) -> str:
    """The picture of ``table``. A state that every other state with a way out leads to gets one arrow, from a frame."""
    live = [state for state, after in table.items() if after]
    shared = [target for target in table if all(target in table[state] for state in live if state != target)]
    framed = [state for state in live if state not in shared] if shared else []
    at = {state: (COLUMN * (layout.places[state][0] + 0.5) + 8, ROW * layout.places[state][1]) for state in table}
    width = max(x for x, _ in at.values()) + WIDE / 2 + 24
    height = max(y for _, y in at.values()) + HIGH + 8
    ways = [(state, after) for state in table for after in table if after in table[state] and after not in shared]
    body = [
        *_frame([at[state] for state in framed], [at[target] for target in shared]),
        *(_way(at[here], at[there], layout.bows.get((here, there), 0)) for here, there in ways),
        *(_box(state, at[state], "paid" if state in paid else "state") for state in table),
    ]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
        f"<title>{layout.title}</title>", f"<style>\n{STYLE}\n</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#52606d"/></marker></defs>',
        f'<rect class="ground" x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1:.0f}" rx="10"/>',
        *body, "</svg>", "",
    ])  # fmt: skip


def _box(state: str, middle: Point, kind: str) -> str:
    x, y = middle
    return (f'<rect class="{kind}" x="{x - WIDE / 2:.0f}" y="{y - HIGH / 2:.0f}" width="{WIDE:.0f}" '
            f'height="{HIGH:.0f}" rx="8"/><text x="{x:.0f}" y="{y:.0f}">{state}</text>')  # fmt: skip


def _frame(inside: list[Point], targets: list[Point]) -> Iterator[str]:
    if not inside:
        return
    left, right = min(x for x, _ in inside) - WIDE / 2 - 8, max(x for x, _ in inside) + WIDE / 2 + 10
    top, bottom = min(y for _, y in inside) - HIGH - 120, max(y for _, y in inside) + HIGH + 34
    yield (f'<rect class="frame" x="{left:.0f}" y="{top:.0f}" width="{right - left:.0f}" '
           f'height="{bottom - top:.0f}" rx="12"/>')  # fmt: skip
    for x, y in targets:
        yield f'<path class="way" d="M{x:.0f} {bottom:.0f}L{x:.0f} {y - HIGH / 2:.0f}"/>'


def _way(here: Point, there: Point, bow: float) -> str:
    """A bowed arrow between the edges of two boxes; one that comes back to its own state is a loop above it."""
    if here == there:
        x, y = here[0], here[1] - HIGH / 2
        return f'<path class="way" d="M{x - 16:.1f} {y:.1f}c-14 -40 46 -40 32 0"/>'
    dx, dy = there[0] - here[0], there[1] - here[1]
    length = math.hypot(dx, dy)
    turn = ((here[0] + there[0]) / 2 + dy / length * bow, (here[1] + there[1]) / 2 - dx / length * bow)
    start, over, end = ("{:.1f} {:.1f}".format(*point) for point in (_edge(here, turn), turn, _edge(there, turn)))
    return f'<path class="way" d="M{start}Q{over} {end}"/>'


def _edge(middle: Point, towards: Point) -> Point:
    """Where the line from the middle of a box towards a point leaves the box."""
    dx, dy = towards[0] - middle[0], towards[1] - middle[1]
    scale = min(WIDE / 2 / abs(dx) if dx else math.inf, HIGH / 2 / abs(dy) if dy else math.inf)
    return middle[0] + dx * scale, middle[1] + dy * scale
