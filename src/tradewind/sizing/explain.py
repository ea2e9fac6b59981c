"""Where the numbers of a fit come from: each term with its formula, its numbers, its result and its source."""

from __future__ import annotations

from typing import Any

from tradewind.domain.fit import Fit
from tradewind.domain.gpus import data_sheet
from tradewind.domain.profile import ModelProfile
from tradewind.sizing.arithmetic import compute_bytes, peak_flops, state_bytes, weight_bytes
from tradewind.sizing.held import held
from tradewind.sizing.layout import Layout
from tradewind.sizing.layouts import layout_of
from tradewind.sizing.memory import Budget
from tradewind.sizing.reported import reported_gib
from tradewind.sizing.request import Hardware, Request
from tradewind.sizing.stage import stages
from tradewind.sizing.terms import GIB, terms

PALM = "Chowdhery et al. 2022, arXiv 2204.02311 §B"
ZERO = "Rajbhandari et al. 2020, arXiv 1910.02054 §3.1"
_SOURCES = {
    "traced": "trace of the model by tensor", "parameters": "closed form of the number of parameters",
    "closed-form": "closed form of the layers; Korthikanti et al. 2022, arXiv 2205.05198 §4.1",
}  # fmt: skip

Row = dict[str, Any]


def explained(request: Request, fit: Fit) -> list[Row]:
    """Every term of ``fit``: ``term``, ``formula``, ``numbers`` in it, ``value``, ``unit``, ``source``.

    The lines of memory sum to the device's peak; those of time to the step.
    """
    sheet = data_sheet(fit.gpu, fit.form) or data_sheet(fit.gpu)
    profile = request.profile(fit.activation_checkpointing) or request.profiles[0]
    if sheet is None:
        return []
    hardware = Hardware(sheet, fit.gpus, fit.nodes)
    budget = Budget(profile, request, hardware, layout_of(fit, hardware))
    return [*_memory(budget, fit), *_room(budget), *_time(budget, fit)]


def _memory(budget: Budget, fit: Fit) -> list[Row]:
    profile, request, layout = budget.profile, budget.request, budget.layout
    line, micro, parts = budget.demand.fullest(fit.micro_batch), fit.micro_batch, fit.memory_gib
    stage = next(iter(stages(profile, layout)))
    holds = held(profile, stage, request.precision, request.optimizer, layout)
    copies = line.weights - holds.weights - profile.buffers - (0.0 if line.moment.phase == "step" else holds.gathered)
    rows = [
        _row("weights", _weights_formula(profile, layout), _counts(profile, request, layout), holds.weights / GIB,
             ZERO),
        _row("buffers", "bytes of buffers", {}, profile.buffers / GIB, _SOURCES[profile.source]),
        _row("gathered", "units × parameters of the largest unit × bytes, and embedding and head",
             {"units": terms()["units-gathered"].spread.value, "largest": stage.largest, "outer": stage.outer,
              "bytes": compute_bytes(request.precision)}, holds.gathered / GIB, terms()["units-gathered"].source),
        _row("autocast-copies", "16-bit copy of each weight that autocast used", {}, copies / GIB,
             "PyTorch AMP manual (2026)"),
        _row("gradients", "trained × bytes ÷ shards × share alive at the peak, and buckets, and one unsharded unit",
             {"trained": stage.trainable, "bytes": weight_bytes(request.precision),
              "buckets_gib": holds.buckets / GIB, "unsharded_gib": holds.unsharded / GIB}, parts.gradients, ZERO),
        _row("optimizer", "trained × bytes of state ÷ shards",
             {"trained": stage.trainable, "bytes": state_bytes(request.optimizer, request.precision),
              "shards": _shards(layout)}, parts.optimizer, ZERO),
        _row("activations", "fixed + micro-batch × bytes of a sample, at the peak of the " + line.moment.phase,
             {"fixed_gib": line.tensors[0] / GIB, "micro_batch": micro, "sample_gib": line.tensors[1] / GIB},
             parts.activations, _SOURCES[profile.source]),
        _row("workspace", "cuBLAS + cuDNN + temporaries of the optimizer", {}, parts.workspace,
             terms()["cublas"].source),
        _row("allocator", "reserved − allocated", {},
             fit.peak_memory_gib.reserved.value - fit.peak_memory_gib.allocated.value, terms()["fragmentation"].source),
        _row("runtime", "CUDA context + NCCL + CUDA graphs", {}, parts.runtime, terms()["context"].source),
        _row("device", "sum of the above", {}, fit.peak_memory_gib.device.value, ""),
    ]  # fmt: skip
    return [row for row in rows if row["value"] or row["term"] == "device"]


def _weights_formula(profile: ModelProfile, layout: Layout) -> str:
    frozen = " + frozen × bytes" if profile.trainable < profile.parameters else ""
    return f"(trained × bytes{frozen}) ÷ shards" if _shards(layout) > 1 else f"trained × bytes{frozen}"


def _counts(profile: ModelProfile, request: Request, layout: Layout) -> dict[str, float]:
    split = layout.tensor * layout.pipeline
    return {
        "parameters": profile.parameters, "trained": profile.trainable / split,
        "bytes": weight_bytes(request.precision), "frozen_bytes": profile.frozen_bytes, "shards": _shards(layout),
    }  # fmt: skip


def _shards(layout: Layout) -> int:
    return 1 if layout.strategy in ("single", "ddp") else layout.data * layout.context


def _room(budget: Budget) -> list[Row]:
    reported, margin = reported_gib(budget.hardware), terms()["margin"]
    card = terms().get(f"reported:{budget.hardware.gpu.id}") or terms()["reported"]
    nominal = {"nominal_gib": budget.hardware.gpu.memory_gib}
    return [
        _row("reported", "memory that the card reports", nominal, reported, card.source),
        _row("usable", "reported × (1 − margin)", {"margin": margin.spread.value}, budget.usable_gib, margin.source),
    ]


def _time(budget: Budget, fit: Fit) -> list[Row]:
    request, gpu = budget.request, budget.hardware.gpu
    peak = peak_flops(gpu, request.precision, request.trains) or 0.0
    rates = {"peak_tflops": peak / 1e12, "bandwidth_gb_s": gpu.bandwidth_gb_s}
    rows = [
        _row(f"seconds:{name}", "fitted sum of the work of its class at the data sheet's rates", rates, seconds,
             "efficiency_data.json, fitted on public measurements; " + gpu.source, "s")
        for name, seconds in fit.step_parts.items() if seconds
    ]  # fmt: skip
    flops = {"flops": fit.flops_per_step, "seconds": fit.step_seconds.value, "gpus": fit.gpus, "peak": peak}
    return [
        *rows,
        _row("step", "sum of the above", {}, fit.step_seconds.value, "", "s"),
        _row("mfu", "FLOPs ÷ (seconds × GPUs × peak)", flops, fit.mfu, PALM, ""),
    ]


def _row(term: str, formula: str, numbers: dict[str, Any], value: float, source: str, unit: str = "GiB") -> Row:
    return {"term": term, "formula": formula, "numbers": numbers, "value": value, "unit": unit, "source": source}
