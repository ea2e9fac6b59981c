"""Hugging Face Trainer: one callback, by which a preemption costs nothing.

callback = TradewindCallback()
trainer = Trainer(..., callbacks=[callback])
trainer.train(resume_from_checkpoint=callback.latest())
"""

from __future__ import annotations

import os
import time
from typing import Any, Dict, Optional, Tuple

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from tradewind.training.course import Course, link_tree, numbers


class TradewindCallback(TrainerCallback):
    """Saves as often as is worth it and when the machine is going away, ends with 75 then, and tells how it goes.

    Each save of the Trainer, its own ones too, becomes a checkpoint that is complete or absent.

    Args:
        every: how often to save besides ``save_strategy``: ``auto``, ``5m``, ``200 steps``; None: as the job file says.

    Raises:
        ValueError: ``every`` cannot be used.
    """

    def __init__(self, every: Optional[str] = None) -> None:
        self._course = Course(every)
        self._values: Dict[str, Any] = {}
        self._began = 0.0
        self._leaving = False

    def latest(self) -> Optional[str]:
        """What ``train(resume_from_checkpoint=…)`` takes: the newest complete checkpoint; None: a fresh start."""
        return self._course.latest()

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Tell of it."""
        self._course.events.run_started(state.max_steps, world=args.world_size)

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """After each optimizer step: tell it, and have the Trainer save when it is time."""
        self._course.events.step(state.global_step, state.max_steps, epoch=state.epoch, **self._values)
        wanted, self._leaving = _agreed(args, self._course.save_now(state.global_step), self._course.stopping())
        if wanted:
            control.should_save = True
        if self._leaving:
            control.should_evaluate = False
        self._began = time.monotonic()

    def on_log(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Keep loss and learning rate for the steps to be told."""
        logs = numbers(kwargs.get("logs"))
        told = {"loss": logs.get("loss"), "lr": logs.get("learning_rate"), "grad_norm": logs.get("grad_norm")}
        self._values.update({name: value for name, value in told.items() if value is not None})

    def on_evaluate(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Tell the numbers of an evaluation; its time is no part of a save that follows."""
        self._course.events.eval(state.global_step, **numbers(kwargs.get("metrics")))
        self._began = time.monotonic()

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """The Trainer wrote ``checkpoint-N``: make it a checkpoint of ours; end here when a stop was asked for."""
        _wait_for_all(args)
        source = os.path.join(str(args.output_dir), f"checkpoint-{state.global_step}")
        saved = self._course.commit(state.global_step, self._began, lambda folder: link_tree(source, folder))
        if self._leaving:
            self._course.leave(saved)


def _agreed(args: TrainingArguments, *flags: bool) -> Tuple[bool, ...]:
    """The flags as all processes see them: raised when one raised it, so that all save after the same step."""
    if args.world_size == 1:
        return flags
    import torch

    told = torch.tensor(flags, dtype=torch.int32, device=args.device)
    torch.distributed.all_reduce(told, op=torch.distributed.ReduceOp.MAX)
    return tuple(bool(each) for each in told.tolist())


def _wait_for_all(args: TrainingArguments) -> None:
    """Each process writes its own random state: the folder is whole when all have."""
    if args.world_size > 1:
        import torch

        torch.distributed.barrier()
