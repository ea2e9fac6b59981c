"""Refreshing the catalog from the clouds' own price and inventory interfaces.

ask_all ─▶ verdict ─┬▶ plausible: laid over the shipped catalog, and what changed is told
                    └▶ not: refused with why, and what was in force stays in force
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from tradewind.app.asked import Step, Tell, Told, ask_all
from tradewind.app.market import catalog_of
from tradewind.app.overlays import lay_over
from tradewind.app.patience import Patience
from tradewind.app.settings import Settings
from tradewind.app.spot_series import SpotSeries
from tradewind.app.staging import Staging
from tradewind.catalog import refresh as judge
from tradewind.catalog.families import machines
from tradewind.domain.errors import CloudRefused, NotConfigured, TradewindError, Unavailable
from tradewind.domain.market import ListedPrice, SpotPoint
from tradewind.domain.offer import Purchase
from tradewind.ports.clock import Clock
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Prices

Answer = dict[str, Any]
UNCONFIGURED = ("extra-missing", "prices-not-allowed")
SPOT_SINCE = timedelta(days=90)  # AWS keeps this much; who keeps less tells less


@dataclass(frozen=True)
class Refresher:
    """Refreshes one home. ``tell`` hears how far it is; ``draw`` gives a number in [0, 1) for the length of pauses."""

    settings: Settings
    clock: Clock
    draw: Callable[[], float]
    tell: Tell

    def refresh(self, clouds: Iterable[str], connect: Callable[[str], Prices]) -> list[Answer]:
        """What came of each cloud; one that fails does not keep the others from being refreshed.

        ``outcome``: ``refreshed``, ``refused`` (what was told is not plausible), ``failed`` (it could not be asked,
        or the home not written), ``not_configured`` (its SDK or credentials are missing).
        """
        return [self._cloud(cloud, connect) for cloud in clouds]

    def _cloud(self, cloud: str, connect: Callable[[str], Prices]) -> Answer:
        nothing = {
            "cloud": cloud, "went_on": False, "parts": 0, "parts_failed": [], "machines": 0, "prices": 0, "skipped": [],
            "no_machine": [], "changes": None, "spot_points": 0, "spot_error": None, "error": None,
        }  # fmt: skip
        try:
            return nothing | self._asked(cloud, connect(cloud))
        except (CloudFault, OSError, TradewindError) as fault:
            error = self._as_error(cloud, fault)
            outcome = "not_configured" if error.code in UNCONFIGURED else "failed"
            return nothing | {"outcome": outcome, "error": _json(error)}

    def _asked(self, cloud: str, source: Prices) -> Answer:
        with Staging(self.settings.catalog / "refreshing" / f"{cloud}.jsonl") as staging:
            told = ask_all(source, staging, self.clock, self.draw, self.tell)
            judged = self._judged(cloud, told)
            staging.clear()
        spot = self._spot(source, told.staged.prices) if judged["outcome"] == "refreshed" else {}
        return self._told(cloud, told) | judged | spot

    def _judged(self, cloud: str, told: Told) -> Answer:
        snapshot = catalog_of(self.settings)
        known = {each.instance_type for each in machines(snapshot) if each.cloud == cloud}
        known |= {each.instance_type for each in told.staged.machines}
        prices = [each for each in told.staged.prices if each.instance_type in known]
        no_machine = sorted({each.instance_type for each in told.staged.prices} - known)
        verdict = judge.verdict(judge.current(snapshot, cloud), prices)
        if isinstance(verdict, judge.Refused):
            facts = {"cloud": cloud, **verdict.facts}
            return {"outcome": "refused", "no_machine": no_machine,
                    "error": {"code": f"refresh-{verdict.why}", "facts": facts, "retryable": True}}  # fmt: skip
        lay_over(self.settings.catalog, cloud, told.staged.machines, prices, self.clock.now().date())
        return {"outcome": "refreshed", "no_machine": no_machine, "changes": _changes(verdict)}

    def _spot(self, source: Prices, prices: Iterable[ListedPrice]) -> Answer:
        """By how many points the series of spot prices grew; what cannot be asked now comes with the next refresh."""
        types: dict[str, set[str]] = {}
        for price in prices:
            if price.purchase is Purchase.SPOT:
                types.setdefault(price.region, set()).add(price.instance_type)
        step = Step(source.name, "spot", 0, len(types), 0)
        patience = Patience(
            source.calls_per_second, self.clock, self.draw, lambda pause: self.tell(replace(step, waiting_s=pause))
        )
        grown, error = 0, None
        try:
            series = SpotSeries(self.settings.catalog / "spot" / f"{source.name}.csv")
            for region, names in sorted(types.items()):
                self.tell(step)
                since = series.newest(region) or self.clock.now() - SPOT_SINCE
                grown += series.add(patience.ask(partial(_points, source, region, sorted(names), since)))
                step = replace(step, parts_done=step.parts_done + 1, prices=grown)
        except (CloudFault, OSError) as fault:
            error = _json(self._as_error(source.name, fault))
        return {"spot_points": grown, "spot_error": error}

    def _told(self, cloud: str, told: Told) -> Answer:
        staged = told.staged
        failed = [{"part": part, "error": _json(self._as_error(cloud, fault))} for part, fault in told.failed.items()]
        return {
            "went_on": told.went_on, "parts": len(staged.parts), "parts_failed": failed,
            "machines": len(staged.machines), "prices": len(staged.prices), "skipped": list(staged.skipped),
        }  # fmt: skip

    def _as_error(self, cloud: str, fault: CloudFault | OSError | TradewindError) -> TradewindError:
        match fault:
            case TradewindError():
                return fault
            case OSError():
                return Unavailable("refresh-not-kept", path=self.settings.catalog, cause=fault.strerror)
            case CloudFault(kind="auth"):
                return NotConfigured("prices-not-allowed", cloud=cloud, words=fault.words)
            case CloudFault(kind="invalid" | "not_found"):
                return CloudRefused("prices-not-understood", cloud=cloud, words=fault.words)
            case CloudFault(kind="clock"):
                return CloudRefused("prices-clock-wrong", cloud=cloud, words=fault.words)
        return CloudRefused("prices-not-answered", cloud=cloud, words=fault.words)


def _points(source: Prices, region: str, types: list[str], since: datetime) -> list[SpotPoint]:
    return list(source.spot_history(region, types, since))


def _json(error: TradewindError) -> Answer:
    """Code and facts; the sentences are made where the reader's language is known."""
    return {"code": error.code, "facts": dict(error.facts), "retryable": error.retryable}


def _changes(changes: judge.Changes) -> Answer:
    return {
        "new": changes.new, "gone": changes.gone, "dearer": changes.dearer, "cheaper": changes.cheaper,
        "same": changes.same,
        "largest": [
            {"region": each.region, "zone": each.zone, "instance_type": each.instance_type,
             "purchase": each.purchase.value, "old": each.old.to_json(), "new": each.new.to_json()}
            for each in changes.largest
        ],
    }  # fmt: skip
