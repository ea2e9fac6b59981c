"""Which tracer there is, and where its traces are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tradewind.app.settings import Settings
    from tradewind.app.sizes.profiles import Profiles, Tell


def profiles_of(settings: Settings, tell: Tell) -> Profiles:
    """Profiles with the tracer of this computer, over the traces of this home."""
    from tradewind.app.sizes.profiles import Profiles
    from tradewind.app.sizes.traces import Traces
    from tradewind.tracing.key import content_key
    from tradewind.tracing.process import ProcessTracer

    return Profiles(Traces(settings.traces), ProcessTracer, content_key, tell)
