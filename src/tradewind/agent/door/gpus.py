"""The GPUs of this host: which, how large, who computes on them, who holds them; and choosing free ones."""

from __future__ import annotations

import glob
import os
import socket
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from tradewind.agent.door import gpu_locks, nvidia_smi, nvml
from tradewind.agent.door.faults import Refused

_NVIDIA, _DISPLAY = "0x10de", "0x03"  # PCI vendor; PCI class of display and 3D controllers
_COMMAND_CHARACTERS, _PROCESSES_NAMED = 60, 3

Gpu = Dict[str, Any]


class Held(NamedTuple):
    """A GPU that was chosen, and its lock."""

    gpu: Gpu
    lock: socket.socket


def read() -> Dict[str, Any]:
    """The answer of ``gpus``: see ``wire.door``. ``used_by`` is null where nobody can tell who computes on a GPU."""
    if not gpu_locks.offered():
        return _nothing("GPUs of this system cannot be locked against others")
    silent = []
    for how, look in (("nvml", nvml.look), ("nvidia-smi", nvidia_smi.look)):
        try:
            seen = look()
        except nvml.Missing:
            continue
        except nvml.Failed as fault:
            silent.append(str(fault))
            continue
        gpus = [_gpu(card) for card in seen.cards]
        return {"gpus": gpus, "driver": seen.driver or None, "how": how, "unknown": "; ".join(seen.silent) or None}
    return _nothing("; ".join(silent) or _without_driver())


def _nothing(why: Optional[str]) -> Dict[str, Any]:
    return {"gpus": [], "driver": None, "how": "none", "unknown": why}


def _without_driver() -> Optional[str]:
    """What is to be said of NVIDIA's GPUs on the PCI bus that no driver answers for; None: there are none."""
    found = []
    for device in sorted(glob.glob("/sys/bus/pci/devices/*")):
        if _text(device, "vendor") == _NVIDIA and _text(device, "class").startswith(_DISPLAY):
            found.append(os.path.basename(device))
    return "no driver answers for the NVIDIA GPU at PCI {}".format(", ".join(found)) if found else None


def _text(folder: str, name: str) -> str:
    try:
        with open(os.path.join(folder, name), encoding="ascii", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def _gpu(card: nvml.Card) -> Gpu:
    used_by = None if card.processes is None else [_user(pid, memory) for pid, memory in card.processes]
    return {
        "index": card.number, "uuid": card.uuid, "name": card.name, "memory_gib": _gib(card.memory_bytes),
        "used_by": used_by, "held_by": gpu_locks.holder(card.uuid),
    }  # fmt: skip


def _user(pid: int, memory: Optional[int]) -> Dict[str, Any]:
    return {"pid": pid, "user": gpu_locks.user_of(pid), "command": _command(pid), "memory_gib": _gib(memory)}


def _gib(size: Optional[int]) -> Optional[float]:
    return None if size is None else round(size / 2**30, 2)


def _command(pid: int) -> Optional[str]:
    """How a process was called, as everyone on the host may see it; None where that is hidden."""
    try:
        with open("/proc/{}/cmdline".format(pid), "rb") as file:
            words = file.read(4096).replace(b"\0", b" ").decode("utf-8", "replace").strip()
    except OSError:
        return None
    return words if len(words) <= _COMMAND_CHARACTERS else words[: _COMMAND_CHARACTERS - 1] + "…"


def choose(wanted: int, allowed: Optional[Sequence[int]]) -> List[Held]:
    """``wanted`` free GPUs, those of ``allowed`` only (indices; None: all), locked.

    Raises:
        Refused: ``invalid``, there are not so many whoever uses them; ``capacity``, who uses them.
    """
    if not wanted:
        return []
    told = read()
    offered = [gpu for gpu in told["gpus"] if allowed is None or gpu["index"] in allowed]
    if len(offered) < wanted:
        raise Refused("invalid", _too_few(wanted, len(offered), told))
    held: List[Held] = []
    busy: List[Gpu] = []
    for gpu in offered:
        if len(held) == wanted:
            break
        lock = gpu_locks.take(gpu["uuid"]) if gpu["used_by"] == [] else None
        if lock is not None:
            held.append(Held(gpu, lock))
        else:
            busy.append({**gpu, "held_by": gpu_locks.holder(gpu["uuid"])})
    if len(held) == wanted:
        return held
    for each in held:
        each.lock.close()
    words = "{}; {} of {} free".format("; ".join(_busy(gpu) for gpu in busy), len(held), len(offered))
    raise Refused("capacity", words, {"busy": busy, "free": len(held), "wanted": wanted})


def _too_few(wanted: int, offered: int, told: Dict[str, Any]) -> str:
    words = "GPUs asked for: {}, that may be used here: {}".format(wanted, offered)
    return words + (": " + told["unknown"] if told["unknown"] else "")


def _busy(gpu: Gpu) -> str:
    """Why a GPU is not free, in words."""
    name = "GPU {}".format(gpu["index"])
    if gpu["used_by"] is None:
        return name + ": who uses it cannot be told"
    if gpu["used_by"]:
        users = [_used(each) for each in gpu["used_by"]]
        more = len(users) - _PROCESSES_NAMED
        return "{} is used by {}".format(name, ", ".join(users[:_PROCESSES_NAMED])) + (
            " and {} more".format(more) if more > 0 else ""
        )
    holder = gpu["held_by"] or {"pid": None, "user": None}  # it was given up between two looks
    return "{} is held for a job of {} (pid {})".format(name, holder["user"] or "somebody", holder["pid"] or "unknown")


def _used(process: Dict[str, Any]) -> str:
    memory = "" if process["memory_gib"] is None else "{:.1f} GiB".format(process["memory_gib"])
    facts = ("pid {}".format(process["pid"]), process["command"], memory)
    return "{} ({})".format(process["user"] or "somebody", ", ".join(fact for fact in facts if fact))
