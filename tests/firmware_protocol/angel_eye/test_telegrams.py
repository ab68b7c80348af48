"""Bytes to telegrams: any bytes, cut anywhere."""

import itertools
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firmware_protocol.angel_eye.telegrams import (
    MAX_DATA,
    Answer,
    Garbage,
    Telegram,
    TelegramReader,
    encode_telegram,
)

Item = Telegram | Answer | Garbage

START = bytes.fromhex("05 30 53 03 36 30")
DRAWN = bytes.fromhex("05 31 44 81 80 03 37 37")

LINE_BYTES = st.lists(
    st.one_of(
        st.binary(max_size=6),
        st.sampled_from([START, DRAWN, b"\x05", b"\x051", b"\x051D", DRAWN[:-1], b"\x06", b"\x15", b"\x1501", b"\x03"]),
    ),
    max_size=12,
).map(b"".join)


def read_all(reader: TelegramReader, pieces: list[bytes]) -> list[Item]:
    items = [item for piece in pieces for item in reader.read(piece)]
    return [*items, *reader.give_up("the test ends")]


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


def length(item: Item) -> int:
    return len(item.raw) if isinstance(item, Telegram) else item.length


@given(st.integers(0, 9), st.binary(min_size=1, max_size=MAX_DATA).map(lambda data: bytes(b | 0x20 for b in data)))
def test_what_is_encoded_is_read(number: int, data: bytes) -> None:
    raw = encode_telegram(number, data)
    (item,) = TelegramReader().read(raw)
    assert item == Telegram(raw, 0)
    assert isinstance(item, Telegram)
    assert (item.number, item.data) == (number, data)


@given(LINE_BYTES, st.lists(st.integers(0, 10_000), max_size=20), st.booleans())
def test_cutting_the_line_changes_nothing(line: bytes, places: list[int], answers: bool) -> None:  # noqa: FBT001 - drawn
    whole = read_all(TelegramReader(answers=answers), [line])
    assert read_all(TelegramReader(answers=answers), cut(line, places)) == whole
    assert read_all(TelegramReader(answers=answers), [bytes([byte]) for byte in line]) == whole


@given(LINE_BYTES, st.booleans())
@example(b"\x05\x05\x05", False)  # noqa: FBT003 - positions are hypothesis's way
@example(b"\x15\x15", True)  # noqa: FBT003 - the same
def test_every_byte_is_accounted_for_once_and_in_order(line: bytes, answers: bool) -> None:  # noqa: FBT001 - drawn
    at = 0
    for item in read_all(TelegramReader(answers=answers), [line]):
        assert item.offset == at
        assert length(item) > 0
        at += length(item)
    assert at == len(line)


@given(st.binary(max_size=40))
def test_a_telegram_is_found_after_any_garbage(garbage: bytes) -> None:
    reader = TelegramReader()
    items = reader.read(garbage + b"\x05" + DRAWN)
    # The ENQ in between ends whatever the garbage began.
    assert items[-1] == Telegram(DRAWN, len(garbage) + 1)
    assert not reader.unfinished


@given(st.integers(0, len(DRAWN) - 1), st.integers(1, 255))
def test_one_altered_byte_never_gives_a_telegram(place: int, flip: int) -> None:
    altered = bytearray(DRAWN)
    altered[place] ^= flip
    items = read_all(TelegramReader(), [bytes(altered)])
    assert all(isinstance(item, Garbage) for item in items)
    assert sum(map(length, items)) == len(DRAWN)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (START + b"\x00\xff\x80\x00\x7e\x01" + DRAWN, [(0, 6, ""), (6, 6, "noise between telegrams"), (12, 8, "")]),
        (DRAWN[:4] + START, [(0, 4, "cut off by the start of the next [05 31 44 81]"), (4, 6, "")]),
        (b"\x05\x05" + START, [(0, 1, "cut off"), (1, 1, "cut off"), (2, 6, "")]),
        (DRAWN[:-1] + b"8" + START, [(0, 8, "wrong check characters: received 78, expected 77"), (8, 6, "")]),
        (DRAWN[:-1] + b"a" + START, [(0, 8, "byte 61 is not a check character"), (8, 6, "")]),
        (b"\x05A" + START, [(0, 2, "byte 41 after ENQ is not a sequence digit"), (2, 6, "")]),
        (b"\x051\x0300" + START, [(0, 5, "a telegram without data"), (5, 6, "")]),
        (b"\x051D\x00\x80\x0377" + START, [(0, 8, "control byte 00 inside a telegram"), (8, 6, "")]),
        (b"\x051" + b"x" * 33 + b"\x0300" + START, [(0, 38, "longer than 32 bytes"), (38, 6, "")]),
        (START + b"\x06" + START, [(0, 6, ""), (6, 1, "noise"), (7, 6, "")]),
    ],
)
def test_each_kind_of_damage_has_its_place_and_reason(line: bytes, expected: list[tuple[int, int, str]]) -> None:
    items = read_all(TelegramReader(), [line])
    assert [(item.offset, length(item)) for item in items] == [(offset, count) for offset, count, _ in expected]
    for item, (_, _, reason) in zip(items, expected, strict=True):
        found = item.reason if isinstance(item, Garbage) else ""
        assert reason in found
        assert bool(reason) == bool(found)


def test_a_run_of_noise_is_one_piece_however_it_arrives() -> None:
    reader = TelegramReader()
    assert [reader.read(b"\xff\x00") for _ in range(1000)] == [[]] * 1000
    assert reader.read(START) == [Garbage(0, 2000, "noise between telegrams"), Telegram(START, 2000)]


def test_what_is_unfinished_can_be_given_up() -> None:
    reader = TelegramReader()
    assert reader.read(START + DRAWN[:5]) == [Telegram(START, 0)]
    (garbage,) = reader.give_up("the line fell silent")
    assert garbage == Garbage(6, 5, "the telegram is unfinished: the line fell silent")
    assert not reader.unfinished
    assert reader.read(DRAWN) == [Telegram(DRAWN, 11)]


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        (b"\x06", [None]),
        (b"\x1502\x06", ["02", None]),
        (START + b"\x15FF" + START, ["FF"]),
        (b"\x15\x21\x15\xff\x15\x03", ["21", "FF", "03"]),
        (b"\x00\x06", []),
        (b"\x15\x04", []),
    ],
)
def test_answers_are_told_from_noise(line: bytes, codes: list[str | None]) -> None:
    items = read_all(TelegramReader(answers=True), [line])
    assert [item.nak_code for item in items if isinstance(item, Answer)] == codes


@pytest.mark.timeout(25)
@pytest.mark.parametrize(
    "storm",
    [b"\x05", b"\xff", b"\x051", b"\x051D", DRAWN[:-1], b"\x051" + b"x" * MAX_DATA, b"\x15", b"\x15\x30", b"\x03"],
)
def test_a_storm_of_garbage_takes_little_memory_and_linear_time(storm: bytes) -> None:
    """A megabyte at once takes seconds at most; were the rest copied at every step, it would take minutes."""
    reader = TelegramReader(answers=True)
    reader.read(storm * (1_000_000 // len(storm)))
    piece = storm * (8192 // len(storm))
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(8):
            reader.read(piece)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 4096
