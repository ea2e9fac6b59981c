"""What Alibaba Cloud publishes of its operations: which parameters they take; by its SDKs' models, what they answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from lab.stub import Objection

_DESCRIBED = Path(__file__).with_name("specs") / "alibaba" / "operations.jsonl"
_PACKAGES = {
    "ecs": "alibabacloud_ecs20140526", "vpc": "alibabacloud_vpc20160428", "sts": "alibabacloud_sts20150401",
    "quotas": "alibabacloud_quotas20200510",
}  # fmt: skip
_TYPES = {
    "String": r"(?s:.*)", "Integer": r"-?\d+", "Long": r"-?\d+", "Float": r"-?\d+(\.\d+)?", "Boolean": "true|false",
}  # fmt: skip
_ANSWERED: dict[str, type | tuple[type, ...]] = {"str": str, "int": int, "float": (int, float), "bool": bool}


@cache
def described() -> dict[tuple[str, str], tuple[str, dict[str, Any]]]:
    """(version, operation) → its service and its parameters."""
    rows = (json.loads(line) for line in _DESCRIBED.read_text().splitlines())
    return {(row["version"], row["operation"]): (row["service"], row["parameters"]) for row in rows}


def service(version: str, operation: str) -> str:
    """The service that has the operation; Objection where none that is described has."""
    if (version, operation) not in described():
        raise Objection(f"no operation {operation} of {version} is described in {_DESCRIBED.name}")
    return described()[version, operation][0]


def check_request(version: str, operation: str, query: Mapping[str, str], body: Mapping[str, str]) -> None:
    """Object to unknown parameters, values of another type, what is missing, and what is in another place."""
    name, parameters = service(version, operation), described()[version, operation][1]
    for place, given in (("query", query), ("body", body)):
        for key, value in given.items():
            found = _find(parameters, key) or _in_model(f"{operation}Request", name, key)
            if found is None:
                raise Objection(f"{operation} has no parameter {key}")
            word, _, where = found.partition("@")
            if ("body" if where in ("Body", "FormData") else "query") != place:
                raise Objection(f"{operation} does not take {key} in the {place}")
            if not re.fullmatch(_TYPES.get(word, "$."), value):
                raise Objection(f"{key}={value[:80]!r} is no {word}")
    _check_required(operation, parameters, {**query, **body})


def nested(flat: Mapping[str, str]) -> dict[str, Any]:
    """``Tag.1.Key`` and its like as lists and objects; Objection where a number is left out."""
    told: dict[str, Any] = {}
    for key, value in flat.items():
        *path, last = key.split(".")
        place = told
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    return {key: _listed(key, value) for key, value in told.items()}


def check_answer(service_name: str, operation: str, told: dict[str, Any]) -> dict[str, Any]:
    """``told``, which the operation's model must read and write back unchanged, each value of its type."""
    body = getattr(_models(service_name), f"{operation}ResponseBody")()
    body.from_map(told)
    back = json.loads(json.dumps(body.to_map()))
    assert back == told, f"the answer to {operation} is not the published one: {told} is read as {back}"
    _check_types(operation, body)
    return told


def _find(parameters: Mapping[str, Any], key: str) -> str | None:
    """The type and place of a parameter by its dotted name; structs whose parts are not described are not found."""
    if key in parameters:
        word, _ = _word(parameters[key])
        return word if word.partition("@")[0] in _TYPES else None
    head, _, rest = key.partition(".")
    number, _, part = rest.partition(".")
    if head not in parameters or not number.isdigit():
        return None
    word, parts = _word(parameters[head])
    if not word.startswith("RepeatList") or bool(part) != bool(parts):
        return None
    return _find(parts, part) if part else word.replace("RepeatList", "String")


def _word(told: Any) -> tuple[str, dict[str, Any]]:
    """The type and place of a parameter, and its parts."""
    word, parts = told if isinstance(told, list) else (told, {})
    return word.replace("*", ""), parts


def _in_model(model: str, service_name: str, key: str) -> str | None:
    """The type by the SDK's model, which describes the parts of structs and arrays that the description leaves out."""
    head, _, rest = key.partition(".")
    number, _, part = rest.partition(".")
    rest = part if number.isdigit() else rest
    if not rest:
        return None
    *between, last = rest.split(".")
    kind = getattr(_models(service_name), f"{model}{head}{''.join(between)}", None)
    if kind is None:
        return None
    read = kind()
    read.from_map({last: ""})
    names = [attribute for attribute, value in vars(read).items() if value is not None]
    words = {"str": "String", "int": "Integer", "bool": "Boolean", "float": "Float"}
    return words.get(str(kind.__init__.__annotations__[names[0]])) if names else None


def _check_required(operation: str, parameters: Mapping[str, Any], given: Mapping[str, str]) -> None:
    for name, told in parameters.items():
        word, parts = told if isinstance(told, list) else (told, {})
        elements = {".".join(key.split(".")[:2]) for key in given if key.startswith(f"{name}.")}
        if "*" in word and name not in given and not elements:
            raise Objection(f"{operation} misses {name}")
        for element in elements:
            below = {key.removeprefix(f"{element}."): value for key, value in given.items() if key.startswith(element)}
            _check_required(f"{operation} {element}", parts, below)


def _listed(key: str, value: Any) -> Any:
    """Objects whose keys are numbers, as lists."""
    if not isinstance(value, dict):
        return value
    if not all(name.isdigit() for name in value):
        return {name: _listed(f"{key}.{name}", part) for name, part in value.items()}
    if sorted(map(int, value)) != list(range(1, len(value) + 1)):
        raise Objection(f"{key} is not numbered from 1 on without gaps")
    return [_listed(key, value[str(number)]) for number in range(1, len(value) + 1)]


def _check_types(where: str, body: Any) -> None:
    for name, kind in type(body).__init__.__annotations__.items():
        word = kind if isinstance(kind, str) else getattr(kind, "__name__", "")
        value, wanted = getattr(body, name, None), _ANSWERED.get(word.removeprefix("List[").rstrip("]"))
        for each in value if isinstance(value, list) else [value]:
            if hasattr(each, "to_map"):
                _check_types(f"{where}.{name}", each)
            elif wanted and each is not None:
                fits = isinstance(each, wanted) and (wanted is bool or not isinstance(each, bool))
                assert fits, f"{where}.{name} is {each!r}, not {word}"


@cache
def _models(service_name: str) -> Any:
    return import_module(f"{_PACKAGES[service_name]}.models")
