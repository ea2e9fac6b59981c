"""Keras 3 on torch: one callback, by which a preemption costs nothing. It resumes by itself.

model.fit(..., callbacks=[TradewindCallback()])
"""

from __future__ import annotations

import os
import time
from typing import Any, Dict, Optional

import torch
from keras.callbacks import Callback

from tradewind.training.course import Course, numbers
from tradewind.training.randomness import capture_rng, restore_rng

_WEIGHTS, _PLACE = "model.weights.h5", "place.pt"


class TradewindCallback(Callback):  # type: ignore[misc]  # Keras tells no types
    """Saves as often as is worth it and when the machine is going away, ends with 75 then, and tells how it goes.

    ``fit`` goes on from the newest complete checkpoint: within an epoch with the batches that are left, in the same
    order. The model is built before ``fit``, as an ``Input`` does it.

    Args:
        every: how often to save: ``auto``, ``5m``, ``200 steps``; None: as the job file says.

    Raises:
        ValueError: ``every`` cannot be used.
    """

    def __init__(self, every: Optional[str] = None) -> None:
        super().__init__()
        self._course = Course(every)
        self._step = 0
        self._epoch = self._batches = 0  # the epoch's number, and batches done in it
        self._random: Dict[str, Any] = {}  # states before the epoch's order was drawn
        self._resumed: Dict[str, Any] = {}

    def on_train_begin(self, logs: Any = None) -> None:
        """Go back to where the newest checkpoint was made."""
        folder = self._course.latest()
        if folder is not None:
            self.model.optimizer.build(self.model.trainable_variables)  # else its state would have no place to go to
            self.model.load_weights(os.path.join(folder, _WEIGHTS))
            self._resumed = torch.load(os.path.join(folder, _PLACE), weights_only=True)
            self.model._initial_epoch = self._resumed["epoch"]  # as keras.callbacks.BackupAndRestore does
        self._step = self._iterations()
        self._course.events.run_started(self._total())

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Before the order of an epoch is drawn."""
        resumed, self._resumed = self._resumed, {}
        if resumed:
            restore_rng(resumed["before"])
        self._epoch, self._batches, self._random = epoch, 0, capture_rng()
        if resumed and resumed["batches"]:
            self._pass_over(resumed["batches"], resumed["now"])

    def _pass_over(self, batches: int, now: Dict[str, Any]) -> None:
        """Let batches go by that were done before: Keras has no way to begin within an epoch."""
        model, train, left = self.model, self.model.train_function, batches

        def pass_over(data: Any) -> Dict[str, Any]:
            nonlocal left
            left -= 1
            if not left:
                model.train_function = train
                restore_rng(now)
            return {}

        model.train_function = pass_over

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """After each step: tell it, save when it is time, end here when a stop was asked for.

        After the last of an epoch only a stop is worth a save: the epoch's end, which is to come, is the better place.
        """
        self._batches = batch + 1
        step = self._iterations()
        if step == self._step:  # passed over
            return
        self._step = step
        self._course.events.step(step, self._total(), epoch=self._epoch, **_loss(logs))
        if self._batches != self.params.get("steps") or self._course.stopping():
            self._save_if_wanted(self._epoch, self._batches)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Between two epochs: tell the numbers of the evaluation; save as after a step."""
        found = {name: value for name, value in numbers(logs).items() if name.startswith("val_")}
        if found:
            self._course.events.eval(self._step, **found)
        self._random = capture_rng()
        self._save_if_wanted(epoch + 1, 0)

    def _save_if_wanted(self, epoch: int, batches: int) -> None:
        if not self._course.save_now(self._step):
            return
        place = {"epoch": epoch, "batches": batches, "before": self._random, "now": capture_rng()}

        def write(folder: str) -> None:
            self.model.save_weights(os.path.join(folder, _WEIGHTS))  # the optimizer's state is among them
            torch.save(place, os.path.join(folder, _PLACE))

        saved = self._course.commit(self._step, time.monotonic(), write)
        if self._course.stopping():
            self._course.leave(saved)

    def _iterations(self) -> int:
        return int(self.model.optimizer.iterations)

    def _total(self) -> Optional[int]:
        steps, epochs = self.params.get("steps"), self.params.get("epochs")
        return steps * epochs if steps and epochs else None


def _loss(logs: Any) -> Dict[str, Any]:
    return {"loss": logs["loss"]} if logs and "loss" in logs else {}
