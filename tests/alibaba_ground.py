"""What tests of renting on Alibaba Cloud share: orders, a provider, and the lab's Alibaba Cloud without machines."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from lab.alibaba import AlibabaCloud
from lab.control import Control
from lab.machines import NoHypervisor
from lab.signatures import sign_in

from tradewind.clouds.alibaba.provider import connect
from tradewind.ports.cloud import CloudSettings, Network, Provider
from tradewind.ports.compute import Accepted, CloudFault, Disk, Order

OWNER, ELSE = "installation-1", "installation-2"
BEIJING, CALLER = "cn-beijing", "203.0.113.7/32"
GN7I, GN6V, SMALL = "ecs.gn7i-c8g1.2xlarge", "ecs.gn6v-c8g1.2xlarge", "ecs.g7.large"
SCRIPT = "#!/bin/sh\necho 中文\n"


class WallClock:
    """This computer's clock, which a test may set wrong; nothing here may sleep."""

    def __init__(self) -> None:
        self.off = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.off

    def monotonic(self) -> float:
        return self.now().timestamp()

    def sleep(self, seconds: float) -> None:
        raise AssertionError(f"slept for {seconds} s")


def order(**other: Any) -> Order:
    """An order of a job's machine as leasing writes it, not yet furnished."""
    token = other.pop("token", str(uuid.uuid4()))
    lease, owner = other.pop("lease", f"lease-{token[:8]}"), other.pop("owner", OWNER)
    hard_end = other.pop("hard_end", (datetime.now(UTC) + timedelta(hours=6)).isoformat())
    tags = {
        "tradewind:owner": owner, "tradewind:lease": lease, "tradewind:token": token, "tradewind:expires": hard_end,
        "tradewind:job": "resnet50", "tradewind:epoch": "1", "tradewind:account": f"alibaba:{BEIJING}",
        "tradewind:price": "12.5 CNY",
    }  # fmt: skip
    known: dict[str, Any] = {
        "token": token, "lease": lease, "owner": owner, "cloud": "alibaba", "region": BEIJING, "zone": None,
        "instance_type": GN7I, "purchase": "on_demand", "hard_end": hard_end, "tags": tags, "currency": "CNY",
    }  # fmt: skip
    return Order(**{**known, **other})


def furnished(**other: Any) -> Order:
    """An order that could be sent."""
    known: dict[str, Any] = {
        "zone": "cn-beijing-l", "image": "m-2ze0123456789", "subnet": "vsw-2ze0123456789", "furnished": True,
        "groups": ("sg-2ze0123456789",), "public_ip": True, "disks": (Disk(200),), "user_data": SCRIPT,
    }  # fmt: skip
    return order(**{**known, **other})


class Ground:
    """One account of the lab's Alibaba Cloud and what rents there."""

    def __init__(self, lab: AlibabaCloud, control: Control) -> None:
        self.lab = lab
        self.control = control
        self.account = lab.account
        self.clock = WallClock()

    def provider(self, owner: str = OWNER, **settings: Any) -> Provider:
        """A provider of its own; ``settings`` as in ``clouds.yaml``."""
        given = {"endpoints": self.lab.endpoints, **settings}
        return connect(CloudSettings(**given), owner, self.clock, lambda: CALLER)

    def asked(self, action: str) -> list[dict[str, Any]]:
        """What an operation was asked for, call by call."""
        return [call.asked for call in self.lab.engine.calls if call.operation == action]

    def sent(self, action: str) -> int:
        """How many requests for an operation came in, understood or not."""
        return sum(heard.headers.get("x-acs-action") == action for heard in self.lab.engine.stub.log)

    def made(self, network: Network, ordered: Order) -> Accepted:
        """A network, asked for again for as long as something of it comes up."""
        for _ in range(9):
            try:
                return network.launch(ordered)
            except CloudFault as fault:
                assert (fault.kind, fault.sent) == ("unavailable", "no"), fault
        raise AssertionError("the network never came up")

    def reached(self, owner: str = OWNER, kind: str = "default") -> str:
        """The id of a network of ours."""
        network = self.provider(owner, network=kind).network(BEIJING)
        return self.made(network, order(instance_type=kind, owner=owner)).ids[0]

    def ready(self, **other: Any) -> Order:
        """An order that this account can carry out."""
        owner = other.get("owner", OWNER)
        network = other.pop("network", None) or self.reached(owner)
        completed = self.provider(owner).cloud(BEIJING).complete(order(network=network, **other))
        return replace(completed, user_data=SCRIPT, furnished=True)

    def rented(self, **other: Any) -> tuple[Order, str]:
        """A machine."""
        ready = self.ready(**other)
        return ready, self.provider(ready.owner).cloud(BEIJING).launch(ready).ids[0]


@contextmanager
def alibaba(patch: pytest.MonkeyPatch, folder: Path, **how: Any) -> Iterator[Ground]:
    """The lab's Alibaba Cloud, with the credentials that it knows; what it objects to fails the test."""
    alone(patch, folder)
    sign_in("alibaba", patch)
    control = Control()
    with AlibabaCloud(NoHypervisor(), control, **how) as lab:
        yield Ground(lab, control)


def alone(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """No settings of this computer's, and no credentials but those that a test gives."""
    from alibabacloud_credentials.utils import auth_constant, auth_util

    patch.setenv("HOME", str(folder))
    patch.setattr(auth_constant, "HOME", str(folder))  # read when the SDK was imported, as all that follows was
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALIBABA_CLOUD_ACCESS_KEY_ID"):
        patch.delenv(name, raising=False)
    for name in ("access_key_id", "access_key_secret", "security_token", "credentials_file", "profile_name"):
        patch.setattr(auth_util, f"environment_{name}", None)
    patch.setattr(auth_util, "environment_ecs_metadata_disabled", "true")
