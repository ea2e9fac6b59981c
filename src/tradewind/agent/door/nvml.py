"""The GPUs as NVIDIA's library tells of them, by ctypes: it comes with the driver.

Source: NVML API reference and nvml.h of CUDA 11 to 12 (read 2026-11). ``nvmlDeviceGetComputeRunningProcesses_v2`` fills
the four fields of ``nvmlProcessInfo_v2_t`` in every driver that has it; ``_v3`` does so too, but in drivers 535.43 to
535.86 with a fifth field, so it is asked only where ``_v2`` is missing; without a suffix only the first two are filled.
"""

from __future__ import annotations

import ctypes
from typing import Any, List, NamedTuple, Optional, Tuple

LIBRARY = "libnvidia-ml.so.1"
_OK, _NOT_SUPPORTED, _TOO_SMALL = 0, 3, 7  # nvmlReturn_t
_TEXT = 96  # NVML_DEVICE_UUID_V2_BUFFER_SIZE and NVML_DEVICE_NAME_V2_BUFFER_SIZE
_NO_VALUE = 2**64 - 1  # NVML_VALUE_NOT_AVAILABLE
_MORE = 8  # processes that may have come between two questions


class Missing(Exception):
    """The library is not on this host."""


class Failed(Exception):
    """The library is there and does not answer; its own words."""


class Card(NamedTuple):
    """One GPU, ``number`` by NVML's order.

    ``processes``: pid and bytes of memory (None: not told) of each that computes on it; None: nobody can tell.
    """

    number: int
    uuid: str
    name: str
    memory_bytes: int
    processes: Optional[List[Tuple[int, Optional[int]]]]


class Seen(NamedTuple):
    """All GPUs that answer; ``silent``: what those that do not say instead."""

    driver: str
    cards: List[Card]
    silent: List[str]


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class _Process1(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint), ("memory", ctypes.c_ulonglong)]


class _Process2(ctypes.Structure):
    _fields_ = [*_Process1._fields_, ("gpu_instance", ctypes.c_uint), ("compute_instance", ctypes.c_uint)]


_PROCESSES = (("_v2", _Process2), ("_v3", _Process2), ("", _Process1))


def look() -> Seen:
    """What the library says now.

    Raises:
        Missing, Failed.
    """
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError as fault:
        raise Missing(str(fault)) from None
    try:
        return _look(library)
    except AttributeError as fault:  # ctypes' word for a function that is not there
        raise Failed(str(fault)) from None


def _look(library: ctypes.CDLL) -> Seen:
    _call(library, "nvmlInit_v2")
    try:
        count, driver = ctypes.c_uint(), ctypes.create_string_buffer(_TEXT)
        _call(library, "nvmlSystemGetDriverVersion", driver, ctypes.c_uint(_TEXT))
        _call(library, "nvmlDeviceGetCount_v2", ctypes.byref(count))
        cards, silent = [], []
        for index in range(count.value):
            try:
                cards.append(_card(library, index))
            except Failed as fault:
                silent.append("GPU {}: {}".format(index, fault))
        return Seen(driver.value.decode(), cards, silent)
    finally:
        library.nvmlShutdown()


def _card(library: ctypes.CDLL, index: int) -> Card:
    device, memory = ctypes.c_void_p(), _Memory()
    uuid, name = ctypes.create_string_buffer(_TEXT), ctypes.create_string_buffer(_TEXT)
    _call(library, "nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(index), ctypes.byref(device))
    _call(library, "nvmlDeviceGetUUID", device, uuid, ctypes.c_uint(_TEXT))
    _call(library, "nvmlDeviceGetName", device, name, ctypes.c_uint(_TEXT))
    _call(library, "nvmlDeviceGetMemoryInfo", device, ctypes.byref(memory))
    return Card(index, uuid.value.decode(), name.value.decode(), memory.total, _processes(library, device))


def _processes(library: ctypes.CDLL, device: ctypes.c_void_p) -> Optional[List[Tuple[int, Optional[int]]]]:
    kind, ask = _question(library)
    room = 0
    while True:
        count, found = ctypes.c_uint(room), (kind * room)()
        code = ask(device, ctypes.byref(count), found if room else None)
        if code == _NOT_SUPPORTED:
            return None
        if code == _TOO_SMALL:
            room = count.value + _MORE
            continue
        _check(library, code)
        told = list(found[: count.value])
        return [(each.pid, None if each.memory == _NO_VALUE else each.memory) for each in told]


def _question(library: ctypes.CDLL) -> Tuple[Any, Any]:
    for suffix, kind in _PROCESSES:
        ask = getattr(library, "nvmlDeviceGetComputeRunningProcesses" + suffix, None)
        if ask is not None:
            return kind, ask
    raise Failed("nvmlDeviceGetComputeRunningProcesses is missing")


def _call(library: ctypes.CDLL, name: str, *arguments: Any) -> None:
    _check(library, getattr(library, name)(*arguments))


def _check(library: ctypes.CDLL, code: int) -> None:
    if code != _OK:
        library.nvmlErrorString.restype = ctypes.c_char_p
        raise Failed(library.nvmlErrorString(code).decode())
