"""A link that is cut, stalls or breaks: what a call learns, and how soon the road is open again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from road_bench import Clock, answers, refused, roads, until
from sshd import Relay, Sshd

from tradewind.ports.host import HostRefused


@pytest.fixture(scope="module")
def server() -> Iterator[Sshd]:
    with Sshd() as running:
        yield running


@pytest.fixture
def relay(server: Sshd) -> Iterator[Relay]:
    with Relay(server) as made:
        yield made


def test_answers_come_in_any_order_and_each_to_who_asked(server: Sshd) -> None:
    with roads() as here, ThreadPoolExecutor(8) as pool:
        road = here.to(server.address())
        slow = pool.submit(road.ask, "echo", {"text": "slow", "seconds": 0.5})
        body = bytes(range(256)) * 4096
        quick = [pool.submit(road.exchange, "echo", {"text": n}, body + bytes([n])) for n in range(6)]
        for n, each in enumerate(quick):
            assert each.result() == ({"text": n}, body + bytes([n]))
        assert not slow.done()
        assert slow.result() == {"text": "slow"}


@pytest.mark.long
def test_a_body_of_many_megabytes_comes_back_whole(server: Sshd) -> None:
    with roads() as here:
        body = bytes(range(251)) * (40 << 10)
        told, back = here.to(server.address()).exchange("echo", {"text": "large"}, body)
        assert told == {"text": "large"} and back == body


def test_what_the_host_refuses_is_told_as_it_says_it(server: Sshd) -> None:
    with roads() as here:
        with pytest.raises(HostRefused, match="GPU 1 is used") as told:
            here.to(server.address()).ask("refuse", {})
        assert (told.value.kind, told.value.data) == ("capacity", {"pid": 7})


def test_a_question_without_an_answer_may_have_arrived_and_the_road_stays(server: Sshd, relay: Relay) -> None:
    with roads() as here:
        road = here.to(server.address(relay))
        first = road.ask("hello", {})
        told = refused(lambda: road.ask("echo", {"seconds": 60}, timeout_s=0.05))
        assert (told.code, told.sent) == ("timed-out", "maybe") and "echo" in str(told)
        assert road.ask("hello", {})["pid"] == first["pid"]


def test_a_cut_in_mid_command_may_have_arrived_and_the_next_call_finds_a_new_link(server: Sshd, relay: Relay) -> None:
    with roads() as here, ThreadPoolExecutor(4) as pool:
        road = here.to(server.address(relay))
        first = road.ask("hello", {})["pid"]
        sent = relay.sent
        waiting = [pool.submit(road.ask, "echo", {"seconds": 60}) for _ in range(4)]
        until(lambda: relay.sent - sent > 100, "the questions on their way")
        relay.cut()
        for each in waiting:
            told = refused(each.result)
            assert (told.code, told.sent) == ("cut", "maybe")
        assert road.ask("hello", {})["pid"] != first
        assert relay.connections == 2


@pytest.mark.parametrize("count", [900, 300_000])
def test_a_cut_anywhere_in_a_transfer_leaves_a_road_that_can_be_used(server: Sshd, relay: Relay, count: int) -> None:
    with roads() as here:
        road = here.to(server.address(relay))
        road.ask("hello", {})
        relay.cut_after(sent=count)
        assert refused(lambda: road.exchange("echo", {}, b"x" * (1 << 20))).code == "cut"
        assert road.exchange("echo", {}, b"x" * (1 << 20))[1] == b"x" * (1 << 20)


@pytest.mark.parametrize("share", [0.0, 0.5, 0.8])
def test_a_cut_anywhere_on_the_way_to_the_door_is_mended(server: Sshd, relay: Relay, share: float) -> None:
    with roads() as here, Relay(server) as measured:
        here.to(server.address(measured)).ask("hello", {})
        whole = measured.received
    with roads() as here:
        road = here.to(server.address(relay))
        relay.cut_after(received=int(share * whole))
        assert refused(lambda: road.ask("hello", {})).sent == "no"
        assert answers(road)["version"] == 1


def test_a_silence_longer_than_the_keep_alive_ends_the_link_and_a_later_call_finds_a_new_one(
    server: Sshd, relay: Relay
) -> None:
    with roads(keepalive_s=0.1, keepalives=2, login_s=0.3) as here, ThreadPoolExecutor(1) as pool:
        road = here.to(server.address(relay))
        first = road.ask("hello", {})["pid"]
        waiting = pool.submit(road.ask, "echo", {"seconds": 60})
        relay.stall()
        assert refused(waiting.result).code == "cut"
        until(lambda: refused(lambda: road.ask("hello", {}, timeout_s=0.1)).code == "timed-out", "a try that failed")
        relay.cut()
        relay.resume()
        assert answers(road)["pid"] != first


def test_a_host_that_is_known_to_be_away_holds_nobody_up(server: Sshd, relay: Relay) -> None:
    with roads(login_s=0.1, retry_s=60.0, retry_most_s=60.0) as here:
        relay.stall()
        road = here.to(server.address(relay))
        told = refused(lambda: road.ask("hello", {}))
        begun = time.monotonic()
        again = [refused(lambda: road.ask("hello", {})) for _ in range(50)]
        assert {(each.code, str(each), each.sent) for each in again} == {(told.code, str(told), "no")}
        assert relay.connections == 1, "the next try is a minute away"
        assert time.monotonic() - begun < 60.0


def test_a_first_contact_that_takes_longer_than_the_call_may_is_not_sent(server: Sshd, relay: Relay) -> None:
    with roads() as here:
        relay.stall()
        road = here.to(server.address(relay))
        told = refused(lambda: road.ask("hello", {}, timeout_s=0.1))
        assert (told.code, told.sent) == ("timed-out", "no") and "still being connected" in str(told)
        relay.resume()
        assert answers(road)["version"] == 1
        assert relay.connections == 1, "the first try went on"


def test_a_failure_that_time_does_not_cure_is_not_tried_soon_again(server: Sshd, relay: Relay) -> None:
    with roads(barred_s=60.0) as here:
        server.accept()
        road = here.to(server.address(relay))
        try:
            assert {refused(lambda: road.ask("hello", {})).code for _ in range(20)} == {"login-refused"}
            assert relay.connections == 1
        finally:
            server.accept((server.folder / "id.pub").read_text().strip())
    with roads(barred_s=0.0) as here:
        server.accept()
        road = here.to(server.address(relay))
        refused(lambda: road.ask("hello", {}))
        server.accept((server.folder / "id.pub").read_text().strip())
        assert answers(road)["version"] == 1, "but it is tried again"


def test_a_door_that_dies_or_garbles_its_words_is_opened_again(server: Sshd) -> None:
    with roads() as here:
        road = here.to(server.address())
        first = road.ask("hello", {})["pid"]
        told = refused(lambda: road.ask("die", {}))
        assert (told.code, told.sent) == ("cut", "maybe") and "out of memory" in str(told)
        second = answers(road)["pid"]
        told = refused(lambda: road.ask("garble", {}))
        assert told.sent == "maybe" and "not a frame" in str(told)
        assert len({first, second, answers(road)["pid"]}) == 3


def test_a_road_that_nobody_uses_closes_its_door_and_opens_at_the_next_call(server: Sshd, relay: Relay) -> None:
    with roads(idle_s=0.2) as here:
        road = here.to(server.address(relay))
        first = road.ask("hello", {})["pid"]
        until(lambda: not server.sessions(), "the door to close")
        assert relay.connections == 1
        assert road.ask("hello", {})["pid"] != first


def test_a_road_in_use_is_asked_for_a_sign_of_life_so_that_its_door_stays_open(server: Sshd, relay: Relay) -> None:
    with roads(ping_s=0.1, keepalive_s=0) as here:
        road = here.to(server.address(relay))
        first = road.ask("hello", {})["pid"]
        sent = relay.sent
        until(lambda: relay.sent - sent > 500, "several signs of life")
        assert road.ask("hello", {})["pid"] == first


def test_the_clocks_are_compared_when_the_road_opens(server: Sshd) -> None:
    with roads(clock=Clock(ahead_s=3600.0)) as here:
        road = here.to(server.address())
        assert road.skew_s == 0.0
        road.ask("hello", {})
        assert -3601.0 < road.skew_s < -3599.0


def test_a_closed_road_stays_closed_and_says_so(server: Sshd) -> None:
    with roads() as here, ThreadPoolExecutor(1) as pool:
        road = here.to(server.address())
        assert here.to(server.address()) is road
        road.ask("hello", {})
        waiting = pool.submit(road.ask, "echo", {"seconds": 60})
        until(lambda: len(server.sessions()) == 1, "the question")
        here.close()
        assert refused(waiting.result).sent == "maybe"
        assert "closed" in str(refused(lambda: road.ask("hello", {})))


def test_a_road_that_was_forgotten_is_made_anew(server: Sshd) -> None:
    with roads() as here:
        road = here.to(server.address())
        first = road.ask("hello", {})["pid"]
        for _ in range(2):
            here.forget(server.address())
        assert "closed" in str(refused(lambda: road.ask("hello", {})))
        assert here.to(server.address()).ask("hello", {})["pid"] != first


def test_many_hosts_that_are_away_do_not_hold_up_those_that_are_there(server: Sshd) -> None:
    with roads(at_once=1, login_s=0.5) as here, Relay(server) as away:
        away.stall()
        lost = [here.to(server.address(away, folder=f"~/{n}")) for n in range(4)]
        for road in lost:
            assert refused(lambda road=road: road.ask("hello", {})).code == "timed-out"  # type: ignore[misc]
        assert here.to(server.address()).ask("hello", {})["version"] == 1
