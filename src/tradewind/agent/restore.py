"""Putting the newest complete checkpoint of earlier epochs back; torn ones are named and passed over."""

from __future__ import annotations

import errno
import os
import shutil
import time
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from tradewind.agent import disk
from tradewind.agent.laid import lay_out
from tradewind.agent.publish import compare
from tradewind.wire import manifest
from tradewind.wire.shelf import DRAFT, Held, held

_DISK_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)


class Restored(NamedTuple):
    """What was found: the checkpoint put back, if any, with its manifest, and the torn ones with why."""

    checkpoint: Optional[Held]
    told: Dict[str, Any]
    seconds: float
    torn: List[Tuple[Held, str]]


def restore(store: str, folder: str, epoch: int) -> Restored:
    """Put the newest complete checkpoint of an epoch before ``epoch`` into ``folder``.

    Raises:
        OSError: this node's disk is full or read-only; the checkpoints are not to blame.
    """
    began = time.time()
    torn: List[Tuple[Held, str]] = []
    for each in reversed(held(store)):
        if each.epoch >= epoch:
            continue
        try:
            told = _put_back(each, folder)
        except (ValueError, OSError) as fault:
            if getattr(fault, "errno", None) in _DISK_FAULTS:
                raise
            torn.append((each, str(fault)))
            continue
        return Restored(each, told, round(time.time() - began, 3), torn)
    return Restored(None, {}, round(time.time() - began, 3), torn)


def _put_back(each: Held, folder: str) -> Dict[str, Any]:
    told = manifest.read(each.path)
    os.makedirs(folder, exist_ok=True)
    disk.sweep(folder, DRAFT)
    draft = os.path.join(folder, DRAFT + manifest.folder_name(each.step))
    try:
        compare(told["files"], _copy(each, told, draft))
        _name(draft, folder, told)
        return told
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _name(draft: str, folder: str, told: Dict[str, Any]) -> None:
    """Give the copied files the names under which the job looks for them."""
    if told.get(manifest.KIND) == manifest.OPAQUE:
        lay_out(told[manifest.LAYOUT], draft, folder)
        return
    disk.write_json(os.path.join(draft, manifest.MANIFEST), told)
    place = os.path.join(folder, manifest.folder_name(told["step"]))
    if os.path.exists(place):
        disk.remove(place)
    os.rename(draft, place)
    disk.sync(folder)


def _copy(each: Held, told: Dict[str, Any], draft: str) -> List[Dict[str, Any]]:
    try:
        return disk.copy_files(each.path, draft, [entry["name"] for entry in told["files"]])
    except FileNotFoundError as fault:
        raise ValueError("{} is missing".format(os.path.relpath(str(fault.filename), each.path))) from None
