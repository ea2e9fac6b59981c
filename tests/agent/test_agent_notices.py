"""How a node learns that its cloud takes it: the file, the clouds' metadata services, and one that does not answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from agent_node import wait_for
from lab.metadata import CloudName, MetadataService
from sshd import blackhole, loopback

from tradewind.agent import metadata, notices
from tradewind.agent.attempt import Attempt
from tradewind.agent.diary import Diary
from tradewind.agent.metadata import Metadata, Silent, Told
from tradewind.agent.reclaims import SERVICES, instant
from tradewind.agent.work import Work
from tradewind.wire import journal
from tradewind.wire.spec import Spec

AT = datetime(2026, 11, 21, 8, 22, tzinfo=UTC)
USUAL = 1e9


Make = Callable[..., Attempt]


@pytest.fixture
def attempt(tmp_path: Path) -> Iterator[Make]:
    """Makes an attempt that learns of notices as told; a later one of the same test is its next life."""
    made: list[Attempt] = []

    def make(**notice: str) -> Attempt:
        for each in made:
            each.diary.close()
        spec = Spec("job/1", "job", 1, 1, "true", notice=notice, notice_seconds=120.0)
        diary = Diary(str(tmp_path / "journal.jsonl"))
        made[:] = [Attempt(str(tmp_path), spec, diary, Work(str(tmp_path)))]
        return made[0]

    yield make
    for each in made:
        each.diary.close()


def records(made: Attempt) -> list[dict[str, Any]]:
    made.diary.commit()
    return journal.read_lines((Path(made.root) / "journal.jsonl").read_bytes())[0]


@pytest.fixture(params=["aws", "alibaba"])
def cloud(request: pytest.FixtureRequest) -> CloudName:
    name: CloudName = request.param
    return name


@pytest.fixture
def service(cloud: CloudName) -> Iterator[MetadataService]:
    facts = {"id": "i-1", "instance_type": "t", "region": "r", "zone": "z"}
    made = MetadataService(cloud, facts, token_required=True, address=loopback()[0])
    yield made
    made.close()


# -- what is said


def read(kind: str, text: str, **probe: str) -> float | None:
    return SERVICES[kind].read(text, {"kind": kind, **probe}, USUAL)


@pytest.mark.parametrize(
    ("kind", "text", "at"),
    [
        ("aws", '{"action":"terminate","time":"2026-11-21T08:22:00Z"}', AT.timestamp()),
        ("aws", '{"action":"hibernate"}', USUAL),
        ("aws", "[]", USUAL),
        ("aws", "soon", USUAL),
        ("alibaba", "2026-11-21T08:22:00Z\n", AT.timestamp()),
        ("alibaba", "2026-11-21T16:22:00+08:00", AT.timestamp()),
        ("alibaba", "soon", USUAL),
        ("tencent", "2026-11-21 16:22:00", AT.timestamp()),
        ("tencent", "2026-11-21T08:22:00Z", AT.timestamp()),
        ("tencent", "soon", USUAL),
        ("gcp", "TRUE", USUAL),
        ("gcp", "FALSE", None),
    ],
)
def test_the_words_of_a_cloud_give_the_instant(kind: str, text: str, at: float | None) -> None:
    assert read(kind, text) == at


def test_of_azures_events_the_first_that_takes_this_machine_counts() -> None:
    def event(type_: str, name: str, before: str) -> dict[str, Any]:
        return {"EventId": "1", "EventType": type_, "Resources": ["other", name], "NotBefore": before}

    def told(*events: dict[str, Any]) -> float | None:
        return read("azure", json.dumps({"DocumentIncarnation": 2, "Events": events}), resource="tw-1")

    later, sooner = "Sat, 21 Nov 2026 08:30:00 GMT", "Sat, 21 Nov 2026 08:22:00 GMT"
    assert told() is None
    assert told(event("Preempt", "tw-2", sooner), event("Reboot", "tw-1", sooner)) is None
    assert told(event("Preempt", "TW-1", later), event("Terminate", "tw-1", sooner)) == AT.timestamp()
    assert told(event("Preempt", "tw-1", "")) == USUAL  # it has begun


def test_an_instant_without_a_zone_is_utc() -> None:
    assert instant("2026-11-21T08:22:00") == instant(" 2026-11-21T08:22:00Z ") == AT.timestamp()


# -- who says it


def test_a_service_that_wants_a_token_is_asked_with_one(cloud: CloudName, service: MetadataService) -> None:
    asked = Metadata({"kind": cloud}, service.url)
    assert asked.look(USUAL) == Told(None, False)
    service.forget_tokens()  # as one that came to its end
    service.notices.tell("terminate", AT)
    assert asked.look(USUAL) == Told(AT.timestamp(), False)


def test_a_proxy_is_never_asked(cloud: CloudName, service: MetadataService, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert Metadata({"kind": cloud}, service.url).look(USUAL) == Told(None, False)


@pytest.fixture
def odd() -> Iterator[Callable[[str, int, str], str]]:
    """A service that gives no tokens, and one answer to every question; its URL."""
    running = []

    def serve(path: str, status: int, text: str) -> str:
        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                found = (status, text) if self.path.startswith(path) else (404, "")
                self.send_response_only(found[0])
                self.send_header("Content-Length", str(len(found[1])))
                self.end_headers()
                self.wfile.write(found[1].encode())

            do_GET = do_PUT = _answer  # noqa: N815 as http.server calls them

        server = ThreadingHTTPServer(loopback(), Handler)
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        running.append((server, thread))
        return f"http://{server.server_address[0]!s}:{server.server_port}"

    yield serve
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_service_without_tokens_is_asked_without(odd: Callable[[str, int, str], str]) -> None:
    url = odd(SERVICES["aws"].notice, 200, '{"time": "2026-11-21T08:22:00Z"}')
    assert Metadata({"kind": "aws"}, url).look(USUAL) == Told(AT.timestamp(), False)


@pytest.mark.parametrize(
    ("kind", "path", "status", "text", "why"),
    [
        ("aws", "/latest/api/token", 403, "", "/latest/api/token answers 403"),  # it is turned off
        ("aws", "/latest/meta-data", 500, "", "instance-action answers 500"),
        ("azure", "/metadata", 200, "<html>", "not understood"),
        ("azure", "/metadata", 200, '{"Events": null}', "not understood"),
    ],
)
def test_an_answer_that_means_nothing_is_no_answer(
    odd: Callable[[str, int, str], str], kind: str, path: str, status: int, text: str, why: str
) -> None:
    with pytest.raises(Silent, match=why):
        Metadata({"kind": kind}, odd(path, status, text)).look(USUAL)


# -- what the agent makes of it


def test_a_file_tells_of_a_notice(attempt: Make, tmp_path: Path) -> None:
    path = tmp_path / "notice.json"
    told = notices.listen(attempt(kind="file", path=str(path)))
    assert told.turn(1.0) is None
    for text, deadline in (('{"dead', None), ('{"deadline": 77}', 77.0), ('{"deadline": null}', 121.0)):
        path.write_text(text)
        told = notices.listen(attempt(kind="file", path=str(path)))
        assert told.turn(1.0) == deadline
    assert notices.listen(attempt()).turn(1.0) is None


def test_what_an_agent_cannot_learn_is_said_at_its_start() -> None:
    for known in ({}, {"kind": "file", "path": "/x"}, {"kind": "aws"}, {"kind": "azure", "resource": "vm"}):
        notices.know(known)
    for unknown in ({"kind": "pigeon"}, {"kind": "file"}):
        with pytest.raises(ValueError, match="unknown kind of notice"):
            notices.know(unknown)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which a machine's image says where its metadata service is."""
    path = tmp_path / "metadata"
    monkeypatch.setattr(metadata, "ELSEWHERE", str(path))
    return path


def heard(listening: notices.MetadataNotice, now: float) -> float | None:
    """What is heard of one question, asked at ``now``: neither the question nor its answer holds up the loop."""
    assert listening.turn(now) is None
    answers: list[float | None] = []

    def answered() -> bool:
        answers.append(listening.turn(now))
        return listening._asking is None

    wait_for(answered, "the answer")
    return answers[-1]


def test_a_rebalance_is_told_once_and_a_notice_when_it_comes(attempt: Make, elsewhere: Path) -> None:
    facts = {"id": "i-1", "instance_type": "t", "region": "r", "zone": "z"}
    service = MetadataService("aws", facts, token_required=True, address=loopback()[0])
    try:
        elsewhere.write_text(f"{service.url}\n")
        made = attempt(kind="aws")
        listening = notices.listen(made)
        assert isinstance(listening, notices.MetadataNotice)
        assert heard(listening, 100.0) is None and not made.memory.rebalance
        assert listening.turn(104.9) is None and listening._asking is None, "five seconds lie between two questions"
        service.notices.tell("rebalance", AT)
        assert heard(listening, 105.0) is None and made.memory.rebalance
        service.notices.tell("terminate", AT)
        assert heard(listening, 110.0) == AT.timestamp()
        assert [(each["type"], each["source"]) for each in records(made)] == [("rebalance", "aws")]
        assert attempt(kind="aws").memory.rebalance, "a later life of the agent knows it"
    finally:
        service.close()


def test_a_service_that_does_not_answer_is_unknown_and_told_once(attempt: Make, elsewhere: Path) -> None:
    elsewhere.write_text(f"http://{loopback()[0]}:9\n")  # nobody is there
    made = attempt(kind="alibaba")
    listening = notices.listen(made)
    assert isinstance(listening, notices.MetadataNotice)
    told = []
    for now in (100.0, 105.0, 110.0, 115.0):
        assert heard(listening, now) is None
        told.append(made.memory.notice_unknown)
    assert told == [False, False, True, True], "one answer that is lost means nothing"
    [record] = records(made)
    assert record["source"] == "alibaba" and "refused" in record["why"].lower()


def test_a_service_that_is_slow_holds_up_nobody(
    attempt: Make, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "_SECONDS", 0.5)
    with blackhole() as (host, port):
        elsewhere.write_text(f"http://{host}:{port}\n")
        listening = notices.listen(attempt(kind="aws"))
        assert isinstance(listening, notices.MetadataNotice)
        assert listening.turn(0.0) is None and listening._asking is not None
        assert not listening._asking.done(), "the loop goes on meanwhile"
        wait_for(listening._asking.done, "the end of its patience")
