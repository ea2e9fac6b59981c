"""The job's store as a folder: ``epoch-0001/step-00000220``, what is kept of it, and the fence before it."""

from __future__ import annotations

import os
from typing import List, NamedTuple

from tradewind.agent import disk
from tradewind.wire import manifest

DRAFT = ".tmp-"
# An older copy while a newer one of the same step takes its name.
_PRIOR = ".prior-"
KEPT = 3
_OWN_FIRST = 2


class Held(NamedTuple):
    """A checkpoint that lies in the store; sorts by epoch, then step."""

    epoch: int
    step: int
    path: str


class Fenced(Exception):
    """A newer epoch has begun: an older one may not publish."""


def held(store: str) -> List[Held]:
    """Everything in the store that is named as a checkpoint, oldest first, whole or torn."""
    found = []
    for name in _names(store):
        epoch = manifest.epoch_of(name)
        for inner in _names(os.path.join(store, name)) if epoch is not None else []:
            step = manifest.step_of(inner)
            if epoch is not None and step is not None:
                found.append(Held(epoch, step, os.path.join(store, name, inner)))
    return sorted(found)


def _names(folder: str) -> List[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def pass_fence(store: str, epoch: int) -> None:
    """Nothing, when ``epoch`` may publish.

    Raises:
        Fenced: the store's fence names a newer epoch, or cannot be read.
    """
    try:
        with open(os.path.join(store, manifest.FENCE), encoding="ascii") as file:
            newest = int(file.read())
    except FileNotFoundError:
        return
    except (OSError, ValueError):
        raise Fenced("fenced: the fence cannot be read") from None
    if newest > epoch:
        raise Fenced("fenced")


def surplus(complete: List[Held], epoch: int) -> List[Held]:
    """What may go, given the complete checkpoints: all but the newest three.

    Those of earlier epochs stay until this epoch has two of its own; those of later epochs are not ours to judge.
    """
    ours = sorted(each for each in complete if each.epoch <= epoch)
    own = [each for each in ours if each.epoch == epoch]
    old = ours[:-KEPT]
    return old if len(own) >= _OWN_FIRST else [each for each in old if each.epoch == epoch]


def tidy(store: str, epoch: int) -> None:
    """Remove what the store need not keep. Torn ones count for nothing and stay: the next attempt names them."""
    complete = [each for each in held(store) if _is_complete(each.path)]
    for each in surplus(complete, epoch):
        disk.remove(each.path)


def _is_complete(path: str) -> bool:
    try:
        manifest.read(path)
    except ValueError:
        return False
    return True


def settle(store: str, epoch: int) -> None:
    """After a life that was cut short: drop this epoch's drafts, finish removals, undo a half-done replacement."""
    folder = os.path.join(store, manifest.epoch_folder(epoch))
    for name in _names(folder):
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
    disk.sync_folder(folder)
    if os.path.exists(prior):
        disk.remove(prior)
    return path
