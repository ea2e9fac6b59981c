"""What was typed for ``offers``, as a question to the catalog; every name that means nothing gets the nearest."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, TypeVar

from tradewind.app.machines.offers import CLOUD
from tradewind.catalog import places, rates
from tradewind.catalog.query import NVLINK_KINDS, RDMA_KINDS, SORTS, Query, Tier
from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.accelerators import ANY, gpu_counts, require_gpu
from tradewind.domain.errors import BadInput
from tradewind.domain.gpus import reason, shared_by
from tradewind.domain.money import Money, parse_money
from tradewind.domain.offer import Purchase

if TYPE_CHECKING:
    from tradewind.app.queries import OffersQuery

Word = TypeVar("Word", bound=str)
TIERS: tuple[Tier, ...] = ("cloud", "specialist", "all")
_CUDA = re.compile(r"^\d{1,2}(\.\d{1,2})?$")


def question(
    snapshot: Snapshot,
    query: OffersQuery,
    point: places.Point | None,
    table: rates.Table,
    machines: Collection[str] = (),
) -> Query:
    """The question that ``query`` means; ``point`` is what its ``near`` names, ``machines`` the names of the user's.

    Raises:
        BadInput: a name, kind or figure that cannot be used.
    """
    gpu, form, gpus = _gpu_wish(snapshot, query)
    return Query(
        gpu=gpu, form=form, gpus=gpus,
        clouds=[each if each == CLOUD else places.require_cloud(snapshot, each) for each in query.clouds] or None,
        regions=[each if each in machines else places.require_region(snapshot, each) for each in query.regions] or None,
        purchases=[_purchase(each) for each in query.purchases] or None,
        countries=_countries(snapshot, query.residency), min_gpu_memory_gib=query.min_memory_gib,
        max_price=_price(query.max_price, table), min_rdma_gbps=query.min_rdma_gbps,
        rdma=query.rdma and _one_of("--rdma", query.rdma, ("yes", "no", *RDMA_KINDS)),
        nvlink=query.nvlink and _one_of("--nvlink", query.nvlink, ("yes", "no", *NVLINK_KINDS)),
        cuda=_cuda(query.cuda), max_carbon_g_per_kwh=query.max_carbon,
        near=(point.lat, point.lon) if point else None, tier=_one_of("--provider-tier", query.tier, TIERS),
        sort=_one_of("--sort", query.sort or ("distance" if point else "price_per_gpu"), SORTS), limit=query.limit,
    )  # fmt: skip


def _gpu_wish(
    snapshot: Snapshot, query: OffersQuery
) -> tuple[str | tuple[str, ...] | None, str | None, tuple[int, int] | None]:
    """Canonical id, or all that share the name (``A100`` has 40 and 80 GB); form and counts.

    Raises:
        BadInput: ``gpu-unknown``, ``gpu-count-unreadable``, ``gpu-count-unknown``.
    """
    if not query.gpu:
        return None, None, query.gpus
    name, colon, count = (part.strip() for part in query.gpu.partition(":"))
    counts = gpu_counts(query.gpu, count) if colon else query.gpus
    if name.casefold() in ANY:
        return None, None, counts
    if colon and counts and counts[0] == counts[1]:
        _require_count(snapshot, name, counts[0])
    if shared := shared_by(name):
        return shared, None, counts
    return *gpu_named(name), counts


def _require_count(snapshot: Snapshot, name: str, count: int) -> None:
    """Nothing, when some machine has exactly so many of one of the GPUs that ``name`` may mean."""
    from tradewind.catalog.families import require_count

    gpus = shared_by(name) or gpu_named(name)[:1]
    missing: list[BadInput] = []
    for gpu in gpus:
        try:
            require_count(snapshot, gpu, count)
        except BadInput as error:
            missing.append(error)
    if len(missing) == len(gpus):
        nearest = ", ".join(error.facts["nearest"].partition(",")[0] for error in missing)
        raise missing[0] if len(gpus) == 1 else BadInput("gpu-count-unknown", gpu=name, count=count, nearest=nearest)


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


def _one_of(option: str, word: str, known: Collection[Word]) -> Word:
    plain = word.replace("-", "_").casefold()
    for each in known:
        if plain == each.casefold():
            return each
    raise BadInput("option-choice-unknown", option=option, name=word, known=", ".join(known))


def _countries(snapshot: Snapshot, residency: str | None) -> frozenset[str] | None:
    if residency is None:
        return None
    name = residency.strip().upper()
    if not re.fullmatch("[A-Z]{2}|EEA", name):
        raise BadInput("residency-unreadable", key="--residency", text=residency)
    from tradewind.domain.residency import allowed

    known = {each.country for each in places.places(snapshot) if each.country}
    if not allowed(name) & known:
        raise BadInput("residency-nowhere", key="--residency", text=name, known=", ".join(sorted(known)))
    return allowed(name)


def _price(text: str | None, table: rates.Table) -> Money | None:
    if text is None:
        return None
    price = parse_money(text)
    rates.require_currency(price.currency, table)
    return price


def _cuda(text: str | None) -> str | None:
    if text is not None and not _CUDA.match(text):
        raise BadInput("cuda-unreadable", text=text)
    return text
