"""A home whose clouds are doubles: the adapters' ``connect`` hands them out, everything else is the product's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cloud_double import OddProvider
from doubles import SimClock

from tradewind.app.clouds import providers
from tradewind.app.clouds.providers import Providers
from tradewind.app.clouds.settings_file import SettingsFile
from tradewind.domain.errors import NotConfigured
from tradewind.ports.clock import Clock
from tradewind.ports.cloud import Caller, CloudSettings, Provider

OWNER = "owner-1"


@dataclass
class Sky:
    """The clouds that have an SDK here, by name; ``callers``: how each asks who may reach its machines."""

    clouds: dict[str, OddProvider] = field(default_factory=dict)
    callers: dict[str, Caller] = field(default_factory=dict)
    opened: list[tuple[str, CloudSettings]] = field(default_factory=list)

    def connect(self, cloud: str, settings: CloudSettings, owner: str, clock: Clock, caller: Caller) -> Provider:
        self.opened.append((cloud, settings))
        self.callers[cloud] = caller
        if cloud not in self.clouds:
            raise NotConfigured("extra-missing", cloud=cloud, module="sdk")
        return self.clouds[cloud]


def sky(monkeypatch: pytest.MonkeyPatch, *clouds: OddProvider) -> Sky:
    """The clouds of this test, in the place of the real ones."""
    made = Sky({each.name: each for each in clouds})
    monkeypatch.setattr(providers, "connect", made.connect)
    return made


def providers_in(home: Path, text: str = "") -> Providers:
    """The clouds of a home with these settings."""
    home.mkdir(parents=True, exist_ok=True)
    if text:
        (home / "clouds.yaml").write_text(text)
    return Providers(SettingsFile(home / "clouds.yaml"), OWNER, SimClock())
