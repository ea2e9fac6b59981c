"""How often an offer's spot machines are taken back, from the best that is known: a cloud's bands, a trace, nothing."""

from __future__ import annotations

from functools import cache

from tradewind.catalog.spot_records import shares
from tradewind.catalog.traces import trace
from tradewind.domain.offer import Offer
from tradewind.planning.evidence import by_share, by_trace
from tradewind.planning.interruption import ASSUMED, Interruption

# Shipped traces of single machines whose cloud publishes no bands, by cloud and GPU.
_MEASURED = {("gcp", "H100-80GB"): "h100x1-gcp-2025-10-dev"}


def interruption_of(offer: Offer) -> Interruption:
    """How the hazards of an offer, were it a spot machine, compare with the pooled ones; where unknown, assumed alike.

    Asked again it costs a look-up, so that a plan may ask for every offer.
    """
    return _known(offer.cloud, offer.region, offer.instance_type, offer.gpu)


@cache
def _known(cloud: str, region: str, machine: str, gpu: str) -> Interruption:
    told = shares().get((cloud, region, machine))
    if told:
        return by_share(*told)
    measured = _MEASURED.get((cloud, gpu))
    return (by_trace(trace(measured), region) if measured else None) or ASSUMED
