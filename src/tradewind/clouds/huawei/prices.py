"""HuaweiPrices: what ECS sells and how BSS rates it, in the regions in which the account has a project."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from tradewind.clouds.answers import Odd, listed, next_cursor, pick, published, read_rows, text
from tradewind.clouds.huawei.openapi import OpenApi, default_credential, in_project
from tradewind.clouds.huawei.tables import CLOUD, sold_by_the_hour, to_machines, to_price, to_question
from tradewind.domain.market import SpotPoint
from tradewind.domain.offer import Purchase
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page

MACHINES = "machines"
FLAVORS_A_PAGE = 1000
PRICES_A_PAGE = 50
NO_PRODUCT = ("CBC.6006", "CBC.99006006")  # BSS refuses the whole question for one flavour that it does not rate
_REGION = re.compile(r"[a-z]{2}-[a-z]+-\d+")  # projects of other names are parts of a region that the user made
Site = Literal["china", "international"]
BSS: dict[Site, str] = {"china": "https://bss.myhuaweicloud.com", "international": "https://bss-intl.myhuaweicloud.com"}
IAM = "https://iam.myhuaweicloud.com"


def connect(site: Site = "china", endpoint: str | None = None) -> HuaweiPrices:
    """The interfaces of the account whose credentials the SDK finds. ``endpoint`` replaces all of the site's own.

    Raises:
        CloudFault: ``auth``: there are no credentials.
    """
    credential = default_credential()
    if credential is None:
        raise CloudFault("auth", "no credentials", sent="no")

    def ecs(region: str, project: str) -> OpenApi:
        return OpenApi(in_project(credential, project), endpoint or f"https://ecs.{region}.myhuaweicloud.com")

    return HuaweiPrices(
        OpenApi(credential, endpoint or IAM), OpenApi(credential, endpoint or BSS[site]), ecs, lambda: datetime.now(UTC)
    )


class HuaweiPrices:
    """The port :class:`tradewind.ports.prices.Prices`.

    A cursor of machines is the last flavour told; one of prices is the first flavour to ask for and how many at once.
    """

    name = CLOUD
    calls_per_second = 5.0

    def __init__(
        self, iam: OpenApi, bss: OpenApi, ecs: Callable[[str, str], OpenApi], now: Callable[[], datetime]
    ) -> None:  # fmt: skip
        self._iam = iam
        self._bss = bss
        self._ecs = ecs
        self._now = now
        self._projects: dict[str, str] = {}
        self._inside: dict[str, OpenApi] = {}
        self._rated: dict[str, tuple[str, ...]] = {}

    def parts(self) -> tuple[str, ...]:
        """Each region's machines, then their prices."""
        self._projects = self._ask_projects()
        return tuple(f"{region}/{what}" for region in sorted(self._projects) for what in (MACHINES, Purchase.ON_DEMAND))

    def page(self, part: str, cursor: str | None) -> Page:
        """One page of flavours, or the prices of some; the first page of prices only finds out of which."""
        region, _, what = part.rpartition("/")
        if what == MACHINES:
            flavors, following = self._flavors(region, cursor)
            with published("ListFlavors"):
                machines, skipped = read_rows(flavors, to_machines, _name)
            return Page(machines, (), following, skipped)
        rated = self._rated_in(region)
        if cursor is None:
            return Page((), (), f"{rated[0]}:{PRICES_A_PAGE}" if rated else None)
        first, _, size = cursor.rpartition(":")
        return self._prices(region, [name for name in rated if name >= first], int(size))

    def spot_history(self, region: str, instance_types: Sequence[str], since: datetime) -> Iterator[SpotPoint]:
        """Nothing: Huawei Cloud publishes no spot prices by an interface."""
        return iter(())

    def _ask_projects(self) -> dict[str, str]:
        """Region → the account's project in it."""
        answer = self._iam.get("/v3/auth/projects")
        with published("KeystoneListAuthProjects"):
            usable = [row for row in listed(answer, "projects") if pick(row, "enabled")]
            projects = {text(row, "name"): text(row, "id") for row in usable}
            if usable:
                self._bss.name_account(text(usable[0], "domain_id"))
        regions = {name: id_ for name, id_ in projects.items() if _REGION.fullmatch(name)}
        if not regions:
            raise CloudFault("auth", "IAM lists no project in any region", sent="yes")
        return regions

    def _project(self, region: str) -> str:
        self._projects = self._projects or self._ask_projects()
        if region not in self._projects:
            raise CloudFault("auth", f"the account has no project in {region}", sent="no")
        return self._projects[region]

    def _flavors(self, region: str, marker: str | None) -> tuple[list[Any], str | None]:
        """One answer of ListFlavors and the marker of the next."""
        project = self._project(region)
        further = {"marker": marker} if marker else {}
        path = f"/v1/{project}/cloudservers/flavors"
        self._inside.setdefault(region, self._ecs(region, project))
        answer = self._inside[region].get(path, limit=str(FLAVORS_A_PAGE), **further)
        with published("ListFlavors"):
            flavors = listed(answer, "flavors")
            last = text(flavors[-1], "id") if len(flavors) >= FLAVORS_A_PAGE else None
            return flavors, next_cursor(marker, last)

    def _rated_in(self, region: str) -> tuple[str, ...]:
        """The flavours with an accelerator that are sold on demand in a region, in order."""
        if region not in self._rated:
            flavors, marker = self._flavors(region, None)
            while marker is not None:
                more, marker = self._flavors(region, marker)
                flavors = flavors + more
            self._rated[region] = tuple(sorted({flavor["id"] for flavor in flavors if _rates(flavor)}))
        return self._rated[region]

    def _prices(self, region: str, rated: list[str], size: int) -> Page:
        """The prices of the first ``size``. A question refused for one unknown flavour is halved, down to that one."""
        asked, rest = tuple(rated[:size]), rated[size:]
        if not asked:
            return Page((), (), None)
        following = f"{rest[0]}:{min(size * 2, PRICES_A_PAGE)}" if rest else None
        try:
            answer = self._bss.post(
                "/v2/bills/ratings/on-demand-resources", to_question(self._project(region), region, asked)
            )  # fmt: skip
        except CloudFault as fault:
            if not fault.words.startswith(NO_PRODUCT):
                raise
            if len(asked) > 1:
                return Page((), (), f"{asked[0]}:{len(asked) // 2}")
            return Page((), (), following, (f"{asked[0]}: {fault.words}",))
        as_of, currency = self._now().date().isoformat(), answer.get("currency") or "CNY"
        with published("ListOnDemandResourceRatings"):
            prices, skipped = read_rows(
                listed(answer, "product_rating_results"), lambda row: [to_price(row, region, currency, as_of)], _name
            )
        untold = set(asked) - {price.instance_type for price in prices} - {name.partition(":")[0] for name in skipped}
        return Page((), prices, following, (*skipped, *(f"{name}: not rated" for name in sorted(untold))))


def _rates(flavor: Any) -> bool:
    try:
        return any(to_machines(flavor)) and sold_by_the_hour(flavor)
    except Odd:
        return False  # the machines' part tells it as skipped


def _name(row: Any) -> str:
    return str(row.get("id")) if isinstance(row, dict) else repr(row)
