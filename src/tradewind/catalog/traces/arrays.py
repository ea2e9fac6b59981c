"""Traces as the arrays of an .npz file, read without numpy: a zip of typed arrays with a short header each.

``count`` [zones, ticks]: machines that could be had; ``spot_price`` [zones] or [zones, ticks] and ``od_price`` [zones]:
USD an hour for a node; ``meta``: a text with JSON: ``zones``, ``gap_seconds``, ``need`` (machines wanted together), and
perhaps ``start``, ``source``, ``licence``. The format is that of numpy's documentation (numpy.lib.format, 1.0 to 3.0).
"""

from __future__ import annotations

import ast
import io
import json
import math
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from tradewind.domain.errors import BadInput, Where
from tradewind.domain.trace import SpotTrace

LARGEST_ARRAY = 256_000_000  # bytes, unpacked
_MAGIC = b"\x93NUMPY"
_LETTER_BYTES = 4  # of a unicode text
_KINDS = {
    "|b1": "?", "|u1": "B", "|i1": "b", "<u2": "<H", "<i2": "<h", "<u4": "<I", "<i4": "<i", "<u8": "<Q", "<i8": "<q",
    "<f4": "<f", "<f8": "<d",
}  # fmt: skip


class Array(NamedTuple):
    """Values of one array, row by row. ``kind``: as numpy writes it, ``<f4``."""

    shape: tuple[int, ...]
    kind: str
    values: list[Any]

    def rows(self) -> list[list[Any]]:
        """One list a row, also where each row is one value."""
        width = self.shape[1] if len(self.shape) > 1 else 1
        return [self.values[first : first + width] for first in range(0, len(self.values), width)]


def from_npz(content: bytes, path: Path) -> SpotTrace:
    """The trace in the bytes of a file.

    Raises:
        BadInput: ``trace-npz-damaged`` (file, cause), ``trace-array-missing`` (file, name), ``trace-array-wrong``
            (file, name, shape, wanted), ``trace-meta-wrong`` (file, key).
    """
    where = Where(str(path))
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            arrays = {info.filename.removesuffix(".npy"): _array(packed, info) for info in packed.infolist()}
    except (ValueError, SyntaxError, TypeError, KeyError, EOFError, struct.error, zipfile.BadZipFile, zlib.error,
            RuntimeError, MemoryError, OverflowError) as error:  # fmt: skip
        raise BadInput("trace-npz-damaged", where=where, file=path, cause=error) from None
    for name in ("count", "spot_price", "od_price", "meta"):
        if name not in arrays:
            raise BadInput("trace-array-missing", where=where, file=path, name=name)
    return _trace(arrays, _meta(arrays["meta"], path), path)


def _trace(arrays: dict[str, Array], meta: dict[str, Any], path: Path) -> SpotTrace:
    count, spot, on_demand = arrays["count"], arrays["spot_price"], arrays["od_price"]
    zones = len(meta["zones"])
    ticks = count.shape[1] if len(count.shape) == 2 else 0
    for name, array, shapes in (
        ("count", count, [(zones, max(ticks, 1))]),
        ("spot_price", spot, [(zones,), (zones, ticks)]),
        ("od_price", on_demand, [(zones,)]),
    ):
        finite = all(isinstance(value, bool | int | float) and math.isfinite(value) for value in array.values)
        if array.shape not in shapes or not finite:
            wanted = " | ".join(map(str, shapes))
            raise BadInput("trace-array-wrong", where=Where(str(path)), file=path, name=name, shape=array.shape,
                           wanted=wanted)  # fmt: skip
    need = meta["need"]
    return SpotTrace(
        path.stem, tuple(meta["zones"]), float(meta["gap_seconds"]),
        tuple(bytes(value >= need for value in row) for row in count.rows()),
        tuple(_prices(row, spot.kind) for row in spot.rows()),
        tuple(_price(value, on_demand.kind) for value in on_demand.values), need,
        start=str(meta.get("start", "")), source=str(meta.get("source", "")), licence=str(meta.get("licence", "")),
    )  # fmt: skip


def _prices(row: list[Any], kind: str) -> tuple[float, ...]:
    return tuple(_price(value, kind) for value in row)


def _price(value: Any, kind: str) -> float:
    """A price as it was before it became a number of four bytes, which holds seven figures."""
    return float(f"{value:.7g}") if kind == "<f4" else float(value)


def _meta(array: Array, path: Path) -> dict[str, Any]:
    """What the text says, with what is needed in it."""
    try:
        meta = json.loads(array.values[0])
    except (ValueError, TypeError, IndexError, RecursionError):
        meta = None
    meta = meta if isinstance(meta, dict) else {}
    zones, need, gap = meta.get("zones"), meta.setdefault("need", 1), meta.get("gap_seconds")
    good = {
        "zones": isinstance(zones, list) and bool(zones) and all(isinstance(zone, str) for zone in zones),
        "need": isinstance(need, int) and not isinstance(need, bool) and need > 0,
        "gap_seconds": isinstance(gap, int | float) and not isinstance(gap, bool) and 0 < gap < math.inf,
    }
    for key, holds in good.items():
        if not holds:
            raise BadInput("trace-meta-wrong", where=Where(str(path)), file=path, key=key)
    return meta


def _array(packed: zipfile.ZipFile, info: zipfile.ZipInfo) -> Array:
    """One array of the zip. Raises ValueError for what is none, or is too large."""
    if info.file_size > LARGEST_ARRAY:
        raise ValueError(f"{info.filename} has {info.file_size} bytes")
    data = packed.read(info)
    if data[:6] != _MAGIC or len(data) < 12:
        raise ValueError(f"{info.filename} is no array")
    wide = 2 if data[6] == 1 else 4  # bytes that tell how long the header is, by version
    begin = 8 + wide + int.from_bytes(data[8 : 8 + wide], "little")
    header = ast.literal_eval(data[8 + wide : begin].decode("utf-8"))
    kind, shape = header["descr"], tuple(map(int, header["shape"]))
    values = _values(kind, data[begin:])
    if len(values) != math.prod(shape):
        raise ValueError(f"{info.filename} is cut off")
    if header["fortran_order"] and len(shape) > 1:
        rows, columns = shape
        values = [values[row + column * rows] for row in range(rows) for column in range(columns)]
    return Array(shape, kind, values)


def _values(kind: str, data: bytes) -> list[Any]:
    if kind.startswith("<U"):
        letters = int(kind[2:]) * _LETTER_BYTES
        parts = (data[first : first + letters] for first in range(0, len(data), letters))
        return [part.decode("utf-32-le").rstrip("\0") for part in parts]
    return [value for (value,) in struct.iter_unpack(_KINDS[kind], data)]
