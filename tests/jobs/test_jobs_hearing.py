"""What a node told is kept here: its journal beside its log, byte for byte, however often it is heard."""

from __future__ import annotations

from pathlib import Path

import pytest
from job_world import World, make_world

from tradewind.domain.states import JOB_ENDED
from tradewind.jobs.hearing import keep


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def test_the_journal_of_every_attempt_is_kept_as_it_was_told(world: World) -> None:
    world.nodes.exits = [137]
    world.submit()
    told = {}
    while world.job().state not in JOB_ENDED:
        world.step()
        told[world.job().attempt] = world.nodes.journal
    folder = world.room.job_folder("job-1") / "journals"
    kept = {int(path.stem.removeprefix("attempt-")): path.read_bytes() for path in folder.iterdir()}
    assert sorted(kept) == [1, 2]
    assert kept[2] == told[2] and b'"step": 10' in kept[2]
    assert kept[1].count(b"\n") > 1 and b'"step": 5' in kept[1]


def test_bytes_kept_twice_lie_in_the_same_place(tmp_path: Path) -> None:
    path = tmp_path / "journals" / "attempt-1.jsonl"
    for _ in range(2):
        keep(path, b"one\n", 0)
        keep(path, b"two\n", 4)
    assert path.read_bytes() == b"one\ntwo\n"
    assert path.stat().st_mode & 0o777 == 0o600
    keep(path, b"", 8)
    assert path.read_bytes() == b"one\ntwo\n"
