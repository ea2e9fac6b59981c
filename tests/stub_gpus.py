"""GPUs for a computer that has none: a stand-in ``nvidia-smi`` on PATH, or a stand-in of NVIDIA's library.

Both tell what a test wrote last. The uuids are new ones: locks of GPUs are the kernel's, and so all tests' together.
"""

from __future__ import annotations

import shutil
import subprocess
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import pytest

DRIVER = "570.86.15"
_SMI = """#!/bin/sh
[ -e {folder}/fault ] && {{ cat {folder}/fault; exit 9; }}
case "$1" in --query-gpu=*) cat {folder}/gpus ;; --query-compute-apps=*) cat {folder}/processes ;; *) exit 2 ;; esac
"""
# Declared here as NVML's reference manual states its functions; `told` has a line a GPU and a line a process.
_NVML = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct gpu { char uuid[96], name[96]; unsigned long long bytes; };
struct process { unsigned pid; unsigned long long bytes; EXTRA };
struct memory { unsigned long long total, free, used; };
static struct gpu gpus[16];
static unsigned count, of[64], fault;
static struct process found[64];
static unsigned processes;
int nvmlInit_v2(void) {
    FILE *told = fopen(getenv("STUB_GPUS"), "r");
    char line[512];
    count = processes = fault = 0;
    while (fgets(line, sizeof line, told)) {
        struct gpu *each = &gpus[count];
        memset(&found[processes], 0, sizeof *found);
        if (sscanf(line, "fault %u", &fault) == 1) continue;
        if (sscanf(line, "gpu %95s %95s %llu", each->uuid, each->name, &each->bytes) == 3) count++;
        else if (sscanf(line, "process %u %u %llu", &of[processes], &found[processes].pid,
                        &found[processes].bytes) == 3) processes++;
    }
    fclose(told);
    return fault;
}
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int code) { return code == 18 ? "Driver/library version mismatch" : "GPU is lost"; }
int nvmlSystemGetDriverVersion(char *text, unsigned size) { snprintf(text, size, "DRIVER"); return 0; }
int nvmlDeviceGetCount_v2(unsigned *out) { *out = count; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out) {
    *out = &gpus[index];
    return gpus[index].bytes ? 0 : 15;
}
int nvmlDeviceGetUUID(struct gpu *gpu, char *text, unsigned size) { snprintf(text, size, "%s", gpu->uuid); return 0; }
int nvmlDeviceGetName(struct gpu *gpu, char *text, unsigned size) { snprintf(text, size, "%s", gpu->name); return 0; }
int nvmlDeviceGetMemoryInfo(struct gpu *gpu, struct memory *out) { out->total = gpu->bytes; return 0; }
int RUNNING(struct gpu *gpu, unsigned *room, struct process *out) {
    unsigned have = 0, fits = *room;
    for (unsigned i = 0; i < processes; i++)
        if (&gpus[of[i]] == gpu && have++ < fits) out[have - 1] = found[i];
    *room = have;
    return have > fits ? 7 : 0;
}
"""


@dataclass
class Gpu:
    """One, and who computes on it: pid and GiB, None: the driver does not say how much."""

    name: str = "NVIDIA-H100-80GB-HBM3"
    gib: float = 80.0
    processes: list[tuple[int, float | None]] = field(default_factory=list)
    uuid: str = field(default_factory=lambda: f"GPU-{uuid.uuid4()}")


class Box:
    """The GPUs of a host; :attr:`env` is what makes a program find them."""

    def __init__(self, folder: Path, *gpus: Gpu) -> None:
        self.folder, self.gpus = folder, list(gpus)
        self.env: dict[str, str] = {}
        folder.mkdir(parents=True, exist_ok=True)
        self.tell()

    def tell(self, fault: str | None = None) -> None:
        """Say what :attr:`gpus` says now; with ``fault`` that instead."""
        raise NotImplementedError

    def _write(self, name: str, lines: list[str]) -> None:
        draft = self.folder / f".{name}"
        draft.write_text("".join(f"{line}\n" for line in lines))
        draft.replace(self.folder / name)


class Smi(Box):
    """A host where only ``nvidia-smi`` answers."""

    def __init__(self, folder: Path, *gpus: Gpu) -> None:
        super().__init__(folder, *gpus)
        program = folder / "nvidia-smi"
        program.write_text(_SMI.format(folder=folder))
        program.chmod(0o755)
        self.env = {"PATH": f"{folder}:/usr/local/bin:/usr/bin:/bin"}

    def tell(self, fault: str | None = None) -> None:
        told = enumerate(self.gpus)
        self._write("gpus", [f"{n}, {each.uuid}, {each.name}, {each.gib * 1024:.0f}, {DRIVER}" for n, each in told])
        running = [(each.uuid, pid, gib) for each in self.gpus for pid, gib in each.processes]
        self._write(
            "processes",
            [f"{of}, {pid}, {'[N/A]' if gib is None else f'{gib * 1024:.0f}'}" for of, pid, gib in running],
        )
        if fault is not None:
            self._write("fault", [fault])


class Nvml(Box):
    """A host with NVIDIA's library; ``processes``: which of its functions for them it has (``_v2``, ``_v3``, none)."""

    def __init__(self, folder: Path, *gpus: Gpu, processes: str = "_v2") -> None:
        super().__init__(folder, *gpus)
        compiler = shutil.which("gcc")
        if compiler is None:
            pytest.skip("there is no gcc to build a stand-in of the NVIDIA library with")
        text = _NVML.replace("RUNNING", f"nvmlDeviceGetComputeRunningProcesses{processes}").replace("DRIVER", DRIVER)
        (folder / "nvml.c").write_text(text.replace("EXTRA", "unsigned instance, compute;" if processes else ""))
        library = folder / "libnvidia-ml.so.1"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(folder / "nvml.c")], check=True)
        self.env = {"LD_LIBRARY_PATH": str(folder), "STUB_GPUS": str(folder / "told")}

    def tell(self, fault: str | None = None) -> None:
        lines = [f"gpu {each.uuid} {each.name} {round(each.gib * 2**30)}" for each in self.gpus]
        for number, each in enumerate(self.gpus):
            lines += [f"process {number} {pid} {_bytes(gib)}" for pid, gib in each.processes]
        self._write("told", [*([] if fault is None else [f"fault {fault}"]), *lines])


def _bytes(gib: float | None) -> int:
    return 2**64 - 1 if gib is None else round(gib * 2**30)
