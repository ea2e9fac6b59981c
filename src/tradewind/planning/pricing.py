"""The money of a way, exactly: each part in the currency of the offer, to a millionth, and the sum of the parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from tradewind.domain.money import Money
from tradewind.domain.plan import CostParts, MoneyEstimate, hours_to_decimal
from tradewind.planning.ask import Ask
from tradewind.planning.course import Span
from tradewind.planning.exchange import Exchange
from tradewind.planning.nearness import Nearness, TariffOf
from tradewind.planning.way import Way

HOURS_A_MONTH = 730  # as clouds divide a month: 365 × 24 / 12


@dataclass(frozen=True, slots=True)
class Pricing:
    """Turns ways into money: the exchange, tariffs by cloud and region, the disk of each machine, the data.

    ``currency`` is the one in which ways are ranked, and what a free machine costs is told: nothing, or its data.
    """

    ask: Ask
    now: datetime
    exchange: Exchange
    tariff: TariffOf  # of a GB-month of disk
    nearness: Nearness
    currency: str

    def price(self, way: Way) -> Money:
        """What an hour of one machine of a way costs, in the offer's currency."""
        return way.offer.price_per_hour or _nothing(self.currency)

    def under(self, ask: Ask) -> Pricing:
        """The same under another ask, about the same data."""
        return replace(self, ask=ask)

    def storage(self, cloud: str, region: str, currency: str, hours: float, nodes: int = 1) -> Money | None:
        """Disks of so many machines over ``hours``; None when no tariff or no rate is known."""
        tariff = self.tariff(cloud, region)
        if tariff is None:
            return None
        months = hours_to_decimal(hours) / HOURS_A_MONTH
        return self.exchange.convert(tariff.per_unit * (Decimal(str(self.ask.disk_gb)) * nodes * months), currency)

    def fetched(self, cloud: str, region: str, currency: str) -> Money | None:
        """Bringing the results home; None when their size, tariff or rate is not known."""
        size = self.ask.fetched_gb
        tariff = None if size is None else self.nearness.out(cloud, region)
        if tariff is None or size is None:
            return None
        return self.exchange.convert(tariff.per_unit * Decimal(str(size)), currency)

    def cost(self, way: Way, span: Span) -> tuple[MoneyEstimate, CostParts]:
        """What a way whose length is known costs, its range over ``span``, and the parts of the cost."""
        assert way.pace is not None, "only of ways whose length is known"
        pace, price = way.pace, self.price(way)
        compute = self._rent(way, price, max(0.0, way.terms.billed_hours(pace.paid) - pace.setup - pace.lost))
        parts = CostParts(
            compute=self._mixed(way, compute, way.share),
            storage=self._storage(way, pace.paid),
            egress=self._egress(way, 1 + pace.losses),
            setup=self._rent(way, price, pace.setup),
            preemption=self._rent(way, price, pace.lost),
        )
        return self._range(way, parts, span), parts

    def _range(self, way: Way, parts: CostParts, span: Span) -> MoneyEstimate:
        """Low price and low hours to high price and high hours, around the sum of the parts."""
        bounds = way.offer.price_bounds() or (self.price(way),) * 2
        value, ends = parts.sum(), list[Money]()
        for price, hours, losses, share in zip(
            bounds, span.paid, span.losses, (0.0, min(1.0, 4 * way.share)), strict=True
        ):
            rent = self._mixed(way, self._rent(way, price, way.terms.billed_hours(hours)), share)
            ends.append((rent + self._storage(way, hours) + self._egress(way, 1 + losses)).rounded())
        low, high = (ends[0] if ends[0] < value else value), (value if ends[1] < value else ends[1])
        return MoneyEstimate(value, low, high, as_of=way.offer.as_of)

    def _mixed(self, way: Way, rent: Money, share: float) -> Money:
        """Rent of which a share is for the last resort instead, that is never reckoned to be the cheaper one."""
        if way.resort is None or share == 0:
            return rent
        resort = way.resort
        assert resort.work is not None
        whole = self._rent(resort, self.price(resort), resort.work.hours.value)
        instead = self.exchange.convert(whole, rent.currency)
        assert instead is not None, "ways are ranked in one currency, so rates lead from each to each"
        dearer = rent if instead < rent else instead
        part = Decimal(str(share))
        return Money(rent.amount * (1 - part) + dearer.amount * part, rent.currency).rounded()

    def _rent(self, way: Way, price: Money, hours: float) -> Money:
        return (price * (hours_to_decimal(hours) * way.nodes)).rounded()

    def _storage(self, way: Way, hours: float) -> Money:
        offer, currency = way.offer, self.price(way).currency
        return self.storage(offer.cloud, offer.region, currency, hours, way.nodes) or _nothing(currency)

    def _egress(self, way: Way, copies: float) -> Money:
        """Results brought home once, and the data sent as often as machines begin."""
        place, currency = (way.offer.cloud, way.offer.region), self.price(way).currency
        home = self.fetched(*place, currency) or _nothing(currency)
        sent = self.nearness.egress(*place, currency)
        return home if sent is None else home + (sent * copies).rounded()


def _nothing(currency: str) -> Money:
    return Money(Decimal(0), currency)
