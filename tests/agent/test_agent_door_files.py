"""What the door does with files: nothing leads out of an instance's folder, nothing torn counts, old blobs go."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tradewind.agent.door import blobs, parts, reading, work
from tradewind.agent.door.faults import Refused
from tradewind.wire.door import CHUNK

ID = "machine-1"
LARGE = CHUNK + 5


@pytest.fixture
def root(tmp_path: Path) -> str:
    folder = tmp_path / "root" / "instances" / ID
    (folder / "node").mkdir(parents=True)
    (folder / "instance.json").write_text(json.dumps({"host": os.uname().nodename}))
    return str(tmp_path / "root")


def named(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def send(root: str, *contents: bytes) -> None:
    blobs.take_small(root, {"items": [[named(each), len(each)] for each in contents]}, b"".join(contents))


def missing(root: str, *contents: bytes) -> list[list[Any]]:
    told, _ = blobs.have(root, {"blobs": [[named(each), len(each)] for each in contents]}, b"")
    found: list[list[Any]] = told["missing"]
    return found


# -- blobs


def test_what_was_sent_is_not_missing_and_a_blob_that_is_another_is_refused(root: str) -> None:
    send(root, b"one", b"two")
    assert missing(root, b"one", b"two", b"three") == [[named(b"three"), 0]]
    with pytest.raises(Refused, match="not what its name says"):
        blobs.take_small(root, {"items": [[named(b"four"), 4], [named(b"five"), 4]]}, b"fourFIVE")
    assert missing(root, b"four") == [[named(b"four"), 0]], "all of a frame or nothing"
    with pytest.raises(Refused, match="not a sha256"):
        blobs.have(root, {"blobs": [["../" * 21 + "x", LARGE]]}, b"")


def test_an_index_that_was_cut_short_holds_up_nothing(root: str) -> None:
    send(root, b"one")
    index = Path(root, blobs.FOLDER, "000001.index")
    index.write_bytes(index.read_bytes() + b"half a line")
    send(root, b"two")
    assert missing(root, b"one", b"two") == []
    pack = index.with_suffix(".pack")
    os.truncate(pack, pack.stat().st_size - 1)
    assert missing(root, b"one", b"two") == [[named(b"two"), 0]], "what its pack does not hold is not there"


def test_a_full_pack_is_followed_by_another(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blobs, "_PACK_BYTES", 5)
    for content in (b"first", b"second", b"third"):
        send(root, content)
    assert len(list(Path(root, blobs.FOLDER).glob("*.pack"))) == 3
    assert missing(root, b"first", b"second", b"third") == []


def test_a_large_blob_counts_when_all_of_it_is_right(root: str) -> None:
    data = os.urandom(LARGE)
    asked = {"sha256": named(data), "bytes": LARGE}
    assert blobs.take_part(root, {**asked, "offset": 0}, data[:1000])[0] == {"present": 1000}
    assert missing(root, data) == [[named(data), 1000]]
    assert blobs.take_part(root, {**asked, "offset": 500}, data[500:])[0] == {"present": LARGE}
    assert missing(root, data) == []
    assert blobs.take_part(root, {**asked, "offset": 500}, data[500:])[0] == {"present": LARGE}, "asked again"
    other = {"sha256": named(b"other"), "bytes": LARGE}
    with pytest.raises(Refused, match="not what its name says"):
        blobs.take_part(root, {**other, "offset": 0}, data)
    assert not list(Path(root, blobs.FOLDER).glob(".*")), "nothing of it stays"


def test_what_was_not_asked_for_in_a_month_is_taken_away(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blobs, "_PACK_BYTES", 1)
    old, used, large = b"old", b"used", os.urandom(LARGE)
    send(root, old)
    send(root, used)
    blobs.take_part(root, {"sha256": named(large), "bytes": LARGE, "offset": 0}, large)
    long_ago = time.time() - 31 * 86400
    for path in Path(root, blobs.FOLDER).iterdir():
        os.utime(path, (long_ago, long_ago))
    assert missing(root, used) == []
    blobs.prune(root)
    assert missing(root, old, used, large) == [[named(old), 0], [named(large), 0]]


# -- the workdir


@pytest.mark.parametrize(
    "entries",
    [
        [{"name": "../out", "kind": "folder", "mode": 0o755}],
        [{"name": "/out", "kind": "folder", "mode": 0o755}],
        [{"name": "..", "kind": "folder", "mode": 0o755}],
        [{"name": "a/b", "kind": "file", "mode": 0o644, "bytes": 0, "sha256": named(b"")}],
        [{"name": "out", "kind": "link", "link": "../../out"}],
        [{"name": "out", "kind": "link", "link": "/etc"}],
        [{"name": "up", "kind": "link", "link": "."}, {"name": "up/x", "kind": "link", "link": ".."}],
        [{"name": "twice", "kind": "folder", "mode": 0o755}, {"name": "twice", "kind": "link", "link": "x"}],
        [{"name": "n" * 300, "kind": "folder", "mode": 0o755}],
    ],
)
def test_a_workdir_does_not_lead_out_of_its_folder(root: str, entries: list[dict[str, Any]]) -> None:
    place = Path(root, "instances", ID, "node", "work")
    with pytest.raises(Refused) as raised:
        work.lay_out(entries, str(place), work.Blobs(root))
    assert raised.value.kind == "invalid"
    assert sorted(path.name for path in place.parent.iterdir()) == ["work"]


def test_a_blob_that_is_gone_is_named(root: str) -> None:
    entry = {"name": "a", "kind": "file", "mode": 0o644, "bytes": 3, "sha256": named(b"one")}
    with pytest.raises(Refused) as raised:
        work.lay_out([entry], str(Path(root, "work")), work.Blobs(root))
    assert (raised.value.kind, raised.value.data) == ("gone", {"blob": named(b"one")})


# -- reading and putting


@pytest.mark.parametrize("path", ["../instance.json", "/etc/passwd", "node/../../x", "", ".", "node//x", "out", "a\0b"])
def test_no_path_leads_out_of_an_instance(root: str, path: str) -> None:
    Path(root, "instances", ID, "out").symlink_to("/etc/hostname")
    calls: tuple[Callable[[], object], ...] = (
        lambda: reading.read(root, {"id": ID, "ranges": [[path, 0, 10]]}, b""),
        lambda: reading.stat(root, {"id": ID, "path": path}, b""),
        lambda: reading.pin(root, {"id": ID, "path": path}, b""),
        lambda: parts.put(root, {"id": ID, "path": path, "offset": 0}, b"x"),
        lambda: parts.put(root, {"id": ID, "path": f"store/{path}/../x", "offset": 0}, b"x"),
    )
    for call in calls:
        with pytest.raises(Refused) as raised:
            call()
        assert raised.value.kind == "invalid"


def test_parts_become_a_file_when_they_are_what_was_meant(root: str) -> None:
    asked = {"id": ID, "path": "store/epoch-0001/deep/a"}
    parts.put(root, {**asked, "offset": 0}, b"abc")
    assert reading.stat(root, {**asked}, b"")[0] == {"bytes": None, "part": 3}
    parts.put(root, {**asked, "offset": 3}, b"def")
    with pytest.raises(Refused, match="checksum"):
        parts.put_done(root, {**asked, "crc32": "00000000"}, b"")
    assert reading.stat(root, {**asked}, b"")[0] == {"bytes": None, "part": 0}
    with pytest.raises(Refused, match="nothing"):
        parts.put_done(root, {**asked, "crc32": "4b8e39ef"}, b"")
    parts.put(root, {**asked, "offset": 0}, b"abcdef")
    for _ in range(2):
        parts.put_done(root, {**asked, "crc32": "4b8e39ef"}, b"")
    with pytest.raises(Refused, match="nothing"):
        parts.put_done(root, {**asked, "crc32": "00000000"}, b"")
    assert reading.read(root, {"id": ID, "ranges": [[asked["path"], 2, 3], ["store/none", 0, 9]]}, b"") == (
        {"files": [{"read": 3, "runs": False}, {"read": 0, "runs": False}]},
        b"cde",
    )


def test_a_part_before_which_something_is_missing_is_refused(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_WAIT_SECONDS", 0.0)
    with pytest.raises(Refused, match="did not come"):
        parts.put(root, {"id": ID, "path": "store/a", "offset": 7}, b"x")
