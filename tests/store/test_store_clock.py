"""The time that workers share: asked seldom, carried on between, kept while the server is away."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest
from doubles import START, SimClock

from tradewind.domain.errors import Unavailable
from tradewind.store.clock import StoreClock
from tradewind.store.database import Database


@dataclass
class Server:
    """A database whose clock is an hour ahead of this computer's, and that can be away; an answer takes a while."""

    clock: SimClock
    ahead: timedelta = timedelta(hours=1)
    answer_s: float = 0.0
    away: bool = False
    has_clock: bool = True
    asked: list[timedelta] = field(default_factory=list)

    def now(self) -> object:
        self.asked.append(self.clock.now() - START)
        if self.away:
            raise Unavailable("database-unavailable", path="p", why="away")
        self.clock.sleep(self.answer_s / 2)
        now = self.clock.now() + self.ahead
        self.clock.sleep(self.answer_s / 2)
        return now


@pytest.fixture
def server() -> Server:
    return Server(SimClock())


@pytest.fixture
def clock(server: Server) -> StoreClock:
    return StoreClock(server.clock, cast(Database, server))


def seconds(count: float) -> timedelta:
    return timedelta(seconds=count)


def test_the_time_is_the_servers_with_the_way_of_its_answer_counted(server: Server, clock: StoreClock) -> None:
    server.answer_s = 4
    assert clock.now() == server.clock.now() + server.ahead
    assert clock.monotonic() == server.clock.monotonic() == 4


def test_the_server_is_asked_every_ten_seconds_and_the_time_goes_on_between(server: Server, clock: StoreClock) -> None:
    for _ in range(22):
        assert clock.now() == server.clock.now() + server.ahead
        clock.sleep(1)
    assert server.asked == [seconds(0), seconds(10), seconds(20)]


def test_a_server_that_is_away_is_not_asked_at_every_call_and_the_time_goes_on(
    server: Server, clock: StoreClock
) -> None:
    clock.now()
    server.away = True
    for _ in range(25):
        clock.sleep(1)
        assert clock.now() == server.clock.now() + server.ahead
    assert server.asked == [seconds(0), seconds(10), seconds(20)]
    server.away, server.ahead = False, timedelta(hours=2)
    clock.sleep(10)
    assert clock.now() == server.clock.now() + server.ahead


def test_without_any_answer_there_is_no_time(server: Server, clock: StoreClock) -> None:
    server.away = True
    with pytest.raises(Unavailable):
        clock.now()


def test_a_computer_that_slept_asks_again_though_its_count_stood_still(server: Server, clock: StoreClock) -> None:
    class Slept(SimClock):
        asleep = 0.0

        def monotonic(self) -> float:
            return super().monotonic() - self.asleep

    server.clock = slept = Slept()
    clock = StoreClock(slept, cast(Database, server))
    clock.now()
    slept.sleep(7200)
    slept.asleep = 7200.0
    assert clock.now() == slept.now() + server.ahead


def test_on_sqlite_the_time_is_this_computers(tmp_path: Path) -> None:
    inner = SimClock()
    assert StoreClock(inner, Database(tmp_path / "t.db")).now() == inner.now()
