"""Where a script saves checkpoints, and where its results are. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from tradewind.app.starting.code import HOLE, Call, Code
from tradewind.app.starting.signs import Seen, first

_CHECKPOINTS = ("checkpoint_dir", "ckpt_dir", "checkpoint_path", "ckpt_path", "checkpoints", "save_dir", "dirpath")
_OUTPUTS = ("output_dir", "out_dir", "output_folder", "output_path", "results_dir", "out", "output")
_TRAINERS = frozenset({"TrainingArguments", "Seq2SeqTrainingArguments", "SFTConfig"})


def folders(code: Code) -> dict[str, Seen]:
    """``checkpoint.path`` and ``outputs``, as far as the source tells them.

    A Trainer keeps checkpoints in its output folder. A file whose name is made anew for each save is a checkpoint; one
    that is saved under a name of its own is a result.
    """
    checkpoints, outputs = first(code, _CHECKPOINTS, inside), first(code, _OUTPUTS, inside)
    if checkpoints is None and any(call.last in _TRAINERS for call in code.calls):
        checkpoints, outputs = outputs, None
    for folder, numbered, line in _saves(code):
        if numbered:
            checkpoints = checkpoints or Seen(folder, code.name, line)
        elif checkpoints is None or folder != checkpoints.value:
            outputs = outputs or Seen(folder, code.name, line)
    found = {"checkpoint.path": checkpoints}
    found["outputs"] = Seen([outputs.value], outputs.file, outputs.line) if outputs else None
    return {key: seen for key, seen in found.items() if seen}


def _saves(code: Code) -> Iterator[tuple[str, bool, int]]:
    """Each save: its folder, or the file itself when it has none; whether its name is made anew; its line."""
    for call in code.calls:
        path = _saved_to(call)
        if path is None:
            continue
        folder, slash, name = path.rpartition("/")
        place = inside(path if call.last in {"save_model", "save_pretrained"} else folder if slash else name)
        if place:
            yield place, HOLE in name, call.line


def _saved_to(call: Call) -> str | None:
    if call.last in {"save_model", "save_pretrained"}:
        given = call.arguments[:1]
    else:  # ``torch.save(state, path)``, and ``model.save(path)`` of Keras
        given = call.arguments[-1:] if call.last == "save" and len(call.arguments) <= 2 else ()
    return given[0] if given and type(given[0]) is str else None


def inside(value: object) -> str | None:
    """A path below the workdir as the job file writes it; None for any other value."""
    if type(value) is not str or not value.strip() or re.search(r"[{}%$*\x00-\x1f]|://", value):
        return None
    path = PurePosixPath(value)
    if path.is_absolute() or ".." in path.parts or not path.parts or value.startswith("~"):
        return None
    return f"./{path}"
