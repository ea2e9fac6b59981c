"""What is given as a job file: its size, its letters, and whether it is a file at all."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import pytest

from tradewind.app import jobfile
from tradewind.domain.errors import BadInput, TradewindError


def refused(path: Path) -> TradewindError:
    with pytest.raises(BadInput) as caught:
        jobfile.read(path)
    return caught.value


def test_ten_megabytes_are_refused_with_their_size_and_never_read(tmp_path: Path) -> None:
    path = tmp_path / "job.yaml"
    with path.open("wb") as file:
        file.truncate(10_000_000_000)  # more than there is memory
    error = refused(path)
    assert (error.code, error.facts["size_mb"], error.facts["limit_mb"]) == ("job-file-too-large", "10,000.0", "1")


@pytest.mark.parametrize(
    ("raw", "place", "encoding"),
    [
        ('run: x\nname: "训练"\n'.encode("gb18030"), (2, 9), "GB18030"),
        ("run: x\n".encode("utf-16"), (1, 1), "UTF-16"),
        (b"run: caf\xe9\n", (1, 9), ""),
    ],
)
def test_letters_in_another_encoding_are_told_with_place_and_guess(
    tmp_path: Path, raw: bytes, place: tuple[int, int], encoding: str
) -> None:
    (tmp_path / "my job.yaml").write_bytes(raw)
    error = refused(tmp_path / "my job.yaml")
    assert error.where is not None
    assert (error.code, (error.where.line, error.where.column)) == ("job-file-not-text", place)
    assert error.facts["encoding"] == encoding
    assert error.facts["quoted"] == f"'{tmp_path}/my job.yaml'"


def test_a_byte_order_mark_is_no_letter(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_bytes(b"\xef\xbb\xbfrun: x\n")
    assert jobfile.read(tmp_path / "job.yaml")[0].run == "x"


def test_paths_and_commands_in_chinese_with_blanks(tmp_path: Path) -> None:
    folder = tmp_path / "工 作"
    (folder / "代 码").mkdir(parents=True)
    path = folder / "作业 1.yaml"
    path.write_text('run: python "训 练.py"\nworkdir: ./代 码\noutputs: ["./结果 1"]\n', encoding="utf-8")
    job, _ = jobfile.read(path)
    assert (job.name, job.run, job.outputs) == ("作业 1", 'python "训 练.py"', ("./结果 1",))
    assert jobfile.workdir_of(job, path) == (folder / "代 码").resolve()


def test_what_is_no_file_is_refused_without_reading_it(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        paths = {
            "/dev/zero": "job-file-is-no-file",
            str(tmp_path): "job-file-is-folder",
            str(tmp_path / "s"): "job-file-unreadable",
            str(tmp_path / "s" / "x"): "job-file-unreadable",
        }
        assert {path: refused(Path(path)).code for path in paths} == paths


def test_a_pipe_is_read_when_somebody_writes_into_it_and_refused_when_nobody_does(tmp_path: Path) -> None:
    pipe = tmp_path / "job.yaml"
    os.mkfifo(pipe)
    assert refused(pipe).code == "job-file-unwritten"
    writer = threading.Thread(target=pipe.write_text, args=("run: x\n",))
    writer.start()
    assert jobfile.read(pipe)[0].run == "x"
    writer.join()
