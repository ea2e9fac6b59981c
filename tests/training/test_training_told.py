"""What the agent tells a running loop: read when it is new, looked at rarely, believed only when it makes sense."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tradewind.training import Checkpointer
from tradewind.training.told import LOOK_SECONDS, Told
from tradewind.wire.cadence import to_json


def put(path: Path, text: str) -> None:
    """As the agent does: written aside, then renamed."""
    draft = path.with_suffix(".draft")
    draft.write_text(text)
    draft.replace(path)


def test_a_file_that_is_new_is_news_once(tmp_path: Path) -> None:
    path = tmp_path / "cadence.json"
    told = Told(str(path))
    assert told.news(0.0) is None
    put(path, to_json(100.0))
    assert [told.news(now) for now in (10.0, 20.0)] == [100.0, None]
    put(path, to_json(200.0))
    assert [told.news(now) for now in (30.0, 40.0)] == [200.0, None]


def test_it_is_looked_at_once_a_second_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[str] = []

    def absent(path: str) -> None:
        looks.append(path)
        raise FileNotFoundError(path)

    monkeypatch.setattr("tradewind.training.told.os", SimpleNamespace(stat=absent))
    told = Told(str(tmp_path / "cadence.json"))
    for step in range(1000):
        told.news(step * LOOK_SECONDS / 100)
    assert len(looks) == 10


def test_a_damaged_file_says_nothing_until_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "cadence.json"
    told = Told(str(path))
    for now, text in enumerate(("", "[]", '{"mean_seconds_between_losses": -1}', "\0")):
        put(path, text)
        assert told.news(10.0 * now) is None
    put(path, to_json(100.0))
    assert told.news(100.0) == 100.0


@pytest.mark.parametrize(("every", "obeyed"), [("auto", True), ("5s", False), ("200 steps", False)])
def test_only_a_distance_that_is_chosen_by_cost_follows_it(
    tmp_path: Path, every: str, obeyed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cadence.json"
    put(path, to_json(100.0))
    monkeypatch.setenv("TRADEWIND_CADENCE", str(path))
    with Checkpointer.from_env(folder=tmp_path / "checkpoints", every=every) as checkpointer:
        expected: list[float] = []
        monkeypatch.setattr(checkpointer._cadence, "expect", expected.append)
        checkpointer.due(1)
    assert expected == ([100.0] if obeyed else [])
