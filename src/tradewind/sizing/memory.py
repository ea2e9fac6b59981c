"""Peak memory of the fullest GPU under a layout, as a budget line by line with its range.

    allocated  what the layout asks for (``demand``), and cuBLAS's workspace
    reserved   with what the allocator cannot reuse (``allocator``)
    device     with CUDA context, NCCL and CUDA graphs: what has to fit

Each is an affine function of the micro-batch, or the highest of some.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tradewind.domain.estimate import Estimate
from tradewind.domain.fit import MemoryParts, PeakMemory
from tradewind.domain.profile import ModelProfile
from tradewind.sizing.demand import HIGH, LOW, VALUE, Demand, demand
from tradewind.sizing.layout import Layout
from tradewind.sizing.memo import once
from tradewind.sizing.reported import context_bytes, reported_gib
from tradewind.sizing.request import Hardware, Request
from tradewind.sizing.terms import GIB, MIB, term
from tradewind.sizing.workspace import cublas_bytes

MOST = 2**20  # no larger micro-batch is looked for


@dataclass(slots=True)
class Budget:
    """What the fullest GPU of ``hardware`` holds under ``layout``, whatever its micro-batch; results in GiB.

    ``demand`` is what the layout asks for; ``usable_gib`` what may be filled, CUDA context included: reported memory
    less a margin.
    """

    profile: ModelProfile
    request: Request
    hardware: Hardware
    layout: Layout
    demand: Demand = field(init=False)
    usable_gib: float = field(init=False)
    _cublas: float = field(init=False)
    _outside: tuple[float, ...] = field(init=False)  # of the allocator: bytes at each end

    def __post_init__(self) -> None:
        self.demand = demand(self.profile, self.request, self.layout)
        self.usable_gib = reported_gib(self.hardware) * (1.0 - term("margin").value)
        self._cublas = cublas_bytes(self.hardware.gpu)
        context, outside = context_bytes(self.hardware.gpu), self.demand.outside
        self._outside = (context[LOW] + outside[LOW], context[VALUE] + outside[VALUE], context[HIGH] + outside[HIGH])

    def peak(self, micro_batch: int) -> PeakMemory:
        """Allocated, reserved and on the device in all, with ranges."""
        ends = (LOW, VALUE, HIGH)
        allocated = [self.demand.allocated(end, micro_batch) + self._cublas for end in ends]
        reserved = [self.demand.reserved(end, micro_batch, self._cublas) for end in ends]
        device = [reserved[end] + self._outside[end] for end in ends]
        return PeakMemory(_range(allocated), _range(reserved), _range(device))

    def parts(self, micro_batch: int) -> MemoryParts:
        """The lines of the budget at the peak; all but ``runtime`` sum to the allocated value."""
        line = self.demand.fullest(micro_batch)
        workspace = line.temporaries + line.workspace[0] + line.workspace[1] * micro_batch
        return MemoryParts(
            parameters=line.weights / GIB,
            gradients=line.gradients / GIB,
            optimizer=line.states / GIB,
            activations=(line.tensors[0] + line.tensors[1] * micro_batch) / GIB,
            workspace=(workspace + self._cublas) / GIB,
            runtime=self._outside[VALUE] / GIB,
        )

    def max_micro_batch(self) -> int:
        """The largest micro-batch whose upper end fits what is usable; 0 when none does."""
        left = self.usable_gib * GIB - self._outside[HIGH]
        return self._largest(HIGH, left, lambda micro_batch: self.demand.reserved(HIGH, micro_batch, self._cublas))

    def expected_micro_batch(self) -> int:
        """The largest micro-batch that is expected to run on the full card; 0 when none is.

        Before it fails, the allocator gives free blocks back and tries again: what it could not reuse does not count.
        """
        outside = term("crowded-outside").value * GIB + term("crowded-operation").value * MIB * _operations(
            self.profile
        )
        left = reported_gib(self.hardware) * GIB - outside - self.demand.outside[VALUE] - self._cublas
        return self._largest(VALUE, left, lambda micro_batch: self.demand.allocated(VALUE, micro_batch))

    def fits(self, micro_batch: int) -> bool:
        """Whether the upper end of the device's peak is at most what is usable."""
        return self.surely(micro_batch) <= self.usable_gib

    def surely(self, micro_batch: int) -> float:
        """The upper end of the device's peak."""
        return (self.demand.reserved(HIGH, micro_batch, self._cublas) + self._outside[HIGH]) / GIB

    def _largest(self, end: int, left: float, asked: Callable[[int], float]) -> int:
        """The largest micro-batch for which no more than ``left`` bytes are asked."""
        low, high = 0, MOST
        for fixed, slope in self.demand.slopes[end]:
            if fixed > left:
                return 0
            high = min(high, int((left - fixed) / slope)) if slope else high
        while low < high:
            middle = (low + high + 1) // 2
            if asked(middle) <= left:
                low = middle
            else:
                high = middle - 1
        return low


@once
def _operations(profile: ModelProfile) -> int:
    return sum(op.count for op in profile.ops)


def _range(ends: list[float]) -> Estimate:
    low, value, high = (end / GIB for end in ends)
    return Estimate(value, min(low, value), max(value, high))
