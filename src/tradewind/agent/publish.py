"""Committed checkpoints of the job, and copying one to the job's store: checksums first, the name last."""

from __future__ import annotations

import os
import time
from typing import Any, Container, Dict, List, NamedTuple, Optional, Tuple

from tradewind.agent import disk, shelf
from tradewind.wire import manifest
from tradewind.wire.shelf import DRAFT, pass_fence


class Published(NamedTuple):
    """A checkpoint that lies complete in the store; ``nature`` as of ``wire.manifest``."""

    step: int
    path: str
    bytes: int
    seconds: float
    nature: Dict[str, Any]


def committed(folder: str, epoch: int, after: int, skip: Container[int]) -> Optional[Tuple[int, str]]:
    """Step and path of the newest committed checkpoint of this epoch in ``folder``, past step ``after``, if any.

    One that came from the store carries an earlier epoch in its manifest and is not taken for new.
    """
    for step, path in _steps(folder):
        if step <= after:
            return None
        try:
            if step not in skip and int(manifest.read(path).get("epoch", epoch)) >= epoch:
                return step, path
        except (ValueError, TypeError):
            continue  # not committed yet
    return None


def _steps(folder: str) -> List[Tuple[int, str]]:
    """Step and path of the checkpoint folders, newest first."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    numbered = ((manifest.step_of(name), os.path.join(folder, name)) for name in names)
    return sorted(((step, path) for step, path in numbered if step is not None), reverse=True)


def publish(path: str, store: str, epoch: int) -> Published:
    """Copy a committed checkpoint to the store.

    Raises:
        ValueError: torn: a file differs from its manifest.
        Fenced: a newer epoch has begun.
        OSError: it could not be read or written.
    """
    began = time.time()
    pass_fence(store, epoch)
    told = manifest.read(path)
    draft = draft_of(store, epoch, told["step"])
    copied = disk.copy_files(path, draft, [entry["name"] for entry in told["files"]])
    compare(told["files"], copied)
    disk.write_json(os.path.join(draft, manifest.MANIFEST), told)
    return finish(draft, store, epoch, told, began)


def compare(told: List[Dict[str, Any]], copied: List[Dict[str, Any]]) -> None:
    """Nothing, when the files copied are those told of, byte for byte.

    Raises:
        ValueError: one differs; the text names it.
    """
    for entry, copy in zip(told, copied):
        for what in ("bytes", "crc32"):
            if entry[what] != copy[what]:
                raise ValueError("{}: {} is {}, not {}".format(entry["name"], what, copy[what], entry[what]))


def draft_of(store: str, epoch: int, step: int) -> str:
    """Where a checkpoint lies until it is whole."""
    return os.path.join(store, manifest.epoch_folder(epoch), DRAFT + manifest.folder_name(step))


def finish(draft: str, store: str, epoch: int, told: Dict[str, Any], began: float) -> Published:
    """Give a whole draft, begun at ``began``, its name in the store, and take out what need not be kept."""
    path = shelf.put(draft, store, epoch, told["step"])
    shelf.tidy(store, epoch)
    return Published(
        told["step"], path, manifest.total_bytes(told), round(time.time() - began, 3), manifest.nature_of(told)
    )


def is_opaque(folder: str, step: int) -> bool:
    """Whether progress up to ``step`` lies in files that belong to no committed checkpoint.

    Names that begin with a dot are drafts of a save that was cut short, not progress.
    """
    whole = _whole(folder)
    if any(number >= step for number in whole.values()):
        return False
    tops = (name.split("/")[0] for name in disk.files_under(folder))
    return any(top not in whole and not top.startswith(".") for top in tops)


def _whole(folder: str) -> Dict[str, int]:
    """Names of the committed checkpoints in ``folder`` and their steps."""
    found = {}
    for step, path in _steps(folder):
        try:
            manifest.read(path)
        except ValueError:
            continue
        found[os.path.basename(path)] = step
    return found
