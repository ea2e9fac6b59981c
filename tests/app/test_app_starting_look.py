"""What lies in a folder: its command, set-up, data, and remarks, however the folder is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tradewind.app import starting
from tradewind.app.starting.data import images
from tradewind.app.starting.examples import NEEDS, copy, missing, names
from tradewind.app.starting.walking import File, Listing, listing
from tradewind.domain.errors import BadInput

TRAINS = "import torch\nloss.backward()\nif __name__ == '__main__':\n    main()\n"


def folder(at: Path, **files: str | int) -> Path:
    """A folder with text files, and files of so many bytes; ``__`` in a name is ``/``."""
    for name, content in files.items():
        write(at, name.replace("__", "/") + ("" if "." in name else ".py"), content)
    return at


def write(at: Path, name: str, content: str | int) -> None:
    path = at / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, int):
        with path.open("wb") as file:
            file.truncate(content)
    else:
        path.write_text(content, encoding="utf-8")


def runs(look: starting.Look) -> list[str]:
    return [command.run for command in look.commands]


def remarks(look: starting.Look) -> dict[str, dict[str, object]]:
    return {remark.code: dict(remark.facts) for remark in look.remarks}


def test_an_empty_folder_has_nothing_to_run(tmp_path: Path) -> None:
    look = starting.look(tmp_path)
    assert (runs(look), look.setup, look.data, look.remarks) == ([], None, (), ())


def test_what_is_named_so_comes_first_then_what_trains_then_shell_scripts(tmp_path: Path) -> None:
    folder(tmp_path, train=TRAINS, model=TRAINS, evaluate=TRAINS, tools__finetune=TRAINS, data="import torch\n")
    folder(tmp_path, library="import torch\ndef step():\n    loss.backward()\n")  # trains only when somebody calls it
    write(tmp_path, "run.sh", "#!/bin/bash\nset -e\nCUDA_VISIBLE_DEVICES=0 python train.py --epochs 90\n")
    write(tmp_path, "clean.sh", "rm -rf out\n")
    assert runs(starting.look(tmp_path)) == [
        "python train.py", "python tools/finetune.py", "python model.py", "python evaluate.py", "bash run.sh",
    ]  # fmt: skip


def test_a_script_of_a_package_is_started_as_its_module(tmp_path: Path) -> None:
    folder(tmp_path, net__train="from .model import build\n" + TRAINS, net__model="")
    assert runs(starting.look(tmp_path)) == ["python -m net.train"]


def test_names_with_blanks_and_chinese_letters_are_quoted(tmp_path: Path) -> None:
    top = tmp_path / "我的 项目"
    write(top, "训练 train.py", TRAINS)
    write(top, "it's/train.py", TRAINS)
    assert sorted(runs(starting.look(top))) == ["""python 'it'"'"'s/train.py'""", "python '训练 train.py'"]


def test_tests_environments_and_hidden_folders_are_left_out(tmp_path: Path) -> None:
    for name in ("tests", ".venv/lib", "venv/lib", "node_modules/a", ".hidden", "build", "a/b/c/d"):
        write(tmp_path, f"{name}/train.py", TRAINS)
    assert runs(starting.look(tmp_path)) == []


def test_broken_scripts_are_named_and_the_others_are_read(tmp_path: Path) -> None:
    folder(tmp_path, train=TRAINS, old="x = 1\nprint 'two'\n")
    (tmp_path / "latin.py").write_bytes(b"name = '\xe9'\n")
    look = starting.look(tmp_path)
    assert runs(look) == ["python train.py"]
    assert remarks(look) == {"scripts-unreadable": {"names": "latin.py, old.py:2"}}
    folder(tmp_path, a="def (", b="def (")
    assert remarks(starting.look(tmp_path))["scripts-unreadable"]["names"] == "a.py:1, b.py:1, latin.py, …"


def test_what_may_not_be_read_is_passed_over(tmp_path: Path) -> None:
    folder(tmp_path, train=TRAINS)
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.py")
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o000)
    look = starting.look(tmp_path)
    assert runs(look) == ["python train.py"]
    assert [file.name for file in look.listing.files] == ["train.py"]


def test_notebooks_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, "first try.ipynb", "{}")
    look = starting.look(tmp_path)
    assert (runs(look), look.notebooks) == ([], ("first try.ipynb",))


@pytest.mark.parametrize(
    ("files", "setup"),
    [
        ({"requirements.txt": "torch\n", "pyproject.toml": "[project]\n"}, "pip install -r requirements.txt"),
        ({"pyproject.toml": "[project]\nname = 'x'\n"}, "pip install ."),
        ({"pyproject.toml": "[tool.ruff]\nline-length = 100\n"}, None),
        ({"environment.yml": "dependencies: [pytorch]\n"}, None),
    ],
)
def test_how_packages_are_installed(tmp_path: Path, files: dict[str, str], setup: str | None) -> None:
    for name, text in files.items():
        write(tmp_path, name, text)
    look = starting.look(tmp_path)
    assert (look.setup.value if look.setup else None) == setup
    assert ("environment-yml" in remarks(look)) == ("environment.yml" in files)


def test_images_in_class_folders_are_the_samples(tmp_path: Path) -> None:
    folder(tmp_path, train=TRAINS)
    for number in range(40):
        write(tmp_path, f"花/{'train' if number < 30 else 'test'}/{number % 2}/{number}.jpg", 1_000)
    look = starting.look(tmp_path)
    draft = starting.draft(look, "flowers", "python train.py")
    assert draft.values["training.samples"] == starting.Seen(30, "花/train")
    assert draft.values["training.sample_bytes"].value == 1_000
    (told,) = [remark for remark in draft.remarks if remark.code == "data-travels"]
    assert told.facts == {"folder": "花", "files": 40, "bytes": 40_000, "whole": True}


def test_data_that_git_ignores_stays_and_too_much_that_travels_is_told(tmp_path: Path) -> None:
    folder(tmp_path, train=TRAINS)
    write(tmp_path, ".gitignore", "data/\n")
    write(tmp_path, "data/big.tar", 40_000_000_000)  # a sparse file
    look = starting.look(tmp_path)
    assert "workdir-heavy" not in remarks(look)
    assert [(each.name, each.bytes, each.travels) for each in look.data] == [("data", 40_000_000_000, False)]
    write(tmp_path, "more/big.parquet", 600_000_000)
    heavy = remarks(starting.look(tmp_path))["workdir-heavy"]
    assert heavy["whole"] is True and 600_000_000 < int(str(heavy["bytes"])) < 601_000_000


def test_of_a_large_folder_a_part_is_looked_at_and_what_people_wrote_comes_first(tmp_path: Path) -> None:
    folder(tmp_path, work__train=TRAINS)
    for number in range(60):
        write(tmp_path, f"node_modules/p{number}/index.js", 1)
        write(tmp_path, f"data/{number:02d}.png", 1)
    seen = listing(tmp_path, most=100, most_of_a_folder=50)
    assert not seen.complete and len(seen.files) <= 100
    assert "work/train.py" in {file.name for file in seen.files}
    assert len(seen.below("data")) == 50
    whole = listing(tmp_path)
    assert whole.complete and len(whole.files) == 121


def test_a_part_of_the_images_tells_no_number_of_samples() -> None:
    files = tuple(File(f"data/train/{number}.png", 100, True) for number in range(60))
    assert images(Listing(files, complete=True), "data") == ("data/train", 60, 100)
    assert images(Listing(files, complete=False), "data") is None
    assert images(Listing(files[:5], complete=True), "data") is None  # pictures of a page, rather


@pytest.mark.parametrize("name", names())
def test_an_example_is_copied_whole_and_never_over_what_is_there(tmp_path: Path, name: str) -> None:
    to = tmp_path / "文件夹" / name
    written = copy(name, to, over=False)
    assert {"README.md", "job.yaml", "train.py", ".gitignore"} <= {path.name for path in written}
    (to / "job.yaml").write_text("mine\n")
    with pytest.raises(BadInput, match="folder-not-empty"):
        copy(name, to, over=False)
    assert (to / "job.yaml").read_text() == "mine\n"
    copy(name, to, over=True)
    assert (to / "job.yaml").read_text(encoding="utf-8").startswith("# ")


def test_packages_that_are_not_here_are_told_as_pip_calls_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NEEDS, "digits", {"json": "json", "no_such_module": "such-a-package"})
    assert missing("digits") == ("such-a-package",)


def test_a_copy_that_cannot_be_written_says_where(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput) as caught:
        copy("digits", tmp_path / "file" / "digits", over=False)
    assert (caught.value.code, caught.value.facts["why"]) == ("file-unwritable", "Not a directory")


def test_what_init_would_see_in_the_examples_is_what_their_job_files_say() -> None:
    from tradewind.app import jobfile
    from tradewind.app.starting.examples import SHIPPED

    for name in names():
        look = starting.look(SHIPPED / name)
        draft = starting.draft(look, name, look.commands[0].run)
        workload, _ = jobfile.read(SHIPPED / name / "job.yaml")
        assert workload.run.startswith(look.commands[0].run)
        seen = {key: value.value for key, value in draft.values.items()}
        assert seen["training.batch_size"] == workload.training.batch_size
        assert seen["training.epochs"] == workload.training.epochs
        assert seen["training.optimizer"] == workload.training.optimizer
        assert seen["outputs"] == [f"./{each.removeprefix('./')}" for each in workload.outputs]
        assert seen.get("checkpoint.path", "./checkpoints") == workload.checkpoint.path
