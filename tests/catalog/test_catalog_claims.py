"""Where popular guides are wrong: what is told, what is true, and why the other figure goes round."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from tradewind.catalog.claims import all_claims, claims_about
from tradewind.catalog.families import family, require_machines
from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.gpus import data_sheet, resolve, shared_by

FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")


@pytest.mark.parametrize(("name", "said", "true"), [
    ("V100", "125 TFLOPS", "125 is the fp16 tensor-core peak"), ("GN10X", "1139 TFLOPS", "494.7"),
    ("A100", "192GB", "8x40=320 GB or 8x80=640 GB"), ("gn7", "gn7 has T4", "T4 = gn6i"),
    ("gn6i", "gn6i has A100", "gn6i = T4"), ("p4d.24xlarge", "3.696", "32.77"), ("GN10Xp", "112 vCPU", "80 vCPU"),
    ("gn7e", "96 vCPU", "64 vCPU"), ("spot", "10 %", "0.36"),
])  # fmt: skip
def test_what_is_told_is_set_right(name: str, said: str, true: str) -> None:
    assert any(said in claim.said and true in claim.true for claim in claims_about(name))


@pytest.mark.parametrize("name", ["ecs.gn7", "GN7", "NVIDIA H100", "h100-80gb", "Tesla V100"])
def test_a_claim_is_found_however_its_subject_is_spelt(name: str) -> None:
    assert claims_about(name)


def test_nothing_is_told_about_what_nobody_is_wrong_about() -> None:
    assert claims_about("g4dn") == claims_about("L4") == ()


def test_wrong_ones_come_first_and_say_why_they_go_round() -> None:
    verdicts = [claim.verdict.startswith("wrong") for claim in claims_about("T4")]
    assert verdicts == sorted(verdicts, reverse=True)
    for claim in all_claims():
        assert claim.about
        assert claim.true
        assert claim.checked
        assert claim.source
        assert claim.why or not claim.verdict.startswith("wrong") or "GN10Xp" in claim.said


def test_a_claim_is_told_in_both_languages() -> None:
    for claim in all_claims():
        pairs = [(claim.said, claim.said_zh), (claim.verdict, claim.verdict_zh), (claim.true, claim.true_zh)]
        for english, chinese in [*pairs, (claim.why or "", claim.why_zh or "")]:
            assert re.search("[\u4e00-\u9fff]", english) is None, english
            assert (re.search("[\u4e00-\u9fff]", chinese) is not None) == bool(english), chinese


def test_both_languages_tell_the_same_figures() -> None:
    """A figure of the Chinese truth stands in the English one: nothing was changed on the way."""
    for claim in all_claims():
        known = {Decimal(each.replace(",", "")) for each in FIGURE.findall(claim.true + claim.said)}
        told = {Decimal(each.replace(",", "")) for each in FIGURE.findall(claim.true_zh + claim.said_zh)}
        assert told <= known, claim.true_zh


def test_a_claim_speaks_of_things_that_exist(snapshot: Snapshot) -> None:
    for claim in all_claims():
        for word in claim.about:
            known = word in {"spot", "reserved", "p4"} or resolve(word) or shared_by(word) or family(snapshot, word)
            assert known or require_machines(snapshot, word), word


def test_the_truth_agrees_with_the_catalog(snapshot: Snapshot) -> None:
    h100 = data_sheet("H100-80GB", "SXM")
    assert h100
    assert h100.peak_tflops["tf32"] == pytest.approx(494.7, rel=0.01)
    assert next(each.cpus for each in family(snapshot, "GN10Xp") if each.gpus == 8) == 80
    assert {each.cpus for each in family(snapshot, "gn7e") if each.gpus == 4} == {64}
