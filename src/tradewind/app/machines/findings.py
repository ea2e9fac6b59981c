"""Findings of a check: what a host's facts mean for jobs there. Pure.

    ok       python (version)  disk (path, free_gb)  memory (gib, free_gib)  gpus (gpus, driver)  engine (name)
    note     no-gpus  gpu-held (index, gpu, pid, user)  home-on-network (path, kind)  tmp-noexec (path)  no-rsync
             no-engine  engine-not-usable (name, state)  gpus-not-offered (os)
    warning  disk-low (path, free_gb)  folder-on-network (path, kind)  folder-noexec (path)  shm-small (gb)
             open-files-low (soft, hard)  clock-skew (seconds)  ends-at-logout  gpu-used (index, gpu, by)
             gpu-name-unknown (index, name)  driver-old (gpu, driver, needs)  engine-without-gpus (name)
    fault    no-bash  disk-full (path, free_gb)  clock-off (seconds)
    unknown  unknown (fact, why)

The sentences are the words' ``finding-ID`` and ``finding-ID-next``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tradewind.domain.gpus import data_sheet, resolve

Severity = Literal["fault", "warning", "unknown", "note", "ok"]
Facts = Mapping[str, Any]
_ORDER: tuple[Severity, ...] = ("fault", "warning", "unknown", "note", "ok")

DISK_LOW_GB, DISK_FULL_GB = 10.0, 1.0  # an environment with PyTorch takes 6 to 8
SHM_LEAST_GB = 1.0  # data loaders hand batches over there; containers by default have 0.064
OPEN_FILES_LEAST = 4096
SKEW_S, OFF_S = 2.0, 60.0  # instants are shifted by it; beyond a minute certificates and the host's own logs mislead


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check says; ``facts`` are what its sentence names."""

    id: str
    severity: Severity
    facts: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """One element of ``findings``."""
        return {"id": self.id, "severity": self.severity, "facts": dict(self.facts)}


def findings(facts: Facts, gpus: Sequence[Facts], skew_s: float) -> tuple[Finding, ...]:
    """What is found, the gravest first.

    Args:
        gpus: as ``check`` tells of them; of those that may not be used, and those that our own jobs have, nothing is
            found.
        skew_s: the host's clock minus ours.
    """
    found = [each for part in _PARTS for each in part(facts)]
    driver = _known(facts, "gpus").get("driver")
    found += [each for gpu in gpus if gpu["allowed"] for each in _gpu(gpu, driver)]
    found += [*_clock(skew_s)]
    found += [_finding("unknown", "unknown", fact=name, why=why) for name, why in (facts.get("unknown") or {}).items()]
    return tuple(sorted(found, key=lambda each: _ORDER.index(each.severity)))


def _finding(id_: str, severity: Severity, **facts: object) -> Finding:
    return Finding(id_, severity, {name: f"{each:g}" if isinstance(each, float) else str(each)
                                   for name, each in facts.items()})  # fmt: skip


def _programs(facts: Facts) -> Iterator[Finding]:
    if facts.get("python"):
        yield _finding("python", "ok", version=facts["python"])
    if not facts.get("bash"):
        yield _finding("no-bash", "fault")
    if "rsync" in _known(facts, "programs") and not facts["programs"]["rsync"]:
        yield _finding("no-rsync", "note")
    if facts.get("processes_end_at_logout"):
        yield _finding("ends-at-logout", "warning")


def _disks(facts: Facts) -> Iterator[Finding]:
    root, home, tmp, shm = (facts.get(name) for name in ("root", "home_disk", "tmp", "shm"))
    if root:
        free = root["free_gb"]
        id_, severity = _disk(free)
        yield _finding(id_, severity, path=root["path"], free_gb=f"{free:.0f}" if free >= 1 else f"{free:.1f}")
        if root["network"]:
            yield _finding("folder-on-network", "warning", path=root["path"], kind=root["kind"])
        if root["noexec"]:
            yield _finding("folder-noexec", "warning", path=root["path"])
    if home and home["network"] and not (root and root["network"]):
        yield _finding("home-on-network", "note", path=home["path"], kind=home["kind"])
    if tmp and tmp["noexec"]:
        yield _finding("tmp-noexec", "note", path=tmp["path"])
    if shm and shm["total_gb"] < SHM_LEAST_GB:
        yield _finding("shm-small", "warning", gb=f"{shm['total_gb']:.2g}")


def _disk(free_gb: float) -> tuple[str, Severity]:
    if free_gb < DISK_FULL_GB:
        return "disk-full", "fault"
    return ("disk-low", "warning") if free_gb < DISK_LOW_GB else ("disk", "ok")


def _limits(facts: Facts) -> Iterator[Finding]:
    soft, hard = (_known(facts, "open_files").get(name) for name in ("soft", "hard"))
    if soft is not None and soft < OPEN_FILES_LEAST:
        yield _finding("open-files-low", "warning", soft=soft, hard="unlimited" if hard is None else hard)
    if facts.get("memory_gib"):
        free = facts.get("memory_free_gib")
        told = "?" if free is None else f"{free:.0f}"
        yield _finding("memory", "ok", gib=f"{facts['memory_gib']:.0f}", free_gib=told)


def _gpus(facts: Facts) -> Iterator[Finding]:
    told = facts.get("gpus") or {}
    gpus = told.get("gpus") or []
    if told.get("unknown"):
        yield _finding("unknown", "unknown", fact="gpus", why=told["unknown"])
    elif not gpus and not (facts.get("kernel") or "Linux").startswith("Linux"):
        yield _finding("gpus-not-offered", "note", os=facts["os"])
    elif not gpus:
        yield _finding("no-gpus", "note")
    else:
        names = [each["name"] for each in gpus]
        listed = ", ".join(f"{names.count(name)} × {name}" for name in dict.fromkeys(names))
        yield _finding("gpus", "ok", gpus=listed, driver=told.get("driver") or "?")


def _gpu(gpu: Mapping[str, Any], driver: str | None) -> Iterator[Finding]:
    index, known, held = gpu["index"], resolve(gpu["name"]), gpu["held_by"]
    if held and not gpu["job"]:
        yield _finding("gpu-held", "note", index=index, gpu=gpu["name"], pid=held["pid"], user=held["user"])
    elif gpu["used_by"] and not held:
        by = ", ".join(f"{each['user']} (pid {each['pid']}, {each['command']})" for each in gpu["used_by"])
        yield _finding("gpu-used", "warning", index=index, gpu=gpu["name"], by=by)
    if known is None:
        yield _finding("gpu-name-unknown", "warning", index=index, name=gpu["name"])
        return
    sheet = data_sheet(*known) or data_sheet(known[0])
    needs = sheet.min_driver_linux if sheet else None
    if needs and driver and _version(driver) < _version(needs):
        yield _finding("driver-old", "warning", gpu=known[0], driver=driver, needs=needs)


def _engines(facts: Facts) -> Iterator[Finding]:
    states = {name: facts.get(name) for name in ("docker", "podman")}
    gpus = (facts.get("gpus") or {}).get("gpus")
    if not any(states.values()):
        yield _finding("no-engine", "note")
    for name, state in states.items():
        if state == "usable" and gpus and facts.get(f"{name}_gpus") is False:
            yield _finding("engine-without-gpus", "warning", name=name)
        elif state == "usable":
            yield _finding("engine", "ok", name=name)
        elif state:
            yield _finding("engine-not-usable", "note", name=name, state=state)


def _clock(skew_s: float) -> Iterator[Finding]:
    seconds = f"{skew_s:+.1f}"
    if abs(skew_s) > OFF_S:
        yield _finding("clock-off", "fault", seconds=seconds)
    elif abs(skew_s) > SKEW_S:
        yield _finding("clock-skew", "warning", seconds=seconds)


_PARTS: tuple[Callable[[Facts], Iterator[Finding]], ...] = (_programs, _disks, _limits, _gpus, _engines)


def _known(facts: Facts, name: str) -> Mapping[str, Any]:
    value = facts.get(name)
    return value if isinstance(value, Mapping) else {}


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())
