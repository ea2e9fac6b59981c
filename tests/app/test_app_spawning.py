"""A supervisor that cannot start is told of, not waited for; one that can is started once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from doubles import SimClock

from tradewind.app import spawning
from tradewind.app.lock import SupervisorLock
from tradewind.app.settings import Settings
from tradewind.app.spawning import MOST_DEATHS, RESPAWN_SECONDS, Starter
from tradewind.domain.errors import Unavailable


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "home")


@pytest.fixture
def clock() -> SimClock:
    return SimClock()


def dying(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    """Supervisors that end at once, as one does whose lock or database cannot be opened."""

    def spawn(settings: Settings) -> int:
        child = os.posix_spawn("/bin/sh", ["sh", "-c", f"exit {code}"], {})
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
        return child

    monkeypatch.setattr(spawning, "ensure_supervisor", spawn)


def started(starter: Starter, clock: SimClock, times: int) -> None:
    for _ in range(times):
        assert starter.missing()
        starter.start()
        assert not starter.missing()  # the next one gets its time
        clock.sleep(RESPAWN_SECONDS)


def test_supervisors_that_die_one_after_the_other_are_told_with_their_last_words(
    settings: Settings, clock: SimClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying(monkeypatch, 1)
    settings.make_home()
    (settings.home / "supervisor.log").write_text("Traceback …\nOSError: no such lock\n\n")
    starter = Starter(settings, clock)
    started(starter, clock, MOST_DEATHS - 1)
    assert starter.missing()
    starter.require_one()
    started(starter, clock, 1)
    assert starter.missing()
    with pytest.raises(Unavailable, match="supervisor-not-starting") as caught:
        starter.require_one()
    assert caught.value.facts["why"] == "OSError: no such lock"


def test_one_that_had_nothing_to_do_is_no_death(
    settings: Settings, clock: SimClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying(monkeypatch, 0)
    starter = Starter(settings, clock)
    started(starter, clock, MOST_DEATHS + 3)
    starter.require_one()


def test_a_living_one_makes_up_for_all_deaths(
    settings: Settings, clock: SimClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying(monkeypatch, 1)
    starter = Starter(settings, clock)
    started(starter, clock, MOST_DEATHS)
    with SupervisorLock(settings.lock, clock) as lock:
        assert lock.take() and not starter.missing()
    starter.require_one()
    started(starter, clock, MOST_DEATHS)
    assert starter.missing()
    with pytest.raises(Unavailable):
        starter.require_one()


def test_a_log_that_cannot_be_written_is_told_until_it_can(settings: Settings, clock: SimClock) -> None:
    (settings.home / "supervisor.log").mkdir(parents=True)
    starter = Starter(settings, clock)
    started(starter, clock, 1)
    with pytest.raises(Unavailable, match="supervisor-not-starting"):
        starter.require_one()
