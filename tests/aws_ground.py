"""What tests of renting on AWS share: orders, a provider, and the AWS of the lab without machines behind it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from botocore.loaders import create_loader
from lab.aws_front import AwsFront
from lab.control import Control
from lab.machines import NoHypervisor

from tradewind.clouds.aws.provider import connect
from tradewind.ports.cloud import CloudSettings, Provider
from tradewind.ports.compute import Accepted, Disk, Order

OWNER, ELSE = "installation-1", "installation-2"
HOME, CALLER = "us-east-1", "203.0.113.7/32"
G4 = "g4dn.xlarge"
_shared_loader = cache(create_loader)  # the SDK parses its models for each session: a third of a second each time


class WallClock:
    """This computer's clock, which a test may set wrong; sleeping is not waited for."""

    def __init__(self) -> None:
        self.off = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.off

    def monotonic(self) -> float:
        return self.now().timestamp()

    def sleep(self, seconds: float) -> None:
        self.off += timedelta(seconds=seconds)


def order(**other: Any) -> Order:
    """An order of a job's machine as leasing writes it, not yet furnished."""
    token = other.pop("token", str(uuid.uuid4()))
    lease, owner = other.pop("lease", f"lease-{token[:8]}"), other.pop("owner", OWNER)
    tags = {
        "tradewind:owner": owner, "tradewind:lease": lease, "tradewind:token": token,
        "tradewind:expires": "2026-11-23T08:00:00+00:00", "tradewind:job": "resnet50", "tradewind:epoch": "1",
        "tradewind:account": f"aws:{HOME}", "tradewind:price": "12.5 USD",
    }  # fmt: skip
    known: dict[str, Any] = {
        "token": token, "lease": lease, "owner": owner, "cloud": "aws", "region": HOME, "zone": None,
        "instance_type": G4, "purchase": "on_demand", "hard_end": "2026-11-23T08:00:00+00:00", "tags": tags,
        "currency": "USD",
    }  # fmt: skip
    return Order(**{**known, **other})


def furnished(**other: Any) -> Order:
    """An order that could be sent."""
    known: dict[str, Any] = {
        "zone": "use1-az1", "image": "ami-0123456789abcdef0", "subnet": "subnet-0123456789abcdef0",
        "groups": ("sg-0123456789abcdef0",), "public_ip": True, "disks": (Disk(200, device="/dev/sda1"),),
        "user_data": "#!/bin/sh\nexit 0\n", "furnished": True,
    }  # fmt: skip
    return order(**{**known, **other})


class Ground:
    """One account of the lab's AWS and what rents there."""

    def __init__(self, front: AwsFront, control: Control) -> None:
        self.front = front
        self.control = control
        self.account = front.account
        self.clock = WallClock()
        self._providers: dict[str, Provider] = {}
        self._networks: dict[str, str] = {}

    def provider(self, owner: str = OWNER, **settings: Any) -> Provider:
        """The provider of an installation; with ``settings`` as in ``clouds.yaml`` one of its own."""
        given = CloudSettings(**{"endpoints": self.front.endpoints, **settings})
        if settings:
            return connect(given, owner, self.clock, lambda: CALLER)
        if owner not in self._providers:
            self._providers[owner] = connect(given, owner, self.clock, lambda: CALLER)
        return self._providers[owner]

    def clean(self) -> None:
        """As it was: no machines, no faults, all rights. The network of ours stays, as it does between jobs."""
        self.control.clear()
        self.account.page_size = 1000
        with self.account.fleet.lock:
            for each in self.account.fleet.all(""):
                self.account.fleet.end(each)
        for changed in (self.account.denied, self.account.disabled, self.account.protected, self.account.over,
                        self.account.quotas, self.account.stock, self.account.spot, self.account.prices):  # fmt: skip
            changed.clear()
        self.clock.off = timedelta()

    def operations(self, since: int = 0) -> list[str]:
        """What was asked from the ``since``-th request on."""
        return [each.operation for each in self.control.recorded[since:]]

    def reached(self, owner: str = OWNER) -> str:
        """The id of a network of ours, made once."""
        if owner not in self._networks:
            made = order(instance_type="default", owner=owner)
            (self._networks[owner],) = self.provider(owner).network(HOME).launch(made).ids
        return self._networks[owner]

    def ready(self, **other: Any) -> Order:
        """An order that this account can carry out."""
        network = other.pop("network", None) or self.reached(other.get("owner", OWNER))
        owner = other.get("owner", OWNER)
        completed = self.provider(owner).cloud(HOME).complete(order(network=network, **other))
        return replace(completed, user_data="#!/bin/sh\nexit 0\n", furnished=True)

    def rented(self, **other: Any) -> tuple[Order, Accepted]:
        """A machine."""
        ready = self.ready(**other)
        return ready, self.provider(ready.owner).cloud(HOME).launch(ready)


@contextmanager
def aws(folder: Path) -> Iterator[Ground]:
    """The lab's AWS, with the credentials that it knows; what it objects to fails the test that leaves it."""
    control = Control()
    with pytest.MonkeyPatch.context() as patch, AwsFront(NoHypervisor(), control) as front:
        patch.setattr("botocore.session.create_loader", _shared_loader)
        sign_in(patch, folder, **front.environment)
        yield Ground(front, control)


def sign_in(patch: pytest.MonkeyPatch, folder: Path, **environment: str) -> None:
    """Only this environment, and no settings of this computer's."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "HTTP_PROXY", "http_proxy", "AWS_ENDPOINT_URL"):
        patch.delenv(name, raising=False)
    files = {
        "AWS_CONFIG_FILE": str(folder / "config"), "AWS_SHARED_CREDENTIALS_FILE": str(folder / "credentials"),
        "AWS_EC2_METADATA_DISABLED": "true",
    }  # fmt: skip
    for name, value in {**files, **environment}.items():
        patch.setenv(name, value)
