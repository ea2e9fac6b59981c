"""One scene for everything that a command draws: a command line, and the recorded answers that it meets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cli_world import Inside, Result, Shell, answer, job_file, place

Scene = tuple[str, dict[str, str]]  # a command line in which JOB is a job file, and answer's place → its name
ADDED = {"park.reached": "no"}

SCENES: tuple[Scene, ...] = (
    *((f"plan JOB{more}", {"plan": name}) for more in ("", " --all") for name in
      ("plan", "plan-front", "plan-far", "plan-infeasible", "plan-resources")),
    ("simulate JOB", {}), ("simulate JOB", {"simulated": "simulate-short"}),
    *(("size JOB", {"sized": name}) for name in ("size", "size-many", "size-large", "size-needs", "size-guide")),
    ("calibrate JOB", {}), ("run JOB --rehearse", {}), ("run JOB --local --detach", {}), ("run JOB --yes", {}),
    ("ps", {}), ("ps --all", {}), ("show digits", {}), ("show digits", {"shown": "steered"}),
    ("show digits", {"shown": "failed"}), ("show nobody", {}), ("wait digits", {}),
    ("attach digits", {"shown": "failed"}), ("logs digits", {}), ("stop digits", {}),
    ("extend digits --deadline 12h", {"shown": "steered"}),
    ("fetch digits --to out", {}), ("ssh digits --ports", {}), ("explain digits", {}), ("explain lease-m7zw", {}),
    ("cost digits", {}), ("cost", {}), ("leases", {}), ("leases --all", {"leases": "leases"}),
    ("leases", {"leases": "leases-open"}), *((f"sweep{end}", {"swept": f"sweep{name}"}) for end, name in
                                            (("", ""), ("", "-found"), (" --end", "-end"))),
    ("supervisor", {}), ("supervisor install", {}), ("offers", {}), ("offers --limit 8", {"offers": "offers"}),
    ("catalog show p4d.24xlarge", {}), ("catalog gpus", {}), ("catalog regions --near Shanghai", {}),
    ("catalog compare p4d.24xlarge gn7e GN10Xp", {}), ("catalog list", {}), ("catalog add own.csv", {}),
    ("catalog rates", {}), ("catalog refresh", {}), ("machines list", {}), ("machines check", {}),
    ("machines add ada@gpu-box --host-key SHA256:n1", {}), ("machines remove gpu-box", {}),
    ("machines remove gpu-box --force", ADDED), ("clouds", {}), ("clouds check aws", {}),
    ("clouds check gcp", {}), ("plam", {}), ("run JOB --rehearse --local", {}), ("plan --nope", {}),
)  # fmt: skip


def played(folder: Path, scene: Scene, env: dict[str, str], lang: str, *flags: str) -> Result:
    """What the scene prints for a reader with these settings and flags."""
    line, met = scene
    shell = Shell(Inside(folder / "home"))
    shell.env |= env
    for where, name in met.items():
        _put(shell, where, name)
    job = job_file(folder)
    return shell(*(job if word == "JOB" else word for word in line.split()), "--lang", lang, *flags)


def _put(shell: Shell, where: str, name: str) -> None:
    given: Any = answer(name) if where != "park.reached" else None
    match where:
        case "leases":
            shell.plane.rows, shell.plane.places = given["leases"], given["checked"] or [place("local")]
        case "offers":
            shell.inside.found = given.pop("offers")
            shell.inside.beside = given
        case "sized" | "simulated":
            setattr(shell.inside, where, given)
        case "park.reached":
            shell.inside.park.reached = False
        case _:
            setattr(shell.plane, where, given)
