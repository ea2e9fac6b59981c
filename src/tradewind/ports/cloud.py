"""The port to a cloud account beyond renting: who one is there, what it may do, networks, prices asked live.

An account is opened once (:class:`Provider`); what is rented is rented in one of its regions (:class:`Cloud`), over a
network there (:class:`Network`). Sync; called from worker threads; every call sends what it must once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from tradewind.domain.money import Money
from tradewind.ports.compute import Compute, Order

Verdict = Literal["ok", "warning", "missing", "unknown"]


@dataclass(frozen=True, slots=True)
class CloudSettings:
    """What a user set for one cloud in ``clouds.yaml``; all of it may be left out.

    Attributes:
        regions: where to rent; empty: every region that the account has turned on.
        network: ``default`` (the account's own network, a security group of ours, a public address), ``private`` (a
            network of ours without public addresses, with a NAT gateway), or ``given`` (``subnets``, ``groups``).
        subnets, groups: of ``given``: ids of subnets, of security groups; ``public_address``: whether machines there
            get one.
        ssh_from: the network from which machines may be reached, ``203.0.113.7/32``; None: this computer's address.
        endpoints: URLs that take the place of the cloud's own, by service (``ec2``, ``sts``, ``ecs``, ``vpc`` …).
        image: boots this instead of what the role of the machine asks for; ``kms_key``: encrypts disks;
        role: the role that machines get; ``disk_gb``: the size of the disk that they boot from.
    """

    regions: tuple[str, ...] = ()
    network: Literal["default", "private", "given"] = "default"
    subnets: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    public_address: bool = True
    ssh_from: str | None = None
    endpoints: Mapping[str, str] = field(default_factory=dict)
    image: str | None = None
    kms_key: str | None = None
    role: str | None = None
    disk_gb: int | None = None


@dataclass(frozen=True, slots=True)
class Region:
    """A region of the account; ``enabled``: whether it is turned on for it, None: not known."""

    name: str
    enabled: bool | None


@dataclass(frozen=True, slots=True)
class Checked:
    """One thing that was looked at in an account; worded elsewhere by ``code`` and ``facts``.

    Codes (facts): ``identity`` (account, who, how) · ``right`` (action, region) · ``quota`` (name, purchase, region,
    has, unit, ask) · ``clock`` (seconds) · ``network`` (region, id) · ``account`` (what the account itself lacks) ·
    ``region`` (region). ``words``: what the cloud said, where it said anything.
    """

    code: str
    verdict: Verdict
    facts: Mapping[str, str] = field(default_factory=dict)
    words: str | None = None


class Cloud(Compute, Protocol):
    """Renting in one region of one account, and what an order needs before it is sent."""

    region: str

    def complete(self, order: Order) -> Order:
        """The order with zone, image, subnet, groups, disks and role filled in; what is given stays. Makes nothing.

        Raises:
            CloudFault: ``invalid``, there is no such image, network or machine type here; or it cannot be asked.
        """
        ...

    def quote(self, order: Order) -> Money | None:
        """What the cloud asks for an hour of this order now; None where it does not tell.

        Raises:
            CloudFault: it cannot be asked.
        """
        ...

    def extend(self, id_: str, hard_end: datetime) -> None:
        """Move the machine's hard end, where the cloud itself keeps it; elsewhere nothing. Idempotent."""
        ...

    def stop(self, id_: str) -> None:
        """Stop a machine so that its compute costs nothing, where that can be. Idempotent.

        Raises:
            CloudFault: ``invalid``, this one cannot be stopped (spot).
        """
        ...

    def start(self, id_: str) -> None:
        """Start a stopped machine. Idempotent; ``capacity`` is possible."""
        ...

    def resize(self, id_: str, instance_type: str) -> None:
        """Make a stopped machine another type. Idempotent.

        Raises:
            CloudFault: ``invalid``: it runs, is a spot machine, or cannot become that.
        """
        ...

    def console(self, id_: str) -> str | None:
        """The end of what the machine wrote to its console; None where there is nothing yet."""
        ...


class Network(Compute, Protocol):
    """What machines of ours in one region are reached over, rented like a machine: launch makes it, end takes it away.

    An instance of it is one network with all that belongs to it; ``instance_type`` is the kind of ``CloudSettings``.
    """

    def admit(self, id_: str, source: str) -> None:
        """Let SSH in from ``source`` (``203.0.113.7/32``) and from nowhere else that was let in before. Idempotent."""
        ...


class Provider(Protocol):
    """One account of one cloud, by what the SDK's own chain finds; nothing is asked until a method is called."""

    name: str

    def credentials(self) -> str | None:
        """Where credentials were found (``environment``, ``profile NAME``, ``role``); None: nowhere.

        They are neither read nor kept by us.
        """
        ...

    def regions(self) -> tuple[Region, ...]:
        """All regions of the cloud.

        Raises:
            CloudFault: it cannot be asked: ``auth`` where it does not let us.
        """
        ...

    def cloud(self, region: str) -> Cloud:
        """Renting there."""
        ...

    def network(self, region: str) -> Network:
        """The network of ours there."""
        ...

    def check(self, region: str) -> tuple[Checked, ...]:
        """Who one is, what one may do (by dry runs), quota, clock, network; nothing is rented; raises nothing."""
        ...

    def policy(self) -> Mapping[str, Any]:
        """The least rights that all of this needs, as the cloud's own policy document."""
        ...


Caller = Callable[[], str]  # the address that this computer is seen with, as ``203.0.113.7/32``
