"""moto in this process, asked as a function: parameters in, the answer by botocore's model out.

moto's state is the process's: there is one of it at a time.
"""

from __future__ import annotations

import json
import os
import threading
from typing import Any
from urllib.parse import urlencode

from botocore.parsers import create_parser
from botocore.serialize import create_serializer
from werkzeug.exceptions import HTTPException

from lab.aws_model import model
from lab.engine import Refused, Told

ACCOUNT = "123456789012"
_FIXED: dict[tuple[str, str, str], Told] = {}


class Moto:
    """EC2 of one account as moto plays it; thread-safe, since one request is played at a time."""

    def __init__(self) -> None:
        os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"  # 1301 of 2017; the account has images of its own
        from moto.ec2.models import ec2_backends  # late: a second

        for account in ec2_backends.values():
            account.reset()
        self._serializer = create_serializer("ec2", include_validation=False)
        self._parser = create_parser("ec2")
        self._lock = threading.Lock()

    def fixed(self, region: str, operation: str, **asked: Any) -> Told:
        """The same for what never changes in moto: types, zones, offerings. Each is asked once in a process."""
        key = (region, operation, json.dumps(asked, sort_keys=True))
        if key not in _FIXED:
            _FIXED[key] = self.ask(region, operation, **asked)
        return _FIXED[key]

    def ask(self, region: str, operation: str, **asked: Any) -> Told:
        """What moto answers.

        Raises:
            Refused: moto refuses.
        """
        described = model("ec2").operation_model(operation)
        sent = self._serializer.serialize_to_request(asked, described)
        scope = f"Credential=A/20260101/{region}/ec2/aws4_request, SignedHeaders=host, Signature=none"
        headers = {"Authorization": f"AWS4-HMAC-SHA256 {scope}", "Content-Type": "application/x-www-form-urlencoded"}
        with self._lock:
            status, body = _played(f"https://ec2.{region}.amazonaws.com/", headers, urlencode(sent["body"]))
        told: Told = self._parser.parse({"body": body, "headers": {}, "status_code": status}, described.output_shape)
        if error := told.get("Error"):
            raise Refused(status, error["Code"], error["Message"])
        told.pop("ResponseMetadata", None)
        return told


def _played(url: str, headers: dict[str, str], body: str) -> tuple[int, bytes]:
    """Status and body of moto's answer."""
    from moto.core.request import Request
    from moto.ec2.responses import EC2Response

    request = Request.from_primitives("POST", url, headers, body.encode())
    try:
        status, _, told = EC2Response.dispatch(request, url, request.headers)
    except HTTPException as refused:
        status, told = refused.code or 400, refused.get_body()
    return status, told if isinstance(told, bytes) else str(told).encode()
