"""Whatever is done to a job file, it is a workload or faults that say where they are and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from tradewind import words
from tradewind.app import jobfile
from tradewind.domain.errors import TradewindError
from tradewind.domain.workload import Workload

WHOLE = """\
name: resnet50-flowers
run: python train.py --data /data
workdir: .
setup: pip install -r requirements.txt
image: docker:pytorch:26.05
model: {preset: resnet50}
training: {batch_size: 256, precision: bf16, optimizer: sgd, samples: 8189, epochs: 90, image_size: 224}
resources:
  accelerators: "A100-80GB:1..8"
  nodes: 1
  cpus: 8+
  disk_gb: 200
data:
  - source: oss://bucket/flowers
    path: /data
    mode: copy
outputs: [./out]
placement: {clouds: [alibaba], regions: [], residency: CN}
schedule: {deadline: 12h, max_duration: 10h, idle_stop: 15m}
budget: {limit: 300 CNY, purchase: auto, on_limit: stop}
checkpoint: {path: ./checkpoints, store: "oss://bucket/ck", every: 200 steps}
rehearse: {run: "python train.py --tiny", steps: 50, preempt_at: [25%, 60%]}
compliance: [mlps3]
ports: [6006]
env: {NCCL_DEBUG: WARN}
secrets: [HF_TOKEN]
"""
JUNK = (
    "", "~", "true", "-1", "0", "1e400", "9" * 400, "12 hours", "300 RMB", "¥300", "10 GBs", "[]", "{}", "[a, {b: c}]",
    "*x", "&a b", "!!python/object:os.system x", "'", '"', '"\\0"', '"\\ud800"', "|", "- a", ": ", "<<", "NaN", ".inf",
    "2020-01-01", "2020-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "工作", "\t", "\x1b[31m", "\ufeff", "\u2028",
    "{a: *a}", "a: b: c", "%", "@",
)  # fmt: skip

Mutation = Callable[[str], str]
spots = st.integers(0, len(WHOLE) - 1)


def line_of(text: str, spot: int) -> int:
    return text.count("\n", 0, spot) % len(text.splitlines() or [""])


def with_line(change: Callable[[str], list[str]]) -> st.SearchStrategy[Mutation]:
    """A line put through ``change``."""

    def make(spot: int) -> Mutation:
        def mutate(text: str) -> str:
            lines = text.splitlines()
            at = line_of(text, spot)
            return "\n".join([*lines[:at], *change(lines[at] if lines else ""), *lines[at + 1 :]]) + "\n"

        return mutate

    return spots.map(make)


def value(junk: str) -> Callable[[str], list[str]]:
    return lambda line: [re.sub(r":.*", lambda _: f": {junk}", line, count=1)]


mutations = st.one_of(
    with_line(lambda line: []),
    with_line(lambda line: [line, line]),
    with_line(lambda line: ["  " + line]),
    with_line(lambda line: ["\t" + line.lstrip()]),
    with_line(lambda line: [line.replace("e", "", 1)]),
    with_line(lambda line: [re.sub(r"^(\s*)(- )?\w", r"\1\2Q", line)]),
    st.sampled_from(JUNK).flatmap(lambda junk: with_line(value(junk))),
    st.tuples(spots, st.text(max_size=3)).map(lambda told: lambda text: text[: told[0]] + told[1] + text[told[0] :]),
    st.tuples(spots, st.integers(1, 40)).map(lambda told: lambda text: text[: told[0]] + text[sum(told) :]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(mutations, min_size=1, max_size=4))
def test_a_changed_job_file_is_a_workload_or_told_faults(changes: list[Mutation]) -> None:
    text = WHOLE
    for change in changes:
        text = change(text)
    try:
        job = jobfile.parse(text, "job.yaml")
    except TradewindError as error:
        assert error.exit_code == 2
        for fault in (error, *error.faults):
            told_whole(fault, text)
    else:
        assert isinstance(job, Workload)
        assert jobfile.load(jobfile.dump(job)) == job


def told_whole(fault: TradewindError, text: str) -> None:
    """The fault says where it is, and in both languages what happened; the first also what to do."""
    assert fault.where is not None and fault.where.file == "job.yaml"
    lines = text.split("\n")
    if fault.where.line is not None:
        assert 1 <= fault.where.line <= len(lines)
        assert fault.where.column is not None and fault.where.column >= 1
    for lang in words.LANGUAGES:
        told = words.error(fault, lang)
        assert told.what and not told.what.startswith(fault.code)
        assert told.next or fault.code == "job-invalid" or "`" in told.what
