"""Accounts at clouds: their settings, where one may rent, orders made whole, live prices, what one may do there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tradewind.app.interface import Clouds
    from tradewind.app.settings import Settings


def clouds_of(settings: Settings) -> Clouds:
    """The accounts at clouds of this computer's home."""
    from tradewind.app.clock import SystemClock
    from tradewind.app.clouds.checking import OwnClouds
    from tradewind.app.clouds.providers import Providers
    from tradewind.app.clouds.settings_file import SettingsFile

    clock = SystemClock()
    settings.make_home()
    return OwnClouds(Providers(SettingsFile(settings.clouds), settings.installation(), clock), clock)
