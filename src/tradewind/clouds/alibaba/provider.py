"""AlibabaProvider: one account of Alibaba Cloud, by what the SDK's own chain finds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tradewind.clouds.alibaba import policy
from tradewind.clouds.alibaba.checking import Checking, region_names
from tradewind.clouds.alibaba.client import Api
from tradewind.clouds.alibaba.compute import AlibabaCloud
from tradewind.clouds.alibaba.network import AlibabaNetwork
from tradewind.clouds.alibaba.tables import CLOUD
from tradewind.ports.clock import Clock
from tradewind.ports.cloud import Caller, Checked, Cloud, CloudSettings, Network, Provider, Region
from tradewind.ports.compute import CloudFault

_KEY_VARIABLE = "ALIBABA_CLOUD_ACCESS_KEY_ID"
_PROFILES = {"profile": "default", "cli_profile": "current"}  # the SDK's files, and which of their profiles it takes


def connect(settings: CloudSettings, owner: str, clock: Clock, caller: Caller) -> Provider:
    """The account that the SDK's own chain finds; nothing is asked yet.

    Raises:
        ModuleNotFoundError: the SDK is not installed.
    """
    import alibabacloud_credentials  # noqa: F401 that they are there; they are used late
    import alibabacloud_tea_openapi  # noqa: F401

    return AlibabaProvider(Api(settings.endpoints, clock.now), owner, settings, clock, caller)


class AlibabaProvider:
    """The Provider port by the core of the SDK."""

    name = CLOUD

    def __init__(self, api: Api, owner: str, settings: CloudSettings, clock: Clock, caller: Caller) -> None:
        self._api = api
        self._owner = owner
        self._settings = settings
        self._clock = clock
        self._caller = caller

    def credentials(self) -> str | None:
        """Where the chain finds credentials, or the half of some: then :meth:`check` says what they lack."""
        try:
            told = str(self._api.credential.get_credential().provider_name)
        except CloudFault:
            return "environment" if os.environ.get(_KEY_VARIABLE) else None
        way = told.split("/")[1] if "/" in told else told  # ``default/cli_profile/static_ak``
        if way in _PROFILES:
            return f"profile {os.environ.get('ALIBABA_CLOUD_PROFILE') or _PROFILES[way]}"
        return "environment" if way == "env" else "role"

    def regions(self) -> tuple[Region, ...]:
        """All of them: none has to be turned on."""
        return tuple(Region(name, enabled=True) for name in region_names(self._api))

    def cloud(self, region: str) -> Cloud:
        """Renting there."""
        return AlibabaCloud(self._api, region, self._owner, self._settings, self._clock)

    def network(self, region: str) -> Network:
        """The network of ours there."""
        return AlibabaNetwork(self._api, region, self._settings, self._owner, self._caller)

    def check(self, region: str) -> tuple[Checked, ...]:
        """What the account lets one do there."""
        return Checking(self._api, self._owner, self._settings, self.credentials()).check(region)

    def policy(self) -> Mapping[str, Any]:
        """With the role of the settings."""
        return policy.document(self._owner, self._settings.role)
