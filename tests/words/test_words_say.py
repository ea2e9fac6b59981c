"""How sentences are filled, and which language is spoken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradewind import words
from tradewind.domain.errors import BadInput, NotFound, TradewindError


def test_an_error_is_told_in_both_languages() -> None:
    error = NotFound("job-unknown", name="nobody", known="job-1")
    assert words.error(error, "en") == (
        "No job is called `nobody`", "The newest jobs: job-1.", "tradewind ps --all lists every job.",
    )  # fmt: skip
    assert words.error(error, "zh").what == "没有名为 `nobody` 的任务"


def test_a_part_without_its_fact_is_left_out() -> None:
    assert words.error(BadInput("key-unknown", key="a", nearest=""), "en").what == "`a`: no such key."
    assert words.error(BadInput("key-unknown", key="a", nearest="b"), "en").what.endswith("Did you mean `b`?")
    assert words.fill("{a}[[ and {b}]]", {"a": "1"}, "en") == "1"
    assert words.fill("{a} and {b}", {"a": "1"}, "en") == "1 and ?"


def test_a_fact_may_be_a_code() -> None:
    error = BadInput("type-wrong", key="training.epochs", wanted="number", got="truth")
    assert words.error(error, "en").what == "`training.epochs`: a number is wanted, not true or false."
    assert words.fill("{a:kind}", {"a": "list"}, "zh") == "列表"
    assert words.fill("{a:kind}", {"a": "strange"}, "en") == "strange"


def test_what_is_not_known_is_told_as_it_is() -> None:
    assert words.error(TradewindError("new-code", disk="3 GB"), "en") == ("new-code disk='3 GB'", "", "")
    assert words.say("no-such-label", "zh") == "no-such-label"
    assert words.reason("something else: happened", "en", "why-") == "something else: happened"


def test_coded_reasons() -> None:
    assert words.reason("disk-assumed gb=50", "en", "assumed-") == "A disk of 50 GB."
    assert words.reason("quota-unknown cloud='alibaba cn'", "en", "assumed-").endswith("unknown: alibaba cn.")
    assert words.reason("reclaimed", "zh", "reason-") == "被收回"


@given(st.text(max_size=30), st.text(max_size=30))
def test_facts_are_never_templates(name: str, near: str) -> None:
    told = words.error(BadInput("gpu-unknown", name=name, nearest=near), "en")
    assert f"No GPU is called `{name}`." in told.what


@pytest.mark.parametrize(
    ("env", "asked", "lang"),
    [
        ({}, None, "en"),
        ({"LANG": "zh_CN.UTF-8"}, None, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, None, "en"),
        ({"LANG": "en_GB", "LC_MESSAGES": "zh_TW"}, None, "zh"),
        ({"LC_ALL": "", "LANG": "zh"}, None, "zh"),
        ({"LANG": "zh_CN"}, "en", "en"),
        ({}, "ZH", "zh"),
    ],
)
def test_language(env: dict[str, str], asked: str | None, lang: str) -> None:
    assert words.language(env, asked) == lang


def test_another_language_is_refused() -> None:
    with pytest.raises(BadInput, match="language-unknown"):
        words.language({}, "fr")
