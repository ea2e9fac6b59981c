"""What a terminal can show: colours, plain lines, signs beyond ASCII, local times, the reader's currency."""

from __future__ import annotations

import io
import os
import plistlib
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, timedelta, timezone
from pathlib import Path

import pytest
from cli_scenes import SCENES, played
from cli_world import Inside, Shell, answer, job_file

from tradewind import words
from tradewind.catalog.rates import currencies
from tradewind.cli import reader
from tradewind.cli.draw.figures import instant
from tradewind.cli.draw.pen import Pen, width_of, wrapped
from tradewind.cli.terminal import Spelled, coloured, legible, spelled

ESCAPE = "\x1b["
BEIJING = timezone(timedelta(hours=8))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Inside(tmp_path / "home"))


# colours


@pytest.mark.parametrize(
    ("env", "tty", "wanted"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, True, False),
        ({"CLICOLOR": "0"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"CLICOLOR_FORCE": "1", "TERM": "dumb"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
    ],
)
def test_whether_there_are_colours(env: dict[str, str], tty: bool, wanted: bool) -> None:
    assert coloured(env, tty) is wanted


def test_a_terminal_gets_colours_and_a_pipe_gets_none(shell: Shell, tmp_path: Path) -> None:
    job = job_file(tmp_path)
    assert ESCAPE not in shell("plan", job).out
    shell.env["FORCE_COLOR"] = "1"
    forced = shell("plan", job).out
    assert ESCAPE in forced and "\x1b[1mPlan" in forced and "\x1b[2K" not in forced
    del shell.env["FORCE_COLOR"]
    shell.terminal = True
    assert ESCAPE in shell("plan", job).out
    assert ESCAPE in shell("plan", "no.yaml").err
    for setting in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"CLICOLOR": "0"}, {"TRADEWIND_PLAIN": "1"}):
        quiet = Shell(shell.inside, {**shell.env, **setting}, terminal=True)
        assert ESCAPE not in quiet("plan", job).out + quiet("plan", "no.yaml").err + quiet("ps", "--all").out


@pytest.mark.parametrize("setting", [{}, {"TERM": "dumb"}, {"TRADEWIND_PLAIN": "1"}])
def test_where_lines_cannot_be_drawn_over_a_run_is_told_line_by_line(shell: Shell, setting: dict[str, str]) -> None:
    shell.terminal = bool(setting)
    shell.env |= setting
    told = shell("wait", "digits").out
    assert "\r" not in told and ESCAPE not in told
    assert "805/805" in told and told.splitlines()[-1] == "open leases: none"


# plain lines


def test_plain_lines_have_no_pictures_and_no_columns_and_lose_no_figure(tmp_path: Path) -> None:
    for scene in SCENES:
        told = played(tmp_path, scene, {"COLUMNS": "60"}, "en", "--plain")
        drawn = played(tmp_path, scene, {"COLUMNS": "200"}, "en")
        assert (told.code, bool(told.out)) == (drawn.code, bool(drawn.out)), scene
        assert {letter for letter in told.out if not letter.isascii() and not letter.isalpha()} == set(), scene
        assert [line for line in told.out.splitlines() if "  " in line] == [], scene
        figures = _figures(drawn.out)
        lost = {number for number in figures if number not in told.out}
        assert len(lost) <= len(figures) // 4, (scene, lost)  # the ticks of a picture's axes


def test_names_in_other_scripts_stay_in_plain_lines(shell: Shell) -> None:
    told = shell("fetch", "digits", "--plain").out
    assert "out/00 结果.pt" in told.splitlines()


def _figures(text: str) -> set[str]:
    return set(re.findall(r"\d[\d.,]*\d", text))


def test_a_row_of_a_table_names_its_cells(shell: Shell) -> None:
    told = shell("ps", "--all", "--plain").out
    assert told.startswith("job: job-m7zjrtf4-d4zc, name: digits, state: succeeded")
    assert shell("ps", "--plain", "--lang", "zh").code == 0
    assert shell("show", "digits", "--plain", "--json").json() == answer("show")


# letters and signs


def test_signs_are_spelled_and_sums_stay_in_their_column() -> None:
    assert spelled("size → plan · 8 × A100 – ≤ 30 …") == "size > plan . 8 x A100 - <= 30 ~"
    assert spelled("ends  ¥12.34") == "ends CNY 12.34"
    assert spelled("here     ¥1.20") == "here  CNY 1.20"
    assert spelled("(¥1.20, €3)") == "(CNY 1.20, EUR 3)"
    assert spelled("北京 ─┤ Aragón") == "北京 -+ Aragon"


def stream(encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding)


@pytest.mark.parametrize(
    ("encoding", "env", "written"),
    [
        ("utf-8", {"LANG": "en_US.UTF-8"}, "¥ ┤ 京".encode()),
        ("utf-8", {}, "¥ ┤ 京".encode()),
        ("utf-8", {"LC_ALL": "C"}, "CNY  + 京".encode()),
        ("utf-8", {"LANG": "C", "LC_CTYPE": "C.UTF-8"}, "CNY  + 京".encode()),
        ("utf-8", {"LC_CTYPE": "C.UTF-8"}, "¥ ┤ 京".encode()),
        ("utf-8", {"LC_ALL": "C", "LC_CTYPE": "en_US.UTF-8"}, "CNY  + 京".encode()),
        ("ascii", {"LANG": "en_US"}, b"CNY  + ?"),
        ("latin-1", {"LANG": "de_DE"}, b"CNY  + ?"),
        ("gbk", {"LANG": "zh_CN.GBK"}, "CNY  + 京".encode("gbk")),
    ],
)
def test_no_stream_fails_on_a_letter(encoding: str, env: dict[str, str], written: bytes) -> None:
    raw = stream(encoding)
    legible(raw, env).write("¥ ┤ 京")
    raw.flush()
    buffer = raw.buffer
    assert isinstance(buffer, io.BytesIO) and buffer.getvalue() == written


def test_json_is_whole_on_a_terminal_without_letters(tmp_path: Path) -> None:
    from tradewind.cli.world import World

    raw = stream("ascii")
    out = legible(raw, {"LC_ALL": "C"})
    assert isinstance(out, Spelled)
    World({}, io.StringIO(), out, out, Inside(tmp_path)).answer({"city": "北京", "price": "¥1 · 2"})
    raw.flush()
    buffer = raw.buffer
    assert isinstance(buffer, io.BytesIO)
    assert buffer.getvalue() == rb'{"city": "\u5317\u4eac", "price": "\u00a51 \u00b7 2"}' + b"\n"


@pytest.mark.parametrize("settings", [{"LC_ALL": "C"}, {"LANG": "POSIX"}, {"PYTHONIOENCODING": "ascii"}])
def test_the_program_draws_in_ascii_where_it_must(tmp_path: Path, settings: dict[str, str]) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TRADEWIND_HOME": str(tmp_path), **settings}
    done = subprocess.run([sys.executable, "-m", "tradewind.cli.main", "catalog", "gpus", "--gpu", "T4,H20"], env=env,
                          capture_output=True, check=True)  # fmt: skip
    assert done.stdout.isascii() and b"T4" in done.stdout and b"?" not in done.stdout


# language, currency, time


@pytest.mark.parametrize(
    ("env", "wanted"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "CNY"),
        ({"LANG": "de_DE.UTF-8"}, "EUR"),
        ({"LANG": "de_DE@euro"}, "EUR"),
        ({"LANG": "en_US"}, "USD"),
        ({"LANG": "en_US.UTF-8", "LC_MONETARY": "zh_CN.UTF-8"}, "CNY"),
        ({"LANG": "zh_CN", "LC_MONETARY": "de_AT", "LC_ALL": "en_US.UTF-8"}, "USD"),
        ({"LANG": "C.UTF-8"}, None),
        ({"LANG": "ja_JP.UTF-8"}, None),
        ({"LANG": "zh"}, None),
        ({}, None),
    ],
)
def test_the_locale_says_in_which_currency_people_reckon(env: dict[str, str], wanted: str | None) -> None:
    assert reader.currency(env) == wanted


def test_every_currency_of_a_country_has_rates() -> None:
    assert set(reader.CURRENCIES.values()) <= set(currencies())


def test_sums_are_told_in_the_readers_currency_too_but_never_in_json(shell: Shell) -> None:
    shell.env["LANG"] = "zh_CN.UTF-8"
    shell("offers", "--gpu", "T4")
    shell("offers", "--gpu", "T4", "--json")
    shell("offers", "--gpu", "T4", "--csv")
    shell("offers", "--gpu", "T4", "--currency", "EUR")
    assert [query.currency for query in shell.inside.asked] == ["CNY", None, None, "EUR"]
    shell("cost", "digits")
    shell("cost", "digits", "--json")
    shell("cost", "digits", "--currency", "usd")
    assert [each[1][2] for each in shell.plane.calls if each[0] == "cost"] == ["CNY", None, "USD"]


def test_a_plans_cost_is_told_in_the_readers_currency_too(shell: Shell, tmp_path: Path) -> None:
    job = job_file(tmp_path)
    before = shell("plan", job, "--json").out
    shell.env |= {"LC_MONETARY": "zh_CN.UTF-8"}
    told = shell("plan", job).out
    assert "The cost in CNY: ¥" in told and "(1 USD = 6.7758 CNY, 2026-06)" in told
    assert "费用折合 CNY：¥" in shell("run", job, "--rehearse", "--lang", "zh").out
    assert shell("plan", job, "--json").out == before
    shell.env["LC_MONETARY"] = "de_DE.UTF-8"
    assert "The cost in" not in shell("plan", job).out  # no rate leads there
    shell.env["LC_MONETARY"] = "en_US.UTF-8"
    assert "The cost in" not in shell("plan", job).out  # it is in dollars


def test_what_a_mac_is_set_to_counts_where_the_environment_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / reader.MAC_SETTINGS
    path.parent.mkdir(parents=True)
    path.write_bytes(plistlib.dumps({"AppleLanguages": ["zh-Hans-CN", "en"], "AppleLocale": "zh_CN@calendar=x"}))
    told = reader.of_mac({"HOME": str(tmp_path)})
    assert (words.language(told), reader.currency(told)) == ("zh", "CNY")
    assert reader.of_mac({"HOME": str(tmp_path), "LANG": "de_DE"}) == {}
    path.write_bytes(b"torn")
    assert reader.of_mac({"HOME": str(tmp_path)}) == {}
    assert reader.of_mac({"HOME": str(tmp_path / "nobody")}) == {}


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("zone")
def test_times_are_the_computers_own_with_their_offset() -> None:
    assert instant("2026-07-22T03:14:05Z", None) == "2026-07-22 05:14 +02:00"
    assert instant("2026-12-22T23:14:05Z", None) == "2026-12-23 00:14 +01:00"


def test_times_are_told_in_a_zone_and_json_in_utc(shell: Shell) -> None:
    assert (Pen("en", 80).zone, instant("2026-11-22T03:14:05Z")) == (UTC, "2026-11-22 03:14 UTC")
    assert instant("2026-11-22T03:14:05Z", BEIJING) == "2026-11-22 11:14 +08:00"
    assert instant(None, BEIJING) == "–"
    before = shell("show", "digits", "--json").out
    assert " UTC" in shell("show", "digits").out
    shell.zone = BEIJING
    told = shell("show", "digits").out
    assert " +08:00" in told and " UTC" not in told and "  · 01:39:58  closed" in told
    assert "2026-11-22 01:29:34" in shell("explain", "digits").out
    assert shell("show", "digits", "--json").out == before


# where plain and language may stand; lines of Chinese


@pytest.mark.parametrize(
    ("line", "rest", "lang", "plain"),
    [
        ("--lang zh plan job.yaml", "plan job.yaml", "zh", False),
        ("plan job.yaml --lang=zh --plain", "plan job.yaml", "zh", True),
        ("plan --plain -- --plain --lang", "plan -- --plain --lang", None, True),
        ("plan job.yaml --lang", "plan job.yaml", "", False),
    ],
)
def test_what_is_for_all_commands_may_stand_anywhere(line: str, rest: str, lang: str | None, plain: bool) -> None:
    assert reader.taken(line.split()) == (rest.split(), lang, plain)


@pytest.mark.parametrize("width", [8, 13, 20, 40])
def test_chinese_is_broken_between_letters_and_no_line_begins_with_a_stop(width: int) -> None:
    text = "中断的刷新会从中断处继续；看上去不对的会被拒绝（exit 3），仍用上次可信的价格，as_of 除外。"
    lines = wrapped(text, width).split("\n")
    assert max(map(width_of, lines)) <= width
    assert not any(line[0] in "，。；）" for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
