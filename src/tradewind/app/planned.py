"""The plan over the whole snapshot: everything that planning needs, brought together."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from tradewind.app.accounts import LOCAL, MACHINES, REHEARSAL, kind_of
from tradewind.app.datasets import datasets_of
from tradewind.app.fitted import as_calibrated, fits_of
from tradewind.app.machines import offers as machines
from tradewind.app.machines.registry import Registry
from tradewind.app.market import catalog_of, rates_of
from tradewind.app.settings import Settings
from tradewind.catalog import rates, tariffs
from tradewind.catalog.search import Query, find
from tradewind.catalog.snapshot import Snapshot
from tradewind.catalog.terms import terms as terms_of_cloud
from tradewind.domain.estimate import Estimate
from tradewind.domain.money import Money
from tradewind.domain.offer import Offer, Purchase
from tradewind.domain.plan import Objective, Plan, Tariff
from tradewind.domain.workload import CheckpointPolicy, Resources, Workload
from tradewind.planning.ask import Ask, Refusal, Terms
from tradewind.planning.refusals import REMEMBERED
from tradewind.planning.search import plan
from tradewind.planning.supply import PLANNED, Supply

if TYPE_CHECKING:
    from tradewind.app.clouds.within import Within
    from tradewind.app.sizes.lessons import Lesson
    from tradewind.app.sizes.profiles import Profiles

CURRENCIES = ("CNY", "EUR")  # against USD: the rates by which offers in several currencies are compared
OWN = frozenset({LOCAL, REHEARSAL, MACHINES})  # kinds of accounts whose refusals say nothing of a cloud
# The set-up on a machine of one's own: as anywhere else, less its boot. Assumed, as ``planning.ask`` says.
OWN_SETUP, OWN_SETUP_P99 = Estimate(5 / 60, 1 / 60, 15 / 60), 0.25
TELLING = frozenset({"capacity", "quota"})  # why a cloud refuses where that says something of the pool


def make_plan(
    settings: Settings,
    workload: Workload,
    now: datetime,
    profiles: Profiles,
    lessons: tuple[Lesson, ...] = (),
    objective: Objective = "cost",
    within: Within | None = None,
) -> Plan:
    """The plan for a workload, by its model, or by its resources where it names none; over all of the snapshot and the
    user's machines, or only over what is ``within`` bounds.

    Raises:
        NothingFits: ``needs-unknown`` (file, batch, device): the file says too little to plan by.
        BadInput: ``currency-unknown``: no rate is known for the budget's currency.
        BadInput, NotTraceable: as ``answers.for_offers``.
    """
    from tradewind.app.interruptions import interruption_of

    workload = as_calibrated(workload, lessons)
    fits = fits_of(workload, profiles, lessons)
    snapshot, table = catalog_of(settings), rates_of(settings)
    if workload.budget.limit:
        rates.require_currency(workload.budget.limit.currency, table)
    return plan(
        asked(workload, fits.weights_gb), supply_of(snapshot, now.date(), own_offers(settings), within), fits.on,
        now=now, catalog_date=snapshot.date, objective=objective,
        rates=[each for name in CURRENCIES if (each := rates.rate("USD", name, table))],
        tariff_of=lambda cloud, region: _own(cloud, "disk", "GB-month") or (
            tariffs.storage_tariff(snapshot, cloud, region) if region else None),
        egress_of=lambda cloud, region: _own(cloud, "egress", "GB") or tariffs.egress_tariff(snapshot, cloud, region),
        across_of=lambda cloud, region: tariffs.between_tariff(snapshot, cloud, region),
        terms_of=partial(_terms, configured=within is not None), interruption_of=interruption_of,
        refusals=refusals_of(settings, now), full_fit_of=fits.full,
    )  # fmt: skip


def asked(workload: Workload, weights_gb: float | None) -> Ask:
    """What of a workload a plan must satisfy; without ``resources`` nobody says how many machines."""
    return Ask(
        workload.training.total_steps, workload.resources or Resources(nodes_open=True), workload.placement,
        workload.schedule, workload.budget, weights_gb if workload.outputs else None, datasets_of(workload),
        workload.compliance, workload.checkpoint.store is not None, workload.checkpoint != CheckpointPolicy(),
    )  # fmt: skip


def refusals_of(settings: Settings, now: datetime) -> tuple[Refusal, ...]:
    """What clouds refused to rent within the last 24 hours; none before there is a store."""
    if settings.url is None and not (settings.home / "tradewind.db").exists():
        return ()
    from tradewind.store import records
    from tradewind.store.database import Database

    with Database(settings.database).read() as db:
        refused = records.leases_refused(db, now - REMEMBERED)
    return tuple(
        Refusal(
            lease.offer["cloud"], lease.offer["region"], lease.offer["zone"], lease.offer["instance_type"],
            lease.offer["purchase"], lease.state_since, lease.fault_kind,
        )
        for lease in refused
        if kind_of(lease.account) not in OWN and lease.fault_kind in TELLING
    )  # fmt: skip


def own_offers(settings: Settings) -> tuple[Offer, ...]:
    """What the user's machines offer."""
    return tuple(offer for machine in Registry(settings.machines).all() for offer in machines.offers_of(machine))


@lru_cache(maxsize=2)
def supply_of(snapshot: Snapshot, today: date, own: tuple[Offer, ...] = (), within: Within | None = None) -> Supply:
    """The offers that a plan may take, made once a day for each snapshot; the others are only counted.

    A snapshot's name speaks for its content, overlays included, so nothing here grows stale. ``own`` are offers beside
    it.
    """
    listed, others = _listed(snapshot, today)
    if within is None:
        return Supply([*own, *listed], {"purchase": others})
    offers, left_out = within.narrowed([*own, *listed])
    return Supply(offers, {"purchase": others, **left_out})


@lru_cache(maxsize=1)
def _listed(snapshot: Snapshot, today: date) -> tuple[list[Offer], int]:
    """The snapshot's offers that a plan may take, and how many others there are."""
    others = find(snapshot, Query(purchases=frozenset(Purchase) - PLANNED, limit=0), today).more
    return find(snapshot, Query(purchases=PLANNED), today).offers, others


def _own(cloud: str, kind: str, unit: str) -> Tariff | None:
    """What one's own disk and network cost: nothing; None of another cloud."""
    return Tariff(kind, unit, Money(Decimal(0), "USD"), "", "one's own machine") if cloud == machines.CLOUD else None


def _terms(cloud: str, *, configured: bool) -> Terms:
    if cloud == machines.CLOUD:
        own = machines.TERMS
        return Terms(own.granularity_s, own.minimum_s, OWN_SETUP, OWN_SETUP_P99, "ok", shared=True)
    known = terms_of_cloud(cloud)
    return Terms(known.granularity_s, known.minimum_s, configured=configured) if known else Terms()
