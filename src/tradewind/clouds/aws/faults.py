"""Which of our kinds of fault an AWS error is. By its class and code; by words only where a code has two meanings."""

from __future__ import annotations

from typing import Any, Literal

from botocore import exceptions as aws

from tradewind.clouds.answers import wait_s
from tradewind.ports.compute import CloudFault

_Kind = Literal["auth", "throttle", "invalid", "clock", "unavailable"]

_KINDS: dict[str, _Kind] = {
    "AccessDeniedException": "auth", "AuthFailure": "auth", "ExpiredToken": "auth", "ExpiredTokenException": "auth",
    "IncompleteSignature": "auth", "InvalidClientTokenId": "auth", "InvalidSignatureException": "auth",
    "MissingAuthenticationToken": "auth", "OptInRequired": "auth", "PendingVerification": "auth",
    "SignatureDoesNotMatch": "auth", "UnauthorizedOperation": "auth", "UnrecognizedClientException": "auth",
    "EC2ThrottledException": "throttle", "RequestLimitExceeded": "throttle", "Throttling": "throttle",
    "ThrottlingException": "throttle", "TooManyRequestsException": "throttle",
    "RequestExpired": "clock", "RequestInTheFuture": "clock", "RequestTimeTooSkewed": "clock",
    "InternalError": "unavailable", "InternalErrorException": "unavailable", "InternalFailure": "unavailable",
    "ServiceUnavailable": "unavailable", "Unavailable": "unavailable",
}  # fmt: skip
_CLOCK_WORDS = ("Signature expired", "Signature not yet current")  # how JSON services word a wrong clock

_NO_CREDENTIALS = (
    aws.NoCredentialsError, aws.PartialCredentialsError, aws.CredentialRetrievalError, aws.ProfileNotFound,
    aws.TokenRetrievalError, aws.SSOError, aws.NoAuthTokenError,
)  # fmt: skip
_NEVER_SENT = (aws.EndpointConnectionError, aws.ConnectTimeoutError, aws.ProxyConnectionError, aws.SSLError)


def classify(error: Exception) -> CloudFault:
    """The fault that an error of the SDK means; one that is no answer of AWS's: it is not to be had just now."""
    if isinstance(error, aws.ClientError):
        return _refusal(error.response)
    if isinstance(error, _NO_CREDENTIALS):
        return CloudFault("auth", str(error), sent="no")
    return CloudFault("unavailable", str(error), sent="no" if isinstance(error, _NEVER_SENT) else "maybe")


def _refusal(response: Any) -> CloudFault:
    told, meta = response.get("Error", {}), response.get("ResponseMetadata", {})
    code, words, status = told.get("Code", ""), told.get("Message", ""), meta.get("HTTPStatusCode", 0)
    kind = _KINDS.get(code) or ("throttle" if status == 429 else "unavailable" if status >= 500 else "invalid")
    if kind == "auth" and words.startswith(_CLOCK_WORDS):
        kind = "clock"
    wait = wait_s(meta.get("HTTPHeaders", {})) if kind in ("throttle", "unavailable") else None
    return CloudFault(kind, f"{code}: {words}", sent="yes", retry_after_s=wait)
