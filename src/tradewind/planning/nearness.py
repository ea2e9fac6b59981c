"""Nearness to the data: hours and money for fetching what lies in another region or another cloud."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tradewind.domain.money import Money
from tradewind.domain.plan import Tariff, Transfer
from tradewind.planning.ask import Dataset
from tradewind.planning.exchange import Exchange

# What a machine fetches over, Gbps. Assumed: single machines are held to about 5 between regions of a cloud (AWS
# documents it for one flow), and reach about 1 from an object store over the public internet.
BETWEEN_REGIONS_GBPS = 5.0
BETWEEN_CLOUDS_GBPS = 1.0

TariffOf = Callable[[str, str | None], Tariff | None]  # by cloud and region; without one, whichever region is listed


@dataclass(frozen=True, slots=True)
class Nearness:
    """How far the data are from where a machine may be.

    Attributes:
        out: price of a GB sent out of a cloud; ``across``: of one sent to another region of it.
    """

    datasets: tuple[Dataset, ...]
    exchange: Exchange
    out: TariffOf
    across: TariffOf

    def far(self, cloud: str, region: str) -> list[Dataset]:
        """The data of known size that are to be fetched from elsewhere."""
        return [each for each in self.datasets if each.gb and _elsewhere(each, cloud, region)]

    def hours(self, cloud: str, region: str) -> float:
        """Hours that a machine there waits for the data that are copied to it."""
        seconds = sum((each.gb or 0.0) * 8 / gbps(each, cloud) for each in self.far(cloud, region) if each.copied)
        return round(seconds / 3600, 6)

    def tariff(self, dataset: Dataset, cloud: str) -> Tariff | None:
        """What its cloud takes for a GB of the data sent to ``cloud``; None when it is not known."""
        return (self.across if dataset.cloud == cloud else self.out)(dataset.cloud, dataset.region)

    def egress(self, cloud: str, region: str, currency: str) -> Money | None:
        """What sending the data there costs, each copy once; None when none of it has a known price."""
        sums = []
        for each in self.far(cloud, region):
            tariff = self.tariff(each, cloud)
            whole = (
                self.exchange.convert(tariff.per_unit * ((each.gb or 0.0) * each.reads), currency) if tariff else None
            )
            if whole is not None:
                sums.append(whole)
        return sum(sums[1:], sums[0]) if sums else None

    def transfer(self, cloud: str, region: str, currency: str) -> Transfer | None:
        """What is fetched from elsewhere, for the plan; None when nothing is."""
        far = self.far(cloud, region)
        if not far:
            return None
        origins = dict.fromkeys(f"{each.cloud} {each.region}" if each.region else each.cloud for each in far)
        return Transfer(
            round(sum(each.gb or 0.0 for each in far), 6), self.hours(cloud, region), ", ".join(origins),
            self.egress(cloud, region, currency),
        )  # fmt: skip


def gbps(dataset: Dataset, cloud: str) -> float:
    """The bandwidth that is assumed from the data to a machine of ``cloud``."""
    return BETWEEN_REGIONS_GBPS if dataset.cloud == cloud else BETWEEN_CLOUDS_GBPS


def _elsewhere(dataset: Dataset, cloud: str, region: str) -> bool:
    return dataset.cloud != cloud or (dataset.region is not None and dataset.region != region)
