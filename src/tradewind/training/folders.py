"""Checkpoint folders on disk: found, committed so that a torn one never has the name of a whole one, and removed.

.tmp-step-N ── files, synced ── manifest, synced ──rename──▶ step-N ──rename──▶ .gone-step-N ──▶ removed
                                          an earlier step-N ──rename──▶ .old-step-N, back if we die here
"""

from __future__ import annotations

import json
import os
import shutil
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from tradewind.training.rotation import Found
from tradewind.wire import manifest

_TMP, _OLD, _GONE = ".tmp-", ".old-", ".gone-"


def path_of(folder: str, step: int) -> str:
    """Where the checkpoint of ``step`` lies."""
    return os.path.join(folder, manifest.folder_name(step))


def steps(folder: str) -> List[int]:
    """The steps that have a checkpoint folder, torn ones too, oldest first; none when ``folder`` does not exist."""
    try:
        with os.scandir(folder) as entries:
            found = [manifest.step_of(entry.name) for entry in entries if entry.is_dir()]
    except FileNotFoundError:
        return []
    return sorted(step for step in found if step is not None)


def found(folder: str) -> List[Found]:
    """Every checkpoint folder with its number of save, as its manifest tells; checksums are not read."""
    return [Found(step, _save_number(path_of(folder, step))) for step in steps(folder)]


def newest(folder: str) -> Tuple[Optional[Dict[str, Any]], List[Tuple[str, str]]]:
    """Manifest of the newest complete checkpoint, every checksum read, and newer torn ones: path and what is wrong."""
    torn: List[Tuple[str, str]] = []
    for step in reversed(steps(folder)):
        try:
            return manifest.check(path_of(folder, step)), torn
        except (OSError, ValueError) as fault:
            torn.append((path_of(folder, step), str(fault)))
    return None, torn


def commit(folder: str, step: int, epoch: int, save: int, write: Callable[[str], None]) -> int:
    """The bytes of the checkpoint of ``step``, which ``write`` filled and which is now complete and durable.

    Args:
        save: which save of the job this is, from 1.
        write: puts the files into the folder whose path it is given.

    Raises:
        OSError: it could not be written; earlier checkpoints are untouched.
    """
    final = path_of(folder, step)
    tmp = _aside(final, _TMP)
    shutil.rmtree(tmp, ignore_errors=True)
    os.makedirs(tmp)
    try:
        write(tmp)
        total = _seal(tmp, step, epoch, save)
        _publish(tmp, final)
    except OSError:
        shutil.rmtree(tmp, ignore_errors=True)
        raise
    return total


def remove(folder: str, step: int) -> None:
    """Removes a checkpoint; renamed first, so that a removal cut short leaves no torn one behind."""
    final = path_of(folder, step)
    gone = _aside(final, _GONE)
    shutil.rmtree(gone, ignore_errors=True)
    os.rename(final, gone)
    shutil.rmtree(gone, ignore_errors=True)


def clear_leftovers(folder: str) -> None:
    """Ends what a killed process left half done: unfinished saves and removals go, a replaced checkpoint comes back."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return
    for name in names:
        prefix = next((prefix for prefix in (_TMP, _OLD, _GONE) if name.startswith(prefix)), None)
        if prefix is None or manifest.step_of(name[len(prefix) :]) is None:
            continue
        path, final = os.path.join(folder, name), os.path.join(folder, name[len(prefix) :])
        if prefix == _OLD and not os.path.exists(final):
            os.rename(path, final)
        else:
            shutil.rmtree(path, ignore_errors=True)


def _seal(tmp: str, step: int, epoch: int, save: int) -> int:
    for base, _, names in os.walk(tmp):
        for name in [*names, ""]:
            _sync(os.path.join(base, name))
    told = {**manifest.build(tmp, step, epoch, time.time()), "save": save}
    path = os.path.join(tmp, manifest.MANIFEST)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(told, file)
    _sync(path)
    _sync(tmp)
    return manifest.total_bytes(told)


def _publish(tmp: str, final: str) -> None:
    parent, old = os.path.dirname(final), _aside(final, _OLD)
    replaces = os.path.exists(final)
    if replaces:
        shutil.rmtree(old, ignore_errors=True)
        os.rename(final, old)
    os.rename(tmp, final)
    _sync(parent)
    if replaces:
        shutil.rmtree(old, ignore_errors=True)


def _save_number(path: str) -> Optional[int]:
    try:
        return int(manifest.read(path).get("save", 0))
    except (ValueError, TypeError):
        return None


def _aside(final: str, prefix: str) -> str:
    return os.path.join(os.path.dirname(final), prefix + os.path.basename(final))


def _sync(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
