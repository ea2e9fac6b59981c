"""The three Chinese clouds' credentials and signatures, the latter by the published algorithms and not by SDK code.

Source: the clouds' signature pages (ACS3-HMAC-SHA256, TC3-HMAC-SHA256, SDK-HMAC-SHA256; read 2026-11).
"""

from __future__ import annotations

import hashlib
import hmac
import re
from datetime import UTC, datetime
from urllib.parse import quote

import pytest

from lab.stub import Heard

KEY_ID, SECRET = "AKIDofatest", "a-secret-that-must-not-be-told"
VARIABLES = {
    "alibaba": ("ALIBABA_CLOUD_ACCESS_KEY_ID", "ALIBABA_CLOUD_ACCESS_KEY_SECRET"),
    "tencent": ("TENCENTCLOUD_SECRET_ID", "TENCENTCLOUD_SECRET_KEY"),
    "huawei": ("HUAWEICLOUD_SDK_AK", "HUAWEICLOUD_SDK_SK"),
}


def sign_in(cloud: str, patch: pytest.MonkeyPatch, secret: str = SECRET) -> None:
    """Let the cloud's SDK find a test's credentials first in its chain."""
    for variable, value in zip(VARIABLES[cloud], (KEY_ID, secret), strict=True):
        patch.setenv(variable, value)
    if cloud == "alibaba":  # its SDK has read the environment when it was imported
        from alibabacloud_credentials.utils import auth_util

        patch.setattr(auth_util, "environment_access_key_id", KEY_ID)
        patch.setattr(auth_util, "environment_access_key_secret", secret)


def acs3(heard: Heard) -> bool:
    """Alibaba Cloud: whether the request was signed with ``SECRET``."""
    told = re.fullmatch(
        r"ACS3-HMAC-SHA256 Credential=(\S+),SignedHeaders=(\S+),Signature=(\w+)", heard.headers.get("authorization", "")
    )
    if not told or told[1] != KEY_ID or heard.headers["x-acs-content-sha256"] != _digest(heard.body):
        return False
    canonical = "\n".join([
        heard.method, heard.path, _query(heard), _headers(heard, told[2]), told[2], _digest(heard.body),
    ])  # fmt: skip
    return told[3] == _sign(SECRET.encode(), f"ACS3-HMAC-SHA256\n{_digest(canonical.encode())}").hex()


def tc3(heard: Heard, service: str) -> bool:
    """Tencent Cloud: whether the request was signed with ``SECRET``."""
    told = re.fullmatch(
        r"TC3-HMAC-SHA256 Credential=([^/]+)/(\S+), SignedHeaders=(\S+), Signature=(\w+)",
        heard.headers.get("authorization", ""),
    )
    stamp = heard.headers["x-tc-timestamp"]
    day = datetime.fromtimestamp(int(stamp), UTC).date().isoformat()
    if not told or told[1] != KEY_ID or told[2] != f"{day}/{service}/tc3_request":
        return False
    canonical = "\n".join([
        heard.method, heard.path, _query(heard), _headers(heard, told[3]), told[3], _digest(heard.body),
    ])  # fmt: skip
    key = f"TC3{SECRET}".encode()
    for step in (day, service, "tc3_request"):
        key = _sign(key, step)
    return told[4] == _sign(key, f"TC3-HMAC-SHA256\n{stamp}\n{told[2]}\n{_digest(canonical.encode())}").hex()


def sdk_hmac(heard: Heard) -> bool:
    """Huawei Cloud: whether the request was signed with ``SECRET``."""
    told = re.fullmatch(
        r"SDK-HMAC-SHA256 Access=(\S+), SignedHeaders=(\S+), Signature=(\w+)", heard.headers.get("authorization", "")
    )
    if not told or told[1] != KEY_ID:
        return False
    canonical = "\n".join([
        heard.method, f"{heard.path.rstrip('/')}/", _query(heard), _headers(heard, told[2]), told[2],
        _digest(heard.body),
    ])  # fmt: skip
    to_sign = f"SDK-HMAC-SHA256\n{heard.headers['x-sdk-date']}\n{_digest(canonical.encode())}"
    return told[3] == _sign(SECRET.encode(), to_sign).hex()


def _query(heard: Heard) -> str:
    return "&".join(f"{quote(name, '~')}={quote(value, '~')}" for name, value in sorted(heard.query.items()))


def _headers(heard: Heard, signed: str) -> str:
    return "".join(f"{name}:{heard.headers[name].strip()}\n" for name in signed.split(";"))


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _sign(key: bytes, words: str) -> bytes:
    return hmac.new(key, words.encode(), hashlib.sha256).digest()
