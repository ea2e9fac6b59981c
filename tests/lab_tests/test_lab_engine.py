"""The engine of the clouds that are played, by a small cloud of its own kind: PUT of JSON, errors under 200."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
from lab.control import Control, Fault, Kind
from lab.engine import Call, Engine, Refused, Told
from lab.fleet import Fleet
from lab.machines import NoHypervisor
from lab.stub import Heard, Objection, Reply


class Small:
    """JSON with the action in a header; refusals come under 200."""

    cloud = "small"
    refusals: Mapping[str, tuple[int, str, str]] = {
        "capacity": (200, "SoldOut", "sold out"), "throttle": (200, "TooMany", "slowly"),
        "error": (500, "Broken", "broken"), "conflict": (200, "OtherParameters", "not the same"),
        "objection": (200, "Wrong", "wrong"),
    }  # fmt: skip

    def __init__(self) -> None:
        self.made: list[str] = []

    def verify(self, heard: Heard, now: datetime) -> None:
        if heard.headers.get("x-secret") != "right":
            raise Refused(200, "Secret", "not right")

    def read(self, heard: Heard) -> Call:
        asked: dict[str, Any] = json.loads(heard.body)
        if set(asked) - {"Name", "Token"}:
            raise Objection("no such parameter")
        return Call("small", heard.headers["x-action"], "r", asked, asked.get("Token"))

    def perform(self, call: Call) -> Told:
        self.made.append(call.asked["Name"])
        return {"Number": len(self.made)}

    def encode(self, call: Call, told: Told) -> Reply:
        return Reply(body=json.dumps({"Response": told}).encode())

    def refuse(self, heard: Heard, refused: Refused) -> Reply:
        told = {"Error": {"Code": refused.code, "Wait": refused.retry_after_s}}
        return Reply(refused.status, json.dumps({"Response": told}).encode())


@dataclass
class World:
    small: Small
    engine: Engine
    control: Control

    def ask(self, secret: str = "right", **asked: str) -> dict[str, Any]:
        connection = http.client.HTTPConnection(urlsplit(self.engine.stub.url).netloc, timeout=10)
        try:
            connection.request("PUT", "/things", json.dumps(asked), {"X-Action": "Make", "X-Secret": secret})
            told: dict[str, Any] = json.loads(connection.getresponse().read())
            return dict(told["Response"])
        finally:
            connection.close()


def engine(small: Small, control: Control) -> Engine:
    fleet = Fleet("small", NoHypervisor(), control, lambda: datetime.now(UTC), lambda _: None)
    return Engine(small, fleet, control)


@pytest.fixture
def world() -> Iterator[World]:
    small, control = Small(), Control()
    with engine(small, control) as entered:
        yield World(small, entered, control)


def test_a_token_makes_one_thing_however_often_and_at_once_it_is_sent(world: World) -> None:
    with ThreadPoolExecutor(8) as threads:
        told = list(threads.map(lambda _: world.ask(Name="a", Token="t"), range(8)))
    assert told == [{"Number": 1}] * 8
    assert world.ask(Name="b", Token="t") == {"Error": {"Code": "OtherParameters", "Wait": None}}
    assert world.ask(Name="a", Token="u") == {"Number": 2}
    assert world.ask(Name="a") == {"Number": 3}


def test_what_was_refused_may_be_asked_again_with_the_same_token(world: World) -> None:
    world.control.add(Fault("throttle", seconds=7))
    assert world.ask(Name="a", Token="t") == {"Error": {"Code": "TooMany", "Wait": 7}}
    assert world.ask(Name="a", Token="t") == {"Number": 1}


@pytest.mark.parametrize(
    ("kind", "made"),
    [("capacity", 0), ("error-before", 0), ("error-after", 1), ("dropped", 0), ("lost-answer", 1), ("gateway-page", 0)],
)
def test_a_fault_is_met_once_and_says_what_was_done(world: World, kind: Kind, made: int) -> None:
    world.control.add(Fault(kind, "small", "Make", nth=2))
    assert world.ask(Name="a") == {"Number": 1}
    try:
        told = world.ask(Name="b")["Error"]["Code"]
    except (http.client.HTTPException, json.JSONDecodeError, ConnectionError):
        told = None
    assert told == {"capacity": "SoldOut", "error-before": "Broken", "error-after": "Broken"}.get(kind)
    assert len(world.small.made) == 1 + made
    assert world.ask(Name="c") == {"Number": 2 + made}


def test_who_has_the_wrong_secret_neither_does_nor_counts_anything(world: World) -> None:
    world.control.add(Fault("capacity"))
    assert world.ask(secret="wrong", Name="a")["Error"]["Code"] == "Secret"
    assert (world.small.made, world.control.recorded) == ([], [])
    assert world.ask(Name="a")["Error"]["Code"] == "SoldOut"
    assert [each.operation for each in world.engine.calls] == ["Make"]


def test_a_request_that_is_not_described_fails_the_test() -> None:
    small, control = Small(), Control()
    with pytest.raises(AssertionError, match="no such parameter"), engine(small, control) as entered:
        World(small, entered, control).ask(Colour="red")
