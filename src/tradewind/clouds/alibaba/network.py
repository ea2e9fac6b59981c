"""AlibabaNetwork: what machines of one region are reached over, made on request, found by tag, ended with all of it.

The rule that lets SSH in is made last, so a network with one is whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tradewind.clouds.alibaba import parts
from tradewind.clouds.alibaba.client import Api
from tradewind.clouds.alibaba.instances import MARK, NETWORK, to_time
from tradewind.clouds.alibaba.leftovers import tags_of
from tradewind.clouds.alibaba.making import Making
from tradewind.clouds.alibaba.parts import Part
from tradewind.clouds.alibaba.requests import to_tags as tagged
from tradewind.clouds.alibaba.tables import CLOUD
from tradewind.clouds.answers import listed, published, text
from tradewind.ports.cloud import Caller, CloudSettings
from tradewind.ports.compute import (
    Accepted,
    Capabilities,
    HardEnd,
    Instance,
    InstanceState,
    Leftover,
    Listing,
    Order,
    Query,
)

CAPABILITIES = Capabilities(
    hard_end=HardEnd.CONTROL_PLANE, native_idempotency=True, list_lag_s=10.0, absence_s=120.0, beat_s=300.0,
    hear_s=300.0, boot_s=900.0, notice_s=0.0, most_tags=20, boot_beat_s=5.0, sweep_s=300.0,
)  # fmt: skip
_SSH = "22/22"


class AlibabaNetwork:
    """The port :class:`tradewind.ports.cloud.Network`. The id of one is its VPC's; in the default VPC, its group's."""

    name = CLOUD
    caps = CAPABILITIES

    def __init__(self, api: Api, region: str, settings: CloudSettings, owner: str, caller: Caller) -> None:
        self._api = api
        self._region = region
        self._settings = settings
        self._owner = owner
        self._caller = caller

    def launch(self, order: Order) -> Accepted:
        """Make what is missing of the network.

        Raises:
            CloudFault: ``unavailable`` and never sent: something of it is not up yet, ask again.
        """
        if order.instance_type == "given":
            return Accepted((self._settings.groups[0],), self._api.now())
        source = self._settings.ssh_from or self._caller()
        made = Making(self._api, self._region, order).go_on()
        self._admit(made.group, source)
        return Accepted((made.id,), self._api.now())

    def find(self, query: Query) -> Listing:
        """The networks of ours that match; one whose rule is missing is not whole yet."""
        told = parts.look(self._api, self._region, tags_of(query), parts.ANCHORS)
        networks: dict[str, list[Part]] = {}
        for part in told:
            networks.setdefault(part.token, []).append(part)
        found = [each for each in map(self._instance, networks.values()) if query.matches(each)]
        if not told:
            self._api.allowed("ecs", self._region, "DescribeSecurityGroups", RegionId=self._region)
            self._api.allowed("vpc", self._region, "DescribeVpcs", RegionId=self._region)
        given = [self._given(id_) for id_ in query.ids or () if id_ in self._settings.groups]
        return Listing((*found, *given), complete=True, seen_at=self._api.now())

    def end(self, ids: Sequence[str]) -> None:
        """Ask for the end of networks, and of single parts; to be called until they are gone."""
        told = parts.look(self._api, self._region, tagged({f"{MARK}owner": self._owner}))
        tokens = {part.token for part in told if part.id in ids and part.kind.name in parts.ANCHORS}
        parts.end(self._api, self._region, [part for part in told if part.token in tokens or part.id in ids])

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        """What is left of a network that has neither group nor VPC any more; by owner alone only what costs."""
        tags, named = tags_of(query), parts.COSTLY if query.lease is None else None
        told = [
            part for part in parts.look(self._api, self._region, tags, named) if part.kind.name not in parts.ANCHORS
        ]
        if not told:
            return ()
        whole = {part.token for part in parts.look(self._api, self._region, tags, parts.ANCHORS)}
        left = (part for part in told if part.token not in whole)
        return tuple(Leftover(part.kind.name, part.id, part.tags[f"{MARK}lease"]) for part in left)

    def notice_probe(self, instance: Instance) -> dict[str, str]:
        """Nothing runs on a network."""
        return {"kind": "none"}

    def admit(self, id_: str, source: str) -> None:
        """Let SSH in from ``source`` only; a given group stays as its owner wants it."""
        if id_ in self._settings.groups:
            return
        told = parts.look(self._api, self._region, tagged({f"{MARK}owner": self._owner}))
        tokens = {part.token for part in told if part.id == id_}
        for part in told:
            if part.token in tokens and part.kind.name == "group":
                self._admit(part.id, source)

    def _admit(self, group: str, source: str) -> None:
        doors = [rule for rule in self._rules(group) if rule.get("PortRange") == _SSH]
        common = {"RegionId": self._region, "SecurityGroupId": group}
        if not any(rule.get("SourceCidrIp") == source for rule in doors):
            rule = {"IpProtocol": "tcp", "PortRange": _SSH, "SourceCidrIp": source, "Policy": "accept"}
            self._api.ask("ecs", self._region, "AuthorizeSecurityGroup", **common, **rule)
        for rule in doors:
            if rule.get("SourceCidrIp") != source:
                with published("DescribeSecurityGroupAttribute"):
                    door = {"SecurityGroupRuleId.1": text(rule, "SecurityGroupRuleId")}
                self._api.ask("ecs", self._region, "RevokeSecurityGroup", **common, **door)

    def _rules(self, group: str) -> list[Any]:
        query = {"RegionId": self._region, "SecurityGroupId": group, "Direction": "ingress"}
        answer = self._api.ask("ecs", self._region, "DescribeSecurityGroupAttribute", **query)
        with published("DescribeSecurityGroupAttribute"):
            return listed(answer, "Permissions", "Permission")

    def _instance(self, anchors: list[Part]) -> Instance:
        """The network that these stand for, in the order in which they can be ended."""
        last = anchors[-1]
        group = next((part for part in anchors if part.kind.name == "group"), None)
        whole = group is not None and any(rule.get("PortRange") == _SSH for rule in self._rules(group.id))
        with published(last.kind.listing):
            made_at = to_time(text(last.row, "CreationTime"))
        return Instance(
            id=last.id, token=last.token, lease=last.tags[f"{MARK}lease"], owner=last.tags[f"{MARK}owner"],
            state=InstanceState.RUNNING if whole else InstanceState.PENDING, why=None, address="", launched_at=made_at,
            tags=last.tags, instance_type=last.tags[NETWORK], region=self._region,
        )  # fmt: skip

    def _given(self, group: str) -> Instance:
        return Instance(
            id=group, token="", lease="", owner=self._owner, state=InstanceState.RUNNING, why=None, address="",
            launched_at=self._api.now(), instance_type="given", region=self._region,
        )  # fmt: skip
