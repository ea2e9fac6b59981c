"""A row explained: every state has a sentence with all of its facts in both languages; no value of an environment."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from doubles import START

from tradewind import words
from tradewind.app.explained import explain, of_job, of_lease, row_json
from tradewind.app.views.leases import why_open
from tradewind.domain.errors import NotFound
from tradewind.domain.records import Job, Lease
from tradewind.domain.states import LEASE_CLOSED, EndReason, JobState, LeaseState
from tradewind.store import records
from tradewind.store.database import Database

JOB = Job(
    id="job-m7zaaaaa-0001", name="digits", state=JobState.RUNNING, wanted=True, rehearsal=False, account="local",
    workload={"run": "x", "env": {"NCCL_DEBUG": "WARN"}, "secrets": ["HF_TOKEN"]}, plan=None,
    settings={"env": {"PATH": "/hidden/bin", "TOKEN": "hidden"}, "offer": {"price_per_hour": None}},
    submitted_at=START, state_since=START, wake_at=START,
)  # fmt: skip
OFFER = {"cloud": "aws", "region": "eu-south-2", "zone": None, "instance_type": "g6.xlarge", "purchase": "spot",
         "price_per_hour": {"amount": "0.42", "currency": "USD"}}  # fmt: skip
LEASE = Lease(
    id="lease-m7zbbbbb-0001", token="t", kind="instance", state=LeaseState.RUNNING, job=JOB.id, epoch=1, account="aws",
    offer=OFFER, order='{"token": "t"}', wanted=True, created_at=START, state_since=START,
    hard_end=START + timedelta(hours=12), hard_end_by="server_side", wake_at=START + timedelta(seconds=38),
    cloud_id="i-1", last_error="unavailable: timed out", looks=2, end_reason=EndReason.DONE, contact_at=START,
)  # fmt: skip
VARIANTS = {
    "auth": replace(LEASE, faults=1, fault_kind="auth"),
    "overdue": replace(LEASE, state=LeaseState.RELEASING, looks=4),
    "late": replace(LEASE, state=LeaseState.RELEASING, looks=0, state_since=START - timedelta(hours=1)),
    "delayed": replace(LEASE, state=LeaseState.REQUESTED, sent="no"),
    "unsent": replace(LEASE, state=LeaseState.RELEASED, cloud_id=None),
}


def told(code: str, facts: dict[str, str], lang: str) -> str:
    """The sentence; the instant of the next look is worded where it is drawn."""
    return words.say(f"explain-{code}", lang, **facts)


def whole(sentence: str) -> bool:
    return not sentence.startswith("explain-") and "?" not in sentence and "{" not in sentence


@pytest.mark.parametrize("lang", words.LANGUAGES)
@pytest.mark.parametrize("state", LeaseState)
def test_every_state_of_a_lease_is_explained(state: LeaseState, lang: str) -> None:
    code, facts = of_lease(replace(LEASE, state=state), JOB, START)
    assert whole(told(code, facts, lang)), told(code, facts, lang)
    bare = replace(LEASE, state=state, job="", last_error=None, end_reason=None, contact_at=None, cloud_id="i")
    code, facts = of_lease(bare, None, START)
    assert whole(told(code, facts, lang))


@pytest.mark.parametrize("lang", words.LANGUAGES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_wrong_with_a_lease_is_explained(variant: str, lang: str) -> None:
    code, facts = of_lease(VARIANTS[variant], JOB, START)
    assert code != f"lease-{VARIANTS[variant].state}"
    assert whole(told(code, facts, lang))


@pytest.mark.parametrize("lang", words.LANGUAGES)
@pytest.mark.parametrize("state", JobState)
def test_every_state_of_a_job_is_explained(state: JobState, lang: str) -> None:
    for leases in ([LEASE], []):
        code, facts = of_job(replace(JOB, state=state, outcome="succeeded", wake_at=START), leases)
        if state is not JobState.PREPARING or leases:  # which always has one
            assert whole(told(code, facts, lang))


def test_an_unknown_lease_tells_how_often_it_was_looked_for() -> None:
    code, facts = of_lease(replace(LEASE, state=LeaseState.UNKNOWN), JOB, START)
    assert "2 of 3 looks" in told(code, facts, "en")


@pytest.mark.parametrize("lang", words.LANGUAGES)
@pytest.mark.parametrize("state", [state for state in LeaseState if state not in LEASE_CLOSED])
def test_an_open_lease_says_why_it_is_open(state: LeaseState, lang: str) -> None:
    for job in (JOB, None, replace(JOB, state=JobState.FAILED)):
        for lease in (replace(LEASE, state=state), replace(LEASE, state=state, job=""), VARIANTS["auth"]):
            coded = why_open(lease, job, START)
            assert coded is not None
            sentence = words.reason(coded, lang, "open-")
            assert whole(sentence) and sentence != coded
    assert why_open(replace(LEASE, state=LeaseState.REFUSED), JOB, START) is None


@pytest.mark.parametrize("lang", words.LANGUAGES)
@pytest.mark.parametrize("why", ["no-row", "surplus", "tombstoned", "expired"])
def test_a_stray_says_why_it_is_one(why: str, lang: str) -> None:
    assert words.known(f"open-stray-{why}", lang)


def test_values_of_environments_are_not_told() -> None:
    row = row_json(JOB)
    assert "hidden" not in json.dumps(row) and "WARN" not in json.dumps(row)
    assert row["settings"]["env"] == ["PATH", "TOKEN"]
    assert row["workload"]["env"] == ["NCCL_DEBUG"]
    assert row_json(LEASE)["order"] == {"token": "t"}
    assert row_json(replace(LEASE, order=""))["order"] is None  # adopted: nobody knows what was ordered


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    made = Database(tmp_path / "tradewind.db")
    with made.write() as connection:
        records.insert(connection, JOB)
        records.insert(connection, replace(JOB, id="job-m7zaaaaa-0002", name="other"))
        records.insert(connection, LEASE)
        for number in range(30):
            records.append_event(connection, START, "leasing", "lease-delayed", LEASE.id, job=JOB.id, cause=str(number))
    yield made
    made.close()


def test_a_row_is_found_by_a_unique_beginning_or_a_name(db: Database) -> None:
    with db.read() as connection:
        for name in (LEASE.id, "lease-m7zb", "m7zb"):
            assert explain(connection, name, False, START)["row"]["id"] == LEASE.id
        assert explain(connection, "digits", False, START)["row"]["id"] == JOB.id
        with pytest.raises(NotFound, match="id-ambiguous"):
            explain(connection, "m7za", False, START)
        with pytest.raises(NotFound, match="id-unknown"):
            explain(connection, "nobody", False, START)


def test_the_last_events_are_told_and_all_where_asked(db: Database) -> None:
    with db.read() as connection:
        some, all_ = (explain(connection, LEASE.id, everything, START) for everything in (False, True))
    assert [event["why"] for event in some["events"]] == [str(number) for number in range(10, 30)]
    assert (len(all_["events"]), some["events_in_all"]) == (30, 30)
    assert some["next_wake"] == "2026-11-21T08:00:38.000Z"


def test_a_job_tells_of_its_open_leases(db: Database) -> None:
    with db.read() as connection:
        told = explain(connection, "digits", False, START)
    assert [each["lease"] for each in told["leases"]] == [LEASE.id]
    assert told["code"] == "job-RUNNING" and told["facts"]["lease"] == LEASE.id
