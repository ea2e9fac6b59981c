"""An account at a cloud of the lab, as tests of renting open it: nothing of this computer's settings is found."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, cast

import pytest
from botocore.loaders import create_loader
from lab.alibaba import AlibabaCloud
from lab.aws_front import AwsFront
from lab.control import Control
from lab.machines import Machines
from lab.signatures import sign_in

from tradewind.ports.clock import Clock
from tradewind.ports.cloud import CloudSettings, Provider

CALLER = "203.0.113.7/32"
Front = AwsFront | AlibabaCloud
_ELSEWHERE = (  # what would lead an SDK away from the lab
    "AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_ENDPOINT_URL", "ALIBABA_CLOUD_PROFILE", "HTTP_PROXY",
    "http_proxy", "HTTPS_PROXY", "https_proxy",
)  # fmt: skip
_shared_loader = cache(create_loader)  # the SDK parses its models for each session: a third of a second each time


@dataclass(frozen=True)
class Place:
    """What is rented where: a type with a GPU, a larger one, and one without."""

    cloud: str
    region: str
    machine_type: str
    larger: str
    plain: str
    currency: str

    @property
    def types(self) -> tuple[str, ...]:
        """The names of its types."""
        return self.machine_type, self.larger, self.plain


PLACES = {
    "aws": Place("aws", "us-east-1", "g4dn.xlarge", "g4dn.2xlarge", "m5.large", "USD"),
    "alibaba": Place("alibaba", "cn-beijing", "ecs.gn7i-c8g1.2xlarge", "ecs.gn7e-c16g1.4xlarge", "ecs.g7.large", "CNY"),
}


@contextmanager
def opened(cloud: str, machines: Machines, control: Control, now: Callable[[], datetime]) -> Iterator[Front]:
    """The cloud, answering, with its credentials in the environment; its time is ``now``.

    Leaving fails where it objected to a request.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("botocore.session.create_loader", _shared_loader)
        for name in _ELSEWHERE:
            patch.delenv(name, raising=False)
        for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "ALIBABA_CLOUD_CREDENTIALS_FILE"):
            patch.setenv(name, "/nonexistent")
        front = (AwsFront if cloud == "aws" else AlibabaCloud)(machines, control, clock=now)
        for name, value in front.environment.items():
            patch.setenv(name, value)
        if cloud == "alibaba":
            sign_in(cloud, patch)
        with front:
            yield front


def connected(cloud: str, front: Front, owner: str, clock: Clock, **settings: Any) -> Provider:
    """The account, by what is in the environment now; ``settings`` as in ``clouds.yaml``."""
    given: dict[str, Any] = {"endpoints": front.endpoints, **settings}
    connect = importlib.import_module(f"tradewind.clouds.{cloud}.provider").connect
    return cast(Provider, connect(CloudSettings(**given), owner, clock, lambda: CALLER))
