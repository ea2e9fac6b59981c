"""Folding an agent's journal: progress, checkpoints, what an interruption cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doubles import START, OddNodes
from hypothesis import given
from hypothesis import strategies as st

from tradewind.domain.records import Attempt, Job, Lease
from tradewind.domain.states import JobState, LeaseState
from tradewind.jobs.journal import Reading, by_our_clock, fold
from tradewind.jobs.keeping import kept
from tradewind.jobs.measure import closed_attempt, measured_step_seconds, with_time_scale
from tradewind.jobs.room import instance_of
from tradewind.jobs.verdict import judge, may_go_on
from tradewind.wire.journal import line, read_lines

T0 = START.timestamp()
LEASE = Lease(id="lease-1", token="t", kind="instance", state=LeaseState.RUNNING, job="job-1", epoch=1, account="odd",
              offer={}, order="", wanted=True, created_at=START, state_since=START, hard_end=START,
              hard_end_by="server_side", wake_at=START, cloud_id="m-0")  # fmt: skip


def job(**settings: Any) -> Job:
    return Job(id="job-1", name="j", state=JobState.RUNNING, wanted=True, rehearsal=False, account="local", workload={},
               plan=None, settings=settings, submitted_at=START, state_since=START, wake_at=START)  # fmt: skip


def attempt(number: int = 1, **values: Any) -> Attempt:
    return Attempt("job-1", number, number, ("lease-1",), START, **values)


def step(number: int, at: float, **more: Any) -> dict[str, Any]:
    return {"type": "job", "at": T0 + at, "event": {"v": 1, "type": "step", "t": T0 + at, "step": number, **more}}


def test_progress_is_the_last_step_told() -> None:
    reading = fold(Reading(job(), attempt(), None), [step(1, 1, total_steps=10), step(2, 2, loss=0.5, samples_s=90)])
    assert reading.job.progress == {
        "step": 2, "total_steps": 10, "samples_per_second": 90.0, "loss": 0.5, "accuracy": None,
        "updated_at": "2026-11-21T08:00:02.000000Z",
    }  # fmt: skip
    assert reading.attempt.last_step == 2


def test_the_peak_of_gpu_memory_is_the_highest_that_was_told() -> None:
    told = [step(n, n, gpu="NVIDIA A10", gpu_mem_mb=memory) for n, memory in ((1, 900.0), (2, 1200.5), (3, 1100.0))]
    measures = fold(Reading(job(), attempt(), None), told).job.measures
    assert (measures["gpu"], measures["gpu_mem_mb"]) == ("NVIDIA A10", 1200.5)
    assert "gpu" not in fold(Reading(job(), attempt(), None), [step(1, 1)]).job.measures


def test_a_saved_notice_repeats_nothing_and_its_loss_is_counted_in_seconds() -> None:
    told = fold(Reading(job(), attempt(repeated_steps=0, lost_seconds=0.0), None), [
        step(5, 5), {"type": "notice", "at": T0 + 6, "deadline": T0 + 30, "source": "file"},
        {"type": "job", "at": T0 + 7, "event": {"type": "checkpoint_committed", "step": 6}},
        {"type": "checkpoint", "at": T0 + 7, "step": 6, "epoch": 1, "path": "/s", "bytes": 9, "seconds": 0.1},
        {"type": "run_ended", "at": T0 + 8, "exit": 75, "why": "notice"},
    ])  # fmt: skip
    assert told.attempt.last_checkpoint_step is None  # what a node says it published is not yet here
    first = kept(told, OddNodes(), instance_of(LEASE), Path("/store"))
    assert first.attempt.last_checkpoint_step == 6
    assert [(each.step, each.state, each.path) for each in first.checkpoints] == [
        (6, "complete", "/store/epoch-0001/step-00000006")
    ]
    second = fold(Reading(closed_attempt(first.job), attempt(2), first.attempt), [
        {"type": "restored", "at": T0 + 20, "step": 6, "epoch": 1, "path": "/s", "seconds": 0.1}, step(7, 27),
    ])  # fmt: skip
    assert second.attempt.resumed_step == 6
    assert second.attempt.repeated_steps == 0
    assert second.attempt.lost_seconds == 20.0


def test_steps_after_an_older_checkpoint_are_repeated_and_counted_until_the_first_new_one() -> None:
    first = fold(Reading(job(), attempt(), None), [step(50, 50)])
    second = fold(Reading(closed_attempt(first.job), attempt(2), first.attempt), [
        {"type": "restored", "at": T0 + 60, "step": 30, "epoch": 1, "path": "/s", "seconds": 0}, step(40, 70),
    ])  # fmt: skip
    assert second.attempt.repeated_steps == 20
    assert second.attempt.lost_seconds is None  # nothing new yet
    assert fold(second, [step(51, 85)]).attempt.lost_seconds == 35.0


def test_a_torn_checkpoint_is_kept_by_name() -> None:
    reading = fold(Reading(job(), attempt(2), attempt()), [
        {"type": "rejected", "at": T0, "step": 8, "epoch": 1, "path": "/s/8", "why": "data has another checksum"},
    ])  # fmt: skip
    assert [(each.path, each.state) for each in reading.checkpoints] == [("/s/8", "torn")]
    assert reading.notes[0].data["path"] == "/s/8"


def test_without_a_checkpoint_resumed_stays_unknown_not_zero() -> None:
    assert fold(Reading(job(), attempt(), None), [step(1, 1)]).attempt.resumed_step is None


def test_metrics_are_the_last_numbers_of_evaluations() -> None:
    told = {"type": "eval", "step": 9, "test_accuracy": 0.99, "note": "text", "flag": True}
    reading = fold(Reading(job(), attempt(), None), [{"type": "job", "at": T0, "event": told}])
    assert reading.job.metrics == {"test_accuracy": 0.99}


@given(st.lists(st.integers(0, 60), max_size=6))
def test_folding_in_pieces_is_folding_at_once(cuts: list[int]) -> None:
    journal = b"".join([line("agent_started", T0, pid=1, adopted=False, python="3"),
                        *(line("job", T0 + n, event={"type": "step", "step": n, "t": T0 + n}) for n in range(1, 40)),
                        line("run_ended", T0 + 50, exit=0, why="exit")])  # fmt: skip
    whole = fold(Reading(job(), attempt(), None), read_lines(journal)[0])
    pieces, offset = Reading(job(), attempt(), None), 0
    for end in sorted({min(len(journal), cut * len(journal) // 60) for cut in cuts} | {len(journal)}):
        records, taken = read_lines(journal[offset:end])
        pieces, offset = fold(pieces, records), offset + taken
    assert (pieces.job, pieces.attempt, pieces.notes) == (whole.job, whole.attempt, whole.notes)


def test_a_line_that_is_not_whole_waits_and_one_that_is_no_json_is_told() -> None:
    assert read_lines(b'{"type": "a"}\n{"type"') == ([{"type": "a"}], 14)
    assert read_lines(b"garbage\n")[0][0]["type"] == "unreadable"


@pytest.mark.parametrize(
    ("exit_code", "noticed", "steps", "verdict"),
    [
        (0, False, 5, "succeeded"), (0, True, 5, "succeeded"), (75, True, 5, "interrupted"),
        (1, True, 5, "interrupted"),
        (1, False, 5, "failed"), (137, False, 5, "interrupted"), (137, False, 0, "failed"), (139, False, 5, "failed"),
        (76, False, 0, "failed"),
    ],
)  # fmt: skip
def test_what_an_end_means(exit_code: int, noticed: bool, steps: int, verdict: str) -> None:
    made = attempt(last_step=steps or None, resumed_step=None, repeated_steps=0)
    assert judge({"exit": exit_code, "why": "exit"}, made, noticed=noticed, limited=False) == verdict


@pytest.mark.parametrize(
    ("why", "progress", "verdict"),
    [
        ("notice", None, "interrupted"), ("notice", {"step": 5, "total_steps": 9}, "interrupted"),
        ("notice", {"step": 9, "total_steps": 9}, "succeeded"), ("exit", None, "succeeded"),
    ],
)  # fmt: skip
def test_a_plain_script_that_ends_well_when_told_to_is_not_done(
    why: str, progress: dict[str, Any] | None, verdict: str
) -> None:
    plain = replace(job(), measures={"unverified": True}, progress=progress)
    ended = {"exit": 0, "why": why}
    assert judge(ended, attempt(), noticed=True, limited=False, goes_on=may_go_on(plain)) == verdict
    assert judge(ended, attempt(), noticed=True, limited=False, goes_on=may_go_on(job())) == "succeeded"


def test_what_an_unverified_checkpoint_does_not_tell_stays_unknown() -> None:
    restored = {"type": "restored", "at": T0 + 60, "step": 3, "epoch": 1, "path": "/s", "saved_at": T0 + 40}
    told = fold(Reading(job(), attempt(2), attempt(last_step=35)), [{**restored, "verified": False, "counted": True}])
    assert (told.attempt.resumed_step, told.attempt.repeated_steps) == (3, 32)
    (note,) = told.notes
    assert note.data["verified"] is False and note.data["saved_at"].endswith("Z")
    running = fold(Reading(job(), attempt(2), attempt()), [{**restored, "verified": False, "counted": False}])
    assert (running.attempt.resumed_step, running.attempt.repeated_steps) == (None, attempt(2).repeated_steps)
    assert running.notes[0].data["step"] is None and "saved_step" not in running.job.measures


def test_the_seconds_that_a_script_ran_add_up_over_its_attempts() -> None:
    started, ended = {"type": "run_started", "at": T0, "pid": 1, "pgid": 1}, {"type": "run_ended", "exit": 143}
    first = fold(Reading(job(), attempt(), None), [started, {**started, "at": T0 + 3}, {**ended, "at": T0 + 12}])
    assert first.job.measures["run_since"] == T0
    second = closed_attempt(first.job)
    assert second.measures["run_s"] == 12 and "run_since" not in second.measures


def test_the_hard_end_expires_a_job_unless_it_had_finished() -> None:
    made = attempt(last_step=5, repeated_steps=0)
    assert judge({"exit": 75, "why": "hard-end"}, made, noticed=False, limited=False) == "expired"
    assert judge({"exit": 0, "why": "hard-end"}, made, noticed=False, limited=False) == "succeeded"


def test_a_job_that_dies_where_it_died_before_is_not_tried_again() -> None:
    second = attempt(2, resumed_step=30, repeated_steps=20, last_step=50)
    assert judge({"exit": 137}, second, noticed=False, limited=False) == "failed"


def test_the_time_scale_waits_for_enough_and_is_measured_again_at_the_end() -> None:
    new = job(time_scale="auto", predicted_step_seconds=0.002)
    assert with_time_scale(new)[1] == ()
    few = fold(Reading(new, attempt(), None), [step(1, 0, train_s=0.0), step(4, 1, train_s=2.0)]).job
    assert measured_step_seconds(few) is None
    enough = fold(Reading(new, attempt(), None), [step(1, 0, train_s=0.0), step(21, 2, train_s=2.0)]).job
    scaled, notes = with_time_scale(enough)
    assert scaled.measures["time_scale"] == 0.02
    assert [note.kind for note in notes] == ["time-scale"]
    assert with_time_scale(scaled)[1] == ()
    later = fold(Reading(scaled, attempt(), None), [step(41, 6, train_s=8.0)]).job
    assert with_time_scale(later, last=True)[0].measures["time_scale"] == 0.01


def test_seconds_and_steps_add_up_over_attempts() -> None:
    """Of each attempt the steps between its first and its last are timed: 10 in 5 s, then 20 in 10 s."""
    first = fold(Reading(job(), attempt(), None), [step(1, 1, train_s=0.0), step(11, 6, train_s=5.0)])
    second = fold(Reading(closed_attempt(first.job), attempt(2), first.attempt), [
        {"type": "restored", "at": T0, "step": 11, "epoch": 1, "path": "/s"}, step(12, 9, train_s=0.0),
        step(32, 19, train_s=10.0),
    ])  # fmt: skip
    assert measured_step_seconds(second.job) == 0.5


@pytest.mark.parametrize(("first", "repeated"), [(1, 40), (31, 10), (41, 0)], ids=["from scratch", "behind", "on time"])
def test_without_a_checkpoint_of_ours_the_first_step_tells_what_is_repeated(first: int, repeated: int) -> None:
    before = attempt(last_step=40)
    again = fold(Reading(job(), attempt(2), before), [step(first, 1), step(first + 1, 2)]).attempt
    assert (again.resumed_step, again.repeated_steps) == (None, repeated)


def test_of_a_script_that_does_not_time_itself_the_first_step_is_where_the_time_begins() -> None:
    """Four steps of 2 s: three lie between the first telling and the last."""
    told = fold(Reading(job(), attempt(), None), [step(each, 2 * each) for each in range(1, 5)]).job
    assert (told.measures["attempt_train_s"], told.measures["attempt_steps"]) == (6.0, 3)


def test_a_node_whose_clock_is_wrong_tells_when_things_happened_by_ours() -> None:
    told = [
        step(5, 5), {"type": "notice", "at": T0 + 6, "deadline": T0 + 30, "source": "file"},
        {"type": "checkpoint", "at": T0 + 7, "step": 5, "epoch": 1, "path": "/s", "bytes": 9, "seconds": 0.1},
        {"type": "run_ended", "at": T0 + 8, "exit": 75, "why": "notice"},
    ]  # fmt: skip
    ahead = [
        {**each, "at": each["at"] + 600, **({"deadline": each["deadline"] + 600} if "deadline" in each else {}),
         **({"event": {**each["event"], "t": each["event"]["t"] + 600}} if "event" in each else {})}
        for each in told
    ]  # fmt: skip
    assert by_our_clock(ahead, 600.0) == told
    assert by_our_clock(told, 0.0) is told
    plain, shifted = (fold(Reading(job(), attempt(), None), each) for each in (told, by_our_clock(ahead, 600.0)))
    assert shifted.job == plain.job
    assert shifted.notes == plain.notes


def published(*steps: int) -> list[dict[str, Any]]:
    return [{"type": "checkpoint", "at": T0 + n, "step": n, "epoch": 1, "path": f"/{n}", "bytes": n, "seconds": 0.1}
            for n in steps]  # fmt: skip


def read_on(reading: Reading, nodes: OddNodes, *steps: int) -> Reading:
    again = fold(Reading(reading.job, reading.attempt, None), published(*steps))
    return kept(again, nodes, instance_of(LEASE), Path("/store"))


def counted(reading: Reading) -> tuple[list[int], list[int], int | None]:
    due = [each["step"] for each in reading.job.measures.get("to_keep", [])]
    return [each.step for each in reading.checkpoints], due, reading.job.measures.get("saved_step")


def test_a_checkpoint_counts_when_it_is_home_and_the_one_on_its_way_is_seen_through() -> None:
    nodes = OddNodes(slow=2)
    first = read_on(Reading(job(), attempt(), None), nodes, 1, 2, 3)
    assert counted(first) == ([], [1, 3], None)  # the newest is worth bringing, and the first has begun
    second = read_on(first, nodes, 4)
    assert counted(second) == ([], [1, 4], None)
    third = read_on(second, nodes)
    assert counted(third) == ([1], [4], 1)
    nodes.silent = True
    assert counted(read_on(third, nodes)) == ([], [4], 1)  # nobody knows
    nodes.silent, nodes.slow = False, 0
    last = read_on(third, nodes)
    assert counted(last) == ([4], [], 4)
    assert nodes.asked == ["/1", "/1", "/1", "/4", "/4"]
    assert [(note.kind, note.data["step"]) for note in last.notes] == [("checkpoint-stored", 4)]


@pytest.mark.parametrize(("is_counted", "state", "step"), [(True, "unverified", 4), (False, "uncounted", None)])
def test_the_folder_of_a_plain_script_is_kept_as_what_it_is(is_counted: bool, state: str, step: int | None) -> None:
    (record,) = published(4)
    told = {**record, "verified": False, "counted": is_counted, "saved_at": T0 + 2}
    reading = kept(fold(Reading(job(), attempt(), None), [told]), OddNodes(), instance_of(LEASE), Path("/store"))
    assert [(each.step, each.state, each.at.timestamp()) for each in reading.checkpoints] == [(4, state, T0 + 2)]
    assert (reading.attempt.last_checkpoint_step, reading.job.measures.get("saved_step")) == (step, step)
    assert reading.job.measures["unverified"] and reading.notes[0].data["step"] == step


def test_what_lies_at_home_already_counts_at_once_and_asks_for_nothing_twice() -> None:
    nodes = OddNodes()
    assert counted(read_on(Reading(job(), attempt(), None), nodes, 1, 2, 3)) == ([1, 2, 3], [], 3)
    assert nodes.asked == ["/1", "/2", "/3"]


def test_a_torn_checkpoint_counts_for_nothing_and_one_that_was_overtaken_is_not_missed() -> None:
    nodes = OddNodes(torn={"/1", "/3"})
    reading = read_on(Reading(job(), attempt(), None), nodes, 1, 2, 3)
    assert counted(reading) == ([2], [], 2)
    assert [note.data["step"] for note in reading.notes if note.kind == "checkpoint-rejected"] == [3]


def test_the_next_attempt_knows_nothing_of_what_never_came_home() -> None:
    pending = read_on(Reading(job(), attempt(), None), OddNodes(slow=9), 7)
    assert "to_keep" in pending.job.measures
    assert {"to_keep", "kept_open"} & closed_attempt(pending.job).measures.keys() == set()
