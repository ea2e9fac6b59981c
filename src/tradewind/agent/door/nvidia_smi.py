"""The GPUs as ``nvidia-smi`` tells of them, where NVIDIA's library cannot be loaded.

Source: ``nvidia-smi --help-query-gpu`` and ``--help-query-compute-apps`` (2026-11); with ``nounits`` memory is in MiB.
"""

from __future__ import annotations

import subprocess
from typing import Dict, List, Optional, Tuple

from tradewind.agent.door.nvml import Card, Failed, Missing, Seen

PROGRAM = "nvidia-smi"
_SECONDS = 20.0  # without the persistence daemon the driver wakes each GPU first
_MIB = 1 << 20


def look() -> Seen:
    """What the program says now.

    Raises:
        nvml.Missing, nvml.Failed.
    """
    gpus = _ask("--query-gpu=index,uuid,name,memory.total,driver_version")
    used: Dict[str, List[Tuple[int, Optional[int]]]] = {}
    for uuid, pid, memory in _ask("--query-compute-apps=gpu_uuid,pid,used_memory"):
        used.setdefault(uuid, []).append((int(pid), _bytes(memory)))
    cards = [
        Card(int(index), uuid, name, _bytes(memory) or 0, used.get(uuid, [])) for index, uuid, name, memory, _ in gpus
    ]
    return Seen(gpus[0][4] if gpus else "", cards, [])


def _ask(query: str) -> List[List[str]]:
    """The rows of an answer."""
    try:
        done = subprocess.run(
            [PROGRAM, query, "--format=csv,noheader,nounits"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=_SECONDS, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        raise Missing(PROGRAM) from None
    except subprocess.TimeoutExpired:
        raise Failed("{} does not answer within {:.0f} s".format(PROGRAM, _SECONDS)) from None
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode != 0:
        words = (done.stderr.decode("utf-8", "replace").strip() or text.strip()).splitlines()
        raise Failed("{}: {}".format(PROGRAM, words[0] if words else "exit code {}".format(done.returncode)))
    return [[part.strip() for part in line.split(",")] for line in text.splitlines() if line.strip()]


def _bytes(mebibytes: str) -> Optional[int]:
    """``[N/A]`` is no number."""
    return int(mebibytes) * _MIB if mebibytes.isdigit() else None
