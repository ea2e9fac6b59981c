"""CVM asked by the core of Tencent Cloud's SDK: it finds the credentials, signs, and sends once."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, Literal

from tradewind.ports.compute import CloudFault

VERSION = "2017-03-12"
TIMEOUT_S = 60
Answer = dict[str, Any]
Kind = Literal["auth", "clock", "throttle", "unavailable", "quota", "invalid"]

# What a code begins with decides, the first line that fits. Every one comes under HTTP 200; the two that end in
# "NetworkError" are the SDK's own: any other status, and no answer.
_KINDS: tuple[tuple[str, Kind], ...] = (
    ("RequestLimitExceeded", "throttle"),
    ("AuthFailure.SignatureExpire", "clock"),
    ("AuthFailure", "auth"),
    ("UnauthorizedOperation", "auth"),
    ("LimitExceeded", "quota"),
    ("InternalError", "unavailable"),
    ("InternalServerError", "unavailable"),
    ("ServerNetworkError", "unavailable"),
    ("ClientNetworkError", "unavailable"),
    ("ResourceUnavailable", "unavailable"),
)


def classify(code: str, words: str) -> CloudFault:
    """The fault that CVM or its SDK told by ``code``."""
    kind: Kind = next((kind for begin, kind in _KINDS if code.startswith(begin)), "invalid")
    return CloudFault(kind, f"{code}: {words}", sent="maybe" if code.endswith("NetworkError") else "yes")


class Cvm:
    """The CVM of every region. ``endpoint`` has its scheme; None is the SDK's own of the region."""

    def __init__(self, credential: Any, endpoint: str | None) -> None:
        self._credential = credential
        self._endpoint = endpoint
        self._clients: dict[str, Any] = {}

    def ask(self, region: str, action: str, parameters: dict[str, Any]) -> Answer:
        """What ``Response`` holds; numbers in it are exact.

        Raises:
            CloudFault: refused, throttled, not answered, or not answered in JSON (``invalid``).
        """
        from tencentcloud.common.exception.tencent_cloud_sdk_exception import TencentCloudSDKException

        try:
            body = self._client(region).call(action, parameters)
        except TencentCloudSDKException as error:
            raise classify(error.code, _brief(error.message)) from None
        except OSError as error:  # half an answer, which the SDK lets through
            raise CloudFault("unavailable", f"{action}: {type(error).__name__}", sent="maybe") from None
        except (ValueError, KeyError, TypeError):  # the SDK looks for an error in the answer, and trips over its shape
            raise CloudFault("invalid", f"{action}: the answer is not the published one", sent="yes") from None
        return read(action, body)

    def _client(self, region: str) -> Any:
        from tencentcloud.common.common_client import CommonClient
        from tencentcloud.common.profile.client_profile import ClientProfile
        from tencentcloud.common.profile.http_profile import HttpProfile

        if region not in self._clients:
            scheme, _, host = (self._endpoint or "https://").partition("://")
            http = HttpProfile(protocol=scheme, endpoint=host or None, reqTimeout=TIMEOUT_S)
            profile = ClientProfile(httpProfile=http)
            self._clients[region] = CommonClient("cvm", VERSION, self._credential, region, profile)
        return self._clients[region]


def read(action: str, body: bytes) -> Answer:
    """The object under ``Response`` in ``body``."""
    try:
        answer = json.loads(body, parse_float=Decimal)["Response"]
    except (ValueError, KeyError, TypeError):
        raise CloudFault("invalid", f"{action}: the answer has no Response", sent="yes") from None
    if not isinstance(answer, dict):
        raise CloudFault("invalid", f"{action}: the Response is not an object", sent="yes")
    return answer


def default_credential() -> Any:
    """What the SDK's own chain finds: environment, ~/.tencentcloud/credentials, the machine's role, OIDC.

    Raises:
        CloudFault: ``auth``: it finds none.
    """
    from tencentcloud.common.credential import DefaultCredentialProvider
    from tencentcloud.common.exception.tencent_cloud_sdk_exception import TencentCloudSDKException

    try:
        return DefaultCredentialProvider().get_credentials()
    except (TencentCloudSDKException, OSError, ValueError, KeyError) as error:
        raise CloudFault("auth", f"no credentials: {error}", sent="no") from None


def _brief(message: Any) -> str:
    return (message.decode(errors="replace") if isinstance(message, bytes) else str(message))[:300]
