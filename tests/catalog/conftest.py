"""The shipped snapshot, built once for all tests of this room."""

from __future__ import annotations

from pathlib import Path

import pytest
from shipped import Row, read_csv

from tradewind.catalog.snapshot import Snapshot, open_snapshot


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return open_snapshot(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def prices() -> list[Row]:
    return read_csv("prices.csv")


@pytest.fixture(scope="session")
def instances() -> list[Row]:
    return read_csv("instances.csv")


@pytest.fixture(scope="session")
def regions() -> list[Row]:
    return read_csv("regions.csv")


@pytest.fixture(scope="session")
def sources() -> list[Row]:
    return read_csv("sources.csv")


@pytest.fixture(scope="session")
def tariffs() -> list[Row]:
    return read_csv("tariffs.csv")


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared-home")
