"""Which command of a folder may be the training: scripts ranked by what they say of themselves. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from tradewind.app.starting.code import Code

_FRAMEWORKS = frozenset({
    "torch", "lightning", "pytorch_lightning", "transformers", "keras", "tensorflow", "jax", "flax", "timm", "peft",
    "accelerate", "deepspeed", "trl", "fastai", "paddle", "mindspore", "ultralytics", "diffusers", "sklearn", "xgboost",
})  # fmt: skip
_TRAINING_CALLS = frozenset({"backward", "fit", "train_on_batch", "Trainer", "Seq2SeqTrainer", "SFTTrainer"})
_LIKELY = re.compile(r"(?:^|[_\-])(?:pre)?(?:train|training|finetune|fine_tune|fit)(?:$|[_\-])", re.IGNORECASE)
_UNLIKELY = re.compile(
    r"(?:^|[_\-])(?:tests?|conftest|setup|eval|evaluate|predict|inference|infer|export|demo|utils?)(?:$|[_\-])",
    re.IGNORECASE,
)
_STARTS = re.compile(r"^\s*(?:\w+=\S*\s+)*(?:python3?|torchrun|accelerate|deepspeed|uv run)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Command:
    """Shell text that may be the training, and the file that it starts."""

    run: str
    file: str


def commands(codes: Sequence[Code], shells: Sequence[tuple[str, str]]) -> tuple[Command, ...]:
    """The commands that may train, the likeliest first; ``shells`` are names and texts of shell scripts.

    A script counts when it does something on its own and trains, or is named so. Shell scripts come last: what
    they start stands before them, and its options are known.
    """
    found = sorted((code for code in codes if _may_train(code)), key=_rank)
    scripts = tuple(Command(_run(code), code.name) for code in found)
    starters = (Command(f"bash {shlex.quote(name)}", name) for name, text in shells if _STARTS.search(text))
    return (*scripts, *starters)


def _may_train(code: Code) -> bool:
    return (code.guarded or code.acts) and (_trains(code) or bool(_LIKELY.search(_stem(code.name))))


def _trains(code: Code) -> bool:
    return bool(code.imports & _FRAMEWORKS) and any(call.last in _TRAINING_CALLS for call in code.calls)


def _rank(code: Code) -> tuple[bool, bool, bool, int, str]:
    """What is named so first; then what really trains; then what lies near the top."""
    stem = _stem(code.name)
    return (bool(_UNLIKELY.search(stem)), not _LIKELY.search(stem), not _trains(code), code.name.count("/"), code.name)


def _stem(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".py")


def _run(code: Code) -> str:
    """A script that imports from its own package is started as a module of it."""
    if code.relative and "/" in code.name:
        return f"python -m {shlex.quote(code.name.removesuffix('.py').replace('/', '.'))}"
    return f"python {shlex.quote(code.name)}"
