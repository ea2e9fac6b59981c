"""How commands end that neither succeed nor fail by an error of ours: in a sentence, with the right code."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from cli_world import Inside, Result, Shell, Terminal, job_file

from tradewind.cli import faults
from tradewind.cli.draw.pen import width_of
from tradewind.cli.given import naming
from tradewind.domain.errors import BadInput, NothingFits, TradewindError, Where

HOME_UNUSABLE, DISK_FULL, CRASHED = ("home-unusable", 3), ("disk-full", 4), ("crashed", 1)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Inside(tmp_path / "home"))


def ended_by(shell: Shell, error: Exception, *words: str) -> Result:
    shell.inside.broken = error
    return shell("ps", *words)


@pytest.mark.parametrize(
    ("number", "name", "ending"),
    [
        (errno.ENOSPC, None, DISK_FULL),
        (errno.EDQUOT, "/elsewhere/x", DISK_FULL),
        (errno.EROFS, "{home}/cache", HOME_UNUSABLE),
        (errno.EACCES, "{home}", HOME_UNUSABLE),
        (errno.ENOTDIR, "{home}/jobs/job-1", HOME_UNUSABLE),
        (errno.ENOENT, "{above}", HOME_UNUSABLE),
        (errno.ENOENT, "{home}/jobs/job-1", CRASHED),
        (errno.EACCES, "/elsewhere/x", CRASHED),
        (errno.ECONNRESET, None, CRASHED),
    ],
)
def test_what_the_system_refuses_is_told_as_what_people_can_mend(
    shell: Shell, number: int, name: str | None, ending: tuple[str, int]
) -> None:
    home = shell.inside.folder
    place = name and name.format(home=home, above=home.parent)
    told = ended_by(shell, OSError(number, "the system's words", place), "--json")
    error = told.json()["error"]
    assert (error["code"], told.code) == ending
    assert error["next"] and str(home) in error["next"]


@pytest.mark.parametrize(
    ("module", "code"),
    [("_sqlite3", "python-incomplete"), ("sqlalchemy.engine", "package-missing"), ("tradewind.x", "crashed")],
)
def test_what_this_python_lacks_is_named(shell: Shell, module: str, code: str) -> None:
    told = ended_by(shell, ModuleNotFoundError("no such module", name=module), "--json").json()["error"]
    assert (told["code"], module.partition(".")[0] in told["what"] + told["why"] or code == "crashed") == (code, True)


def test_a_folder_that_is_gone_is_told(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    told = ended_by(shell, FileNotFoundError(errno.ENOENT, "No such file or directory"), "--json")
    assert (told.code, told.json()["error"]["code"]) == (2, "folder-gone")


def test_a_crash_leaves_its_trace_where_there_is_room(shell: Shell, tmp_path: Path) -> None:
    told = ended_by(shell, ValueError("odd"))
    assert told.code == 1 and "Traceback" not in told.err
    (path,) = shell.inside.folder.glob("crash-*.txt")
    assert str(path) in told.err and "ValueError: odd" in path.read_text()
    assert (shell.inside.folder.stat().st_mode & 0o777) == 0o700


def test_ctrl_c_is_one_line_or_one_value(shell: Shell) -> None:
    shell.inside.broken = KeyboardInterrupt()
    told = shell("--lang", "zh", "ps")
    assert (told.code, told.out, told.err) == (130, "", "已中断。\n")
    told = shell("ps", "--json")
    assert (told.code, told.json()["error"]["code"], told.err) == (130, "interrupted", "")


class Full(Terminal):
    """A stream on a full disk."""

    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("words", [["ps", "--json"], ["ps"], ["no-such"], ["no-such", "--json"]])
def test_an_answer_that_cannot_be_written_ends_with_a_code_all_the_same(shell: Shell, words: list[str]) -> None:
    from tradewind.cli.main import run
    from tradewind.cli.world import World

    assert run(words, World(shell.env, Full(), Full(), Full(), shell.inside)) == (2 if "no-such" in words else 4)


def text_of(error: TradewindError, shell: Shell, *, tty: bool = False) -> str:
    from tradewind.cli.world import World

    err = Terminal() if tty else Full()
    world = World({**shell.env, "COLUMNS": "60", "NO_COLOR": "1"}, Terminal(), Terminal(), err, shell.inside)
    world.plain = not tty
    return faults.as_text(error, world)


def test_faults_fit_a_narrow_terminal_and_what_is_to_be_copied_stays_whole(shell: Shell) -> None:
    fault = BadInput(
        "choice-unknown",
        where=Where("作业.yaml", 3, 9),
        key="placement.clouds",
        value="x",
        nearest="",
        choices="alpha, " * 20,
    )
    error = BadInput("job-invalid", faults=(fault, fault), file="作业.yaml", count=2)
    *lines, last = text_of(error, shell, tty=True).splitlines()
    assert max(map(width_of, lines)) <= 60 and len(lines) > 5
    assert last.startswith("  next: ") and "tradewind init" in last


def test_of_very_many_faults_the_first_are_told_and_the_rest_counted(shell: Shell) -> None:
    many = tuple(BadInput("key-unknown", where=Where("j.yaml", n, 1), key=f"k{n}", nearest="") for n in range(1, 500))
    lines = text_of(BadInput("job-invalid", faults=many, file="j.yaml", count=499), shell).splitlines()
    assert len(lines) == faults.MOST_FAULTS + 3
    assert lines[-2].strip() == "… and 479 more"


def test_control_characters_of_a_file_do_nothing_to_a_terminal(shell: Shell) -> None:
    error = BadInput("gpu-unknown", key="x", name="\x1b[31mred\x07\u009b2J", nearest="")
    assert "`\\x1b[31mred\\x07\\x9b2J`" in text_of(error, shell)


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["run", "{job}", "--max-cost", "¥30"], "--max-cost"),
        (["run", "{job}", "--rehearse", "--preempt-at", "2"], "--preempt-at"),
        (["plan", "{job}", "--deadline", "12"], "--deadline"),
        (["extend", "job-1", "--budget", "3"], "--budget"),
        (["machines", "add", "a@b", "--price", "3"], "--price"),
    ],
)
def test_what_an_option_cannot_read_names_the_option(
    shell: Shell, tmp_path: Path, words: list[str], option: str
) -> None:
    told = shell(*(word.format(job=job_file(tmp_path)) for word in words))
    assert told.code == 2 and f"`{option}`" in told.err


def test_a_model_that_is_traced_is_named_letter_by_letter(shell: Shell) -> None:
    from tradewind.cli.tracing import telling
    from tradewind.cli.world import World

    err = Terminal()
    with telling(World(shell.env | {"TERM": "xterm"}, Terminal(), Terminal(), err, shell.inside)) as tell:
        tell("entrypoint:m:build")  # between colons stands the name of a sign
    assert "entrypoint:m:build" in err.getvalue()


def test_next_steps_name_the_file_that_was_given() -> None:
    with pytest.raises(NothingFits) as caught, naming(Path("my job.yaml")):
        raise NothingFits("nothing-fits", file="JOB.yaml")
    assert caught.value.facts["file"] == "'my job.yaml'"
