"""Furnishing: what an order lacks before it is first sent. Its price is held against what the cloud asks now.

order ─▶ quote ≤ the plan's + 10 % ─▶ complete (image, network, disks) ─▶ one-time host key, pinned ─▶ first boot
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from tradewind.app.market import rates_of
from tradewind.catalog import rates
from tradewind.domain.money import Money
from tradewind.domain.offer import PriceStatus
from tradewind.ports.compute import CloudFault

if TYPE_CHECKING:
    from tradewind.app.settings import Settings
    from tradewind.ports.cloud import Cloud
    from tradewind.ports.compute import Order

TOLERATED = Decimal("1.1")  # a price may have risen by so much since the plan


def furnish(settings: Settings, cloud: Cloud, order: Order) -> Order:
    """The order as it can be sent.

    Raises:
        CloudFault: ``price_cap``: it costs more than was planned; what ``complete`` raises; ``unavailable``: the
            machine's host key cannot be kept here. Nothing was sent.
    """
    from tradewind.nodes.first_boot import user_data
    from tradewind.nodes.ssh.login import make_own_key, public_key
    from tradewind.nodes.ssh.pins import Pins

    require_price(order, quoted(cloud, order), rates_of(settings))
    whole = cloud.complete(order)
    try:
        public, host_key = public_key(make_own_key(settings.home)), Pins(settings.nodes).begin(whole)
    except OSError as fault:
        raise CloudFault("unavailable", f"{settings.nodes}: {fault}", sent="no") from fault
    script = user_data(whole, host_key=host_key, authorized_key=public, ends_by=cloud.caps.hard_end)
    return replace(whole, user_data=script, furnished=True)


def quoted(cloud: Cloud, order: Order) -> Money | None:
    """What the cloud asks for an hour now; None where it does not tell, for whatever reason."""
    try:
        return cloud.quote(order)
    except CloudFault:
        return None


def require_price(order: Order, asked: Money | None, table: rates.Table) -> None:
    """Nothing, when the order may be sent at the price that is asked now.

    Raises:
        CloudFault: ``price_cap``: it is more than the plan's by a tenth, or is not told while the plan's is old.
    """
    if order.price is None or order.currency is None:
        return
    planned = Money(Decimal(order.price), order.currency)
    told = None if asked is None else rates.converted(asked, planned.currency, table)
    if told is None and order.price_status == PriceStatus.OLD:
        raise CloudFault("price_cap", f"planned {planned} (old), asked now: unknown", sent="no")
    if told is not None and told[0].amount > planned.amount * TOLERATED:
        raise CloudFault("price_cap", f"planned {planned}, asked now: {asked}", sent="no")
