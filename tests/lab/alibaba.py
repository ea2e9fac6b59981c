"""Alibaba Cloud in the lab: how it speaks (RPC over HTTP, ACS3 signatures), and the account that a test has there."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl

from lab import (
    alibaba_gateways,
    alibaba_groups,
    alibaba_images,
    alibaba_launch,
    alibaba_machines,
    alibaba_network,
    alibaba_things,
)
from lab.alibaba_account import PLAYED, Account
from lab.alibaba_market import usual_market
from lab.alibaba_rights import deeds
from lab.alibaba_spec import check_answer, check_request, nested, service
from lab.control import Control
from lab.engine import Call, Engine, Refused, Told
from lab.estate import Things
from lab.fleet import Fleet, Rented
from lab.machines import Machines
from lab.market import Market
from lab.rights import allows
from lab.signatures import KEY_ID, SECRET, acs3
from lab.stub import Heard, Objection, Reply

_OPERATIONS = (  # importing them fills PLAYED
    alibaba_gateways, alibaba_groups, alibaba_images, alibaba_launch, alibaba_machines, alibaba_network, alibaba_things,
)  # fmt: skip
_SERVICES = ("ecs", "vpc", "sts", "quotas")
_SIGNED_FOR = timedelta(minutes=15)
# Whoever may not list these is told that there are none.
_EMPTY_WHEN_DENIED = {
    "ecs:DescribeInstances", "ecs:DescribeDisks", "ecs:DescribeNetworkInterfaces", "ecs:DescribeSecurityGroups",
    "ecs:DescribeImages",
}  # fmt: skip


_REFUSALS: Mapping[str, tuple[int, str, str]] = {
    "capacity": (403, "OperationDenied.NoStock", "The requested resource is sold out in the specified zone."),
    "quota": (403, "QuotaExceed.ElasticQuota", "The number of the specified ECS instances has exceeded the quota."),
    "money": (403, "InvalidAccountStatus.NotEnoughBalance", "Your account does not have enough balance."),
    "auth": (403, "Forbidden.RAM", "User not authorized to operate on the specified resource."),
    "throttle": (400, "Throttling.User", "Request was denied due to user flow control."),
    "price-cap": (400, "InvalidSpotPriceLimit.LowerThanPublicPrice", "The price limit is below the public price."),
    "error": (503, "ServiceUnavailable", "The request has failed due to a temporary failure of the server."),
    "conflict": (400, "IdempotentParameterMismatch", "The same ClientToken was used with other parameters."),
    "objection": (400, "InvalidParameter", "The request is not one that is described."),
}  # fmt: skip


class Dialect:
    """What it says, and how. ``tokens``: the security tokens that are good, until when."""

    cloud = "alibaba"
    refusals = _REFUSALS

    def __init__(self, account: Account, nobody: Account) -> None:
        self.tokens: dict[str, datetime] = {}
        self._account, self._nobody = account, nobody
        self._nonces: set[str] = set()
        self._answered = itertools.count(1)

    def verify(self, heard: Heard, now: datetime) -> None:
        told = heard.headers
        if "x-acs-action" not in told or "authorization" not in told:
            raise Refused(400, "MissingParameter", "The request is not signed.")
        if f"Credential={KEY_ID}," not in told["authorization"]:
            raise Refused(404, "InvalidAccessKeyId.NotFound", "Specified access key is not found.")
        if not acs3(heard):
            raise Refused(400, "SignatureDoesNotMatch", "Specified signature is not matched with our calculation.")
        if abs(now - datetime.fromisoformat(told["x-acs-date"])) > _SIGNED_FOR:
            raise Refused(400, "InvalidTimeStamp.Expired", "Specified time stamp or date value is expired.")
        if (nonce := told["x-acs-signature-nonce"]) in self._nonces:
            raise Refused(400, "SignatureNonceUsed", "The request signature nonce has been used.")
        self._nonces.add(nonce)
        token = told.get("x-acs-security-token")
        if token is not None and token not in self.tokens:
            raise Refused(400, "InvalidSecurityToken.Malformed", "The specified SecurityToken is malformed.")
        if token is not None and self.tokens[token] <= now:
            raise Refused(400, "InvalidSecurityToken.Expired", "The specified SecurityToken is expired.")

    def read(self, heard: Heard) -> Call:
        version, operation = heard.headers["x-acs-version"], heard.headers["x-acs-action"]
        name = service(version, operation)
        body = dict(parse_qsl(heard.body.decode(), keep_blank_values=True))
        check_request(version, operation, heard.query, body)
        asked = nested({**heard.query, **body})
        if f"{name}:{operation}" not in PLAYED:
            raise Objection(f"the lab does not play {name}:{operation}")
        zone = asked.get("ZoneId")
        if zone is None and (subnet := self._account.things.get("vsw", asked.get("VSwitchId"), "")):
            zone = subnet.told["ZoneId"]
        return Call(name, operation, asked.get("RegionId", ""), asked, asked.get("ClientToken"), zone)

    def perform(self, call: Call) -> Told:
        account = self._account
        if call.region and call.region not in account.market.zones:
            raise Refused(404, "InvalidRegionId.NotFound", "The specified RegionId does not exist.")
        if len(call.token or "") > 64 or not (call.token or "").isascii():
            raise Refused(400, "InvalidClientToken.ValueNotSupported", "The ClientToken is not valid.")
        if not self._may(call):
            if call.name not in _EMPTY_WHEN_DENIED or call.asked.get("DryRun") == "true":
                raise Refused(403, "Forbidden.RAM", "User not authorized to operate on the specified resource.")
            account = self._nobody
        told = PLAYED[call.name](account, call)
        return check_answer(call.service, call.operation, {**told, "RequestId": self._request_id()})

    def _may(self, call: Call) -> bool:
        policy = self._account.policy
        held = policy is None or all(allows(policy, deed) for deed in deeds(self._account, call))
        return held and call.name not in self._account.denied

    def encode(self, call: Call, told: Told) -> Reply:
        return Reply(body=json.dumps(told).encode())

    def refuse(self, heard: Heard, refused: Refused) -> Reply:
        body = {
            "Code": refused.code, "Message": refused.words, "RequestId": self._request_id(),
            "HostId": "ecs.aliyuncs.com",
        }  # fmt: skip
        waits = refused.retry_after_s
        headers = {} if waits is None else {"x-acs-retry-after": str(round(waits * 1000))}
        return Reply(refused.status, json.dumps(body).encode(), headers)

    def _request_id(self) -> str:
        return f"{next(self._answered):08X}-0F2B-4B6E-9C3D-7A51C0FFEE00"


class AlibabaCloud:
    """The whole of it, answering while it is entered.

    Attributes:
        account: what the account has, which a test may look at and change.
        dialect: how it speaks; ``tokens``.
        engine: ``calls`` that were understood, ``stub.log`` of all requests.
        environment: credentials, as the SDK's own chain looks for them.
    """

    def __init__(
        self, machines: Machines, control: Control, *, market: Market | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC), default_network: bool = True,
    ) -> None:  # fmt: skip
        def now() -> datetime:
            return clock() + timedelta(seconds=control.conditions("alibaba").clock_skew_s)

        def delay() -> timedelta:
            return timedelta(seconds=control.conditions("alibaba").state_delay_s)

        fleet = Fleet("alibaba", machines, control, now, self._ended)
        self.account = Account(market or usual_market(), Things(now), fleet, now, delay)
        nobodys = Fleet("alibaba", machines, Control(), now, self._ended)
        self.dialect = Dialect(self.account, replace(self.account, things=Things(now), fleet=nobodys))
        self.engine = Engine(self.dialect, fleet, control, clock)
        self.environment = {"ALIBABA_CLOUD_ACCESS_KEY_ID": KEY_ID, "ALIBABA_CLOUD_ACCESS_KEY_SECRET": SECRET}
        if default_network:
            for region in self.account.market.zones:
                alibaba_network.make_default(self.account, region)

    @property
    def endpoints(self) -> dict[str, str]:
        """Where each service answers."""
        return dict.fromkeys(_SERVICES, self.engine.stub.url)

    def asked(self, *names: str) -> list[Call]:
        """The calls of these operations, ``ecs:RunInstances``, in order; of none named: all."""
        return [each for each in self.engine.calls if not names or each.name in names]

    def _ended(self, rented: Rented) -> None:
        alibaba_things.let_go(self.account, rented)

    def __enter__(self) -> Self:
        self.engine.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.engine.__exit__(kind, error, trace)


def rights(calls: Iterable[Call]) -> set[str]:
    """The rights that these calls needed."""
    return {each.name for each in calls}
