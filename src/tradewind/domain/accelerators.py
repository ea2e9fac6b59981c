"""Wishes for GPUs as people write them: ``A100-80GB:1..8``, ``T4``, ``L4:2``."""

from __future__ import annotations

import re

from tradewind.domain.errors import BadInput
from tradewind.domain.gpus import nearest, resolve, shared_by
from tradewind.domain.workload import Accelerators

_COUNT = re.compile(r"^(?P<low>[1-9]\d{0,4})(?:\.\.(?P<high>[1-9]\d{0,4}))?$")
ANY = frozenset({"any", "gpu", "*"})  # names that wish for a number of GPUs of whatever kind


def parse_accelerators(text: str) -> Accelerators:
    """The wish that ``text`` states: a GPU name, then ``:N`` or ``:A..B`` GPUs in all; without a count one.

    A name of ``any`` leaves the GPU open. A name that several GPUs share (``A100`` has 40 and 80 GB) is not guessed.

    Raises:
        BadInput: ``gpu-unknown`` (name, nearest), ``gpu-ambiguous`` (name, nearest: the ids that share the name) or
            ``gpu-count-unreadable`` (text, count).
    """
    name, colon, count = text.strip().partition(":")
    low, high = gpu_counts(text, count.strip()) if colon else (1, 1)
    return Accelerators(gpu=_gpu(name.strip()), low=low, high=high)


def require_gpu(name: str) -> tuple[str, str | None]:
    """Canonical id and form of the GPU that ``name`` means.

    Raises:
        BadInput: ``gpu-unknown`` or ``gpu-ambiguous``, with the nearest ids.
    """
    if found := resolve(name):
        return found
    if shared := shared_by(name):
        raise BadInput("gpu-ambiguous", name=name, nearest=", ".join(shared))
    raise BadInput("gpu-unknown", name=name, nearest=", ".join(nearest(name)))


def _gpu(name: str) -> str | None:
    return None if name.casefold() in ANY else require_gpu(name)[0]


def gpu_counts(text: str, count: str) -> tuple[int, int]:
    """The least and most GPUs that ``count`` states, as it stands in ``text``.

    Raises:
        BadInput: ``gpu-count-unreadable`` (text, count).
    """
    match = _COUNT.match(count)
    if match:
        low, high = int(match["low"]), int(match["high"] or match["low"])
        if low <= high:
            return low, high
    raise BadInput("gpu-count-unreadable", text=text, count=count)
