"""A refresh of Azure, which asks for no account: the real adapter against its stub, from the first page to an offer."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from doubles import SimClock
from lab.azure_prices import RetailPrices, item
from lab.stub import Stub, throttled

from tradewind.app.market import catalog_of
from tradewind.app.refresh import Refresher
from tradewind.app.settings import Settings
from tradewind.catalog import refresh as judge
from tradewind.clouds.azure.prices import AzurePrices
from tradewind.domain.market import ListedPrice
from tradewind.domain.offer import Purchase

REGION = "eastus"
REFRESH = """
import sys
from pathlib import Path
from tradewind.app.clock import SystemClock
from tradewind.app.refresh import Refresher
from tradewind.app.settings import Settings
from tradewind.clouds.azure.prices import AzurePrices
refresher = Refresher(Settings(Path(sys.argv[1])), SystemClock(), lambda: 0.5, lambda step: None)
refresher.refresh(["azure"], lambda cloud: AzurePrices(sys.argv[2]))
"""


def listed(settings: Settings) -> list[ListedPrice]:
    return [each for each in judge.current(catalog_of(settings), "azure")
            if each.region == REGION and each.purchase in (Purchase.ON_DEMAND, Purchase.SPOT)]  # fmt: skip


def as_item(price: ListedPrice, factor: float) -> dict[str, Any]:
    name = price.instance_type.removeprefix("Standard_").replace("_", " ")
    spot = {"skuName": f"{name} Spot", "meterName": f"{name} Spot"} if price.purchase is Purchase.SPOT else {}
    return item(price.instance_type, REGION, float(price.price_per_hour) * factor, **spot)


def test_the_real_adapter_brings_prices_to_the_offers(tmp_path: Path) -> None:
    settings, clock = Settings(tmp_path), SimClock()
    before = {(each.instance_type, each.purchase): each for each in listed(settings)}
    service = RetailPrices([as_item(each, 1.3) for each in before.values()], page_size=20)
    refresher = Refresher(settings, clock, lambda: 0.5, lambda step: None)
    with Stub(service.answer) as stub:
        stub.meet(2, throttled("7"))
        (answer,) = refresher.refresh(["azure"], lambda cloud: AzurePrices(stub.url))
    assert answer["outcome"] == "refreshed", answer
    assert (answer["changes"]["dearer"], answer["changes"]["gone"]) == (len(before), 0)
    for each in listed(settings):
        was = before[each.instance_type, each.purchase].price_per_hour
        assert abs(each.price_per_hour / was - Decimal("1.3")) < Decimal("0.001")
        assert each.source.startswith("Azure Retail Prices API")


def test_a_refresh_that_is_killed_for_real_goes_on(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    before = {(each.instance_type, each.purchase): each for each in listed(settings)}
    service = RetailPrices([as_item(each, 1.3) for each in before.values()], page_size=10)
    staged = settings.catalog / "refreshing" / "azure.jsonl"
    with Stub(service.answer) as stub:
        child = subprocess.Popen([sys.executable, "-c", REFRESH, str(tmp_path), stub.url])
        while not staged.exists() or staged.read_bytes().count(b"\n") < 4:  # the parts, and three pages
            assert child.poll() is None, "it ended by itself"
            time.sleep(0.02)
        child.kill()
        child.wait()
        assert listed(settings) == list(before.values())  # what was in force is whole
        kept = staged.read_bytes().count(b"\n") - 1
        asked = len(stub.log)
        clock = SimClock()
        clock.time = datetime.now(UTC)
        refresher = Refresher(settings, clock, lambda: 0.5, lambda step: None)
        (answer,) = refresher.refresh(["azure"], lambda cloud: AzurePrices(stub.url))
    assert (answer["outcome"], answer["went_on"], answer["prices"]) == ("refreshed", True, len(before))
    pages = -(-len(before) // 10) + 1  # and the empty page of the other part
    assert len(stub.log) - asked == pages - kept
