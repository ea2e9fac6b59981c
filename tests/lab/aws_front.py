"""AWS as the lab plays it: moto, behind what it lacks. Entered, it answers at ``url`` for all services and regions.

    heard ─▶ signature and clock (aws_model) ─▶ botocore's model ─▶ fault? ─▶ ClientToken ─▶ played here, or by moto

It is a dialect of the lab's engine. Machines are in the fleet; of what else there is, moto keeps the account.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from lab import aws_instances, aws_launch, aws_model, aws_rights
from lab.aws_account import PLAYED, REGIONS, Account
from lab.aws_moto import Moto
from lab.control import Control
from lab.engine import Call, Engine, Refused, Told
from lab.fleet import Fleet
from lab.machines import Machines
from lab.rights import allows
from lab.stub import Heard, Objection, Reply

# What moto plays well enough; anything else is an objection, so that nobody relies on what was never looked at.
_MOTO = {
    f"ec2:{verb}{thing}" for verb, things in {
        "Describe": (
            "AvailabilityZones InstanceTypes InstanceTypeOfferings Volumes NetworkInterfaces Addresses Vpcs Subnets "
            "Tags SecurityGroups SecurityGroupRules InternetGateways RouteTables NatGateways"
        ),
        "Create": (
            "Vpc Subnet InternetGateway RouteTable Route NatGateway SecurityGroup Tags Volume NetworkInterface"
        ),
        "Delete": "Vpc Subnet InternetGateway RouteTable Route NatGateway SecurityGroup Volume NetworkInterface",
        "Modify": "SubnetAttribute VpcAttribute", "Attach": "InternetGateway", "Detach": "InternetGateway",
        "Associate": "RouteTable", "Disassociate": "RouteTable", "Allocate": "Address", "Release": "Address",
        "Authorize": "SecurityGroupIngress SecurityGroupEgress", "Revoke": "SecurityGroupIngress SecurityGroupEgress",
    }.items() for thing in things.split()
}  # fmt: skip
_REFUSALS: Mapping[str, tuple[int, str, str]] = {
    "capacity": (500, "InsufficientInstanceCapacity", "We currently do not have sufficient capacity in the zone."),
    "quota": (400, "VcpuLimitExceeded", "You have requested more vCPU capacity than your current vCPU limit allows."),
    "money": (400, "Blocked", "This account is currently blocked and not recognized as a valid account."),
    "auth": (403, "UnauthorizedOperation", "You are not authorized to perform this operation."),
    "throttle": (503, "RequestLimitExceeded", "Request limit exceeded."),
    "price-cap": (400, "SpotMaxPriceTooLow", "Your Spot request price is lower than the minimum required."),
    "error": (500, "InternalError", "An internal error has occurred"),
    "conflict": (400, "IdempotentParameterMismatch", "Arguments on this idempotent request are inconsistent."),
    "objection": (400, "InvalidParameterValue", ""),
}  # fmt: skip
_SCOPE = re.compile(r"Credential=([^/]*)/\d+/([\w-]+)/([\w-]+)/aws4_request")
_EXPIRED = "expired"  # a session token that was good once
_SERVICES = {"servicequotas": "service-quotas"}  # names in signatures that are not the SDK's


class _Dialect:
    """How AWS speaks: a query or JSON to ``/``, an answer in XML or JSON, one signature for all."""

    cloud = "aws"
    refusals = _REFUSALS
    account: Account

    def verify(self, heard: Heard, now: datetime) -> None:
        """Refused with the words of the service that was asked."""
        _, service = _scope(heard)
        if heard.headers.get("x-amz-security-token") == _EXPIRED:
            code = "RequestExpired" if service == "ec2" else "ExpiredToken"
            raise Refused(
                400 if service == "ec2" else 403, code, "The security token included in the request is expired"
            )
        fault = aws_model.check_signature(heard, now)
        if fault == "skew":
            raise _skewed(service, now)
        if fault is not None:
            raise _unknown_credentials(service, heard)

    def read(self, heard: Heard) -> Call:
        """Objection where botocore's model does not allow it."""
        service, operation, asked = aws_model.read(heard)
        region, _ = _scope(heard)
        call = Call(service, operation, region, asked, token=asked.get("ClientToken"))
        if operation == "RunInstances":
            return Call(service, operation, region, asked, call.token, aws_launch.zone_of(self.account, call))
        return call

    def perform(self, call: Call) -> Told:
        """By what is played here, else by moto."""
        self._check_rights(call)
        if call.asked.get("DryRun"):
            raise Refused(412, "DryRunOperation", "Request would have succeeded, but DryRun flag is set.")
        if play := PLAYED.get(call.name):
            return play(self.account, call)
        if call.name not in _MOTO:
            raise Objection(f"{call.name} is not played here")
        asked = {name: value for name, value in call.asked.items() if name != "DryRun"}
        return self.account.moto.ask(call.region, call.operation, **asked)

    def _check_rights(self, call: Call) -> None:
        if (call.service != "sts" and call.region not in REGIONS) or call.region in self.account.disabled:
            raise Refused(401, "AuthFailure", "AWS was not able to validate the provided access credentials")
        policy = self.account.policy
        if call.name in self.account.denied or (
            policy is not None and not all(allows(policy, deed) for deed in aws_rights.deeds(self.account, call))
        ):
            words = "You are not authorized to perform this operation."
            if call.service == "ec2":
                raise Refused(403, "UnauthorizedOperation", words)
            raise Refused(403 if call.service == "sts" else 400, "AccessDeniedException", words)

    def encode(self, call: Call, told: Told) -> Reply:
        """An answer as bytes."""
        return aws_model.written(call.service, call.operation, told)

    def refuse(self, heard: Heard, refused: Refused) -> Reply:
        """A refusal as bytes."""
        wait = {} if refused.retry_after_s is None else {"Retry-After": f"{refused.retry_after_s:g}"}
        service = _scope(heard)[1]
        return aws_model.refused(service, refused.code, refused.words, refused.status, **wait)


def _scope(heard: Heard) -> tuple[str, str]:
    """Region and service that a request was signed for; EC2 and the first region where it was not signed at all."""
    found = _SCOPE.search(heard.headers.get("authorization", ""))
    if found is None:
        return REGIONS[0], "ec2"
    service = _SERVICES.get(found[3], found[3])
    return found[2], service if service in (*aws_model.QUERY_SERVICES, *aws_model.JSON_SERVICES) else "ec2"


def _skewed(service: str, now: datetime) -> Refused:
    words = f"Signature expired: it is now {now:%Y%m%dT%H%M%SZ}"
    codes = {"ec2": (400, "RequestExpired"), "sts": (403, "SignatureDoesNotMatch")}
    status, code = codes.get(service, (400, "InvalidSignatureException"))
    return Refused(status, code, words)


def _unknown_credentials(service: str, heard: Heard) -> Refused:
    if service == "ec2":
        return Refused(401, "AuthFailure", "AWS was not able to validate the provided access credentials")
    found = _SCOPE.search(heard.headers.get("authorization", ""))
    if found and found[1] == aws_model.CREDENTIALS.access_key:
        words = "The request signature we calculated does not match the signature you provided."
        return Refused(403, "SignatureDoesNotMatch" if service == "sts" else "InvalidSignatureException", words)
    words = "The security token included in the request is invalid."
    return Refused(403, "InvalidClientTokenId" if service == "sts" else "UnrecognizedClientException", words)


class AwsFront:
    """The AWS of a lab.

    Attributes:
        account: what it may do, what there is, what it costs; tests change it.
        machines, control: where its machines are, and what goes wrong.
        endpoints: URLs by service; ``environment``: credentials and what keeps the SDK from asking elsewhere.
    """

    def __init__(
        self, machines: Machines, control: Control, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        dialect = _Dialect()
        self.machines, self.control = machines, control
        fleet = Fleet("aws", machines, control, self._now, lambda rented: aws_instances.ended(self.account, rented))
        self.engine = Engine(dialect, fleet, control, clock)
        self.account = dialect.account = Account(Moto(), fleet, self._now)
        self.url = self.engine.stub.url
        services = ("ec2", "sts", "ssm", "pricing", "service-quotas")
        self.endpoints: dict[str, str] = dict.fromkeys(services, self.url)
        self.environment: dict[str, str] = {
            "AWS_ACCESS_KEY_ID": aws_model.CREDENTIALS.access_key, "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_SECRET_ACCESS_KEY": aws_model.CREDENTIALS.secret_key, "AWS_DEFAULT_REGION": REGIONS[0],
        }  # fmt: skip

    def _now(self) -> datetime:
        return self.engine.stub.now()

    def __enter__(self) -> Self:
        self.engine.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.engine.__exit__(kind, fault, at)
