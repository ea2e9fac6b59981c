"""The files inside a checkpoint folder of one process; the manifest over them is the folder's own.

data-00000.bin    the bytes of all tensors, each at a multiple of 64
meta-00000.json   one entry a tensor: name, dtype, shape, offset, bytes, crc32
state.json        everything else, with the tensors' places in it
"""

from __future__ import annotations

import json
import os
from typing import Any, List

from tradewind.training.tensors import Slot, describe, read_tensor
from tradewind.training.tree import decode

_RANK = 0
DATA, META, STATE = f"data-{_RANK:05d}.bin", f"meta-{_RANK:05d}.json", "state.json"


def write(path: str, text: str, slots: List[Slot], block: memoryview) -> None:
    """Writes the files into the folder ``path``.

    Args:
        text: ``tree.encode`` of the state, as JSON.
        slots: where each tensor lies in ``block``.

    Raises:
        OSError: the disk is full or failing.
    """
    with open(os.path.join(path, DATA), "wb") as data:
        data.write(block)
    with open(os.path.join(path, META), "w", encoding="utf-8") as meta:
        json.dump([describe(slot, block) for slot in slots], meta)
    with open(os.path.join(path, STATE), "w", encoding="utf-8") as rest:
        rest.write(text)


def read(path: str) -> Any:
    """The state in the folder ``path``, tensors on the CPU.

    Raises:
        ValueError: written in a way that this version cannot read.
    """
    with open(os.path.join(path, META), encoding="utf-8") as meta:
        entries = json.load(meta)
    with open(os.path.join(path, DATA), "rb") as data:
        tensors = [read_tensor(entry, data) for entry in entries]
    with open(os.path.join(path, STATE), encoding="utf-8") as rest:
        return decode(json.load(rest), tensors)
