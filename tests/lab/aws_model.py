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

import botocore.session
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.validate import ParamValidator

from lab.stub import Heard, Objection, Reply

CREDENTIALS = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY")
TOLERANCE = timedelta(minutes=15)  # how far AWS lets a clock be off
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
        if prefix != model("pricing").metadata["targetPrefix"]:
            raise Objection(f"unknown target {target}")
        return "pricing", operation, _checked("pricing", operation, json.loads(heard.body))
    form = dict(parse_qsl(heard.body.decode(), keep_blank_values=True))
    operation = form.pop("Action", "")
    if form.pop("Version", "") != model("ec2").api_version:
        raise Objection("Version")
    if operation not in model("ec2").operation_names:
        raise Objection(f"unknown action {operation}")
    shape = model("ec2").operation_model(operation).input_shape
    return "ec2", operation, _checked("ec2", operation, _from_form(shape, _nested(form)))


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
            allowed = set(_FILTER_NAME.findall(shape.members[name].documentation)) if name == "Filters" else set()
            unknown = {one["Name"] for one in each if "Name" in one} - allowed if allowed else set()
            if unknown:
                raise Objection(f"unknown filters {unknown}")
    elif shape.type_name == "list":
        for each in value:
            _check_words(shape.member, each)
    elif shape.type_name == "string" and shape.enum and value not in shape.enum and shape.name != "InstanceType":
        raise Objection(f"{value!r} is not among {shape.enum}")


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
    if service == "pricing":
        return Reply(body=json.dumps(value).encode(), headers={"Content-Type": "application/x-amz-json-1.1"})
    shape = model("ec2").operation_model(operation).output_shape
    root = ElementTree.Element(f"{operation}Response", xmlns=model("ec2").metadata["xmlNamespace"])
    ElementTree.SubElement(root, "requestId").text = "stub"
    _write(root, shape, value)
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
    if service == "pricing":
        body = json.dumps({"__type": code, "message": words}).encode()
        return Reply(status, body, {"Content-Type": "application/x-amz-json-1.1", **headers})
    body = (
        f"<Response><Errors><Error><Code>{code}</Code><Message>{words}</Message></Error></Errors>"
        "<RequestID>stub</RequestID></Response>"
    ).encode()
    return Reply(status, body, {"Content-Type": "text/xml", **headers})
