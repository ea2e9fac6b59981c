import random
from pathlib import Path

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from tradewind.training import Checkpointer, capture_rng, epoch_order, restore_rng


def draw() -> list[float]:
    return [
        random.random(),
        random.gauss(0, 1),
        float(np.random.rand()),
        float(np.random.randn()),
        torch.rand(()).item(),
    ]


def test_generators_go_on_where_they_were_after_a_checkpoint(tmp_path: Path) -> None:
    draw()  # leaves the second value of a gaussian pair waiting
    checkpointer = Checkpointer(tmp_path)
    checkpointer.save(1, {"rng": capture_rng()}, wait=True)
    expected = [draw() for _ in range(3)]
    resumed = checkpointer.resume()
    assert resumed is not None
    restore_rng(resumed.state["rng"])
    assert [draw() for _ in range(3)] == expected


@given(st.integers(0, 300), st.integers(0, 2**40), st.integers(0, 1000))
def test_an_order_is_a_permutation_that_seed_and_epoch_alone_decide(samples: int, seed: int, epoch: int) -> None:
    before = torch.get_rng_state()
    order = epoch_order(samples, seed, epoch)
    assert sorted(order.tolist()) == list(range(samples))
    assert torch.equal(order, epoch_order(samples, seed, epoch))
    assert torch.equal(before, torch.get_rng_state())


def test_orders_of_other_epochs_and_seeds_differ() -> None:
    orders = {tuple(epoch_order(50, seed, epoch).tolist()) for seed in range(5) for epoch in range(5)}
    assert len(orders) == 25
