"""Commands that answer: one JSON value on stdout, readable tables for people, errors told alike."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import contracts
import pytest
from cli_world import Inside, Shell, answer, job_file, place

from tradewind.app.queries import CompareQuery, OffersQuery, SizeOverrides
from tradewind.cli.index import CATALOG, COMMANDS
from tradewind.domain.errors import BadInput
from tradewind.domain.precision import Precision


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Inside(tmp_path / "home"))


@pytest.fixture
def job(tmp_path: Path) -> str:
    return job_file(tmp_path)


def offers() -> list[Any]:
    plan = answer("plan")
    return [placed["offer"] for placed in (plan["chosen"], *plan["alternatives"])]


def command_lines(job: str) -> list[list[str]]:
    return [
        ["size", job], ["offers"], ["plan", job], ["ps"], ["ps", "--all"], ["show", "digits"], ["leases"],
        ["leases", "--all"], ["sweep"], ["cost"], ["cost", "digits"], ["cost", "--rehearsals"], ["stop", "digits"],
        ["extend", "digits", "--deadline", "14h"], ["extend", "digits", "--budget", "85 CNY"],
        ["wait", "digits"], ["run", job, "--local"], ["explain", "digits"], ["explain", "lease-m7zw", "--all"],
        ["calibrate", job], ["size", "--model", "timm:resnet50", "--explain", "--max-batch"],
        ["supervisor"], ["supervisor", "install"], ["supervisor", "uninstall"], ["sweep", "--end"],
        ["attach", "digits"], ["fetch", "digits"], ["fetch", "digits", "--to", "here"], ["machines", "list"],
        ["machines", "remove", "gpu-box"], ["machines", "add", "ada@box", "--host-key", "SHA256:n1"], *catalog_lines(),
    ]  # fmt: skip


def catalog_lines() -> list[list[str]]:
    """Every command of the catalog that ends well."""
    return [
        ["catalog", "show", "p4d.24xlarge"], ["catalog", "gpus"], ["catalog", "regions", "--near", "Shanghai"],
        ["catalog", "compare", "p4d.24xlarge", "gn7e", "GN10Xp"], ["catalog", "list"], ["catalog", "add", "mine.csv"],
        ["catalog", "add", "mine.csv", "--as", "contract"],
    ]  # fmt: skip


def test_stdout_is_one_json_value(shell: Shell, job: str) -> None:
    shell.inside.found = offers()
    for words in command_lines(job):
        result = shell(*words, "--json")
        assert result.code == 0, words
        assert json.loads(result.out) is not None, words
    assert shell("offers", "--json").json() == offers()
    assert shell("plan", job, "--json").json() == answer("plan")


@pytest.mark.parametrize("no_color", [True, False])
def test_colour_is_for_terminals_that_want_it(shell: Shell, job: str, no_color: bool) -> None:
    shell.terminal = True
    shell.env |= {"TERM": "xterm-256color"} | ({"NO_COLOR": "1"} if no_color else {})
    told = shell("plan", job).out
    assert ("\x1b[1;36m" in told) is not no_color  # colours; bold and dim stay
    shell.terminal = False
    assert "\x1b" not in shell("plan", job).out


def test_numbers_that_are_not_finite_are_unknown(shell: Shell) -> None:
    shell.plane.shown["progress"]["loss"] = float("nan")
    assert shell("show", "digits", "--json").json()["progress"]["loss"] is None
    assert "loss –" in shell("show", "digits").out


def test_size_obeys_its_flags(shell: Shell, job: str) -> None:
    shell("size", job, "--gpu", "T4,L4", "--gpu", "A10", "--gpus", "1..8", "--micro-batch", "16", "--precision", "bf16")
    workload, overrides = shell.inside.asked[-1]
    assert overrides == SizeOverrides(("T4", "L4", "A10"), (1, 8))
    assert workload.training.micro_batch == 16
    assert workload.training.precision is Precision.AMP_BF16
    shell("size", "--model", "params:7e9", "--batch-size", "8", "--gpu", "all", "--micro-batch", "auto")
    workload, overrides = shell.inside.asked[-1]
    assert (workload.model.parameters, workload.training.batch_size) == (7e9, 8)
    assert workload.training.micro_batch is None


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        ([], "size-of-nothing"),
        (["--model", "params:many"], "flags-unreadable"),
        (["--model", "params:7e9", "--gpus", "8..1"], "flags-unreadable"),
        (["--model", "params:7e9", "--micro-batch", "x"], "flags-unreadable"),
        (["--model", "params:7e9", "--precision", "fp17"], "flags-unreadable"),
        (["--model", "params:7e9", "--batch-file", "x.jsonl"], "batch-file-with-flags"),
        (["--batch-file", "absent.jsonl"], "batch-file-missing"),
        (["--model", "profile:small-cw"], "profile-unknown"),
        (["--model", "params:7e9", "--nodes", "0"], "parameter-unreadable"),
    ],
)
def test_sizes_that_are_refused(shell: Shell, flags: list[str], code: str) -> None:
    result = shell("size", *flags, "--json")
    assert (result.code, result.json()["error"]["code"]) == (2, code)


def test_offers_are_asked_for_as_given(shell: Shell) -> None:
    shell("offers", "--gpu", "T4", "--gpus", "4", "--cloud", "aws,gcp", "--purchase", "spot", "--limit", "3")
    shell("offers", "--near", "Beijing", "--currency", "CNY", "--min-memory", "40", "--max-price", "20 CNY", "--rdma",
          "yes", "--min-rdma", "400", "--nvlink", "NVSwitch", "--cuda", "12", "--max-carbon", "300", "--residency",
          "EU", "--provider-tier", "all", "--sort", "carbon", "--region", "eu-west-1")  # fmt: skip
    assert shell.inside.asked == [
        OffersQuery("T4", (4, 4), ("aws", "gcp"), purchases=("spot",), limit=3),
        OffersQuery(
            regions=("eu-west-1",), near="Beijing", currency="CNY", min_memory_gib=40, max_price="20 CNY", rdma="yes",
            min_rdma_gbps=400, nvlink="NVSwitch", cuda="12", max_carbon=300, residency="EU", tier="all", sort="carbon",
            limit=30,  # a screen
        ),
    ]  # fmt: skip
    assert "No offer matches" in shell("offers").out


def test_offers_as_csv_have_the_fields_of_json(shell: Shell) -> None:
    recorded = answer("offers")
    shell.inside.found, shell.inside.beside = recorded.pop("offers"), recorded
    result = shell("offers", "--csv")
    rows = list(csv.DictReader(io.StringIO(result.out)))
    told = shell("offers", "--json").json()
    for row, offer in zip(rows, told, strict=True):
        price = offer["price_per_hour"]
        assert (row["price_per_hour"], row["currency"]) == (price["amount"], price["currency"])
        assert row["converted_price_per_hour"] == offer["converted"]["price_per_hour"]["amount"]
        assert row["instance_type"] == offer["instance_type"]
        assert row["rdma"] == (offer["rdma"] or "")  # unknown is an empty cell
    assert "as the crow flies" in result.err
    assert shell("offers", "--csv", "--json").json()["error"]["code"] == "csv-with-json"


def test_what_is_unknown_is_counted_below_the_table(shell: Shell) -> None:
    shell.inside.found = [*offers()[:1], {**offers()[0], "price_per_hour": None, "price_per_gpu_hour": None,
                                          "price_status": "unknown", "as_of": None}]  # fmt: skip
    damaged = [{"file": "own/x.csv", "why": "torn"}]
    shell.inside.beside = {"unpriced": 1, "left_out": {"carbon": 3}, "passed_over": damaged}
    told = " ".join(shell("offers").out.split())
    assert "Without a known price, at the end: 1" in told
    assert "3 left out because their grid's carbon is unknown" in told
    assert "own/x.csv (torn or changed by hand" in told
    assert "3 left out" in shell("offers", "--json").err


def test_what_is_the_same_in_all_offers_is_told_once(shell: Shell) -> None:
    first = offers()[0]
    shell.inside.found = [first, {**first, "zone": "elsewhere", "rdma": "EFA 400"}]
    head, *_, below = shell("offers").out.partition("\n\n")
    assert f"× {first['gpu']}" in head and "RDMA" not in head
    assert f"× {first['gpu']}" not in below.split("\n\n")[0]


def test_a_refresh_is_told_cloud_by_cloud(shell: Shell) -> None:
    result = shell("catalog", "refresh", "--json")
    assert (result.code, result.err) == (4, "")  # nothing beside the one value
    contracts.check(result.json(), contracts.REFRESHED)
    azure, gcp, aws = result.json()["clouds"]
    assert azure["parts_failed"][0]["error"]["what"].startswith("azure answered in a shape")
    assert 'pip install "tradewind[gcp]"' in gcp["error"]["next"]
    assert aws["error"]["facts"]["left"] == "12"
    lines = shell("catalog", "refresh").err.splitlines()
    assert lines == ["azure spot: 0 of 2 parts, 0 prices", "azure spot: the cloud asks for a pause of 12 s",
                     "azure spot: 1 of 2 parts, 1,000 prices"]  # fmt: skip


@pytest.mark.parametrize(
    ("outcomes", "named", "code"),
    [
        (["refreshed", "not_configured"], False, 0),
        (["refreshed", "not_configured"], True, 3),
        (["not_configured", "not_configured"], False, 3),
        (["refreshed", "failed"], False, 4),
        (["refused", "not_configured"], True, 4),
    ],
)
def test_how_a_refresh_ends(shell: Shell, outcomes: list[str], named: bool, code: int) -> None:
    template = answer("catalog-refresh")[1]
    shell.inside.shelf.refreshed = [{**template, "outcome": outcome} for outcome in outcomes]
    assert shell("catalog", "refresh", *(["--cloud", "aws,gcp"] if named else [])).code == code


def test_ctrl_c_says_that_a_refresh_goes_on_later(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(clouds: tuple[str, ...], tell: object) -> list[Any]:
        raise KeyboardInterrupt

    monkeypatch.setattr(shell.inside.shelf, "refresh", interrupted)
    result = shell("catalog", "refresh")
    assert result.code == 130
    assert "goes on from here" in result.err


def test_a_bar_on_a_terminal_goes_away_at_the_end(shell: Shell) -> None:
    shell.terminal = True
    shell.env["TERM"] = "xterm"
    assert "\x1b[" in shell("catalog", "refresh").err


def test_inputs_of_rent_or_buy_go_with_the_question(shell: Shell) -> None:
    shell("catalog", "compare", "gn7e", "--card-price", "9 CNY", "--years", "3", "--utilisation", "0.3",
          "--server-share", "0.2")  # fmt: skip
    assert shell.inside.shelf.asked == [
        CompareQuery(("gn7e",), card_price="9 CNY", inputs={"years": 3, "utilisation": 0.3, "server_share": 0.2})
    ]


def test_the_catalog_alone_tells_its_commands(shell: Shell) -> None:
    told = shell("catalog").out
    for name in CATALOG:
        assert f"  {name} " in told
        page = shell("catalog", name, "--help").out
        assert f"tradewind catalog {name}" in page.splitlines()[0]
        assert f"\n  tradewind catalog {name}" in page  # an example
        assert not any(line.rstrip().endswith(("--json", "--help", "GIB", "CUR")) for line in page.splitlines())
    error = shell("catalog", "shw", "--json").json()["error"]
    assert (error["code"], error["facts"]["nearest"]) == ("command-unknown", "show")


def test_a_screen_of_offers_and_how_many_more(shell: Shell) -> None:
    shell.inside.found = offers()[:1] * 40
    _, table, below = shell("offers").out.split("\n\n")
    assert len(table.splitlines()) == 1 + 30
    assert below.startswith("10 more")
    _, table, below = shell("offers", "--limit", "40").out.split("\n\n")
    assert len(table.splitlines()) == 1 + 40 and "more" not in below


def test_empty_answers_say_what_to_do_next(shell: Shell) -> None:
    assert "tradewind run" in shell("ps").out
    assert shell("ps", "--json").json() == []
    assert "every place was listed" in shell("leases").out
    assert shell("cost").out.splitlines()[-1] == "open leases: none"
    assert shell("cost", "--json").json() == {"jobs": [], "open_leases": 0}


def test_a_place_that_cannot_be_listed_is_never_none(shell: Shell) -> None:
    shell.plane.places.append(place("alibaba", complete=False) | {"region": "cn-beijing"})
    result = shell("leases", "--json")
    assert (result.code, result.json()["error"]["code"]) == (4, "listing-incomplete")
    shell.plane.rows = answer("leases")["leases"]
    result = shell("leases", "--json")
    assert (result.code, result.json()) == (4, shell.plane.rows)
    assert "alibaba cn-beijing" in result.err
    assert shell("stop", "digits").out.splitlines()[-1].startswith("open leases: unknown")


def test_a_sweep_that_could_not_look_everywhere_is_4(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    swept = answer("sweep")
    swept["checked"][0]["complete"] = False
    monkeypatch.setattr(shell.plane, "sweep", lambda end: swept)
    result = shell("sweep")
    assert result.code == 4
    assert "not listed" in result.out and "not every place" in result.out


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("code", ["database-damaged", "database-newer", "database-on-network-fs", "database-full"])
def test_a_database_that_cannot_be_used_is_said_by_every_command(shell: Shell, code: str, lang: str) -> None:
    path = "/home/ada/.tradewind/tradewind.db"
    seen: dict[str, Any] = {"why": "page 3", "backup": "", "revision": "9", "newest": "2", "mount": "/", "kind": "nfs4"}
    shell.inside.broken = BadInput(code, path=path, **seen)
    for words in (["ps"], ["leases"], ["sweep", "--end"], ["explain", "x"], ["cost"], ["stop", "x"], ["logs", "x"]):
        result = shell(*words, "--lang", lang)
        assert (result.code, result.out) == (2, ""), words
        assert path in result.err and "?" not in result.err
        assert len(result.err.splitlines()) <= 4  # a line of progress, what, why, next
    assert shell("ps", "--json").json()["error"]["code"] == code


def test_an_explanation_is_a_sentence_in_the_readers_language(shell: Shell) -> None:
    told = shell("explain", "digits", "--json").json()
    contracts.check(told, contracts.EXPLAIN)
    assert told["why"].startswith("Attempt 1 runs on lease-m7zwega1-mqnp")
    assert shell("explain", "digits", "--json", "--lang", "zh").json()["why"].startswith("第 1 次尝试正在运行")
    assert shell("explain", "lease-m7zw").out.splitlines()[1] != shell("explain", "digits").out.splitlines()[1]
    shell("explain", "digits", "--all")
    assert shell.plane.calls[-1] == ("explain", ("digits", True))


def test_money_of_rehearsals_is_in_no_sum_and_of_the_unknown_is_in_it(shell: Shell) -> None:
    listed = answer("leases-open")
    shell.plane.rows = listed["leases"]
    told = shell("leases").out
    assert "Costing now: ¥26.65 + $0.8562 an hour, of it ¥19.40" in told
    shell.plane.rows = [each for each in listed["leases"] if each["rehearsal"]]
    assert "Costing now: nothing." in shell("leases").out
    shell.plane.places.append(place("aws", complete=False))
    assert "Costing now: nothing that is known." in shell("leases").out


def test_the_service_file_can_be_seen_before_it_is_written(shell: Shell) -> None:
    assert shell("supervisor", "install", "--print", "--kind", "launchd").out == "[launchd]\n"
    assert shell("supervisor", "install", "--print", "--json").json() == {"text": "[own]\n"}
    result = shell("supervisor", "uninstall", "--print", "--json")
    assert (result.code, result.json()["error"]["code"]) == (2, "print-without-install")


def test_a_supervisor_without_a_service_says_what_that_means(shell: Shell) -> None:
    shell.inside.keeper.installed = False
    told = " ".join(shell("supervisor").out.split())
    assert "after a reboot" in told and "tradewind supervisor install" in told


def test_open_leases_are_counted_and_how_to_end_them_is_said(shell: Shell) -> None:
    shell.plane.rows = answer("leases")["leases"][:2]
    last = shell("wait", "digits").out.splitlines()[-1]
    assert last.startswith("open leases: 2 (") and "tradewind stop" in last


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["plam"], "command-unknown", "plan"),
        (["ps", "--jsno"], "option-unknown", "--json"),
        (["show"], "parameter-missing", "JOB"),
        (["offers", "--limit", "many"], "parameter-unreadable", "--limit"),
        (["show", "nobody"], "job-unknown", "nobody"),
        (["ps", "--lang", "fr"], "language-unknown", "fr"),
        (["plan", "missing.yaml"], "job-file-missing", "missing.yaml"),
    ],
)
def test_command_lines_that_cannot_be_read(shell: Shell, words: list[str], code: str, told: str) -> None:
    result = shell(*words, "--json")
    error = result.json()["error"]
    assert (result.code, error["code"], error["where"]) == (2, code, None)
    assert told in error["what"] + error["why"] + error["next"]
    plain = shell(*words)
    assert (plain.code, plain.out) == (2, "")
    assert plain.err.startswith("error: ") and "Traceback" not in plain.err


def test_faults_of_a_job_file_are_told_with_their_places(shell: Shell, tmp_path: Path) -> None:
    path = job_file(tmp_path, ["deadline: 12h", "training: {epochs: 0}"])
    error = shell("plan", path, "--json").json()["error"]
    assert error["where"] == {"file": path, "line": 4, "column": 1}
    assert [fault["code"] for fault in error["faults"]] == ["key-unknown", "number-out-of-range"]
    assert f"{path}:4:1: `deadline`: no such key. Did you mean `schedule.deadline`?" in shell("plan", path).err


def test_a_bug_is_told_in_a_sentence_and_its_traceback_is_kept(shell: Shell) -> None:
    shell.inside.broken = RuntimeError("boom")
    result = shell("ps", "--json")
    assert (result.code, result.json()["error"]["code"]) == (1, "crashed")
    kept = Path(result.json()["error"]["facts"]["path"])
    assert kept.parent == shell.inside.folder
    assert "RuntimeError: boom" in kept.read_text()
    plain = shell("ps")
    assert str(kept) in plain.err and "Traceback" not in plain.err


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_help_names_every_command_with_words(shell: Shell, lang: str) -> None:
    shell.env["LANG"] = f"{lang}_XX.UTF-8"
    told = shell("--help").out
    groups = {"en": {"Plan", "Run", "Money", "Nodes", "Team"}, "zh": {"规划", "运行", "费用", "节点", "团队"}}[lang]
    assert groups <= set(told.splitlines())
    for name in COMMANDS:
        assert f"  {name} " in told
        page = shell(name, "--help")
        assert page.code == 0
        for line in page.out.splitlines():
            assert not re.match(r"  --?[a-z-]+$", line), "an option without words"


def test_language_comes_from_the_flag_then_the_locale(shell: Shell) -> None:
    shell.env["LC_ALL"] = "zh_CN.UTF-8"
    assert "没有进行中的任务" in shell("ps").out
    assert "No job is live" in shell("ps", "--lang", "en").out
    assert "No job is live" in shell("--lang=en", "ps").out


def test_version(shell: Shell) -> None:
    assert shell("--version").out.startswith("tradewind ")
