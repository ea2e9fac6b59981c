"""Errors → exit code, and sentences or the JSON error object; what click could not read → errors of ours."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tradewind import words
from tradewind.domain.errors import BadInput, TradewindError, Where

if TYPE_CHECKING:
    import click

    from tradewind.cli.world import World

MOST_FAULTS = 20  # of one document, told at once: more are never read
# A terminal obeys control characters: what a file or a host has put into a sentence is shown, not obeyed.
_SHOWN = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if code != ord("\n")}


def told(world: World, error: TradewindError) -> int:
    """The error's exit code, after it was told: as JSON on stdout, or in sentences on stderr.

    Where neither can be written, on a full disk or to a reader who left, the exit code alone says it.
    """
    with suppress(OSError):
        if world.json:
            with suppress(OSError):
                world.answer({"error": as_json(error, world.lang)})
                return error.exit_code
        world.err.write(as_text(error, world))
        world.err.flush()
    return error.exit_code


def as_json(error: TradewindError, lang: str) -> dict[str, Any]:
    """The contract's error object; with ``facts``, and ``faults`` where a document has several."""
    sentence = words.error(error, lang)
    faults = [as_json(fault, lang) for fault in error.faults]
    few = (_joined(words.error(fault, lang), lang) for fault in error.faults[:MOST_FAULTS])
    why = sentence.why or _joined(few, lang)
    return {
        "code": error.code, "what": sentence.what, "why": why, "next": sentence.next,
        "where": _where(error.where), "retryable": error.retryable, "facts": dict(error.facts),
        **({"faults": faults} if faults else {}),
    }  # fmt: skip


def _joined(sentences: Iterable[str], lang: str) -> str:
    """Sentences one after the other; Chinese has no blank between them."""
    return ("" if lang == "zh" else " ").join(filter(None, sentences))


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
    mark, place = world.say("error-mark"), "" if error.faults else _place(error.where)
    lines = [red + mark + off + _laid(world, f"{mark} {place}{sentence.what}", 0)[len(mark) :]]
    lines += [_laid(world, line, 2) for line in sentence.why.splitlines()]
    for fault in error.faults[:MOST_FAULTS]:
        said = _joined(words.error(fault, world.lang), world.lang).replace("\n", " ")
        lines.append(_laid(world, _place(fault.where) + said, 2))
    if len(error.faults) > MOST_FAULTS:
        lines.append("  " + world.say("more-faults", count=len(error.faults) - MOST_FAULTS))
    if sentence.next:  # never wrapped: a command in it is copied whole
        lines.append(f"  {dim}{world.say('next-mark')}{off} {sentence.next.translate(_SHOWN)}")
    return "\n".join(lines) + "\n"


def _laid(world: World, text: str, indent: int) -> str:
    """``text`` with blanks before it, on a terminal wrapped to its width; into a pipe one line a sentence."""
    visible = text.translate(_SHOWN)
    if not world.err.isatty():
        return " " * indent + visible
    from tradewind.cli.draw.pen import wrapped

    deeper = indent + 2
    return " " * indent + wrapped(visible, world.columns(world.err) - deeper).replace("\n", "\n" + " " * deeper)


def _place(where: Where | None) -> str:
    if where is None:
        return ""
    return ":".join(str(part) for part in (where.file, where.line, where.column) if part is not None) + ": "


def _styles(world: World) -> tuple[str, str, str]:
    return ("\033[1;31m", "\033[2m", "\033[0m") if world.coloured(world.err) else ("", "", "")


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
