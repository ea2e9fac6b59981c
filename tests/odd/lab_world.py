"""LabWorld: the world in which a real adapter rents at its cloud of the lab, over a network that is rented, too.

A network there is let go after minutes that nobody used it, not after an hour: each of them is a sweep over HTTP.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from types import TracebackType
from typing import Literal, Self

import pytest
from lab_account import PLACES

from odd.cloud import OddCloud
from odd.lab_cloud import LabCloud
from odd.world import OFFER, World
from tradewind.leasing import networks
from tradewind.leasing import room as leasing


@dataclass
class LabWorld(World):
    """``at``: the cloud's name; ``network``: of which kind; ``idle_for``: how long an unused one is kept.

    To be entered; leaving fails where the cloud objected to a request.
    """

    at: str = field(kw_only=True)
    network: Literal["default", "private"] = "default"
    idle_for: timedelta = timedelta(minutes=5)

    def __post_init__(self) -> None:
        place = PLACES[self.at]
        self.account = f"{self.at}:{place.region}"
        self.offer = {**OFFER, "cloud": self.at, "region": place.region, "instance_type": place.machine_type}
        super().__post_init__()
        self.caps = self.cloud.caps

    def _opened(self) -> OddCloud:
        return LabCloud(self.at, self.time, self.clock, self.schedule, self.network)

    def _accounts(self) -> dict[str, leasing.Account]:
        cloud, nodes = self.cloud, self.watch_nodes(self.nodes)
        assert isinstance(cloud, LabCloud)
        site = leasing.Site(f"{self.account}:network", self.network)
        return {
            site.account: leasing.Account(self.watch_compute(cloud.networks), nodes),
            self.account: leasing.Account(self.watch_compute(cloud), nodes, cloud.furnish, site),
        }

    def __enter__(self) -> Self:
        self._hour = pytest.MonkeyPatch()
        self._hour.setattr(networks, "IDLE_FOR", self.idle_for)
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self._hour.undo()
        assert isinstance(self.cloud, LabCloud)
        self.cloud.close()
