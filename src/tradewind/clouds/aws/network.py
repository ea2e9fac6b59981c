"""AwsNetwork: what machines of ours in one region are reached over, rented and ended as one thing.

Its id is the VPC's, or, in the account's own VPC, the security group's. Every part carries the order's tags and is
found by them, so that what is half made or half ended is carried on by whoever comes next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from tradewind.clouds.aws import parts, tags
from tradewind.clouds.aws.building import Building, sources
from tradewind.clouds.aws.client import Api, retold
from tradewind.clouds.aws.parts import Kind, Part
from tradewind.clouds.aws.requests import CAPABILITIES as OF_MACHINES
from tradewind.ports.clock import Clock
from tradewind.ports.cloud import Caller
from tradewind.ports.compute import (
    Accepted,
    Capabilities,
    CloudFault,
    HardEnd,
    Instance,
    InstanceState,
    Leftover,
    Listing,
    Order,
    Query,
)

# beat: nobody but us changes it. boot: a NAT gateway takes two minutes.
CAPABILITIES = Capabilities(
    hard_end=HardEnd.CONTROL_PLANE, native_idempotency=False, list_lag_s=OF_MACHINES.list_lag_s,
    absence_s=OF_MACHINES.absence_s, beat_s=300.0, hear_s=300.0, boot_s=900.0, notice_s=0.0,
    boot_beat_s=5.0, sweep_s=300.0,
)  # fmt: skip
_ANCHORS = (parts.VPC, parts.GROUP)
_INSIDE = (parts.GROUP, parts.ROUTES, parts.SUBNET, parts.GATEWAY, parts.VPC)  # each is free of those before it
_LEFT = (parts.NAT, parts.ADDRESS, parts.SUBNET, parts.ROUTES, parts.GATEWAY)
_NOT_LISTED_YET_S = 5.0


class AwsNetwork:
    """The Network port by boto3, in one region. ``caller`` tells the address that SSH is let in from."""

    name = "aws"
    caps = CAPABILITIES

    def __init__(self, api: Api, region: str, owner: str, clock: Clock, caller: Caller) -> None:
        self.region = region
        self._api = api
        self._owner = owner
        self._clock = clock
        self._caller = caller

    def launch(self, order: Order) -> Accepted:
        """Make what is not there of it. Called again with the same order it goes on.

        Raises:
            CloudFault: ``unavailable``, with ``sent`` no: a part is not ready, or not yet listed; to be called again.
        """
        now = self._clock.now()
        given = {**order.tags, tags.NETWORK: order.instance_type, tags.SINCE: now.isoformat()}
        building = Building(self._api, self.region, self._owner, given)
        make = {"default": building.default, "private": building.private}.get(order.instance_type)
        if make is None:
            raise CloudFault("invalid", f"a network of the kind {order.instance_type!r} is not made here", sent="no")
        try:
            return Accepted((make(self._caller()),), now)
        except CloudFault as fault:
            if fault.kind != "not_found":
                raise
            raise retold(fault, "unavailable", sent="no", retry_after_s=_NOT_LISTED_YET_S) from fault

    def find(self, query: Query) -> Listing:
        """One instance a network; running once it is whole."""
        seen_at = self._clock.now()
        networks: dict[str, dict[Kind, Part]] = {}
        for kind in _ANCHORS:
            for part in self._parts(kind, query):
                networks.setdefault(part.tags[tags.LEASE], {})[kind] = part
        found = (self._instance(each) for each in networks.values())
        return Listing(tuple(each for each in found if query.matches(each)), complete=True, seen_at=seen_at)

    def _instance(self, of: dict[Kind, Part]) -> Instance:
        anchor, group = of.get(parts.VPC) or of[parts.GROUP], of.get(parts.GROUP)
        whole = group is not None and bool(sources(group))
        return Instance(
            id=anchor.id, token=anchor.tags[tags.TOKEN], lease=anchor.tags[tags.LEASE], owner=anchor.tags[tags.OWNER],
            state=InstanceState.RUNNING if whole else InstanceState.PENDING, why=None, address="",
            launched_at=self._since(anchor), tags=anchor.tags, instance_type=anchor.tags.get(tags.NETWORK),
            region=self.region, purchase="on_demand",
        )  # fmt: skip

    def _since(self, anchor: Part) -> datetime:
        """When it was begun; EC2 does not tell."""
        try:
            return datetime.fromisoformat(anchor.tags.get(tags.SINCE, "")).astimezone(UTC)
        except ValueError:
            return self._clock.now()

    def admit(self, id_: str, source: str) -> None:
        """Nothing for a group that is not ours."""
        for group in self._parts(parts.GROUP, Query()):
            if id_ in (group.id, group.told.get("VpcId")):
                Building(self._api, self.region, self._owner, group.tags).admit(group, source)

    # --- its end ---

    def end(self, ids: Sequence[str]) -> None:
        """As far as it comes just now: what something else still hangs on waits for the next call."""
        leases: set[str] = set()
        for kind in _ANCHORS:
            leases |= {part.tags[tags.LEASE] for part in parts.named(self._api, self.region, kind, ids, self._owner)}
        for lease in sorted(leases):
            self._take_down(lease)
        for kind in _LEFT:
            for part in parts.named(self._api, self.region, kind, ids, self._owner):
                self._end(part)

    def _take_down(self, lease: str) -> None:
        """The VPC, by which the rest is found, goes last; the address after the gateway that has it."""
        query = Query(lease=lease)
        gateways = list(self._parts(parts.NAT, query))
        for part in gateways:
            self._end(part)
        if gateways:
            return  # they take a minute to go, and let go of their addresses then
        if not all(self._end(part) for part in self._parts(parts.ADDRESS, query)):
            return
        for kind in _INSIDE:
            for part in self._parts(kind, query):
                self._end(part)

    def _end(self, part: Part) -> bool:
        """Whether it is on its way: what something else still has is asked for again later."""
        if part.told.get("State") == "deleting":
            return True
        try:
            self._let_go(part)
            parts.end(self._api, self.region, part)
        except CloudFault as fault:
            if fault.kind != "conflict":
                raise
            return False
        return True

    def _let_go(self, part: Part) -> None:
        """Take it off what it is on: what ends nothing by itself has to be done first."""
        with parts.gone_is_ended():
            for on in part.told.get("Attachments", ()) if part.kind is parts.GATEWAY else ():
                self._ask("detach_internet_gateway", InternetGatewayId=part.id, VpcId=on["VpcId"])
            for on in part.told.get("Associations", ()) if part.kind is parts.ROUTES else ():
                self._ask("disassociate_route_table", AssociationId=on["RouteTableAssociationId"])

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        """Gateways and addresses; for one lease also what costs nothing. Its anchor is told by :meth:`find`."""
        whole = query.lease is not None or query.ids is not None
        kinds = [kind for kind in _LEFT if whole or not kind.free]
        found = {part.id: part.leftover() for kind in kinds for part in self._left(kind, query)}
        return tuple(found.values())

    def _left(self, kind: Kind, query: Query) -> Iterator[Part]:
        """Those of a lease, and those that are themselves named; without either all of ours."""
        if query.lease is not None or query.ids is None:
            yield from self._parts(kind, query)
        yield from parts.named(self._api, self.region, kind, query.ids or (), self._owner)

    def notice_probe(self, instance: Instance) -> dict[str, str]:
        """Nobody takes a network."""
        return {}

    def _parts(self, kind: Kind, query: Query) -> Iterator[Part]:
        return parts.look(self._api, self.region, kind, query, self._owner)

    def _ask(self, operation: str, **parameters: Any) -> Any:
        return self._api.ask("ec2", self.region, operation, **parameters)
