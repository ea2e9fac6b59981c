"""What can be rented. Its own module, so that ``offers`` starts without the rooms that plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tradewind.app.clock import SystemClock
from tradewind.catalog import places
from tradewind.catalog.search import Query, search
from tradewind.catalog.snapshot import open_snapshot
from tradewind.domain.accelerators import require_gpu
from tradewind.domain.errors import BadInput
from tradewind.domain.gpus import reason
from tradewind.domain.offer import Purchase

if TYPE_CHECKING:
    from tradewind.app.queries import OffersQuery
    from tradewind.app.settings import Settings


def offers(settings: Settings, query: OffersQuery) -> list[dict[str, Any]]:
    """``offers --json``: what matches, cheapest first.

    Raises:
        BadInput: ``gpu-unknown``, ``cloud-unknown``, ``region-unknown``, ``purchase-unknown``.
    """
    snapshot = open_snapshot(settings.cache)
    gpu, form = gpu_named(query.gpu) if query.gpu else (None, None)
    asked = Query(
        gpu=gpu, form=form, gpus=query.gpus,
        clouds=[places.require_cloud(snapshot, each) for each in query.clouds] or None,
        regions=[places.require_region(snapshot, each) for each in query.regions] or None,
        purchases=[_purchase(each) for each in query.purchases] or None, limit=query.limit,
    )  # fmt: skip
    return [each.to_json() for each in search(snapshot, asked, SystemClock().now().date())]


def gpu_named(name: str) -> tuple[str, str | None]:
    """Canonical id and form of a GPU; a label that only its cloud explains stays as it is.

    Raises:
        BadInput: ``gpu-unknown``, ``gpu-ambiguous`` (name, nearest).
    """
    return (name, None) if reason(name) else require_gpu(name)


def _purchase(word: str) -> Purchase:
    try:
        return Purchase(word.replace("-", "_").lower())
    except ValueError:
        raise BadInput("purchase-unknown", name=word, known=", ".join(Purchase)) from None
