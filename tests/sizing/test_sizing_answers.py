"""What `size` answers: flags obeyed, one fit per GPU, what was rejected, limits, storage, fits on offers."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import pytest
from sizing_makers import LLAMA_7B, LLAMA_8B, plain, sheet

from tradewind.domain.errors import BadInput
from tradewind.domain.fit import Fit
from tradewind.domain.gpus import Gpu, all_gpus
from tradewind.domain.money import Money
from tradewind.domain.offer import Offer, PriceStatus, Purchase
from tradewind.domain.precision import Precision
from tradewind.sizing import (
    LADDER,
    Request,
    explained,
    fit_on_offers,
    from_parameters,
    size,
    study,
    transformer_profiles,
)


def sheets(*names: str) -> tuple[Gpu, ...]:
    return tuple(map(sheet, names))


def counted(parameters: float, batch_size: int, **given: object) -> Request:
    """A request of which the number of parameters is all that is known of the model."""
    precision = given.get("precision", Precision.FP32)
    profile = from_parameters(parameters, precision=str(precision))
    return Request((profile,), batch_size, **given)  # type: ignore[arg-type]


def offer(gpu: str, gpus: str, memory: float | None = None) -> Offer:
    return Offer(
        "aws", "r", None, "type", gpu, None, True, Decimal(gpus), memory, 8, 32, None, None, None, Purchase.ON_DEMAND,
        Money(Decimal(1), "USD"), PriceStatus.FRESH, "2026-11", "test", None,
    )  # fmt: skip


def test_every_listed_gpu_is_a_fit_or_rejected() -> None:
    answer = study(counted(25e6, 64, precision=Precision.FP8, gpus=all_gpus(), unlisted=("G49",)))
    assert len(answer.fits) + len(answer.rejected) == len(all_gpus()) + 1
    assert answer.rejected[0].to_json() == {"gpu": "G49", "why": "no-data-sheet"}
    assert {each.gpu: each.why for each in answer.rejected}["T4"] == "precision-unsupported"
    json.dumps(answer.to_json())


@pytest.mark.parametrize("gpu", ["V100-16GB", "T4", "P100"])
def test_bf16_is_refused_where_it_does_not_exist(gpu: str) -> None:
    answer = study(counted(1e6, 8, precision=Precision.AMP_BF16, gpus=sheets(gpu)))
    assert [each.why for each in answer.rejected] == ["precision-unsupported"]


def test_gpus_too_old_for_pytorch_are_rejected() -> None:
    assert [each.why for each in study(counted(1e6, 8, gpus=sheets("K80"))).rejected] == ["architecture-unsupported"]


def test_training_in_int8_is_refused_and_serving_is_not() -> None:
    assert not size(counted(1e6, 8, precision=Precision.INT8, gpus=sheets("A100-80GB")))
    (profile,) = transformer_profiles(LLAMA_7B, name="l", task="infer", precision="int8")
    (fit,) = size(Request((profile,), precision=Precision.INT8, gpus=sheets("A100-80GB")))
    assert fit.memory_gib.parameters == pytest.approx(6.74e9 / 2**30, rel=0.1)


def test_why_a_gpu_is_not_trained_on_is_told() -> None:
    for gpu, precision, why in (("A100-80GB", Precision.INT4, "precision-served-only"),
                                ("Ascend-310", Precision.AMP_FP16, "training-unsupported")):  # fmt: skip
        answer = study(counted(1e6, 8, precision=precision, gpus=sheets(gpu)))
        assert [each.why for each in answer.rejected] == [why]


def test_an_adapter_is_obeyed_where_only_the_number_of_parameters_is_known() -> None:
    full, low, quantized = (
        size(Request((from_parameters(7e9, precision="bf16-true", tokens=512, task="finetune", adapter=adapter),), 1,
                     precision=Precision.BF16_TRUE, gpus=sheets("H200")))[0]
        for adapter in ("none", "lora:16", "qlora:16")
    )  # fmt: skip
    sizes = [fit.memory_gib for fit in (full, low, quantized)]
    assert sizes[0].optimizer > 100 * sizes[1].optimizer > 0
    assert sizes[1].parameters > 3 * sizes[2].parameters
    assert low.step_seconds.value < full.step_seconds.value
    # LLaMA 7B, whose queries and values at rank 16 have 8.4 M: 4 · 16 · 4096 · 32
    extra = from_parameters(6.74e9, adapter="lora:16").trainable
    assert extra == pytest.approx(4 * 16 * 4096 * 32, rel=0.1)


@pytest.mark.parametrize(("gpus", "nodes"), [(8, 1), (16, 2), (12, 2), (64, 8)])
def test_many_gpus_are_in_as_few_nodes_as_hold_them(gpus: int, nodes: int) -> None:
    (fit,) = size(counted(1e9, 192, gpus=sheets("H100-80GB"), counts=(gpus, gpus), nodes=None))
    assert (fit.gpus, fit.nodes) == (gpus, nodes)


def test_of_a_range_beyond_a_node_whole_nodes_are_taken() -> None:
    fits = size(counted(40e9, 1440, gpus=sheets("A100-80GB"), counts=(1, 64), nodes=None, optimizer="adamw"))
    assert [(fit.fits, fit.gpus, fit.nodes) for fit in fits] == [(True, 16, 2)]


def test_gpus_that_cannot_be_spread_over_the_nodes_are_bad_input() -> None:
    with pytest.raises(BadInput, match="nodes-indivisible") as caught:
        size(counted(1e9, 8, gpus=sheets("H100-80GB"), counts=(3, 3), nodes=2))
    assert (caught.value.facts["gpus"], caught.value.facts["nodes"]) == ("3", "2")


@pytest.mark.parametrize("gpu", ["A100-80GB", "A10"])
def test_serving_under_autocast_is_told_that_its_weights_are_wide(gpu: str) -> None:
    for precision, wide in ((Precision.AMP_BF16, True), (Precision.BF16_TRUE, False)):
        (profile,) = transformer_profiles(LLAMA_8B, name="l", task="infer", precision=str(precision))
        (fit,) = size(Request((profile,), precision=precision, gpus=sheets(gpu), concurrency=1))
        assert ("sixteen-bit-weights" in [hint.code for hint in fit.relief]) is wide


def test_what_does_not_fit_stays_with_its_numbers() -> None:
    (fit,) = size(counted(7e9, 8, gpus=sheets("T4")))
    assert not fit.fits
    assert fit.micro_batch == 1
    assert fit.max_micro_batch == 0
    assert fit.peak_memory_gib.device.low > fit.gpu_memory_usable_gib
    assert {"eight-bit-optimizer", "more-gpus"} <= {hint.code for hint in fit.relief}


def test_given_flags_are_obeyed_and_never_improved() -> None:
    request = Request((plain(25e6, 1e8),), 4096, micro_batch=2048, gpus=sheets("T4"), counts=(2, 2))
    (fit,) = size(request)
    assert (fit.micro_batch, fit.gpus, fit.grad_accumulation, fit.fits) == (2048, 2, 1, False)
    (single,) = size(replace(request, counts=(1, 1), strategy="single"))
    assert (single.strategy, single.grad_accumulation) == ("single", 2)


def test_the_fewest_gpus_that_hold_the_model_are_taken() -> None:
    request = Request((plain(7e9, 1e9),), 64, gpus=sheets("A100-80GB"))
    (fit,) = size(replace(request, counts=(1, 8)))
    assert fit.fits
    assert fit.gpus > 1
    (fewer,) = size(replace(request, counts=(1, int(fit.gpus) - 1)))
    assert not fewer.fits


def test_a_batch_that_is_not_given_is_one_pass() -> None:
    (fit,) = size(Request((plain(1e8, 1e8),), micro_batch=24, gpus=sheets("A100-80GB")))
    assert (fit.micro_batch, fit.grad_accumulation) == (24, 1)
    (chosen,) = size(Request((plain(1e8, 1e8),), gpus=sheets("A100-80GB")))
    assert chosen.micro_batch in LADDER
    assert chosen.fits
    assert chosen.throughput_per_second.value == pytest.approx(chosen.micro_batch / chosen.step_seconds.value)


def test_the_rung_of_a_ladder_is_the_largest_that_is_expected_to_run() -> None:
    request = Request((plain(1e8, 1e8),), gpus=sheets("RTX-3090"), ladder=LADDER)
    (fit,) = size(request)
    assert fit.max_batch == fit.micro_batch
    above = LADDER[LADDER.index(fit.micro_batch) - 1]
    (over,) = size(replace(request, ladder=(), micro_batch=above))
    full = 23.69 - 1.78  # what tensors can have of a full card
    assert over.peak_memory_gib.allocated.value > full >= fit.peak_memory_gib.allocated.value


def test_a_batch_that_cannot_be_spread_is_bad_input() -> None:
    with pytest.raises(BadInput) as caught:
        size(counted(1e6, 10, gpus=sheets("T4"), counts=(4, 4)))
    assert caught.value.code == "batch-indivisible"
    assert caught.value.facts == {"batch_size": "10", "gpus": "4", "micro_batch": "auto"}


def test_unknown_words_are_bad_input() -> None:
    with pytest.raises(BadInput, match="optimizer-unknown"):
        counted(1e6, 8, optimizer="adamx")
    with pytest.raises(BadInput, match="strategy-unknown"):
        counted(1e6, 8, strategy="magic")
    with pytest.raises(BadInput, match="checkpointing-unknown"):
        counted(1e6, 8, activation_checkpointing="some")
    with pytest.raises(ValueError, match="parameters"):
        Request((plain(0),), 8)
    with pytest.raises(ValueError, match="micro_batch"):
        counted(1e6, 8, micro_batch=-1)
    with pytest.raises(ValueError, match="profile"):
        Request(())


def test_limits_name_the_ways_around_them() -> None:
    profiles = transformer_profiles(LLAMA_7B, name="l", precision="bf16-true", sequence=4096)
    profiles = tuple(each for each in profiles if each.activation_checkpointing != "selective")
    request = Request(profiles, 8, micro_batch=1, precision=Precision.BF16_TRUE, gpus=sheets("A100-80GB"))
    limits = study(request).limits
    assert limits is not None
    assert limits.code == "too-large"
    assert limits.facts["peak_gib"] > limits.facts["usable_gib"]
    recomputed, spread = limits.facts["ways"]
    assert recomputed["way"] == "activation-checkpointing"
    assert recomputed["peak_gib"] < limits.facts["usable_gib"]
    assert recomputed["slower"] == pytest.approx(1 / 3, abs=0.05)  # one forward pass more, but for the head
    assert (spread["way"], spread["gpus"]) == ("more-gpus", 2)
    assert study(Request((plain(1e6, 1e6),), 8, gpus=sheets("T4"))).limits is None


def test_a_model_larger_than_any_cluster_says_so() -> None:
    limits = study(Request((plain(1e17, 1e9),), 8, gpus=sheets("H100-80GB"))).limits
    assert limits is not None
    (way,) = limits.facts["ways"]
    assert way["way"] == "none"
    assert way["at_least"] == pytest.approx(16e17 / 2**30 / limits.facts["usable_gib"], rel=0.001)


def test_every_number_of_a_fit_is_explained() -> None:
    profiles = transformer_profiles(LLAMA_8B, name="l", precision="amp-bf16", sequence=4096)
    request = Request(profiles, 64, precision=Precision.AMP_BF16, gpus=sheets("H100-80GB"), counts=(8, 8))
    (fit,) = size(request)
    rows = {row["term"]: row for row in explained(request, fit)}
    assert all(row["formula"] and row["unit"] in ("GiB", "s", "") for row in rows.values())
    memory = ("weights", "gathered", "gradients", "optimizer", "activations", "workspace", "allocator", "runtime")
    device = rows["device"]["value"]
    assert sum(rows[term]["value"] for term in memory) == pytest.approx(device)
    assert device == pytest.approx(fit.peak_memory_gib.device.value)
    assert rows["optimizer"]["value"] == pytest.approx(8.03e9 * 8 / 8 / 2**30, rel=0.01)
    spent = sum(row["value"] for term, row in rows.items() if term.startswith("seconds:"))
    assert spent == pytest.approx(fit.step_seconds.value)


def test_sequences_at_once_fill_what_weights_leave() -> None:
    (profile,) = transformer_profiles(LLAMA_8B, name="l", task="infer", precision="bf16-true", sequence=2048)
    request = Request((profile,), precision=Precision.BF16_TRUE, gpus=sheets("A100-80GB"), context=8192)
    (fit,) = size(request)
    sequence = 2 * 32 * 8 * 128 * 2 * 8192 / 2**30
    assert fit.max_micro_batch is not None
    left = fit.gpu_memory_usable_gib - 15 * 1.08 - 1.45 - 2  # weights, context and graphs at their upper ends
    assert fit.max_micro_batch * sequence * 1.08 == pytest.approx(left, abs=2)
    assert fit.throughput_unit == "tokens"
    assert fit.throughput_per_second.value == pytest.approx(fit.micro_batch / fit.step_seconds.value)
    assert fit.first_token_seconds is not None
    (longer,) = size(replace(request, context=16384))
    assert longer.max_micro_batch == pytest.approx(fit.max_micro_batch / 2, abs=1)
    (asked,) = size(replace(request, concurrency=7))
    assert asked.micro_batch == 7


def test_a_model_too_large_for_one_gpu_is_served_by_splitting_its_layers() -> None:
    large = replace(LLAMA_8B, layers=80, hidden=8192, heads=64, ffn=28672)
    (profile,) = transformer_profiles(large, name="70b", task="infer", precision="bf16-true", sequence=2048)
    request = Request((profile,), precision=Precision.BF16_TRUE, gpus=sheets("A100-80GB"), counts=(1, 8))
    (fit,) = size(request)
    assert fit.fits
    assert fit.strategy == "tp=2,pp=1,dp=1"
    assert fit.memory_gib.parameters == pytest.approx(70.55e9 * 2 / 2 / 2**30, rel=0.01)
    (alone,) = size(replace(request, counts=(1, 1)))
    assert not alone.fits
    assert {"quantize", "more-gpus"} <= {hint.code for hint in alone.relief}


def test_fits_on_offers_use_all_gpus_and_are_shared() -> None:
    fit_of = fit_on_offers(counted(1e6, 64), nodes=2)
    found = fit_of(offer("A100-80GB", "8"))
    assert isinstance(found, Fit)
    assert (found.gpus, found.nodes, found.micro_batch) == (16, 2, 4)
    assert fit_of(offer("A100-80GB", "8")) is found
    assert fit_of(offer("Nothing-1", "8")) == "no-data-sheet"
    assert fit_of(offer("T4", "3")) == "batch-indivisible"
    assert fit_of(offer("A10", "0.5", 12.0)) == "slice-alone"


def test_the_clouds_figure_counts_where_it_is_smaller() -> None:
    found = fit_on_offers(counted(1e6, 64))(offer("L4", "1", 22.0))
    assert isinstance(found, Fit)
    assert found.gpu_memory_usable_gib == pytest.approx(22.0 * 0.97)
