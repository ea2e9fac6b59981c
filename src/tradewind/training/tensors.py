"""Tensors as raw bytes in one block: where each lies, copying them there, and reading them back bit for bit."""

from __future__ import annotations

import ctypes
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Dict, List, Optional, Tuple

from tradewind.training.tree import Named

if TYPE_CHECKING:
    from torch import Tensor

ALIGNMENT = 64  # bytes: a cache line, and a multiple of every element size


@dataclass(frozen=True)
class Slot:
    """Where one tensor lies in the block.

    Attributes:
        name: its path in the state.
        dtype: torch's name of the element type, ``bfloat16``.
        offset, bytes: place in the block, in bytes.
    """

    name: str
    dtype: str
    shape: Tuple[int, ...]
    offset: int
    bytes: int


def place(tensors: Named) -> Tuple[List[Slot], int]:
    """A slot for each tensor, aligned to 64 bytes, and the bytes of the block.

    Raises:
        TypeError: a tensor that is not plain: sparse, quantized, sharded or without data.
    """
    slots, end = [], 0
    for name, tensor in tensors:
        _require_plain(name, tensor)
        offset = -(-end // ALIGNMENT) * ALIGNMENT
        size = tensor.numel() * tensor.element_size()
        slots.append(Slot(name, str(tensor.dtype).replace("torch.", ""), tuple(tensor.shape), offset, size))
        end = offset + size
    return slots, end


class Staging:
    """One block of host memory, reused by every save, that tensors are copied into while the loop waits.

    It is page-locked when tensors come from a GPU, so that the copies run at the speed of the bus.
    """

    def __init__(self) -> None:
        self._block: Optional[Tensor] = None

    def copy(self, tensors: Named) -> Tuple[List[Slot], memoryview]:
        """The slots, and the block's bytes, which stay valid until the next call."""
        if not tensors:
            return [], memoryview(b"")
        import torch

        slots, size = place(tensors)
        on_gpu = {tensor.device for _, tensor in tensors if tensor.is_cuda}
        block = self._room(size, bool(on_gpu))
        with torch.no_grad():
            for slot, (_, tensor) in zip(slots, tensors):
                if slot.bytes:
                    target = block[slot.offset : slot.offset + slot.bytes].view(tensor.dtype).view(tensor.shape)
                    target.copy_(tensor, non_blocking=True)
        for device in on_gpu:
            torch.cuda.synchronize(device)
        return slots, _bytes_of(block, size)

    def _room(self, size: int, pinned: bool) -> Tensor:
        import torch

        if self._block is None or self._block.numel() < size or (pinned and not self._block.is_pinned()):
            # Zeros, so that the gaps between tensors are the same in every file.
            self._block = torch.zeros(max(size, 1), dtype=torch.uint8, pin_memory=pinned)
        return self._block


def describe(slot: Slot, block: memoryview) -> Dict[str, Any]:
    """The slot as an entry of ``meta-RANK.json``, with the crc32 of its bytes."""
    crc = zlib.crc32(block[slot.offset : slot.offset + slot.bytes])
    return {
        "name": slot.name,
        "dtype": slot.dtype,
        "shape": list(slot.shape),
        "offset": slot.offset,
        "bytes": slot.bytes,
        "crc32": f"{crc:08x}",
    }


def read_tensor(entry: Dict[str, Any], file: BinaryIO) -> Tensor:
    """The tensor that an entry of ``meta-RANK.json`` names, in memory of its own, on the CPU.

    Raises:
        ValueError: the file ends before it, or this torch has no such element type.
    """
    import torch

    dtype = getattr(torch, entry["dtype"], None)
    if not isinstance(dtype, torch.dtype):
        raise ValueError(f"{entry['name']}: torch {torch.__version__} has no element type {entry['dtype']}")
    if not entry["bytes"]:
        return torch.empty(entry["shape"], dtype=dtype)
    data = bytearray(entry["bytes"])
    file.seek(entry["offset"])
    if file.readinto(data) != len(data):  # type: ignore[attr-defined]
        raise ValueError(f"{entry['name']}: the data file is too short")
    return torch.frombuffer(data, dtype=torch.uint8).view(dtype).view(entry["shape"])


def _bytes_of(block: Tensor, size: int) -> memoryview:
    """The memory of ``block`` itself; torch lends it out only through numpy, which need not be there."""
    return memoryview((ctypes.c_ubyte * size).from_address(block.data_ptr()))


def _require_plain(name: str, tensor: Tensor) -> None:
    import torch

    if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_meta or hasattr(tensor, "to_local"):
        raise TypeError(f"{name} is a sparse, quantized, sharded or empty-shell tensor: a checkpoint holds plain ones")
