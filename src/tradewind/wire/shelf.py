"""A job's store as a folder: which checkpoints lie in it, which of them are kept, and the fence before it.

``epoch-0001/step-00000220`` each; whoever puts one there, an agent or the control plane, goes by the same laws.
"""

from __future__ import annotations

import os
from typing import List, NamedTuple

from tradewind.wire import manifest

DRAFT = ".tmp-"  # what a name begins with until the thing is whole
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
    for name in names(store):
        epoch = manifest.epoch_of(name)
        for inner in names(os.path.join(store, name)) if epoch is not None else []:
            step = manifest.step_of(inner)
            if epoch is not None and step is not None:
                found.append(Held(epoch, step, os.path.join(store, name, inner)))
    return sorted(found)


def names(folder: str) -> List[str]:
    """What lies in a folder; nothing in one that is not there."""
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


def complete(store: str) -> List[Held]:
    """What has its manifest, which is written last, oldest first; the files are not read."""
    return [each for each in held(store) if is_complete(each.path)]


def surplus(complete: List[Held], epoch: int) -> List[Held]:
    """What may go of these complete ones: all but the newest three. Torn ones count for nothing and stay.

    Those of earlier epochs stay until this epoch has two of its own; those of later epochs are not ours to judge.
    """
    ours = sorted(each for each in complete if each.epoch <= epoch)
    own = [each for each in ours if each.epoch == epoch]
    old = ours[:-KEPT]
    return old if len(own) >= _OWN_FIRST else [each for each in old if each.epoch == epoch]


def is_complete(path: str) -> bool:
    """Whether a checkpoint has its manifest."""
    try:
        manifest.read(path)
    except ValueError:
        return False
    return True
