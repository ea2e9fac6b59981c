"""Faults of a job file: all at once, each with its place, its key, why, and the nearest key."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tradewind.app import jobfile
from tradewind.app.jobfile.faults import SHOWN
from tradewind.domain.errors import BadInput, TradewindError

BAD = """\
run: ""
deadline: 12h
modl: {preset: resnet50}
training: {batch-size: 256, precision: bf15, samples: -3, epochs: true}
resources: {accelerators: A100, cpus: many, nodes: 1.5}
run: b
data: [{source: x}]
placement: {clouds: [alibabba]}
schedule: {deadline: 2026-11-22 08:00, max_duration: 10}
budget: {limit: 300, purchase: spott}
rehearse: {preempt_at: [25, 60%]}
env: {1X: a}
outputs: {a: 1}
"""


def faults_in(text: str) -> tuple[TradewindError, ...]:
    with pytest.raises(BadInput) as caught:
        jobfile.parse(text, "job.yaml")
    assert caught.value.code == "job-invalid"
    assert caught.value.facts["count"] == str(len(caught.value.faults))
    return caught.value.faults


def told(fault: TradewindError) -> tuple[int | None, int | None, str, str]:
    assert fault.where is not None and fault.where.file == "job.yaml"
    return fault.where.line, fault.where.column, fault.code, fault.facts["key"]


def test_all_faults_at_once_in_the_order_of_the_file() -> None:
    assert [told(fault) for fault in faults_in(BAD)] == [
        (1, 6, "value-empty", "run"),
        (2, 1, "key-unknown", "deadline"),
        (3, 1, "key-unknown", "modl"),
        (4, 12, "key-unknown", "training.batch-size"),
        (4, 40, "choice-unknown", "training.precision"),
        (4, 55, "number-out-of-range", "training.samples"),
        (4, 67, "type-wrong", "training.epochs"),
        (5, 27, "gpu-ambiguous", "resources.accelerators"),
        (5, 39, "type-wrong", "resources.cpus"),
        (5, 52, "type-wrong", "resources.nodes"),
        (6, 1, "key-twice", "run"),
        (7, 8, "key-missing", "data[0].path"),
        (8, 22, "choice-unknown", "placement.clouds[0]"),
        (9, 22, "instant-without-zone", "schedule.deadline"),
        (9, 54, "duration-unreadable", "schedule.max_duration"),
        (10, 17, "money-unreadable", "budget.limit"),
        (10, 32, "choice-unknown", "budget.purchase"),
        (11, 24, "preempt-at-unreadable", "rehearse.preempt_at"),
        (12, 11, "env-name-unusable", "env.1X"),
        (13, 10, "type-wrong", "outputs"),
    ]


@pytest.mark.parametrize(
    ("line", "nearest"),
    [
        ("modl: {}", "model"),
        ("training: {batch-size: 1}", "training.batch_size"),
        ("training: {Epochs: 1}", "training.epochs"),
        ("deadline: 12h", "schedule.deadline"),
        ("limit: 3 CNY", "budget.limit"),
        ("data: [{source: a, path: b, mod: copy}]", "data[0].mode"),
        ("acclerators: A10", "resources.accelerators"),
        ("gpus: 8", "resources.accelerators"),
        ("region: x", "placement.regions"),
        ("Command: x", "run"),
        ("qqqq: 1", ""),
    ],
)
def test_the_nearest_key(line: str, nearest: str) -> None:
    (fault,) = faults_in(f"run: x\n{line}\n")
    assert fault.code == "key-unknown"
    assert fault.facts["nearest"] == nearest


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("model: {preset: a, parameters: 1}", "model-sources-many"),
        ("model: {flops_per_sample: 1e9}", "model-source-missing"),
        ("model: resnet50", "type-wrong"),
        ("image: pytorch", "image-unreadable"),
        ("name: a/b", "name-unusable"),
        ("checkpoint: {every: 200}", "every-unreadable"),
        ("checkpoint: {every: 0 steps}", "every-unreadable"),
        ("placement: {residency: China}", "residency-unreadable"),
        ("ports: [70000]", "number-out-of-range"),
        ("resources: {accelerators: 'T4:9..2'}", "gpu-count-unreadable"),
        ("resources: {accelerators: H1000}", "gpu-unknown"),
        ("training: {samples: 1.5}", "type-wrong"),
        ("schedule: {deadline: soon}", "duration-unreadable"),
        ("schedule: {deadline: 2026-13-01T00:00Z}", "instant-unreadable"),
        ("rehearse: {preempt_at: 100%}", "preempt-at-unreadable"),
        ("env: {A: {}}", "type-wrong"),
        ("{a: 1}: b", "key-not-text"),
        ("setup: '  '", "value-empty"),
        ("resources: {disk_gb: 10 GBs}", "number-with-unit"),
        ("training: {samples: '8,189'}", "number-with-unit"),
        ("training: {epochs: -3}", "number-out-of-range"),
        ("training: {epochs: 1e400}", "number-out-of-range"),
        (f"training: {{epochs: {'9' * 5000}}}", "number-out-of-range"),
        ("schedule: {max_duration: 99999d}", "duration-out-of-range"),
        ("schedule: {max_duration: 0h}", "duration-out-of-range"),
        ("budget: {limit: -3 CNY}", "money-unreadable"),
        ("budget: {limit: '1,5 EUR'}", "money-unreadable"),
        ("budget: {limit: 0 CNY}", "money-out-of-range"),
        (f"budget: {{limit: {'9' * 40} CNY}}", "money-out-of-range"),
        ("budget: {limit: 300 XYZ}", "currency-none"),
        ('env: {A: "a\\0b"}', "character-unusable"),
        ('setup: "\\ud800"', "character-unusable"),
        ("env: {<<: {A: b}}", "yaml-merge"),
        (f"resources: {{accelerators: {'a' * 300_000}}}", "value-too-long"),
    ],
)
def test_one_fault_one_code(line: str, code: str) -> None:
    assert [fault.code for fault in faults_in(f"run: x\n{line}\n")] == [code]


@pytest.mark.parametrize(
    ("line", "nearest"),
    [
        ("schedule: {deadline: 12 hours}", "12h"),
        ("schedule: {deadline: 1.5小时}", "1.5h"),
        ("schedule: {idle_stop: 300}", "300s, 300m, 300h"),
        ("schedule: {deadline: soon}", ""),
        ("schedule: {deadline: -12h}", ""),
        ("budget: {limit: 300 RMB}", "300 CNY"),
        ("budget: {limit: '1,300.5 元'}", "1,300.5 CNY"),
        ("budget: {limit: ¥300}", "300 CNY"),
        ("budget: {limit: 300 CYN}", "300 CNY"),
        ("budget: {limit: 300 XQZ}", ""),
        ("budget: {limit: 300}", ""),
    ],
)
def test_what_may_have_been_meant_by_a_time_or_a_sum(line: str, nearest: str) -> None:
    (fault,) = faults_in(f"run: x\n{line}\n")
    assert fault.facts["nearest"] == nearest


def test_a_deadline_that_has_gone_by_is_a_fault_of_the_file_beside_the_others() -> None:
    text = "run: x\nmodle: {}\nschedule: {deadline: 2026-11-22T08:00+08:00}\n"
    with pytest.raises(BadInput) as caught:
        jobfile.parse(text, "job.yaml", datetime(2026, 11, 22, tzinfo=UTC))
    assert [told(fault) for fault in caught.value.faults] == [
        (2, 1, "key-unknown", "modle"), (3, 12, "deadline-gone", "schedule.deadline"),
    ]  # fmt: skip
    later = text.replace("modle", "env").replace("08:00+", "08:01+")
    assert jobfile.parse(later, "job.yaml", datetime(2026, 11, 22, tzinfo=UTC)).schedule.deadline_at is not None


def test_what_several_keys_make_together_is_told_beside_what_each_is_wrong_in() -> None:
    codes = [fault.code for fault in faults_in("run: []\nmodel: {}\nenv: {A: 1}\nsecrets: [A]\nmodle: 1\n")]
    assert codes == ["type-wrong", "model-source-missing", "secret-in-env", "key-unknown"]


def test_a_character_that_no_program_takes_hides_no_other_fault() -> None:
    codes = [fault.code for fault in faults_in('run: x\nenv: {"\\ud800": b}\nresources: {accelerators: "\\ud800"}\n')]
    assert codes == ["character-unusable", "env-name-unusable", "character-unusable", "gpu-unknown"]


def test_a_fact_is_cut_where_the_file_goes_on_for_ever() -> None:
    (fault,) = faults_in(f"run: x\nschedule: {{deadline: {'h' * 900}}}\n")
    assert len(fault.facts["text"]) == SHOWN


def test_a_secret_may_not_also_stand_in_the_open() -> None:
    (fault,) = faults_in("run: x\nenv: {HF_TOKEN: abc}\nsecrets: [HF_TOKEN]\n")
    assert told(fault) == (2, 7, "secret-in-env", "env.HF_TOKEN")
    assert "abc" not in str(fault)


def test_a_mapping_has_faults_without_places() -> None:
    with pytest.raises(BadInput) as caught:
        jobfile.load({"training": {"epochs": 0}})
    assert sorted(fault.code for fault in caught.value.faults) == ["number-out-of-range", "run-missing"]
    assert all(fault.where is None for fault in caught.value.faults)
