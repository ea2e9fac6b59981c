"""What can be rented. Its own module, so that ``offers`` starts without the rooms that plan."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from tradewind.app.clock import SystemClock
from tradewind.app.machines.beside import merged, own
from tradewind.app.machines.offers import offers_of
from tradewind.app.machines.registry import Registry
from tradewind.app.typed import question
from tradewind.app.views.values import rate_json
from tradewind.catalog import places, rates
from tradewind.catalog.query import Query
from tradewind.catalog.search import find
from tradewind.catalog.snapshot import Snapshot, open_snapshot
from tradewind.domain.errors import BadInput
from tradewind.domain.money import Money, Rate
from tradewind.domain.offer import Offer

if TYPE_CHECKING:
    from tradewind.app.queries import OffersQuery
    from tradewind.app.settings import Settings

Answer = dict[str, Any]


def offers(settings: Settings, query: OffersQuery) -> Answer:
    """``{"offers", "more", "unpriced", "left_out", "rates", "near", …}``: what matches, in the order asked, the user's
    own machines among it.

    Each offer also has ``converted`` (``{"price_per_hour", "price_per_gpu_hour"}``) when a currency was asked for, and
    ``distance_km`` when a place was; unknown is null. ``more`` match and were cut off by the limit; ``unpriced`` of all
    that match have no price; ``left_out`` counts by filter those that only an unknown value kept out. ``sorted_by`` is
    one of the catalog's orders. When nothing matches, ``specialists`` counts their offers that would. Beside them what
    :func:`state` tells.

    Raises:
        BadInput: a name, kind or figure that cannot be used, with the nearest that can.
    """
    snapshot, table = catalog_of(settings), rates_of(settings)
    point = places.locate(snapshot, query.near) if query.near else None
    exchange = Exchange(rates.require_currency(query.currency, table) if query.currency else None, table)
    machines = Registry(settings.machines).all()
    names, today = [each.name for each in machines], SystemClock().now().date()
    asked = question(snapshot, query, point, table, names)
    found = find(snapshot, asked, today, table)
    mine = own((offer for each in machines for offer in offers_of(each)), asked, table)
    shown = merged(mine.offers, found.offers, asked, table) if mine.offers else found.offers
    told = [each.to_json() | exchange.prices(each) for each in shown]
    if point:
        told = [each | {"distance_km": found.distances.get((each["cloud"], each["region"]))} for each in told]
    return {
        "offers": told, "more": found.more + len(mine.offers) + len(found.offers) - len(shown),
        "unpriced": found.unpriced,
        "left_out": {name: count for name, count in (Counter(found.dropped) + Counter(mine.dropped)).items() if count},
        "rates": exchange.used, "near": point.name if point else None, "sorted_by": asked.sort,
        "specialists": _of_specialists(snapshot, asked, today, table) if not told else 0,
        **state(snapshot, today),
    }  # fmt: skip


def _of_specialists(snapshot: Snapshot, asked: Query, today: date, table: rates.Table) -> int:
    """How many offers of specialists match, where only clouds were asked for."""
    return len(find(snapshot, replace(asked, tier="specialist"), today, table).offers) if asked.tier == "cloud" else 0


def state(snapshot: Snapshot, today: date) -> Answer:
    """What should be known of the snapshot that answers.

    ``passed_over``: files laid over the catalog that are damaged, each with why as a coded reason; ``rebuilt``: the
    snapshot itself was, just now; ``clock_behind``: ``{"today", "newest"}`` where the computer's clock stands before
    the newest price, whose age then means nothing, else null.
    """
    behind = {"today": today.isoformat(), "newest": snapshot.date}
    return {
        "passed_over": [asdict(each) for each in snapshot.passed_over], "rebuilt": snapshot.origin == "rebuilt",
        "clock_behind": behind if today.isoformat() < snapshot.date else None,
    }  # fmt: skip


def catalog_of(settings: Settings) -> Snapshot:
    """The snapshot of what is shipped and what this home lays over it."""
    settings.make_home()
    return open_snapshot(settings.cache, overlays=settings.catalog)


OWN_RATES, REFRESHED_RATES = "own-rates.csv", "refreshed/rates.csv"


def rates_of(settings: Settings) -> rates.Table:
    """Exchange rates: one's own, which win, then those that were asked for, then the shipped ones.

    Raises:
        BadInput: ``rates-unreadable`` (path, cause).
    """
    return (*rates_in(settings, OWN_RATES), *rates_in(settings, REFRESHED_RATES), *rates.given())


def rates_in(settings: Settings, name: str) -> rates.Table:
    """The rates in one file of this home; none when there is no such file. Raises as :func:`rates_of`."""
    path = settings.catalog / name
    try:
        return rates.read_rates(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ()
    except (ValueError, KeyError, ArithmeticError) as error:
        raise BadInput("rates-unreadable", path=path, cause=repr(error)) from error


def rate(settings: Settings, base: str, quote: str) -> Answer | None:
    """The rate from one currency to another, with its date and source; None where none leads there."""
    found = rates.rate(base, quote, rates_of(settings))
    return None if found is None else rate_json(found)


class Exchange:
    """Prices told in one more currency, and the rates that this took; None: they are told as they are listed."""

    def __init__(self, currency: str | None, table: rates.Table) -> None:
        self.currency = currency
        self._table = table
        self._rates: dict[str, Rate] = {}

    @property
    def used(self) -> list[Answer]:
        """The rates, each with its date and source."""
        return [rate_json(each) for each in self._rates.values()]

    def prices(self, offer: Offer) -> Answer:
        """``{"converted": …}`` for an offer; empty when no currency was asked for."""
        if self.currency is None:
            return {}
        hour, each = offer.price_per_hour, offer.price_per_gpu_hour
        return {"converted": {"price_per_hour": self.money(hour), "price_per_gpu_hour": self.money(each)}}

    def money(self, money: Money | None) -> Answer | None:
        """The sum in the currency, as JSON; null when it is unknown or no rate leads there."""
        if money is None or self.currency is None:
            return None
        found = rates.converted(money, self.currency, self._table)
        if found is None:
            return None
        converted, rate = found
        if rate.base != rate.quote:
            self._rates.setdefault(money.currency, rate)
        return converted.to_json()
