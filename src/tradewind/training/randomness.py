"""Random states as plain tensors and numbers, and sample orders that are a function of seed and epoch alone."""

from __future__ import annotations

import hashlib
import random
import sys
from typing import TYPE_CHECKING, Any, Dict, Mapping, Tuple, cast

if TYPE_CHECKING:
    from torch import Tensor


def capture_rng() -> Dict[str, Any]:
    """The states of the random generators of Python, torch, CUDA (when in use) and numpy (when imported).

    Tensors and numbers only, so that a checkpoint can hold them without pickle.
    """
    import torch

    version, words, gauss = random.getstate()
    state: Dict[str, Any] = {
        "python": {"version": version, "words": torch.tensor(words, dtype=torch.int64), "gauss": gauss},
        "torch": torch.get_rng_state(),
    }
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        state["cuda"] = torch.cuda.get_rng_state_all()
    if "numpy" in sys.modules:
        state["numpy"] = _capture_numpy()
    return state


def restore_rng(state: Mapping[str, Any]) -> None:
    """Sets every generator back to ``state`` of ``capture_rng``; one that is not in it is left as it is."""
    import torch

    python = state["python"]
    random.setstate((python["version"], tuple(python["words"].tolist()), python["gauss"]))
    torch.set_rng_state(state["torch"])
    if "cuda" in state:
        torch.cuda.set_rng_state_all(state["cuda"])
    if "numpy" in state:
        _restore_numpy(state["numpy"])


def epoch_order(samples: int, seed: int, epoch: int) -> Tensor:
    """The order of an epoch's samples: int64[samples], a permutation that (seed, epoch) alone decides.

    A resumed run asks again and goes on at the position it had reached; no generator's state is involved. Seed and
    epoch are hashed together, so that epoch 1 of seed 0 is not epoch 0 of seed 1.
    """
    import torch

    digest = hashlib.sha256(f"{seed}/{epoch}".encode()).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") >> 1)
    return torch.randperm(samples, generator=generator)


def _capture_numpy() -> Dict[str, Any]:
    import numpy
    import torch

    name, words, position, has_gauss, cached = cast(Tuple[str, Any, int, int, float], numpy.random.get_state())
    return {
        "name": name,
        "words": torch.tensor(words.tolist(), dtype=torch.int64),
        "position": position,
        "has_gauss": has_gauss,
        "cached": cached,
    }


def _restore_numpy(state: Mapping[str, Any]) -> None:
    import numpy

    words = numpy.array(state["words"].tolist(), dtype=numpy.uint32)
    numpy.random.set_state((state["name"], words, state["position"], state["has_gauss"], state["cached"]))
