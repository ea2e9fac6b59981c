"""Worlds in which anything happens in any order: faults, kills, clocks that jump, databases put back or lost."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test
from odd.place import Place, postgresql, sqlite
from odd.storm import Storm

ITEMS, WORLDS = 8, 250  # test items, so that processes share them, and worlds in each
STEPS = 6
Record = Callable[[str, object], None]


@pytest.mark.parametrize("item", range(ITEMS))
def test_the_laws_hold_in_every_world(item: int, record_property: Record) -> None:
    record_property("worlds: storms, sqlite", storms(item, WORLDS, sqlite))


@pytest.mark.long
@pytest.mark.parametrize("item", range(50))
def test_the_laws_hold_in_many_more_worlds(item: int, record_property: Record) -> None:
    chance = random.SystemRandom().randrange(1 << 32)
    print(f"storm of the seed {chance}")
    record_property("worlds: storms, sqlite", storms(chance, 1000, sqlite))


@pytest.mark.long
def test_the_laws_hold_in_worlds_on_postgresql(record_property: Record) -> None:
    record_property("worlds: storms, postgresql", storms(1, 1000, postgresql))


def storms(chance: int, worlds: int, place: Callable[[], Place]) -> int:
    """How many worlds were lived through; this seed gives the same ones again.

    The first broken law is told with the way there as it was; making it shorter (``Phase.shrink``) can take minutes.
    """
    one: type[Storm] = seed(chance)(type("OneStorm", (Storm,), {"place": staticmethod(place)}))
    examples = worlds * 23 // 25  # hypothesis lives through others besides: alike ones, and some that it cuts short
    run_state_machine_as_test(
        one, settings=settings(max_examples=examples, stateful_step_count=STEPS, deadline=None, database=None,
                               phases=[Phase.generate], suppress_health_check=list(HealthCheck)))  # fmt: skip
    assert one.worlds >= worlds
    return one.worlds
