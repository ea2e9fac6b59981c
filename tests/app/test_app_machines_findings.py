"""What a check finds: every threshold from both sides, gravest first, nothing passed that was not seen."""

from __future__ import annotations

from typing import Any

import pytest
from machine_world import DISK, facts, gpu, machine

from tradewind.app.machines.answering import gpus_json
from tradewind.app.machines.findings import findings

OTHER = {"pid": 7, "user": "eve", "command": "python", "memory_gib": 3.0}
HOLDER = {"pid": 9, "user": "bob"}


def found(
    *gpus: dict[str, Any], skew_s: float = 0.0, jobs: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """Findings that are not ok, by id, with their facts."""
    told = facts(*gpus, **more)
    shown = gpus_json(machine("box", gpus=None if jobs is None else (0,)), told["gpus"], jobs or {}) or ()
    return {each.id: dict(each.facts) for each in findings(told, shown, skew_s) if each.severity != "ok"}


def seen_as(*gpus: dict[str, Any], driver: str | None = None, unknown: str | None = None) -> dict[str, Any]:
    """The fact `gpus`."""
    return {"gpus": {"gpus": list(gpus), "driver": driver, "how": "nvidia-smi", "unknown": unknown}}


def test_a_healthy_host_has_only_what_is_ok() -> None:
    told = findings(facts(gpu(0), gpu(1)), gpus_json(machine(), facts(gpu(0), gpu(1))["gpus"], {}) or (), 0.1)
    assert [(each.id, each.severity) for each in told] == [
        (name, "ok") for name in ("python", "disk", "memory", "gpus", "engine")
    ]
    assert told[3].facts == {"gpus": "2 × NVIDIA GeForce RTX 4090", "driver": "550.90.07"}


@pytest.mark.parametrize(("more", "told"), [
    ({"bash": None}, {"no-bash": {}}), ({"programs": {"rsync": None}}, {"no-rsync": {}}),
    ({"programs": None}, {}), ({"processes_end_at_logout": True}, {"ends-at-logout": {}}),
    ({"root": {**DISK, "free_gb": 9.9}}, {"disk-low": {"path": "/home/ada", "free_gb": "10"}}),
    ({"root": {**DISK, "free_gb": 10.1}}, {}),
    ({"root": {**DISK, "free_gb": 0.4}}, {"disk-full": {"path": "/home/ada", "free_gb": "0.4"}}),
    ({"root": {**DISK, "network": True, "kind": "nfs4"}}, {"folder-on-network": {"path": "/home/ada", "kind": "nfs4"}}),
    ({"home_disk": {**DISK, "network": True, "kind": "cifs"}},
     {"home-on-network": {"path": "/home/ada", "kind": "cifs"}}),
    ({"root": {**DISK, "noexec": True}}, {"folder-noexec": {"path": "/home/ada"}}),
    ({"tmp": {**DISK, "path": "/tmp", "noexec": True}}, {"tmp-noexec": {"path": "/tmp"}}),
    ({"shm": {**DISK, "total_gb": 0.064}}, {"shm-small": {"gb": "0.064"}}), ({"shm": None}, {}),
    ({"open_files": {"soft": 1024, "hard": None}}, {"open-files-low": {"soft": "1024", "hard": "unlimited"}}),
    ({"open_files": {"soft": None, "hard": None}}, {}), ({"docker": None}, {"no-engine": {}}),
    ({"docker": "not-allowed"}, {"engine-not-usable": {"name": "docker", "state": "not-allowed"}}),
    ({"unknown": {"shm": "no /dev/shm"}}, {"unknown": {"fact": "shm", "why": "no /dev/shm"}}),
])  # fmt: skip
def test_what_a_host_lacks_is_found(more: dict[str, Any], told: dict[str, Any]) -> None:
    assert found(gpu(0), **more) == told


@pytest.mark.parametrize(("skew_s", "told"), [
    (2.0, {}), (2.5, {"clock-skew": {"seconds": "+2.5"}}), (-61.0, {"clock-off": {"seconds": "-61.0"}}),
])  # fmt: skip
def test_a_clock_that_is_off_is_found(skew_s: float, told: dict[str, Any]) -> None:
    assert found(gpu(0), skew_s=skew_s) == told


@pytest.mark.parametrize(("card", "told"), [
    (gpu(0, used_by=[OTHER]),
     {"gpu-used": {"index": "0", "gpu": "NVIDIA GeForce RTX 4090", "by": "eve (pid 7, python)"}}),
    (gpu(0, used_by=[OTHER], held_by=HOLDER),
     {"gpu-held": {"index": "0", "gpu": "NVIDIA GeForce RTX 4090", "pid": "9", "user": "bob"}}),
    (gpu(0, "NVIDIA Mystery 9"), {"gpu-name-unknown": {"index": "0", "name": "NVIDIA Mystery 9"}}),
])  # fmt: skip
def test_who_uses_a_gpu_is_found(card: dict[str, Any], told: dict[str, Any]) -> None:
    assert found(card) == told


def test_what_our_own_job_has_and_what_may_not_be_used_is_no_finding() -> None:
    ours, left_out = gpu(0, used_by=[OTHER], held_by=HOLDER), gpu(1, used_by=[OTHER])
    assert found(ours, left_out, jobs={"GPU-0": {"job": "job-1"}}) == {}


def test_an_old_driver_and_a_container_engine_without_gpus_are_found() -> None:
    told = found(gpu(0), **seen_as(gpu(0), driver="450.80.02"), docker_gpus=False)
    assert told["driver-old"]["driver"] == "450.80.02"
    assert told["engine-without-gpus"] == {"name": "docker"}


def test_gpus_that_could_not_be_seen_are_unknown_and_not_none() -> None:
    assert found(**seen_as(unknown="nvidia-smi hangs")) == {"unknown": {"fact": "gpus", "why": "nvidia-smi hangs"}}
    assert found() == {"no-gpus": {}}
    assert found(kernel="Darwin 23", os="macOS") == {"gpus-not-offered": {"os": "macOS"}}


def test_the_gravest_comes_first() -> None:
    told = findings(facts(bash=None, unknown={"x": "y"}, tmp={**DISK, "noexec": True}), (), 3.0)
    severities = [each.severity for each in told]
    assert severities == sorted(severities, key=("fault", "warning", "unknown", "note", "ok").index)
    assert severities[0] == "fault"
