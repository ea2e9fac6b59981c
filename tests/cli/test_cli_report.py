"""The report of a job: whole, safe, bounded, readable; what it tells against golden files; where it is put.

To write the golden files anew: TRADEWIND_GOLDEN=1 pytest tests/cli/test_cli_report.py; then read the diff.
"""

from __future__ import annotations

import itertools
import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cli_world import Inside, Shell, answer
from pages import Page, colours, contrast

from tradewind import words
from tradewind.cli.draw.page_style import STYLE
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.report_curves import chart, families
from tradewind.cli.draw.report_memory import memory_of
from tradewind.cli.draw.report_page import report_page
from tradewind.cli.draw.report_sources import sources
from tradewind.cli.draw.report_style import REPORT_STYLE
from tradewind.cli.draw.report_times import times

GOLDEN = Path(__file__).parent / "golden"
RECORDED = ("report", "report-failed", "report-untold")
PEN = Pen("en", 100)
HOSTILE = "<script>alert('x')</script>\"&'"
Report = dict[str, Any]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Inside(tmp_path / "home"))


@pytest.fixture(params=["report", "steered"])
def told(request: pytest.FixtureRequest) -> Report:
    """A rehearsal that was preempted twice, and a run on spot machines with a deadline."""
    recorded = answer("report")
    return recorded if request.param == "report" else {**recorded, "show": answer("steered")}


# the page as a whole


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("lang", words.LANGUAGES)
def test_what_the_page_tells_is_as_it_was(name: str, lang: str) -> None:
    told = Page(report_page(Pen(lang, 100), answer(name))).lines()
    path = GOLDEN / (f"{name}-zh.txt" if lang == "zh" else f"{name}.txt")
    if os.environ.get("TRADEWIND_GOLDEN"):
        path.write_text(told, encoding="utf-8")
    assert told == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("lang", words.LANGUAGES)
def test_a_page_is_whole_and_needs_nothing_else(name: str, lang: str) -> None:
    text = report_page(Pen(lang, 100), answer(name))
    page = Page(text)
    assert page.open == [] and text.startswith("<!doctype html>")
    assert not {"script", "link", "img", "iframe", "object", "base", "use", "image"} & page.seen
    assert not {"src", "href", "style", "srcset", "xlink:href"} & {key for key, _ in page.attributes}
    assert not any(key.startswith("on") for key, _ in page.attributes)
    assert not re.search(r"url\(|@import|https?:", text)
    assert page.of("html") == [{"lang": {"en": "en", "zh": "zh-Hans"}[lang]}]
    assert "default-src 'none'" in page.of("meta")[2]["content"]
    assert not re.search(r"report-[a-z]+|verdict-|None|nan|\{|\?(?! )", page.text.replace("? unverified", ""))


@pytest.mark.parametrize("name", RECORDED)
def test_every_picture_is_well_formed_and_says_what_it_shows(name: str) -> None:
    text = report_page(PEN, answer(name))
    pictures = re.findall(r'<svg [^>]*role="img".*?</svg>(?=<figcaption)', text, re.DOTALL)
    assert pictures and len(pictures) == len(re.findall('role="img"', text))
    for each in pictures:
        tree = ElementTree.fromstring(each)
        assert tree.get("aria-label")
        assert [part.tag for part in tree][:2] == ["title", "desc"]


def test_a_page_can_be_walked_without_eyes() -> None:
    page = Page(report_page(PEN, answer("report")))
    assert {"main", "header", "footer", "h1", "section", "figure", "figcaption"} <= page.seen
    assert len(page.of("h1")) == 1
    assert all(each.get("scope") in ("row", "col") for each in page.of("th"))
    levels = [int(name[1]) for name, _ in page.elements if re.fullmatch(r"h[1-6]", name)]
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


@pytest.mark.parametrize("where", ["light", "dark", "print"])
@pytest.mark.parametrize("ground", ["ground", "card"])
def test_letters_stand_out_from_their_ground(where: str, ground: str) -> None:
    told = colours(STYLE, where)
    for name in ("ink", "soft", "mark", "good", "warn", "bad"):
        assert contrast(told[name], told[ground]) >= 4.5, (name, where)


def test_letters_stand_out_from_the_parts_of_memory() -> None:
    for block, where in zip(re.findall(r":root \{([^}]*)\}", REPORT_STYLE), ("light", "dark"), strict=True):
        for part in dict(re.findall(r"--([a-z]+): (#[0-9a-f]+)", block)).values():
            assert contrast(colours(STYLE, where)["ground"], part) >= 4.5


def poisoned(value: Any) -> Any:
    """The same value with every text that could come from outside made hostile."""
    if isinstance(value, dict):
        return {key: HOSTILE if key in OUTSIDE and isinstance(below, str) else poisoned(below)
                for key, below in value.items()}  # fmt: skip
    return [poisoned(each) for each in value] if isinstance(value, list) else value


OUTSIDE = {"cloud", "region", "zone", "city", "country", "instance_type", "gpu", "as_of", "plan_id", "name", "run",
           "why", "path", "source", "catalog_date", "lease", "what", "python", "torch", "image", "job",
           "rate_date", "pool", "precision", "optimizer"}  # fmt: skip


def test_nothing_that_comes_from_outside_becomes_markup() -> None:
    recorded = answer("report")
    recorded["show"]["metrics"] = {HOSTILE: 0.5}
    recorded["show"]["workload"]["env"] = {HOSTILE: "x"}
    for attempt in recorded["show"]["attempts"]:
        attempt["log_tail"] = [HOSTILE]
    recorded["show"]["state"] = "FAILED"
    text = report_page(PEN, poisoned(recorded))
    page = Page(text)
    assert "script" not in page.seen and page.open == []
    assert page.text.count("<script>") > 50 and "<script" not in text
    assert not any("alert" in value for key, value in page.attributes if key != "aria-label")


def test_values_of_environments_and_the_log_of_a_job_with_secrets_stay_out() -> None:
    recorded = answer("report-failed")
    workload = recorded["show"]["workload"]
    workload["env"], workload["secrets"] = {"TOKEN_URL": "hunter2"}, ["HF_TOKEN"]
    recorded["show"]["attempts"][-1]["log_tail"] = ["logging in with hf_abc"]
    text = report_page(PEN, recorded)
    assert "TOKEN_URL, HF_TOKEN" in text
    assert "hunter2" not in text and "hf_abc" not in text
    assert "tradewind logs" in text


# how it ended


@pytest.mark.parametrize(
    ("state", "why", "sentence"),
    [
        ("SUCCEEDED", None, "Succeeded after 1 min 42 s; interruptions: 2,"),
        ("FAILED", "exited exit=1", "Failed after 1 min 42 s: exit code 1; interruptions: 2,"),
        ("EXPIRED", "deadline", "Expired after 1 min 42 s"),
        ("STOPPED", "stopped", "Stopped after 1 min 42 s, at step 805/805: stopped by the user;"),
    ],
)
def test_the_verdict_is_one_sentence(state: str, why: str | None, sentence: str) -> None:
    recorded = answer("report")
    recorded["show"] |= {"state": state, "why": why, "exit_code": 1}
    assert sentence in Page(report_page(PEN, recorded)).text


@pytest.mark.parametrize("lang", words.LANGUAGES)
def test_a_job_that_goes_on_is_told_as_such(lang: str) -> None:
    recorded = answer("report")
    show = recorded["show"]
    show |= {"state": "RUNNING", "ended_at": None, "deadline": "2026-11-22T21:00:00Z"}
    show["attempts"][-1] |= {"to": None, "outcome": None}
    show["events"] = [event for event in show["events"] if event["to"] not in ("FINISHING", "SUCCEEDED")]
    text = Page(report_page(Pen(lang, 100), recorded)).text
    assert {"en": "Still going on after", "zh": "仍在运行"}[lang] in text
    assert {"en": "lies outside the picture", "zh": "在图外"}[lang] in text


def test_a_rehearsal_says_that_no_money_was_spent_and_a_paid_run_what_it_cost() -> None:
    recorded = answer("report")
    text = Page(report_page(PEN, recorded)).text
    assert "no money was spent" in text and "planned offer (estimated)" in text and "this computer (measured)" in text
    recorded["show"]["rehearsal"] = recorded["cost"]["rehearsal"] = False
    text = Page(report_page(PEN, recorded)).text
    assert "no money was spent" not in text and "it cost $0.0027" in text


def test_money_in_another_currency_names_the_rate_and_its_date() -> None:
    recorded = answer("report")
    recorded["cost"]["total_in"] = {"money": {"amount": "0.019", "currency": "CNY"}, "rate": "7.11",
                                    "rate_date": "2026-11-20"}  # fmt: skip
    rows = [line for line in Page(report_page(PEN, recorded)).lines().splitlines() if "7.11" in line]
    assert rows and all("2026-11-20" in row for row in rows)


# where figures come from


def test_every_figure_has_a_kind_and_a_source() -> None:
    told = list(sources(PEN, answer("report")))
    assert {each.kind for each in told} >= {"measured", "estimated", "listed", "computed", "told", "unknown"}
    assert all(each.source and each.value and each.date for each in told)
    by_code = {each.code: each for each in told}
    assert by_code["fact-price"].date == "2026-10" and "skypilot" in by_code["fact-price"].source
    assert by_code["report-seen-step"].kind == "measured"
    assert by_code["report-planned-step"].kind == "estimated"


def test_what_was_not_measured_is_unknown_and_not_zero() -> None:
    recorded = answer("report-untold")
    told = {each.code: each for each in sources(PEN, recorded)}
    assert told["report-seen-step"].value == "–" and told["report-seen-step"].kind == "unknown"
    assert told["report-seen-gpu-memory"].kind == "unknown"


# the time line


def test_the_time_line_holds_all_that_was_rented_and_done() -> None:
    told = times(PEN, answer("report")["show"], "")
    job, saved, *rented = told.lanes
    assert [bar.label for bar in job.bars if bar.kind == "training"] == ["1", "2", "3"]
    assert all(after.start >= before.end - 1e-6 for before, after in itertools.pairwise(job.bars))
    assert len(saved.marks) == len(answer("report")["show"]["checkpoints"])
    assert sum(bar.kind == "rented" for lane in rented for bar in lane.bars) == 3
    marks = [mark.kind for lane in rented for mark in lane.marks]
    assert marks.count("notice") == 2 and marks.count("taken") == 2
    for lane in rented:  # two machines held at once stand in two lanes
        ends = [(bar.start, bar.end) for bar in sorted(lane.bars, key=lambda bar: bar.start)]
        assert all(start >= end - 1e-6 for (_, end), (start, _) in itertools.pairwise(ends))


def test_a_deadline_is_in_the_picture_when_it_is_near() -> None:
    show = answer("report")["show"]
    near = (datetime.fromisoformat(show["ended_at"]) + timedelta(seconds=20)).isoformat()
    told = times(PEN, {**show, "deadline": near}, "")
    assert told.deadline is not None and told.seconds > told.deadline and not told.beyond
    far = (datetime.fromisoformat(show["ended_at"]) + timedelta(hours=20)).isoformat()
    assert times(PEN, {**show, "deadline": far}, "").beyond


# the training


def measure(name: str, *attempts: list[tuple[int, float]], evaluated: bool = False) -> Report:
    """A measure with one point a sample."""
    told = [
        {"attempt": number,
         "points": [[step, step, *[2.0 * step + 50 * number] * 2, *[value] * 3] for step, value in points]}
        for number, points in enumerate(attempts, 1)
    ]  # fmt: skip
    return {"name": name, "evaluated": evaluated, "samples": sum(map(len, attempts)), "blanks": 0, "blank_step": None,
            "attempts": told}  # fmt: skip


def test_steps_that_were_done_again_are_set_apart() -> None:
    loss = measure("loss", [(step, 1.0) for step in range(1, 11)], [(step, 0.5) for step in range(7, 15)])
    attempts: list[Report] = [{"attempt": 1, "resumed_step": None, "repeated_steps": None},
                              {"attempt": 2, "resumed_step": 6, "repeated_steps": 4}]  # fmt: skip
    told = chart("loss", [loss], attempts, "step")
    (line,) = told.lines
    assert [[place.x for place in piece] for piece in line.repeated] == [[7, 8, 9, 10]]
    assert [len(piece) for piece in line.pieces] == [6, 8]
    assert told.gaps == ((6, 10),)
    assert chart("loss", [loss], attempts, "time").gaps == ((70.0, 114.0),)


def test_a_steep_fall_is_drawn_on_a_logarithmic_scale_and_nothing_else_is() -> None:
    steep = chart("loss", [measure("loss", [(1, 2.5), (2, 0.001)])], [], "step")
    flat = chart("loss", [measure("loss", [(1, 2.5), (2, 1.1)])], [], "step")
    below = chart("reward", [measure("reward", [(1, -2.5), (2, 1000.0)])], [], "step")
    assert (steep.logarithmic, flat.logarithmic, below.logarithmic) == (True, False, False)


def test_a_single_sample_is_a_chart_too() -> None:
    for by in ("step", "time"):
        told = chart("loss", [measure("loss", [(5, 0.0)])], [], by)
        assert told.x.low < told.lines[0].pieces[0][0].x <= told.x.high


def test_evaluations_join_the_measure_of_their_kind() -> None:
    named = [
        measure(name, [(1, 0.5)], evaluated=name != "loss") for name in ("loss", "bleu", "val_loss", "test_accuracy")
    ]
    assert {key: [each["name"] for each in group] for key, group in families(named).items()} == {
        "loss": ["loss", "val_loss"], "bleu": ["bleu"], "test_accuracy": ["test_accuracy"],
    }  # fmt: skip


def test_values_that_were_no_numbers_are_told() -> None:
    recorded = answer("report-failed")
    assert "loss: 10 values were no numbers, the first at step 50." in Page(report_page(PEN, recorded)).text


# its size


def long_job() -> Report:
    """Ten days on spot machines: 200 attempts, a checkpoint every five minutes, 480 points of each measure."""
    told: Report = answer("report")
    show = told["show"]
    begun = datetime(2026, 11, 1, tzinfo=UTC)

    def at(hours: float) -> str:
        return (begun + timedelta(hours=hours)).isoformat().replace("+00:00", "Z")

    lease = next(event for event in show["events"] if event["kind"] == "lease-intended")
    states = ("INTENDED", "REQUESTED", "PENDING", "RUNNING", "RELEASING", "RELEASED")
    show |= {
        "submitted_at": at(0), "ended_at": at(240), "attempts": [
            {**show["attempts"][0], "attempt": number + 1, "from": at(1.2 * number), "to": at(1.2 * number + 1),
             "resumed_step": 500 * number, "repeated_steps": 40} for number in range(200)
        ],
        "checkpoints": [{**show["checkpoints"][0], "at": at(number / 12), "step": number} for number in range(2880)],
        "decisions": [{**show["decisions"][number % 4], "at": at(number / 10)} for number in range(2400)],
        "events": [
            {**lease, "what": f"lease-{number}", "kind": f"lease-{state.lower()}", "from": None, "to": state,
             "at": at(1.2 * number + index / 6), "data": lease["data"] if state == "INTENDED" else {},
             "why": "reclaimed"}
            for number in range(200) for index, state in enumerate(states)
        ],
    }  # fmt: skip
    points = [[step, step + 207, 9.0 * step, 9.0 * (step + 207), 0.123456789, 0.23456789, 0.3456789]
              for step in range(0, 99_800, 208)]  # fmt: skip
    for each in told["series"]["measures"]:
        each["samples"] = 100_000
        each["attempts"] = [{"attempt": number + 1, "points": points[number::200]} for number in range(200)]
    told["cost"]["lines"] = told["cost"]["lines"] * 70
    return told


def test_a_job_of_ten_days_has_a_report_of_less_than_a_megabyte() -> None:
    text = report_page(PEN, long_job())
    assert len(text.encode()) < 1_000_000
    told = Page(text).text
    assert "100,000 samples in 480 points" in told and "more …" in told and "150 more leases" in told


# where it is put


def test_show_writes_it_where_it_is_asked_for(shell: Shell, tmp_path: Path) -> None:
    shell.plane.reported = answer("report")
    path = tmp_path / "报告.html"
    result = shell("show", "digits", "--html", str(path))
    assert (result.code, result.out) == (0, "") and f"The page is in {path}." in result.err
    assert "<h1>digits " in path.read_text(encoding="utf-8")
    assert shell("show", "digits", "--html", str(path), "--json").json() == shell.plane.shown
    assert shell("show", "digits", "--html", str(path), "--lang", "zh").code == 0
    assert "时间线" in path.read_text(encoding="utf-8")


def test_a_file_that_cannot_be_written_is_told(shell: Shell) -> None:
    result = shell("show", "digits", "--html", "/no/such/folder/report.html", "--json")
    assert (result.code, result.json()["error"]["code"]) == (2, "page-unwritable")
    assert shell("show", "nothing", "--html", "report.html", "--json").json()["error"]["code"] == "job-unknown"


@pytest.mark.parametrize("command", [("wait", "digits"), ("stop", "digits")])
def test_it_lies_among_the_jobs_files_when_the_end_was_looked_at(
    shell: Shell, tmp_path: Path, command: tuple[str, ...]
) -> None:
    result = shell(*command)
    path = tmp_path / "home" / "jobs" / shell.plane.shown["job"] / "report.html"
    assert "<h1>digits " in path.read_text(encoding="utf-8")
    assert f"report:{path}" in re.sub(r"\s", "", result.out + result.err)
    assert result.out.rstrip().splitlines()[-1] == "open leases: none"


def test_a_home_that_takes_nothing_does_not_change_how_a_job_ended(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder")
    result = shell("wait", "digits")
    assert result.code == 0
    assert "could not be written" in re.sub(r"\s+", " ", result.out)


def test_every_report_can_be_told_from_the_show_object(told: Report) -> None:
    for lang in words.LANGUAGES:
        assert Page(report_page(Pen(lang, 100), told)).open == []


def test_checkpoints_of_a_script_that_says_nothing_of_them_are_unverified() -> None:
    recorded = answer("report")
    recorded["show"]["checkpoints"][0] |= {"verified": False, "step": None}
    recorded["show"]["checkpoints"][1]["state"] = "torn"
    told = Page(report_page(PEN, recorded)).lines().splitlines()
    assert "– | +14 s | 7.13 MB | ? unverified" in told
    assert "157 | +19 s | 7.13 MB | ✗ torn" in told
    assert "checkpoint: unverified" in told


# memory


def test_the_parts_of_memory_stand_beside_each_other_up_to_the_peak() -> None:
    recorded = answer("report")
    told = memory_of(recorded["show"]["plan"], recorded["series"]["used"], True)
    assert told is not None
    low, peak, high = told.peak
    assert low <= peak <= high
    assert sum(gib for _, gib in told.parts) == pytest.approx(peak)


def test_only_a_run_on_the_planned_machine_measures_its_memory() -> None:
    recorded = answer("report")
    recorded["series"]["used"]["gpu_memory_mb"] = 1024 * 1.048576
    assert "Measured peak: unknown" in Page(report_page(PEN, recorded)).text
    recorded["show"]["rehearsal"] = False
    assert "Measured peak: 1.0 GiB were allocated at most (▼)" in Page(report_page(PEN, recorded)).text


def test_without_a_model_there_is_no_picture_of_memory() -> None:
    assert memory_of(None, {}, False) is None
    assert memory_of({"chosen": {"fit": None}}, {}, False) is None


def test_what_interruptions_took_of_a_script_that_tells_no_steps_is_unknown() -> None:
    recorded = answer("report")
    recorded["show"]["attempts"][-1] |= {"lost_seconds": None, "repeated_steps": None}
    text = Page(report_page(PEN, recorded)).text
    assert "interruptions: 2; no money" in text
    assert "time without training: unknown" in text and "steps repeated: unknown" in text
    assert {each.code: each.kind for each in sources(PEN, recorded)}["fact-lost"] == "unknown"
