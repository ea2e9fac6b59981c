"""What PyTorch's caching allocator holds beyond what is allocated: blocks that no later tensor fits into.

A traced profile comes with the replay of its allocations through a model of the allocator at some micro-batches; the
bytes beyond are taken from there. Otherwise a share of the allocated bytes. Both never shrink with the micro-batch.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from tradewind.domain.profile import ModelProfile
from tradewind.sizing.memo import once
from tradewind.sizing.terms import MIB, Spread, term

_FP32 = 4.0  # bytes of a weight, and of its gradient, in the replay


@dataclass(frozen=True, slots=True)
class Overhead:
    """Bytes reserved beyond the allocated ones: ``unused`` at each of ``batches``, or ``share`` of the allocated."""

    batches: tuple[int, ...]
    unused: tuple[float, ...]
    share: Spread
    first: Spread

    def reserved(self, allocated: float, micro_batch: float, end: int) -> float:
        """Bytes reserved; ``end`` says which end of the spreads: 0 low, 1 value, 2 high."""
        return allocated * self.share[end] + self.beyond(micro_batch) + self.first[end]

    def beyond(self, micro_batch: float) -> float:
        """Bytes of the replay, interpolated; beyond the last one they grow as the batch does."""
        if not self.batches:
            return 0.0
        if micro_batch >= self.batches[-1]:
            return self.unused[-1] * micro_batch / self.batches[-1]
        at = bisect_right(self.batches, micro_batch)
        if at == 0:
            return self.unused[0]
        left, right = self.batches[at - 1], self.batches[at]
        part = (micro_batch - left) / (right - left)
        return self.unused[at - 1] * (1 - part) + self.unused[at] * part


def overhead(profile: ModelProfile, whole: bool) -> Overhead:
    """The overhead of ``profile``; the replay tells it where a GPU holds the ``whole`` model, as it did there."""
    first = Spread(*(end * MIB for end in term("segments")))
    if not profile.reserved or not whole:
        return Overhead((), (), term("fragmentation"), first)
    batches, beyond = _beyond(profile)
    share = term("replayed")
    return Overhead(batches, beyond, Spread(1.0, share.value, share.high), first)


@once
def _beyond(profile: ModelProfile) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Micro-batches of the replay, and the bytes reserved there beyond the allocated ones."""
    # The replay had weights, their gradients kept from the pass before, and one optimizer state of fp32.
    frozen = (profile.parameters - profile.trainable) * profile.frozen_bytes
    stay = profile.trainable * 3 * _FP32 + frozen + profile.buffers
    batches, beyond, most = [], [], 0.0
    for batch, ratio in sorted(profile.reserved):
        passing = max(each.tensors.at(batch) + each.copies for each in profile.moments)
        most = max(most, (ratio - 1.0) * (stay + passing))
        batches.append(batch)
        beyond.append(most)
    return tuple(batches), tuple(beyond)
