"""Which adapter stands behind a cloud's account; its SDK is imported when the account is opened, and only then."""

from __future__ import annotations

import threading
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec

from tradewind.app.clouds.caller import CallerAddress
from tradewind.app.clouds.settings_file import SettingsFile
from tradewind.app.price_sources import SOURCES as CLOUDS
from tradewind.domain.errors import NotConfigured, TradewindError
from tradewind.ports.clock import Clock
from tradewind.ports.cloud import Caller, CloudSettings, Provider
from tradewind.ports.compute import CloudFault

__all__ = ["CLOUDS", "Providers", "rentable"]


@cache
def rentable(cloud: str) -> bool:
    """Whether machines can be rented there; of the other clouds prices are known alone."""
    return cloud in CLOUDS and find_spec(f"tradewind.clouds.{cloud}.provider") is not None


def connect(cloud: str, settings: CloudSettings, owner: str, clock: Clock, caller: Caller) -> Provider:
    """The account of a cloud, by its adapter.

    Raises:
        NotConfigured: ``extra-missing`` (cloud, module): its SDK is not installed.
    """
    try:
        adapter = import_module(f"tradewind.clouds.{cloud}.provider")
        provider: Provider = adapter.connect(settings, owner, clock, caller)
    except ModuleNotFoundError as error:
        raise NotConfigured("extra-missing", cloud=cloud, module=error.name) from error
    return provider


class Providers:
    """The accounts of one home's clouds, opened when they are first asked for, and anew when their settings changed."""

    def __init__(self, file: SettingsFile, owner: str, clock: Clock) -> None:
        self.file = file
        self.address = CallerAddress()
        self.owner = owner
        self._clock = clock
        self._lock = threading.Lock()
        self._open: dict[str, tuple[CloudSettings, Provider]] = {}

    def get(self, cloud: str) -> Provider:
        """The account of a cloud in which machines can be rented.

        Raises:
            NotConfigured: ``extra-missing`` (cloud, module): its SDK is not installed.
            BadInput: the settings file is faulty.
        """
        settings = self.file.read().clouds[cloud]
        with self._lock:
            known = self._open.get(cloud)
            if known is None or known[0] != settings:
                caller = partial(self._caller, cloud)
                known = self._open[cloud] = settings, connect(cloud, settings, self.owner, self._clock, caller)
            return known[1]

    def _caller(self, cloud: str) -> str:
        """From where machines of a cloud may be reached; asked by its adapter when it makes a network."""
        try:
            return self.ssh_from(cloud)
        except TradewindError as error:
            raise CloudFault("unavailable", str(error), sent="no") from error

    def ssh_from(self, cloud: str) -> str:
        """From where machines of a cloud may be reached: what is set, else this computer's address.

        Raises:
            NotConfigured: ``caller-unknown`` (url, cause).
            BadInput: the settings file is faulty.
        """
        told = self.file.read()
        return told.clouds[cloud].ssh_from or self.address.network(told.caller_address)
