"""Lightning: one callback, by which a preemption costs nothing. For ``lightning`` 2 and ``pytorch_lightning`` 2.

callback = TradewindCallback()
trainer = Trainer(..., callbacks=[callback])
trainer.fit(model, ckpt_path=callback.latest())
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from typing import TYPE_CHECKING, Any, Dict, Optional

from tradewind.training.course import Course, numbers
from tradewind.training.randomness import capture_rng, restore_rng

if TYPE_CHECKING or "pytorch_lightning" not in sys.modules:
    from lightning.pytorch import Callback, LightningModule, Trainer
else:  # a Trainer takes callbacks of its own package only
    from pytorch_lightning import Callback, LightningModule, Trainer

_FILE, _DRAFT = "lightning.ckpt", ".tmp-lightning.ckpt"


class TradewindCallback(Callback):
    """Saves as often as is worth it and when the machine is going away, ends with 75 then, and tells how it goes.

    A run that was stopped within an epoch goes on with the batches of that epoch that are left, in the same order.

    Args:
        every: how often to save: ``auto``, ``5m``, ``200 steps``; None: as the job file says.

    Raises:
        ValueError: ``every`` cannot be used.
    """

    def __init__(self, every: Optional[str] = None) -> None:
        self._course = Course(every)
        self._step = -1
        self._batches = 0  # done in this epoch
        self._random: Dict[str, Any] = {}  # states before the epoch's order was drawn
        self._drawn = False
        self._resumed: Dict[str, Any] = {}

    def latest(self) -> Optional[str]:
        """What ``fit(ckpt_path=…)`` takes: the newest complete checkpoint; None: a fresh start."""
        found = self._course.latest()
        return os.path.join(found, _FILE) if found else None

    def state_dict(self) -> Dict[str, Any]:
        """What Lightning keeps of the callback in a checkpoint: random states, and how far the epoch is."""
        return {"batches": self._batches, "epoch": self._random, "now": capture_rng()}

    def load_state_dict(self, state_dict: Dict[str, Any]) -> None:
        """Lightning resumes from a checkpoint with this in it."""
        self._resumed = state_dict

    def on_fit_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Before the first epoch's order is drawn: with the set-up of the data, those of others when they begin."""
        self._random, self._drawn = capture_rng(), True

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Tell of it, and go back to where the epoch was left.

        Lightning's own answer to SIGTERM, in place by now, would end the run with 0 and no checkpoint.
        """
        self._course.guard.take_over()
        total = trainer.estimated_stepping_batches
        self._course.events.run_started(int(total) if total != float("inf") else None, world=trainer.world_size)
        self._step = trainer.global_step
        if self._resumed:
            self._go_back(trainer, self._resumed)
            self._resumed = {}

    def _go_back(self, trainer: Trainer, resumed: Dict[str, Any]) -> None:
        """Draw the epoch's order again and pass over the batches that were done. Lightning begins its data anew."""
        warnings.filterwarnings("ignore", "You're resuming from a checkpoint that ended before the epoch ended")
        self._random, self._batches = resumed["epoch"], resumed["batches"]
        restore_rng(self._random)
        fetcher: Any = trainer.fit_loop._data_fetcher  # there is no public way
        iter(fetcher)
        for _ in range(self._batches):
            next(fetcher)
        fetcher.fetched = 0  # Lightning adds those that were done by itself
        if self._batches:
            restore_rng(resumed["now"])

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Before the order of an epoch is drawn, the first one's excepted."""
        if not self._drawn:
            self._random = capture_rng()
        self._batches = 0

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """After each optimizer step: tell it, save when it is time, end here when a stop was asked for.

        Not after the last of an epoch: what Lightning saved there would go on a whole epoch later.
        """
        self._drawn, self._batches = False, batch_idx + 1
        if trainer.global_step == self._step:  # gradients that are still gathered are in no checkpoint
            return
        self._step = trainer.global_step
        loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
        told = {} if loss is None else {"loss": loss}
        self._course.events.step(self._step, epoch=trainer.current_epoch, **told)
        if not trainer.is_last_batch:
            self._save_if_wanted(trainer)

    def on_train_epoch_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Between two epochs: as after a step."""
        self._random, self._batches = capture_rng(), 0
        self._save_if_wanted(trainer)

    def _save_if_wanted(self, trainer: Trainer) -> None:
        wanted, leaving = (
            trainer.strategy.reduce_boolean_decision(each, all=False)
            for each in (self._course.save_now(trainer.global_step), self._course.stopping())
        )
        if wanted:
            saved = self._save(trainer)
            if leaving:
                self._course.leave(saved)

    def _save(self, trainer: Trainer) -> bool:
        began, draft = time.monotonic(), os.path.join(self._course.folder, _DRAFT)
        trainer.save_checkpoint(draft)  # all processes do
        return self._course.commit(
            trainer.global_step, began, lambda folder: os.replace(draft, os.path.join(folder, _FILE))
        )

    def on_validation_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Tell the numbers of an evaluation."""
        if not trainer.sanity_checking:
            self._course.events.eval(trainer.global_step, **numbers(trainer.callback_metrics))
