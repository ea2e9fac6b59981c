"""Fit: one way that a workload runs on some GPU."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tradewind.domain.estimate import Estimate
from tradewind.domain.precision import Precision


@dataclass(frozen=True, slots=True)
class PeakMemory:
    """Peak memory of the fullest GPU, GiB: inside the allocator, reserved by it, and on the device in all."""

    allocated: Estimate
    reserved: Estimate
    device: Estimate


@dataclass(frozen=True, slots=True)
class MemoryParts:
    """What fills a GPU at the peak, GiB."""

    parameters: float
    gradients: float
    optimizer: float
    activations: float
    workspace: float
    runtime: float


@dataclass(frozen=True, slots=True)
class Hint:
    """Something to be said about a fit: a code and the facts that its sentence needs."""

    code: str
    facts: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """``code`` and ``facts``."""
        return {"code": self.code, "facts": self.facts}


@dataclass(frozen=True, slots=True)
class Fit:
    """One way of running a workload on ``gpus`` GPUs of one kind.

    ``gpus`` is in all (a fraction for a slice); ``micro_batch`` per GPU; ``flops_per_step`` over all GPUs for one
    optimizer step with a multiply-add as 2; ``mfu`` the share of the peak reached, 0 to 1. ``max_batch``: the largest
    rung of the ladder asked for that is expected to run; ``step_parts``: seconds by class of work; ``relief``: what
    would relieve the bottleneck, or make it fit. ``form`` is the GPU's (SXM, PCIe …). Where text is generated a step
    is one token of each sequence, and ``first_token_seconds`` the time of a prompt; otherwise that is None.
    """

    gpu: str
    gpus: float
    nodes: int
    strategy: str
    micro_batch: int
    grad_accumulation: int
    precision: Precision
    activation_checkpointing: str
    fits: bool
    peak_memory_gib: PeakMemory
    gpu_memory_nominal_gib: float
    gpu_memory_usable_gib: float
    memory_gib: MemoryParts
    max_micro_batch: int | None
    flops_per_step: float
    step_seconds: Estimate
    throughput_per_second: Estimate
    throughput_unit: str
    mfu: float
    bottleneck: str
    max_batch: int | None = None
    step_parts: dict[str, float] = field(default_factory=dict)
    first_token_seconds: Estimate | None = None
    form: str | None = None
    relief: tuple[Hint, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """One element of ``fits`` in ``size --json``."""
        peak, parts = self.peak_memory_gib, self.memory_gib
        return {
            "gpu": self.gpu, "form": self.form, "gpus": _whole(self.gpus), "nodes": self.nodes,
            "strategy": self.strategy, "micro_batch": self.micro_batch, "grad_accumulation": self.grad_accumulation,
            "precision": self.precision.value, "activation_checkpointing": self.activation_checkpointing,
            "fits": self.fits,
            "peak_memory_gib": {"allocated": peak.allocated.to_json(), "reserved": peak.reserved.to_json(),
                                "device": peak.device.to_json()},
            "gpu_memory_gib": {"nominal": self.gpu_memory_nominal_gib, "usable": self.gpu_memory_usable_gib},
            "memory_gib": {"parameters": parts.parameters, "gradients": parts.gradients,
                           "optimizer": parts.optimizer, "activations": parts.activations,
                           "workspace": parts.workspace, "runtime": parts.runtime},
            "max_micro_batch": self.max_micro_batch, "flops_per_step": self.flops_per_step,
            "step_seconds": self.step_seconds.to_json(),
            "throughput_per_second": self.throughput_per_second.to_json(),
            "throughput_unit": self.throughput_unit, "mfu": self.mfu, "bottleneck": self.bottleneck,
            "max_batch": self.max_batch, "step_parts": self.step_parts,
            "first_token_seconds": self.first_token_seconds.to_json() if self.first_token_seconds else None,
            "relief": [hint.to_json() for hint in self.relief],
        }  # fmt: skip


def _whole(value: float) -> int | float:
    return int(value) if value == int(value) else value
