"""``tradewind plan``: the drawing against golden files, the picture, the plain list, the page, flags and exit codes.

To write the golden files anew: TRADEWIND_GOLDEN=1 pytest tests/cli/test_cli_plan.py; then read the diff.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import contracts
import pytest
from cli_world import Inside, Shell, answer, job_file
from hypothesis import given
from hypothesis import strategies as st
from pages import Page
from rich.cells import cell_len

from tradewind import words
from tradewind.cli.draw import front, plan_reasons
from tradewind.cli.draw.axes import axis
from tradewind.cli.draw.choices import MOST, choices
from tradewind.cli.draw.markup import element
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.plan_page import page
from tradewind.cli.draw.scene import scene
from tradewind.domain.money import Money

GOLDEN = Path(__file__).parent / "golden"
RECORDED = ("plan", "plan-front", "plan-far", "plan-infeasible", "plan-resources")
Plan = dict[str, Any]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Inside(tmp_path / "home"))


@pytest.fixture
def job(tmp_path: Path) -> str:
    return job_file(tmp_path)


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_answers_are_as_the_contract_says(name: str) -> None:
    contracts.check(answer(name), contracts.PLAN)


@pytest.mark.parametrize(
    ("name", "plan", "flags"),
    [
        ("plan-front-80", "plan-front", []),
        ("plan-front-120", "plan-front", []),
        ("plan-front-80-zh", "plan-front", ["--lang", "zh"]),
        ("plan-front-120-zh", "plan-front", ["--lang", "zh"]),
        ("plan-front-all-100", "plan-front", ["--all"]),
        ("plan-front-plain-100", "plan-front", ["--plain"]),
        ("plan-front-plain-100-zh", "plan-front", ["--plain", "--lang", "zh"]),
        ("plan-far-100", "plan-far", []),
        ("plan-infeasible-80", "plan-infeasible", []),
        ("plan-infeasible-80-zh", "plan-infeasible", ["--lang", "zh"]),
        ("plan-resources-80", "plan-resources", []),
    ],
)
def test_golden(shell: Shell, job: str, name: str, plan: str, flags: list[str]) -> None:
    shell.plane.plan = answer(plan)
    width = re.search(r"-(\d+)", name)
    assert width is not None
    shell.env["COLUMNS"] = width[1]
    told = shell("plan", job, *flags).out
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("TRADEWIND_GOLDEN"):
        path.write_text(told, encoding="utf-8")
    assert told == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("columns", [40, 60, 80, 120])
@pytest.mark.parametrize("lang", words.LANGUAGES)
def test_every_plan_keeps_to_the_width(shell: Shell, job: str, name: str, columns: int, lang: str) -> None:
    shell.plane.plan, shell.env["COLUMNS"] = answer(name), str(columns)
    told = shell("plan", job, "--all", "--lang", lang).out
    assert max(map(cell_len, told.splitlines())) <= columns


def test_the_exit_code_says_whether_something_fits(shell: Shell, job: str) -> None:
    assert shell("plan", job).code == 0
    shell.plane.plan = answer("plan-infeasible")
    assert shell("plan", job).code == 3
    assert (shell("plan", job, "--json").code, shell("plan", job, "--json").json()["chosen"]) == (3, None)


def test_a_plan_that_needs_two_changes_says_so(shell: Shell, job: str) -> None:
    shell.plane.plan = plan = answer("plan-infeasible")
    plan["infeasible"] = {"changes": [], "together": [
        {"set": "schedule.deadline", "to": "3h", "by": "+2.0h"}, {"set": "budget.purchase", "to": "auto", "by": None},
    ]}  # fmt: skip
    told = shell("plan", job).out
    assert "these two together" in told
    assert "schedule.deadline: 3h   (a later deadline, +2.0h)" in told
    assert "budget.purchase: auto   (other ways of buying)" in told
    plan["infeasible"] = {"changes": [], "together": []}
    assert "No change of one or two keys would do." in shell("plan", job).out


# flags


def test_objective_and_limits_reach_the_planner(shell: Shell, job: str) -> None:
    shell("plan", job, "--objective", "carbon", "--deadline", "12h", "--budget", "300 CNY")
    workload, objective = shell.inside.asked[-1]
    assert objective == "carbon"
    assert workload.schedule.deadline_seconds == 12 * 3600
    assert str(workload.budget.limit) == "¥300.00"
    shell("plan", job, "--deadline", "2026-11-22T08:00+08:00")
    workload, objective = shell.inside.asked[-1]
    assert (objective, workload.schedule.deadline_seconds, workload.budget.limit) == ("cost", None, None)
    assert workload.schedule.deadline_at.isoformat() == "2026-11-22T00:00:00+00:00"


def test_another_deadline_takes_the_place_of_the_files(shell: Shell, tmp_path: Path) -> None:
    job = job_file(tmp_path, ["schedule: {deadline: 2026-11-22T08:00Z, max_duration: 3h}"])
    shell("plan", job, "--deadline", "5h")
    schedule = shell.inside.asked[-1][0].schedule
    assert (schedule.deadline_at, schedule.deadline_seconds, schedule.max_duration_seconds) == (None, 18_000, 10_800)


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        (["--objective", "speed"], "parameter-unreadable"),
        (["--deadline", "soon"], "duration-unreadable"),
        (["--deadline", "2026-11-22T08:00"], "instant-without-zone"),
        (["--budget", "much"], "money-unreadable"),
        (["--html", "/no/such/folder/plan.html"], "page-unwritable"),
    ],
)
def test_flags_that_cannot_be_used(shell: Shell, job: str, flags: list[str], code: str) -> None:
    assert shell("plan", job, *flags).code == 2
    assert shell("plan", job, *flags, "--json").json()["error"]["code"] == code


# the front


def front_of(*ways: tuple[float, float]) -> Plan:
    """A plan whose front has so many (hours, cost); the first is chosen."""
    plan: Plan = answer("plan-front")
    like = plan["front"][0]
    plan["front"] = [
        like | {"instance_type": f"type-{at}", "hours": hours, "rank_cost": cost, "carbon_g": None,
                "cost": {"amount": f"{cost:.2f}", "currency": "CNY"}, "chosen": at == 0}
        for at, (hours, cost) in enumerate(ways)
    ]  # fmt: skip
    plan["alternatives"] = plan["points"] = []
    return plan


def test_what_is_hardly_faster_than_a_cheaper_one_is_counted_not_listed(shell: Shell, job: str) -> None:
    shell.plane.plan = front_of((10, 10), (9, 11), (8.9, 12), (5, 13), (1, 14))
    told = shell("plan", job).out
    assert all(f"type-{at}" in told for at in (0, 1, 3, 4)) and "type-2" not in told
    assert "Not shown: 1 more unbeaten" in told
    assert "type-2" in shell("plan", job, "--all").out


def test_a_way_that_is_cleaner_counts_where_carbon_does() -> None:
    plan = front_of((10, 10), (9.95, 11))
    plan["front"][1]["carbon_g"], plan["front"][0]["carbon_g"] = 1.0, 100.0
    assert len(choices(plan)[0]) == 1
    plan["objective"] = "carbon"
    assert len(choices(plan)[0]) == 2


@pytest.mark.parametrize(
    ("objective", "ways", "told"),
    [
        ("cost", [(10, 100), (2, 105), (1, 300)], "b costs 5 % more and takes 20 % of the time"),
        ("cost", [(10, 100), (2, 120)], ""),
        ("cost", [(10, 100), (9, 101)], ""),
        ("time", [(10, 100), (11, 30)], "a takes 10 % more time and costs 30 % as much"),
        ("balanced", [(10, 100), (2, 105)], ""),
    ],
)
def test_what_is_much_better_for_hardly_more_is_pointed_out(
    shell: Shell, job: str, objective: str, ways: list[tuple[float, float]], told: str
) -> None:
    shell.plane.plan = front_of(*ways)
    shell.plane.plan["objective"] = objective
    drawn = shell("plan", job).out
    assert told in drawn and ("Worth a look" in drawn) == bool(told)
    assert told in shell("plan", job, "--plain").out
    assert told in Page(page(Pen("en", 100), shell.plane.plan, "x")).text


@given(st.integers(1, 70), st.integers(0, 69))
def test_a_long_front_keeps_its_ends_and_what_is_chosen(count: int, chosen: int) -> None:
    plan = front_of(*((100 * 0.9**at, 10.0 + at) for at in range(count)))
    for at, way in enumerate(plan["front"]):
        way["chosen"] = at == min(chosen, count - 1)
    shown, left = choices(plan)
    names = [each.way["instance_type"] for each in shown]
    assert len(shown) == min(count, MOST) and left == count - len(shown)
    assert {"type-0", f"type-{count - 1}"} <= set(names)
    assert [each.chosen for each in shown].count(True) == 1
    assert [each.letter for each in shown] == sorted(each.letter for each in shown)


ways = st.lists(st.tuples(st.floats(1e-3, 1e5), st.floats(1e-4, 1e5)), min_size=2, max_size=8, unique=True)


@given(ways, ways, st.integers(45, 160), st.none() | st.floats(-1, 1e5))
def test_every_picture_shows_all_letters_within_the_width(
    marked: list[tuple[float, float]], others: list[tuple[float, float]], width: int, deadline: float | None
) -> None:
    plan = front_of(*marked)
    plan["points"] = [[*way, "spot", False, True] for way in others]
    plan["limits"]["deadline_hours"] = deadline
    shown, _ = choices(plan)
    seen = scene(plan, shown, front.ticks(width))
    assert seen is not None
    assert len(seen.dots) + seen.outside == len(
        set(others) - {(each.way["hours"], each.way["rank_cost"]) for each in shown}
    )
    lines = [line.plain for line in front.picture(Pen("en", width), seen)]
    assert len(lines) == front.ROWS + 2 and max(map(cell_len, lines)) <= width
    field = [line.partition("┤")[2] or line.partition("│")[2] for line in lines[: front.ROWS]]
    letters = re.findall(r"[a-z]", "".join(field))
    assert sorted(letters) == [each.letter for each in shown]
    assert "".join(field).count("[") == 1


@given(st.lists(st.floats(1e-6, 1e9), min_size=1, max_size=5), st.integers(3, 12))
def test_ticks_are_round_in_order_and_few(values: list[float], most: int) -> None:
    made = axis(values, most, "{:g}".format)
    assert made is not None
    marked = [value for value, _ in made.ticks]
    assert marked == sorted(marked) and 1 <= len(marked) <= most + 1
    assert all(made.holds(value) for value in [*values, *marked])
    assert all(len(f"{value:.12g}".replace(".", "").strip("0").split("e")[0]) <= 4 for value in marked)
    places = [made.at(value) for value in marked]
    assert places == sorted(places) and places[0] >= 0 and places[-1] <= 1


def test_a_front_that_costs_nothing_has_no_picture(shell: Shell, job: str) -> None:
    shell.plane.plan = front_of((10, 0), (9, 0))
    told = shell("plan", job).out
    assert "Cost against time" not in told and "type-1" in told


def test_the_chosen_one_is_told_without_colour(shell: Shell, job: str) -> None:
    shell.plane.plan = answer("plan-front")
    told = shell("plan", job).out
    chosen = next(each for each in choices(shell.plane.plan)[0] if each.chosen)
    assert told.count(f"[{chosen.letter}]") == 3  # legend, picture, list


# what is told of a way


@pytest.mark.parametrize(
    ("chance", "told"), [(1.0, "> 99 %"), (0.996, "> 99 %"), (0.983, "98 %"), (0.5, "50 %"), (0.0, "< 1 %")]
)
def test_nothing_is_told_to_be_certain(shell: Shell, job: str, chance: float, told: str) -> None:
    shell.plane.plan = plan = answer("plan-front")
    plan["chosen"]["on_time_probability"] = chance
    assert f"{told} likely" in shell("plan", job).out


def test_a_firm_promise_says_why_and_a_conditional_one_on_what(shell: Shell, job: str) -> None:
    shell.plane.plan = plan = answer("plan-front")
    plan["chosen"] |= {"deadline_guarantee": "firm", "guarantee_why": "on-demand-in-time"}
    assert "firm: on-demand with quota ends in time" in " ".join(shell("plan", job).out.split())
    plan["chosen"] |= {"deadline_guarantee": "conditional", "guarantee_why": "fallback-quota-none cloud=aws"}
    told = " ".join(shell("plan", job).out.split())
    assert "conditional: there is no quota for the on-demand fallback at aws" in told


def test_several_machines_are_told_as_such(shell: Shell, job: str) -> None:
    shell.plane.plan = answer("plan-resources")
    told = shell("plan", job).out
    assert "8 × alibaba" in told and "/h each" in told
    assert "unknown · the job file does not say how long it trains" in told
    price = Money.from_json(shell.plane.plan["chosen"]["offer"]["price_per_hour"])
    assert str(price * 8) in told  # of all machines, in the list


def test_what_is_assumed_of_several_clouds_is_said_once() -> None:
    plan = {"assumptions": ["quota-unknown cloud=aws", "disk-assumed gb=50", "quota-unknown cloud=gcp"]}
    assert plan_reasons.assumptions(Pen("en", 80), plan) == [
        ("money", ["A disk of 50 GB."]), ("places", ["Not configured, so quota unknown: aws, gcp."]),
    ]  # fmt: skip
    plan = {"assumptions": ["data-egress-unknown cloud=aws region=a", "data-egress-unknown cloud=gcp region=b"]}
    assert plan_reasons.assumptions(Pen("zh", 80), plan) == [("数据", ["流量价格未知，未计入：aws、gcp。"])]
    unheard = plan_reasons.assumptions(Pen("en", 80), {"assumptions": ["brand-new fact=1"]})
    assert unheard == [("choice", ["brand-new fact='1'"])]


def test_fallbacks_tell_in_what_they_fail_apart() -> None:
    plan = answer("plan-front")
    chosen = plan["chosen"]

    def apart(**other: Any) -> str:
        return plan_reasons.fails_apart(Pen("en", 80), chosen, {**chosen, "offer": {**chosen["offer"], **other}})

    assert apart(cloud="gcp", region="x", zone="y", gpu="T4") == "cloud, GPU"
    assert apart(zone="y") == "zone"
    assert apart(purchase="on_demand") == "on-demand"
    assert apart(instance_type="other") == "machine type"


# the plain list


def test_the_plain_list_is_ascii_and_has_the_whole_plan(shell: Shell, job: str) -> None:
    for name in RECORDED:
        shell.plane.plan = plan = answer(name)
        told = shell("plan", job, "--plain", "--all").out
        assert told.isascii(), name
        assert all(each["offer"]["instance_type"] in told for each in plan["fallbacks"])
        plan["compliance"] = [{"control": "mlps3", "result": "unknown"}]
        assert "compliance: mlps3: not checked" in shell("plan", job, "--plain").out


# the page


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("lang", words.LANGUAGES)
def test_a_page_is_whole_and_needs_nothing_else(name: str, lang: str) -> None:
    text = page(Pen(lang, 100), answer(name), "flowers")
    read = Page(text)
    assert read.open == [] and text.startswith("<!doctype html>")
    assert not {"script", "link", "img", "iframe", "object", "base"} & read.seen
    assert not {"src", "href", "style", "srcset"} & {key for key, _ in read.attributes}
    assert not any(key.startswith("on") for key, _ in read.attributes)
    assert not re.search(r"url\(|@import|https?:", text)
    assert ("lang", {"en": "en", "zh": "zh-Hans"}[lang]) in read.attributes
    assert "flowers" in read.text and answer(name)["plan_id"] in read.text
    assert "?" not in read.text.replace("in time?", "")  # no fact is missing in a sentence
    assert "prefers-color-scheme: dark" in text and "@media print" in text


HOSTILE = "<script>alert('x')</script>\"&'"


def poisoned(value: Any) -> Any:
    """The same value with every text that could come from outside made hostile."""
    if isinstance(value, dict):
        return {key: HOSTILE if key in OUTSIDE and isinstance(below, str) else poisoned(below)
                for key, below in value.items()}  # fmt: skip
    return [poisoned(each) for each in value] if isinstance(value, list) else value


OUTSIDE = {"cloud", "region", "zone", "city", "country", "instance_type", "gpu", "as_of", "nearest", "plan_id", "to",
           "by", "control", "strategy", "precision", "catalog_date", "from"}  # fmt: skip


@pytest.mark.parametrize("name", RECORDED)
def test_nothing_that_comes_from_outside_becomes_markup(name: str) -> None:
    plan = poisoned(answer(name))
    plan["assumptions"] = [HOSTILE, f"quota-unknown cloud={HOSTILE!r}"]
    plan["rejected"] = [{"why": HOSTILE, "count": 1, "nearest": HOSTILE, "near": None}]
    text = page(Pen("en", 100), plan, HOSTILE)
    read = Page(text)
    assert "script" not in read.seen and read.open == []
    assert "<script>" in read.text and "<script" not in text
    assert not any("alert" in value for key, value in read.attributes)


def test_elements_escape_text_and_attributes() -> None:
    assert element("p", "a < b", class_='"x"', hidden=None) == '<p class="&quot;x&quot;">a &lt; b</p>'
    assert element("p", element("br"), None, "&") == "<p><br>&amp;</p>"


def test_the_page_is_written_beside_what_is_told(shell: Shell, job: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.html"
    result = shell("plan", job, "--html", str(path), "--json")
    assert result.json() == answer("plan")
    assert f"The page is in {path}." in result.err
    assert "Plan for digits" in Page(path.read_text(encoding="utf-8")).text
    shell.plane.plan = answer("plan-infeasible")
    assert shell("plan", job, "--html", str(path)).code == 3
    assert "No offer satisfies the job." in Page(path.read_text(encoding="utf-8")).text
