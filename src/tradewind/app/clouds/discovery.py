"""Where this computer may rent: the clouds whose SDK finds credentials, in the regions that are set or turned on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from tradewind.app.clouds.providers import CLOUDS, Providers, rentable
from tradewind.domain.errors import CloudRefused, NotConfigured, TradewindError
from tradewind.ports.compute import CloudFault

T = TypeVar("T")
Places = frozenset[tuple[str, str]]  # cloud and region: clouds share names of regions


@dataclass(frozen=True, slots=True)
class Discovered:
    """The places to rent in, and by cloud why one that was meant to be used cannot be."""

    places: Places
    faults: Mapping[str, TradewindError]


NOWHERE = Discovered(frozenset(), {})


def discover(providers: Providers, wanted: Collection[str] = ()) -> Discovered:
    """Look at the clouds that are ``wanted``, else at all, side by side.

    A cloud without credentials is none of the user's, unless it is wanted or the settings file speaks of it.

    Raises:
        BadInput: the settings file is faulty.
    """
    meant = {*providers.file.read().named, *wanted}
    clouds = [each for each in CLOUDS if each in wanted or not wanted]
    faults: dict[str, TradewindError] = {}
    places: set[tuple[str, str]] = set()
    with ThreadPoolExecutor(len(CLOUDS), "discover") as threads:
        asked = {cloud: threads.submit(regions_of, providers, cloud) for cloud in clouds}
    for cloud, told in asked.items():
        try:
            places.update((cloud, region) for region in told.result())
        except NotConfigured as error:
            if cloud in meant:
                faults[cloud] = error
        except TradewindError as error:
            faults[cloud] = error
    return Discovered(frozenset(places), faults)


def regions_of(providers: Providers, cloud: str) -> tuple[str, ...]:
    """The regions of a cloud to rent in.

    Raises:
        NotConfigured: ``cloud-not-rentable`` (cloud), ``extra-missing`` (cloud, module), ``credentials-missing``
            (cloud).
        CloudRefused: ``cloud-not-asked`` (cloud, kind, words).
    """
    if not rentable(cloud):
        raise NotConfigured("cloud-not-rentable", cloud=cloud)
    provider = providers.get(cloud)
    if asked(cloud, provider.credentials) is None:
        raise NotConfigured("credentials-missing", cloud=cloud)
    given = providers.file.read().clouds[cloud].regions
    return given or tuple(each.name for each in asked(cloud, provider.regions) if each.enabled is not False)


def asked(cloud: str, question: Callable[[], T]) -> T:
    """The answer of a cloud.

    Raises:
        CloudRefused: ``cloud-not-asked`` (cloud, kind, words).
    """
    try:
        return question()
    except CloudFault as fault:
        raise CloudRefused("cloud-not-asked", cloud=cloud, kind=fault.kind, words=fault.words) from fault
