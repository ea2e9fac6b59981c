"""Texts of a job file → domain values, as validators; what cannot be read becomes a fault that pydantic carries on."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from tradewind.app.jobfile import shapes, spans
from tradewind.domain.accelerators import parse_accelerators
from tradewind.domain.errors import BadInput
from tradewind.domain.money import Money, parse_money
from tradewind.domain.precision import ALIASES, Precision, parse_precision
from tradewind.domain.workload import Accelerators as Wish
from tradewind.domain.workload import PreemptAt

NAME_LENGTH = 80
LONGEST = 1_000  # letters of a name, a time, a sum: more are looked at by nothing that takes its time with each
MOST = 10**24  # operations a sample of the largest models imagined; products of a few such numbers stay finite

_ENV_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f/\\]")
_IMAGE_SIZE = re.compile(r"^(\d{1,5})(?:[x×](\d{1,5})[x×](\d{1,5}))?$")
_ADAPTER = re.compile(r"^q?lora:[1-9]\d{0,4}$")
_MESH = re.compile(r"^(?:(?:tp|pp|dp|cp)=[1-9]\d{0,4})(?:,(?:tp|pp|dp|cp)=[1-9]\d{0,4}){0,3}$")
STRATEGIES = ("auto", "single", "ddp", "zero1", "zero2", "fsdp", "fsdp-grad-op")
CHANNELS = 3  # of an image whose size is one number
_WITH_UNIT = re.compile(r"^\s*[-+]?\d[\d.]*\s*[^\d.\s]")
_CPUS = re.compile(r"^(\d+)\s*\+?$")
T = TypeVar("T")


def fault(code: str, **facts: object) -> PydanticCustomError:
    """A fault that pydantic carries to the end, so that all are told at once."""
    return PydanticCustomError(code, code, {key: str(value) for key, value in facts.items()})


def told(parse: Callable[[str], T]) -> Callable[[Any], T]:
    """``parse`` for a validator: what is neither text nor number is a fault, and its BadInput becomes one.

    A number is read as its text, so that ``deadline: 12`` is told that it lacks a unit.
    """

    def read(value: Any) -> T:
        if kind(value) not in {"text", "number"}:
            raise fault("type-wrong", wanted="text", got=kind(value))
        text = str(value)
        if len(text) > LONGEST:
            raise fault("value-too-long", limit=LONGEST)
        try:
            return parse(text)
        except BadInput as bad:
            raise fault(bad.code, **bad.facts) from None

    return read


def kind(value: Any) -> str:
    """What a value of a document is, as a code: ``text number truth list mapping nothing``."""
    kinds: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (bool, "truth"), (str, "text"), ((int, float), "number"), (list, "list"), (dict, "mapping"),
    )  # fmt: skip
    return next((name for types, name in kinds if isinstance(value, types)), "nothing")


def choice(*choices: str) -> BeforeValidator:
    """One of ``choices``, whatever its case."""

    def read(text: str) -> str:
        plain = text.strip().lower()
        if plain in choices:
            return plain
        raise BadInput("choice-unknown", value=text, nearest=near(plain, choices), choices=", ".join(choices))

    return BeforeValidator(told(read), Annotated[Any, WithJsonSchema(shapes.one_of(*choices))])


def near(word: str, choices: tuple[str, ...]) -> str:
    """The choice that ``word`` may have meant, or an empty text."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, choices, 1, 0.6)), "")


def _not_truth(value: Any) -> Any:
    if isinstance(value, str) and _WITH_UNIT.match(value):
        raise fault("number-with-unit", text=value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise fault("type-wrong", wanted="number", got=kind(value))
    if not abs(value) <= MOST:
        raise fault("number-out-of-range", value=f"{value:.3g}", limit=f"≤ {MOST:.0e}")
    return value


def _job_name(text: str) -> str:
    if not text.strip() or len(text) > NAME_LENGTH or _UNPRINTABLE.search(text):
        raise BadInput("name-unusable", text=text[:NAME_LENGTH], limit=NAME_LENGTH)
    return text.strip()


def _env_name(text: str) -> str:
    if not _ENV_NAME.match(text):
        raise BadInput("env-name-unusable", text=text)
    return text


def _image(text: str) -> str:
    scheme, colon, rest = text.strip().partition(":")
    if scheme not in {"docker", "machine"} or not colon or not rest.strip():
        raise BadInput("image-unreadable", text=text)
    return text.strip()


def _residency(text: str) -> str:
    plain = text.strip().upper()
    if plain != "EEA" and not re.fullmatch("[A-Z]{2}", plain):
        raise BadInput("residency-unreadable", text=text)
    return plain


def _precision(text: str) -> Precision:
    try:
        return parse_precision(text)
    except ValueError:
        names = (*(each.value for each in Precision), *ALIASES)
        nearest = near(text.strip().lower(), names)
        raise BadInput("choice-unknown", value=text, nearest=nearest, choices=", ".join(names)) from None


def parse_deadline(text: str) -> float | datetime:
    """Seconds since submit of ``12h``, or the instant of ISO 8601 text with a zone.

    Raises:
        BadInput: as :func:`spans.parse_span` and :func:`spans.parse_instant`.
    """
    if re.match(r"^\s*\d{4}-", text):
        return spans.parse_instant(text)
    return spans.parse_span(text)


def _cpus(value: Any) -> Any:
    match = _CPUS.match(value) if isinstance(value, str) else None
    return int(match[1]) if match else _not_truth(value)


def _accelerators(value: Any) -> Wish:
    if isinstance(value, int) and not isinstance(value, bool):
        value = f"any:{value}"
    return told(parse_accelerators)(value)


def _image_size(value: Any) -> tuple[int, ...]:
    if isinstance(value, list | tuple):
        value = "x".join(map(str, value))
    return told(image_size)(value)


def image_size(text: str) -> tuple[int, ...]:
    """Channels, height, width of ``224`` (three channels, square) or ``3x224x224``.

    Raises:
        BadInput: ``image-size-unreadable`` (text).
    """
    match = _IMAGE_SIZE.match(text.strip().lower())
    size = tuple(int(part) for part in match.groups() if part) if match else ()
    if not size or 0 in size:
        raise BadInput("image-size-unreadable", text=text)
    return size if len(size) > 1 else (CHANNELS, size[0], size[0])


def _adapter(text: str) -> str:
    plain = text.strip().lower()
    if plain != "none" and not _ADAPTER.match(plain):
        raise BadInput("adapter-unreadable", text=text)
    return plain


def _strategy(text: str) -> str:
    plain = text.strip().lower().replace(" ", "")
    if plain in STRATEGIES:
        return plain
    axes = [part.partition("=")[0] for part in plain.split(",")]
    if _MESH.match(plain) and len(set(axes)) == len(axes):
        return plain
    choices = ", ".join((*STRATEGIES, "tp=T,pp=P,dp=D"))
    raise BadInput("choice-unknown", value=text, nearest=near(plain, STRATEGIES), choices=choices)


def _preempt_at(value: Any) -> tuple[PreemptAt, ...]:
    parts = value if isinstance(value, list) else [value]
    return tuple(at for part in parts for at in told(spans.parse_preempt_at)(part))


def listed(value: Any) -> Any:
    """A single text as a list of one."""
    return [value] if isinstance(value, str) else value


def _not_blank(text: str) -> str:
    if not text.strip():
        raise fault("value-empty")
    return text


Text = Annotated[str, AfterValidator(_not_blank), WithJsonSchema(shapes.TEXT)]
Texts = Annotated[list[Text], BeforeValidator(listed), WithJsonSchema(shapes.TEXTS)]
Truth = Annotated[bool, WithJsonSchema(shapes.TRUTH)]
Count = Annotated[int, BeforeValidator(_not_truth), Field(gt=0), WithJsonSchema(shapes.COUNT)]
Amount = Annotated[float, BeforeValidator(_not_truth), Field(gt=0, allow_inf_nan=False), WithJsonSchema(shapes.AMOUNT)]
Port = Annotated[int, BeforeValidator(_not_truth), Field(gt=0, lt=65_536), WithJsonSchema(shapes.PORT)]
Ports = Annotated[list[Port], WithJsonSchema(shapes.PORTS)]
Cpus = Annotated[int, BeforeValidator(_cpus), Field(gt=0), WithJsonSchema(shapes.CPUS)]
Span = Annotated[float, BeforeValidator(told(spans.parse_span)), WithJsonSchema(shapes.SPAN)]
Deadline = Annotated[float | datetime, BeforeValidator(told(parse_deadline)), WithJsonSchema(shapes.DEADLINE)]
Every = Annotated[str, BeforeValidator(told(spans.parse_every)), WithJsonSchema(shapes.EVERY)]
Preemptions = Annotated[tuple[PreemptAt, ...], BeforeValidator(_preempt_at), WithJsonSchema(shapes.PREEMPTIONS)]
Limit = Annotated[Money, BeforeValidator(told(parse_money)), WithJsonSchema(shapes.MONEY)]
Accelerators = Annotated[Wish, BeforeValidator(_accelerators), WithJsonSchema(shapes.ACCELERATORS)]
PrecisionName = Annotated[
    Precision, BeforeValidator(told(_precision)), WithJsonSchema(shapes.one_of(*Precision, *ALIASES))
]
JobName = Annotated[str, BeforeValidator(told(_job_name)), WithJsonSchema(shapes.NAME)]
EnvName = Annotated[str, BeforeValidator(told(_env_name)), WithJsonSchema(shapes.ENV_NAME)]
EnvNames = Annotated[list[EnvName], BeforeValidator(listed), WithJsonSchema(shapes.ENV_NAMES)]
Env = Annotated[dict[EnvName, str], WithJsonSchema(shapes.ENV)]
Image = Annotated[str, BeforeValidator(told(_image)), WithJsonSchema(shapes.IMAGE)]
ImageSize = Annotated[tuple[int, int, int], BeforeValidator(_image_size), WithJsonSchema(shapes.IMAGE_SIZE)]
Adapter = Annotated[str, BeforeValidator(told(_adapter)), WithJsonSchema(shapes.ADAPTER)]
Strategy = Annotated[str, BeforeValidator(told(_strategy)), WithJsonSchema(shapes.strategy(STRATEGIES))]
Residency = Annotated[str, BeforeValidator(told(_residency)), WithJsonSchema(shapes.RESIDENCY)]
