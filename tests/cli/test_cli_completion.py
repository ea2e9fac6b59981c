"""Tab completion: what may stand where the cursor is, and a real bash, zsh and fish that ask for it."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_world import Inside, Shell

from tradewind.app.candidates import KINDS
from tradewind.cli import completed
from tradewind.cli.completion_scripts import SCRIPTS
from tradewind.cli.index import COMMANDS

PROGRAM = Path(sys.executable).with_name("tradewind")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Inside(tmp_path / "home"))


def completions(shell: Shell, line: str, kind: str = "zsh") -> list[str]:
    told = shell("completion", kind, "--line", line)
    assert (told.code, told.err) == (0, "")
    return [each.split("\t")[1] or each.split("\t")[0] for each in told.out.splitlines()]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("tradewind swe", ["sweep"]),
        ("tradewind catalog com", ["compare"]),
        ("tradewind help wai", ["wait"]),
        ("tradewind run --tra", ["--trace", "--trace-speed"]),
        ("tradewind ps --la", ["--lang"]),
        ("tradewind ps --lang ", ["en", "zh"]),
        ("tradewind --lang zh ps --lang=e", []),
        ("tradewind plan --objective ti", ["time"]),
        ("tradewind show dig", ["digits", "digits-long"]),
        ("tradewind show Dig", ["digits", "digits-long"]),
        ("tradewind offers --cloud aws,", ["aws,azure"]),
        ("tradewind offers --limit ", []),
        ("tradewind plan ", ["file"]),
        ("tradewind fetch digits --to ", ["file"]),
        ("tradewind run --on 'gpu", ["gpu box"]),
        ("FAST=1 /usr/bin/tradewind swe", ["sweep"]),
        ("tradewind logs digits ", []),
    ],
)
def test_what_may_stand_there(shell: Shell, line: str, wanted: list[str]) -> None:
    assert completions(shell, line) == wanted


def test_every_command_is_completed_with_what_it_does(shell: Shell) -> None:
    shell.env["LANG"] = "zh_CN.UTF-8"
    told = shell("completion", "fish", "--line", "tradewind ").out.splitlines()
    assert [line.split("\t")[1] for line in told] == list(COMMANDS)
    assert "plain\tplan\t任务会在哪里运行、何时结束、花费多少。" in told


def test_bash_gets_what_follows_its_last_break_of_a_word_escaped(shell: Shell) -> None:
    assert completions(shell, "tradewind size --model preset:res", "bash") == ["resnet50"]
    assert completions(shell, "tradewind run --on g", "bash") == ["gpu\\ box"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_name_is_known_or_none_is(shell: Shell, kind: str, tmp_path: Path) -> None:
    from tradewind.app.candidates import candidates
    from tradewind.app.settings import Settings

    told = candidates(Settings(tmp_path / "no-home"), kind)
    here_only = {"job", "lease", "row", "machine"}
    assert bool(told) != (kind in here_only)
    assert len({name for name, _ in told}) == len(told)
    assert not (tmp_path / "no-home").exists()


def test_a_line_is_read_as_a_shell_reads_it() -> None:
    assert completed.read("tradewind run 'my job.yaml' --on b") == (["run", "my job.yaml", "--on"], "b")
    assert completed.read('tradewind run "my jo') == (["run"], "my jo")
    assert completed.read("tradewind ") == ([], "")
    assert completed.read("tradew") == ([], "tradew")


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_says_how_to_install_it_and_its_shell_can_read_it(shell: Shell, tmp_path: Path, name: str) -> None:
    told = shell("completion", name)
    assert told.code == 0
    assert f"tradewind completion {name}" in told.out
    assert "补全" in shell("completion", name, "--lang", "zh").out
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"no {name} here")
    script = tmp_path / "script"
    script.write_text(told.out, encoding="utf-8")
    done = subprocess.run([program, "-n", str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def typed(argv: list[str], setup: str, keys: str, until: str, env: dict[str, str]) -> str:
    """What an interactive shell shows once ``keys`` were typed, up to ``until``."""
    terminal, theirs = pty.openpty()
    shown = ""

    def read_to(pattern: str) -> None:
        nonlocal shown
        while not re.search(pattern, shown):
            assert select.select([terminal], [], [], 10)[0], f"never shown: {pattern}; but: {shown!r}"
            shown += os.read(terminal, 4096).decode("utf-8", "replace")
            shown = re.sub("[^\b]\b", "", shown)  # a letter taken back

    child = subprocess.Popen(argv, stdin=theirs, stdout=theirs, stderr=theirs, env=env, start_new_session=True)
    os.close(theirs)
    try:
        os.write(terminal, f"{setup}\necho rea''dy\n".encode())
        read_to(r"(?m)^ready")
        shown = ""
        os.write(terminal, keys.encode())
        read_to(until)
    finally:
        child.kill()
        child.wait()
        os.close(terminal)
    return shown


SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source <(tradewind completion bash)"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -D; source <(tradewind completion zsh)"),
}


@pytest.mark.parametrize("name", SHELLS)
def test_a_real_shell_completes(tmp_path: Path, name: str) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"no {name} here")
    env = {"PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "HOME": str(tmp_path), "TERM": "dumb", "LANG": "C.UTF-8",
           "TRADEWIND_HOME": str(tmp_path / "home"), "PS1": "$ "}  # fmt: skip
    argv, setup = SHELLS[name]
    assert "sweep --end" in typed(argv, setup, "tradewind swe\t--en\t", "sweep --end ", env)
    assert "preset:resnet152" in typed(argv, setup, "tradewind size --model preset:resnet15\t", "resnet152 ", env)


def test_a_real_fish_completes(tmp_path: Path) -> None:
    fish = shutil.which("fish")
    if fish is None:
        pytest.skip("no fish here")
    env = {"PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "HOME": str(tmp_path), "LANG": "C.UTF-8",
           "TRADEWIND_HOME": str(tmp_path / "home")}  # fmt: skip
    line = "tradewind completion fish | source; complete --do-complete 'tradewind run --tra'"
    done = subprocess.run([fish, "--no-config", "-c", line], capture_output=True, text=True, env=env, check=False)
    assert [each.split("\t")[0] for each in done.stdout.splitlines()] == ["--trace", "--trace-speed"]
