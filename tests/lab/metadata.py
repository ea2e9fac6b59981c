"""The metadata service of one machine, as AWS (IMDSv2) and Alibaba Cloud (its token mode) serve theirs.

Sources: AWS EC2 user guide, "Use the Instance Metadata Service", "Spot Instance interruption notices", "Rebalance
recommendations"; Alibaba Cloud ECS user guide, "Instance metadata", "Preemptible instances" (read 2026-11).
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

CloudName = Literal["aws", "alibaba"]
NoticeKind = Literal["terminate", "stop", "rebalance"]
PORT = 8169  # one that hardly anybody listens at on all addresses
LONGEST_S = 21600

_TOKEN = {"aws": "x-aws-ec2-metadata-token", "alibaba": "x-aliyun-ecs-metadata-token"}


@dataclass
class Notices:
    """What a machine was told so far, by kind: when it ends; of a rebalance: when it was said."""

    told: dict[NoticeKind, datetime] = field(default_factory=dict)

    def tell(self, kind: NoticeKind, at: datetime | None) -> None:
        """Say it, or with None take it back."""
        if at is None:
            self.told.pop(kind, None)
        else:
            self.told[kind] = at


def pages(cloud: CloudName, facts: Mapping[str, str], notices: Notices) -> dict[str, str]:
    """What there is to read, by path below ``/latest/``.

    ``facts``: ``id``, ``instance_type``, ``region``, ``zone``, ``address``, and ``account``, where they are known.
    """
    return _aws(facts, notices) if cloud == "aws" else _alibaba(facts, notices)


def _aws(facts: Mapping[str, str], notices: Notices) -> dict[str, str]:
    found = {
        "meta-data/instance-id": facts["id"],
        "meta-data/instance-type": facts["instance_type"],
        "meta-data/placement/region": facts["region"],
        "meta-data/placement/availability-zone": facts["zone"],
        "meta-data/local-ipv4": facts["address"],
        "meta-data/public-ipv4": facts["address"],
        "dynamic/instance-identity/document": json.dumps({
            "accountId": facts.get("account"), "availabilityZone": facts["zone"], "instanceId": facts["id"],
            "instanceType": facts["instance_type"], "privateIp": facts["address"], "region": facts["region"],
            "version": "2017-09-30",
        }),
    }  # fmt: skip
    for kind in ("terminate", "stop"):
        if at := notices.told.get(kind):
            found["meta-data/spot/instance-action"] = json.dumps({"action": kind, "time": _second(at)})
    if at := notices.told.get("terminate"):
        found["meta-data/spot/termination-time"] = _second(at)
    if at := notices.told.get("rebalance"):
        found["meta-data/events/recommendations/rebalance"] = json.dumps({"noticeTime": _second(at)})
    return found


def _alibaba(facts: Mapping[str, str], notices: Notices) -> dict[str, str]:
    found = {
        "meta-data/instance-id": facts["id"],
        "meta-data/instance/instance-type": facts["instance_type"],
        "meta-data/region-id": facts["region"],
        "meta-data/zone-id": facts["zone"],
        "meta-data/private-ipv4": facts["address"],
        "meta-data/eipv4": facts["address"],
        "dynamic/instance-identity/document": json.dumps({
            "instance-id": facts["id"], "instance-type": facts["instance_type"], "private-ipv4": facts["address"],
            "owner-account-id": facts.get("account"), "region-id": facts["region"], "zone-id": facts["zone"],
        }),
    }  # fmt: skip
    if at := notices.told.get("terminate") or notices.told.get("stop"):
        found["meta-data/instance/spot/termination-time"] = _second(at)
    return found


def _second(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # whoever is being answered is waited for at the end


class MetadataService:
    """Serves one machine at ``address``; OSError: that address is taken."""

    def __init__(self, cloud: CloudName, facts: Mapping[str, str], token_required: bool, address: str) -> None:
        self.notices = Notices()
        self.address = address
        self.url = f"http://{address}:{PORT}"
        self._cloud, self._facts, self._token_required = cloud, {**facts, "address": address}, token_required
        self._tokens: dict[str, float] = {}
        self._server = _Server((address, PORT), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name=f"metadata-{address}")
        self._thread.start()

    def forget_tokens(self) -> None:
        """Take no token any more that was given out before."""
        self._tokens.clear()

    def close(self) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, method: str, path: str, headers: Mapping[str, str], now: float) -> tuple[int, str]:
        header = _TOKEN[self._cloud]
        if not path.startswith("/latest/"):
            return 404, ""
        if path == "/latest/api/token":
            ttl = headers.get(f"{header}-ttl-seconds", "")
            if method != "PUT" or not ttl.isdecimal() or not 1 <= int(ttl) <= LONGEST_S:
                return 400 if method == "PUT" else 405, ""
            token = secrets.token_urlsafe(32)
            self._tokens[token] = now + int(ttl)
            return 200, token
        given = headers.get(header)
        if (given is None and self._token_required) or (given is not None and self._tokens.get(given, 0.0) < now):
            return 401, ""
        if method != "GET":
            return 405, ""
        found = pages(self._cloud, self._facts, self.notices).get(path.removeprefix("/latest/").rstrip("/"))
        return (404, "") if found is None else (200, found)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 10

            def _serve(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                status, text = service._answer(self.command, self.path, headers, time.monotonic())
                self.send_response_only(status)
                self.send_header("Content-Length", str(len(text.encode())))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(text.encode())
                self.close_connection = True

            do_GET = do_PUT = do_HEAD = _serve  # noqa: N815 as http.server calls them

            def log_message(self, format: str, *args: object) -> None:
                """Nothing."""

        return Handler
