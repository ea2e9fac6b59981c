"""Evidence: from what is known of a kind of machine in a place to how its hazards compare with the pooled ones.

A month's band. AWS tells which share of a machine's spot fleets it took back in a trailing month, in bands. Under the
pooled hazards hardly any run would outlive a month, while the bands say that most did: they count machines of unlike
ages, most of which their owners gave back within hours. So the level of a band says nothing about one run, but where
fleets are of like ages the ratio of two bands' hazards, -ln(1 - share), carries over. The pooled hazards stand for the
band of the machines that they were measured on. An estimate, bounded to a quarter and four times.

A trace. Losses seen over losses to expect under the pooled hazards at the ages seen, drawn towards 1 by ten of each (a
gamma prior on a zone's frailty), which is what one zone differs from another in the pooled traces. Most traces are of
launches tried, which overstates the losses of a machine that runs: stated with the hazards.

Spot prices enter nothing: since AWS lets them follow demand over days (2017), a price is no sign of a machine's end.
"""

from __future__ import annotations

import math
import re
from typing import Literal

from tradewind.domain.trace import SpotTrace
from tradewind.planning.interruption import Interruption, exposure

# p3.2xlarge, whose traces are pooled, stood in AWS's worst band in every region of theirs: > 20 % (2025-11), taken as
# 20 to 30 %. The traces are of 2023: that the band was the same then is assumed.
POOLED_SHARE = 0.25
LEAST, MOST = 0.25, 4.0
_PRIOR_LOSSES = 10.0
_RUN = re.compile(rb"\x01+")


def by_share(share: float, as_of: str | None) -> Interruption:
    """What a monthly share of machines taken back, 0 to below 1, says beside that of the pooled machines."""
    return _estimate(math.log1p(-share) / math.log1p(-POOLED_SHARE), "advisor", as_of)


def by_trace(trace: SpotTrace, region: str) -> Interruption | None:
    """What a trace of single machines says of the zones of a region; None where it has none of them, or of gangs."""
    zones = [ticks for zone, ticks in zip(trace.zones, trace.available, strict=True) if _lies_in(zone, region)]
    if trace.nodes != 1 or not zones:
        return None
    hours, seen, expected = trace.tick_seconds / 3600, 0, 0.0
    for ticks in zones:
        for run in _RUN.finditer(ticks):
            if run.start():  # of a run that the trace began in, nobody knows the age
                seen += run.end() < len(ticks)
                expected += exposure((run.end() - run.start()) * hours)
    dated = re.match(r"\d{4}(-\d\d(-\d\d)?)?", trace.start)
    frailty = (_PRIOR_LOSSES + seen) / (_PRIOR_LOSSES + expected)
    return _estimate(frailty, "trace", dated.group() if dated else None)


def _estimate(multiplier: float, source: Literal["advisor", "trace"], as_of: str | None) -> Interruption:
    return Interruption(round(min(max(multiplier, LEAST), MOST), 2), source, as_of)


def _lies_in(zone: str, region: str) -> bool:
    """Clouds name zones by their region and a letter: ``us-east-1a``, ``us-central1-c``; a trace may add its own."""
    return re.fullmatch(rf"{re.escape(region)}-?[a-z](_.*)?", zone) is not None
