"""What a plan takes for granted, as ``code key=value …``: the sentences are in ``words``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tradewind.domain.money import Rate
from tradewind.domain.offer import PriceStatus
from tradewind.domain.plan import Objective
from tradewind.planning.ask import Ask
from tradewind.planning.constraints import MACHINES
from tradewind.planning.course import WAIT_HOURS
from tradewind.planning.interruption import LOSS_SPREAD, mean_life_hours
from tradewind.planning.nearness import gbps
from tradewind.planning.outlook import POWER_SHARE
from tradewind.planning.walk import Surveyor
from tradewind.planning.way import Way


def assumptions(
    ask: Ask, shown: Sequence[Way], surveyor: Surveyor, rates: Sequence[Rate], objective: Objective
) -> list[str]:
    """The assumptions behind the chosen way, the first of those shown, and the others."""
    chosen = shown[0]
    told = _length(ask, chosen, surveyor)
    told += ["objective-balanced"] if objective == "balanced" else []
    told += ["carbon-unknown"] if objective == "carbon" and any(way.carbon is None for way in shown) else []
    told += _beside(ask, chosen, shown, surveyor)
    told += _data(ask, chosen, surveyor)
    unknown = [way for way in shown if way.terms.quota == "unknown"]
    told += _by_cloud("quota-unknown", (way for way in unknown if not way.terms.configured))
    told += _by_cloud("quota-not-asked", (way for way in unknown if way.terms.configured))
    told += _prices(chosen)
    told += _spot(ask, chosen, shown)
    told += _refused(shown)
    if chosen.carbon is not None:
        told.append(f"gpu-power share={POWER_SHARE}")
    if ask.controls:
        told.append(f"compliance-unchecked controls={','.join(ask.controls)}")
    currencies = {way.offer.price_per_hour.currency for way in shown if way.offer.price_per_hour}
    used = (rate for rate in rates if len(currencies) > 1 and {rate.base, rate.quote} & currencies)
    told += [f"exchange-rate pair={each.base}/{each.quote} value={each.value} as_of={each.as_of}" for each in used]
    return told


def _length(ask: Ask, chosen: Way, surveyor: Surveyor) -> list[str]:
    """How long the work is, from when it runs, and on how many machines."""
    told = []
    if chosen.work is None:
        told.append(f"length-unknown ranked={'per-step' if chosen.fit else 'per-hour'}")
        if ask.deadline_hours(surveyor.pricing.now) is not None or ask.budget.limit is not None:
            told.append("limits-unjudged")
    else:
        if chosen.work.at_most:
            told.append(f"length-at-most hours={chosen.work.hours.value:g}")
        setup = chosen.terms.setup_hours
        told.append(f"setup-hours value={setup.value:.2f} low={setup.low:.2f} high={setup.high:.2f}")
    if ask.resources.nodes_open and chosen.nodes > 1:
        told.append(f"nodes-open counts={','.join(map(str, MACHINES))}")
    return told


def _beside(ask: Ask, chosen: Way, shown: Sequence[Way], surveyor: Surveyor) -> list[str]:
    """Disks, and bringing the results home."""
    if chosen.work is None:
        return []
    pricing = surveyor.pricing
    told = ["egress-not-counted" if ask.fetched_gb is None else f"egress-assumed gb={ask.fetched_gb:.3g}"]
    if ask.resources.disk_gb is None:
        told.append(f"disk-assumed gb={ask.disk_gb:g}")
    told += _by_cloud(
        "storage-tariff-unknown", (way for way in shown if pricing.tariff(way.offer.cloud, way.offer.region) is None)
    )
    if ask.fetched_gb is not None:
        out = pricing.nearness.out
        told += _by_cloud(
            "egress-tariff-unknown", (way for way in shown if out(way.offer.cloud, way.offer.region) is None)
        )
    return told


def _data(ask: Ask, chosen: Way, surveyor: Surveyor) -> list[str]:
    """What lies elsewhere than where the chosen machine is, and what of it is not known."""
    nearness, offer = surveyor.pricing.nearness, chosen.offer
    told = [f"data-size-unknown source={each.source}" for each in ask.datasets if each.gb is None]
    told += [
        f"data-size-assumed gb={each.gb:.3g} source={each.source}"
        for each in ask.datasets
        if each.gb and each.size_assumed
    ]
    clouds = dict.fromkeys(each.cloud for each in ask.datasets if each.region is None)
    told += [f"data-region-unknown cloud={cloud}" for cloud in clouds]
    for each in nearness.far(offer.cloud, offer.region):
        origin = f"{each.cloud}/{each.region}" if each.region else each.cloud
        hours = (each.gb or 0.0) * 8 / gbps(each, offer.cloud) / 3600 if each.copied else 0.0
        told.append(f"data-far gb={each.gb:.3g} hours={hours:.2f} from={origin} gbps={gbps(each, offer.cloud):g}")
        if each.reads > 1:
            told.append(f"data-each-epoch epochs={each.reads}")
        if nearness.tariff(each, offer.cloud) is None:
            told.append(f"data-egress-unknown cloud={each.cloud} region={each.region or 'unknown'}")
    return told


def _prices(chosen: Way) -> list[str]:
    """How the listed price of the chosen offer is believed, by its age."""
    offer, bounds = chosen.offer, chosen.offer.price_bounds()
    if bounds is None or offer.price_status is PriceStatus.FRESH:
        return []
    return [f"price-range status={offer.price_status.value} as_of={offer.as_of} low={bounds[0]} high={bounds[1]}"]


def _spot(ask: Ask, chosen: Way, shown: Sequence[Way]) -> list[str]:
    """How long spot machines live, and what follows for the one shown first."""
    way = chosen if chosen.interruption else next((way for way in shown if way.interruption), None)
    if way is None or way.interruption is None:
        return []
    known = way.interruption
    life = mean_life_hours(way.nodes, known.multiplier)
    told = [f"spot-hazards mean_life_hours={life:.2f} spread={LOSS_SPREAD[0]:g}..{LOSS_SPREAD[1]:g}"]
    as_of = f" as_of={known.as_of}" if known.as_of else ""
    told.append(f"interruption source={known.source}{as_of} multiplier={known.multiplier:.2f}")
    if chosen.pace and chosen.interruption:
        told.append(f"spot-restarts losses={chosen.pace.losses:.2f}")
    told.append(f"spot-wait hours={WAIT_HOURS.value:g}")
    if chosen.interruption and not ask.stored:
        told.append("spot-without-store")
    if chosen.interruption and not ask.folder_named:
        told.append("spot-saves-unknown")
    if chosen.resort:
        told.append(f"on-demand-share value={chosen.share:.3f}")
        told.append(f"setup-p99 hours={chosen.resort.terms.setup_p99_hours:g}")
    return told


def _refused(shown: Sequence[Way]) -> list[str]:
    waiting = {(way.offer.cloud, way.offer.instance_type): way.waits for way in shown if way.waits}
    return [f"refused-lately cloud={cloud} instance_type={name} hours={hours:.1f}"
            for (cloud, name), hours in waiting.items()]  # fmt: skip


def _by_cloud(code: str, ways: Iterable[Way]) -> list[str]:
    return [f"{code} cloud={cloud}" for cloud in sorted({way.offer.cloud for way in ways})]
