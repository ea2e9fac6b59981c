"""How far predicted memory is from what was measured; called by ``benchmarks/sizing_accuracy.py``.

*Stated unit*: peaks whose source says what it counted. *Apart*: rows that ran something that no flag asks for
(offloaded, a paged optimizer …). *Ladder*: the largest batch of 512, 384, 256 … that ran on a card of 24 GiB. *Green
light*: the rung above it said to fit at the upper end, though it ran out of memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from statistics import median

from measure import tell

from sizing.memory_rows import Largest, Measured, largest, measured, unknown
from sizing.peers import estimators
from tradewind.sizing import LADDER

STATED_MEDIAN, STATED_P90 = 5.0, 15.0  # per cent
EXACT, GREEN = 88.0, 2.0
FEW = 4  # rows that a family must have to be told by itself


def figures() -> None:
    """Print every figure."""
    found = list(measured())
    told = [row for row in found if not row.apart]
    _errors("stated-unit", told, STATED_MEDIAN, STATED_P90)
    for by, group in (("source", lambda row: row.source), ("gpu", lambda row: row.card), ("kind", lambda row: row.kind),
                      ("family", lambda row: row.family)):  # fmt: skip
        for name, rows in _grouped(told, group).items():
            if len(rows) >= FEW:
                _errors(f"stated-unit/{by}/{name}", rows)
    for why, rows in _grouped([row for row in found if row.apart], lambda row: row.apart).items():
        _errors(f"apart/{why}", rows)
    for maker, count in unknown().items():
        tell(f"sizing/memory/left-out/{maker}", "rows", count, None, why="no unit stated, model not known")
    ladder = list(largest())
    _ladder([row for row in ladder if row.over])
    first = [row for row in ladder if not row.over]
    missed = sum(_rung(row) != row.batch for row in first)
    tell("sizing/memory/ladder/first-rung/missed", "%", 100 * missed / len(first), 100 - EXACT, rows=len(first))


def _errors(name: str, rows: list[Measured], bar: float | None = None, bar_p90: float | None = None) -> None:
    """Median and 90th percentile of |predicted ÷ measured − 1|, the bias, and the share inside the range."""
    ends = [row.predicted for row in rows]
    off = sorted(100 * abs(value / row.gib - 1) for (value, _, _), row in zip(ends, rows, strict=True))
    inside = sum(low <= row.gib <= high for (_, low, high), row in zip(ends, rows, strict=True))
    rest = {
        "rows": len(rows),
        "bias": round(100 * median(value / row.gib - 1 for (value, _, _), row in zip(ends, rows, strict=True)), 1),
        "inside": round(100 * inside / len(rows), 1),
        **{
            peer: round(median(100 * abs(of(row) / row.gib - 1) for row in rows), 1)
            for peer, of in estimators().items()
        },
    }
    tell(f"sizing/memory/{name}/median", "%", median(off), bar, **rest)
    tell(f"sizing/memory/{name}/p90", "%", off[min(len(off) - 1, int(0.9 * len(off)))], bar_p90, rows=len(rows))


def _grouped(rows: Iterable[Measured], by: Callable[[Measured], str]) -> dict[str, list[Measured]]:
    groups: dict[str, list[Measured]] = defaultdict(list)
    for row in rows:
        groups[by(row)].append(row)
    return dict(sorted(groups.items()))


def _ladder(rows: list[Largest]) -> None:
    exact = [_rung(row) == row.batch for row in rows]
    high = sum(_rung(row) > row.batch for row in rows)
    tell("sizing/memory/ladder/missed", "%", 100 * (1 - sum(exact) / len(rows)), 100 - EXACT, rows=len(rows),
         high=high, low=len(rows) - sum(exact) - high)  # fmt: skip
    green = sum(row.budget.fits(row.over or 0) for row in rows)
    held = sum(row.budget.fits(row.batch) for row in rows)
    tell("sizing/memory/ladder/green-light-runs-out", "%", 100 * green / len(rows), GREEN, rows=len(rows),
         held=round(100 * held / len(rows), 1))  # fmt: skip
    families: dict[str, list[bool]] = defaultdict(list)
    for row, hit in zip(rows, exact, strict=True):
        families[row.family].append(hit)
    for family, hits in sorted(families.items()):
        if len(hits) >= FEW and not all(hits):
            tell(f"sizing/memory/ladder/family/{family}/missed", "%", 100 * (1 - sum(hits) / len(hits)), None,
                 rows=len(hits))  # fmt: skip


def _rung(row: Largest) -> int:
    most = row.budget.expected_micro_batch()
    return max((rung for rung in LADDER if rung <= most), default=0)
