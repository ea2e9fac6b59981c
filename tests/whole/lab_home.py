"""The product over the lab: a home with both clouds set up, their machines booted for real, and what they do to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from lab.control import Fault
from lab.hypervisor import require
from lab.lab import Lab
from product import Cli

REGIONS = {"aws": ["us-east-2"], "alibaba": ["cn-beijing"]}
NOTICE_S = 60.0
PATIENCE_S = 120.0
_LIVE = ("pending", "starting", "running", "stopping", "stopped")


@dataclass
class Rented:
    """One installation that rents in the lab."""

    cli: Cli
    lab: Lab

    def machine(self, job: str, attempt: int, steps: int) -> dict[str, Any]:
        """The lease of the attempt's machine, once it has trained so many steps and something is saved."""

        def trained(shown: Any) -> bool:
            if shown["ended_at"] or shown["state"] != "RUNNING" or shown["attempt"] != attempt:
                return bool(shown["ended_at"])
            before = max((each["last_checkpoint_step"] or 0 for each in shown["attempts"][:-1]), default=0)
            return bool(((shown["progress"] or {}).get("step") or 0) >= before + steps and shown["checkpoints"])

        shown = self.cli.until(job, trained)
        assert shown["state"] == "RUNNING", (shown["state"], shown["why"])
        (lease,) = (each for each in self.cli.json("leases") if each["kind"] == "instance" and each["paid_to"] is None)
        return dict(lease)

    def reclaim(self, lease: dict[str, Any], *, sold_out: bool = False) -> None:
        """The market takes a machine, after which its zone has none left; ``sold_out``: nor has its cloud."""
        zone = None if sold_out else lease["zone"]
        self.lab.control.add(Fault("capacity", lease["cloud"], "RunInstances", times=0, zone=zone))
        self.lab.control.reclaim(lease["cloud_id"], NOTICE_S)

    def live(self) -> list[dict[str, str]]:
        """What runs in the lab, and costs."""
        return [each for each in self.lab.control.instances() if each["state"] in _LIVE]

    def until(self, what: Callable[[], bool]) -> None:
        """Wait for something to be so."""
        deadline = time.monotonic() + PATIENCE_S
        while not what():
            assert time.monotonic() < deadline, self.cli("leases").out
            time.sleep(0.5)


@contextmanager
def renting(folder: Path) -> Iterator[Rented]:
    """A home, its clouds, and nothing of them afterwards; skips where no machine can be booted."""
    require()
    home = folder / "home"
    home.mkdir()
    with Lab() as lab:
        told = yaml.safe_load(lab.clouds_yaml())
        for cloud, regions in REGIONS.items():
            told[cloud]["regions"] = regions
        (home / "clouds.yaml").write_text(yaml.safe_dump(told))
        cli = Cli(home, {**lab.environment(), "HOME": str(folder)})
        try:
            yield Rented(cli, lab)
        finally:
            for process in cli.processes():
                process.terminate()
            assert cli.quiet() == []
