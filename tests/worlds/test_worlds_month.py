"""A month of an installation under faults drawn from a seed, held to the laws and told as a table."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from odd.month import Month
from odd.place import sqlite


@pytest.mark.parametrize(
    ("jobs", "days"), [(50, 3), pytest.param(1000, 30, marks=pytest.mark.long)], ids=["three days", "a month"]
)
def test_the_laws_hold_through_many_jobs_and_days(
    jobs: int, days: int, record_property: Callable[[str, object], None]
) -> None:
    found, table = Month(sqlite(), jobs, days, seed=2026).live()
    record_property(f"table: {jobs:,} jobs in {days} days", table)
    assert found == []
