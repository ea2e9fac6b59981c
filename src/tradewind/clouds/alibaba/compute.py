"""AlibabaCloud: renting on ECS in one region. What is sent and read is in ``requests`` and ``instances``; this asks."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from tradewind.clouds.alibaba import ending, leftovers
from tradewind.clouds.alibaba.client import Api, Unreadable
from tradewind.clouds.alibaba.completing import Completion, has_public_address
from tradewind.clouds.alibaba.ending import batches, machines
from tradewind.clouds.alibaba.instances import NOTICE_S, owner_of, to_instance
from tradewind.clouds.alibaba.requests import (
    USER_DATA_BYTES,
    cloud_end,
    released_at,
    to_price_query,
    to_request,
)
from tradewind.clouds.alibaba.tables import CLOUD
from tradewind.clouds.answers import Odd, amount, listed, pick, price, published, text
from tradewind.domain.money import Money
from tradewind.ports.clock import Clock
from tradewind.ports.cloud import CloudSettings
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

CAPABILITIES = Capabilities(
    hard_end=HardEnd.SERVER_SIDE, native_idempotency=True, list_lag_s=60.0, absence_s=120.0, beat_s=15.0, hear_s=2.0,
    boot_s=900.0, notice_s=NOTICE_S, price_cap=True, stop_frees_compute=True, user_data_bytes=USER_DATA_BYTES,
    most_tags=20, hear_out_s=0.0, keep_open_s=600.0, boot_beat_s=5.0, sweep_s=300.0,
)  # fmt: skip
_ON, _OFF = (InstanceState.PENDING, InstanceState.RUNNING), (InstanceState.STOPPING, InstanceState.STOPPED)


class AlibabaCloud:
    """The port :class:`tradewind.ports.cloud.Cloud`."""

    name = CLOUD
    caps = CAPABILITIES

    def __init__(self, api: Api, region: str, owner: str, settings: CloudSettings, clock: Clock) -> None:
        self.region = region
        self._api = api
        self._owner = owner
        self._private = not has_public_address(settings)
        self._completion = Completion(api, region, settings, clock)

    # --- renting ------------------------------------------------------------------------------------------------------

    def launch(self, order: Order) -> Accepted:
        """The machine's id, as soon as there is one. An answer without one that can be read was a yes all the same."""
        request = to_request(order)
        try:
            answer = self._api.ask("ecs", self.region, "RunInstances", **request)
            return Accepted((_first(listed(answer, "InstanceIdSets", "InstanceIdSet")),), self._api.now())
        except (Odd, Unreadable) as fault:
            raise CloudFault("unavailable", f"RunInstances: {fault}", sent="maybe") from fault

    def find(self, query: Query) -> Listing:
        """All machines that match; one that ended is not listed any more. Empty only to whom may look."""
        found: dict[str, Instance] = {}
        odd: list[str] = []
        for row in self._rows(query):
            try:
                instance = to_instance(row, self._api.now(), private=self._private)
            except Odd as fault:
                odd.append(f"{row.get('InstanceId') if isinstance(row, dict) else row}: {fault}")
                continue
            if owner_of(instance.tags) and query.matches(instance):
                found[instance.id] = instance
        if not found and not odd:
            self._api.allowed("ecs", self.region, "DescribeInstances", RegionId=self.region)
        why = "; ".join(odd) or None
        return Listing(tuple(found.values()), complete=not odd, seen_at=self._api.now(), why=why)

    def end(self, ids: Sequence[str]) -> None:
        """Ask for the end of machines and of leftovers of ours; one that cannot be ended keeps no other from its end.

        Raises:
            CloudFault: the first refusal, after all were asked for: ``busy``, it is being made; ``invalid``, protected.
        """
        ending.end(self._api, self.region, self._owner, ids)

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        """Disks, interfaces and addresses of ours that no machine has."""
        return tuple(leftovers.look(self._api, self.region, query))

    def notice_probe(self, instance: Instance) -> dict[str, str]:
        """By the metadata service; its address and answers are the agent's to know."""
        return {"kind": CLOUD}

    # --- before it is rented ------------------------------------------------------------------------------------------

    def complete(self, order: Order) -> Order:
        """The order with its place, image, disks and what else is needed."""
        return self._completion.complete(order)

    def quote(self, order: Order) -> Money | None:
        """The price of the machine alone, as plans reckon with it: what is to be paid, less any discount."""
        answer = self._api.ask("ecs", self.region, "DescribePrice", **to_price_query(order))
        with published("DescribePrice"):
            told = pick(answer, "PriceInfo", "Price")
            for detail in listed(told, "DetailInfos", "DetailInfo"):
                if pick(detail, "Resource") == "instanceType":
                    return Money(price(amount(detail, "TradePrice")), text(told, "Currency"))
        return None

    # --- while it is rented -------------------------------------------------------------------------------------------

    def extend(self, id_: str, hard_end: datetime) -> None:
        """Move the release; ECS takes none that is less than half an hour ahead, the agent keeps the exact one."""
        at = released_at(cloud_end(hard_end, self._api.now()))
        query = {"RegionId": self.region, "InstanceId": id_, "AutoReleaseTime": at}
        self._api.ask("ecs", self.region, "ModifyInstanceAutoReleaseTime", **query)

    def stop(self, id_: str) -> None:
        """Stop it, so that only its disks cost."""
        self._bring(id_, _OFF, "StopInstance", StoppedMode="StopCharging")

    def start(self, id_: str) -> None:
        """Start it again; what it ran on may have gone to somebody else by then."""
        self._bring(id_, _ON, "StartInstance")

    def resize(self, id_: str, instance_type: str) -> None:
        """Make a stopped machine another type."""
        there = self._one(id_)
        if there.instance_type == instance_type:
            return
        if there.purchase == "spot":
            raise CloudFault("invalid", f"{id_} is a spot machine: those keep their type", sent="no")
        if there.state is not InstanceState.STOPPED:
            raise CloudFault("invalid", f"{id_} is {there.state}: it must be stopped first", sent="no")
        self._api.ask("ecs", self.region, "ModifyInstanceSpec", InstanceId=id_, InstanceType=instance_type)

    def console(self, id_: str) -> str | None:
        """The end of what it wrote to its console."""
        answer = self._api.ask("ecs", self.region, "GetInstanceConsoleOutput", RegionId=self.region, InstanceId=id_)
        with published("GetInstanceConsoleOutput"):
            return _decoded(answer.get("ConsoleOutput") or "")

    # --- asking -------------------------------------------------------------------------------------------------------

    def _rows(self, query: Query) -> Iterator[Any]:
        tags = leftovers.tags_of(query)
        if query.ids is None:
            yield from self._api.rows("ecs", self.region, "DescribeInstances", "Instances", "Instance", **tags)
            return
        for batch in batches(machines(query.ids)):
            asked = tags | {"InstanceIds": json.dumps(batch)}
            yield from self._api.rows("ecs", self.region, "DescribeInstances", "Instances", "Instance", **asked)

    def _bring(self, id_: str, there: tuple[InstanceState, ...], action: str, **query: str) -> None:
        """Ask for a state, unless the machine is in it or on its way to it."""
        try:
            self._api.ask("ecs", self.region, action, InstanceId=id_, **query)
        except CloudFault as fault:
            if fault.kind != "busy" or self._one(id_).state not in there:
                raise

    def _one(self, id_: str) -> Instance:
        for row in self._rows(Query(ids=(id_,))):
            with published("DescribeInstances"):
                return to_instance(row, self._api.now(), private=self._private)
        raise CloudFault("not_found", f"{id_} is not there", sent="yes")


def _first(ids: list[Any]) -> str:
    return text({"InstanceIdSet": ids[0] if ids else None}, "InstanceIdSet")


def _decoded(told: Any) -> str | None:
    try:
        return base64.b64decode(told).decode(errors="replace") or None
    except (TypeError, ValueError):
        raise Odd(f"ConsoleOutput is {str(told)[:40]!r}, not base64") from None
