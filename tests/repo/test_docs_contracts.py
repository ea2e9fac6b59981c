"""The page of contracts says what the program does: answers, exit codes, variables, words that stand in answers."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import contracts
import pytest
from generate import answers
from generate.errors import tree

from tradewind.app.service import UserService
from tradewind.app.settings import Settings
from tradewind.cli import broken, main
from tradewind.cli.given import ENDED_WITH
from tradewind.cli.inside import Embedded
from tradewind.cli.world import World
from tradewind.domain.offer import PriceStatus, Purchase

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contracts.md").read_text(encoding="utf-8")
# Between parts of Tradewind on a node: nobody else may rely on them.
INTERNAL = {"TRADEWIND_SECRETS", "TRADEWIND_CONTAINER", "TRADEWIND_GPUS"}


def json_commands(command: click.Command, ctx: click.Context, name: str = "") -> Iterator[str]:
    if isinstance(command, click.Group):
        for below in command.list_commands(ctx):
            found = command.get_command(ctx, below)
            assert found is not None
            yield from json_commands(found, click.Context(found, parent=ctx), f"{name} {below}".strip())
    elif any("--json" in param.opts for param in command.params):
        yield name


def test_every_command_that_answers_in_json_has_its_shape() -> None:
    told = {name.partition(" --")[0] for name in answers.ANSWERS} | set(answers.AS_SHOW)
    assert set(json_commands(main.root, click.Context(main.root))) <= told
    assert [name for name in answers.AS_SHOW if f"`{name}`" not in PAGE] == []


def column(heading: str) -> set[str]:
    """The first cells of the table whose header row begins with ``heading``, without backquotes."""
    rows = PAGE.partition(f"| {heading} |")[2].split("\n\n")[0].splitlines()[2:]
    return {cell for row in rows for cell in re.findall(r"[\w.]+", row.split("|")[1])}


def test_the_exit_codes_are_those_of_the_errors_and_of_the_states_of_jobs() -> None:
    raised = {kind.exit_code for kind in tree()} | set(ENDED_WITH.values()) | {broken.INTERRUPTED}
    assert column("code") == {str(code) for code in raised}


def test_the_words_for_prices_are_those_of_the_offers() -> None:
    assert column("status") == {status.value for status in PriceStatus}
    assert [each.value for each in Purchase if f"`{each.value}`" not in PAGE] == []


def test_every_variable_of_ours_is_told_or_internal() -> None:
    names = re.compile(r"[\"'](TRADEWIND_[A-Z_]*[A-Z])\b")
    read = {name for path in (ROOT / "src").rglob("*.py") for name in names.findall(path.read_text(encoding="utf-8"))}
    assert "TRADEWIND_HOME" in read
    assert {name for name in read - INTERNAL if f"`{name}`" not in PAGE} == set()
    assert {name for name in INTERNAL if f"`{name}`" in PAGE} == set()


def answered(home: Path, *words: str) -> Any:
    """What a command line answers in JSON, in a home of its own."""
    env, out = {"TRADEWIND_HOME": str(home), "HOME": str(home)}, io.StringIO()
    assert main.run([*words, "--json"], World(env, io.StringIO(), out, io.StringIO(), Embedded())) == 0
    return json.loads(out.getvalue())


def test_what_begins_a_job_file_answers_in_its_shape(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print('trained')\n")
    contracts.check(answered(tmp_path, "init", str(tmp_path), "--run", "python train.py"), contracts.BEGUN)
    contracts.check(answered(tmp_path, "init", str(tmp_path / "x"), "--example", "digits"), contracts.COPIED)


def test_rates_and_the_supervisor_answer_in_their_shapes(tmp_path: Path) -> None:
    contracts.check(answered(tmp_path, "catalog", "rates"), contracts.RATES)
    service = UserService(Settings(tmp_path), {"HOME": str(tmp_path)}, lambda _command: (0, ""))
    contracts.check(service.status("systemd"), contracts.SUPERVISOR)
    contracts.check(service.install("systemd"), contracts.SERVICE_CHANGED)


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        (contracts.maybe(contracts.MONEY), "Money|null"),
        (contracts.every({"type": "integer"}), "[whole, …]"),
        (contracts.one_of("a", "b"), '"a"|"b"'),
        (contracts.record(at=contracts.INSTANT, x={}), '{"at": instant, "x": any}'),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "{name: number, …}"),
    ],
)
def test_a_schema_is_told_as_people_write_a_shape(schema: contracts.Schema, told: str) -> None:
    assert answers.text(schema) == told
