"""What DescribeInstances tells of a machine, read into our values. Pure.

Sources: EC2 API 2016-11-15: Instance, InstanceState, StateReason, StateTransitionReason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from tradewind.clouds.answers import Odd, pick, text
from tradewind.clouds.aws import tags
from tradewind.ports.compute import Instance, InstanceState

Why = Literal["reclaimed", "ours", "capacity", "quota", "host", "expired", "kms", "unknown"]

STATES: Mapping[str, InstanceState] = {
    "pending": InstanceState.PENDING, "running": InstanceState.RUNNING, "stopping": InstanceState.STOPPING,
    "stopped": InstanceState.STOPPED, "shutting-down": InstanceState.TERMINATING, "terminated": InstanceState.GONE,
}  # fmt: skip
WHYS: Mapping[str, Why] = {
    "Server.SpotInstanceTermination": "reclaimed", "Server.SpotInstanceShutdown": "reclaimed",
    "Server.ScheduledStop": "host", "Server.InternalError": "host", "Client.UserInitiatedShutdown": "ours",
    "Client.InstanceInitiatedShutdown": "ours", "Client.UserInitiatedHibernate": "ours",
    "Server.InsufficientInstanceCapacity": "capacity", "Client.VolumeLimitExceeded": "quota",
    "Client.InternalError": "kms",
}  # fmt: skip
_LIVE = (InstanceState.PENDING, InstanceState.RUNNING)
_AT = re.compile(r"\((\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?:GMT|UTC)\)")  # User initiated (2026-11-21 08:22:00 GMT)


def to_instance(told: Mapping[str, Any], region: str, zones: Mapping[str, str], *, private: bool) -> Instance:
    """One element of ``Instances``.

    Args:
        zones: zone ids by the account's own names, for answers that tell no id.
        private: a machine without a public address is reached by its private one.

    Raises:
        Odd: not of the published shape, or in a state that nobody knows.
    """
    state, has = _state(told), tags.read(told.get("Tags"))
    reason = told.get("StateReason", {})
    return Instance(
        id=text(told, "InstanceId"),
        token=has.get(tags.TOKEN, ""),
        lease=has.get(tags.LEASE, ""),
        owner=has.get(tags.OWNER, ""),
        state=state,
        why=None if state in _LIVE else WHYS.get(reason.get("Code", ""), "unknown"),
        address=told.get("PublicIpAddress") or (told.get("PrivateIpAddress", "") if private else ""),
        launched_at=_instant(told),
        ended_at=_ended(told) if state is InstanceState.GONE else None,
        tags=has,
        instance_type=told.get("InstanceType"),
        region=region,
        zone=_zone(told.get("Placement", {}), zones),
        purchase=told.get("InstanceLifecycle", "on_demand"),
        words=reason.get("Message") or reason.get("Code") or None,
    )


def _state(told: Mapping[str, Any]) -> InstanceState:
    word = text(told, "State", "Name")
    if word not in STATES:
        raise Odd(f"State.Name is {word!r}")
    return STATES[word]


def _zone(placement: Mapping[str, str], zones: Mapping[str, str]) -> str | None:
    return placement.get("AvailabilityZoneId") or zones.get(placement.get("AvailabilityZone", ""))


def _instant(told: Mapping[str, Any]) -> datetime:
    at = pick(told, "LaunchTime")
    if not isinstance(at, datetime):
        raise Odd(f"LaunchTime is {at!r}")
    return at.astimezone(UTC)


def _ended(told: Mapping[str, Any]) -> datetime | None:
    """When the change to its state began: from then on nothing is charged."""
    at = _AT.search(told.get("StateTransitionReason", ""))
    return datetime.fromisoformat(at[1]).replace(tzinfo=UTC) if at else None
