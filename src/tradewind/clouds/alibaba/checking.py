"""What an account lets one do in a region, found out without renting: who one is, clock, rights, network, quotas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tradewind.clouds.alibaba.client import HOME_REGION, Api
from tradewind.clouds.alibaba.requests import numbered
from tradewind.clouds.alibaba.rights import tried
from tradewind.clouds.answers import listed, published, text
from tradewind.ports.cloud import Checked, CloudSettings, Verdict
from tradewind.ports.compute import CloudFault

_NOTICED_S, _REFUSED_S = 60, 900  # a clock that is off: worth a word, refused by signatures
_ASK = "https://quotas.console.aliyun.com/products/ecs/quotas"
# Attribute of the account → how what it limits is bought; each counts vCPUs.
_QUOTAS = {"max-postpaid-instance-vcpu-count": "on_demand", "max-spot-instance-vcpu-count": "spot"}
_NAMED = "real-name-authentication"


class Checking:
    """Checks one account, region by region; ``how`` says where its credentials were found."""

    def __init__(self, api: Api, owner: str, settings: CloudSettings, how: str | None) -> None:
        self._api = api
        self._owner = owner
        self._settings = settings
        self._how = how

    def check(self, region: str) -> tuple[Checked, ...]:
        """All of it, as far as the account answers at all."""
        try:
            answer = self._api.ask("sts", region, "GetCallerIdentity")
            with published("GetCallerIdentity"):
                facts = {"account": text(answer, "AccountId"), "who": text(answer, "Arn"), "how": self._how or ""}
        except CloudFault as fault:
            return tuple(self._nobody(fault))
        known = Checked("identity", "ok", facts), self._clock()
        rights = tried(self._api, region, self._owner, makes_networks=self._settings.network != "given")
        return *known, *self._region(region), *self._network(region), *rights, *self._account(region)

    def _nobody(self, fault: CloudFault) -> Iterator[Checked]:
        """Without an identity nothing else can be asked; but the refusal may say what the clock is worth."""
        verdict: Verdict = "missing" if fault.kind in ("auth", "clock", "invalid") else "unknown"
        yield Checked("identity", verdict, {"account": "", "who": "", "how": self._how or ""}, fault.words)
        if fault.kind == "clock":
            yield self._clock()

    def _clock(self) -> Checked:
        seconds = round(-self._api.ahead.total_seconds())
        verdict: Verdict = "ok" if abs(seconds) < _NOTICED_S else "warning" if abs(seconds) < _REFUSED_S else "missing"
        return Checked("clock", verdict, {"seconds": str(seconds)})

    def _region(self, region: str) -> Iterator[Checked]:
        """Alibaba Cloud turns none off: one that is not listed is none of its regions."""
        try:
            there = region in region_names(self._api)
        except CloudFault as fault:
            yield Checked("region", "unknown", {"region": region}, fault.words)
            return
        yield Checked("region", "ok" if there else "missing", {"region": region})

    def _network(self, region: str) -> Iterator[Checked]:
        """What machines would be in: the account's own, the one that the settings name, or one that will be made."""
        try:
            if self._settings.network == "given":
                yield from self._given(region)
            elif self._settings.network == "default":
                rows = list(self._api.numbered("vpc", region, "DescribeVpcs", "Vpcs", "Vpc", IsDefault="true"))
                with published("DescribeVpcs"):
                    id_ = text(rows[0], "VpcId") if rows else ""
                yield Checked("network", "ok" if id_ else "warning", {"region": region, "id": id_})
        except CloudFault as fault:
            yield Checked("network", "unknown", {"region": region, "id": ""}, fault.words)

    def _given(self, region: str) -> Iterator[Checked]:
        for id_ in self._settings.subnets or ("subnets",):
            rows = self._api.numbered("vpc", region, "DescribeVSwitches", "VSwitches", "VSwitch", VSwitchId=id_)
            yield Checked("network", "ok" if any(True for _ in rows) else "missing", {"region": region, "id": id_})
        path = ("SecurityGroups", "SecurityGroup")
        for id_ in self._settings.groups or ("groups",):
            groups = self._api.rows("ecs", region, "DescribeSecurityGroups", *path, SecurityGroupId=id_)
            yield Checked("network", "ok" if any(True for _ in groups) else "missing", {"region": region, "id": id_})

    def _account(self, region: str) -> Iterator[Checked]:
        """Whether its owner's name was checked, and how many vCPUs it may have."""
        try:
            names = numbered("AttributeName", (*_QUOTAS, _NAMED))
            answer = self._api.ask("ecs", region, "DescribeAccountAttributes", RegionId=region, **names)
            with published("DescribeAccountAttributes"):
                rows = listed(answer, "AccountAttributeItems", "AccountAttributeItem")
                told = {text(row, "AttributeName"): _value(row) for row in rows}
        except CloudFault as fault:
            yield Checked("account", "unknown", {"region": region}, fault.words)
            return
        if told.get(_NAMED) == "none":
            yield Checked("account", "missing", {"region": region}, f"{_NAMED}: none")
        for name, purchase in _QUOTAS.items():
            yield _quota(region, name, purchase, told.get(name, ""))


def region_names(api: Api) -> tuple[str, ...]:
    """All regions of the cloud.

    Raises:
        CloudFault: ``auth``: none is listed, which is what the cloud answers to whom it lets see nothing.
    """
    answer = api.ask("ecs", HOME_REGION, "DescribeRegions")
    with published("DescribeRegions"):
        names = tuple(sorted(text(row, "RegionId") for row in listed(answer, "Regions", "Region")))
    if not names:
        raise CloudFault("auth", "ECS lists no regions: these credentials may not see them", sent="yes")
    return names


def _quota(region: str, name: str, purchase: str, has: str) -> Checked:
    facts = {"name": name, "purchase": purchase, "region": region, "has": has, "unit": "vCPU", "ask": _ASK}
    if not has.isdecimal():
        return Checked("quota", "unknown", facts)
    return Checked("quota", "ok" if int(has) else "missing", facts)


def _value(row: Any) -> str:
    items = listed(row, "AttributeValues", "ValueItem")
    return text(items[0], "Value") if items else ""
