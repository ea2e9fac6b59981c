"""The tags on everything that is rented: by them a lease is told apart, and written down again when it was lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from tradewind.domain.errors import BadInput
from tradewind.domain.money import parse_money

_PREFIX = "tradewind:"


@dataclass(frozen=True, slots=True)
class Tags:
    """What the tags say; ``price_per_hour`` is Money as JSON, None when it is not known."""

    owner: str
    lease: str
    token: str
    expires: datetime
    job: str
    epoch: int
    account: str
    price_per_hour: dict[str, str] | None


def write(told: Tags) -> dict[str, str]:
    """The tags as name and value."""
    price = told.price_per_hour
    values = {
        "owner": told.owner, "lease": told.lease, "token": told.token, "expires": told.expires.isoformat(),
        "job": told.job, "epoch": str(told.epoch), "account": told.account,
        "price": f"{price['amount']} {price['currency']}" if price else "",
    }  # fmt: skip
    return {_PREFIX + name: value for name, value in values.items() if value}


def read(given: Mapping[str, str]) -> Tags | None:
    """What tags say; None when one is missing that all of ours have, so that the thing is not surely ours."""
    try:
        owner, lease, token = (given[_PREFIX + name] for name in ("owner", "lease", "token"))
        expires = datetime.fromisoformat(given[_PREFIX + "expires"])
    except (KeyError, ValueError):
        return None
    if expires.tzinfo is None:
        return None
    epoch = given.get(_PREFIX + "epoch", "")
    return Tags(
        owner=owner, lease=lease, token=token, expires=expires, job=given.get(_PREFIX + "job", ""),
        epoch=int(epoch) if epoch.isdecimal() else 0, account=given.get(_PREFIX + "account", ""),
        price_per_hour=_price(given.get(_PREFIX + "price")),
    )  # fmt: skip


def _price(text: str | None) -> dict[str, str] | None:
    try:
        return parse_money(text).to_json() if text else None
    except BadInput:
        return None
