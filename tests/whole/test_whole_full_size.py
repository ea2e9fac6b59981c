"""The proofs of ``test_whole_kills`` on the example at its full size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import test_whole_kills as kills
from product import EXAMPLE, Cli

pytestmark = pytest.mark.long
PROOFS: list[Callable[[Cli, Path], None]] = [
    kills.test_the_supervisor_is_killed_and_then_the_agent,
    kills.test_the_job_and_then_the_node_are_killed_and_the_weights_are_those_of_an_unbroken_run,
    kills.test_damaged_checkpoints_are_named_and_the_one_before_them_is_used,
]


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.__name__)
def test_at_full_size(cli: Cli, proof: Callable[[Cli, Path], None]) -> None:
    proof(cli, EXAMPLE)


def test_repeated_kills_of_every_kind_end_in_the_same_weights(cli: Cli) -> None:
    unbroken = kills.weights(kills.finished(cli, cli.detach(EXAMPLE, "--local")))
    job = cli.detach(EXAMPLE, "--local")
    for turn, step in enumerate(range(60, 780, 120)):
        shown = cli.until(job, kills.training(step))
        if turn % 3 == 0:
            kills.kill_supervisor(shown)
        elif turn % 3 == 1:
            kills.kill_agent(cli)
        else:
            kills.kill_node(cli, job)
    assert kills.weights(kills.finished(cli, job)) == unbroken
