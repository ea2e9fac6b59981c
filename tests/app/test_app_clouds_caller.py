"""The address that this computer is seen with: asked once a process, and only a real address is taken for one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tradewind.app.clouds.caller import CallerAddress
from tradewind.domain.errors import NotConfigured


class Page(HTTPServer):
    """Answers one text; counts who asks."""

    told = b"203.0.113.7\n"
    asked = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Page)
        self.server.asked += 1
        self.send_response(200 if self.server.told else 500)
        self.end_headers()
        self.wfile.write(self.server.told)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def page() -> Iterator[Page]:
    with Page(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_it_is_asked_once_until_it_may_have_changed(page: Page) -> None:
    caller = CallerAddress()
    assert [caller.network(page.url), caller.network(page.url)] == ["203.0.113.7/32"] * 2
    assert page.asked == 1
    page.told = b"2001:db8::7"
    caller.forget()
    assert (caller.network(page.url), page.asked) == ("2001:db8::7/128", 2)


@pytest.mark.parametrize("told", [b"", b"<html>log in to the network</html>", b"203.0.113", b"\xff" * 500])
def test_what_is_no_address_is_taken_for_none(page: Page, told: bytes) -> None:
    page.told = told
    with pytest.raises(NotConfigured) as fault:
        CallerAddress().network(page.url)
    assert (fault.value.code, fault.value.facts["url"]) == ("caller-unknown", page.url)
    assert fault.value.facts["cause"]
