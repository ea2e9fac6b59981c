"""The metadata service of a machine: what it tells, to whom, and what it does not tell until it is announced."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from lab.metadata import CloudName, MetadataService

AT = datetime(2026, 11, 22, 12, 30, tzinfo=UTC)
FACTS = {"id": "i-1", "instance_type": "g4dn.xlarge", "region": "us-east-1", "zone": "us-east-1a", "account": "1234"}
AWS, ALIBABA = "X-aws-ec2-metadata-token", "X-aliyun-ecs-metadata-token"
Serving = Callable[..., MetadataService]


@pytest.fixture
def serving() -> Iterator[Serving]:
    opened: list[MetadataService] = []

    def open_(cloud: CloudName, *, token_required: bool) -> MetadataService:
        opened.append(MetadataService(cloud, FACTS, token_required, "127.76.0.1"))
        return opened[-1]

    yield open_
    for each in opened:
        each.close()


def ask(
    service: MetadataService, path: str, headers: Mapping[str, str] | None = None, method: str = "GET"
) -> tuple[int, str]:
    link = HTTPConnection(urlsplit(service.url).netloc, timeout=10)
    try:
        link.request(method, f"/latest/{path}", headers=dict(headers or {}))
        answer = link.getresponse()
        return answer.status, answer.read().decode()
    finally:
        link.close()


@pytest.mark.parametrize("cloud, header", [("aws", AWS), ("alibaba", ALIBABA)])
def test_where_a_token_is_required_nobody_reads_without_one(serving: Serving, cloud: CloudName, header: str) -> None:
    service = serving(cloud, token_required=True)
    assert ask(service, "meta-data/instance-id")[0] == 401
    assert ask(service, "api/token", {}, "PUT")[0] == 400
    status, token = ask(service, "api/token", {f"{header}-ttl-seconds": "60"}, "PUT")
    assert status == 200
    assert ask(service, "meta-data/instance-id", {header: token}) == (200, "i-1")
    assert ask(service, "meta-data/instance-id", {header: "made up"})[0] == 401
    service.forget_tokens()
    assert ask(service, "meta-data/instance-id", {header: token})[0] == 401


def test_aws_tells_of_an_interruption_and_of_a_rebalance_when_there_is_one(serving: Serving) -> None:
    service = serving("aws", token_required=False)
    action, rebalance = "meta-data/spot/instance-action", "meta-data/events/recommendations/rebalance"
    assert (ask(service, action)[0], ask(service, rebalance)[0]) == (404, 404)
    service.notices.tell("rebalance", AT)
    assert ask(service, action)[0] == 404
    assert json.loads(ask(service, rebalance)[1]) == {"noticeTime": "2026-11-22T12:30:00Z"}
    service.notices.tell("terminate", AT)
    assert json.loads(ask(service, action)[1]) == {"action": "terminate", "time": "2026-11-22T12:30:00Z"}
    assert ask(service, "meta-data/spot/termination-time") == (200, "2026-11-22T12:30:00Z")
    service.notices.tell("terminate", None)
    assert ask(service, action)[0] == 404


def test_alibaba_tells_when_it_takes_a_machine_back(serving: Serving) -> None:
    service = serving("alibaba", token_required=False)
    path = "meta-data/instance/spot/termination-time"
    assert ask(service, path)[0] == 404
    service.notices.tell("terminate", AT)
    assert ask(service, path) == (200, "2026-11-22T12:30:00Z")


@pytest.mark.parametrize("cloud, key", [("aws", "instanceId"), ("alibaba", "instance-id")])
def test_a_machine_can_read_who_it_is(serving: Serving, cloud: CloudName, key: str) -> None:
    service = serving(cloud, token_required=False)
    assert json.loads(ask(service, "dynamic/instance-identity/document")[1])[key] == "i-1"
    assert ask(service, "meta-data/nothing")[0] == 404
    assert ask(service, "meta-data/instance-id", method="PUT")[0] == 405
