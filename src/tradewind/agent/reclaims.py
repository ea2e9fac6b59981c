"""What clouds' metadata services say of a reclaim: where each says it, and what its words mean. Pure.

A page that is there says that the machine is taken; one that is not (404) says that nothing is announced. Words that
cannot be read still say that it is taken: then the usual notice of that cloud counts from now.

Sources: the clouds' own pages on interruption notices, 2026-11 (Tencent tells its local time, UTC+8, without a zone;
Azure tells of all machines of an availability set in one list; Google says no instant). Huawei documents no such page.
"""

from __future__ import annotations

import calendar
import json
import time
from datetime import datetime, timezone
from typing import Callable, Dict, NamedTuple, Optional

Probe = Dict[str, str]
# The text of the page, the probe and the usual deadline, to the instant at which the machine is taken; None: it is not.
Reader = Callable[[str, Probe, float], Optional[float]]

_TENCENT_AHEAD_SECONDS = 8 * 3600
_TAKING = ("Preempt", "Terminate")  # of Azure's events; others move or restart a machine


class Token(NamedTuple):
    """A word that the service gives for a PUT and wants to see with every question from then on."""

    path: str
    lifetime_header: str
    header: str


class Service(NamedTuple):
    """How one cloud's machines ask; ``rebalance``: the page that says that a reclaim has become likely."""

    base: str
    notice: str
    read: Reader
    headers: Dict[str, str] = {}
    token: Optional[Token] = None
    rebalance: Optional[str] = None


def _aws(text: str, _: Probe, usual: float) -> Optional[float]:
    try:
        return instant(json.loads(text)["time"])
    except (ValueError, KeyError, TypeError):
        return usual


def _alibaba(text: str, _: Probe, usual: float) -> Optional[float]:
    try:
        return instant(text)
    except ValueError:
        return usual


def _tencent(text: str, _: Probe, usual: float) -> Optional[float]:
    try:
        return float(calendar.timegm(time.strptime(text.strip(), "%Y-%m-%d %H:%M:%S")) - _TENCENT_AHEAD_SECONDS)
    except ValueError:
        return _alibaba(text, {}, usual)  # should it ever name its zone


def _azure(text: str, probe: Probe, usual: float) -> Optional[float]:
    """The first of the events that take this machine, the one named in the probe."""
    own = probe.get("resource", "").lower()
    deadlines = [
        _azure_instant(str(event.get("NotBefore", "")), usual)
        for event in json.loads(text)["Events"]
        if event["EventType"] in _TAKING and own in [name.lower() for name in event["Resources"]]
    ]
    return min(deadlines) if deadlines else None


def _azure_instant(text: str, usual: float) -> float:
    """``Mon, 19 Sep 2026 18:29:47 GMT``; empty once it has begun."""
    from email.utils import parsedate_to_datetime  # imported only on Azure: it is large

    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError):
        return usual


def _gcp(text: str, _: Probe, usual: float) -> Optional[float]:
    return usual if text.strip().upper() == "TRUE" else None


def instant(text: str) -> float:
    """Seconds since the epoch of ``2026-11-21T08:22:00Z``.

    Raises:
        ValueError: it is none.
    """
    told = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    return (told if told.tzinfo else told.replace(tzinfo=timezone.utc)).timestamp()


SERVICES: Dict[str, Service] = {
    "aws": Service(
        "http://169.254.169.254", "/latest/meta-data/spot/instance-action", _aws,
        token=Token("/latest/api/token", "X-aws-ec2-metadata-token-ttl-seconds", "X-aws-ec2-metadata-token"),
        rebalance="/latest/meta-data/events/recommendations/rebalance",
    ),
    "alibaba": Service(
        "http://100.100.100.200", "/latest/meta-data/instance/spot/termination-time", _alibaba,
        token=Token("/latest/api/token", "X-aliyun-ecs-metadata-token-ttl-seconds", "X-aliyun-ecs-metadata-token"),
    ),
    "tencent": Service("http://metadata.tencentyun.com", "/latest/meta-data/spot/termination-time", _tencent),
    "azure": Service(
        "http://169.254.169.254", "/metadata/scheduledevents?api-version=2020-07-01", _azure, {"Metadata": "true"}
    ),
    "gcp": Service(
        "http://metadata.google.internal", "/computeMetadata/v1/instance/preempted", _gcp, {"Metadata-Flavor": "Google"}
    ),
}  # fmt: skip
