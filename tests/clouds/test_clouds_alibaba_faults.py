"""Errors of Alibaba Cloud, told apart by code: what a lease may conclude from each, and from no answer at all."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from alibaba_ground import BEIJING, OWNER, Ground, WallClock, alibaba, alone, furnished
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from lab.control import Fault, Kind
from lab.signatures import SECRET, sign_in
from lab.stub import Fault as Met
from lab.stub import Reply, Stub, cut_off, gateway_page, replying

from tradewind.clouds.alibaba.client import Api
from tradewind.clouds.alibaba.compute import AlibabaCloud
from tradewind.clouds.alibaba.faults import classify, is_absent
from tradewind.ports.cloud import CloudSettings
from tradewind.ports.compute import CloudFault

# (HTTP status, code) → kind
CODES = {
    (403, "OperationDenied.NoStock"): "capacity",
    (403, "Zone.NotOnSale"): "capacity",
    (403, "InvalidResourceType.NotSupported"): "capacity",
    (403, "InstanceType.Offline"): "capacity",
    (403, "Invalid.Zone.NotEnoughResource"): "capacity",
    (403, "InsufficientCapacity"): "capacity",
    (403, "ResourceNotAvailable"): "capacity",
    (403, "InvalidInstanceType.ZoneNotSupported"): "capacity",
    (403, "NoAvaliableDedicatedHost"): "capacity",
    (403, "Invalid.PrivatePoolOptions.NoStock"): "capacity",
    (403, "QuotaExceeded.PrivateIpAddress"): "capacity",
    (403, "QuotaExceed.ElasticQuota"): "quota",
    (403, "QuotaExceed.AfterpayInstance"): "quota",
    (403, "QuotaExceeded.Vpc"): "quota",
    (403, "InstanceTypeCountLimitExceeded"): "quota",
    (403, "InvalidAccountStatus.NotEnoughBalance"): "money",
    (403, "Account.Arrearage"): "money",
    (403, "InvalidPayMethod"): "money",
    (400, "InvalidSpotPriceLimit.LowerThanPublicPrice"): "price_cap",
    (403, "OperationDenied.SpotPriceLowerThanPublicPrice"): "price_cap",
    (400, "InvalidSpotPriceLimit"): "invalid",
    (400, "InvalidSpotParam.EmptyZoneID"): "invalid",
    (403, "InvalidSpotAuthorized"): "auth",
    (403, "InvalidSpotAliUid"): "auth",
    (403, "InvalidAccount.NotSupportSpot"): "auth",
    (400, "InvalidSpotPrepaid"): "invalid",
    (400, "InvalidUserData.SizeExceeded"): "invalid",
    (400, "InvalidClientToken.ValueNotSupported"): "invalid",
    (400, "InvalidParameter.Encrypted.KmsNotEnabled"): "invalid",
    (400, "InvalidParameter.KMSKeyId.CMKUnauthorized"): "auth",
    (400, "NumberExceed.Tags"): "invalid",
    (400, "InvalidAutoReleaseTime.Malformed"): "invalid",
    (401, "InvalidRamRole.NotEcsRole"): "invalid",
    (404, "InvalidImageId.NotFound"): "invalid",
    (404, "InvalidAccessKeyId.NotFound"): "auth",
    (400, "SignatureDoesNotMatch"): "auth",
    (403, "Forbidden.RAM"): "auth",
    (403, "NoPermission"): "auth",
    (400, "InvalidSecurityToken.Expired"): "auth",
    (403, "RealNameAuthenticationError"): "auth",
    (400, "InvalidTimeStamp.Expired"): "clock",
    (400, "Throttling"): "throttle",
    (400, "Throttling.User"): "throttle",
    (400, "Throttling.Api"): "throttle",
    (429, "TooManyRequests"): "throttle",
    (400, "IdempotentParameterMismatch"): "conflict",
    (403, "DependencyViolation.VSwitch"): "conflict",
    (403, "IdempotentProcessing"): "unavailable",
    (400, "LastTokenProcessing"): "unavailable",
    (400, "SignatureNonceUsed"): "unavailable",
    (503, "ServiceUnavailable"): "unavailable",
    (500, "InternalError"): "unavailable",
    (403, "IncorrectInstanceStatus.Initializing"): "busy",
    (403, "IncorrectInstanceStatus"): "busy",
    (400, "IncorrectVpcStatus"): "busy",
    (403, "InvalidOperation.InvalidEniState"): "busy",
    (404, "InvalidInstanceId.NotFound"): "not_found",
    (403, "InvalidOperation.DeletionProtection"): "invalid",
    (403, "OperationDenied"): "invalid",
    (403, "SomethingNobodyHasHeardOf"): "unavailable",
    (400, None): "unavailable",
}


@pytest.fixture
def ground(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Ground]:
    with alibaba(monkeypatch, tmp_path) as made:
        yield made


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Stub]:
    alone(monkeypatch, tmp_path)
    sign_in("alibaba", monkeypatch)
    with Stub(lambda _: Reply(body=b"{}")) as running:
        yield running


def selfsigned(path: Path) -> Path:
    """A key and a certificate for 127.0.0.1 that no authority signed."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    day = datetime(2020, 1, 1, tzinfo=UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), day, day.replace(2040))
    named = x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))])
    made = builder.add_extension(named, critical=False).sign(key, hashes.SHA256())
    plain = serialization.NoEncryption()
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    path.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return path


def at(url: str) -> AlibabaCloud:
    clock = WallClock()
    return AlibabaCloud(Api({"ecs": url}, clock.now), BEIJING, OWNER, CloudSettings(), clock)


def launched(url: str) -> CloudFault:
    with pytest.raises(CloudFault) as met:
        at(url).launch(furnished())
    return met.value


@pytest.mark.parametrize(("told", "kind"), CODES.items(), ids=[str(code) for _, code in CODES])
def test_a_refusal_is_of_the_kind_that_its_code_says(told: tuple[int, str | None], kind: str) -> None:
    status, code = told
    fault = classify(code, status, "Why not.", 2500, "R-1")
    assert (fault.kind, fault.sent, fault.code, fault.request_id) == (kind, "yes", code, "R-1")
    assert "Why not." in fault.words
    assert fault.retry_after_s == 2.5


def test_what_is_not_there_is_told_by_many_codes() -> None:
    gone = ("InvalidInstanceId.NotFound", "InvalidVSwitchId.NotFound", "InvalidSecurityGroupId.NotFound")
    assert all(is_absent(classify(code, 404, "")) for code in gone)
    assert not is_absent(classify("Forbidden.RAM", 403, ""))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("throttle", ("throttle", "yes")), ("error-before", ("unavailable", "yes")),
        ("error-after", ("unavailable", "yes")), ("dropped", ("unavailable", "maybe")),
        ("lost-answer", ("unavailable", "maybe")), ("gateway-page", ("unavailable", "maybe")),
        ("capacity", ("capacity", "yes")), ("quota", ("quota", "yes")), ("money", ("money", "yes")),
        ("price-cap", ("price_cap", "yes")), ("auth", ("auth", "yes")),
    ],
)  # fmt: skip
def test_a_launch_is_sent_once_whatever_it_meets(ground: Ground, kind: Kind, expected: tuple[str, str]) -> None:
    ready = ground.ready()
    ground.control.add(Fault(kind, "alibaba", "RunInstances", times=0))
    with pytest.raises(CloudFault) as met:
        ground.provider().cloud(BEIJING).launch(ready)
    assert (met.value.kind, met.value.sent) == expected
    assert ground.sent("RunInstances") == 1


def test_a_throttle_says_how_long_to_wait(ground: Ground) -> None:
    ground.control.add(Fault("throttle", "alibaba", "DescribeRegions", seconds=7))
    with pytest.raises(CloudFault) as met:
        ground.provider().regions()
    assert (met.value.kind, met.value.retry_after_s) == ("throttle", 7.0)


def test_a_refused_connection_was_never_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    sign_in("alibaba", monkeypatch)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        fault = launched(url)
    assert (fault.kind, fault.sent) == ("unavailable", "no")


def test_a_proxy_that_is_not_there_sends_nothing_on(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert launched(stub.url).sent == "no"
    assert stub.log == []


def test_a_server_that_nobody_vouches_for_is_told_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone(monkeypatch, tmp_path)
    sign_in("alibaba", monkeypatch)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(selfsigned(tmp_path / "stranger.pem"))
    heard: list[bytes] = []

    def serve(listening: socket.socket) -> None:
        with listening, suppress(OSError), context.wrap_socket(listening.accept()[0], server_side=True) as met:
            heard.append(met.recv(1))

    listening = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=serve, args=(listening,))
    thread.start()
    fault = launched(f"https://127.0.0.1:{listening.getsockname()[1]}")
    thread.join()
    assert (fault.kind, fault.sent, heard) == ("unavailable", "no", [])


UNREADABLE = {
    "half an answer": cut_off, "a gateway's page": gateway_page(502), "no words": replying(Reply(500)),
    "a list": replying(Reply(body=b"[]")), "no id": replying(Reply(body=b"{}")),
    "no JSON": replying(Reply(body=b"not json")),
    "an odd id": replying(Reply(body=b'{"InstanceIdSets": {"InstanceIdSet": [null]}}')),
}  # fmt: skip


@pytest.mark.parametrize("fault", UNREADABLE.values(), ids=UNREADABLE)
def test_an_answer_that_cannot_be_read_may_have_been_a_yes(stub: Stub, fault: Met) -> None:
    stub.meet(1, fault)
    told = launched(stub.url)
    assert (told.kind, told.sent) == ("unavailable", "maybe")
    assert len(stub.log) == 1


def test_a_silent_server_may_have_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tradewind.clouds.alibaba.client.READ_MS", 200)
    sign_in("alibaba", monkeypatch)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert launched(f"http://127.0.0.1:{silent.getsockname()[1]}").sent == "maybe"


@pytest.mark.parametrize("off", [timedelta(minutes=20), timedelta(hours=-1)])
def test_a_wrong_clock_is_told_with_by_how_much(ground: Ground, off: timedelta) -> None:
    ground.control.set("alibaba", clock_skew_s=-off.total_seconds())
    with pytest.raises(CloudFault) as met:
        ground.provider().regions()
    assert met.value.kind == "clock"
    seconds, way = str(met.value).split("clock is ")[1].split(" s ")
    assert abs(float(seconds) - abs(off.total_seconds())) < 5
    assert way.startswith("ahead" if off > timedelta(0) else "behind")


def test_no_word_about_a_fault_holds_a_secret(
    ground: Ground, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(0)
    provider = ground.provider()
    told = [repr(provider), repr(furnished())]
    kinds: tuple[Kind, ...] = ("auth", "dropped", "gateway-page", "error-before")
    for kind in kinds:
        ground.control.add(Fault(kind, "alibaba", "DescribeRegions"))
        with pytest.raises(CloudFault) as met:
            provider.regions()
        told += [str(met.value), repr(met.value), repr(vars(met.value))]
    assert SECRET not in "".join((*told, *capfd.readouterr(), caplog.text))


def test_two_threads_with_one_token_rent_one_machine(ground: Ground) -> None:
    ready, ids = ground.ready(), []
    cloud = ground.provider().cloud(BEIJING)
    threads = [threading.Thread(target=lambda: ids.append(cloud.launch(ready).ids)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(ids)) == 1
    assert len(ground.account.fleet.all(BEIJING)) == 1
