"""Traces written as files: the CSV that is shipped, and the arrays that others publish."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path

from tradewind.domain.trace import SpotTrace


def as_csv(trace: SpotTrace) -> str:
    """The text of a trace, a row where something changes."""
    head = {
        "tick_seconds": f"{trace.tick_seconds:g}", "ticks": trace.ticks, "nodes": trace.nodes, "gpu": trace.gpu,
        "start": trace.start, "source": trace.source, "licence": trace.licence,
    }  # fmt: skip
    lines = [f"# {key}: {value}" for key, value in head.items() if value != ""]
    lines.append("zone,tick,available,spot_price,od_price")
    for zone, name in enumerate(trace.zones):
        up, prices, on_demand = trace.available[zone], trace.spot_price[zone], trace.od_price[zone]
        each = prices * trace.ticks if len(prices) == 1 else prices
        lines.append(f"{name},0,{up[0]},{_cell(each[0])},{_cell(on_demand)}")
        for tick, ((was, now), (old, new)) in enumerate(zip(pairwise(up), pairwise(each), strict=True), start=1):
            changed = old != new and not (math.isnan(old) and math.isnan(new))
            if was != now or changed:
                lines.append(f"{name},{tick},{now},{_cell(new) if changed else ''},")
    return "\n".join(lines) + "\n"


def _cell(price: float) -> str:
    return "" if math.isnan(price) else f"{price:.7g}"


def write_npz(path: Path, trace: SpotTrace, *, fortran: bool = False) -> None:
    """The same trace as arrays, as numpy writes them."""
    import numpy as np

    count = np.array([list(zone) for zone in trace.available], dtype=np.uint8) * np.uint8(trace.nodes)
    constant = all(len(prices) == 1 for prices in trace.spot_price)
    rows = [prices * (1 if constant or len(prices) > 1 else trace.ticks) for prices in trace.spot_price]
    spot = np.array(rows, dtype=np.float32)
    meta = {"zones": trace.zones, "gap_seconds": trace.tick_seconds, "need": trace.nodes, "start": trace.start,
            "source": trace.source, "licence": trace.licence}  # fmt: skip
    np.savez_compressed(
        path, count=np.asfortranarray(count) if fortran else count, spot_price=spot[:, 0] if constant else spot,
        od_price=np.array(trace.od_price, dtype=np.float32), meta=np.array(json.dumps(meta)),
    )  # fmt: skip
