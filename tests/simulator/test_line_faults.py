"""A bad line: what it does to the bytes, and that it does nothing else."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.line_faults import BYTE_TIME, BadLine, Trouble

pieces_of_bytes = st.lists(st.binary(min_size=1, max_size=20), min_size=1, max_size=10)


def arrived(line: BadLine, until: float = 1000.0) -> bytes:
    return b"".join(line.due(until))


@given(pieces_of_bytes)
def test_a_good_line_passes_on_every_piece_as_it_is(pieces: list[bytes]) -> None:
    line = BadLine()
    came = []
    for number, piece in enumerate(pieces):
        line.send(piece, float(number))
        came += line.due(float(number))
    assert came == pieces
    assert line.sent == sum(map(len, pieces))
    assert line.next_deadline() is None


@given(pieces_of_bytes, st.data())
def test_lost_bytes_are_exactly_those(pieces: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(pieces)
    begin = data.draw(st.integers(0, len(whole) - 1))
    length = data.draw(st.integers(1, len(whole) - begin))
    line = BadLine()
    line.trouble_bytes(Trouble.LOST, begin=begin, length=length)
    for piece in pieces:
        line.send(piece, 0.0)
    assert arrived(line) == whole[:begin] + whole[begin + length :]
    assert line.struck == [Trouble.LOST]


@given(pieces_of_bytes, st.data())
def test_doubled_bytes_come_twice_in_a_row(pieces: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(pieces)
    begin = data.draw(st.integers(0, len(whole) - 1))
    length = data.draw(st.integers(1, len(whole) - begin))
    line = BadLine()
    line.trouble_bytes(Trouble.DOUBLED, begin=begin, length=length)
    for piece in pieces:
        line.send(piece, 0.0)
    end = begin + length
    assert arrived(line) == whole[:end] + whole[begin:end] + whole[end:]


@given(pieces_of_bytes, st.data())
def test_corrupted_bytes_differ_in_one_bit_each(pieces: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(pieces)
    begin = data.draw(st.integers(0, len(whole) - 1))
    length = data.draw(st.integers(1, len(whole) - begin))
    line = BadLine()
    line.trouble_bytes(Trouble.CORRUPTED, begin=begin, length=length)
    for piece in pieces:
        line.send(piece, 0.0)
    turned = [(one ^ other).bit_count() for one, other in zip(whole, arrived(line), strict=True)]
    assert turned == [int(begin <= place < begin + length) for place in range(len(whole))]


@given(pieces_of_bytes)
def test_single_bytes_come_one_by_one_and_in_order(pieces: list[bytes]) -> None:
    line = BadLine()
    line.trouble_bytes(Trouble.SINGLE, begin=0, length=10_000)
    for piece in pieces:
        line.send(piece, 5.0)
    came = []
    while (moment := line.next_deadline()) is not None:
        (one,) = line.due(moment)
        came.append((moment, one))
    assert b"".join(one for _, one in came) == b"".join(pieces)
    assert all(len(one) == 1 for _, one in came)
    assert all(later - earlier >= BYTE_TIME / 2 for (earlier, _), (later, _) in pairwise(came))


def test_delayed_bytes_hold_up_what_follows_them() -> None:
    line = BadLine()
    line.trouble_bytes(Trouble.DELAYED, begin=2, length=2, seconds=1.0)
    line.send(b"abcdef", 10.0)
    assert line.due(10.9) == [b"ab"]
    line.send(b"ghi", 10.9)
    assert line.due(10.95) == []
    assert line.due(11.0) == [b"cdefghi"]


def test_glued_pieces_come_as_one() -> None:
    line = BadLine()
    line.trouble_time(Trouble.GLUED, 3.0)
    for moment in (0.0, 1.0, 2.0):
        line.send(b"abc", moment)
        assert line.due(moment) == []
    line.send(b"abc", 3.0)
    assert line.due(3.0) == [b"abcabcabcabc"]
    line.send(b"abc", 4.0)
    assert line.due(4.0) == [b"abc"]


def test_silence_swallows_everything_for_its_time() -> None:
    line = BadLine()
    line.trouble_time(Trouble.SILENCE, 3.0)
    line.send(b"abc", 0.0)
    line.intrude(b"xyz", 1.0)
    line.send(b"def", 3.0)
    assert line.due(3.0) == [b"def"]
    assert line.sent == 6


@pytest.mark.parametrize("trouble", [Trouble.LOST, Trouble.CORRUPTED, Trouble.DOUBLED])
def test_without_a_place_the_middle_of_the_next_message_is_hit(trouble: Trouble) -> None:
    line = BadLine()
    line.trouble_bytes(trouble, length=1)
    line.send(b"ab", 0.0)  # too short to be a message
    assert arrived(line) == b"ab"
    line.send(b"abcdefgh", 0.0)
    came = arrived(line)
    assert came != b"abcdefgh"
    assert (came[:4], came[-3:]) == (b"abcd", b"fgh")
    line.send(b"abcdefgh", 0.0)
    assert arrived(line) == b"abcdefgh"


def test_a_stranger_is_not_counted() -> None:
    line = BadLine()
    line.intrude(b"forged", 0.0)
    assert arrived(line) == b"forged"
    assert line.sent == 0


def test_a_pulled_cable_ends_what_is_on_its_way() -> None:
    line = BadLine()
    line.trouble_bytes(Trouble.DELAYED, begin=0, length=5, seconds=9.0)
    line.send(b"abcde", 0.0)
    line.clear()
    assert arrived(line) == b""
