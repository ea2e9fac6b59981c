"""Which of our kinds of fault an AWS error is. By its class and code; by words only where a code has two meanings.

Sources: EC2 API reference, "Error codes for the Amazon EC2 API", and the common errors of STS, SSM, Pricing and Service
Quotas; botocore 1.44 for the classes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from botocore import exceptions as aws

from tradewind.clouds.answers import Odd, answered_at, wait_s
from tradewind.ports.compute import CloudFault, FaultKind

_CODES: dict[FaultKind, str] = {
    "capacity": """
        InsufficientInstanceCapacity InsufficientCapacity InsufficientHostCapacity InsufficientReservedInstanceCapacity
        InsufficientFreeAddressesInSubnet InsufficientAddressCapacity InsufficientVolumeCapacity
        ReservationCapacityExceeded UnfulfillableCapacity Unsupported UnsupportedHostConfiguration
    """,  # Unsupported: the type is not to be had in that zone
    "quota": """
        MaxSpotInstanceCountExceeded MaxFleetCountExceeded MaxSpotFleetRequestCountExceeded PendingVerification
        MaxIOPSLimitExceeded SpotRequestCountLimitExceeded QuotaExceededException
    """,  # and whatever ends in LimitExceeded; PendingVerification: an account too young to rent
    "auth": """
        AccessDenied AccessDeniedException AuthFailure AuthFailure.ServiceLinkedRoleCreationNotPermitted Blocked
        ExpiredToken ExpiredTokenException IncompleteSignature InvalidAccessKeyId InvalidClientTokenId
        InvalidSignatureException MissingAuthenticationToken NotAuthorized OptInRequired SignatureDoesNotMatch
        UnauthorizedOperation UnrecognizedClientException
    """,
    "throttle": """
        BandwidthLimitExceeded EC2ThrottledException RequestLimitExceeded RequestThrottled RequestThrottledException
        SlowDown Throttling ThrottlingException ThrottledException TooManyRequestsException
    """,
    "price_cap": "SpotMaxPriceTooLow",
    "clock": "RequestExpired RequestInTheFuture RequestTimeTooSkewed",
    "conflict": """
        ConcurrentTagAccess DependencyViolation IdempotentParameterMismatch IdempotentInstanceTerminated
        IncorrectInstanceState IncorrectState IncorrectSpotRequestState InvalidIPAddress.InUse OperationNotPermitted
        Resource.AlreadyAssociated VolumeInUse InvalidNetworkInterface.InUse InvalidPermission.Duplicate
        InvalidGroup.Duplicate InvalidGroup.InUse RouteAlreadyExists
    """,
    "invalid": """
        ExpiredNextTokenException UnsupportedOperation UnsupportedInstanceAttribute UnsupportedTenancy UnknownParameter
        ValidationError ValidationException SpotInstancesNotSupported VPCIdNotSpecified DefaultVpcDoesNotExist
        EncryptedVolumesNotSupported MalformedQueryString
    """,  # and whatever begins with Invalid or Missing
    "not_found": "NoSuchResourceException ParameterNotFound",  # and whatever ends in NotFound
    "unavailable": """
        InternalError InternalErrorException InternalFailure InternalServerError ServiceUnavailable
        ServiceUnavailableException Unavailable
    """,
}  # fmt: skip
_KINDS = {code: kind for kind, codes in _CODES.items() for code in codes.split()}
_RULES: tuple[tuple[re.Pattern[str], FaultKind], ...] = (  # for codes that no row names; the first that fits
    (re.compile(r"NotFound(Exception)?$"), "not_found"),
    (re.compile(r"LimitExceeded$"), "quota"),
    (re.compile(r"^(Invalid|Missing)"), "invalid"),
)
_CLOCK_WORDS = ("Signature expired", "Signature not yet current")  # how JSON services word a wrong clock
_RIGHT_S = 120.0  # a clock that is off by less is not refused
_BLOB = re.compile(r"\s*Encoded authorization failure message: \S+")  # a kilobyte that only AWS can read

_NO_CREDENTIALS = (
    aws.NoCredentialsError, aws.PartialCredentialsError, aws.CredentialRetrievalError, aws.ProfileNotFound,
    aws.TokenRetrievalError, aws.SSOError, aws.NoAuthTokenError,
)  # fmt: skip
_OURS = (
    aws.ParamValidationError, aws.InvalidRegionError, aws.NoRegionError, aws.UnknownServiceError,
    aws.EndpointProviderError, aws.ConfigParseError, aws.InvalidConfigError, aws.InvalidProxiesConfigError,
)  # fmt: skip
_NEVER_SENT = (aws.EndpointConnectionError, aws.ConnectTimeoutError, aws.ProxyConnectionError, aws.SSLError)


def classify(error: Exception, now: datetime | None = None) -> CloudFault:
    """The fault that an error of the SDK means; one that is no answer of AWS's: it is not to be had just now.

    ``now`` is this computer's time: with it a fault of the clock says by how much.
    """
    if isinstance(error, aws.ClientError):
        return _refusal(error.response, now)
    if isinstance(error, _NO_CREDENTIALS):
        return CloudFault("auth", str(error), sent="no")
    if isinstance(error, _OURS):
        return CloudFault("invalid", str(error), sent="no")
    return CloudFault("unavailable", str(error), sent="no" if isinstance(error, _NEVER_SENT) else "maybe")


def kind_of(code: str, status: int) -> FaultKind:
    """The kind of an error code; one that nobody knows says nothing of what was done, whatever its status."""
    if code in _KINDS:
        return _KINDS[code]
    if status == 429:
        return "throttle"
    return next((kind for pattern, kind in _RULES if pattern.search(code)), "unavailable")


def answered(fault: CloudFault) -> datetime | None:
    """When AWS gave the answer that was this fault, by its own clock; None where there was no answer, or no date."""
    error = fault.__cause__
    if not isinstance(error, aws.ClientError):
        return None
    try:
        return answered_at(_headers(error.response))
    except Odd:
        return None


def _refusal(response: Any, now: datetime | None) -> CloudFault:
    told, meta = response.get("Error", {}), response.get("ResponseMetadata", {})
    code, words, status = told.get("Code", ""), _BLOB.sub("", told.get("Message", "")), meta.get("HTTPStatusCode", 0)
    if code == str(status):  # what the SDK calls a page of something that stands between
        return CloudFault("unavailable", f"{status}: a page that is no answer of AWS's", sent="maybe")
    kind, headers = kind_of(code, status), _headers(response)
    if kind == "auth" and words.startswith(_CLOCK_WORDS):
        kind = "clock"
    ahead_s = _ahead_s(headers, now) if kind == "clock" else None
    if ahead_s is not None and abs(ahead_s) < _RIGHT_S:
        kind = "auth"  # EC2 says of credentials that have expired what it says of a clock
    elif ahead_s is not None:
        words += f" (this computer's clock is {abs(ahead_s):.0f} s {'ahead of' if ahead_s > 0 else 'behind'} AWS's)"
    wait = wait_s(headers) if kind in ("throttle", "unavailable") else None
    return CloudFault(
        kind, f"{code}: {words}", sent="yes", retry_after_s=wait, code=code or None, request_id=meta.get("RequestId")
    )


def _headers(response: Any) -> Mapping[str, str]:
    headers: Mapping[str, str] = response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    return headers


def _ahead_s(headers: Mapping[str, str], now: datetime | None) -> float | None:
    """How far this computer's clock is ahead, by the date of the answer."""
    try:
        return (now - answered_at(headers)).total_seconds() if now else None
    except Odd:
        return None
