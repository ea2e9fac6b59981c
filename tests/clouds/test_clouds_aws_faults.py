"""Errors of AWS, told apart by code and class: what a lease may conclude from each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from botocore import exceptions as sdk
from botocore.parsers import ResponseParserError

from tradewind.clouds.aws.faults import classify

NOW = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)


def refusal(code: str, status: int = 400, words: str = "for a test", **headers: str) -> sdk.ClientError:
    """An error as the SDK raises it for an answer."""
    meta = {"HTTPStatusCode": status, "RequestId": "req-1", "HTTPHeaders": headers}
    return sdk.ClientError({"Error": {"Code": code, "Message": words}, "ResponseMetadata": meta}, "RunInstances")


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("InsufficientInstanceCapacity", 500, "capacity"),
        ("InsufficientHostCapacity", 500, "capacity"),
        ("InsufficientReservedInstanceCapacity", 500, "capacity"),
        ("InsufficientCapacity", 500, "capacity"),
        ("InsufficientFreeAddressesInSubnet", 400, "capacity"),
        ("UnfulfillableCapacity", 500, "capacity"),
        ("ReservationCapacityExceeded", 400, "capacity"),
        ("Unsupported", 400, "capacity"),
        ("VcpuLimitExceeded", 400, "quota"),
        ("InstanceLimitExceeded", 400, "quota"),
        ("MaxSpotInstanceCountExceeded", 400, "quota"),
        ("SpotFleetTargetCapacityLimitExceeded", 400, "quota"),
        ("MaxFleetCountExceeded", 400, "quota"),
        ("VolumeLimitExceeded", 400, "quota"),
        ("AddressLimitExceeded", 400, "quota"),
        ("VpcLimitExceeded", 400, "quota"),
        ("PendingVerification", 400, "quota"),
        ("SpotMaxPriceTooLow", 400, "price_cap"),
        ("AuthFailure", 401, "auth"),
        ("AuthFailure.ServiceLinkedRoleCreationNotPermitted", 403, "auth"),
        ("UnauthorizedOperation", 403, "auth"),
        ("ExpiredToken", 403, "auth"),
        ("InvalidClientTokenId", 403, "auth"),
        ("OptInRequired", 401, "auth"),
        ("Blocked", 400, "auth"),
        ("RequestExpired", 400, "clock"),
        ("RequestLimitExceeded", 503, "throttle"),
        ("Throttling", 400, "throttle"),
        ("EC2ThrottledException", 400, "throttle"),
        ("SomethingNew", 429, "throttle"),
        ("InvalidAMIID.Malformed", 400, "invalid"),
        ("InvalidParameterCombination", 400, "invalid"),
        ("MissingParameter", 400, "invalid"),
        ("UnsupportedOperation", 400, "invalid"),
        ("VPCIdNotSpecified", 400, "invalid"),
        ("InvalidInstanceID.NotFound", 400, "not_found"),
        ("InvalidVolume.NotFound", 400, "not_found"),
        ("ParameterNotFound", 400, "not_found"),
        ("IdempotentParameterMismatch", 400, "conflict"),
        ("IncorrectInstanceState", 400, "conflict"),
        ("OperationNotPermitted", 400, "conflict"),
        ("DependencyViolation", 400, "conflict"),
        ("InternalError", 500, "unavailable"),
        ("ServiceUnavailable", 503, "unavailable"),
        ("Unavailable", 503, "unavailable"),
    ],
)
def test_a_code_means_its_kind_whatever_its_status(code: str, status: int, kind: str) -> None:
    fault = classify(refusal(code, status))
    assert (fault.kind, fault.sent, fault.code, fault.request_id) == (kind, "yes", code, "req-1")
    assert fault.words == f"{code}: for a test"


@pytest.mark.parametrize("status", [400, 403, 500])
def test_a_code_that_nobody_knows_says_nothing_of_what_was_done(status: int) -> None:
    fault = classify(refusal("CapacityOfSorts", status, "Insufficient capacity, quota and money."))
    assert (fault.kind, fault.words) == (
        "unavailable",
        "CapacityOfSorts: Insufficient capacity, quota and money.",
    )


def test_a_page_of_something_between_is_no_answer() -> None:
    fault = classify(refusal("502", 502, "Bad Gateway"))
    assert (fault.kind, fault.sent, fault.words) == ("unavailable", "maybe", "502: a page that is no answer of AWS's")


def test_the_part_that_only_aws_can_read_is_left_out() -> None:
    words = (
        "You are not authorized to perform: ec2:RunInstances. Encoded authorization failure message: "
        + "AbC-d_" * 200
        + " Ask."
    )
    assert classify(refusal("UnauthorizedOperation", 403, words)).words == (
        "UnauthorizedOperation: You are not authorized to perform: ec2:RunInstances. Ask."
    )


@pytest.mark.parametrize(("ahead_s", "told"), [(1200, "1200 s ahead of"), (-3600, "3600 s behind")])
def test_a_clock_that_is_off_says_by_how_much(ahead_s: int, told: str) -> None:
    date = format_datetime(NOW - timedelta(seconds=ahead_s), usegmt=True)
    for error in (
        refusal("RequestExpired", 400, "Request has expired.", date=date),
        refusal("InvalidSignatureException", 400, "Signature expired: it is too old", date=date),
    ):
        fault = classify(error, NOW)
        assert fault.kind == "clock"
        assert fault.words.endswith(f"(this computer's clock is {told} AWS's)")


def test_expired_credentials_are_no_fault_of_a_clock_that_is_right() -> None:
    error = refusal("RequestExpired", 400, "Request has expired.", date=format_datetime(NOW, usegmt=True))
    assert classify(error, NOW).kind == "auth"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "Sat, 21 Nov 2026 08:00:40 GMT", "date": "Sat, 21 Nov 2026 08:00:00 GMT"}, 40.0),
        ({}, None),
    ],
)
def test_a_wait_is_told_in_seconds_or_as_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert classify(refusal("RequestLimitExceeded", 503, **headers)).retry_after_s == seconds


def of(kind: type[Exception], **facts: Any) -> Exception:
    return kind(**facts)


_URL = {"endpoint_url": "http://127.0.0.1:1"}


@pytest.mark.parametrize(
    ("error", "kind", "sent"),
    [
        (of(sdk.EndpointConnectionError, **_URL, error="refused"), "unavailable", "no"),
        (of(sdk.ConnectTimeoutError, **_URL), "unavailable", "no"),
        (of(sdk.ProxyConnectionError, proxy_url="http://127.0.0.1:1"), "unavailable", "no"),
        (of(sdk.ReadTimeoutError, **_URL), "unavailable", "maybe"),
        (of(sdk.ConnectionClosedError, **_URL), "unavailable", "maybe"),
        (of(sdk.IncompleteReadError, actual_bytes=1, expected_bytes=2), "unavailable", "maybe"),
        (ResponseParserError("no XML"), "unavailable", "maybe"),
        (of(sdk.NoCredentialsError), "auth", "no"),
        (of(sdk.PartialCredentialsError, provider="env", cred_var="AWS_SECRET_ACCESS_KEY"), "auth", "no"),
        (of(sdk.ProfileNotFound, profile="nope"), "auth", "no"),
        (of(sdk.ParamValidationError, report="no such parameter"), "invalid", "no"),
        (of(sdk.InvalidRegionError, region_name="us east"), "invalid", "no"),
    ],
)
def test_without_an_answer_it_is_known_or_not_whether_it_was_sent(error: Exception, kind: str, sent: str) -> None:
    fault = classify(error)
    assert (fault.kind, fault.sent, fault.code) == (kind, sent, None)
