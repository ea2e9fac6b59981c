"""A soak: many short jobs one after another at a cloud of the lab, under faults and kills drawn from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from odd.faults import NODE_KINDS, ByChance
from odd.lab_cloud import LabCloud
from odd.lab_world import LabWorld
from odd.month import Month
from odd.place import Place
from tradewind.store import records

CALL = (("throttle", 0.0), ("throttle-bare", 0.0), ("unmade", 0.0), ("down", 0.0), ("lost", 0.0), ("page", 0.0))
KINDS: dict[str, Sequence[tuple[str, float]]] = {  # those that a real cloud can be made to do; with the most seconds
    "launch": (*CALL, ("delay", 60.0), ("capacity", 0.0), ("quota", 0.0), ("price_cap", 0.0), ("money", 0.0),
               ("error-made", 0.0)),
    "find": CALL, "end": CALL, "leftovers": CALL, "network": (*CALL, ("error-made", 0.0)),
    "machine": (("vanish", 200.0), ("reclaim", 200.0), ("silent", 200.0), ("agent-dies", 100.0)),
    **NODE_KINDS,
}  # fmt: skip
SHARES = {**dict.fromkeys(KINDS, 0.03), "launch": 0.25, "network": 0.2, "machine": 0.25}  # of calls meet a fault


@dataclass(frozen=True)
class Soak:
    """``jobs`` that begin evenly over ``hours`` at the cloud ``at``."""

    place: Place
    at: str
    jobs: int
    hours: float
    seed: int

    def live(self) -> tuple[list[str], str]:
        """What was against the laws or lies around, and the table."""
        faults = ByChance(self.seed, SHARES, KINDS)
        with LabWorld(self.place, faults, seed=self.seed, at=self.at) as world:
            found, table = Month(self.place, self.jobs, self.hours / 24, self.seed).live_in(world)
            assert isinstance(world.cloud, LabCloud)
            with world.db.read() as db:
                lost = self.jobs - len(records.jobs(db))
            left = [f"leaked: {each} lies around" for each in world.cloud.remains()]
            return [*found, *left, *([f"lost: {lost} jobs"] if lost else [])], table
