"""Laws: what is dumped loads back equal, and every text of a time or share reads back as it was."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from tradewind.app import jobfile
from tradewind.app.jobfile import spans
from tradewind.domain import workload as domain
from tradewind.domain.errors import TradewindError
from tradewind.domain.money import Money
from tradewind.domain.precision import Precision

texts = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=20)
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
counts = st.integers(1, 10**9)
amounts = st.floats(1e-3, 1e15)
seconds = st.one_of(st.integers(1, 10**7).map(float), st.floats(0.001, 1e7))
instants = st.integers(0, 4 * 10**9).map(lambda second: datetime.fromtimestamp(second, UTC))
shares = st.integers(1, 9_999).map(lambda n: float(Decimal(n) / 10_000))
preemptions = st.one_of(
    st.builds(domain.PreemptAt, share=shares), st.builds(domain.PreemptAt, seconds=seconds.filter(lambda s: s >= 0.001))
)


def maybe(strategy: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.one_of(st.none(), strategy)


models = st.one_of(
    st.builds(domain.Model, parameters=amounts, flops_per_sample=maybe(amounts)),
    st.builds(
        domain.Model, reference=st.tuples(st.sampled_from(["preset", "timm", "hf", "entrypoint"]), texts).map(":".join)
    ),
)
wishes = st.builds(
    lambda gpu, low, more: domain.Accelerators(gpu, low, low + more),
    st.sampled_from(["A100-80GB", "T4", None]), st.integers(1, 99), st.integers(0, 9),
)  # fmt: skip
schedules = st.one_of(
    st.builds(domain.Schedule, deadline_seconds=maybe(seconds), max_duration_seconds=maybe(seconds)),
    st.builds(domain.Schedule, deadline_at=instants, idle_stop_seconds=maybe(seconds)),
)
limits = st.builds(Money, st.decimals(Decimal("0.01"), Decimal(10**6), places=2), st.sampled_from(["CNY", "USD"]))
workloads = st.builds(
    domain.Workload,
    name=texts.filter(lambda name: "/" not in name and "\\" not in name),
    run=texts,
    workdir=texts,
    setup=maybe(texts),
    image=maybe(texts.map("docker:{}".format)),
    model=maybe(models),
    training=st.builds(
        domain.Training,
        batch_size=maybe(counts),
        precision=st.sampled_from(Precision),
        samples=maybe(counts),
        task=st.sampled_from(["train", "finetune", "infer"]),
        micro_batch=maybe(counts),
        sequence=maybe(counts),
        image_size=maybe(st.tuples(*[st.integers(1, 9_999)] * 3)),
        compile=st.booleans(),
        strategy=st.sampled_from(["auto", "fsdp-grad-op", "tp=8,pp=4,dp=2"]),
        adapter=st.sampled_from(["none", "lora:16", "qlora:8"]),
        activation_checkpointing=st.sampled_from(["none", "selective", "full", "auto"]),
    ),
    resources=maybe(
        st.builds(domain.Resources, accelerators=maybe(wishes), cpus=maybe(counts), disk_gb=maybe(amounts))
    ),
    data=st.lists(st.builds(domain.Data, source=texts, path=texts), max_size=2).map(tuple),
    outputs=st.lists(texts, max_size=2).map(tuple),
    placement=st.builds(domain.Placement, clouds=st.just(("aws",)), regions=st.lists(texts, max_size=2).map(tuple)),
    schedule=schedules,
    budget=st.builds(domain.Budget, limit=maybe(limits), purchase=st.sampled_from(["auto", "spot", "on_demand"])),
    checkpoint=st.builds(
        domain.CheckpointPolicy, store=maybe(texts), every=st.sampled_from(["auto", "5s", "20 steps"])
    ),
    rehearse=st.builds(domain.Rehearse, steps=maybe(counts), preempt_at=st.lists(preemptions, max_size=3).map(tuple)),
    ports=st.lists(st.integers(1, 65_535), max_size=2).map(tuple),
    env=st.dictionaries(names, st.text(max_size=5), max_size=2).map(lambda env: tuple(env.items())),
)


@settings(max_examples=40)
@given(workloads)
def test_what_is_dumped_loads_back_equal(workload: domain.Workload) -> None:
    told = json.loads(json.dumps(jobfile.dump(workload)))
    assert jobfile.load(told) == workload


@given(seconds)
def test_spans_read_back(value: float) -> None:
    assert spans.parse_span(spans.span_text(value)) == value


@given(preemptions)
def test_preemptions_read_back(at: domain.PreemptAt) -> None:
    assert spans.parse_preempt_at(spans.preempt_text(at)) == (at,)


@given(instants, st.integers(-14 * 60, 14 * 60))
def test_an_instant_is_the_same_in_every_zone(at: datetime, minutes: int) -> None:
    sign, ahead = "-" if minutes < 0 else "+", timedelta(minutes=minutes)
    local = (at + ahead).replace(tzinfo=None).isoformat()
    assert spans.parse_instant(f"{local}{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}") == at


@given(st.text(max_size=200))
def test_any_text_is_a_workload_or_a_told_error(text: str) -> None:
    try:
        jobfile.parse(text, "job.yaml")
    except TradewindError as error:
        assert error.exit_code == 2


def test_texts_of_time() -> None:
    assert spans.parse_span("1h30m") == 5_400
    assert spans.parse_span("1.5 h") == 5_400
    assert spans.span_text(5_400) == "90m"
    assert spans.span_text(43_200) == "12h"
    assert spans.parse_every("200 STEPS") == "200 steps"
    assert spans.parse_every("60s") == "1m"
    assert spans.parse_preempt_at("25%, 60%") == (domain.PreemptAt(share=0.25), domain.PreemptAt(share=0.6))
    assert spans.parse_preempt_at("15s,35s") == (domain.PreemptAt(seconds=15), domain.PreemptAt(seconds=35))
