"""CSV with a seal: a last line that counts the rows and sums the text, so that a torn or flipped file is noticed."""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Iterable, Mapping, Sequence

Row = dict[str, str]


def sealed(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """The rows as CSV text with its seal; None is an empty cell."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    count = 0
    for count, row in enumerate(rows, start=1):  # noqa: B007
        writer.writerow({name: "" if row[name] is None else row[name] for name in columns})
    return text.getvalue() + _seal(text.getvalue(), count)


def unsealed(text: str, columns: Sequence[str]) -> list[Row]:
    """The rows of sealed CSV text.

    Raises:
        ValueError: ``torn``: the seal is missing or broken; ``columns-differ``: the columns are others.
    """
    body, mark, _ = text.rpartition("#")
    reader = csv.DictReader(io.StringIO(body))
    rows = list(reader)
    if not mark or text != body + _seal(body, len(rows)):
        raise ValueError("torn")
    if reader.fieldnames != list(columns):
        raise ValueError(f"columns-differ wanted={', '.join(columns)!r}")
    return rows


def _seal(body: str, count: int) -> str:
    return f"# {count} rows, crc32 {zlib.crc32(body.encode()):08x}\n"
