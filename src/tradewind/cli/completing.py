"""What completes an argument or option: names of a kind that this computer knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from tradewind.cli.world import World

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

LISTED = {"cloud", "region", "gpu", "purchase", "policy"}  # of these several may be given, with commas between


def of(kind: str) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """What completes an argument or option with names of ``kind`` (``app.candidates``)."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem  # only while a word is completed

        world = ctx.find_object(World)
        assert world is not None
        before, comma, begun = incomplete.rpartition(",") if kind in LISTED else ("", "", incomplete)
        return [
            CompletionItem(before + comma + name, help=told) for name, told in world.inside.candidates(kind)
            if name.lower().startswith(begun.lower()) and name not in before.split(",")
        ]  # fmt: skip

    return complete
