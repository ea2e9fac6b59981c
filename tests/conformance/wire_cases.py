"""Cases of the suite that are about the wire: what an error means, what is sent how often, who may ask for what."""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from functools import partial
from pathlib import Path

from lab.control import Kind
from lab.stub import throttled
from rented import RENTED
from renting import RentingGround
from renting_alibaba import AlibabaGround
from renting_aws import AwsGround
from test_conformance_clouds import case, refused
from tour import tour

import tradewind.clouds
from tradewind.ports.compute import REFUSALS, Query

ON = tuple(RENTED)
# Kind of fault → the case's number, the lab's word for it, and codes that the clouds document for it.
CODES: dict[str, dict[str, tuple[Kind, str]]] = {
    "aws": {
        "capacity": ("capacity", "InsufficientInstanceCapacity InsufficientHostCapacity InsufficientCapacity "
                     "InsufficientReservedInstanceCapacity ReservationCapacityExceeded UnfulfillableCapacity "
                     "InsufficientFreeAddressesInSubnet Unsupported"),
        "quota": ("quota", "VcpuLimitExceeded InstanceLimitExceeded MaxSpotInstanceCountExceeded VolumeLimitExceeded "
                  "AddressLimitExceeded PendingVerification"),
        "auth": ("auth", "UnauthorizedOperation AuthFailure OptInRequired Blocked ExpiredToken InvalidClientTokenId "
                 "AuthFailure.ServiceLinkedRoleCreationNotPermitted"),
        "throttle": ("throttle", "RequestLimitExceeded Throttling EC2ThrottledException SlowDown"),
        "invalid": ("price-cap", "InvalidParameterValue InvalidParameterCombination InvalidAMIID.NotFound "
                    "InvalidSubnetID.NotFound InvalidGroup.NotFound InvalidKeyPair.NotFound MissingParameter "
                    "UnsupportedOperation ValidationError InvalidBlockDeviceMapping"),
        "price_cap": ("price-cap", "SpotMaxPriceTooLow"),
        "unavailable": ("error-before", "InternalError ServiceUnavailable Unavailable InternalFailure NeverHeardOf"),
    },
    "alibaba": {
        "capacity": ("capacity", "OperationDenied.NoStock Zone.NotOnSale InvalidResourceType.NotSupported "
                     "InstanceType.Offline Invalid.Zone.NotEnoughResource InsufficientCapacity ResourceNotAvailable "
                     "InvalidInstanceType.ZoneNotSupported NoAvaliableDedicatedHost QuotaExceeded.PrivateIpAddress"),
        "quota": ("quota", "QuotaExceed.ElasticQuota QuotaExceed.AfterpayInstance QuotaExceeded.Instance "
                  "InstanceTypeCountLimitExceeded"),
        "auth": ("auth", "Forbidden.RAM NoPermission InvalidAccessKeyId.NotFound SignatureDoesNotMatch "
                 "InvalidSecurityToken.Expired InvalidSpotAuthorized InvalidAccount.NotSupportSpot InvalidSpotAliUid "
                 "InvalidParameter.KMSKeyId.CMKUnauthorized"),
        "throttle": ("throttle", "Throttling Throttling.User Throttling.Api"),
        "invalid": ("price-cap", "InvalidParameter InvalidUserData.SizeExceeded InvalidClientToken.ValueNotSupported "
                    "InvalidSpotParam.EmptyZoneID InvalidAutoReleaseTime.Malformed NumberExceed.Tags MissingParameter "
                    "InvalidImageId.NotFound InvalidSecurityGroupId.NotFound InvalidSpotPriceLimit"),
        "money": ("money", "InvalidAccountStatus.NotEnoughBalance Account.Arrearage InvalidPayMethod"),
        "price_cap": ("price-cap", "InvalidSpotPriceLimit.LowerThanPublicPrice "
                      "OperationDenied.SpotPriceLowerThanPublicPrice"),
        "unavailable": ("error-before", "ServiceUnavailable InternalError IdempotentProcessing LastTokenProcessing "
                        "NeverHeardOf"),
    },
}  # fmt: skip


@case(10, on=ON)
def a_launch_is_one_request_whatever_comes_of_it(ground: RentingGround) -> None:
    faults: tuple[Kind, ...] = (
        "throttle", "error-before", "error-after", "dropped", "lost-answer", "gateway-page", "capacity",
    )  # fmt: skip
    for sent, kind in enumerate(faults):
        order = ground.order(kind)
        assert ground.sent(ground.launching) == sent
        ground.fault(kind)
        refused(partial(ground.cloud.launch, order))
    order = ground.order("429")
    ground.stub.meet(1, throttled(body=ground.too_many))
    assert refused(lambda: ground.cloud.launch(order)).kind == "throttle"
    assert ground.sent(ground.launching) == len(faults) + 1


@case(21, 22, 23, 24, 25, 27, 28, on=ON)
def a_code_keeps_its_meaning(ground: RentingGround) -> None:
    order, meant = ground.order(), {}
    for kind, (fault, codes) in CODES[ground.at.cloud].items():
        for code in codes.split():
            ground.fault(fault, code=code)
            told = refused(lambda: ground.cloud.launch(order))
            assert (told.code, told.sent, bool(told.request_id)) == (code, "yes", True)
            assert code in told.words
            meant[code] = (kind, told.kind)
    assert {code: pair for code, pair in meant.items() if pair[0] != pair[1]} == {}
    assert len(meant) >= 40
    assert ground.ids() == []


@case(28, on=ON)
def a_gateways_page_says_nothing_of_what_was_done(ground: RentingGround) -> None:
    order = ground.order()
    ground.fault("gateway-page")
    told = refused(lambda: ground.cloud.launch(order))
    assert told.kind not in REFUSALS and told.sent != "no"
    assert "<" not in told.words


@case(29, on=ON)
def a_throttle_says_how_long(ground: RentingGround) -> None:
    order = ground.order()
    ground.fault("throttle", seconds=7.0)
    assert refused(lambda: ground.cloud.launch(order)).retry_after_s == 7.0
    ground.fault("throttle")
    assert refused(lambda: ground.cloud.launch(order)).retry_after_s is None


@case(29, on=("aws",))
def a_throttle_says_until_when(ground: AwsGround) -> None:
    order = ground.order()
    ground.stub.meet(1, throttled(ground.stub.date(timedelta(seconds=30)), ground.too_many))
    wait_s = refused(lambda: ground.cloud.launch(order)).retry_after_s
    assert wait_s is not None and 29 <= wait_s <= 30


@case(30, on=ON)
def a_clock_that_is_wrong_is_told_by_how_much(ground: RentingGround) -> None:
    ground.control.set(ground.at.cloud, clock_skew_s=1200.0)
    told = refused(lambda: ground.cloud.find(Query(owner="me")))
    assert told.kind == "clock"
    assert re.search(r"\b1200 s\b|\b20 min", told.words), told.words


@case(31, on=("aws",))
def every_state_of_the_published_model_is_known(ground: AwsGround) -> None:
    from botocore.session import get_session

    from tradewind.clouds.aws.instances import STATES

    published = get_session().get_service_model("ec2").shape_for("InstanceStateName").enum
    assert set(STATES) == set(published)


@case(31, on=("alibaba",))
def a_state_that_is_not_known_makes_a_list_incomplete(ground: AlibabaGround) -> None:
    from lab import alibaba_machines

    from tradewind.clouds.alibaba.instances import STATES

    assert set(alibaba_machines.WORDS.values()) == set(STATES)  # as documented of DescribeInstances' Status
    made = ground.running(ground.order())
    ground.patch.setitem(alibaba_machines.WORDS, ground.there(made.id).phase(ground.clock.now()), "Dreaming")
    listing = ground.cloud.find(Query(owner="me"))
    assert (listing.complete, listing.instances) == (False, ())
    assert "Dreaming" in (listing.why or "")


@case(41, on=ON)
def a_request_that_is_not_described_is_objected_to(ground: RentingGround) -> None:
    assert refused(ground.nonsense).kind == "invalid"
    (objection,) = ground.stub.objections
    assert "Nonsense" in objection
    ground.stub.objections.clear()


@case(23, 42, on=ON)
def whoever_signs_with_another_secret_is_not_let_in(ground: RentingGround) -> None:
    ground.sign_in(secret="another")
    other = ground.provider().cloud(ground.at.region)
    for ask in (lambda: other.launch(ground.order()), lambda: other.find(Query(owner="me"))):
        assert refused(ask).kind == "auth"
    assert ground.ids() == []


@case(23, on=ON)
def who_may_not_look_is_not_told_that_there_is_nothing(ground: RentingGround) -> None:
    ground.front.account.denied.add(ground.right_to(ground.listing))
    assert refused(lambda: ground.cloud.find(Query(owner="me"))).kind == "auth"


@case(43, 45, on=ON)
def no_secret_is_written_and_no_right_is_asked_for_that_is_not_printed(ground: RentingGround) -> None:
    written, heard = [], logging.Handler(logging.DEBUG)
    heard.emit = lambda record: written.append(record.getMessage())  # type: ignore[method-assign]
    root = logging.getLogger()
    level = root.level
    root.addHandler(heard)
    root.setLevel(logging.DEBUG)
    try:
        account = ground.provider()
        tour(ground)
        assert ground.rights_used() == ground.rights()
        ground.fault("auth")
        said = refused(lambda: ground.cloud.launch(ground.order("refused")))
        shown = [repr(account), repr(account.cloud(ground.at.region)), repr(said), str(said), str(account.policy())]
    finally:
        root.removeHandler(heard)
        root.setLevel(level)
    assert not [each for each in (*written, *shown) if ground.secret in each]
    sent = [each for each in ground.stub.log if ground.secret in f"{each.target} {each.headers} {each.body!r}"]
    assert sent == []


@case(44, on=ON)
def credentials_are_the_sdks_own_affair(ground: RentingGround) -> None:
    ground.sign_in_by_file()
    account = ground.provider()
    assert "profile" in (account.credentials() or "")
    assert account.cloud(ground.at.region).find(Query(owner="me")).complete
    rooms = Path(tradewind.clouds.__file__).parent / ground.at.cloud
    secret = re.compile(r"SECRET|secret_key|secret_access|access_key_secret|get_frozen_credentials")
    assert not [each.name for each in rooms.glob("*.py") if secret.search(each.read_text())]
