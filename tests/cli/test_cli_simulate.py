"""``tradewind simulate``: the drawing against golden files, the list, flags and exit codes; and real runs of it.

To write the golden files anew: TRADEWIND_GOLDEN=1 pytest tests/cli/test_cli_simulate.py; then read the diff.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import contracts
import pytest
from cli_world import NOW, Inside, Shell, answer, job_file
from rich.cells import cell_len
from rich.text import Text

from tradewind.app import jobfile
from tradewind.app.queries import SimulateQuery
from tradewind.app.replaying import window_hours
from tradewind.catalog.traces import trace
from tradewind.cli.draw.histograms import BARS, Scale, rows
from tradewind.cli.inside import Embedded
from tradewind.planning.simulation import EagerNextRegion, run, start_ticks, window

GOLDEN = Path(__file__).parent / "golden"
LONG = """
model: {preset: resnet50}
training: {batch_size: 256, precision: bf16, optimizer: sgd, samples: 1281167, epochs: 90}
resources: {accelerators: "H100:1"}
"""
QUICK = ("--runs", "15")
Simulation = dict[str, Any]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Inside(tmp_path / "home"))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home for all questions here: they leave nothing in it but the catalog's snapshot."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def real(home: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The command over the real inside."""
    monkeypatch.setenv("TRADEWIND_HOME", str(home))
    return Shell(Embedded())  # type: ignore[arg-type]


def written(folder: Path, text: str) -> str:
    path = folder / "job.yaml"
    path.write_text(f"name: long\nrun: python train.py\n{text}", encoding="utf-8")
    return str(path)


def late() -> Simulation:
    """As recorded, but one policy was late in some runs, and nobody could be in time in all."""
    told: Simulation = answer("simulate")
    told["policies"][2]["misses"] = 7
    told["bound"] = None
    return told


@pytest.mark.parametrize(
    ("name", "columns", "args"),
    [
        ("simulate-100", 100, ()),
        ("simulate-80", 80, ()),
        ("simulate-120-zh", 120, ("--lang", "zh")),
        ("simulate-80-zh", 80, ("--lang", "zh")),
        ("simulate-plain", 80, ("--plain",)),
        ("simulate-plain-zh", 80, ("--plain", "--lang", "zh")),
        ("simulate-short-80", 80, ()),
        ("simulate-late-100", 100, ()),
    ],
)
def test_golden(shell: Shell, tmp_path: Path, name: str, columns: int, args: tuple[str, ...]) -> None:
    shell.env["COLUMNS"] = str(columns)
    if "-short-" in name:
        shell.inside.simulated = answer("simulate-short")
    if "-late-" in name:
        shell.inside.simulated = late()
    told = shell("simulate", job_file(tmp_path), *QUICK, *args)
    assert told.code == 0
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("TRADEWIND_GOLDEN"):
        path.write_text(told.out, encoding="utf-8")
    assert told.out == path.read_text(encoding="utf-8")
    assert "--plain" in args or all(cell_len(line) <= columns for line in told.out.splitlines())
    assert told.out.isascii() or "--plain" not in args or "zh" in args


@pytest.mark.parametrize("name", ["simulate", "simulate-short"])
def test_recorded_answers_are_by_contract(name: str) -> None:
    contracts.check(answer(name), contracts.SIMULATE)


def test_what_is_asked_for_reaches_the_inside(shell: Shell, tmp_path: Path) -> None:
    job = job_file(tmp_path)
    shell("simulate", job)
    shell(
        "simulate",
        job,
        "--trace",
        "mine.csv",
        "--seed",
        "3",
        "--policy",
        "tradewind,on-demand",
        "--policy",
        "last-moment",
    )
    shell("simulate", job, "--market", "7", "--runs", "5")
    assert shell.inside.asked == [
        SimulateQuery(), SimulateQuery("mine.csv", None, ("tradewind", "on-demand", "last-moment"), 1000, 3),
        SimulateQuery(None, 7, (), 5),
    ]  # fmt: skip


def test_a_pipe_is_told_quarter_by_quarter_how_far_it_is(shell: Shell, tmp_path: Path) -> None:
    told = shell("simulate", job_file(tmp_path), "--runs", "1001")
    assert told.err.splitlines() == [f"simulated {done} of 1,001 runs" for done in ("251", "501", "751", "1,001")]
    assert shell("simulate", job_file(tmp_path), "--json").err == ""
    shell.terminal = True
    assert "simulated" in shell("simulate", job_file(tmp_path), "--runs", "3").err


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("--trace", "a.csv", "--market", "1"), "trace-and-market"),
        (("--market", "1", "--seed", "2"), "seed-and-market"),
        (("--runs", "0"), "parameter-unreadable"),
        (("--market", "-1"), "parameter-unreadable"),
    ],
)
def test_what_makes_no_sense_is_refused(shell: Shell, tmp_path: Path, args: tuple[str, ...], code: str) -> None:
    told = shell("simulate", job_file(tmp_path), *args, "--json")
    assert (told.code, told.json()["error"]["code"]) == (2, code)


def test_ctrl_c_ends_it_with_130(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any) -> Simulation:
        raise KeyboardInterrupt

    monkeypatch.setattr(Inside, "simulate", interrupted)
    assert shell("simulate", job_file(tmp_path)).code == 130


def test_a_bar_stands_where_its_runs_are() -> None:
    scale = Scale(0.0, 10.0, lambda value: f"{value:g}", ((5.0, "half"), (10.0, "end")))
    drawn = [
        line.plain for line in rows({"a": [1, 0, 0, 100], "bb": [0, 50, 100, 0]}, {"a": "a", "bb": "bb"}, scale, 20)
    ]
    assert drawn[0] == f"a   {BARS[0]}  {BARS[-1]}", "a single run can still be seen"
    assert drawn[1] == f"bb   {BARS[3]}{BARS[-1]} "
    assert drawn[3:] == ["      ↑ half", "       ↑ end"]
    narrow = rows({"a": [1] * 40}, {"a": "a"}, scale, 13)
    assert narrow[0].plain == "a  " + BARS[-1] * 10, "forty parts in ten columns"
    assert isinstance(narrow[0], Text)


def test_a_plan_on_a_measured_market(real: Shell, tmp_path: Path) -> None:
    job = written(tmp_path, LONG + "schedule: {deadline: 30h}\n")
    told = real("simulate", job, *QUICK, "--json")
    assert told.code == 0
    found = told.json()
    contracts.check(found, contracts.SIMULATE)
    assert found["market"]["trace"]["name"] == "h100x1-gcp-2025-10-dev", "the plan's own GPU"
    assert (found["runs"], found["job"]["deadline_hours"], found["job"]["deadline_assumed"]) == (15, 30, False)
    policies = {each["policy"]: each for each in found["policies"]}
    assert list(policies) == ["tradewind", "uniform-progress", "eager-next-region", "last-moment", "on-demand"]
    assert policies["on-demand"]["against_on_demand"] == pytest.approx(1, abs=1e-6)
    assert policies["on-demand"]["cost"]["value"] == found["on_demand_only"]["cost"]["amount"]
    least = float(found["bound"]["cost"]["value"])
    for name, each in policies.items():
        assert each["misses"] == 0 or name == "eager-next-region"
        assert least <= float(each["cost"]["value"])
        assert sum(found["histograms"]["cost"]["counts"][name]) == 15
        assert sum(found["histograms"]["finish_hours"]["counts"][name]) == 15
    assert policies["tradewind"]["against_on_demand"] < 0.9
    again = real("simulate", job, *QUICK, "--json", "--policy", "tradewind").json()
    assert again["policies"] == [policies["tradewind"]], "the same seed, the same runs"
    other = real("simulate", job, *QUICK, "--json", "--policy", "tradewind", "--seed", "1").json()
    assert other["policies"] != again["policies"]


def test_the_first_window_is_that_of_a_rehearsal_with_the_seed(real: Shell, tmp_path: Path) -> None:
    job = written(tmp_path, LONG + "schedule: {deadline: 30h}\n")
    plan, (workload, _) = real("plan", job, "--json").json(), jobfile.read(Path(job))
    shipped = trace("h100x16-gcp-2025-10-dev")
    tick = start_ticks(shipped, window_hours(workload, plan, NOW), 1)[0]
    args = ("--runs", "1", "--seed", "1", "--policy", "eager-next-region", "--trace", shipped.name)
    told = real("simulate", job, *args, "--json").json()
    zones = [shipped.zones.index(pool["zone"]) for pool in told["job"]["pools"]]
    assert zones == list(range(len(zones))), "zone i stands for the i-th spot pool"
    prices = [float(pool["price_per_work_hour"]["amount"]) for pool in told["job"]["pools"]]
    replayed = replace(window(shipped, tick, 30, zones=zones, spot_price=prices, od_price=9.0), overheads=(8 / 60,))
    alone = run(replayed.job(told["job"]["work_hours"], 30, 0.5), replayed, EagerNextRegion())
    assert told["policies"][0]["preemptions"]["value"] == alone.preemptions > 0
    assert told["policies"][0]["finish_hours"]["value"] == pytest.approx(alone.finish_hours)
    assert told["policies"][0]["spot_hours"] == pytest.approx(alone.spot_hours)


def test_a_plan_on_made_up_markets_without_a_deadline(real: Shell, tmp_path: Path) -> None:
    told = real("simulate", written(tmp_path, LONG), *QUICK, "--market", "3", "--json").json()
    contracts.check(told, contracts.SIMULATE)
    assert told["market"] == {"kind": "made-up", "seed": 3, "trace": None}
    work = told["job"]["work_hours"]
    assert told["job"]["deadline_assumed"]
    assert told["job"]["deadline_hours"] == pytest.approx(1.5 * work + 3 * told["job"]["start_hours_at_most"])
    assert any(remark.startswith("deadline-assumed ") for remark in told["remarks"])


def test_a_trace_of_ones_own(real: Shell, tmp_path: Path) -> None:
    rows = "".join(f"attic,{3 * hour},{1 - hour % 2},,\n" for hour in range(20))
    (tmp_path / "mine.csv").write_text(f"# tick_seconds: 1200\nzone,tick,available,spot_price,od_price\n{rows}")
    job = written(tmp_path, LONG + "schedule: {deadline: 30h}\n")
    told = real("simulate", job, *QUICK, "--trace", str(tmp_path / "mine.csv"), "--json").json()
    assert [pool["zone"] for pool in told["job"]["pools"]] == ["attic"], "one zone stands for one pool"
    assert told["market"]["trace"]["source"] is None
    assert any(remark.startswith("trace-repeated ") for remark in told["remarks"])
    assert told["policies"][0]["preemptions"]["value"] > 3
    assert told["policies"][0]["misses"] == 0


def test_nothing_to_choose_is_told_so(real: Shell, tmp_path: Path) -> None:
    only = written(tmp_path, LONG + "budget: {purchase: on_demand}\nschedule: {deadline: 30h}\n")
    told = real("simulate", only, "--json").json()
    assert (told["policies"], told["runs"], told["remarks"]) == ([], 0, ["no-spot-pool"])
    assert "no market can take" in real("simulate", only).out
    short = written(tmp_path, LONG.replace("epochs: 90", "epochs: 1").replace("1281167", "8000"))
    told = real("simulate", short, "--json").json()
    contracts.check(told, contracts.SIMULATE)
    assert (told["policies"], [remark.partition(" ")[0] for remark in told["remarks"]]) == ([], ["too-short"])
    assert told["on_demand_only"]["hours"] < 0.2


@pytest.mark.parametrize(
    ("more", "args", "code", "error"),
    [
        ("budget: {limit: 0.01 USD}\n", (), 3, "simulate-nothing-fits"),
        ("budget: {purchase: spot}\n", (), 3, "simulate-no-on-demand"),
        ("", ("--policy", "uniform-progres"), 2, "policy-unknown"),
        ("", ("--trace", "v100"), 2, "trace-unknown"),
    ],
)
def test_what_cannot_be_simulated(
    real: Shell, tmp_path: Path, more: str, args: tuple[str, ...], code: int, error: str
) -> None:
    told = real("simulate", written(tmp_path, LONG + more), *args, "--json")
    assert (told.code, json.loads(told.out)["error"]["code"]) == (code, error)
    assert json.loads(told.out)["error"]["next"]


def test_work_of_unknown_length_cannot_be_simulated(real: Shell, tmp_path: Path) -> None:
    job = written(tmp_path, 'resources: {accelerators: "H100:1"}\nschedule: {max_duration: 10h}\n')
    told = real("simulate", job, "--json")
    assert (told.code, told.json()["error"]["code"]) == (3, "length-unknown")
