"""Replay of a timeline through a caching allocator: how much more is reserved than allocated.

The rules are those of PyTorch's CUDA allocator as its documentation states them: blocks are multiples of 512 bytes;
requests up to 1 MiB are cut from segments of 2 MiB, those below 10 MiB from segments of 20 MiB, larger ones get
segments in steps of 2 MiB; the best fitting free block is taken, split when enough remains, and joined with its free
neighbours when freed. (PyTorch "CUDA semantics", memory management; sizing.md §2, 2026-11.)
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence

from tradewind.tracing.timeline import Timeline

BLOCK, MIB = 512, 1 << 20
SMALL, LARGE = MIB, 10 * MIB
REPLAYED = tuple(2**power for power in range(11))


class Allocator:
    """A caching allocator that never gives back; addresses are numbers of its own."""

    def __init__(self) -> None:
        self.allocated = self.reserved = self.peak_allocated = 0
        self._end = 0  # segments lie apart, so that blocks of two never join
        self._free: dict[bool, list[tuple[int, int]]] = {True: [], False: []}  # small?: (size, address), sorted
        self._starts: dict[int, int] = {}  # free block: address → size
        self._ends: dict[int, int] = {}  # free block: address after it → its address
        self._used: dict[int, tuple[int, bool]] = {}

    def take(self, size: int) -> int:
        """The address of a new block of ``size`` bytes."""
        size = -(-max(size, 1) // BLOCK) * BLOCK
        small = size <= SMALL
        free = self._free[small]
        at = bisect_left(free, (size, 0))
        if at == len(free):
            self._grow(size, small)
            at = bisect_left(free, (size, 0))
        whole, address = free[at]
        self._unlist(whole, address, small)
        rest = whole - size
        if rest >= BLOCK if small else rest > SMALL:
            self._list(rest, address + size, small)
        else:
            size = whole
        self._used[address] = size, small
        self.allocated += size
        self.peak_allocated = max(self.peak_allocated, self.allocated)
        return address

    def give(self, address: int) -> None:
        """Frees the block at ``address``."""
        size, small = self._used.pop(address)
        self.allocated -= size
        after = self._starts.get(address + size)
        if after is not None:
            self._unlist(after, address + size, small)
            size += after
        before = self._ends.get(address)
        if before is not None:
            length = address - before
            self._unlist(length, before, small)
            address, size = before, size + length
        self._list(size, address, small)

    def _grow(self, size: int, small: bool) -> None:
        step = 2 * MIB
        segment = step if small else 2 * LARGE if size < LARGE else -(-size // step) * step
        self._end += BLOCK
        self._list(segment, self._end, small)
        self._end += segment
        self.reserved += segment

    def _list(self, size: int, address: int, small: bool) -> None:
        insort(self._free[small], (size, address))
        self._starts[address] = size
        self._ends[address + size] = address

    def _unlist(self, size: int, address: int, small: bool) -> None:
        free = self._free[small]
        del free[bisect_left(free, (size, address))]
        del self._starts[address], self._ends[address + size]


def reserved_ratios(timeline: Timeline, weights: Sequence[int], states: Sequence[int]) -> tuple[tuple[int, float], ...]:
    """(micro-batch, reserved ÷ allocated at the peak) of two steps in a row.

    Args:
        timeline: one step.
        weights: bytes of each weight and buffer.
        states: bytes of each tensor that the optimizer keeps; they are allocated in the first step.
    """
    return tuple((micro_batch, _replay(timeline, micro_batch, weights, states)) for micro_batch in REPLAYED)


def _replay(timeline: Timeline, micro_batch: int, weights: Sequence[int], states: Sequence[int]) -> float:
    allocator = Allocator()
    for weight in weights:
        allocator.take(weight)
    sizes = [round(timeline.amount(storage).at(micro_batch)) for storage in range(len(timeline.sizes))]
    for step in range(2):
        addresses: dict[int, int] = {}
        for event in timeline.events:
            if event.what == "alloc":
                addresses[event.storage] = allocator.take(sizes[event.storage])
            elif event.what == "free":
                allocator.give(addresses.pop(event.storage))
        if step == 0:
            for state in states:
                allocator.take(state)
        for address in addresses.values():  # gradients are set to None, the output goes
            allocator.give(address)
    return allocator.reserved / allocator.peak_allocated if allocator.peak_allocated else 1.0
