"""``size`` and ``calibrate`` at the command line: batches line by line, what is told while tracing, how they end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import contracts
import pytest
from cli_world import Inside, Shell, answer, job_file

from tradewind.domain.errors import BadInput


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Inside(tmp_path / "home"))


def lines(out: str) -> list[Any]:
    return [json.loads(line) for line in out.splitlines()]


def test_a_batch_from_a_pipe_is_a_line_of_json_a_row(shell: Shell) -> None:
    shell.typed = '{"model": "timm:resnet50", "gpu": "A10"}\n\n{"model": "timm:resnet50", "gqu": "A10"}\n'
    result = shell("size", "--batch-file", "-")
    first, second = lines(result.out)
    assert (result.code, first["row"], second["row"]) == (0, 1, 3)
    contracts.check(first["fits"], contracts.every(contracts.FIT))
    assert second["error"]["where"] == {"file": "-", "line": 3, "column": None}
    assert "Did you mean `gpu`?" in second["error"]["faults"][0]["what"]


def test_only_line_feeds_end_a_row(shell: Shell, tmp_path: Path) -> None:
    row = '{"model": "timm:a\u2028b", "gpu": "A10"}'
    for typed in (f"\ufeff{row}\r\n\r\n{row}", f"{row}\n\x0c\n{row}\n"):
        shell.typed = typed
        assert [(each["row"], "fits" in each) for each in lines(shell("size", "--batch-file", "-").out)] == [
            (1, True), (3, True),
        ]  # fmt: skip


def test_why_a_question_cannot_be_read_is_told_to_programs_too(shell: Shell) -> None:
    error = shell("size", "--model", "resnet50", "--precision", "fp17", "--json").json()["error"]
    assert "`--precision`" in error["why"] and "Did you mean `fp16`?" in error["why"]


def test_forms_of_one_gpu_are_told_apart(shell: Shell, tmp_path: Path) -> None:
    found = answer("size-many")
    fit = found["fits"][0] | {"gpu": "V100-16GB", "fits": True, "gpus": 1}
    shell.inside.sized = found | {"fits": [fit | {"form": form} for form in ("SXM", "PCIe")]}
    told = shell("size", job_file(tmp_path)).out
    assert "1 × V100-16GB SXM" in told and "1 × V100-16GB PCIe" in told


def test_errors_of_rows_are_told_in_the_readers_language(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "rows").write_text("[]\n", encoding="utf-8")
    (row,) = lines(shell("size", "--batch-file", str(tmp_path / "rows"), "--lang", "zh").out)
    assert row["error"]["what"] == "批量文件中有一行不是 JSON 对象"


def test_a_batch_file_that_is_no_text(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "rows").write_bytes(b"\xff\xfe\x00")
    error = shell("size", "--batch-file", str(tmp_path / "rows"), "--json").json()["error"]
    assert error["code"] == "batch-file-unreadable"


def test_a_trace_is_told_on_stderr_and_never_beside_json(shell: Shell, tmp_path: Path) -> None:
    shell.inside.traced = "timm:vit"
    job = job_file(tmp_path)
    assert shell("size", job).err == "tracing timm:vit …\n"
    assert shell("size", job, "--json").err == ""
    shell.terminal = True
    shell.env["TERM"] = "xterm"
    assert "tracing timm:vit" in shell("size", job).err


@pytest.mark.parametrize("name", ["size-many", "size-large", "size-needs", "size-guide"])
@pytest.mark.parametrize("columns", [60, 72, 80, 120, 200])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_line_is_wider_than_the_terminal(shell: Shell, tmp_path: Path, name: str, columns: int, lang: str) -> None:
    from rich.cells import cell_len

    shell.env["COLUMNS"], shell.inside.sized = str(columns), answer(name)
    told = shell("size", job_file(tmp_path), "--lang", lang).out
    assert max(cell_len(line) for line in told.splitlines()) <= columns


def test_bars_show_each_part_and_what_is_too_much(shell: Shell, tmp_path: Path) -> None:
    from tradewind.cli.draw.memory import SIGNS, bar

    fit = answer("size-many")["fits"][0]
    fit["memory_gib"] = dict.fromkeys(SIGNS, 2.0)
    fit["gpu_memory_gib"]["usable"] = 16.0
    assert bar(fit, 32).plain.strip() == "".join(sign * 4 for sign, _ in SIGNS.values()) + "·" * 8
    fit["gpu_memory_gib"]["usable"] = 6.0
    drawn = bar(fit, 24)
    assert len(drawn.plain.strip()) == 24
    assert sum(span.end - span.start for span in drawn.spans if span.style == "red") == 12


def test_what_takes_no_memory_is_not_in_the_legend(shell: Shell, tmp_path: Path) -> None:
    found = answer("size-many")
    fit = found["fits"][0] | {"first_token_seconds": None}
    fit["memory_gib"] = fit["memory_gib"] | {"gradients": 0.0, "optimizer": 0.0}
    for token, named in ((None, "▚ activations"), (fit["step_seconds"], "▚ KV cache, activations")):
        shell.inside.sized = found | {"fits": [fit | {"first_token_seconds": token}]}
        told = shell("size", job_file(tmp_path)).out
        assert named in told and "▓ gradients" not in told and "▒ optimizer" not in told


def test_a_model_larger_than_any_cluster_is_told_what_it_needs_at_least(shell: Shell, tmp_path: Path) -> None:
    way = {"way": "none", "gpus": 8192, "at_least": 20634}
    facts = {"gpu": "H100-80GB", "peak_gib": 2e6, "usable_gib": 76.4, "ways": [way]}
    shell.inside.sized = answer("size-many") | {"limits": {"code": "too-large", "facts": facts}}
    assert "needs at least 20,634 of them" in " ".join(shell("size", job_file(tmp_path)).out.split())


def test_frames_of_a_users_error_stand_under_it(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def size(*_: object) -> None:
        frames = "m.py:1 in f: g()\nm.py:2 in g: x"
        raise BadInput("model-raised", model="entrypoint:m:f", error="KeyError: 'a'", frames=frames)

    monkeypatch.setattr(shell.inside, "size", size)
    assert "\n  KeyError: 'a'\n  m.py:1 in f: g()\n  m.py:2 in g: x\n" in shell("size", "--model", "entrypoint:m:f").err


def test_a_calibration_that_measured_nothing_ends_with_5_and_the_log(shell: Shell, tmp_path: Path) -> None:
    shell.plane.calibrated |= {"lesson": None, "lessons": [], "state": "FAILED", "job": shell.plane.shown["job"]}
    shell.plane.shown["state"] = "FAILED"
    shell.plane.shown["attempts"][-1]["log_tail"] = ["no data here"]
    result = shell("calibrate", job_file(tmp_path))
    assert result.code == 5
    assert "no data here" in result.out and "before enough steps" in " ".join(result.out.split())
    shell.plane.shown["attempts"][-1]["log_tail"] = []
    assert shell("calibrate", job_file(tmp_path), "--json").json()["lesson"] is None


def test_a_calibration_runs_the_job_here_for_so_many_steps(shell: Shell, tmp_path: Path) -> None:
    contracts.check(shell("calibrate", job_file(tmp_path), "--steps", "12", "--json").json(), contracts.CALIBRATED)
    assert shell.plane.calls[-1] == ("calibrate", 12)
    assert shell.plane.submitted[-1].local and not shell.plane.submitted[-1].rehearse
