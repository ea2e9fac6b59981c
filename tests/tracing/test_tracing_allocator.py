"""The caching allocator, by its published rules."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tradewind.tracing.allocator import MIB, Allocator, reserved_ratios
from tradewind.tracing.timeline import Event, Timeline


def reserved(*sizes: int) -> float:
    allocator = Allocator()
    for size in sizes:
        allocator.take(size)
    return allocator.reserved / MIB


def test_segments_follow_the_published_sizes() -> None:
    assert reserved(1) == reserved(MIB) == reserved(MIB, MIB) == 2
    assert reserved(MIB + 1) == reserved(9 * MIB) == 20
    assert reserved(10 * MIB) == 10
    assert reserved(10 * MIB + 1) == 12


def test_a_block_is_a_multiple_of_512_bytes() -> None:
    allocator = Allocator()
    allocator.take(1)
    allocator.take(513)
    assert allocator.allocated == 512 + 1024


def test_what_was_freed_is_taken_again_and_joined() -> None:
    allocator = Allocator()
    first, second = allocator.take(12 * MIB), allocator.take(6 * MIB)
    third = allocator.take(6 * MIB)
    assert allocator.reserved == 32 * MIB
    for address in (second, third, first):
        allocator.give(address)
    assert allocator.take(18 * MIB) == second
    assert allocator.reserved == 32 * MIB


def test_the_best_fitting_block_is_taken() -> None:
    allocator = Allocator()
    large, small = allocator.take(40 * MIB), allocator.take(14 * MIB)
    allocator.give(large)
    allocator.give(small)
    assert allocator.take(13 * MIB) == small


@given(st.lists(st.tuples(st.integers(1, 30 * MIB), st.booleans()), max_size=40))
def test_nothing_is_lost_and_blocks_never_overlap(steps: list[tuple[int, bool]]) -> None:
    allocator = Allocator()
    used: dict[int, int] = {}
    for size, free in steps:
        address = allocator.take(size)
        assert all(address + size <= other or other + length <= address for other, length in used.items())
        used[address] = size
        if free:
            gone = next(iter(used))
            del used[gone]
            allocator.give(gone)
        assert sum(used.values()) <= allocator.allocated <= allocator.reserved
    for address in used:
        allocator.give(address)
    assert allocator.allocated == 0


def test_the_second_step_takes_the_memory_of_the_first() -> None:
    events = [Event("alloc", 0), Event("alloc", 1), Event("free", 0), Event("free", 1)]
    made = Timeline(61, [61 * 4 * MIB, 61 * 2 * MIB], set(), events)
    ratios = dict(reserved_ratios(made, [8 * MIB], [8 * MIB]))
    assert ratios[64] == (20 + 256 + 128) / (8 + 8 + 256 + 128)
