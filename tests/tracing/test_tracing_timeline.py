"""The moments at which memory may peak, from events made by hand and by chance."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tradewind.domain.profile import Amount, Moment
from tradewind.tracing.timeline import Event, Timeline

BATCH = 61


def timeline(
    *steps: tuple[str, int], sizes: list[int], copies: set[int] | None = None, gradients: float = 0
) -> Timeline:
    events = [Event("phase", phase=what) if number < 0 else Event(what, number) for what, number in steps]
    return Timeline(BATCH, sizes, copies or set(), events, gradients)


def test_sizes_that_the_batch_divides_grow_and_others_stay() -> None:
    made = timeline(("alloc", 0), ("alloc", 1), sizes=[BATCH * 100, 1000])
    assert made.moments() == (Moment("forward", Amount(1000, 100)),)


def test_a_moment_lies_after_the_last_allocation_before_something_ends() -> None:
    made = timeline(("alloc", 0), ("alloc", 1), ("free", 0), ("alloc", 2), sizes=[10, 20, 5])
    assert made.moments() == (Moment("forward", Amount(30)),)


def test_small_and_large_batches_may_peak_at_different_moments() -> None:
    made = timeline(("alloc", 0), ("free", 0), ("backward", -1), ("alloc", 1), sizes=[10_000, BATCH * 100])
    assert made.moments() == (Moment("forward", Amount(10_000)), Moment("backward", Amount(0, 100)))


def test_copies_of_weights_are_told_apart() -> None:
    made = timeline(("alloc", 0), ("alloc", 1), sizes=[10, 7], copies={1})
    assert made.moments() == (Moment("forward", Amount(10), copies=7),)


def test_a_gradient_counts_as_a_tensor_until_its_weight_keeps_it() -> None:
    made = timeline(("alloc", 0), ("keep", 0), ("alloc", 1), sizes=[30, 5], gradients=40)
    assert made.moments() == (Moment("forward", Amount(30)), Moment("forward", Amount(5), gradients=0.75))


@st.composite
def histories(draw: st.DrawFn) -> Timeline:
    """Storages that are made, perhaps become gradients, and perhaps end."""
    sizes = draw(
        st.lists(st.integers(1, 5_000) | st.integers(1, 100).map(lambda n: n * BATCH), min_size=1, max_size=12)
    )
    events: list[Event] = []
    for number in range(len(sizes)):
        events.append(Event("alloc", number))
        alive = {event.storage for event in events} - {event.storage for event in events if event.what == "free"}
        for other in draw(st.lists(st.sampled_from(sorted(alive)), unique=True, max_size=3)) if alive else ():
            kept = Event("keep", other) in events or sizes[other] % BATCH == 0  # a gradient is as large as its weight
            events.append(Event("free" if kept else draw(st.sampled_from(["free", "keep"])), other))
    gradients = sum(sizes[event.storage] for event in events if event.what == "keep")
    return Timeline(BATCH, sizes, set(), events, gradients)


@given(histories(), st.floats(0.5, 16_384))
def test_the_moments_kept_give_the_peak_of_every_event_at_every_batch(made: Timeline, micro_batch: float) -> None:
    for kept_before in (False, True):
        weight = 0.0 if kept_before else made.gradient_bytes
        told = max(m.tensors.at(micro_batch) + m.copies + m.gradients * weight for m in made.moments())
        alive: dict[int, float] = {}
        seen = 0.0
        for event in made.events:
            if event.what == "free":
                alive.pop(event.storage)
            elif event.what == "keep":  # as profiles see it: gradients are a share of all gradients' bytes
                alive[event.storage] = 0.0 if kept_before else made.sizes[event.storage]
            else:
                alive[event.storage] = made.amount(event.storage).at(micro_batch)
            seen = max(seen, sum(alive.values()))
        assert abs(told - seen) <= 1e-6 * max(seen, 1.0)
