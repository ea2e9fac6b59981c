"""The engine of the stubs: a server on loopback that answers by a function, logs, objects, and misbehaves by order."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Heard:
    """One request. Header names are in lower case; ``query`` holds the last value of each parameter."""

    method: str
    path: str
    target: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """One answer. ``sent`` is how many bytes of the body go out before the connection is closed; None: all.

    A ``status`` of 0 is no answer at all: the connection is closed without a word.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    sent: int | None = None


NOTHING = Reply(0)


class Objection(Exception):
    """A request that the cloud's published description does not allow."""


Answering = Callable[[Heard], Reply]
Fault = Callable[[Reply, Reply | None], Reply]


def throttled(wait: str | None = None, body: bytes = b"") -> Fault:
    """429, with Retry-After as seconds or as a date."""
    return lambda _, __: Reply(429, body, {"Retry-After": wait} if wait else {})


def broken(_: Reply, __: Reply | None) -> Reply:
    """503 without a word."""
    return Reply(503)


def cut_off(reply: Reply, _: Reply | None) -> Reply:
    """The announced length, half of the body, and the end."""
    return replace(reply, sent=len(reply.body) // 2)


def gateway_page(status: int) -> Fault:
    """The HTML of something that stands between."""
    return lambda _, __: Reply(status, b"<html><body>Bad gateway</body></html>", {"Content-Type": "text/html"})


def again(_: Reply, before: Reply | None) -> Reply:
    """The answer before, once more."""
    assert before is not None, "there was no answer before"
    return before


def replying(reply: Reply) -> Fault:
    """This answer instead."""
    return lambda _, __: reply


class _Server(ThreadingHTTPServer):
    """On a free port; what goes wrong in the stub itself is an objection too."""

    def __init__(self, handler: type[BaseHTTPRequestHandler], objections: list[str]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self._objections = objections

    request_queue_size = 128  # as many as may ask at once

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # who asked may have gone meanwhile
            self._objections.append(traceback.format_exc())


class Stub:
    """A server for one test; its end fails the test when a request was objected to.

    Attributes:
        log: all requests, in order.
        days: the days that its answers were dated with, ``YYYY-MM-DD``.
        ahead: how far the server's clock is ahead of ``clock``, by default this computer's.
    """

    def __init__(
        self, answer: Answering, refuse: Callable[[Heard, str], Reply] | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:  # fmt: skip
        self.log: list[Heard] = []
        self.days: set[str] = set()
        self.objections: list[str] = []
        self.ahead = timedelta(0)
        self._answer = answer
        self._clock = clock
        self._refuse = refuse or (lambda _, words: Reply(400, words.encode()))
        self._faults: dict[int, Fault] = {}
        self._before: Reply | None = None
        self._server = _Server(self._handler(), self.objections)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def meet(self, number: int, fault: Fault) -> None:
        """Let the request of that number, counted from now, meet a fault."""
        self._faults[len(self.log) + number] = fault

    def now(self) -> datetime:
        """The time by the server's clock, which its answers are dated with."""
        return self._clock() + self.ahead

    def date(self, later: timedelta = timedelta(0)) -> str:
        """That time as headers word it."""
        return format_datetime((self.now() + later).replace(microsecond=0), usegmt=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        if error is None:
            assert self.objections == [], "\n".join(self.objections)

    def _reply(self, heard: Heard) -> Reply:
        self.log.append(heard)
        try:
            reply = self._answer(heard)
        except Objection as objection:
            self.objections.append(f"{heard.method} {heard.path}: {objection}")
            return self._refuse(heard, str(objection))
        fault = self._faults.pop(len(self.log), None)
        self._before, reply = reply, (fault(reply, self._before) if fault else reply)
        return reply

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def _serve(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                parts = urlsplit(self.path)
                heard = Heard(
                    self.command, parts.path, self.path, dict(parse_qsl(parts.query, keep_blank_values=True)),
                    {name.lower(): value for name, value in self.headers.items()}, self.rfile.read(length),
                )  # fmt: skip
                reply = stub._reply(heard)
                self.close_connection = True
                if reply == NOTHING:
                    return
                headers = {"Content-Type": "application/json", "Date": stub.date(), **reply.headers}
                stub.days.add(parsedate_to_datetime(headers["Date"]).date().isoformat())
                self.send_response_only(reply.status)
                for name, value in {**headers, "Content-Length": str(len(reply.body)), "Connection": "close"}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body if reply.sent is None else reply.body[: reply.sent])

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815 as http.server calls them

            def log_message(self, format: str, *args: object) -> None:
                """Nothing: the log of requests is the stub's."""

        return Handler
