"""Peak memory of the fullest GPU, as a budget line by line with its range.

persistent   weights, gradients, optimizer state (ZeRO paper, arXiv 1910.02054 §3.1), whole or sharded
passing      saved activations × micro-batch and the autocast copy, or the optimizer's temporaries if those are more
workspace    cuBLAS, convolution
× fragmentation + segments = reserved;  + CUDA context, NCCL = device
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from tradewind.domain.estimate import Estimate
from tradewind.domain.fit import MemoryParts, PeakMemory
from tradewind.sizing import constants as c
from tradewind.sizing.arithmetic import capability, compute_bytes, is_autocast, is_wide, state_bytes, weight_bytes
from tradewind.sizing.request import Hardware, Request

Pick = Callable[[c.Spread], float]  # which end of every spread is looked at


def _low(spread: c.Spread) -> float:
    return spread.low


def _value(spread: c.Spread) -> float:
    return spread.value


def _high(spread: c.Spread) -> float:
    return spread.high


@dataclass(frozen=True, slots=True)
class Budget:
    """What one GPU of ``hardware`` holds under ``strategy``; all results in GiB."""

    request: Request
    hardware: Hardware
    strategy: str

    @property
    def usable_gib(self) -> float:
        """What may be filled, CUDA context included: reported memory less a margin."""
        return reported_gib(self.hardware) * c.SAFE_SHARE

    def peak(self, micro_batch: int) -> PeakMemory:
        """Allocated, reserved and on the device in all, with ranges."""
        ends = [self._peak(pick, micro_batch) for pick in (_low, _value, _high)]
        low, value, high = ([min(end[i], ends[2][i]) for end in ends] for i in range(3))
        return PeakMemory(*(Estimate(mid, min(least, mid), most) for least, mid, most in (low, value, high)))

    def parts(self, micro_batch: int) -> MemoryParts:
        """The lines of the budget; all but ``runtime`` sum to the allocated value."""
        weights, gradients, states = self._persistent(_value)
        activations = self._sample(_value) * micro_batch
        unfilled = max(0.0, self._temporaries() - activations - self._copy())
        return MemoryParts(
            parameters=weights + self._copy(),
            gradients=gradients,
            optimizer=states,
            activations=activations,
            workspace=self._workspace(_value) + unfilled,
            runtime=self._runtime(_value),
        )

    def max_micro_batch(self) -> int:
        """The largest micro-batch whose upper end fits; 0 when none does."""
        most = (self.usable_gib - self._runtime(_high) - c.SEGMENT_GIB.high) / c.FRAGMENTATION.high
        left = most - sum(self._persistent(_high)) - self._workspace(_high)
        if left < self._temporaries():
            return 0
        return max(0, math.floor((left - self._copy()) / self._sample(_high)))

    def _peak(self, pick: Pick, micro_batch: int) -> tuple[float, float, float]:
        weights, gradients, states = self._persistent(pick)
        passing = max(self._sample(pick) * micro_batch + self._copy(), self._temporaries())
        if pick is _low:  # gradients that appear only as fast as activations go away
            allocated = weights + states + max(gradients, passing)
        else:
            allocated = weights + gradients + states + passing
        allocated += self._workspace(pick)
        reserved = allocated * pick(c.FRAGMENTATION) + pick(c.SEGMENT_GIB)
        return allocated, reserved, reserved + self._runtime(pick)

    def _persistent(self, pick: Pick) -> tuple[float, float, float]:
        """Weights, gradients and optimizer state."""
        count = self.request.parameters / c.GIB
        weight = weight_bytes(self.request.precision)
        state = state_bytes(self.request.optimizer, self.request.precision)
        if self.strategy == "fsdp":
            shard, unit = count / self.hardware.workers, count * pick(c.UNIT_SHARE)
            gathered = c.UNITS_GATHERED * unit * compute_bytes(self.request.precision)
            return shard * weight + gathered, (shard + unit) * weight, shard * state
        buckets = 2.0 if self.strategy == "ddp" else 1.0  # DDP copies gradients into its buckets
        return count * weight, count * weight * buckets, count * state

    def _sample(self, pick: Pick) -> float:
        """Saved activations of one sample."""
        share = 1.0 if is_wide(self.request.precision) else pick(c.SIXTEEN_BIT_SHARE)
        return activation_bytes(self.request, pick) * share / c.GIB

    def _copy(self) -> float:
        if self.strategy == "fsdp" or not is_autocast(self.request.precision):
            return 0.0  # FSDP gathers units in the compute type: counted with the weights
        return self.request.parameters * c.AUTOCAST_COPY_BYTES / c.GIB

    def _temporaries(self) -> float:
        held = self.request.parameters / (self.hardware.workers if self.strategy == "fsdp" else 1)
        return held * weight_bytes(self.request.precision) * c.STEP_TEMPORARY_SHARE / c.GIB

    def _workspace(self, pick: Pick) -> float:
        mib = c.CUBLAS_MIB_HOPPER if (capability(self.hardware.gpu) or 0) >= 9.0 else c.CUBLAS_MIB
        return mib / 1024 + pick(c.CONVOLUTION_GIB)

    def _runtime(self, pick: Pick) -> float:
        return pick(c.CONTEXT_GIB) + (pick(c.NCCL_GIB) if self.hardware.workers > 1 else 0.0)


def activation_bytes(request: Request, pick: Pick = _value) -> float:
    """Saved fp32 activations of one sample, bytes: as given, or c · F / sqrt(P) (``constants.ACTIVATION_BYTES``)."""
    if request.activation_bytes_per_sample is not None:
        return request.activation_bytes_per_sample * pick(c.ACTIVATION_TRACED)
    return pick(c.ACTIVATION_BYTES) * request.forward_flops / math.sqrt(request.parameters)


def reported_gib(hardware: Hardware) -> float:
    """Memory that each GPU or slice reports: less than its name says, and no more than the cloud says."""
    gpu = hardware.gpu
    share = c.REPORTED_SHARE_ECC if gpu.id in c.INLINE_ECC else c.REPORTED_SHARE
    by_name = gpu.memory_gib * share * hardware.fraction
    if hardware.memory_gib is None:
        return by_name
    return hardware.memory_gib * share if hardware.fraction < 1 else min(by_name, hardware.memory_gib)
