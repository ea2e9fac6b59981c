"""Checking: what is configured of each cloud, what one may do there, and what is missing. Nothing is rented."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from tradewind.app.clouds.discovery import asked, regions_of
from tradewind.app.clouds.providers import CLOUDS, Providers, rentable
from tradewind.app.views.values import instant
from tradewind.domain.errors import BadInput, CloudRefused, NotConfigured, TradewindError
from tradewind.ports.compute import CloudFault

if TYPE_CHECKING:
    from tradewind.app.interface import Answer
    from tradewind.ports.clock import Clock
    from tradewind.ports.cloud import Checked, Provider

AT_ONCE = 8  # regions checked side by side
_LAUNCHES = ("RunInstances",)  # what launching is called in the rights of AWS and Alibaba Cloud


class OwnClouds:
    """``interface.Clouds`` of one home."""

    def __init__(self, providers: Providers, clock: Clock) -> None:
        self._providers = providers
        self._clock = clock

    def list(self) -> Sequence[Answer]:
        """Every cloud."""
        self._providers.file.read()
        with ThreadPoolExecutor(len(CLOUDS), "clouds") as threads:
            return list(threads.map(self._told, CLOUDS))

    def check(self, cloud: str, region: str | None) -> Answer:
        """One cloud."""
        self._require(cloud)
        return self._checked(cloud, (region,) if region else regions_of(self._providers, cloud))

    def policy(self, cloud: str) -> Mapping[str, Any]:
        """The least rights that renting there needs."""
        self._require(cloud)
        return self._providers.get(cloud).policy()

    def _require(self, cloud: str) -> None:
        if cloud not in CLOUDS:
            nearest = "".join(get_close_matches(cloud.lower(), CLOUDS, 1))
            raise BadInput("cloud-unknown", name=cloud, nearest=nearest)
        if not rentable(cloud):
            raise NotConfigured("cloud-not-rentable", cloud=cloud)

    def _told(self, cloud: str) -> Answer:
        """A cloud whatever its state; only what the settings file lacks is an error."""
        try:
            return self._checked(cloud, regions_of(self._providers, cloud))
        except CloudRefused as error:
            return self._cloud(cloud, "refused", error=error)
        except NotConfigured as error:
            return self._cloud(cloud, _STATES[error.code], error=error)

    def _checked(self, cloud: str, regions: Sequence[str]) -> Answer:
        provider = self._providers.get(cloud)
        _require_regions(provider, regions)
        with ThreadPoolExecutor(AT_ONCE, "check") as threads:
            found = dict(zip(regions, threads.map(provider.check, regions), strict=True))
        may = {region: may_launch(each) for region, each in found.items()}
        return self._cloud(
            cloud, state_of(may.values()), credentials=asked(cloud, provider.credentials), checks=_together(found),
            regions=[{"region": region, "may_launch": told} for region, told in may.items()],
        )  # fmt: skip

    def _cloud(self, cloud: str, state: str, error: TradewindError | None = None, **more: Any) -> Answer:
        told = {"code": error.code, "facts": error.facts} if error else None
        return {
            "cloud": cloud, "state": state, "credentials": None, "settings": cloud in self._providers.file.read().named,
            "regions": [], "checks": [], "error": told, "checked_at": instant(self._clock.now()), **more,
        }  # fmt: skip


def _require_regions(provider: Provider, named: Iterable[str]) -> None:
    """Nothing, when the cloud has these regions, or does not tell which it has: then the checks say why.

    Raises:
        BadInput: ``region-unknown`` (name, nearest).
    """
    try:
        there = [each.name for each in provider.regions()]
    except CloudFault:
        return
    for each in named:
        if each not in there:
            raise BadInput("region-unknown", name=each, nearest=", ".join(get_close_matches(each, there, 2)))


_STATES = {
    "cloud-not-rentable": "prices-only", "extra-missing": "extra-missing", "credentials-missing": "no-credentials",
}  # fmt: skip


def state_of(may: Iterable[bool | None]) -> str:
    """``ready`` where machines can be rented anywhere, ``lacking`` where nowhere, else ``unknown``."""
    told = set(may)
    return "ready" if True in told else "unknown" if None in told else "lacking"


def may_launch(checks: Iterable[Checked]) -> bool | None:
    """Whether machines can be rented, by what was checked of a region; None where that could not be told.

    A quota stops the machines that it is for; all of them together stop everything. Rights to things that are not there
    cannot always be tried: of them that to launch alone must be known.
    """
    checks = tuple(checks)
    quotas = {each.verdict for each in checks if each.code == "quota"}
    others = [each for each in checks if each.code != "quota"]
    if quotas == {"missing"} or any(each.verdict == "missing" for each in others):
        return False
    unsure = any(each.verdict == "unknown" and (each.code != "right" or _launching(each)) for each in others)
    return None if unsure or not others else True


def _launching(right: Checked) -> bool:
    return any(word in right.facts.get("action", "") for word in _LAUNCHES)


def _together(found: Mapping[str, Sequence[Checked]]) -> list[Answer]:
    """What was checked, the account's own once, and then that of each region."""
    told: list[Answer] = []
    for checks in found.values():
        for each in checks:
            one = {
                "code": each.code, "verdict": each.verdict, "region": each.facts.get("region"),
                "facts": dict(each.facts), "words": each.words,
            }  # fmt: skip
            if one not in told:
                told.append(one)
    return told
