"""The library that a training loop uses: checkpoints that are never torn, stops that lose nothing, events that tell.

The loop, the model and the optimizer stay plain PyTorch. Importing this package does not import torch, so that the
guard can be installed before torch is loaded::

    from tradewind.training import Checkpointer, Events, PreemptionGuard

    events = Events()
    guard = PreemptionGuard(events)
    import torch
"""

from tradewind.training.checkpointer import Checkpointer, Rejected, Resumed
from tradewind.training.events import Events
from tradewind.training.preemption import PreemptionGuard
from tradewind.training.randomness import capture_rng, epoch_order, restore_rng

__all__ = [
    "Checkpointer",
    "Events",
    "PreemptionGuard",
    "Rejected",
    "Resumed",
    "capture_rng",
    "epoch_order",
    "restore_rng",
]
