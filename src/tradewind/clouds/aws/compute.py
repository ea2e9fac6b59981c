"""AwsCloud: renting in one region of one account. The tables are pure and lie beside; here is what asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from tradewind.clouds.answers import Odd, answered_at, listed, next_cursor, pick, published, text
from tradewind.clouds.aws import parts, quotes, tags
from tradewind.clouds.aws.client import Api, retold
from tradewind.clouds.aws.completing import Completing
from tradewind.clouds.aws.instances import to_instance
from tradewind.clouds.aws.requests import CAPABILITIES, to_request
from tradewind.domain.money import Money
from tradewind.domain.offer import Purchase
from tradewind.ports.clock import Clock
from tradewind.ports.cloud import CloudSettings
from tradewind.ports.compute import (
    Accepted,
    CloudFault,
    Instance,
    InstanceState,
    Leftover,
    Listing,
    Order,
    Query,
)

_AT_ONCE = 200  # values that one filter takes
_OVER = (InstanceState.TERMINATING, InstanceState.GONE)


class AwsCloud:
    """The Cloud port by boto3, in one region. ``owner`` is the installation whose things these are."""

    name = "aws"
    caps = CAPABILITIES

    def __init__(self, api: Api, region: str, owner: str, settings: CloudSettings, clock: Clock) -> None:
        self.region = region
        self._api = api
        self._owner = owner
        self._clock = clock
        self._private = settings.network == "private" or (settings.network == "given" and not settings.public_address)
        self._completing = Completing(api, region, owner, settings, clock)

    # --- the machine ---

    def launch(self, order: Order) -> Accepted:
        """Sent once. What cannot be read of an answer that accepted it is looked for by its token."""
        request = to_request(order)
        try:
            answer = self._ask("run_instances", **request)
        except CloudFault as fault:
            if fault.kind != "not_found":
                raise
            raise retold(fault, "invalid") from fault  # an image, a group: not to be had, and nothing was made
        try:
            made = listed(answer, "Instances")
            return Accepted(tuple(text(each, "InstanceId") for each in made), self._began(made))
        except (Odd, IndexError) as fault:
            raise CloudFault("unavailable", f"RunInstances: {fault}", sent="maybe") from fault

    def _began(self, made: list[Any]) -> datetime:
        at = pick(made[0], "LaunchTime")
        return at.astimezone(UTC) if isinstance(at, datetime) else self._clock.now()

    def find(self, query: Query) -> Listing:
        """All pages, machines that ended in the last hour among them; with an owner only what is surely its own."""
        if query.ids is None:
            found, seen_at = self._listed(tags.filters(query))
        else:
            found, seen_at = self._named(query)
        kept = (each for each in found if query.owner is None or tags.ours(each.tags, query.owner))
        return Listing(tuple(each for each in kept if query.matches(each)), complete=True, seen_at=seen_at)

    def _named(self, query: Query) -> tuple[list[Instance], datetime]:
        """By a filter, since one id that is not known would fail a list of ids."""
        ids = [each for each in query.ids or () if each.startswith("i-")]
        found: list[Instance] = []
        seen: list[datetime] = []
        for start in range(0, len(ids), _AT_ONCE):
            some, at = self._listed([{"Name": "instance-id", "Values": ids[start : start + _AT_ONCE]}])
            found += some
            seen.append(at)
        return found, min(seen, default=self._clock.now())

    def _listed(self, filters: list[dict[str, Any]]) -> tuple[list[Instance], datetime]:
        """The machines, and when the first page was answered, by AWS's clock."""
        found: list[Instance] = []
        seen_at, cursor = None, None
        while seen_at is None or cursor is not None:
            answer = self._ask("describe_instances", Filters=filters, MaxResults=1000, NextToken=cursor)
            with published("DescribeInstances"):
                seen_at = seen_at or answered_at(pick(answer, "ResponseMetadata", "HTTPHeaders"))
                for reservation in listed(answer, "Reservations"):
                    found += [self._instance(each) for each in listed(reservation, "Instances")]
                cursor = next_cursor(cursor, answer.get("NextToken"))
        return found, seen_at

    def _instance(self, told: Any) -> Instance:
        zones = {} if told.get("Placement", {}).get("AvailabilityZoneId") else self._zones
        return to_instance(told, self.region, zones, private=self._private)

    @cached_property
    def _zones(self) -> dict[str, str]:
        """Zone ids by the account's names for them; asked once."""
        rows = self._api.rows(self.region, "describe_availability_zones", "AvailabilityZones")
        with published("DescribeAvailabilityZones"):
            return {text(each, "ZoneName"): text(each, "ZoneId") for each in rows}

    # --- its end ---

    def end(self, ids: Sequence[str]) -> None:
        """All of them are tried, whatever becomes of one; then the first fault is told.

        What is not ours by all three tags is left alone; what is not known is asked for all the same, as the list lags.
        """
        known = {each.id: each for each in self.find(Query(ids=tuple(ids))).instances}
        machines = [each for each in ids if each.startswith("i-") and (each not in known or self._ends(known[each]))]
        faults = [*self._terminate(machines), *self._clear(ids)]
        if faults:
            raise faults[0]

    def _ends(self, machine: Instance) -> bool:
        return tags.ours(machine.tags, self._owner) and machine.state not in _OVER

    def _terminate(self, ids: Sequence[str]) -> Iterator[CloudFault]:
        """Together, or, where one of them is refused and so all are, each for itself."""
        try:
            if ids:
                self._ask("terminate_instances", InstanceIds=list(ids))
        except CloudFault as fault:
            if len(ids) > 1 and fault.kind in ("not_found", "invalid", "conflict"):
                for each in ids:
                    yield from self._terminate([each])
            elif fault.kind != "not_found":
                yield fault

    def _clear(self, ids: Sequence[str]) -> Iterator[CloudFault]:
        """End what was left over, by its own ids."""
        for kind in parts.AROUND_MACHINES:
            for part in parts.named(self._api, self.region, kind, ids, self._owner):
                try:
                    parts.end(self._api, self.region, part)
                except CloudFault as fault:
                    yield fault

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        """Disks and addresses that no machine has; for one lease also interfaces and requests, which cost nothing."""
        whole = query.lease is not None or query.ids is not None
        found = {
            part.id: part.leftover()
            for kind in parts.AROUND_MACHINES
            if whole or not kind.free
            for part in self._parts(kind, query)
            if kind.left(part.told)
        }
        return tuple(found.values())

    def _parts(self, kind: parts.Kind, query: Query) -> Iterator[parts.Part]:
        """Those of a lease, and those that are themselves named; without either all of ours."""
        if query.lease is not None or query.token is not None or query.ids is None:
            yield from parts.look(self._api, self.region, kind, query, self._owner)
        yield from parts.named(self._api, self.region, kind, query.ids or (), self._owner)

    # --- changes ---

    def extend(self, id_: str, hard_end: datetime) -> None:
        """Nothing: AWS keeps no end of a machine, its own timer does."""

    def stop(self, id_: str) -> None:
        """From then on only its disks cost."""
        machine = self._mine(id_)
        _no_spot(machine, "stopped")
        if machine.state not in (InstanceState.STOPPING, InstanceState.STOPPED):
            self._ask("stop_instances", InstanceIds=[id_])

    def start(self, id_: str) -> None:
        """Into whatever capacity there is now."""
        if self._mine(id_).state not in (InstanceState.PENDING, InstanceState.RUNNING):
            self._ask("start_instances", InstanceIds=[id_])

    def resize(self, id_: str, instance_type: str) -> None:
        """Of a machine that is stopped."""
        machine = self._mine(id_)
        _no_spot(machine, "resized")
        if machine.instance_type == instance_type:
            return
        if machine.state is not InstanceState.STOPPED:
            raise CloudFault("invalid", f"{id_} is {machine.state}: only a stopped machine is resized", sent="no")
        self._ask("modify_instance_attribute", InstanceId=id_, InstanceType={"Value": instance_type})

    def _mine(self, id_: str) -> Instance:
        """The machine, if it is ours.

        Raises:
            CloudFault: ``not_found``.
        """
        for machine in self.find(Query(owner=self._owner, ids=(id_,))).instances:
            return machine
        raise CloudFault("not_found", f"{id_} is no machine of ours in {self.region}", sent="yes")

    # --- what is asked about it ---

    def complete(self, order: Order) -> Order:
        """With image, zone, subnet, groups and disks, by what the region has now."""
        return self._completing.complete(order)

    def quote(self, order: Order) -> Money | None:
        """The spot price of its zone, or the region's cheapest; or what the price list says."""
        if order.purchase == Purchase.SPOT:
            return quotes.spot(self._api, order, self._zones, self._clock.now())
        return quotes.on_demand(self._api, order)

    def console(self, id_: str) -> str | None:
        """The last 64 KiB, which EC2 keeps; as it is now where the machine can tell, else as it was after its boot."""
        try:
            answer = self._ask("get_console_output", InstanceId=id_, Latest=True)
        except CloudFault as fault:
            if fault.code != "UnsupportedOperation":  # of a type that is older than Nitro
                raise
            answer = self._ask("get_console_output", InstanceId=id_)
        return answer.get("Output") or None

    def notice_probe(self, instance: Instance) -> dict[str, str]:
        """The machine's own metadata service."""
        return {"kind": "aws"}

    def _ask(self, operation: str, **parameters: Any) -> Any:
        return self._api.ask("ec2", self.region, operation, **parameters)


def _no_spot(machine: Instance, done: str) -> None:
    if machine.purchase == "spot":
        raise CloudFault("invalid", f"{machine.id} is a one-time spot machine, which cannot be {done}", sent="no")
