"""The program's first lines: Ctrl-C while it is read, streams that are closed or full, a Python that is too old."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from pythons import python, python38
from test_cli_process import environment

from tradewind.cli import start

SOURCE = Path(start.__file__).parents[2]


class Interrupting:
    """A finder that Ctrl-C reaches while it looks for the command line's modules."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        if name == "tradewind.cli.main":
            raise KeyboardInterrupt
        return None


def test_ctrl_c_while_the_program_is_read_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    monkeypatch.delitem(sys.modules, "tradewind.cli.main", raising=False)
    monkeypatch.setattr("tradewind.cli.main", None, raising=False)
    with pytest.raises(SystemExit) as ended:
        start.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "\n"


def test_the_start_itself_reads_next_to_nothing() -> None:
    told = "print(sorted({*sys.modules} - before))"
    look = f"import __future__, sys; before = {{*sys.modules}}; import tradewind.cli.start; {told}"
    done = subprocess.run(
        [sys.executable, "-c", look], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(SOURCE)}
    )
    assert done.stdout.strip() == "['tradewind', 'tradewind.cli', 'tradewind.cli.start']"


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("offers --gpu T4 --limit 1 >&-", 0, ""),
        ("offers --gpu T4 --limit 1 --json <&- >&- 2>&-", 0, ""),
        ("no-such 2>&-", 2, ""),
        ("--help >/dev/full", 4, "No space left on device"),
        ("--version --lang zh >/dev/full", 4, "磁盘已满"),
        ("no-such --json >/dev/full", 2, "no-such"),
        ("no-such 2>/dev/full", 2, ""),
    ],
)
def test_streams_that_are_closed_or_full_end_no_command_with_a_trace(
    tmp_path: Path, line: str, code: int, said: str
) -> None:
    program = f"{sys.executable} -m tradewind {line}"
    done = subprocess.run(
        ["bash", "-c", program], capture_output=True, text=True, env=environment(tmp_path), check=False
    )
    assert done.returncode == code
    assert said in done.stderr and "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


def test_a_python_that_is_too_old_is_told_which_is_needed() -> None:
    old = python("3.10") or python38()
    if old is None:
        pytest.skip("no older Python here")
    done = subprocess.run([old, "-m", "tradewind"], capture_output=True, text=True, check=False,
                          env={"PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"})  # fmt: skip
    assert done.returncode == 1
    assert (
        done.stderr.startswith("Tradewind needs Python 3.11 or newer; this is 3.") and "需要 Python 3.11" in done.stderr
    )
