"""``tradewind init``: a first job file from what lies in a folder, or a copy of an example. Runs no script."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tradewind.cli.asking import agreed
from tradewind.cli.shape import with_json, worded
from tradewind.domain.errors import BadInput, NotFound

if TYPE_CHECKING:
    from tradewind.app.starting import Draft, Look
    from tradewind.cli.world import World

EXAMPLES = ("digits", "plain-script", "finetune-lora", "image-folder")
JOB_FILE = "job.yaml"
SCHEMA = "job.schema.json"


@worded("init")
@click.argument("folder", type=click.Path(path_type=Path), required=False, metavar="[FOLDER]")
@click.option("--example", type=click.Choice(EXAMPLES), metavar="NAME")
@click.option("--run", "run", metavar="COMMAND")
@click.option("--schema", is_flag=True)
@click.option("--force", is_flag=True)
@click.option("--yes", "-y", is_flag=True)
@with_json
def command(
    world: World, folder: Path | None, example: str | None, run: str | None, schema: bool, force: bool, yes: bool
) -> int:
    """Write ``job.yaml`` into the folder, copy an example, or print the job file's JSON schema."""
    if schema:
        from tradewind.app.jobfile import schema_text

        world.out.write(schema_text())
    elif example:
        if run:
            raise BadInput("example-and-run")
        _copied(world, example, folder or Path(example), force)
    else:
        _begun(world, folder or Path(), run, force, asking=world.interactive() and not yes)
    return 0


def _copied(world: World, example: str, to: Path, force: bool) -> None:
    from tradewind.app.starting import examples
    from tradewind.cli.draw.started import copied

    written = examples.copy(example, to, over=force)
    answer = {"example": example, "path": str(to), "written": [path.name for path in written],
              "packages_missing": list(examples.missing(example))}  # fmt: skip
    if world.json:
        world.answer(answer)
    else:
        world.write(copied, answer)


def _begun(world: World, folder: Path, run: str | None, force: bool, *, asking: bool) -> None:
    """Look, ask, write, and tell what was seen where.

    Raises:
        NotFound: ``folder-missing`` (path).
        BadInput: ``job-file-exists`` (path), and as :func:`_command`, :func:`_written`.
    """
    from tradewind.app import jobfile, starting
    from tradewind.cli.draw.job_file import job_file
    from tradewind.cli.draw.started import started

    if not folder.is_dir():
        raise NotFound("folder-missing", path=folder)
    path = folder / JOB_FILE
    over = force or (path.exists() and asking and agreed(world, world.say("ask-overwrite", path=path)))
    if path.exists() and not over:
        raise BadInput("job-file-exists", path=path)
    seen = starting.look(folder)
    name = jobfile.parse("run: python train.py", str(path)).name  # the one it would have without a name
    draft = starting.draft(seen, name, _command(world, folder, seen, run, asking=asking))
    if asking:
        draft = draft.given(_asked(world, draft))
    text = job_file(world.lang, draft, schema=SCHEMA if (folder / SCHEMA).exists() else None)
    jobfile.parse(text, str(path))  # before it is written: a file of ours is never a faulty one
    _written(path, text, over=over)
    answer = _answer(path, seen, draft)
    if world.json:
        world.answer(answer)
    else:
        world.write(started, answer)


def _command(world: World, folder: Path, seen: Look, run: str | None, *, asking: bool) -> str:
    """What to run: given, the only one that may train, chosen by a person, or the likeliest.

    Raises:
        BadInput: ``notebooks-only`` (path, notebook), ``script-unseen`` (path): nobody says what to run.
    """
    typed = run
    if run is None and asking and len(seen.commands) != 1:
        from tradewind.cli.asking import answered

        listed = "".join(f"\n  {number}  {each.run}" for number, each in enumerate(seen.commands, 1))
        typed = answered(world, world.say("ask-which-command" if listed else "ask-command") + listed + "\n>")
        if typed.isdecimal() and 0 < int(typed) <= len(seen.commands):
            typed = seen.commands[int(typed) - 1].run
    if typed:
        return typed
    if seen.commands:
        return seen.commands[0].run
    if seen.notebooks:
        raise BadInput("notebooks-only", path=folder, notebook=seen.notebooks[0])
    raise BadInput("script-unseen", path=folder)


def _asked(world: World, draft: Draft) -> dict[str, object]:
    """What a person says of what no file tells: the GPUs where the model is not seen, the deadline, the budget."""
    from tradewind.app.jobfile.readings import parse_deadline
    from tradewind.domain.accelerators import parse_accelerators
    from tradewind.domain.money import parse_money

    questions: dict[str, Any] = {"schedule.deadline": parse_deadline, "budget.limit": parse_money}
    if not any(key.startswith("model.") for key in draft.values):
        questions = {"resources.accelerators": parse_accelerators, **questions}
    told = {key: _one(world, f"ask-{key.replace('.', '-')}", parse) for key, parse in questions.items()}
    return {key: text for key, text in told.items() if text}


def _one(world: World, question: str, parse: Any) -> str:
    """The answer that ``parse`` can read, asked again until it can; empty for none."""
    from tradewind import words
    from tradewind.cli.asking import answered
    from tradewind.cli.draw.pen import wrapped

    while text := answered(world, world.say(question)):
        try:
            parse(text)
        except BadInput as fault:
            for sentence in filter(None, words.error(fault, world.lang)):
                world.err.write(wrapped(sentence, world.columns(world.err)) + "\n")
        else:
            return text
    return ""


def _written(path: Path, text: str, *, over: bool) -> None:
    """The file, whole; one that came to lie there meanwhile is left as it is.

    Raises:
        BadInput: ``job-file-exists`` (path), ``file-unwritable`` (path, why).
    """
    try:
        with path.open("w" if over else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise BadInput("job-file-exists", path=path) from None
    except OSError as fault:
        raise BadInput("file-unwritable", path=path, why=fault.strerror or fault) from None


def _answer(path: Path, seen: Look, draft: Draft) -> dict[str, Any]:
    from tradewind.cli.draw.job_file import unsaid

    return {
        "example": None,
        "path": str(path),
        "written": [path.name],
        "values": [{"key": key, "value": value.value, "file": value.file, "line": value.line}
                   for key, value in draft.values.items()],
        "missing": unsaid(draft),
        "commands": [each.run for each in seen.commands],
        "remarks": [{"code": remark.code, "facts": dict(remark.facts)} for remark in draft.remarks],
    }  # fmt: skip
