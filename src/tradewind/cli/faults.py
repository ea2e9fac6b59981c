"""Every way a command can end badly → exit code, and sentences or the JSON error object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tradewind import words
from tradewind.domain.errors import BadInput, TradewindError, Where

if TYPE_CHECKING:
    from pathlib import Path

    import click

    from tradewind.cli.world import World

BUG = 1


def told(world: World, error: TradewindError) -> int:
    """The error's exit code, after it was told: as JSON on stdout, or in sentences on stderr."""
    if world.json:
        world.answer({"error": as_json(error, world.lang)})
    else:
        world.err.write(as_text(error, world))
    return error.exit_code


def as_json(error: TradewindError, lang: str) -> dict[str, Any]:
    """The contract's error object; with ``facts``, and ``faults`` where a document has several."""
    sentence = words.error(error, lang)
    faults = [as_json(fault, lang) for fault in error.faults]
    why = sentence.why or " ".join(part for fault in error.faults for part in words.error(fault, lang) if part)
    return {
        "code": error.code, "what": sentence.what, "why": why, "next": sentence.next,
        "where": _where(error.where), "retryable": error.retryable, "facts": dict(error.facts),
        **({"faults": faults} if faults else {}),
    }  # fmt: skip


def sentences(coded: dict[str, Any] | None, lang: str) -> dict[str, Any] | None:
    """The error object of a code with facts that stands in an answer; None for none."""
    if coded is None:
        return None
    made = as_json(TradewindError(coded["code"], **coded["facts"]), lang)
    return {**made, "retryable": coded.get("retryable", False)}


def _where(where: Where | None) -> dict[str, Any] | None:
    return None if where is None else {"file": where.file, "line": where.line, "column": where.column}


def as_text(error: TradewindError, world: World) -> str:
    """Sentences for a terminal: what, why and every fault with its place, next step."""
    sentence = words.error(error, world.lang)
    red, dim, off = _styles(world)
    place = "" if error.faults else _place(error.where)
    lines = [f"{red}{world.say('error-mark')}{off} {place}{sentence.what}"]
    if sentence.why:
        lines += [f"  {line}" for line in sentence.why.splitlines()]
    for fault in error.faults:
        said = words.error(fault, world.lang)
        lines.append(f"  {dim}{_place(fault.where)}{off}{' '.join(filter(None, said))}")
    if sentence.next:
        lines.append(f"  {dim}{world.say('next-mark')}{off} {sentence.next}")
    return "\n".join(lines) + "\n"


def _place(where: Where | None) -> str:
    if where is None:
        return ""
    return ":".join(str(part) for part in (where.file, where.line, where.column) if part is not None) + ": "


def _styles(world: World) -> tuple[str, str, str]:
    plain = not world.err.isatty() or world.env.get("NO_COLOR") or world.env.get("TERM") == "dumb"
    return ("", "", "") if plain else ("\033[1;31m", "\033[2m", "\033[0m")


def usage(error: click.UsageError) -> BadInput:
    """A command line that click could not read, as an error of ours."""
    import click

    command = error.ctx.command_path if error.ctx else "tradewind"
    match error:
        case click.NoSuchOption():
            nearest = ", ".join(error.possibilities or ())
            return BadInput("option-unknown", name=error.option_name, nearest=nearest, command=command)
        case click.MissingParameter():
            return BadInput("parameter-missing", name=_name(error.param), command=command)
        case click.BadParameter():
            return BadInput("parameter-unreadable", name=_name(error.param), why=error.message, command=command)
    return BadInput("command-line-unreadable", why=error.format_message(), command=command)


def _name(param: click.Parameter | None) -> str:
    """``--limit`` for an option, ``JOB`` for an argument."""
    if param is None:
        return ""
    return max(param.opts, key=len) if param.param_type_name == "option" else param.human_readable_name


def crashed(world: World, error: BaseException) -> int:
    """Exit code 1, after the traceback was written to a file and its place was told."""
    import traceback

    path = _write(world, "".join(traceback.format_exception(error)))
    return told(world, TradewindError("crashed", kind=type(error).__name__, text=str(error)[:200], path=path or "-"))


def _write(world: World, text: str) -> Path | None:
    """The file that holds ``text``: in the home folder, else in the system's temporary one; None if neither works."""
    import tempfile
    from pathlib import Path

    name = f"crash-{world.now():%Y%m%dT%H%M%SZ}.txt"
    for folder in (_home(world), Path(tempfile.gettempdir())):
        if folder is None:
            continue
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
            return folder / name
        except OSError:
            continue
    return None


def _home(world: World) -> Path | None:
    try:
        return world.inside.home()
    except Exception:  # noqa: BLE001  the crash that is being told of may be in there
        return None
