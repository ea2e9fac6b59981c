"""Spot traces: the shipped ones, a user's own in both kinds of file, and what is said of a damaged one."""

from __future__ import annotations

import io
import json
import math
import zipfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_files import as_csv, write_npz

from tradewind import words
from tradewind.catalog.traces import LARGEST_BYTES, SHIPPED, read_trace, trace, traces
from tradewind.domain.errors import BadInput, NotFound, TradewindError
from tradewind.domain.trace import SpotTrace

CSV = """# tick_seconds: 300
# ticks: 6
# nodes: 2
# source: own probes
zone,tick,available,spot_price,od_price
east,0,1,0.5,3
west,0,0,,3.5
east,2,0,0.75,
west,4,1,0.9,
"""


def test_the_shipped_traces_are_whole_and_say_where_they_come_from() -> None:
    assert traces() == (
        "h100x1-gcp-2025-10-dev", "h100x16-gcp-2025-10-dev", "v100-2023-02-dev", "v100x16-2023-08-dev",
    )  # fmt: skip
    notice = (SHIPPED.parents[4] / "NOTICE").read_text(encoding="utf-8")
    for name in traces():
        told = trace(name)
        assert told.name == name
        assert "skynomad-artifact" in told.source
        assert told.licence.startswith("Apache-2.0")
        assert told.gpu and told.start
        assert told.hours > 250
        assert (told.nodes > 1) == ("x16" in name)
        for zone in range(len(told.zones)):
            assert 0.05 < sum(told.available[zone]) / told.ticks < 1
            assert (
                0.1
                < min(told.spot_price[zone]) / told.od_price[zone]
                <= max(told.spot_price[zone]) / told.od_price[zone]
                < 1
            )
    assert "skynomad-artifact" in notice
    assert sum(path.stat().st_size for path in SHIPPED.glob("*.csv")) < 100_000


@pytest.mark.parametrize(
    ("name", "zone", "share", "changes", "price"),
    [
        ("v100-2023-02-dev", "us-east-2a", 0.7113801, 123, 0.918),
        ("h100x1-gcp-2025-10-dev", "us-east4-b", 0.87133396, 167, 1.85668),
        ("h100x16-gcp-2025-10-dev", "asia-southeast1-c", 0.49053926, 38, 2.407048),
        ("v100x16-2023-08-dev", "us-west-2c_v100_1", 0.32645519, 91, 0.918),
    ],
)
def test_the_shipped_traces_are_the_published_measurements(
    name: str, zone: str, share: float, changes: int, price: float
) -> None:
    told = trace(name)
    up = told.available[told.zones.index(zone)]
    assert sum(up) / len(up) == pytest.approx(share, abs=1e-7)
    assert sum(was != now for was, now in pairwise(up)) == changes
    assert told.spot_price[told.zones.index(zone)][0] == price


def test_a_file_of_ones_own_is_read(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(CSV, encoding="utf-8")
    told = trace(str(tmp_path / "mine.csv"))
    assert told == SpotTrace(
        "mine", ("east", "west"), 300.0, (bytes([1, 1, 0, 0, 0, 0]), bytes([0, 0, 0, 0, 1, 1])),
        ((0.5, 0.5, 0.75, 0.75, 0.75, 0.75), (0.9,)), (3.0, 3.5), 2, source="own probes",
    )  # fmt: skip


def test_little_has_to_be_said(tmp_path: Path) -> None:
    path = tmp_path / "bare.csv"
    path.write_text("\ufeff#tick_seconds:600\nTick , Zone,AVAILABLE\n0,a,1\n\n3,a,0\n", encoding="utf-8")
    told = read_trace(path)
    assert (told.zones, told.available, told.nodes, told.hours) == (("a",), (bytes([1, 1, 1, 0]),), 1, 4 / 6)
    assert math.isnan(told.spot_price[0][0])
    assert math.isnan(told.od_price[0])


@st.composite
def any_trace(draw: st.DrawFn) -> SpotTrace:
    zones, ticks = draw(st.integers(1, 3)), draw(st.integers(1, 20))
    price = st.floats(0.01, 50).map(lambda value: float(f"{value:.5g}"))
    constant = draw(st.booleans())
    rows = [
        draw(st.lists(price, min_size=1 if constant else ticks, max_size=1 if constant else ticks))
        for _ in range(zones)
    ]
    return SpotTrace(
        "any", tuple(f"zone {zone} east" for zone in range(zones)), float(draw(st.integers(1, 3600))),
        tuple(bytes(draw(st.lists(st.integers(0, 1), min_size=ticks, max_size=ticks))) for _ in range(zones)),
        tuple(map(tuple, rows)), tuple(draw(price) for _ in range(zones)), draw(st.integers(1, 16)),
        start="2026", source="made up", licence="none",
    )  # fmt: skip


@settings(deadline=None)
@given(made=any_trace(), fortran=st.booleans())
def test_arrays_and_text_say_the_same(tmp_path_factory: pytest.TempPathFactory, made: SpotTrace, fortran: bool) -> None:
    folder = tmp_path_factory.mktemp("traces")
    write_npz(folder / "any.npz", made, fortran=fortran)
    assert read_trace(folder / "any.npz") == made
    (folder / "any.csv").write_text(as_csv(made), encoding="utf-8")
    told = read_trace(folder / "any.csv")
    same = tuple(prices[:1] if len(set(prices)) == 1 else prices for prices in made.spot_price)
    assert told == replace(made, spot_price=same)


def test_a_shipped_trace_is_the_same_as_arrays(tmp_path: Path) -> None:
    shipped = trace("h100x16-gcp-2025-10-dev")
    write_npz(tmp_path / f"{shipped.name}.npz", shipped)
    assert read_trace(tmp_path / f"{shipped.name}.npz") == replace(shipped, gpu="")


def told_of(error: TradewindError) -> list[str]:
    """Every fault as ``code line``."""
    return [
        f"{each.code} {each.where.line if each.where else None}"
        for each in (*error.faults, *(() if error.faults else (error,)))
    ]


@pytest.mark.parametrize(
    ("old", "new", "faults"),
    [
        ("# tick_seconds: 300\n", "", ["trace-comment-wrong 1"]),
        ("seconds: 300", "seconds: soon", ["trace-comment-wrong 1"]),
        ("seconds: 300", "seconds: -3", ["trace-comment-wrong 1"]),
        ("# nodes: 2", "# nodes: 1.5", ["trace-comment-wrong 3"]),
        ("# ticks: 6", "# ticks: 4", ["trace-tick-late 2"]),
        ("# ticks: 6", "# ticks: 99999999", ["trace-file-long 2"]),
        ("zone,tick,available", "zone,tick,up", ["trace-column-missing 5"]),
        ("east,0,1,0.5,3", "east,0,1,0.5", ["trace-row-short 6"]),
        ("east,0,1,0.5,3", "east,1,1,0.5,3", ["trace-tick-wrong 6"]),
        ("east,2,0", "east,x,0", ["trace-tick-wrong 8"]),
        ("east,2,0", "east,0,0", ["trace-tick-wrong 8"]),
        ("east,2,0,0.75", "east,2,up,0.75", ["trace-available-wrong 8"]),
        ("0.75", "cheap", ["trace-price-wrong 8"]),
        ("0.75", "-0.75", ["trace-price-wrong 8"]),
        ("0.75", "nan", ["trace-price-wrong 8"]),
    ],
)
def test_a_faulty_line_is_told_with_its_number(tmp_path: Path, old: str, new: str, faults: list[str]) -> None:
    assert old in CSV
    path = tmp_path / "faulty.csv"
    path.write_text(CSV.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BadInput, match="trace-file-faulty") as raised:
        read_trace(path)
    assert told_of(raised.value) == faults
    assert all(words.error(fault, "zh").what for fault in raised.value.faults)


def test_all_faults_are_counted_and_the_first_are_told(tmp_path: Path) -> None:
    path = tmp_path / "faulty.csv"
    path.write_text(CSV + "east,1,1,,\n" * 300, encoding="utf-8")
    with pytest.raises(BadInput) as raised:
        read_trace(path)
    assert raised.value.facts["count"] == "300"
    assert len(raised.value.faults) == 20


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"# tick_seconds: 300\n", b"# tick_seconds: 300\nzone,tick,available\n"]
)
def test_a_file_without_a_row_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "empty.csv"
    path.write_bytes(content)
    with pytest.raises(BadInput) as raised:
        read_trace(path)
    assert "trace-file-empty None" in told_of(raised.value)


def test_what_is_no_text_no_file_or_too_large_is_told(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with (tmp_path / "large.csv").open("wb") as large:
        large.truncate(LARGEST_BYTES + 1)
    for name, code in (("picture.png", "file-not-text"), ("large.csv", "file-large"), (".", "file-unreadable")):
        with pytest.raises(BadInput, match=f"trace-{code}"):
            trace(str(tmp_path / name))
    with pytest.raises(NotFound, match="trace-unknown") as raised:
        trace("v100-2023-02")
    assert raised.value.facts["nearest"].startswith("v100-2023-02-dev")


def packed(**arrays: Any) -> bytes:
    """An .npz of good arrays but those given; None leaves one out, bytes stand for themselves."""
    import numpy as np

    meta = {"zones": ["a", "b"], "gap_seconds": 600, "need": 1}
    good: dict[str, Any] = {
        "count": np.ones((2, 3), np.uint8), "spot_price": np.ones(2, np.float32), "od_price": np.ones(2, np.float32),
        "meta": np.array(json.dumps(meta)),
    }  # fmt: skip
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as into:
        for name, array in (good | arrays).items():
            if isinstance(array, bytes):
                into.writestr(f"{name}.npy", array)
            elif array is not None:
                one = io.BytesIO()
                np.save(one, array)
                into.writestr(f"{name}.npy", one.getvalue())
    return file.getvalue()


def meta(**changes: Any) -> Any:
    import numpy as np

    told = {"zones": ["a", "b"], "gap_seconds": 600, "need": 1} | changes
    return np.array(json.dumps({key: value for key, value in told.items() if value is not None}))


def harms() -> dict[str, tuple[bytes, str]]:
    import numpy as np

    whole = packed()
    return {
        "good": (whole, ""),
        "cut off": (whole[: len(whole) // 2], "trace-npz-damaged"),
        "a bit flipped": (whole.replace(b"\x01\x01\x01", b"\x01\x02\x01", 1), "trace-npz-damaged"),
        "no array": (packed(count=b"hello, world, here is no array"), "trace-npz-damaged"),
        "an array cut off": (packed(count=b"\x93NUMPY\x01\x00\x10\x00{'descr': '|u1'}"), "trace-npz-damaged"),
        "a pickle": (packed(count=np.array([{}], dtype=object)), "trace-npz-damaged"),
        "too few values": (packed(od_price=_short()), "trace-npz-damaged"),
        "without count": (packed(count=None), "trace-array-missing"),
        "without meta": (packed(meta=None), "trace-array-missing"),
        "flat": (packed(count=np.ones(6, np.uint8)), "trace-array-wrong"),
        "no ticks": (packed(count=np.ones((2, 0), np.uint8)), "trace-array-wrong"),
        "a zone too many": (packed(count=np.ones((3, 3), np.uint8)), "trace-array-wrong"),
        "prices of other ticks": (packed(spot_price=np.ones((2, 4), np.float32)), "trace-array-wrong"),
        "a price unknown": (packed(od_price=np.array([1, np.nan], np.float32)), "trace-array-wrong"),
        "prices as text": (packed(od_price=np.array(["1", "2"])), "trace-array-wrong"),
        "meta a number": (packed(meta=np.array(3)), "trace-meta-wrong"),
        "meta no mapping": (packed(meta=np.array("[]")), "trace-meta-wrong"),
        "no zones": (packed(meta=meta(zones=[])), "trace-meta-wrong"),
        "no interval": (packed(meta=meta(gap_seconds=None)), "trace-meta-wrong"),
        "no need": (packed(meta=meta(need=0)), "trace-meta-wrong"),
    }


def _short() -> bytes:
    import numpy as np

    one = io.BytesIO()
    np.save(one, np.ones(2, np.float32))
    return one.getvalue()[:-4]


def test_damaged_arrays_are_told(tmp_path: Path) -> None:
    for name, (content, code) in harms().items():
        path = tmp_path / "harmed.npz"
        path.write_bytes(content)
        if not code:
            assert read_trace(path).zones == ("a", "b")
            continue
        with pytest.raises(BadInput) as raised:
            read_trace(path)
        assert raised.value.code == code, name
        assert words.error(raised.value, "en").next


@settings(deadline=None)
@given(place=st.integers(0, 900), letter=st.integers(0, 255))
def test_any_harm_to_a_file_is_told_or_does_no_harm(
    tmp_path_factory: pytest.TempPathFactory, place: int, letter: int
) -> None:
    content = bytearray(packed())
    content[place % len(content)] = letter
    path = tmp_path_factory.mktemp("harm") / "harmed.npz"
    path.write_bytes(bytes(content))
    try:
        assert read_trace(path).ticks >= 1
    except BadInput as error:
        assert error.code.startswith("trace-")
