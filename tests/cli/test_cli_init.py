"""``tradewind init``: what it writes and asks, what it never does; the first job file in both languages.

To write the golden files anew: TRADEWIND_GOLDEN=1 pytest tests/cli/test_cli_init.py; then read the diff.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml
from cli_world import Inside, Shell

from tradewind.app import jobfile, starting
from tradewind.cli.commands.init import EXAMPLES
from tradewind.cli.draw.job_file import SECTIONS, job_file, scalar
from tradewind.cli.draw.pen import width_of
from tradewind.domain.money import parse_money

GOLDEN = Path(__file__).parent / "golden"
SCRIPT = '''"""A script as people write them."""

import argparse
from pathlib import Path

import timm
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="resnet50")
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--epochs", type=int, default=90)
parser.add_argument("--output-dir", type=Path, default=Path("out: best"))


def main():
    Path("ran").touch()
    args = parser.parse_args()
    model = timm.create_model(args.model, pretrained=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss.backward()
    torch.save(model.state_dict(), f"checkpoints/{step}.pt")


if __name__ == "__main__":
    main()
'''


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Inside(tmp_path / "home"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder 花 with a script that would leave a file if it ran."""
    path = tmp_path / "花"
    path.mkdir()
    (path / "train.py").write_text(SCRIPT, encoding="utf-8")
    (path / "requirements.txt").write_text("torch\ntimm\n", encoding="utf-8")
    return path


def golden(name: str, told: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("TRADEWIND_GOLDEN"):
        path.write_text(told, encoding="utf-8")
    assert told == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_file_says_what_each_key_means_and_where_it_was_seen(shell: Shell, folder: Path, lang: str) -> None:
    done = shell("--lang", lang, "init", str(folder), "--yes")
    assert (done.code, done.err) == (0, "")
    text = (folder / "job.yaml").read_text(encoding="utf-8")
    golden(f"init-job-{lang}", text)
    golden(f"init-told-{lang}", done.out.replace(str(folder), "DIR"))
    assert not (folder.parent / "ran").exists() and not (folder / "ran").exists()
    assert max(map(width_of, text.splitlines())) <= 100


def test_what_it_writes_is_a_job_file_with_those_values(shell: Shell, folder: Path) -> None:
    shell("init", str(folder))
    workload, text = jobfile.read(folder / "job.yaml")
    assert (workload.name, workload.run, workload.setup) == (
        "花", "python train.py", "pip install -r requirements.txt",
    )  # fmt: skip
    assert workload.model is not None and workload.model.reference == "preset:resnet50"
    training = workload.training
    assert (training.batch_size, training.epochs, training.samples) == (64, 90, None)
    assert (training.optimizer, training.precision.value, training.task) == ("sgd", "amp-bf16", "finetune")
    assert (workload.outputs, workload.checkpoint.path) == (("./out: best",), "./checkpoints")
    assert "# schedule: {deadline: 12h}" in text


@pytest.mark.parametrize("section", [section for section, examples in SECTIONS.items() if examples])
def test_every_commented_example_is_one_that_is_read(section: str) -> None:
    text = job_file("en", starting.Draft({"run": starting.Seen("x")}), None)
    (line,) = [line for line in text.splitlines() if line.startswith(f"# {section}: ")]
    jobfile.parse(f"run: x\n{line.removeprefix('# ')}\n", "job.yaml")


@pytest.mark.parametrize("columns", ["60", "80", "120"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_line_is_wider_than_the_terminal(
    shell: Shell, folder: Path, lang: str, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.env["COLUMNS"] = columns
    monkeypatch.chdir(folder)
    (folder / "broken.py").write_text("def (\n")
    (folder / "environment.yml").write_text("")
    run = (
        "torchrun --nproc-per-node 8 train.py --data ./flowers --lr 0.1 --seed 1 --workers 16 --augment strong --log 10"
    )
    done = shell("--lang", lang, "init", "--run", run)
    assert done.code == 0
    assert [line for line in done.out.splitlines() if width_of(line) > int(columns)] == []
    assert [line for line in done.out.splitlines() if line != line.rstrip()] == []


def test_a_file_that_is_there_is_kept_without_a_yes_or_force(shell: Shell, folder: Path) -> None:
    path = folder / "job.yaml"
    path.write_text("mine", encoding="utf-8")
    assert shell("init", str(folder), "--yes").code == 2
    assert shell("init", str(folder), "--json").json()["error"]["code"] == "job-file-exists"
    shell.terminal, shell.typed = True, "n\n"
    assert shell("init", str(folder)).code == 2
    assert path.read_text(encoding="utf-8") == "mine"
    shell.typed = "y\n\n\n"
    assert shell("init", str(folder)).code == 0
    path.write_text("mine", encoding="utf-8")
    shell.terminal = False
    assert shell("init", str(folder), "--force").code == 0
    assert path.read_text(encoding="utf-8") != "mine"


def test_a_person_is_asked_only_what_no_file_tells_and_asked_again(shell: Shell, folder: Path) -> None:
    shell.terminal, shell.typed = True, "soon\n2d\n40 USD\n"
    done = shell("init", str(folder))
    assert done.code == 0
    assert done.err.count("Within what time") == 2 and "Which GPU" not in done.err and "Which command" not in done.err
    workload, _ = jobfile.read(folder / "job.yaml")
    assert workload.schedule.deadline_seconds == 2 * 86_400
    assert workload.budget.limit == parse_money("40 USD")


def test_enter_says_nothing_and_so_does_the_end_of_the_input(shell: Shell, folder: Path) -> None:
    shell.terminal, shell.typed = True, ""
    assert shell("init", str(folder)).code == 0
    workload, _ = jobfile.read(folder / "job.yaml")
    assert (workload.schedule.deadline_seconds, workload.budget.limit) == (None, None)


@pytest.mark.parametrize(
    ("typed", "run"),
    [
        ("\n", "python train.py"),
        ("2\n", "python tune.py"),
        ("7\n", "7"),
        ("python tune.py --lr 1\n", "python tune.py --lr 1"),
    ],
)
def test_of_several_scripts_one_is_chosen_by_number_or_typed(shell: Shell, folder: Path, typed: str, run: str) -> None:
    (folder / "tune.py").write_text("import torch\nepochs = 3\nloss.backward()\nmain()\n", encoding="utf-8")
    shell.terminal, shell.typed = True, typed + "A10:2\n\n\n" if "tune" in run or run == "7" else typed + "\n\n"
    done = shell("init", str(folder))
    assert done.code == 0, done.err
    assert "  1  python train.py\n  2  python tune.py\n" in done.err
    workload, _ = jobfile.read(folder / "job.yaml")
    assert workload.run == run
    assert workload.training.epochs == {"python train.py": 90, "7": None}.get(run, 3)


def test_without_a_model_the_gpu_is_asked_for_and_the_ways_on_are_told(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch\nloss.backward()\nmain()\n", encoding="utf-8")
    done = shell("init", str(tmp_path))
    assert "tradewind calibrate job.yaml" in done.out and "resources" in done.out
    shell.terminal, shell.typed = True, "nothing:9x\nA100-80GB:1..8\n\n\n"
    done = shell("init", str(tmp_path), "--force")
    assert done.err.count("Which GPU") == 2 and "tradewind calibrate" not in done.out
    workload, _ = jobfile.read(tmp_path / "job.yaml")
    assert workload.resources is not None and workload.resources.accelerators is not None
    assert workload.resources.accelerators.high == 8


@pytest.mark.parametrize(
    ("files", "words", "code"),
    [
        ({}, [], "script-unseen"),
        ({"a b.ipynb": "{}"}, [], "notebooks-only"),
        ({"train.py": "def ("}, [], "script-unseen"),
        ({}, ["--example", "digits", "--run", "python x.py"], "example-and-run"),
        ({}, ["--example", "digit"], "parameter-unreadable"),
    ],
)
def test_what_cannot_be_begun_says_why(
    shell: Shell, tmp_path: Path, files: dict[str, str], words: list[str], code: str
) -> None:
    top = tmp_path / "top"
    top.mkdir()
    for name, text in files.items():
        (top / name).write_text(text)
    done = shell("init", str(top), *words, "--json")
    assert (done.code, done.json()["error"]["code"]) == (2, code)
    assert sorted(path.name for path in top.iterdir()) == sorted(files)


def test_a_folder_that_is_not_there_and_one_that_cannot_be_written(shell: Shell, tmp_path: Path) -> None:
    assert shell("init", str(tmp_path / "none"), "--json").json()["error"]["code"] == "folder-missing"
    (tmp_path / "job.yaml").mkdir()
    told = shell("init", str(tmp_path), "--run", "x", "--force", "--json").json()["error"]
    assert (told["code"], told["why"]) == ("file-unwritable", "Is a directory")


def test_a_command_may_be_given_where_nothing_is_seen(shell: Shell, tmp_path: Path) -> None:
    told = shell("init", str(tmp_path), "--run", "bash go.sh  # 'all'", "--json").json()
    assert told["values"][1] == {"key": "run", "value": "bash go.sh  # 'all'", "file": None, "line": None}
    assert "model.preset" in told["missing"]
    assert jobfile.read(tmp_path / "job.yaml")[0].run == "bash go.sh  # 'all'"
    (tmp_path / "train.py").write_text(SCRIPT, encoding="utf-8")
    for run, epochs in (("OMP_NUM_THREADS=1 torchrun train.py --data d", 90), ("echo 'train.py", None)):
        assert shell("init", str(tmp_path), "--run", run, "--force").code == 0
        workload, _ = jobfile.read(tmp_path / "job.yaml")
        assert (workload.run, workload.training.epochs) == (run, epochs)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_copied_and_its_job_file_is_read(
    shell: Shell, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = shell("init", "--example", name)
    assert done.code == 0 and f"cd {name}" in done.out
    assert jobfile.read(tmp_path / name / "job.yaml")[0].name == name
    assert shell("init", "--example", name, "--json").json()["error"]["code"] == "folder-not-empty"


def test_the_examples_that_the_help_names_are_those_that_ship() -> None:
    from tradewind.app.starting.examples import SHIPPED, names

    assert set(EXAMPLES) == set(names()) == {path.name for path in SHIPPED.iterdir() if path.is_dir()}


def test_the_schema_is_named_where_it_lies_beside(shell: Shell, folder: Path) -> None:
    schema = shell("init", "--schema")
    assert schema.code == 0 and '"$schema"' in schema.out
    (folder / "job.schema.json").write_text(schema.out, encoding="utf-8")
    shell("init", str(folder))
    first = (folder / "job.yaml").read_text(encoding="utf-8").splitlines()[0]
    assert first == "# yaml-language-server: $schema=./job.schema.json"


@pytest.mark.parametrize(
    "text",
    ["yes", "12", "1e3", "a: b", "a #b", "- a", "null", "", " a", "[x]", "'q'", '"', "a\tb", "@x", "中文 空格", "\x7f"],
)
def test_any_text_is_read_back_as_it_was(text: str) -> None:
    assert yaml.safe_load(f"key: {scalar(text)}\n") == {"key": text}
    draft = starting.Draft({"run": starting.Seen(text), "outputs": starting.Seen([text])})
    read = yaml.safe_load(job_file("en", draft, None))
    assert read == {"run": text, "outputs": [text]}
