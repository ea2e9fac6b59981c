"""Grounds on which machines are rented: an adapter against its cloud of the lab, which has no machines behind it.

All of it goes by one clock, which passes when it is told to. Orders are made whole by the adapter itself, over the
account's own network.
"""

from __future__ import annotations

import socket
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

import pytest
from doubles import SimClock
from grounds import RUN, Ground
from lab.control import Control, Fault, Kind
from lab.engine import Call
from lab.fleet import Rented
from lab.machines import NoHypervisor
from lab.stub import Stub
from lab_account import Place, connected, opened

from tradewind.leasing.tags import Tags, write
from tradewind.ports.cloud import Provider
from tradewind.ports.compute import InstanceState, Order
from tradewind.ports.prices import Prices

OWNER = "me"
SCRIPT = "#!/bin/sh\necho 机房\n"


class Interrupted(Control):
    """A lab's will that lets things happen between two requests."""

    def __init__(self) -> None:
        super().__init__()
        self._asked: Counter[str] = Counter()
        self._then: dict[tuple[str, int], Callable[[], None]] = {}

    def before(self, operation: str, nth: int, then: Callable[[], None]) -> None:
        """Do it before the ``nth`` request for an operation from now on."""
        self._then[operation, self._asked[operation] + nth] = then

    def meet(self, cloud: str, operation: str, region: str | None = None, zone: str | None = None) -> Fault | None:
        self._asked[operation] += 1
        self._then.pop((operation, self._asked[operation]), lambda: None)()
        return super().meet(cloud, operation, region, zone)


class RentingGround(Ground):
    """One account of a cloud of the lab, and an installation that rents in one region of it."""

    at: ClassVar[Place]
    front: Any
    prefix = "i-"
    launching = "RunInstances"
    listing = "DescribeInstances"

    def __init__(self, place: Path) -> None:
        self.place, self.time = place, SimClock()
        self.clock = self.time
        self.control, self.machines = Interrupted(), NoHypervisor()
        self._open = ExitStack()
        self.front = self._open.enter_context(opened(self.at.cloud, self.machines, self.control, self.time.now))
        self.patch = self._open.enter_context(pytest.MonkeyPatch.context())
        self.patch.setenv("HOME", str(place))
        self._accounts: dict[str, Provider] = {}
        self.cloud = self.rented = self.account().cloud(self.at.region)
        self._orders: dict[str, Order] = {}

    # --- the lab ---

    @property
    def stub(self) -> Stub:
        stub: Stub = self.front.engine.stub
        return stub

    def calls(self, operation: str) -> list[Call]:
        """What was asked of one operation and understood; nothing that was only tried."""
        return [each for each in self.front.engine.calls if each.counted == operation]

    def sent(self, operation: str) -> int:
        """How often a request for an operation came in, understood or not."""
        raise NotImplementedError

    def fault(self, kind: Kind, operation: str | None = None, **told: Any) -> None:
        """Let requests meet a fault; by default the next launch."""
        self.control.add(Fault(kind, operation=operation or self.launching, **told))

    def there(self, id_: str) -> Rented:
        """A machine as its cloud has it."""
        found: Rented | None = self.front.account.fleet.get(id_, "")
        assert found is not None
        return found

    def user_data(self, id_: str) -> bytes:
        """What a machine is to run, as it came there."""
        return self.there(id_).guest.user_data

    def many(self, count: int) -> list[str]:
        """So many machines."""
        order, made = self.order("many"), list[str]()
        for number in range(count):
            token = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{order.token} {number}"))
            tags = {**order.tags, "tradewind:token": token}
            made += self.cloud.launch(replace(order, token=token, tags=tags)).ids
        return made

    def more_than_two_pages(self) -> int:
        """So many machines are three pages of a list."""
        raise NotImplementedError

    def thousands(self) -> int:
        """As many machines as can be made in a minute or two."""
        return 2500

    secret: ClassVar[str]

    def sign_in(self, secret: str) -> None:
        """Let the environment have this secret."""
        raise NotImplementedError

    def sign_in_by_file(self) -> None:
        """Let a file of the SDK's have the credentials, and the environment none."""
        raise NotImplementedError

    def nonsense(self) -> object:
        """Ask, rightly signed, for something that is not described."""
        raise NotImplementedError

    def right_to(self, operation: str) -> str:
        """What the right to an operation of the machines' service is called."""
        raise NotImplementedError

    def rights_used(self) -> set[str]:
        """The rights that all requests so far needed."""
        raise NotImplementedError

    def rights(self) -> set[str]:
        """What the printed policy allows to call."""
        statements = self.account().policy()["Statement"]
        return {action for each in statements for action in each["Action"]} - self.implied

    implied: ClassVar[frozenset[str]] = frozenset()

    def history(self) -> Prices:
        """What tells how prices were."""
        raise NotImplementedError

    too_many: ClassVar[bytes]  # how a cloud words a 429

    def leave_parts(self) -> list[str]:
        """Something of every kind that a machine may leave: their ids."""
        raise NotImplementedError

    def parts(self) -> list[str]:
        """What networks of ours are made of: the ids of all that there is."""
        raise NotImplementedError

    def parts_of(self, kind: str) -> list[str]:
        """What a whole network of a kind is made of: an id's beginning for each part."""
        raise NotImplementedError

    def let_in(self) -> list[tuple[str, int, int, str]]:
        """Protocol, ports from and to, and source of all that our groups let in."""
        raise NotImplementedError

    def disks(self) -> list[str]:
        """The disks that there are."""
        raise NotImplementedError

    def stays(self, gb: int) -> None:
        """The disk of that size does not go with its machine."""
        raise NotImplementedError

    def protect(self, id_: str) -> None:
        """Nobody may end the machine."""
        raise NotImplementedError

    def cap(self, launch: Call) -> str | None:
        """What a launch says that it pays at most."""
        raise NotImplementedError

    def as_cap(self, amount: str) -> str:
        """How the cloud wants that to be written."""
        raise NotImplementedError

    def price(self, order: Order) -> Decimal:
        """What its cloud takes for an hour of it."""
        raise NotImplementedError

    # --- what is played on every ground ---

    def account(self, owner: str = OWNER) -> Provider:
        """The account as an installation rents in it."""
        if owner not in self._accounts:
            self._accounts[owner] = self.provider(owner)
        return self._accounts[owner]

    def provider(self, owner: str = OWNER, **settings: Any) -> Provider:
        """Opened anew, by what is in the environment now."""
        return connected(self.at.cloud, self.front, owner, self.clock, **settings)

    def network_order(self, name: str = "n", owner: str = OWNER, kind: str = "default") -> Order:
        """An order for a network, as leasing writes it."""
        return self._plain(name, owner, kind, "on_demand")

    def order(self, name: str = "a", **changes: Any) -> Order:
        """A whole order of ours; asked for again it is the same."""
        owner = changes.get("owner", OWNER)
        asked = {"instance_type", "purchase", "price_cap", "currency", "zone", "hard_end", "disks", "image"}
        if "instance_type" in changes and changes["instance_type"] not in self.at.types:
            asked.remove("instance_type")  # there is none of that name to make an order for
        kind = repr([name, owner, *sorted((key, changes[key]) for key in asked & set(changes))])
        if kind not in self._orders:
            plain = self._plain(name, owner, self.at.machine_type, "on_demand")
            plain = replace(plain, network=self.network(owner), **{key: changes[key] for key in asked & set(changes)})
            whole = self.account(owner).cloud(self.at.region).complete(plain)
            self._orders[kind] = replace(whole, user_data=SCRIPT, furnished=True)
        return replace(self._orders[kind], **changes)

    def _plain(self, name: str, owner: str, machine_type: str, purchase: str) -> Order:
        token = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{RUN} {self.at.cloud} {owner} {name}"))
        hard_end = self.begun + timedelta(hours=1)
        lease = f"lease-{name}-of-{owner}"
        told = Tags(owner, lease, token, hard_end, "job-1", 1, f"{self.at.cloud}:{self.at.region}",
                    {"amount": "12.5", "currency": self.at.currency})  # fmt: skip
        return Order(
            token=token, lease=lease, owner=owner, cloud=self.at.cloud, region=self.at.region, zone=None,
            instance_type=machine_type, purchase=purchase, hard_end=hard_end.isoformat(), tags=write(told),
            currency=self.at.currency,
        )  # fmt: skip

    def network(self, owner: str = OWNER) -> str:
        """The id of an owner's network: the first that asks for it makes it."""
        return self.account(owner).network(self.at.region).launch(self.network_order(owner=owner)).ids[0]

    def furnish(self, order: Order) -> Order:
        """An order of a leasing room made whole."""
        told = replace(order, network=self.network())
        return replace(self.rented.complete(told), user_data=SCRIPT, furnished=True)

    @property
    def nobodys(self) -> str:
        return "i-0123456789abcdef0"

    @property
    def offer(self) -> dict[str, Any]:
        at = self.at
        return {"cloud": at.cloud, "region": at.region, "zone": None, "instance_type": at.machine_type,
                "purchase": "on_demand"}  # fmt: skip

    def virtual(self) -> SimClock:
        return self.time

    def pass_time(self) -> None:
        self.time.sleep(1.0)

    def ids(self) -> list[str]:
        return sorted(each.id for each in self.front.account.fleet.all(""))

    def lose(self, *, done: bool) -> None:
        self.fault("lost-answer" if done else "dropped")

    @property
    def away(self) -> dict[str, str]:
        """Endpoints at which nobody answers."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{free.getsockname()[1]}"
        return dict.fromkeys(self.front.endpoints, url)

    def refuse(self) -> None:
        self.cloud = self.provider(endpoints=self.away).cloud(self.at.region)

    def running(self, order: Order) -> Any:
        (id_,) = self.rented.launch(order).ids
        return self.until(id_, lambda each: each.state is InstanceState.RUNNING)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        """Leaving fails where the cloud objected to a request."""
        self._open.__exit__(kind, fault, at)
