"""A machine is powered off by the holder of the instance that it was rented for, and by no other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tradewind.agent.door import hold, layout

TOKEN = "7e0b9d3e-5a4b-4c7e-8f3f-0d7a6a1c2b9e"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / f"{layout.PREFIX}{TOKEN}"
    made.mkdir()
    (made / layout.INSTANCE).write_text(json.dumps({"token": TOKEN}))
    return made


def powered_off(folder: Path, told: dict[str, Any] | None) -> bool:
    """Whether the program that powers off was run, as the answer says."""
    config, off = folder / "power-off.json", folder / "off"
    if told is not None:
        config.write_text(json.dumps({"argv": ["touch", str(off)], **told}))
    answer = hold.power_off(str(folder), str(config))
    assert answer == off.exists()
    return answer


def test_the_machine_of_the_instance_is_powered_off(folder: Path) -> None:
    assert powered_off(folder, {"token": TOKEN})


def test_a_host_that_says_nothing_of_it_stays_on(folder: Path) -> None:
    assert not powered_off(folder, None)


def test_a_machine_that_was_rented_for_another_stays_on(folder: Path) -> None:
    assert not powered_off(folder, {"token": "another"})


def test_a_machine_whose_instance_was_taken_away_stays_on(folder: Path) -> None:
    (folder / layout.INSTANCE).unlink()
    assert not powered_off(folder, {"token": TOKEN})
