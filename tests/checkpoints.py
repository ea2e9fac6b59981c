"""Checkpoints as a store holds them."""

from __future__ import annotations

import json
from pathlib import Path

from tradewind.wire import manifest


def put_checkpoint(store: Path, epoch: int, step: int, files: dict[str, str], kind: str = "") -> Path:
    """A complete checkpoint in a store."""
    folder = store / manifest.epoch_folder(epoch) / manifest.folder_name(step)
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    told = manifest.build(str(folder), step, epoch, 1.0)
    if kind:
        told["kind"] = kind
    (folder / manifest.MANIFEST).write_text(json.dumps(told))
    return folder
