"""From a workload to profiles: shipped, traced once and kept, or by closed form with the reason told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tradewind.app import jobfile
from tradewind.app.queries import SizeOverrides
from tradewind.app.sizes import answers
from tradewind.app.sizes.lessons import Lesson
from tradewind.app.sizes.profiles import Profiles, shape
from tradewind.app.sizes.traces import Traces
from tradewind.domain.errors import BadInput, NothingFits, NotTraceable
from tradewind.domain.profile import ModelProfile
from tradewind.domain.workload import Workload
from tradewind.ports.tracer import TraceRequest
from tradewind.sizing.closed_forms import from_parameters

LLAMA = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192,
         "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64,
         "vocab_size": 128256, "tie_word_embeddings": True, "max_position_embeddings": 131072}  # fmt: skip


@dataclass
class CountingTracer:
    """A tracer that counts; its profiles are as large as it is told."""

    parameters: float = 25e6
    fault: Exception | None = None
    asked: list[TraceRequest] = field(default_factory=list)
    pause: Callable[[], Any] = lambda: None
    closed: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    def close(self) -> None:
        self.closed += 1
        self.ended.set()

    def trace(self, request: TraceRequest, limit_s: float = 120.0) -> ModelProfile:
        self.asked.append(request)
        self.pause()
        if self.fault:
            raise self.fault
        way = request.activation_checkpointing
        made = from_parameters(self.parameters, precision=request.precision, name=request.model,
                               activation_bytes=4e9 if way == "none" else 1e6)  # fmt: skip
        return replace(made, source="traced", activation_checkpointing=way, seconds=2.5, fallbacks=())


def job(**model: Any) -> Workload:
    training = {key: model.pop(key) for key in list(model) if key in ("task", "sequence", "precision", "batch_size",
                                                                     "activation_checkpointing")}  # fmt: skip
    return jobfile.load({"run": "x", "workdir": "/", **({"model": model} if model else {}), "training": training})


def profiles_of(folder: Path, tracer: CountingTracer | None) -> Profiles:
    def make() -> CountingTracer:
        assert tracer is not None, "nothing is to be traced"
        return tracer

    return Profiles(Traces(folder), make, lambda asked: sha256(repr(asked).encode()).hexdigest(), lambda _: None)


def test_a_model_is_traced_once_and_kept_on_the_disk(tmp_path: Path) -> None:
    tracer = CountingTracer()
    first = profiles_of(tmp_path, tracer)
    assert first.of(job(timm="resnet50"), "none").profiles == first.of(job(timm="resnet50"), "none").profiles
    assert profiles_of(tmp_path, tracer).of(job(timm="resnet50"), "none").profiles[0].parameters == 25e6
    assert len(tracer.asked) == 1


def test_another_shape_is_another_trace_but_not_the_other_type_of_16_bits(tmp_path: Path) -> None:
    tracer = CountingTracer()
    profiles = profiles_of(tmp_path, tracer)
    found = [
        profiles.of(job(timm="vit", precision=precision, task=task), "none").profiles[0]
        for task in ("train", "infer")
        for precision in ("fp32", "fp16", "bf16", "bf16-true", "fp16-true")
    ]
    assert len(tracer.asked) == 6
    assert [each.precision for each in found[:5]] == ["fp32", "amp-fp16", "amp-bf16", "bf16-true", "fp16-true"]
    assert [{op.dtype for op in each.ops} for each in found[1:3]] == [{"fp16"}, {"bf16"}]


def test_a_kept_trace_that_is_damaged_is_made_again(tmp_path: Path) -> None:
    tracer = CountingTracer()
    profiles_of(tmp_path, tracer).of(job(timm="resnet50"), "none")
    (kept,) = tmp_path.iterdir()
    for damage in (b"", kept.read_bytes()[:-20], b"\x00" * 100):
        kept.write_bytes(damage)
        profiles_of(tmp_path, tracer).of(job(timm="resnet50"), "none")
    assert len(tracer.asked) == 4


def test_a_disk_that_takes_nothing_only_costs_the_next_trace(tmp_path: Path) -> None:
    (tmp_path / "full").write_text("no folder")
    assert profiles_of(tmp_path / "full", CountingTracer()).of(job(timm="resnet50"), "none").profiles


def test_several_that_ask_at_once_wait_for_one_trace(tmp_path: Path) -> None:
    begun, go = threading.Event(), threading.Event()

    def pause() -> None:
        begun.set()
        go.wait(10)

    tracer = CountingTracer(pause=pause)
    profiles, found = profiles_of(tmp_path, tracer), []
    threads = [threading.Thread(target=lambda: found.append(profiles.of(job(timm="vit"), "none"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert begun.wait(10)
    go.set()
    for thread in threads:
        thread.join(10)
    assert (len(found), len(tracer.asked)) == (4, 1)


def test_the_tracers_are_ended_with_the_question(tmp_path: Path) -> None:
    tracer = CountingTracer(fault=NotTraceable("trace-died"))
    with pytest.raises(NotTraceable), profiles_of(tmp_path, tracer) as profiles:
        profiles.of(job(timm="no-preset-of-this-name"), "none")
    assert tracer.closed == 1


def test_a_tracer_at_work_is_ended_when_whoever_asked_goes_away(tmp_path: Path) -> None:
    begun, ended = threading.Event(), threading.Event()

    def pause() -> None:
        begun.set()
        assert ended.wait(10)

    tracer = CountingTracer(pause=pause, ended=ended)
    with profiles_of(tmp_path, tracer) as profiles:
        asking = threading.Thread(target=lambda: profiles.of(job(timm="vit"), "none"))
        asking.start()
        assert begun.wait(10)
    asking.join(10)
    assert not asking.is_alive()


def test_a_fault_of_the_model_is_told_to_all_that_ask(tmp_path: Path) -> None:
    tracer = CountingTracer(fault=BadInput("timm-unknown", name="resnet5"))
    profiles = profiles_of(tmp_path, tracer)
    for _ in range(2):
        with pytest.raises(BadInput, match="timm-unknown"):
            profiles.of(job(timm="resnet5"), "none")
    assert len(tracer.asked) == 1 and not list(tmp_path.iterdir())


def test_parameters_and_transformer_presets_need_no_tracer(tmp_path: Path) -> None:
    profiles = profiles_of(tmp_path, None)
    assert profiles.of(job(parameters=7e9), "auto").profiles[0].source == "parameters"
    found = profiles.of(job(preset="llama-3-8b", sequence=2048), "auto")
    assert [each.activation_checkpointing for each in found.profiles] == ["none", "selective", "full"]
    assert not found.more and found.remarks == ()
    assert abs(found.profiles[0].parameters - 8.03e9) < 0.01e9


def test_a_config_falls_back_to_its_dimensions_and_says_so(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps(LLAMA))
    tracer = CountingTracer(fault=NotTraceable("trace-needs-library"))
    for path in (config, tmp_path):
        found = profiles_of(tmp_path / "traces", tracer).of(job(hf=str(path), sequence=512), "none")
        assert {each.activation_checkpointing for each in found.profiles} >= {"none"}
        assert found.profiles[0].tokens == 512
        (remark,) = found.remarks
        assert (remark.code, remark.facts["why"]) == ("closed-form", "trace-needs-library")


def test_an_architecture_that_the_library_does_not_know_is_sized_by_its_dimensions(tmp_path: Path) -> None:
    tracer = CountingTracer(fault=NotTraceable("architecture-unknown"))
    for kind, told in (("llame", LLAMA), ("llame", {})):
        (tmp_path / "config.json").write_text(json.dumps(told | {"model_type": kind}))
        profiles = profiles_of(tmp_path / "traces", tracer)
        if told:
            (remark,) = profiles.of(job(hf=str(tmp_path), sequence=512), "none").remarks
            assert (remark.code, remark.facts["why"]) == ("closed-form", "architecture-unknown")
        else:
            with pytest.raises(BadInput, match="config-unknown") as caught:
                profiles.of(job(hf=str(tmp_path), sequence=512), "none")
            assert "llama" in caught.value.facts["nearest"]


def test_a_shipped_trace_that_stands_in_is_told_as_one(tmp_path: Path) -> None:
    found = profiles_of(tmp_path, None).of(job(timm="resnet50"), "none", trace=False)
    assert found.profiles[0].source == "traced"
    (remark,) = found.remarks
    assert (remark.code, remark.facts["why"]) == ("shipped-instead", "not-traced-as-asked")


@pytest.mark.parametrize(
    ("model", "unused"),
    [
        ({"preset": "resnet50"}, "sequence"), ({"preset": "llama-3-8b"}, "image_size, classes"),
        ({"parameters": 1e8}, "image_size, classes, attention"),
    ],
)  # fmt: skip
def test_what_is_asked_for_and_means_nothing_to_the_model_is_told(
    tmp_path: Path, model: dict[str, Any], unused: str
) -> None:
    workload = job(**model, sequence=512, precision="bf16")
    told = replace(workload.training, image_size=(3, 96, 96), classes=10, attention="eager")
    told = replace(told, image_size=None, classes=None) if model.get("preset") == "resnet50" else told
    overrides = SizeOverrides(("A100-80GB",), (1, 8))
    studied = answers.study(replace(workload, training=told), overrides, profiles_of(tmp_path, None))
    assert [each.facts["names"] for each in studied.remarks if each.code == "not-used"] == [unused]


@pytest.mark.parametrize(
    ("training", "nodes", "counts"),
    [
        ({}, None, (1, 8)), ({"micro_batch": 4}, None, (1, 1)), ({"strategy": "single"}, None, (1, 8)),
        ({"strategy": "ddp", "micro_batch": 4}, None, (2, 8)), ({}, 2, (2, 16)), ({"micro_batch": 4}, 2, (2, 16)),
        ({"strategy": "tp=2,pp=2,dp=8"}, None, (32, 32)), ({"strategy": "tp=4", "micro_batch": 1}, None, (4, 8)),
        ({"strategy": "tp=8,pp=2"}, None, (16, 16)),
    ],
)  # fmt: skip
def test_so_many_gpus_are_tried_where_nobody_says(
    tmp_path: Path, training: dict[str, Any], nodes: int | None, counts: tuple[int, int]
) -> None:
    workload = job(parameters=1e9)
    workload = replace(workload, training=replace(workload.training, **training))
    overrides = SizeOverrides(("H100-80GB",), nodes=nodes)
    assert answers.study(workload, overrides, profiles_of(tmp_path, None)).request.counts == counts


@pytest.mark.parametrize(
    ("text", "code"), [(None, "config-missing"), ("{", "config-unreadable"), ("[]", "config-unreadable")]
)
def test_configs_that_cannot_be_used(tmp_path: Path, text: str | None, code: str) -> None:
    if text is not None:
        (tmp_path / "config.json").write_text(text)
    with pytest.raises(BadInput, match=code):
        profiles_of(tmp_path, None).of(job(hf=str(tmp_path / "config.json")), "none", trace=False)


def test_code_that_can_only_be_traced_is_refused_without_a_tracer(tmp_path: Path) -> None:
    with pytest.raises(NotTraceable, match="not-traced-as-asked"):
        profiles_of(tmp_path, CountingTracer()).of(job(entrypoint="train:build"), "none", trace=False)


def test_unknown_presets_name_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="preset-unknown") as caught:
        profiles_of(tmp_path, None).of(job(preset="llama-3-9b"), "none")
    assert "llama" in caught.value.facts["nearest"]


def test_nothing_said_of_the_model(tmp_path: Path) -> None:
    with pytest.raises(NothingFits, match="model-unknown"):
        profiles_of(tmp_path, None).of(job(), "none")


def test_only_code_of_the_user_is_looked_for_in_the_workdir() -> None:
    assert shape(job(timm="resnet50"), "none").workdir == "."
    assert shape(job(entrypoint="train:build"), "none").workdir == "/"


def test_auto_asks_for_full_checkpointing_also_where_none_takes_more_gpus(tmp_path: Path) -> None:
    tracer = CountingTracer(parameters=1.1e9)  # its weights and states leave no room for a sample on an A10
    overrides = SizeOverrides(gpus=("A10",), counts=(1, 8))
    studied = answers.study(job(timm="vit", batch_size=8), overrides, profiles_of(tmp_path, tracer))
    assert [request.activation_checkpointing for request in tracer.asked] == ["none", "full"]
    assert [(fit.fits, fit.gpus) for fit in studied.sizing.fits] == [(True, 2)]


def test_auto_asks_for_full_checkpointing_only_where_none_does_not_fit(tmp_path: Path) -> None:
    for gpu, traced in (("H200", ["none"]), ("T4", ["none", "full"])):
        tracer = CountingTracer()
        workload = job(timm="vit", batch_size=8)
        overrides = SizeOverrides((gpu,), (1, 1))
        asked = replace(workload, training=replace(workload.training, micro_batch=8))
        studied = answers.study(asked, overrides, profiles_of(tmp_path / gpu, tracer))
        assert [request.activation_checkpointing for request in tracer.asked] == traced
        assert [fit.activation_checkpointing for fit in studied.sizing.fits] == traced[-1:]
        assert all(fit.fits for fit in studied.sizing.fits)


def test_checkpointing_that_is_asked_for_is_obeyed(tmp_path: Path) -> None:
    tracer = CountingTracer()
    workload = job(timm="vit", batch_size=8, activation_checkpointing="full")
    studied = answers.study(workload, SizeOverrides(("H200",), (1, 1)), profiles_of(tmp_path, tracer))
    assert [request.activation_checkpointing for request in tracer.asked] == ["full"]
    assert studied.sizing.fits[0].activation_checkpointing == "full"
    assert studied.trace_seconds == 2.5


def test_a_measured_step_anchors_every_gpu_and_one_of_a_processor_none(tmp_path: Path) -> None:
    workload = replace(job(parameters=1e9), training=replace(job().training, batch_size=8, micro_batch=8))
    overrides = SizeOverrides(("A10", "L4"), (1, 1))
    lesson = Lesson("s", "A10", "NVIDIA A10", 1, 8, 30.0, None, 30, "job-1", "2026-11-21T10:00:00Z")

    def seconds(*lessons: Lesson) -> tuple[list[float], list[str]]:
        studied = answers.study(workload, overrides, profiles_of(tmp_path, None), lessons)
        return [fit.step_seconds.value for fit in studied.sizing.fits], [each.code for each in studied.remarks]

    plain, said = seconds()
    assert said == ["by-parameters"]
    unmoved, said = seconds(replace(lesson, gpu=None, device="a processor"))
    assert (unmoved, said) == (plain, ["by-parameters", "anchor-of-processor"])
    anchored, said = seconds(lesson)
    assert said == ["by-parameters", "anchored"]
    assert anchored[0] == pytest.approx(30.0) and anchored[1] > 2 * plain[1]
