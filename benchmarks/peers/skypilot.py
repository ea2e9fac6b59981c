"""SkyPilot's optimizer over the prices of our snapshot: run by a Python that has SkyPilot, with a HOME of its own.

SkyPilot fetches its catalogs from the network. Where files lie in their place it takes those, so AWS offers are written
there in its own form; AWS counts as enabled, as no account is asked. Reads ``{"gpu", "rounds", "offers"}`` on stdin,
offers as `tradewind offers --json` tells them; prints ``{"seconds", "chosen", "rows", "version"}`` as its last line.
"""

from __future__ import annotations

import csv
import json
import sys
import time
from pathlib import Path
from typing import Any
from unittest import mock

import sky
from sky.skylet import constants

CATALOGS = Path.home() / ".sky" / "catalogs" / constants.CATALOG_SCHEMA_VERSION
Row = dict[str, Any]


def main() -> None:
    """Write the catalogs, ask again and again, tell how long each answer took."""
    asked = json.load(sys.stdin)
    rows = catalog(asked["offers"])
    write("aws/vms.csv", rows)
    names = sorted({row["AcceleratorName"] for row in rows})
    write("common/accelerators.csv", [{"AcceleratorName": name, "Clouds": "['AWS']"} for name in names])
    taken, chosen = [], None
    with mock.patch("sky.check.get_cached_enabled_clouds_or_refresh", lambda *_, **__: [sky.AWS()]):
        for _ in range(asked["rounds"] + 1):
            task = question(asked["gpu"])
            start = time.perf_counter()
            sky.Optimizer.optimize(task, quiet=True)
            taken.append(time.perf_counter() - start)
            chosen = repr(task.tasks[0].best_resources)
    print(json.dumps({"seconds": taken, "chosen": chosen, "rows": len(rows), "version": sky.__version__}))


def catalog(offers: list[Row]) -> list[Row]:
    """Its rows: one for each machine type and zone, with both prices; on-demand ones hold for a whole region."""
    on_demand = {(each["instance_type"], each["region"]): price(each) for each in offers if bought(each, "on_demand")}
    spots = [each for each in offers if bought(each, "spot") and (each["instance_type"], each["region"]) in on_demand]
    return [
        {
            "InstanceType": each["instance_type"], "AcceleratorName": each["gpu"], "AcceleratorCount": each["gpus"],
            "vCPUs": each["cpus"], "MemoryGiB": each["memory_gib"], "GpuInfo": "",
            "Price": on_demand[each["instance_type"], each["region"]], "SpotPrice": price(each),
            "Region": each["region"], "AvailabilityZone": each["zone"], "AvailabilityZoneName": each["zone"],
            "Arch": "x86_64",
        }
        for each in spots
    ]  # fmt: skip


def bought(offer: Row, how: str) -> bool:
    """Whether the offer is bought so, at a price in USD."""
    price_per_hour = offer["price_per_hour"] or {"currency": None}
    return (offer["purchase"], price_per_hour["currency"]) == (how, "USD")


def price(offer: Row) -> str:
    """USD an hour."""
    return str(offer["price_per_hour"]["amount"])


def write(name: str, rows: list[Row]) -> None:
    """A catalog file; one that it did not fetch is left alone by it."""
    path = CATALOGS / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def question(gpu: str) -> Any:
    """One task on one such GPU, on spot or on demand, wherever it is cheapest."""
    with sky.Dag() as dag:
        task = sky.Task(run="true")
        task.set_resources({sky.Resources(accelerators=f"{gpu}:1", use_spot=spot) for spot in (False, True)})
    return dag


if __name__ == "__main__":
    main()
