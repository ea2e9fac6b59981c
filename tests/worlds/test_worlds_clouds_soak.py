"""Hundreds of short jobs on AWS and Alibaba Cloud in the lab, under faults drawn from a seed: none leaked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from odd.place import sqlite
from odd.soak import Soak


@pytest.mark.long
@pytest.mark.parametrize("at", ["aws", "alibaba"])
def test_the_laws_hold_through_many_short_jobs(at: str, record_property: Callable[[str, object], None]) -> None:
    found, table = Soak(sqlite(), at, jobs=150, hours=8, seed=2026).live()
    record_property(f"table: 150 jobs at the {at} of the lab", table)
    assert found == []
