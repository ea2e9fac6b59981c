"""Which adapter tells the prices of which cloud; its SDK is imported when it is asked, and only then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module

from tradewind.app.settings import site_setting
from tradewind.domain.errors import BadInput, NotConfigured
from tradewind.ports.prices import Prices

SOURCES = ("alibaba", "aws", "azure", "gcp", "huawei", "tencent")


def connect(cloud: str, sites: Mapping[str, str]) -> Prices:
    """The price interfaces of a cloud. ``sites``: cloud → the site at which its account was opened, where that is set.

    Raises:
        NotConfigured: ``extra-missing`` (cloud, module): its SDK is not installed.
        BadInput: ``site-unknown`` (cloud, setting, name, nearest, choices): it has no such site.
        CloudFault: it cannot be asked: ``auth`` where credentials are missing.
    """
    try:
        adapter = import_module(f"tradewind.clouds.{cloud}.prices")
        if cloud not in sites:
            made: Prices = adapter.connect()
            return made
        at_site: Prices = adapter.connect(_known(cloud, sites[cloud], adapter.SITES))
    except ModuleNotFoundError as error:
        raise NotConfigured("extra-missing", cloud=cloud, module=error.name) from error
    return at_site


def _known(cloud: str, name: str, sites: Iterable[str]) -> str:
    choices = sorted(sites)
    if name in choices:
        return name
    (nearest,) = get_close_matches(name.lower(), choices, n=1, cutoff=0.0)
    raise BadInput(
        "site-unknown", cloud=cloud, setting=site_setting(cloud), name=name, nearest=nearest, choices=", ".join(choices)
    )
