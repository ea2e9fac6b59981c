"""Which adapter tells the prices of which cloud; its SDK is imported when it is asked, and only then."""

from __future__ import annotations

from importlib import import_module

from tradewind.domain.errors import NotConfigured
from tradewind.ports.prices import Prices

SOURCES = ("alibaba", "aws", "azure", "gcp", "huawei", "tencent")


def connect(cloud: str) -> Prices:
    """The price interfaces of a cloud.

    Raises:
        NotConfigured: ``extra-missing`` (cloud, module): its SDK is not installed.
        CloudFault: it cannot be asked: ``auth`` where credentials are missing.
    """
    try:
        made: Prices = import_module(f"tradewind.clouds.{cloud}.prices").connect()
    except ModuleNotFoundError as error:
        raise NotConfigured("extra-missing", cloud=cloud, module=error.name) from error
    return made
