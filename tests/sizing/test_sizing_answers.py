"""What `size` answers: flags obeyed, one fit per GPU, what was rejected, storage, fits on offers."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from tradewind.domain.errors import BadInput
from tradewind.domain.fit import Fit
from tradewind.domain.gpus import Gpu, all_gpus, data_sheet
from tradewind.domain.money import Money
from tradewind.domain.offer import Offer, PriceStatus, Purchase
from tradewind.domain.precision import Precision
from tradewind.sizing import Request, fit_on_offers, size, study


def sheets(*names: str) -> tuple[Gpu, ...]:
    found = tuple(sheet for name in names if (sheet := data_sheet(name)))
    assert len(found) == len(names)
    return found


def offer(gpu: str, gpus: str, memory: float | None = None) -> Offer:
    return Offer(
        "aws", "r", None, "type", gpu, None, True, Decimal(gpus), memory, 8, 32, None, None, None, Purchase.ON_DEMAND,
        Money(Decimal(1), "USD"), PriceStatus.FRESH, "2026-11", "test", None,
    )  # fmt: skip


def test_every_listed_gpu_is_a_fit_or_rejected() -> None:
    answer = study(Request(25e6, 64, precision=Precision.FP8, gpus=all_gpus(), unlisted=("G49",)))
    assert len(answer.fits) + len(answer.rejected) == len(all_gpus()) + 1
    assert answer.rejected[0].to_json() == {"gpu": "G49", "why": "no-data-sheet"}
    assert {each.gpu: each.why for each in answer.rejected}["T4"] == "precision-unsupported"
    json.dumps(answer.to_json())


@pytest.mark.parametrize("gpu", ["V100-16GB", "T4", "P100"])
def test_bf16_is_refused_where_it_does_not_exist(gpu: str) -> None:
    answer = study(Request(1e6, 8, precision=Precision.AMP_BF16, gpus=sheets(gpu)))
    assert [each.why for each in answer.rejected] == ["precision-unsupported"]


def test_gpus_too_old_for_pytorch_are_rejected() -> None:
    assert [each.why for each in study(Request(1e6, 8, gpus=sheets("K80"))).rejected] == ["architecture-unsupported"]


def test_training_in_int8_is_refused() -> None:
    assert not size(Request(1e6, 8, precision=Precision.INT8, gpus=sheets("A100-80GB")))


def test_what_does_not_fit_stays_with_its_numbers() -> None:
    (fit,) = size(Request(7e9, 8, gpus=sheets("T4")))
    assert not fit.fits
    assert fit.micro_batch == 1
    assert fit.max_micro_batch == 0
    assert fit.peak_memory_gib.device.low > fit.gpu_memory_usable_gib


def test_given_flags_are_obeyed_and_never_improved() -> None:
    request = Request(25e6, 4096, flops_per_sample=8e9, micro_batch=2048, gpus=sheets("T4"), counts=(2, 2))
    (fit,) = size(request)
    assert (fit.micro_batch, fit.gpus, fit.grad_accumulation, fit.fits) == (2048, 2, 1, False)
    (single,) = size(replace(request, counts=(1, 1), strategy="single"))
    assert (single.strategy, single.grad_accumulation) == ("single", 2)


def test_the_fewest_gpus_that_hold_the_model_are_taken() -> None:
    request = Request(7e9, 64, activation_bytes_per_sample=1e9, precision=Precision.AMP_BF16, gpus=sheets("A100-80GB"))
    (fit,) = size(replace(request, counts=(1, 8)))
    assert fit.fits
    assert fit.strategy == "fsdp"
    assert fit.gpus > 1
    (fewer,) = size(replace(request, counts=(1, int(fit.gpus) - 1)))
    assert not fewer.fits


def test_a_batch_that_cannot_be_spread_is_bad_input() -> None:
    with pytest.raises(BadInput) as caught:
        size(Request(1e6, 10, gpus=sheets("T4"), counts=(4, 4)))
    assert caught.value.code == "batch-indivisible"
    assert caught.value.facts == {"batch_size": "10", "gpus": "4", "micro_batch": "auto"}


def test_unknown_words_are_bad_input() -> None:
    with pytest.raises(BadInput, match="optimizer-unknown"):
        Request(1e6, 8, optimizer="adamx")
    with pytest.raises(BadInput, match="strategy-unknown"):
        Request(1e6, 8, strategy="magic")
    with pytest.raises(ValueError, match="parameters"):
        Request(0, 8)


def test_work_and_storage_of_a_run() -> None:
    answer = study(Request(1e6, 100, samples=1050, epochs=3, sample_bytes=1_000_000, gpus=sheets("A100-80GB")))
    assert answer.total_steps == 33  # eleven a pass, the last one partial
    assert answer.flops_total == 3 * 2e6 * 1050 * 3
    assert answer.storage.size_gb == pytest.approx(1.05)
    rate = answer.fits[0].throughput_per_second.value
    assert answer.storage.min_throughput_gb_s == pytest.approx(rate / 1000)
    assert answer.storage.kind == "local-nvme"
    assert study(Request(1e6, 100)).storage.to_json() == {"kind": None, "size_gb": None, "min_throughput_gb_s": None}


def test_fits_on_offers_use_all_gpus_and_are_shared() -> None:
    fit_of = fit_on_offers(Request(1e6, 64), nodes=2)
    found = fit_of(offer("A100-80GB", "8"))
    assert isinstance(found, Fit)
    assert (found.gpus, found.nodes, found.micro_batch) == (16, 2, 4)
    assert fit_of(offer("A100-80GB", "8")) is found
    assert fit_of(offer("Nothing-1", "8")) == "no-data-sheet"
    assert fit_of(offer("T4", "3")) == "batch-indivisible"
    assert fit_of(offer("A10", "0.5", 12.0)) == "slice-alone"


def test_the_clouds_figure_counts_where_it_is_smaller() -> None:
    found = fit_on_offers(Request(1e6, 64))(offer("L4", "1", 22.0))
    assert isinstance(found, Fit)
    assert found.gpu_memory_usable_gib == pytest.approx(22.0 * 0.97)
