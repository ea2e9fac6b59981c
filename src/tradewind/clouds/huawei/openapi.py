"""Huawei Cloud's interfaces asked by the core of its SDK: it finds the credentials, signs, and sends once."""

from __future__ import annotations

import logging
from decimal import Decimal
from typing import Any, Literal

from tradewind.ports.compute import CloudFault

TIMEOUT_S = (5, 60)  # connect, read
_SDK_LOGGER = "HuaweiCloud-SDK-Client"
Kind = Literal["auth", "clock", "throttle", "unavailable", "not_found", "invalid"]
_KINDS: dict[str, Kind] = {
    "APIGW.0301": "auth", "APIGW.0302": "auth", "APIGW.0308": "throttle", "APIGW.0802": "auth", "Ecs.0003": "auth",
}  # fmt: skip
_BY_STATUS: dict[int, Kind] = {401: "auth", 403: "auth", 404: "not_found", 429: "throttle"}
_CLOCK_WORDS = "signature expired"  # a clock that is off is refused under the code of a wrong signature


def classify(code: str | None, status: int, words: str) -> CloudFault:
    """The fault that an interface answered."""
    kind = _KINDS.get(code or "") or _BY_STATUS.get(status) or ("unavailable" if status >= 500 else "invalid")
    if kind == "auth" and _CLOCK_WORDS in words.lower():
        kind = "clock"
    return CloudFault(kind, f"{code or status}: {words[:300]}", sent="yes")


class OpenApi:
    """One interface at ``endpoint``, which has its scheme. ``credential`` is the SDK's."""

    def __init__(self, credential: Any, endpoint: str) -> None:
        self._credential = credential
        self._endpoint = endpoint
        self._made: Any = None

    def name_account(self, domain: str) -> None:
        """Send the account's id along, as BSS wants it with a signature."""
        self._credential.domain_id = domain

    def get(self, path: str, **query: str) -> dict[str, Any]:
        """The answer of a GET; numbers in it are exact. Raises as :meth:`post`."""
        return self._ask("GET", path, list(query.items()), None)

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer of a POST; numbers in it are exact.

        Raises:
            CloudFault: refused, throttled, not answered, or not answered in JSON (``invalid``).
        """
        return self._ask("POST", path, [], body)

    def _ask(self, method: str, path: str, query: list[tuple[str, str]], body: Any) -> dict[str, Any]:
        from huaweicloudsdkcore.exceptions.exceptions import SdkException, ServiceResponseException

        try:
            answer = self._client().do_http_request(
                method, path, query_params=query, header_params={}, path_params={}, collection_formats={}, body=body,
                response_type=_as_written(),
            )  # fmt: skip
            told = answer.to_json_object(parse_float=Decimal)
        except ServiceResponseException as error:
            raise classify(error.error_code, error.status_code, str(error.error_msg)) from None
        except SdkException as error:  # no answer
            raise CloudFault("unavailable", f"{path}: {str(error)[:300]}", sent="maybe") from None
        except OSError as error:  # half of one, which the SDK lets through
            raise CloudFault("unavailable", f"{path}: {type(error).__name__}", sent="maybe") from None
        except ValueError:
            told = None
        if not isinstance(told, dict):
            raise CloudFault("invalid", f"{path}: the answer is not a JSON object", sent="yes")
        return told

    def _client(self) -> Any:
        from huaweicloudsdkcore.client import Client, ClientBuilder
        from huaweicloudsdkcore.http.http_config import HttpConfig

        if self._made is None:
            logging.getLogger(_SDK_LOGGER).addHandler(logging.NullHandler())  # faults are told by us, once
            builder = ClientBuilder(Client, type(self._credential).__name__).with_credentials(self._credential)
            self._made = builder.with_endpoint(self._endpoint).with_http_config(HttpConfig(timeout=TIMEOUT_S)).build()
        return self._made


def _as_written() -> type:
    """What the SDK reads an answer into that is to be kept as it came: a model without fields."""
    from huaweicloudsdkcore.sdk_response import SdkResponse

    return type("AsWritten", (SdkResponse,), {"openapi_types": {}})


def default_credential() -> Any:
    """What the SDK's own chain finds for the whole account: environment, ~/.huaweicloud/credentials, the machine's.

    Raises:
        CloudFault: ``auth``: it finds none.
    """
    from huaweicloudsdkcore.auth.provider import CredentialProviderChain
    from huaweicloudsdkcore.exceptions.exceptions import SdkException

    try:
        return CredentialProviderChain.get_global_credential_provider_chain().get_credentials()
    except (SdkException, OSError) as error:
        raise CloudFault("auth", f"no credentials: {str(error)[:300]}", sent="no") from None


def in_project(credential: Any, project: str) -> Any:
    """The same credential for one project, which is what an account has in each region."""
    from huaweicloudsdkcore.auth.credentials import BasicCredentials

    return BasicCredentials(credential.ak, credential.sk, project).with_security_token(credential.security_token)
