"""The control socket: the lab's :class:`~lab.control.Control` for another process, a line of JSON each way.

    {"do": "fault", "kind": "capacity", "cloud": "aws", "operation": "RunInstances", "nth": 3}
    {"do": "set", "cloud": "alibaba", "list_lag_s": 30}      {"do": "clear"}
    {"do": "reclaim", "id": "i-0abc", "notice_s": 120}       {"do": "vanish" | "rebalance" | "change_host_key", "id": …}
    {"do": "instances"}                                      {"do": "requests"}: how often each was asked

Answered by ``{"ok": true, …}`` or ``{"ok": false, "why": …}``.
"""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lab.control import Control, Fault

Told = Mapping[str, Any]


def _requests(control: Control) -> dict[str, Any]:
    counted = Counter((each.cloud, each.operation) for each in list(control.recorded))
    rows = [{"cloud": cloud, "operation": name, "asked": count} for (cloud, name), count in sorted(counted.items())]
    return {"requests": rows}


_DOES: dict[str, Callable[..., dict[str, Any] | None]] = {
    "fault": lambda control, **told: control.add(Fault(**told)),
    "set": lambda control, cloud, **told: control.set(cloud, **told),
    "clear": lambda control: control.clear(),
    "reclaim": lambda control, id, notice_s=None: control.reclaim(id, notice_s),
    "rebalance": lambda control, id: control.rebalance(id),
    "vanish": lambda control, id: control.vanish(id),
    "change_host_key": lambda control, id: control.change_host_key(id),
    "instances": lambda control: {"instances": control.instances()},
    "requests": _requests,
}


def obey(control: Control, line: bytes) -> dict[str, Any]:
    """Do what a line says; the answer."""
    try:
        told = json.loads(line)
        if not isinstance(told, dict):
            raise ValueError("an order is an object")
        return {"ok": True, **(_DOES[told.pop("do")](control, **told) or {})}
    except KeyError as fault:
        return {"ok": False, "why": f"not known: {fault.args[0]}"}
    except (TypeError, ValueError) as fault:
        return {"ok": False, "why": str(fault)}


def ask(path: Path, **told: Any) -> dict[str, Any]:
    """Have a lab in another process do something; its answer."""
    with socket.socket(socket.AF_UNIX) as asked:
        asked.connect(str(path))
        asked.sendall(json.dumps(told).encode() + b"\n")
        with asked.makefile("rb") as answers:
            answer: dict[str, Any] = json.loads(answers.readline())
    return answer


class _Server(socketserver.ThreadingUnixStreamServer):
    block_on_close = True
    daemon_threads = False


class ControlSocket:
    """The socket at ``path``, for as long as it is entered; only this user may use it."""

    def __init__(self, control: Control, path: Path) -> None:
        class Handler(socketserver.StreamRequestHandler):
            timeout = 60

            def handle(self) -> None:
                for line in self.rfile:
                    self.wfile.write(json.dumps(obey(control, line)).encode() + b"\n")

        path.unlink(missing_ok=True)
        self.path = path
        self._server = _Server(str(path), Handler)
        path.chmod(0o600)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="lab-control")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self.path.unlink(missing_ok=True)
