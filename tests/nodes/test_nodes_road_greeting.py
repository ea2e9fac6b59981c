"""What a host says comes in pieces of any size, after noise of any kind: greeting and frames are still found."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tradewind.nodes.ssh.greeting import Greeter, Welcome
from tradewind.nodes.ssh.link import Frames
from tradewind.ports.transport import Unreachable
from tradewind.wire import door

NOISE = st.one_of(
    st.binary(max_size=200),
    st.sampled_from([b"TRADEWIND-LOADER-1 ", b"m=TRADEWIND-LOADER; ", door.GREETING[:-2], b"TWD1", b"\x1b[2J" * 5000]),
).filter(lambda noise: door.GREETING not in noise)  # fmt: skip
HEADERS = st.dictionaries(st.text(max_size=5), st.one_of(st.integers(), st.text(max_size=20), st.none()), max_size=3)


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    ends = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[begin:end] for begin, end in itertools.pairwise(ends)]


@given(noise=NOISE, rest=st.binary(max_size=50), cuts=st.lists(st.integers(0, 1 << 20), max_size=8))
@settings(deadline=None, max_examples=60)
def test_the_greeting_is_found_wherever_it_is_cut(noise: bytes, rest: bytes, cuts: list[int]) -> None:
    greeter = Greeter()
    heard = b""
    opened = False
    for piece in pieces(noise + b"?\n" + door.GREETING + rest, cuts):
        if opened:
            heard += piece
        elif greeter.feed(piece):
            opened, heard = True, greeter.rest
    assert opened and heard == rest


@given(noise=NOISE, cuts=st.lists(st.integers(0, 1 << 20), max_size=8))
@settings(deadline=None, max_examples=60)
def test_the_agent_is_asked_for_once_and_then_the_door_opens(noise: bytes, cuts: list[int]) -> None:
    greeter = Greeter()
    told = [greeter.feed(piece) for piece in pieces(noise + b"?\nTRADEWIND-LOADER-1 need \n", cuts)]
    assert [each for each in told if each is not None] == [False]
    assert greeter.feed(door.GREETING) is True
    assert greeter.rest == b""


def test_why_a_door_cannot_be_opened_is_told_with_its_code() -> None:
    with pytest.raises(Unreachable, match="No space left") as told:
        Greeter().feed(b"Welcome\nTRADEWIND-LOADER-1 no-space [Errno 28] No space left on device\n")
    assert told.value.code == "no-space"


def test_the_end_of_what_was_said_is_kept_and_no_more() -> None:
    greeter = Greeter()
    for n in range(5000):
        assert greeter.feed(b"line %d\n" % n) is None
    assert greeter.said.endswith("line 4998 line 4999") and len(greeter.said) <= 2000


def test_the_command_line_names_no_folder_and_stands_in_single_quotes() -> None:
    welcome = Welcome("/data/of somebody's/$HOME", b"agent", "agent-0123456789ab.pyz")
    begin, command, end = welcome.command.split("'")
    assert (begin, end) == ("exec /bin/sh -c ", "")
    assert not set(command) & set("\\!\n") and "somebody" not in command
    assert welcome.loader.endswith(b"""main("/data/of somebody's/$HOME", 'agent-0123456789ab.pyz', 5)\n""")


@given(frames=st.lists(st.tuples(HEADERS, st.binary(max_size=100)), max_size=5), cuts=st.lists(st.integers(0, 1 << 20)))
@settings(deadline=None, max_examples=60)
def test_frames_are_put_together_from_pieces(frames: list[tuple[door.Header, bytes]], cuts: list[int]) -> None:
    reader = Frames()
    data = b"".join(door.frame(header, body) for header, body in frames)
    assert [each for piece in pieces(data, cuts) for each in reader.feed(piece)] == frames


def test_what_is_no_frame_is_told() -> None:
    with pytest.raises(door.Garbled, match="not a frame"):
        Frames().feed(door.frame({"n": 1}) + b"Segmentation fault")
