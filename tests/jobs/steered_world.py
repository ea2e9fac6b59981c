"""A job with several pools over a cloud in which each zone can be had or not, in virtual time."""

from __future__ import annotations

import copy
import sqlite3
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from doubles import OddCloud, SimClock
from job_world import OFFER, Nodes, World, wired

from tradewind.domain.records import Event
from tradewind.domain.states import JOB_ENDED, JobState
from tradewind.planning.steering import Decision, Situation, decide
from tradewind.ports.compute import Accepted, CloudFault, Instance, InstanceState, Order, read_order
from tradewind.ports.transport import Parcel
from tradewind.store import queue
from tradewind.wire import journal
from tradewind.wire.spec import read_spec

STEP_SECONDS = 36.0  # a hundred steps are an hour


def pool(zone: str, price: str, purchase: str = "spot", **more: Any) -> dict[str, Any]:
    """A pool as a submit writes it."""
    offer = {**OFFER, "zone": zone, "purchase": purchase, "price_per_hour": {"amount": price, "currency": "CNY"}}
    return {"offer": offer, "purchase": purchase, "step_seconds": STEP_SECONDS, "zone": None, "hazard": 1.0, **more}


POOLS = [pool("a", "1.00"), pool("b", "1.20"), pool("c", "4.00", "on_demand"), pool("d", "4.20", "on_demand")]


@dataclass
class Market(OddCloud):
    """Zones that are in ``down`` refuse what is asked of them, by the kind of fault that is given."""

    down: dict[str, str] = field(default_factory=dict)

    def launch(self, order: Order) -> Accepted:
        kind = self.down.get(order.zone or "")
        if kind is None:
            return super().launch(order)
        self.orders.append(order.to_json())
        raise CloudFault(kind, f"zone {order.zone} has none", sent="yes")  # type: ignore[arg-type]

    def make(self, order: Order) -> Instance:
        made = replace(super().make(order), id=f"m-{len(self.orders)}")  # never one again
        self.machines = {id_: each for id_, each in self.machines.items() if each.token != order.token}
        self.machines[made.id] = made
        return made

    def machine(self, zone: str) -> str:
        """The machine that runs in a zone."""
        return next(id_ for id_, each in self.machines.items() if zone_of(self, each) == zone)

    def reclaim(self, zone: str) -> None:
        """Take the machines of a zone; it refuses from now on."""
        self.down[zone] = "capacity"
        for id_, each in list(self.machines.items()):
            if zone_of(self, each) == zone:
                self.set(id_, state=InstanceState.GONE, why="reclaimed", ended_at=self.clock.now())

    def asked(self) -> list[str]:
        """Zones in the order in which they were asked for a machine."""
        return [read_order(text).zone or "" for text in self.orders]


def zone_of(cloud: OddCloud, instance: Instance) -> str:
    orders = (read_order(text) for text in cloud.orders)
    return next(order.zone or "" for order in orders if order.token == instance.token)


@dataclass
class Trainers(Nodes):
    """Nodes on which a job trains a step each 36 s from where its newest checkpoint was, and saves when asked to go."""

    clock: SimClock = field(default_factory=SimClock)
    total: int = 100
    begun: dict[str, tuple[float, int]] = field(default_factory=dict)
    told: dict[str, int] = field(default_factory=dict)
    saved: int = 0
    deaf: bool = False
    journals: dict[str, bytes] = field(default_factory=dict)

    def start(self, instance: Instance, parcel: Parcel) -> None:
        self.reach(instance)
        spec, at = read_spec(parcel.spec), self.clock.now().timestamp()
        if instance.id in self.begun:
            return
        self.started.append(parcel.spec)
        self.begun[instance.id], self.told[instance.id] = (at, self.saved), self.saved
        lines = [journal.line("agent_started", at, pid=1, adopted=False, python="3")]
        if self.saved:
            lines.append(journal.line("restored", at, step=self.saved, epoch=spec.epoch - 1, path="/s", seconds=0))
        self.journals[instance.id] = b"".join(lines)

    def hear(self, instance: Instance, journal_offset: int, log_offset: int, limit: int) -> Any:
        self.reach(instance)
        self._train(instance.id)
        self.journal = self.journals.get(instance.id, b"")
        return super().hear(instance, journal_offset, log_offset, limit)

    def _train(self, id_: str) -> None:
        if id_ not in self.begun or b"run_ended" in self.journals[id_]:
            return
        now, (since, first) = self.clock.now().timestamp(), self.begun[id_]
        reached = min(first + int((now - since) / STEP_SECONDS), self.total)
        if reached <= self.told[id_]:
            return
        self.told[id_] = reached
        spent = (reached - first) * STEP_SECONDS
        event = {"type": "step", "step": reached, "total_steps": self.total, "t": now, "train_s": spent}
        self.journals[id_] += journal.line("job", now, event=event)
        if reached >= self.total:
            self._end(id_, 0, "exit")

    def save(self, id_: str) -> None:
        """A checkpoint of what the machine has reached."""
        self._train(id_)
        self.saved = self.told[id_]
        at = self.clock.now().timestamp()
        self.journals[id_] += journal.line("checkpoint", at, step=self.saved, epoch=1, bytes=1, path="/s", seconds=0.1)

    def command(self, instance: Instance, text: str, name: str) -> None:
        self.commands.append(f"{name} {instance.id}")
        going = name == "stop" and not self.deaf and instance.id in self.begun
        if going and b"run_ended" not in self.journals[instance.id]:
            self.save(instance.id)
            self._end(instance.id, 143, "stop")

    def _end(self, id_: str, code: int, why: str) -> None:
        at = self.clock.now().timestamp()
        self.journals[id_] += journal.line("run_ended", at, exit=code, why=why)
        self.journals[id_] += journal.line("outputs", at, files=1, bytes=1, seconds=0, missing=[])
        self.outputs = {"x": b"1"}


@dataclass
class Steered(World):
    """A world with a market."""

    cloud: Market
    nodes: Trainers
    pace: float = 120.0  # seconds between two looks at a job that trains; in the product it is half a second

    def go(self, *, deadline_hours: float | None = None, pools: list[dict[str, Any]] | None = None, **more: Any) -> str:
        """Submit a job of an hour's work in these pools."""
        at = self.clock.now() + timedelta(hours=deadline_hours or 0)
        chosen = pools or POOLS
        settings = {"offer": chosen[0]["offer"], "pools": chosen, "total_steps": self.nodes.total, "notice_s": 120,
                    "max_lifetime_s": 12 * 3600, "predicted_step_seconds": STEP_SECONDS,
                    "deadline": at.isoformat() if deadline_hours else None}  # fmt: skip
        return self.submit(**{**settings, **more})

    def live(self, hours: float) -> None:
        """Let so much time pass, or the job end."""
        until = self.clock.now() + timedelta(hours=hours)
        while self.clock.now() < until and self.job().state not in JOB_ENDED:
            self.beat()

    def beat(self) -> None:
        """One step; when nothing is due, on to the next thing that is."""
        before = self.clock.now()
        self.step()
        if self.clock.now() > before:
            with self.room.db.read() as db:
                due = min(queue.wakes(db, self.clock.now()).values(), default=before)
            wait = (due - self.clock.now()).total_seconds()
            trains = self.job().state is JobState.RUNNING
            self.clock.sleep(max(wait, self.pace if trains else 0.0))

    def come_to(self, state: JobState, steps: int = 2000) -> None:
        for _ in range(steps):
            if self.job().state is state:
                return
            self.beat()
        raise AssertionError(f"{self.job()} never came to {state}")

    def finish(self, steps: int = 3000) -> None:
        for _ in range(steps):
            if self.job().state in JOB_ENDED:
                return
            self.beat()
        raise AssertionError(self.job())

    def decisions(self) -> list[tuple[Situation, Decision]]:
        """Every decision that was written down, with what it rested on."""
        found = (event for event in self.told()[2] if event.kind == "job-decided")
        return [
            (Situation.from_json(each.data["situation"]), Decision.from_json(each.data["decision"])) for each in found
        ]

    def kinds(self) -> list[str]:
        return [event.kind for event in self.told()[2]]

    def event(self, kind: str) -> Event:
        return next(event for event in self.told()[2] if event.kind == kind)

    def copied(self, folder: Path) -> Steered:
        """Another process on a copy of everything: store, cloud, nodes and time."""
        folder.mkdir()
        with sqlite3.connect(self.path / "t.db") as source, sqlite3.connect(folder / "t.db") as target:
            source.backup(target)
        clock, cloud, nodes = copy.deepcopy((self.clock, self.cloud, self.nodes))
        return make_steered(folder, clock, cloud, nodes)

    def restarted(self) -> Steered:
        """Another process on the same store, the cloud and the nodes as they are."""
        again = make_steered(self.path, self.clock, self.cloud, self.nodes)
        with again.room.db.write() as db:
            queue.release(db, "t")
        return again


def make_steered(
    folder: Path, clock: SimClock | None = None, cloud: Market | None = None, nodes: Trainers | None = None
) -> Steered:
    clock = clock or SimClock()
    cloud, nodes = cloud or Market(clock), nodes or Trainers(clock=clock)
    world = wired(folder, clock, cloud, nodes)
    return Steered(folder, clock, cloud, nodes, world.room)


def replays(world: Steered) -> None:
    """The law of decisions: each one, read back from its event, is decided the same again."""
    for situation, decision in world.decisions():
        assert decide(situation) == decision
        assert Situation.from_json(situation.to_json()) == situation
