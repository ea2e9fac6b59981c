"""Putting things into the job's store: a name over an older copy, what need not be kept taken out again."""

from __future__ import annotations

import os

from tradewind.agent import disk
from tradewind.wire import manifest
from tradewind.wire.shelf import DRAFT, complete, names, pass_fence, surplus

# An older copy while a newer one of the same step takes its name.
_PRIOR = ".prior-"


def tidy(store: str, epoch: int) -> None:
    """Remove what the store need not keep. Torn ones stay: the next attempt names them."""
    for each in surplus(complete(store), epoch):
        disk.remove(each.path)


def settle(store: str, epoch: int) -> None:
    """After a life that was cut short: drop this epoch's drafts, finish removals, undo a half-done replacement."""
    folder = os.path.join(store, manifest.epoch_folder(epoch))
    for name in names(folder):
        if name.startswith(_PRIOR):
            whole = os.path.join(folder, name[len(_PRIOR) :])
            if os.path.exists(whole):
                disk.remove(os.path.join(folder, name))
            else:
                os.rename(os.path.join(folder, name), whole)
    disk.sweep(folder, DRAFT)


def put(draft: str, store: str, epoch: int, step: int) -> str:
    """Give a whole, synced draft its name in the store, over an older copy of the same step; the path.

    Raises:
        Fenced: a newer epoch has begun meanwhile.
    """
    folder = os.path.join(store, manifest.epoch_folder(epoch))
    path = os.path.join(folder, manifest.folder_name(step))
    prior = os.path.join(folder, _PRIOR + manifest.folder_name(step))
    pass_fence(store, epoch)
    if os.path.exists(path):
        os.rename(path, prior)
    os.rename(draft, path)
    disk.sync(folder)
    if os.path.exists(prior):
        disk.remove(prior)
    return path
