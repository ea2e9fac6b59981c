"""Flags and the keys of batch rows: what is given is obeyed, whatever stands in the base; faults name the flag."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tradewind.app import jobfile
from tradewind.app.queries import SizeOverrides
from tradewind.app.sizes import flags
from tradewind.domain.errors import BadInput
from tradewind.domain.precision import Precision
from tradewind.sizing.request import LADDER


def faults_of(given: dict[str, Any], **kwargs: Any) -> list[BadInput]:
    with pytest.raises(BadInput) as caught:
        flags.asked(given, **kwargs)
    assert caught.value.code == "flags-unreadable"
    return [fault for fault in caught.value.faults if isinstance(fault, BadInput)]


def test_every_flag_is_obeyed_over_the_job_file() -> None:
    base = jobfile.load({"run": "x", "model": {"parameters": 5}, "training": {"batch_size": 8, "samples": 100,
                                                                              "micro_batch": 4}})  # fmt: skip
    workload, overrides = flags.asked({
        "model": "timm:vit_base_patch16_224", "task": "finetune", "gpu": ["T4,L4", "A10"], "gpus": "1..8", "nodes": 2,
        "micro_batch": "auto", "batch_size": 64, "image_size": "3x384x384", "sequence": 197, "classes": 10,
        "precision": "bf16", "optimizer": "sgd", "strategy": "tp=2,dp=4", "adapter": "lora:16",
        "activation_checkpointing": "full", "attention": "eager", "compile": True, "channels_last": True,
        "max_batch": "64,512", "explain": True, "no_trace": True,
    }, base=base)  # fmt: skip
    training = workload.training
    assert workload.model is not None and workload.model.reference == "timm:vit_base_patch16_224"
    assert (training.task, training.batch_size, training.micro_batch, training.samples) == ("finetune", 64, None, 100)
    assert (training.image_size, training.sequence, training.classes) == ((3, 384, 384), 197, 10)
    assert (training.precision, training.optimizer, training.strategy) == (Precision.AMP_BF16, "sgd", "tp=2,dp=4")
    assert (training.adapter, training.activation_checkpointing, training.attention) == ("lora:16", "full", "eager")
    assert training.compile and training.channels_last
    assert overrides == SizeOverrides(("T4", "L4", "A10"), (1, 8), 2, (512, 64), explain=True, trace=False)


def test_what_is_not_given_stays_as_the_base_says() -> None:
    base = jobfile.load({"run": "x", "model": {"preset": "resnet50"}, "training": {"image_size": 160}})
    workload, overrides = flags.asked(dict.fromkeys(flags.KEYS), base=base)
    assert (workload.model, workload.training, overrides) == (base.model, base.training, SizeOverrides())


@pytest.mark.parametrize(
    ("reference", "model"),
    [
        ("resnet50", {"preset": "resnet50"}), ("preset:resnet50", {"preset": "resnet50"}),
        ("timm:resnet50.a1_in1k", {"timm": "resnet50.a1_in1k"}), ("params:7e9", {"parameters": 7e9}),
        ("params:7B", {"parameters": 7e9}), ("params:350m", {"parameters": 350e6}),
        ("entrypoint:train:build_model", {"entrypoint": "train:build_model"}),
        ("hf:llama/config.json", {"hf": str(Path.cwd() / "llama/config.json")}),
    ],
)  # fmt: skip
def test_references_of_models(reference: str, model: dict[str, Any]) -> None:
    assert flags.model(reference) == model


@pytest.mark.parametrize("ladder", [True, ""])
def test_a_ladder_without_rungs_is_the_usual_one_and_begins_without_checkpointing(ladder: object) -> None:
    workload, overrides = flags.asked({"model": "params:7e9", "max_batch": ladder})
    assert (overrides.ladder, workload.training.activation_checkpointing) == (LADDER, "none")
    workload, _ = flags.asked({"model": "params:7e9", "max_batch": ladder, "activation_checkpointing": "full"})
    assert workload.training.activation_checkpointing == "full"


def test_a_micro_batch_that_is_given_is_judged_without_checkpointing_unless_the_file_asks_for_it() -> None:
    given = {"model": "params:7e9", "micro_batch": 4}
    assert flags.asked(given)[0].training.activation_checkpointing == "none"
    assert flags.asked({**given, "micro_batch": "auto"})[0].training.activation_checkpointing == "auto"
    file, _ = flags.asked({"model": "params:7e9", "activation_checkpointing": "full"})
    assert flags.asked({"micro_batch": 4}, base=file)[0].training.activation_checkpointing == "full"


def test_every_fault_is_told_at_once_with_its_flag_and_the_nearest() -> None:
    faults = faults_of({
        "model": "tim:resnet50", "micro_batch": "many", "image_size": "0x3", "precision": "fp9", "gpus": "8..1",
        "optimiser": "sgd", "adapter": "lora", "strategy": "fdsp",
    })  # fmt: skip
    told = {fault.facts["key"]: fault for fault in faults}
    assert set(told) == {"--model", "--micro-batch", "--image-size", "--precision", "--gpus", "--optimiser",
                         "--adapter", "--strategy"}  # fmt: skip
    assert told["--model"].facts["nearest"] == "timm"
    assert told["--optimiser"].facts["nearest"] == "--optimizer"
    assert told["--precision"].facts["nearest"] == "fp8"
    assert told["--strategy"].facts["nearest"] == "fsdp"


@pytest.mark.parametrize("reference", ["preset:", "entrypoint:train", "params:7Q", "params:", "timm: "])
def test_references_that_name_no_model(reference: str) -> None:
    (fault,) = faults_of({"model": reference})
    assert (fault.code, fault.facts.get("nearest", "")) == ("model-reference-unreadable", "")


@pytest.mark.parametrize("model", [7e9, {"preset": "resnet50"}, ["resnet50"], True])
def test_a_model_that_is_no_text(model: object) -> None:
    assert [fault.code for fault in faults_of({"model": model})] == ["type-wrong"]


def test_numbers_and_truths_may_be_text_as_on_a_command_line() -> None:
    workload, overrides = flags.asked({"model": "resnet50", "batch_size": "256", "micro_batch": " 32 ", "sequence": "9",
                                       "classes": "10", "nodes": "2", "explain": "no", "no_trace": "true"})  # fmt: skip
    training = workload.training
    assert (training.batch_size, training.micro_batch, training.sequence, training.classes) == (256, 32, 9, 10)
    assert (overrides.nodes, overrides.explain, overrides.trace) == (2, False, False)
    codes = [fault.code for fault in faults_of({"model": "resnet50", "explain": "perhaps", "nodes": "0",
                                                "max_batch": "64,x", "gpus": "8..1", "micro_batch": "-1"})]  # fmt: skip
    assert codes == ["counts-unreadable", "nodes-unreadable", "ladder-unreadable", "type-wrong", "type-wrong"]


@pytest.mark.parametrize(
    ("named", "asked"),
    [(["A10", "L4,A10"], ("A10", "L4")), (["A10", "ALL"], ("all",)), ([], ()), ("A10,", ("A10",))],
)
def test_each_gpu_is_asked_about_once(named: object, asked: tuple[str, ...]) -> None:
    assert flags.asked({"model": "resnet50", "gpu": named})[1].gpus == asked


def test_a_gpu_without_a_name_is_not_every_gpu() -> None:
    assert [fault.code for fault in faults_of({"model": "resnet50", "gpu": [""]})] == ["value-empty"]


@pytest.mark.parametrize("strategy", ["tp=0", "tp=2,tp=4", "tp=2,xp=4", "tp="])
def test_degrees_that_mean_nothing(strategy: str) -> None:
    assert [fault.code for fault in faults_of({"model": "params:1e9", "strategy": strategy})] == ["choice-unknown"]


def test_keys_of_rows_are_named_as_they_stand_there() -> None:
    (fault,) = faults_of({"model": "params:7e9", "batch-size": 8}, name=str)
    assert (fault.facts["key"], fault.facts["nearest"]) == ("batch-size", "batch_size")


def test_a_profile_is_the_base_of_the_other_flags() -> None:
    workload, overrides = flags.asked({"model": "profile:cnn-imagenet", "batch_size": 512})
    assert workload.model is not None and workload.model.reference == "preset:resnet50"
    assert (workload.training.batch_size, workload.training.epochs) == (512, 90)
    assert overrides.setup == "cnn-imagenet"


def test_a_profile_that_there_is_not_names_the_nearest() -> None:
    with pytest.raises(BadInput, match="profile-unknown") as caught:
        flags.asked({"model": "profile:small-vc"})
    assert caught.value.facts["nearest"] == "small-cv"
