"""Which of our kinds of fault an Alibaba Cloud error is. By its code: throttling comes under HTTP 400 too."""

from __future__ import annotations

from typing import Any, Literal

from tradewind.ports.compute import CloudFault

Kind = Literal[
    "capacity", "quota", "auth", "throttle", "invalid", "price_cap", "money", "conflict", "not_found", "clock",
    "unavailable", "busy",
]  # fmt: skip
DRY_RUN = "DryRunOperation"  # what an allowed request is refused with that was not meant

# What a code begins with decides, the first line that fits. Sources: the operations' error tables (ECS 2014-05-26, VPC
# 2016-04-28, read 2026-11), and Alibaba's own list of codes after which another type or zone is worth a try.
_KINDS: tuple[tuple[str, Kind], ...] = (
    ("OperationDenied.NoStock", "capacity"),
    ("Zone.NotOnSale", "capacity"),
    ("InvalidResourceType.NotSupported", "capacity"),
    ("InstanceType.Offline", "capacity"),
    ("Invalid.Zone.NotEnoughResource", "capacity"),
    ("InsufficientCapacity", "capacity"),
    ("ResourceNotAvailable", "capacity"),
    ("InvalidInstanceType.ZoneNotSupported", "capacity"),
    ("NoAvaliableDedicatedHost", "capacity"),  # spelt so
    ("Invalid.PrivatePoolOptions.NoStock", "capacity"),
    ("QuotaExceeded.PrivateIpAddress", "capacity"),  # the VSwitch is full: another zone has another one
    ("QuotaExceed", "quota"),
    ("InstanceTypeCountLimitExceeded", "quota"),
    ("InvalidSpotPriceLimit.LowerThanPublicPrice", "price_cap"),
    ("OperationDenied.SpotPriceLowerThanPublicPrice", "price_cap"),
    ("InvalidAccountStatus", "money"),
    ("Account.Arrearage", "money"),
    ("InvalidPayMethod", "money"),
    ("InsufficientBalance", "money"),
    ("Throttling", "throttle"),
    ("InvalidTimeStamp", "clock"),
    ("IllegalTimestamp", "clock"),
    ("InvalidAccessKey", "auth"),
    ("InvalidSecurityToken", "auth"),
    ("InvalidSpotAuthorized", "auth"),
    ("InvalidSpotAliUid", "auth"),
    ("InvalidAccount.NotSupportSpot", "auth"),
    ("InvalidParameter.KMSKeyId.CMKUnauthorized", "auth"),
    ("MissingAccessKeyId", "auth"),
    ("MissingSecurityToken", "auth"),
    ("IncompleteSignature", "auth"),
    ("SignatureDoesNotMatch", "auth"),
    ("Forbidden", "auth"),
    ("NoPermission", "auth"),
    ("UnauthorizedOperation", "auth"),
    ("RealNameAuthentication", "auth"),
    ("IdempotentParameterMismatch", "conflict"),
    ("DependencyViolation", "conflict"),
    ("IdempotentProcessing", "unavailable"),  # the first of two sends is being worked on: nobody knows its end yet
    ("LastTokenProcessing", "unavailable"),
    ("SignatureNonceUsed", "unavailable"),
    ("ServiceUnavailable", "unavailable"),
    ("InternalError", "unavailable"),
    ("Incorrect", "busy"),  # a status in which this cannot be done yet: Initializing, Creating, Deleting …
    ("IncorretStatus", "busy"),  # spelt so
    ("InvalidOperation.InvalidEniState", "busy"),
    ("TaskConflict", "busy"),
    ("OperationConflict", "busy"),
    ("InvalidInstanceId.NotFound", "not_found"),
    ("InvalidDiskId.NotFound", "not_found"),
    ("InvalidEniId.NotFound", "not_found"),
    ("InvalidAllocationId.NotFound", "not_found"),
    ("Invalid", "invalid"),
    ("Missing", "invalid"),
    ("NumberExceed", "invalid"),
    ("OperationDenied", "invalid"),
    ("OperationUnsupported", "invalid"),
    ("UnsupportedParameter", "invalid"),
    ("PriceNotFound", "invalid"),
    ("DeletionProtection", "invalid"),
)


def classify(
    code: str | None, status: int | None, words: str, retry_after_ms: int | None = None, request_id: str | None = None
) -> CloudFault:
    """The fault that was answered. A code that is not known says nothing of what was done: it is ``unavailable``."""
    kind = next((kind for begin, kind in _KINDS if code and code.startswith(begin)), None)
    kind = kind or ("throttle" if status == 429 else "unavailable")
    wait = None if retry_after_ms is None else retry_after_ms / 1000
    return CloudFault(
        kind, f"{code or status}: {words}", sent="yes", retry_after_s=wait, code=code, request_id=request_id
    )


def is_absent(fault: CloudFault) -> bool:
    """Whether it says that the thing is not there: to whom wants it gone, that is success."""
    return ".NotFound" in (fault.code or "")


def is_gone(fault: CloudFault) -> bool:
    """The same of a thing that no list shows: who may only end what carries a tag may not end what is not there."""
    return is_absent(fault) or fault.kind == "auth"


def unanswered(action: str, error: Any) -> CloudFault:
    """The fault that no answer means, or half of one, or a gateway's page; ``error`` is the SDK's, of any request."""
    from alibabacloud_credentials.exceptions import CredentialException

    inner = error.inner_exception
    if isinstance(inner, CredentialException):
        return CloudFault("auth", f"no credentials: {inner}", sent="no")
    met = inner.__context__ or inner  # the SDK tells every way to fail alike; what it met hangs on its error
    return CloudFault("unavailable", f"{action}: {str(met)[:300]}", sent="no" if _never_sent(met) else "maybe")


def _never_sent(met: BaseException) -> bool:
    """Whether no connection came about."""
    from ssl import SSLCertVerificationError

    from requests import ConnectTimeout
    from urllib3.exceptions import ConnectTimeoutError, NewConnectionError, ProxyError, SSLError

    reason = getattr(met.args[0], "reason", None) if met.args else None
    if isinstance(met, ConnectTimeout) or isinstance(reason, NewConnectionError | ConnectTimeoutError | ProxyError):
        return True
    return isinstance(reason, SSLError) and isinstance(reason.args[0], SSLCertVerificationError)
