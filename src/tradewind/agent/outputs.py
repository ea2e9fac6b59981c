"""The job's outputs: copied aside when it has ended, with a manifest that proves them whole."""

from __future__ import annotations

import glob
import os
import shutil
import time
from typing import Any, Dict, List, NamedTuple, Tuple

from tradewind.agent import disk
from tradewind.wire import manifest
from tradewind.wire import spec as wire
from tradewind.wire.shelf import DRAFT, pass_fence

_DRAFT = ".outputs"


class Gathered(NamedTuple):
    """What lies in ``outputs/``: number of files, their bytes, the patterns that named nothing."""

    files: int
    bytes: int
    seconds: float
    missing: List[str]


def choose(work: str, patterns: List[str]) -> Tuple[List[str], List[str]]:
    """Names of the files (relative to ``work``, ``/`` between folders) that the patterns name, and what names none.

    A pattern is a file, a folder with all below it, or a glob (``**`` too). What lies outside ``work`` names nothing.
    """
    names, missing = set(), []
    for pattern in patterns:
        found = _under(work, pattern)
        names.update(found)
        missing += [] if found else [pattern]
    return sorted(names), missing


def _under(work: str, pattern: str) -> List[str]:
    found = []
    for path in glob.glob(os.path.join(glob.escape(work), pattern), recursive=True):
        name = os.path.relpath(os.path.normpath(path), work).replace(os.sep, "/")
        if name == ".." or name.startswith("../"):
            continue
        if os.path.isdir(path):
            found += [inner if name == "." else name + "/" + inner for inner in disk.files_under(path)]
        elif os.path.isfile(path):
            found.append(name)
    return found


def gather(root: str, patterns: List[str]) -> Gathered:
    """Copy the outputs to ``outputs/files`` and write ``outputs/outputs.json`` last."""
    began = time.time()
    work, draft, place = (os.path.join(root, name) for name in (wire.WORK, _DRAFT, wire.OUTPUTS))
    names, missing = choose(work, patterns)
    shutil.rmtree(draft, ignore_errors=True)
    os.makedirs(draft)
    files = disk.copy_files(work, os.path.join(draft, wire.OUTPUT_FILES), names)
    told: Dict[str, Any] = {"v": wire.VERSION, "files": files, "missing": missing}
    disk.write_json(os.path.join(draft, wire.OUTPUTS_MANIFEST), told)
    shutil.rmtree(place, ignore_errors=True)
    os.rename(draft, place)
    disk.sync(root)
    return Gathered(len(files), manifest.total_bytes(told), round(time.time() - began, 3), missing)


def save(root: str, store: str, epoch: int) -> Tuple[str, int]:
    """Copy gathered outputs to the job's store because nobody came for them; the folder and the number of files.

    Raises:
        Fenced: a newer epoch has begun; its outputs count.
    """
    pass_fence(store, epoch)
    source = os.path.join(root, wire.OUTPUTS)
    place = os.path.join(store, wire.OUTPUTS, manifest.epoch_folder(epoch))
    draft = os.path.join(store, wire.OUTPUTS, DRAFT + manifest.epoch_folder(epoch))
    copied = disk.copy_files(source, draft, disk.files_under(source))
    shutil.rmtree(place, ignore_errors=True)
    os.rename(draft, place)
    disk.sync(os.path.dirname(place))
    return place, len(copied) - 1
