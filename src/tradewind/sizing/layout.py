"""Layout: how one optimizer step is spread over the GPUs."""

from __future__ import annotations

from dataclasses import dataclass

SHARDED = ("zero1", "zero2", "fsdp", "fsdp-grad-op")


@dataclass(frozen=True, slots=True)
class Layout:
    """How one optimizer step is spread: ``data × tensor × pipeline × context`` GPUs.

    Attributes:
        strategy: ``single``, ``ddp``, one of :data:`SHARDED`, or ``3d`` for tensor, pipeline or context parallelism.
        micro_batch: samples of one forward pass of one data-parallel rank; ``accumulation`` passes make a step.
    """

    strategy: str
    micro_batch: int
    accumulation: int = 1
    data: int = 1
    tensor: int = 1
    pipeline: int = 1
    context: int = 1

    @property
    def gpus(self) -> int:
        """GPUs in all."""
        return self.data * self.tensor * self.pipeline * self.context
