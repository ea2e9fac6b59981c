"""The snapshot is found, or built; damage and change are noticed; several builders do not disturb each other."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tradewind.catalog.build import KEPT, build
from tradewind.catalog.parts import DATA, is_whole
from tradewind.catalog.snapshot import open_snapshot
from tradewind.catalog.tables import offered_first
from tradewind.domain.errors import NotConfigured

OPEN = "import sys; from pathlib import Path; from tradewind.catalog.snapshot import open_snapshot; "


def snapshots(home: Path) -> list[Path]:
    return sorted((home / "catalog").iterdir())


def copied_data(to: Path) -> Path:
    return Path(shutil.copytree(DATA, to / "data"))


def test_the_first_use_builds_and_the_second_finds(tmp_path: Path) -> None:
    first, second = open_snapshot(tmp_path), open_snapshot(tmp_path)
    assert (first.origin, second.origin) == ("built", "found")
    assert first.path == second.path
    assert snapshots(tmp_path) == [first.path]
    assert (second.date, len(second.fingerprint)) == (first.date, 64)


@pytest.mark.parametrize("harm", ["flip", "cut", "empty", "text"])
def test_a_damaged_snapshot_is_rebuilt(home: Path, harm: str) -> None:
    path = open_snapshot(home).path
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes({
        "flip": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        "cut": whole[:middle],
        "empty": b"",
        "text": b"not a database",
    }[harm])  # fmt: skip
    again = open_snapshot(home)
    assert again.origin == "rebuilt"
    assert again.path.read_bytes() == whole
    assert snapshots(home) == [again.path]


def test_packed_tables_are_the_same_tables(tmp_path: Path, home: Path) -> None:
    """As a wheel ships the largest one."""
    data = copied_data(tmp_path)
    for plain in (data / "prices.csv", data / "regions.csv"):
        (data / f"{plain.name}.gz").write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    packed, shipped = open_snapshot(tmp_path, data), open_snapshot(home)
    assert packed.fingerprint == shipped.fingerprint
    assert packed.path.read_bytes() == shipped.path.read_bytes()


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    paths = [build(DATA, tmp_path / name, "same") for name in ("a", "b")]
    assert paths[0].name == paths[1].name
    assert is_whole(paths[0])


def test_changed_files_give_a_new_snapshot_and_old_ones_go(tmp_path: Path) -> None:
    data, home = copied_data(tmp_path), tmp_path / "home"
    first = open_snapshot(home, data)
    for number in range(KEPT + 2):
        with (data / "prices.csv").open("a", encoding="utf-8") as file:
            file.write(f"aws,us-east-1,new-az{number},g4dn.xlarge,spot,,USD,0.0{number}1,2026-11-20,skypilot-aws-v9,\n")
        newest = open_snapshot(home, data)
        assert newest.origin == "built"
    zones = {row[0] for row in newest.rows("SELECT zone FROM price WHERE zone LIKE 'new-%'")}
    assert zones == {f"new-az{number}" for number in range(KEPT + 2)}
    assert newest.date == "2026-11-20"
    assert newest.fingerprint != first.fingerprint
    assert len(snapshots(home)) == KEPT + 1
    assert not first.path.exists()


def test_a_change_of_time_alone_is_noticed(tmp_path: Path) -> None:
    data, home = copied_data(tmp_path), tmp_path / "home"
    first = open_snapshot(home, data)
    os.utime(data / "prices.csv", ns=(1, 1))
    second = open_snapshot(home, data)
    assert second.origin == "built"
    assert second.fingerprint == first.fingerprint


def test_contradicting_files_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    data, home = copied_data(tmp_path), tmp_path / "home"
    with (data / "prices.csv").open("a", encoding="utf-8") as file:
        file.write("aws,us-east-1,,no-such-type,on_demand,,USD,1,2026-11-20,skypilot-aws-v9,\n")
    with pytest.raises(ValueError, match="no-such-type"):
        open_snapshot(home, data)
    assert snapshots(home) == []


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "catalog").write_text("in the way", encoding="utf-8")
    with pytest.raises(NotConfigured) as caught:
        open_snapshot(tmp_path)
    assert caught.value.code == "catalog-home-unwritable"
    assert caught.value.facts["path"] == str(tmp_path / "catalog")


def test_several_first_builds_at_once_all_succeed(tmp_path: Path) -> None:
    code = OPEN + "print(len(open_snapshot(Path(sys.argv[1])).rows('SELECT * FROM price')))"
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    answers = [process.communicate(timeout=60)[0].strip() for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len(set(answers)) == 1
    assert int(answers[0]) >= 9659
    assert [is_whole(path) for path in snapshots(tmp_path)] == [True]


def test_reading_loads_nothing_heavy(home: Path) -> None:
    open_snapshot(home)
    code = OPEN + (
        "from datetime import date; from tradewind.catalog.search import Query, search; "
        "assert search(open_snapshot(Path(sys.argv[1])), Query(gpu='T4'), date(2026, 11, 21)); "
        "print(*(name for name in ('hashlib', 'json', 'tempfile', 'difflib', 'pydantic', 'sqlalchemy', "
        "'tradewind.catalog.build', 'tradewind.domain.gpus') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(home)], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == ""


def test_of_the_ways_to_pay_the_one_without_money_up_front_is_offered() -> None:
    ways = [("all upfront", "1.0"), ("no upfront convertible", "1.9"), ("partial upfront", "0.9"), ("", "3")]
    assert min(ways, key=lambda way: offered_first(*way))[0] == "no upfront convertible"
    assert min(ways[::2], key=lambda way: offered_first(*way)) == ("partial upfront", "0.9")
