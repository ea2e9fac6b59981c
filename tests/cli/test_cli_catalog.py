"""Offers and the catalog as drawn: what is estimated, unknown, amiss or converted says so, in both languages."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from cli_world import Inside, Shell, answer

from tradewind.domain.offer import PriceStatus, Purchase, spread


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Inside(tmp_path / "home"))


def offers() -> list[Any]:
    found: list[Any] = answer("offers")["offers"]
    return found


def test_what_is_amiss_with_the_catalog_is_said_in_both_languages(shell: Shell) -> None:
    shell.inside.found = offers()[:1]
    shell.inside.beside = {"rebuilt": True, "clock_behind": {"today": "2020-01-01", "newest": "2026-11-18"}}
    for words, parts in (((), ("made anew", "2020-01-01, before")), (("--lang", "zh"), ("重新生成", "早于最新的价格"))):
        drawn, machine = shell("offers", *words), shell("offers", "--json", *words)
        for part in parts:
            assert part in drawn.out.replace("\n", " ") and part in machine.err.replace("\n", " ")


def test_how_age_enters_the_order_is_said_where_it_does(shell: Shell) -> None:
    first, second, *_ = offers()
    shell.inside.found = [{**first, "price_status": "dated"}, {**second, "price_status": "old"}]
    told = shell("offers").out
    assert "dated +10 %" in told and "old spot twice" in told
    said = (("dated", "on_demand", "1.10"), ("old", "on_demand", "1.25"), ("old", "spot", "2"))
    for status, purchase, widened in said:
        assert spread(PriceStatus(status), Purchase(purchase))[1] == Decimal(widened), "as the sentence says"
    shell.inside.beside = {"sorted_by": "carbon"}
    assert "Ranked by" not in shell("offers").out
    shell.inside.beside, shell.inside.found = {}, [{**first, "price_status": "dated"}] * 2
    assert "Ranked by" not in shell("offers").out, "one factor for all changes no order"


def test_what_is_unknown_of_all_offers_is_told_as_that(shell: Shell) -> None:
    bare = {**offers()[0], "region": "unknown", "zone": None, "city": None, "country": None, "memory_gib": None}
    shell.inside.found = [bare, {**bare, "instance_type": "other"}]
    told = shell("offers").out
    assert "not known of any: city, RAM" in told and "unknown" not in told


@pytest.mark.parametrize("width", ["72", "80", "120", "200"])
@pytest.mark.parametrize(("lang", "mark"), [("en", "estimate"), ("zh", "估计")])
def test_a_price_that_is_estimated_says_so_at_any_width(shell: Shell, width: str, lang: str, mark: str) -> None:
    shell.env["COLUMNS"] = width
    told = shell("catalog", "compare", "p4d.24xlarge", "--lang", lang).out
    estimated = [way for column in answer("catalog-compare")["columns"] for way in column["ways"]
                 if way["kind"] == "estimate"]  # fmt: skip
    assert len(estimated) == 3
    assert "".join(told.split()).count(mark) >= len(estimated)


def test_a_place_without_a_price_is_named_in_a_comparison(shell: Shell) -> None:
    compared = answer("catalog-compare")
    shell.inside.shelf.compared = {**compared, "region": "us-east-1"}
    assert "no price in us-east-1 is known" in shell("catalog", "compare", "gn7e").out
    shell.inside.shelf.compared = compared
    assert "no price is known" in shell("catalog", "compare", "gn7e").out


def test_chinese_answers_of_the_catalog_hold_no_english_sentence(shell: Shell) -> None:
    """Names, units and sources stay as they are; what speaks to people is Chinese."""
    english = {"estimate", "assumed", "upfront", "none", "wrong", "the", "a", "is", "of machines", "unknown", "month"}
    for words in (("compare", "p4d.24xlarge"), ("show", "p4d.24xlarge"), ("list",), ("gpus",)):
        told = shell("catalog", *words, "--lang", "zh").out
        told = "\n".join(line for line in told.splitlines() if not re.search("来源|AWS FAQ", line))
        assert {word for word in english if re.search(rf"(?<![\w-]){word}(?![\w-])", told)} == set(), words


def test_a_claim_that_is_wrong_says_why_it_goes_round_or_that_nobody_knows(shell: Shell) -> None:
    claim = {"about": ["p4d"], "said": "said", "said_zh": "说法", "verdict": "wrong", "verdict_zh": "错误",
             "true": "so", "true_zh": "如此", "why": None, "why_zh": None}  # fmt: skip
    shell.inside.shelf.shown = {**answer("catalog-show"), "claims": [claim]}
    assert "goes round is not known" in shell("catalog", "show", "p4d").out
    told = shell("catalog", "show", "p4d", "--lang", "zh").out
    assert "说法" in told and "尚不清楚" in told and "said" not in told
    shell.inside.shelf.shown["claims"] = [{**claim, "verdict": "plausible"}]
    assert "not known" not in shell("catalog", "show", "p4d").out


def test_several_machines_share_one_table_of_spot_records(shell: Shell) -> None:
    record = answer("catalog-show")["spot_records"][0]
    several = [{**record, "instance_type": name, "region": region, "interrupted": band, "saved": saved}
               for name, region, band, saved in (("p4d", "a", "<5%", 0.5), ("p4d", "b", ">20%", 0.7),
                                                 ("p5", "a", None, None))]  # fmt: skip
    shell.inside.shelf.shown = {**answer("catalog-show"), "spot_records": several}
    told = shell("catalog", "show", "p4d").out
    assert re.search(r"aws p4d +2 +<5%: 1, >20%: 1 +50–70 %", told)
    assert re.search(r"aws p5 +1 +– +–", told)


def test_terms_that_promise_nothing_say_so(shell: Shell) -> None:
    terms = [{"cloud": "huawei", "notice_s": 0.0, "source": "docs", "published": None},
             {"cloud": "nowhere", "notice_s": None, "source": None, "published": None}]  # fmt: skip
    shell.inside.shelf.shown = {**answer("catalog-show"), "spot_records": [], "spot_terms": terms}
    told = shell("catalog", "show", "p4d").out
    assert "huawei: no notice can be counted on (docs)." in told
    assert "nowhere: terms of spot machines are not known." in told


def test_of_each_way_of_buying_the_cheapest_places_are_drawn_and_own_prices_always(shell: Shell) -> None:
    line = answer("catalog-show")["prices"][0]
    many = [{**line, "region": f"region-{number}", "purchase": purchase}
            for purchase in ("on_demand", "spot") for number in range(9)]  # fmt: skip
    shell.inside.shelf.shown = {**answer("catalog-show"), "prices": [*many, {**line, "region": "mine", "own": True}]}
    told = shell("catalog", "show", "p4d").out
    assert len(re.findall("region-[0-5] ", told)) == 12 and "region-6" not in told
    assert "mine" in told and "6 more: --json has them all" in told


def test_data_sheets_stand_side_by_side_with_what_people_compare(shell: Shell) -> None:
    shell.env["COLUMNS"] = "80"
    heads = shell("catalog", "gpus").out.splitlines()[0].split()
    assert {"GPU", "GiB", "GB/s", "fp16", "link", "W", "CUDA"} <= set(heads)
    shell.env["COLUMNS"] = "120"
    assert {"fp32", "tf32", "bf16", "fp8", "int8"} <= set(shell("catalog", "gpus").out.splitlines()[0].split())
