"""What is known of an offer's spot machines: AWS's bands, a shipped trace, or nothing but the pooled hazards."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tradewind.app.interruptions import interruption_of
from tradewind.catalog.search import Query, search
from tradewind.catalog.snapshot import open_snapshot
from tradewind.catalog.spot_records import BANDS, spot_records
from tradewind.domain.offer import Offer, Purchase
from tradewind.planning.evidence import LEAST, MOST
from tradewind.planning.interruption import ASSUMED


@pytest.fixture(scope="module")
def spot(tmp_path_factory: pytest.TempPathFactory) -> list[Offer]:
    """Every spot offer that is shipped."""
    home: Path = tmp_path_factory.mktemp("home")
    found = search(open_snapshot(home), Query(), date(2026, 11, 21))
    return [offer for offer in found if offer.purchase is Purchase.SPOT]


def band_of(offer: Offer) -> str | None:
    records = spot_records(offer.cloud, offer.instance_type)
    return next((each.interrupted for each in records if each.region == offer.region), None)


def test_machines_of_aws_rank_by_its_bands(spot: list[Offer]) -> None:
    by_band: dict[str, set[float]] = {}
    for offer in spot:
        if band := band_of(offer):
            found = interruption_of(offer)
            assert (offer.cloud, found.source, found.as_of) == ("aws", "advisor", "2025-11-30")
            by_band.setdefault(band, set()).add(found.multiplier)
    assert set(by_band) == set(BANDS)
    ranked = [multiplier for band in BANDS for multiplier in by_band[band]]
    assert ranked == sorted(ranked), "one multiplier a band, the least for the calmest"
    assert ranked[0] == LEAST < ranked[-1] == 1.0, "the pooled machines stood in the worst band"


def test_h100s_of_gcp_have_what_their_regions_trace_showed_and_the_rest_of_the_world_is_assumed(
    spot: list[Offer],
) -> None:
    traced = {offer.region for offer in spot if interruption_of(offer).source == "trace"}
    assert {"us-central1", "us-east4", "us-west1"} <= traced
    for offer in spot:
        found = interruption_of(offer)
        if found.source == "trace":
            assert (offer.cloud, offer.gpu, found.as_of) == ("gcp", "H100-80GB", "2025-10-04")
            assert LEAST < found.multiplier < MOST
        elif found.source == "assumed":
            assert found == ASSUMED
            assert band_of(offer) is None


def test_regions_of_other_clouds_with_the_same_name_are_other_places(spot: list[Offer]) -> None:
    """Alibaba, too, has an us-east-1."""
    elsewhere = [offer for offer in spot if offer.cloud not in ("aws", "gcp")]
    assert elsewhere
    assert all(interruption_of(offer) == ASSUMED for offer in elsewhere)
