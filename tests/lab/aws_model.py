"""AWS on the wire, by botocore's service models: requests read and checked, signatures verified, answers written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from urllib.parse import parse_qsl
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import botocore.session
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.validate import ParamValidator

from lab.stub import Heard, Objection, Reply

CREDENTIALS = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY")
TOLERANCE = timedelta(minutes=15)  # how far AWS lets a clock be off
_JSON = {"Content-Type": "application/x-amz-json-1.1"}
QUERY_SERVICES = ("ec2", "sts")
JSON_SERVICES = ("pricing", "service-quotas", "ssm")
_FILTER_NAME = re.compile(r"<code>([a-z][a-z0-9.-]+)</code>")


@cache
def model(service: str) -> Any:
    return botocore.session.get_session().get_service_model(service)


def read(heard: Heard) -> tuple[str, str, dict[str, Any]]:
    """Service, operation and parameters of a request.

    Raises:
        Objection: the service's model does not allow it.
    """
    if heard.method != "POST" or heard.path != "/":
        raise Objection("not an API call")
    target = heard.headers.get("x-amz-target", "")
    if target:
        prefix, _, operation = target.partition(".")
        service = next((each for each in JSON_SERVICES if model(each).metadata["targetPrefix"] == prefix), None)
        if service is None:
            raise Objection(f"unknown target {target}")
        return service, operation, _checked(service, operation, json.loads(heard.body))
    form = dict(parse_qsl(heard.body.decode(), keep_blank_values=True))
    operation, version = form.pop("Action", ""), form.pop("Version", "")
    service = next((each for each in QUERY_SERVICES if model(each).api_version == version), None)
    if service is None:
        raise Objection("Version")
    if operation not in model(service).operation_names:
        raise Objection(f"unknown action {operation}")
    shape = model(service).operation_model(operation).input_shape
    return service, operation, _checked(service, operation, _from_form(shape, _nested(form)))


def _checked(service: str, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
    if operation not in model(service).operation_names:
        raise Objection(f"unknown operation {operation}")
    shape = model(service).operation_model(operation).input_shape
    report = ParamValidator().validate(parameters, shape)
    if report.has_errors():
        raise Objection(report.generate_report())
    _check_words(shape, parameters)
    return parameters


def _check_words(shape: Any, value: Any) -> None:
    """What the validator leaves out: enumerations, and the names of filters, which stand in the documentation."""
    if shape.type_name == "structure":
        for name, each in value.items():
            _check_words(shape.members[name], each)
            documented = shape.members[name].documentation if name in ("Filter", "Filters") else ""
            allowed = set(_FILTER_NAME.findall(documented))
            unknown = {_kind(one["Name"]) for one in each if "Name" in one} - allowed if allowed else set()
            if unknown:
                raise Objection(f"unknown filters {unknown}")
    elif shape.type_name == "list":
        for each in value:
            _check_words(shape.member, each)
    elif shape.type_name == "string" and shape.enum and value not in shape.enum and shape.name != "InstanceType":
        raise Objection(f"{value!r} is not among {shape.enum}")


def _kind(name: str) -> str:
    """The word that the documentation has for a filter; where any tag can be asked for, there one can be."""
    return "tag-key" if name.startswith("tag:") else name


def _nested(form: Mapping[str, str]) -> dict[str, Any]:
    """``{"Filter.1.Name": …}`` as a tree of dictionaries."""
    tree: dict[str, Any] = {}
    for key, value in form.items():
        *path, last = key.split(".")
        at = tree
        for step in path:
            at = at.setdefault(step, {})
        at[last] = value
    return tree


def _from_form(shape: Any, told: Any) -> Any:
    if shape.type_name == "structure":
        members = {_form_name(name, member): (name, member) for name, member in shape.members.items()}
        if unknown := set(told) - set(members):
            raise Objection(f"unknown parameters {unknown}")
        return {members[key][0]: _from_form(members[key][1], value) for key, value in told.items()}
    if shape.type_name == "list":
        if sorted(map(int, told)) != list(range(1, len(told) + 1)):
            raise Objection(f"a list is numbered {sorted(told)}")
        return [_from_form(shape.member, told[str(number)]) for number in range(1, len(told) + 1)]
    if shape.type_name in ("integer", "long"):
        return int(told)
    if shape.type_name == "boolean":
        return {"true": True, "false": False}[told]
    return datetime.fromisoformat(told) if shape.type_name == "timestamp" else told


def _form_name(name: str, member: Any) -> str:
    told: str = member.serialization.get("queryName") or member.serialization.get("name") or name
    return told[0].upper() + told[1:]


def check_signature(heard: Heard, now: datetime) -> str | None:
    """Why a signed request is turned away: ``skew`` or ``signature``; None when it is good."""
    at = heard.headers.get("x-amz-date", "")
    found = re.match(
        r"AWS4-HMAC-SHA256 Credential=(\w+)/\d+/([\w-]+)/(\w+)/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w+)",
        heard.headers.get("authorization", ""),
    )
    if found is None or not at:
        return "signature"
    if abs(datetime.strptime(at, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC) - now) > TOLERANCE:
        return "skew"
    key, region, service, names, signature = found.groups()
    request = AWSRequest(
        heard.method,
        f"http://{heard.headers['host']}{heard.target}",
        {name: heard.headers[name] for name in names.split(";")},
        heard.body,
    )
    request.context["timestamp"] = at
    signer = SigV4Auth(CREDENTIALS, service, region)
    told = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    return None if key == CREDENTIALS.access_key and told == signature else "signature"


def written(service: str, operation: str, value: dict[str, Any]) -> Reply:
    """An answer as the service would write it; a member that its model lacks is a fault of the test."""
    if service in JSON_SERVICES:
        return Reply(body=json.dumps(value).encode(), headers=_JSON)
    shape = model(service).operation_model(operation).output_shape
    root = ElementTree.Element(f"{operation}Response", xmlns=model(service).metadata["xmlNamespace"])
    if shape is None:  # "it is done" is all
        ElementTree.SubElement(root, "requestId").text = "stub"
        ElementTree.SubElement(root, "return").text = "true"
    elif service == "ec2":
        ElementTree.SubElement(root, "requestId").text = "stub"
        _write(root, shape, value)
    else:
        _write(ElementTree.SubElement(root, shape.serialization["resultWrapper"]), shape, value)
        ElementTree.SubElement(ElementTree.SubElement(root, "ResponseMetadata"), "RequestId").text = "stub"
    return Reply(body=ElementTree.tostring(root), headers={"Content-Type": "text/xml"})


def _write(parent: ElementTree.Element, shape: Any, value: Any) -> None:
    if shape.type_name == "structure":
        for name, each in value.items():
            member = shape.members[name]
            _write(ElementTree.SubElement(parent, member.serialization.get("name", name)), member, each)
    elif shape.type_name == "list":
        for each in value:
            _write(ElementTree.SubElement(parent, shape.member.serialization.get("name", "item")), shape.member, each)
    elif shape.type_name == "boolean":
        parent.text = str(value).lower()
    else:
        parent.text = value.isoformat() if isinstance(value, datetime) else str(value)


def refused(service: str, code: str, words: str, status: int = 400, **headers: str) -> Reply:
    """An error as the service would write it."""
    if service in JSON_SERVICES:
        return Reply(status, json.dumps({"__type": code, "message": words}).encode(), {**_JSON, **headers})
    error = f"<Error><Code>{escape(code)}</Code><Message>{escape(words)}</Message></Error>"
    told = {
        "ec2": f"<Response><Errors>{error}</Errors><RequestID>stub</RequestID></Response>",
        "sts": f"<ErrorResponse>{error}<RequestId>stub</RequestId></ErrorResponse>",
    }
    return Reply(status, told[service].encode(), {"Content-Type": "text/xml", **headers})
