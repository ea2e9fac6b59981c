"""The public measurements that sizing is fitted on and judged by: one row each, with its source and date.

Collected from the tables named in the column ``source``; figures are facts, quoted with their source.
"""

from __future__ import annotations

import csv
import io
import lzma
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent


@cache
def rows() -> tuple[dict[str, str], ...]:
    """Every measurement; an empty text where the source does not say."""
    text = lzma.decompress((HERE / "truths.csv.xz").read_bytes()).decode()
    return tuple(csv.DictReader(io.StringIO(text)))
