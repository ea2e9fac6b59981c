"""What an account lets one do in a region, found out without renting: who one is, the clock, rights, network, quotas.

Source: Service Quotas console for the codes of quotas.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

from tradewind.clouds.answers import answered_at, filled, listed, pick, published, text
from tradewind.clouds.aws import rights
from tradewind.clouds.aws.building import default_vpc
from tradewind.clouds.aws.client import Api
from tradewind.clouds.aws.images import Images
from tradewind.clouds.aws.tables import PRICE_LIST_AT
from tradewind.ports.clock import Clock
from tradewind.ports.cloud import Checked, CloudSettings, Verdict
from tradewind.ports.compute import CloudFault

_AT_ONCE = 8
_NOTICED_S, _REFUSED_S = 60, 300  # a clock that is off: worth a word, refused by signatures
QUOTAS = (  # family, purchase, code; each counts vCPUs
    ("P", "on_demand", "L-417A185B"), ("G and VT", "on_demand", "L-DB2E81BA"),
    ("P", "spot", "L-7212CCBC"), ("G and VT", "spot", "L-3819A6DF"),
)  # fmt: skip
_CONSOLES = {
    "aws": "console.aws.amazon.com", "aws-cn": "console.amazonaws.cn", "aws-us-gov": "console.amazonaws-us-gov.com",
}  # fmt: skip
_HEADERS = ("ResponseMetadata", "HTTPHeaders")


class Checking:
    """Checks one account, region by region; ``how`` says where its credentials were found."""

    def __init__(self, api: Api, owner: str, settings: CloudSettings, clock: Clock, how: str | None) -> None:
        self._api = api
        self._owner = owner
        self._settings = settings
        self._clock = clock
        self._how = how

    def check(self, region: str) -> tuple[Checked, ...]:
        """All of it, as far as the account answers at all."""
        try:
            answer = self._api.ask("sts", self._api.home, "get_caller_identity")
            with published("GetCallerIdentity"):
                facts = {"account": text(answer, "Account"), "who": text(answer, "Arn"), "how": self._how or ""}
                seconds = (self._clock.now() - answered_at(pick(answer, *_HEADERS))).total_seconds()
        except CloudFault as fault:
            return tuple(self._nobody(fault))
        known = (Checked("identity", "ok", facts), _clock(seconds), self._region(region))
        if known[-1].verdict == "missing":
            return known  # a region that is not turned on knows no credentials
        return *known, *self._network(region), *self._rights(region), *self._quotas(region)

    def _nobody(self, fault: CloudFault) -> Iterator[Checked]:
        """Without an identity nothing else can be asked; but the refusal may say what the clock is worth."""
        from tradewind.clouds.aws.faults import answered  # late: it knows the SDK

        verdict: Verdict = "missing" if fault.kind in ("auth", "clock", "invalid") else "unknown"
        yield Checked("identity", verdict, {"account": "", "who": "", "how": self._how or ""}, fault.words)
        at = answered(fault)
        if at is not None:
            yield _clock((self._clock.now() - at).total_seconds())

    def _region(self, region: str) -> Checked:
        facts = {"region": region}
        try:
            answer = self._api.ask("ec2", self._api.home, "describe_regions", RegionNames=[region], AllRegions=True)
            with published("DescribeRegions"):
                (told, *_) = filled(listed(answer, "Regions"), None)
                status = text(told, "OptInStatus")
        except CloudFault as fault:
            return Checked("region", "missing" if fault.kind == "invalid" else "unknown", facts, fault.words)
        return Checked("region", "missing" if status == "not-opted-in" else "ok", facts, status)

    def _network(self, region: str) -> Iterator[Checked]:
        """What machines would be in: the account's own, the one that the settings name, or one that will be made."""
        try:
            if self._settings.network == "given":
                yield from self._given(region)
            elif self._settings.network == "default":
                own = default_vpc(self._api, region)
                yield Checked("network", "ok" if own else "warning", {"region": region, "id": own or ""})
        except CloudFault as fault:
            yield Checked("network", "unknown", {"region": region, "id": ""}, fault.words)

    def _given(self, region: str) -> Iterator[Checked]:
        for ids, look, rows, id_, named in (
            (self._settings.subnets, "describe_subnets", "Subnets", "SubnetId", "subnet-id"),
            (self._settings.groups, "describe_security_groups", "SecurityGroups", "GroupId", "group-id"),
        ):
            asked = [{"Name": named, "Values": list(ids)}]
            there = {each[id_] for each in self._api.rows(region, look, rows, Filters=asked)} if ids else set()
            for each in ids:
                yield Checked("network", "ok" if each in there else "missing", {"region": region, "id": each})
            if not ids:
                yield Checked("network", "missing", {"region": region, "id": named})

    def _rights(self, region: str) -> Iterator[Checked]:
        """In the order of the table, asked side by side; what the account itself lacks is told once."""
        image, named = self._image(region)
        lacking: dict[str | None, Checked] = {}
        with ThreadPoolExecutor(_AT_ONCE, "dry-run") as threads:
            for told in (
                named,
                *threads.map(lambda trial: self._try(region, trial), rights.trials(self._owner, image)),
            ):
                if told.code == "account":
                    lacking.setdefault(told.words, told)
                else:
                    yield told
        yield from lacking.values()
        yield self._price_list(region)

    def _image(self, region: str) -> tuple[str | None, Checked]:
        """The image that a small machine would boot, and the right to learn of it."""
        facts = {"action": "ssm:GetParameter", "region": region}
        try:
            image = Images(self._api, region, self._clock).official(rights.SMALL)
        except CloudFault as fault:
            return None, rights.refused(fault, facts)
        return image.id, Checked("right", "ok", facts)

    def _price_list(self, region: str) -> Checked:
        facts = {"action": "pricing:GetProducts", "region": region}
        try:
            at = PRICE_LIST_AT[self._api.partition]
            self._api.ask("pricing", at, "get_products", ServiceCode="AmazonEC2", MaxResults=1)
        except CloudFault as fault:
            return rights.refused(fault, facts)
        return Checked("right", "ok", facts)

    def _try(self, region: str, trial: rights.Trial) -> Checked:
        try:
            self._api.ask("ec2", region, trial.operation, DryRun=True, **trial.asked)
        except CloudFault as fault:
            return rights.judged(fault, trial, region)
        return rights.judged(None, trial, region)

    def _quotas(self, region: str) -> Iterator[Checked]:
        host = _CONSOLES.get(self._api.partition, _CONSOLES["aws"])
        for family, purchase, code in QUOTAS:
            facts = {
                "name": family, "purchase": purchase, "region": region, "has": "", "unit": "vCPU",
                "ask": f"https://{region}.{host}/servicequotas/home/services/ec2/quotas/{code}",
            }  # fmt: skip
            try:
                answer = self._api.ask(
                    "service-quotas", region, "get_service_quota", ServiceCode="ec2", QuotaCode=code
                )  # fmt: skip
                with published("GetServiceQuota"):
                    has = Decimal(str(pick(answer, "Quota", "Value")))
            except CloudFault as fault:
                yield Checked("quota", "unknown", facts, fault.words)
                continue
            yield Checked("quota", "ok" if has else "missing", facts | {"has": f"{has.normalize():f}"})


def _clock(ahead_s: float) -> Checked:
    """How far this computer's clock is ahead of AWS's; an answer's date has whole seconds."""
    off = abs(ahead_s)
    verdict: Verdict = "missing" if off > _REFUSED_S else "warning" if off > _NOTICED_S else "ok"
    return Checked("clock", verdict, {"seconds": f"{ahead_s:.0f}"})
