"""HuaweiPrices: what ECS sells and how BSS rates it, in the regions in which the account has a project."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from tradewind.clouds.answers import Odd, listed, next_cursor, pick, published, read_rows, text
from tradewind.clouds.huawei.openapi import OpenApi, default_credential, in_project
from tradewind.clouds.huawei.ratings import RATINGS, rated, to_price, to_question
from tradewind.clouds.huawei.tables import CLOUD, sold, to_machines
from tradewind.domain.market import SpotPoint
from tradewind.domain.offer import Purchase
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page

MACHINES = "machines"
FLAVORS_A_PAGE = 1000
PRICES_A_PAGE = 50
NO_PRODUCT = ("CBC.6006", "CBC.99006006")  # BSS refuses the whole question for one flavour that it does not rate
_REGION = re.compile(r"[a-z]{2}-[a-z]+-\d+")  # projects of other names are parts of a region that the user made
Site = Literal["china", "international", "europe"]


@dataclass(frozen=True, slots=True)
class Hosts:
    """Where a site's accounts are asked. ``unsaid``: the currency of an answer that names none, where one is published.

    ``domain`` is that of the site's regions.
    """

    bss: str
    iam: str
    domain: str
    unsaid: str | None = None


SITES: dict[Site, Hosts] = {
    "china": Hosts("https://bss.myhuaweicloud.com", "https://iam.myhuaweicloud.com", "myhuaweicloud.com", "CNY"),
    "international": Hosts("https://bss-intl.myhuaweicloud.com", "https://iam.myhuaweicloud.com", "myhuaweicloud.com"),
    "europe": Hosts("https://bss.myhuaweicloud.eu", "https://iam.myhuaweicloud.eu", "myhuaweicloud.eu"),
}


def connect(site: Site = "china", endpoint: str | None = None) -> HuaweiPrices:
    """The interfaces of the account whose credentials the SDK finds. ``endpoint`` replaces all of the site's own.

    Raises:
        CloudFault: ``auth``: there are no credentials.
    """
    credential = default_credential()
    if credential is None:
        raise CloudFault("auth", "no credentials", sent="no")

    hosts = SITES[site]

    def ecs(region: str, project: str) -> OpenApi:
        return OpenApi(in_project(credential, project), endpoint or f"https://ecs.{region}.{hosts.domain}")

    iam, bss = (OpenApi(credential, endpoint or host) for host in (hosts.iam, hosts.bss))
    return HuaweiPrices(iam, bss, ecs, hosts.unsaid, lambda: datetime.now(UTC))


class HuaweiPrices:
    """The port :class:`tradewind.ports.prices.Prices`.

    A cursor of machines is the last flavour told; one of prices is the first flavour to ask for and how many at once.
    """

    name = CLOUD
    calls_per_second = 5.0

    def __init__(
        self,
        iam: OpenApi,
        bss: OpenApi,
        ecs: Callable[[str, str], OpenApi],
        unsaid: str | None,
        now: Callable[[], datetime],
    ) -> None:
        self._iam = iam
        self._bss = bss
        self._ecs = ecs
        self._unsaid = unsaid
        self._now = now
        self._projects: dict[str, str] = {}
        self._inside: dict[str, OpenApi] = {}
        self._accelerated: dict[str, tuple[Any, ...]] = {}

    def parts(self) -> tuple[str, ...]:
        """Each region's machines, then their prices by the way of buying."""
        self._projects = self._ask_projects()
        return tuple(f"{region}/{what}" for region in sorted(self._projects) for what in (MACHINES, *RATINGS))

    def page(self, part: str, cursor: str | None) -> Page:
        """One page of flavours, or the prices of some; the first page of prices only finds out of which."""
        region, _, what = part.rpartition("/")
        if what == MACHINES:
            flavors, following = self._flavors(region, cursor)
            with published("ListFlavors"):
                machines, skipped = read_rows(flavors, to_machines, _name)
            return Page(machines, (), following, skipped)
        purchase = Purchase(what)
        names = self._sold_in(region, purchase)
        if cursor is None:
            return Page((), (), f"{names[0]}:{PRICES_A_PAGE}" if names else None)
        first, _, size = cursor.rpartition(":")
        return self._prices(region, purchase, [name for name in names if name >= first], int(size))

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

    def _sold_in(self, region: str, purchase: Purchase) -> tuple[str, ...]:
        """The flavours with an accelerator that are sold in a region in one way, in order."""
        if region not in self._accelerated:
            flavors, marker = self._flavors(region, None)
            while marker is not None:
                more, marker = self._flavors(region, marker)
                flavors = flavors + more
            self._accelerated[region] = tuple(filter(_accelerated, flavors))
        way = RATINGS[purchase].way
        return tuple(sorted({str(flavor["id"]) for flavor in self._accelerated[region] if sold(flavor, way)}))

    def _prices(self, region: str, purchase: Purchase, names: list[str], size: int) -> Page:
        """The prices of the first ``size``. A question refused for one unknown flavour is halved, down to that one."""
        asked, rest = tuple(names[:size]), names[size:]
        if not asked:
            return Page((), (), None)
        following = f"{rest[0]}:{min(size * 2, PRICES_A_PAGE)}" if rest else None
        rating = RATINGS[purchase]
        try:
            answer = self._bss.post(rating.path, to_question(purchase, self._project(region), region, asked))
        except CloudFault as fault:
            if not fault.words.startswith(NO_PRODUCT):
                raise
            if len(asked) > 1:
                return Page((), (), f"{asked[0]}:{len(asked) // 2}")
            return Page((), (), following, (f"{asked[0]}: {fault.words}",))
        as_of = self._now().date().isoformat()
        with published(rating.operation):
            currency = text({"currency": answer.get("currency") or self._unsaid}, "currency")
            prices, skipped = read_rows(
                rated(answer, purchase), lambda row: [to_price(row, region, purchase, currency, as_of)], _name
            )
        untold = set(asked) - {price.instance_type for price in prices} - {name.partition(":")[0] for name in skipped}
        return Page((), prices, following, (*skipped, *(f"{name}: not rated" for name in sorted(untold))))


def _accelerated(flavor: Any) -> bool:
    try:
        return any(to_machines(flavor))
    except Odd:
        return False  # the machines' part tells it as skipped


def _name(row: Any) -> str:
    return str(row.get("id")) if isinstance(row, dict) else repr(row)
