"""Drawings against golden files, 100 columns, no colour; and the figures they are made of.

To write the golden files anew: TRADEWIND_GOLDEN=1 pytest tests/cli/test_cli_draw.py; then read the diff.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_world import NOW, Inside, Shell, answer, job_file
from hypothesis import given
from hypothesis import strategies as st

from tradewind.cli.draw import figures
from tradewind.cli.draw.live import bar, live
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.timeline import moments

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Inside(tmp_path / "home"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("plan", ["plan", "JOB"]),
        ("plan-zh", ["plan", "JOB", "--lang", "zh"]),
        ("cost", ["cost", "digits"]),
        ("cost-zh", ["cost", "digits", "--lang", "zh"]),
        ("size", ["size", "JOB"]),
        ("size-many", ["size", "JOB"]),
        ("size-many-80", ["size", "JOB"]),
        ("size-many-120", ["size", "JOB"]),
        ("size-many-80-zh", ["size", "JOB", "--lang", "zh"]),
        ("size-large", ["size", "JOB"]),
        ("size-large-zh", ["size", "JOB", "--lang", "zh"]),
        ("size-needs", ["size", "JOB"]),
        ("size-needs-80-zh", ["size", "JOB", "--lang", "zh"]),
        ("size-guide", ["size", "JOB"]),
        ("size-guide-80-zh", ["size", "JOB", "--lang", "zh"]),
        ("calibrate", ["calibrate", "JOB"]),
        ("calibrate-80-zh", ["calibrate", "JOB", "--lang", "zh"]),
        ("show", ["show", "digits"]),
        ("show-steered", ["show", "digits"]),
        ("show-steered-80-zh", ["show", "digits", "--lang", "zh"]),
        ("extend", ["extend", "digits", "--budget", "85 CNY", "--deadline", "12h"]),
        ("extend-zh", ["extend", "digits", "--deadline", "12h", "--lang", "zh"]),
        ("wait", ["wait", "digits"]),
        ("leases-ended", ["leases", "--all"]),
        ("leases-open", ["leases"]),
        ("leases-open-zh", ["leases", "--lang", "zh"]),
        ("sweep-found", ["sweep"]),
        ("sweep-end", ["sweep", "--end"]),
        ("sweep-end-zh", ["sweep", "--end", "--lang", "zh"]),
        ("explain-job", ["explain", "digits"]),
        ("explain-job-zh", ["explain", "digits", "--lang", "zh"]),
        ("explain-lease", ["explain", "lease-m7zw"]),
        ("explain-lease-zh", ["explain", "lease-m7zw", "--lang", "zh"]),
        ("supervisor", ["supervisor"]),
        ("supervisor-zh", ["supervisor", "--lang", "zh"]),
        ("supervisor-install", ["supervisor", "install"]),
        ("ps", ["ps", "--all"]),
        ("offers", ["offers", "--limit", "8"]),
        ("offers-zh", ["offers", "--limit", "8", "--lang", "zh"]),
        ("catalog-show", ["catalog", "show", "p4d.24xlarge"]),
        ("catalog-show-zh", ["catalog", "show", "p4d.24xlarge", "--lang", "zh"]),
        ("catalog-gpus", ["catalog", "gpus"]),
        ("catalog-regions", ["catalog", "regions", "--near", "Shanghai"]),
        ("catalog-regions-zh", ["catalog", "regions", "--near", "Shanghai", "--lang", "zh"]),
        ("catalog-compare", ["catalog", "compare", "p4d.24xlarge", "gn7e", "GN10Xp"]),
        ("catalog-compare-zh", ["catalog", "compare", "p4d.24xlarge", "gn7e", "GN10Xp", "--lang", "zh"]),
        ("catalog-list", ["catalog", "list"]),
        ("catalog-rates", ["catalog", "rates"]),
        ("catalog-rates-zh", ["catalog", "rates", "--lang", "zh"]),
        ("catalog-refresh", ["catalog", "refresh"]),
        ("catalog-refresh-zh", ["catalog", "refresh", "--lang", "zh"]),
        ("machines-list", ["machines", "list"]),
        ("machines-list-60-zh", ["machines", "list", "--lang", "zh"]),
        ("machines-check", ["machines", "check"]),
        ("machines-check-60-zh", ["machines", "check", "--lang", "zh"]),
        ("machines-add", ["machines", "add", "--help"]),
        ("help", ["--help"]),
        ("help-zh", ["--help", "--lang", "zh"]),
    ],
)
def test_golden(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, words: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    shell.inside.folder = Path("home")
    parts = re.fullmatch(r"(.+?)(?:-(60|80|120))?(?:-zh)?", name)
    assert parts is not None
    known = parts[1]
    shell.env["COLUMNS"] = parts[2] or shell.env["COLUMNS"]
    if known.startswith("leases"):
        listed = answer("leases" if known == "leases-ended" else known)
        shell.plane.rows, shell.plane.places = listed["leases"], listed["checked"]
    if known.startswith("sweep"):
        shell.plane.swept = answer(known)
    if known.startswith("size-"):
        shell.inside.sized = answer(known)
    if known in ("show-steered", "extend"):
        shell.plane.shown = answer("steered")
    if known == "offers":
        shell.inside.beside = answer("offers")
        shell.inside.found = shell.inside.beside.pop("offers")
    job = job_file(tmp_path)
    told = shell(*(job if word == "JOB" else word for word in words)).out
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("TRADEWIND_GOLDEN"):
        path.write_text(told, encoding="utf-8")
    assert told == path.read_text(encoding="utf-8")


def spread(value: float, low: float, high: float) -> dict[str, float]:
    return {"value": value, "low": low, "high": high}


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        (figures.spread(spread(3.1, 2.4, 4.6), "h"), "3.1 (2.4–4.6) h"),
        (figures.spread(spread(3.0, 3.0, 3.0), "h"), "3.0 h"),
        (figures.spread(spread(0.0039, 0.0009, 0.032)), "0.0039 (0.0009–0.0320)"),
        (figures.spread(spread(16_410, 2_000, 67_796), "samples/s"), "16.4 (2.0–67.8) k samples/s"),
        (figures.spread(spread(2e21, 2e21, 3e21), "GiB"), "2,000 (2,000–3,000) E GiB"),
        (figures.spread(None), "–"),
        (figures.hours(spread(0.135, 0.05, 0.356)), "8.1 (3.0–21.4) min"),
        (figures.hours(spread(0.003, 0.002, 0.004)), "10.8 (7.2–14.4) s"),
        (figures.hours(spread(14.06, 12, 20)), "14.1 (12.0–20.0) h"),
        (figures.money({"amount": "0.00089", "currency": "CNY"}), "¥0.000890"),
        (figures.money(None), "–"),
        (figures.moneys([{"amount": "3.1", "currency": "CNY"}, {"amount": "2", "currency": "USD"}]), "¥3.10 + $2.00"),
        (figures.span(0.42), "0.4 s"),
        (figures.span(59.9), "60 s"),
        (figures.span(725), "12 min 05 s"),
        (figures.span(3599.9), "1 h 00 min"),
        (figures.span(11_400), "3 h 10 min"),
        (figures.span(200_000), "2 d 7 h"),
        (figures.scaled(7e9), "7 G"),
        (figures.scaled(5.12e9, "FLOP"), "5.12 GFLOP"),
        (figures.scaled(None), "–"),
        (figures.number(float("inf")), "–"),
        (figures.mass(0.294), "0.29 gCO₂"),
        (figures.mass(1_250), "1.2 kgCO₂"),
        (figures.instant("2026-11-22T11:14:05+08:00"), "2026-11-22 03:14 UTC"),
    ],
)
def test_figures(told: str, wanted: str) -> None:
    assert told == wanted


amounts = st.floats(0, 1e15, allow_nan=False)


@given(st.tuples(amounts, amounts, amounts).map(sorted))
def test_any_range_is_drawn(parts: list[float]) -> None:
    low, value, high = parts
    for draw in (figures.spread, figures.hours):
        told = draw(spread(value, low, high))
        assert told and "nan" not in told


@given(st.floats(0, 1e9))
def test_any_span_is_drawn_without_sixty_of_anything(seconds: float) -> None:
    told = figures.span(seconds)
    assert "60 min" not in told and "24 h" not in told


@pytest.mark.parametrize("drawing", [live, bar])
@pytest.mark.parametrize("width", [40, 60, 100, 160])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_live_line_is_one_line(drawing: Callable[..., Any], width: int, lang: str) -> None:
    job = answer("show") | {"state": "RUNNING", "eta": "2026-11-21T18:00:00Z"}
    told = drawing(Pen(lang, width), job, NOW)
    assert told.cell_len <= width
    assert "805/805" in told.plain
    assert "\n" not in told.plain


def test_a_live_line_without_progress_says_why() -> None:
    job = answer("show") | {"state": "WAITING", "progress": None, "why": "refused: capacity", "cost": None}
    assert live(Pen("en", 100), job, NOW).plain == "waiting · refused: capacity"


def test_a_machine_lost_without_a_notice_has_a_timeline_too() -> None:
    show = answer("show")
    show["events"] = [event for event in show["events"] if event["kind"] not in ("lease-notice", "notice-seen")]
    told = [moment for moment in moments(show) if moment.attempt == 1]
    assert told[0].code == "lost" or min(moment.seconds for moment in told) < 0
    assert "saved" not in [moment.code for moment in told]


def test_an_attempt_without_a_checkpoint_starts_again() -> None:
    show = answer("show")
    show["attempts"][1]["resumed_step"] = None
    assert "from-start" in [moment.code for moment in moments(show) if moment.attempt == 1]


def test_moments_are_in_order_and_each_preemption_has_all() -> None:
    told = moments(answer("show"))
    for attempt in (1, 2):
        codes = [moment.code for moment in told if moment.attempt == attempt]
        assert codes == ["notice", "saved", "stopped", "next-lease", "gone", "resumed", "training-again"]
        seconds = [moment.seconds for moment in told if moment.attempt == attempt]
        assert seconds == sorted(seconds) and seconds[0] == 0
