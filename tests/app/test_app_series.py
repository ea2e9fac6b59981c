"""What a job told while it trained, read from its journals: thinned honestly, by our clock, whatever is written."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tradewind.app.views.series import MEASURES, POINTS, told_of
from tradewind.domain.records import Attempt, Event, Job
from tradewind.domain.states import JobState
from tradewind.wire.journal import line

START = datetime(2026, 11, 21, 8, tzinfo=UTC)
T0 = START.timestamp()
Told = dict[str, Any]


def job(**measures: Any) -> Job:
    return Job(id="job-1", name="j", state=JobState.RUNNING, wanted=True, rehearsal=False, account="local", plan=None,
               workload={}, settings={}, submitted_at=START, state_since=START, wake_at=START,
               measures=measures)  # fmt: skip


def attempts(count: int) -> list[Attempt]:
    return [Attempt("job-1", number, number, ("lease-1",), START) for number in range(1, count + 1)]


def started(attempt: int, seconds: float) -> Event:
    at = START + timedelta(seconds=seconds)
    return Event(1, at, "x", "agent-started", "job-1", "job-1", None, None, None, {"attempt": attempt})


def step(number: int, seconds: float, **more: Any) -> bytes:
    return line("job", T0 + seconds, event={"v": 1, "type": "step", "t": T0 + seconds, "step": number, **more})


def evaluated(number: int, seconds: float, **more: Any) -> bytes:
    return line("job", T0 + seconds, event={"v": 1, "type": "eval", "t": T0 + seconds, "step": number, **more})


def told(folder: Path, *journals: bytes, events: list[Event] | None = None, **measures: Any) -> Told:
    (folder / "journals").mkdir(exist_ok=True)
    for number, data in enumerate(journals, 1):
        (folder / "journals" / f"attempt-{number}.jsonl").write_bytes(data)
    return told_of(job(**measures), attempts(max(len(journals), 1)), events or [], folder)


def named(answer: Told) -> dict[str, Told]:
    return {each["name"]: each for each in answer["measures"]}


def test_a_few_samples_are_told_one_by_one(tmp_path: Path) -> None:
    answer = told(tmp_path, step(1, 10, loss=2.0, samples_s=90) + step(2, 11, loss=1.0), step(2, 30, loss=1.5))
    loss = named(answer)["loss"]
    assert (loss["samples"], loss["evaluated"], answer["journals"]) == (3, False, 2)
    assert [each["attempt"] for each in loss["attempts"]] == [1, 2]
    assert loss["attempts"][0]["points"] == [[1, 1, 10.0, 10.0, 2.0, 2.0, 2.0], [2, 2, 11.0, 11.0, 1.0, 1.0, 1.0]]
    assert named(answer)["samples_per_second"]["samples"] == 1


def test_of_many_samples_the_spikes_stay(tmp_path: Path) -> None:
    spike = 6_123
    lines = (step(number, number, loss=99.0 if number == spike else 1.0) for number in range(1, 20_001))
    loss = named(told(tmp_path, b"".join(lines)))["loss"]
    points = loss["attempts"][0]["points"]
    assert loss["samples"] == 20_000 and len(points) <= 2 * POINTS
    assert max(point[6] for point in points) == 99.0
    (hit,) = [point for point in points if point[6] == 99.0]
    assert hit[0] <= spike <= hit[1] and hit[4] == 1.0 and 1.0 < hit[5] < 5.0
    assert points[0][0] == 1 and points[-1][1] == 20_000


def test_a_node_with_another_clock_is_told_by_ours(tmp_path: Path) -> None:
    ahead = 500.0
    journal = line("agent_started", T0 + ahead + 3, pid=1, adopted=False) + step(1, ahead + 10, loss=1.0)
    (point,) = named(told(tmp_path, journal, events=[started(1, 3)]))["loss"]["attempts"][0]["points"]
    assert point[2:4] == [10.0, 10.0]


def test_what_is_no_number_is_counted_and_never_drawn(tmp_path: Path) -> None:
    answer = told(tmp_path, step(1, 1, loss=1.0) + step(2, 2, loss=None) + step(3, 3, loss=math.nan) + step(4, 4))
    loss = named(answer)["loss"]
    assert (loss["samples"], loss["blanks"], loss["blank_step"]) == (1, 2, 2)


def test_evaluations_keep_their_own_names_up_to_a_bound(tmp_path: Path) -> None:
    many = {f"metric_{number:03d}": float(number) for number in range(50)}
    answer = told(tmp_path, step(1, 1, loss=1.0) + evaluated(1, 2, note="text", epoch=1, **many))
    assert len(answer["measures"]) == 1 + MEASURES
    assert all(each["evaluated"] for each in answer["measures"][1:])
    assert not {"note", "epoch"} & set(named(answer))


def test_what_was_used_is_the_most_that_was_seen(tmp_path: Path) -> None:
    samples = [(None, 5), (180.0, 7), (90.0, 6)]
    journal = b"".join(line("sample", T0, cpu_percent=cpu, rss_bytes=rss, gpus=[]) for cpu, rss in samples)
    used = told(tmp_path, journal, gpu="NVIDIA A10", gpu_mem_mb=900.5)["used"]
    assert used == {"rss_bytes": 7.0, "cpu_percent": 180.0, "gpu": "NVIDIA A10", "gpu_memory_mb": 900.5}


def test_without_a_journal_nothing_is_told(tmp_path: Path) -> None:
    answer = told_of(job(), attempts(2), [], tmp_path)
    assert (answer["measures"], answer["journals"]) == ([], 0)
    assert set(answer["used"].values()) == {None}


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.just(10**400),
    st.floats(),
    st.text(max_size=3),
    st.just([1]),
    st.just({}),
)


EVENTS = st.fixed_dictionaries({"type": st.sampled_from(["step", "eval", "other"])},
                               optional={"step": VALUES, "t": VALUES, "loss": VALUES, "x": VALUES})  # fmt: skip


@given(st.lists(EVENTS, max_size=12))
def test_whatever_a_script_writes_the_answer_is_whole_and_finite(tmp_path_factory: Any, events: list[Told]) -> None:
    folder = tmp_path_factory.mktemp("series")
    answer = told(folder, b"".join(line("job", T0, event=event) for event in events) + b"not JSON\n{torn")
    for measure in answer["measures"]:
        points = [point for each in measure["attempts"] for point in each["points"]]
        assert len(points) <= 2 * POINTS
        assert all(math.isfinite(value) for point in points for value in point)
        assert all(point[0] <= point[1] and point[4] <= point[6] for point in points)
