"""AwsProvider: one account of AWS, by what the SDK's own chain finds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tradewind.clouds.answers import published, text
from tradewind.clouds.aws import policy
from tradewind.clouds.aws.checking import Checking
from tradewind.clouds.aws.client import Api
from tradewind.clouds.aws.compute import AwsCloud
from tradewind.clouds.aws.network import AwsNetwork
from tradewind.ports.clock import Clock
from tradewind.ports.cloud import Caller, Checked, Cloud, CloudSettings, Network, Provider, Region
from tradewind.ports.compute import CloudFault

_ENVIRONMENT = "env"  # how the SDK calls the ways to credentials; what is neither of these came by a profile
_ROLES = ("iam-role", "container-role", "assume-role-with-web-identity")


def connect(settings: CloudSettings, owner: str, clock: Clock, caller: Caller) -> Provider:
    """The account that the SDK's default chain finds; nothing is asked yet.

    Raises:
        ModuleNotFoundError: boto3 is not installed.
    """
    import boto3  # noqa: F401 that it is there; the SDK is used late

    api = Api(settings.endpoints, clock, *settings.regions[:1])
    return AwsProvider(api, owner, settings, clock, caller)


class AwsProvider:
    """The Provider port by boto3."""

    name = "aws"

    def __init__(self, api: Api, owner: str, settings: CloudSettings, clock: Clock, caller: Caller) -> None:
        self._api = api
        self._owner = owner
        self._settings = settings
        self._clock = clock
        self._caller = caller

    def credentials(self) -> str | None:
        """Where the chain finds credentials, or the half of some: then :meth:`check` says what they lack."""
        from botocore.exceptions import BotoCoreError, PartialCredentialsError

        try:
            found = self._api.session.get_credentials()
        except PartialCredentialsError as fault:
            return self._named(fault.kwargs["provider"])
        except (BotoCoreError, CloudFault):
            return self._named("profile")
        return self._named(found.method) if found else None

    def _named(self, method: str) -> str:
        if method == _ENVIRONMENT:
            return "environment"
        return "role" if method in _ROLES else f"profile {os.environ.get('AWS_PROFILE') or 'default'}"

    def regions(self) -> tuple[Region, ...]:
        """Those that are to be turned on first, too."""
        rows = self._api.rows(self._api.home, "describe_regions", "Regions", AllRegions=True)
        with published("DescribeRegions"):
            told = {text(each, "RegionName"): text(each, "OptInStatus") for each in rows}
        return tuple(Region(name, status != "not-opted-in") for name, status in sorted(told.items()))

    def cloud(self, region: str) -> Cloud:
        """Renting there."""
        return AwsCloud(self._api, region, self._owner, self._settings, self._clock)

    def network(self, region: str) -> Network:
        """The network of ours there."""
        return AwsNetwork(self._api, region, self._owner, self._clock, self._caller)

    def check(self, region: str) -> tuple[Checked, ...]:
        """What the account lets one do there."""
        return Checking(self._api, self._owner, self._settings, self._clock, self.credentials()).check(region)

    def policy(self) -> Mapping[str, Any]:
        """For the partition that the SDK's settings name, with the role and the key of the settings."""
        return policy.document(self._owner, self._api.partition, self._settings.role, self._settings.kms_key)
