"""The reference of the command line, a page a language: click's commands with the words of their help."""

from __future__ import annotations

from collections.abc import Iterator

import click

from generate.said_data import COMMANDS as PAGE
from tradewind import words
from tradewind.cli.index import BESIDE, GROUPS
from tradewind.cli.main import root
from tradewind.cli.shape import Several


def page(lang: str) -> str:
    """The page in ``lang``, Markdown."""
    said = PAGE[lang]
    top = click.Context(root, info_name="tradewind")
    parts = [f"# {said['title']}", "", said["intro"], ""]
    for group, names in (*GROUPS.items(), ("", BESIDE)):
        if names:
            parts += [f"## {words.helped(f'group-{group}', lang) if group else said['beside']}", ""]
            parts += [line for name in names for line in _told(name, top, lang)]
    return "\n".join(parts)


def _told(name: str, above: click.Context, lang: str) -> Iterator[str]:
    command = above.command
    assert isinstance(command, click.Group)
    found = command.get_command(above, name)
    assert found is not None, name
    ctx = click.Context(found, info_name=name, parent=above, **found.context_settings)
    yield from (f"### {ctx.command_path}", "")
    yield from (words.helped(f"command-{found.name}", lang), "")
    if more := words.helped(f"command-{found.name}-more", lang):
        yield from (more, "")
    if not isinstance(found, Several):
        yield from (f"{PAGE[lang]['usage']}: `{' '.join((ctx.command_path, *found.collect_usage_pieces(ctx)))}`", "")
        yield from _params(found, ctx, lang)
    yield from _examples(found, lang)
    if isinstance(found, Several):
        for below in found.list_commands(ctx):
            yield from _told(below, ctx, lang)


def _params(command: click.Command, ctx: click.Context, lang: str) -> Iterator[str]:
    said = PAGE[lang]
    for kind, told in (
        ("argument", [(param.make_metavar(ctx), _meaning(f"argument-{param.name}", command, lang))
                      for param in command.get_params(ctx) if isinstance(param, click.Argument)]),
        ("option", [(record[0], _meaning(f"option-{max(param.opts, key=len).lstrip('-')}", command, lang))
                    for param in command.get_params(ctx)
                    if isinstance(param, click.Option) and (record := param.get_help_record(ctx))]),
    ):  # fmt: skip
        if told:
            yield from (f"| {said[kind]} | {said['meaning']} |", "| --- | --- |")
            yield from (f"| `{name}` | {meaning} |" for name, meaning in map(_cells, told))
            yield ""


def _cells(pair: tuple[str, str]) -> tuple[str, str]:
    """Cells of a table, in which a bar would begin the next one."""
    name, meaning = (text.replace("|", "\\|") for text in pair)
    return name, meaning


def _meaning(code: str, command: click.Command, lang: str) -> str:
    """What it means for this command, else what it means for all."""
    return words.helped(f"{code}-of-{command.name}", lang) or words.helped(code, lang)


def _examples(command: click.Command, lang: str) -> Iterator[str]:
    if text := words.helped(f"command-{command.name}-example", lang):
        yield from ("```console", *(f"$ {line.strip()}" for line in text.splitlines()), "```", "")
