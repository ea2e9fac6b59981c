"""A stand-in for the agent on a host: its door repeats what it hears, late, never or garbled, as it is asked to.

It is sent as it stands and run there by `python -I -S`, from 3.8, with the standard library alone.
"""

import json
import os
import struct
import sys
import threading
import time
from typing import Any, Dict

Header = Dict[str, Any]
HEAD = struct.Struct(">4sII")
ONE_AT_A_TIME = threading.Lock()


def read(size: int) -> bytes:
    data = sys.stdin.buffer.read(size)
    if len(data) < size:
        os._exit(0)
    return data


def write(data: bytes) -> None:
    with ONE_AT_A_TIME:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def answer(header: Header, body: bytes = b"") -> None:
    text = json.dumps(header).encode()
    write(HEAD.pack(b"TWD1", len(text), len(body)) + text + body)


def serve(asked: Header, body: bytes) -> None:
    told: Header = {"n": asked["n"]}
    if asked["op"] == "hello":
        answer({**told, "ok": {"version": 1, "pid": os.getpid(), "now": time.time(), "argv": sys.argv}})
    elif asked["op"] == "echo":
        time.sleep(asked.get("seconds", 0))
        answer({**told, "ok": {"text": asked.get("text")}}, body)
    elif asked["op"] == "refuse":
        answer({**told, "fault": {"kind": "capacity", "words": "GPU 1 is used", "data": {"pid": 7}}})
    elif asked["op"] == "garble":
        write(b"Segmentation fault\n" * 3)
    elif asked["op"] == "die":
        os.write(2, b"out of memory\n")
        os._exit(9)


def main() -> None:
    if sys.version_info < (3, 8) or sys.argv[1] != "door":
        sys.exit(f"not what was agreed: {sys.version_info} {sys.argv}")
    write(b"\x00TRADEWIND-DOOR-1\x00\n")
    while True:
        _, text, body = HEAD.unpack(read(HEAD.size))
        asked = json.loads(read(text))
        threading.Thread(target=serve, args=(asked, read(body)), daemon=True).start()


if __name__ == "__main__":
    main()
