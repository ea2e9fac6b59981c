"""The program as a process: its start, broken pipes, letters that a terminal lacks, Ctrl-C, what is typed unseen."""

from __future__ import annotations

import os
import pty
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

HEAVY = (
    "pydantic",
    "sqlalchemy",
    "rich",
    "yaml",
    "psutil",
    "tradewind.app",
    "tradewind.store",
    "importlib.metadata",
    "asyncio",
    "asyncssh",
    "numpy",
    "torch",
    "boto3",
    "botocore",
    "Tea",
    "alibabacloud_credentials",
)
PROGRAM = [sys.executable, "-m", "tradewind.cli.main"]


def environment(home: Path, **more: str) -> dict[str, str]:
    keep = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**keep, "TRADEWIND_HOME": str(home), "LANG": "C.UTF-8", **more}


def imported(words: list[str], heavy: tuple[str, ...], env: dict[str, str]) -> list[str]:
    """Which of the heavy modules one command line imports."""
    look = (
        "import sys\nfrom tradewind.cli import main\nsys.argv[1:] = " + repr(words) + "\n"
        "try: main.main()\nexcept SystemExit: pass\n"
        f"print(*[name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True, env=env)
    return done.stderr.splitlines()[-1].split()


@pytest.mark.parametrize(
    "line",
    ["", "--help", "run --help", "--lang zh ps -h", "plam", "completion fish", "completion zsh --line tradewind"],
)
def test_the_start_imports_nothing_heavy(tmp_path: Path, line: str) -> None:
    assert imported(line.split(), HEAVY, environment(tmp_path)) == []


def test_the_version_imports_only_what_knows_it(tmp_path: Path) -> None:
    assert imported(["--version"], HEAVY, environment(tmp_path)) == ["importlib.metadata"]


@pytest.mark.parametrize("line", ["tradewind show ", "tradewind offers --cloud a", "tradewind size --model preset:r"])
def test_completing_a_name_imports_only_what_knows_it(tmp_path: Path, line: str) -> None:
    heavy = tuple(name for name in HEAVY if name not in {"tradewind.app", "tradewind.store"})
    assert imported(["completion", "bash", "--line", line], heavy, environment(tmp_path)) == []


def test_offers_start_without_what_they_do_not_need(tmp_path: Path) -> None:
    look = (
        "import sys\nfrom tradewind.cli import main\nsys.argv[1:] = ['offers', '--gpu', 'T4', '--limit', '3']\n"
        "try: main.main()\nexcept SystemExit: pass\n"
        "heavy = ('pydantic', 'sqlalchemy', 'rich', 'yaml', 'psutil', 'tradewind.planning', 'tradewind.sizing',"
        " 'tradewind.store', 'tradewind.clouds', 'tradewind.leasing', 'tradewind.catalog.build', 'difflib',"
        " 'asyncssh')\n"
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    for _ in ("the first builds the snapshot", "the second finds it"):
        done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True,
                              env=environment(tmp_path))  # fmt: skip
    assert done.stderr.splitlines()[-1] == "[]"


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    line = shlex.join(PROGRAM) + " --help | head -1; exit ${PIPESTATUS[0]}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=environment(tmp_path), check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: tradewind")


def test_a_terminal_without_letters_gets_question_marks(tmp_path: Path) -> None:
    env = environment(tmp_path, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    done = subprocess.run([*PROGRAM, "--lang", "zh", "--help"], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0
    assert "tradewind run job.yaml --rehearse" in done.stdout


def test_exit_codes_reach_the_shell(tmp_path: Path) -> None:
    env = environment(tmp_path)
    codes = [
        subprocess.run([*PROGRAM, *words], capture_output=True, env=env, check=False).returncode
        for words in (["--version"], ["plan", "none.yaml"], ["no-such"])
    ]
    assert codes == [0, 2, 2]


def test_ctrl_c_before_anything_is_130(tmp_path: Path) -> None:
    fifo = tmp_path / "job.yaml"
    os.mkfifo(fifo)
    child = subprocess.Popen([*PROGRAM, "plan", str(fifo)], stderr=subprocess.PIPE, env=environment(tmp_path))
    with open(fifo, "wb"):  # returns once the command reads: it is past its start
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=20)
    assert child.returncode == 130
    assert b"Traceback" not in err


def test_becoming_another_program_is_ending_as_it_ends() -> None:
    line = "from tradewind.cli.world import become; become(['sh', '-c', 'echo there; exit 7'])"
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (7, "there\n")


def test_what_is_typed_unseen_does_not_stand_on_the_terminal() -> None:
    line = "from tradewind.cli.world import typed_unseen; print('letters:', len(typed_unseen('Passphrase: ')))"
    terminal, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", line], stdin=theirs, stdout=theirs, stderr=theirs,
                          start_new_session=True) as child:  # fmt: skip
        os.close(theirs)
        shown = b""
        while b"Passphrase: " not in shown:
            shown += os.read(terminal, 1024)
        os.write(terminal, b"correct horse\n")
        with suppress(OSError):  # the terminal is closed by the child's end
            while more := os.read(terminal, 1024):
                shown += more
    os.close(terminal)
    assert child.returncode == 0
    assert b"letters: 13" in shown and b"correct" not in shown
