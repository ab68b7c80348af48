"""Lines and ids: however the bytes come, the same lines are read of them; what is damaged is never taken for an id."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.lines.pattern import MAX_ID, Checksum, Id, Ignored, LinePattern, NotAnId, Unread
from firmware_protocol.lines.splitting import MAX_LINE, DamagedLine, Line, LineReader

IDS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=20)
TAKEN_APART = st.lists(st.integers(1, 7), max_size=200)


def pieces(data: bytes, lengths: list[int]) -> list[bytes]:
    cut, at = [], 0
    for length in lengths:
        cut.append(data[at : at + length])
        at += length
    return [*cut, data[at:]]


def lines_of(cut: list[bytes]) -> list[Line | DamagedLine]:
    reader = LineReader()
    found = [item for piece in cut for item in reader.read(piece)]
    left = reader.give_up("the end")
    return found if left is None else [*found, left]


@given(st.lists(st.one_of(st.binary(max_size=2 * MAX_LINE), st.just(b"\r\n"), st.just(b"04A1\n"))), TAKEN_APART)
def test_any_split_of_any_bytes_gives_the_same_lines(parts: list[bytes], lengths: list[int]) -> None:
    data = b"".join(parts)
    whole = lines_of([data])
    assert lines_of(pieces(data, lengths)) == whole
    assert lines_of([bytes([byte]) for byte in data]) == whole
    for item in whole:
        assert 0 <= item.offset < item.offset + item.length <= len(data)
        if isinstance(item, Line):
            assert data[item.offset : item.offset + item.length].decode().strip(" \t") == item.text


@given(st.lists(IDS), st.sampled_from(["\r", "\n", "\r\n", "\n\n", "\x03\x02"]))
def test_every_end_of_a_line_is_one(ids: list[str], end: str) -> None:
    read = lines_of(["".join(f"{each}{end}" for each in ids).encode()])
    assert [item.text for item in read if isinstance(item, Line)] == ids
    assert len(read) == len(ids)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff\xfe\n", "not UTF-8"),
        (b"04\x00A1\n", "control characters"),
        (b"x" * (MAX_LINE + 1) + b"\n", f"more than {MAX_LINE} bytes"),
        (b"04A1", "unfinished"),
    ],
)
def test_what_cannot_be_a_line_is_reported_once_and_the_next_is_read(data: bytes, reason: str) -> None:
    reader = LineReader()
    first = reader.read(data)
    left = reader.give_up("the end")
    (damaged,) = first if left is None else [left]
    assert isinstance(damaged, DamagedLine)
    assert reason in damaged.reason
    assert reader.read(b"04A1B2\r\n") == [Line("04A1B2", len(data), 6)]


def test_a_line_without_end_is_held_no_longer_than_a_line_may_be() -> None:
    reader = LineReader()
    found = [item for _ in range(1000) for item in reader.read(b"y" * 100)]
    assert len(found) == 1
    assert not reader.unfinished
    assert reader.waiting


PATTERNS = [
    LinePattern(prefix=prefix, suffix=suffix, checksum=checksum, unread="NOREAD", ignore=("# ",))
    for prefix in ("", "UID: ")
    for suffix in ("", "*")
    for checksum in ("none", "xor8", "sum8", "crc16", "hex_xor8")
]


@given(st.sampled_from(PATTERNS), st.binary(min_size=1, max_size=10))
def test_an_id_is_read_as_it_was_written(pattern: LinePattern, tag: bytes) -> None:
    (line,) = LineReader().read(pattern.write(tag.hex()))
    assert isinstance(line, Line)
    assert pattern.read(line.text) == Id(tag.hex())
    assert pattern.read("NOREAD") == Unread()
    assert pattern.read("# PN532 found") == Ignored()


@pytest.mark.parametrize(
    ("checksum", "line"),
    [("xor8", "04A1B2C374"), ("sum8", "04A1B2C3C0"), ("hex_xor8", "0A00B1C2D3AA"), ("crc16", "12345678929B1")],
)
def test_checksums_as_readers_send_them(checksum: Checksum, line: str) -> None:
    digits = 4 if checksum == "crc16" else 2
    assert LinePattern(checksum=checksum).read(line) == Id(line[:-digits])
    assert LinePattern(checksum=checksum).read(line.lower() if checksum == "crc16" else line) == Id(line[:-digits])


@given(st.binary(min_size=1, max_size=10), st.integers(0, 200), st.integers(1, 255))
def test_with_a_checksum_one_altered_byte_is_never_another_id(tag: bytes, at: int, by: int) -> None:
    pattern = LinePattern(prefix="$", suffix="*", checksum="crc16")
    sent = bytearray(pattern.write(tag.hex().upper()).strip())
    sent[at % len(sent)] ^= by
    for item in lines_of([bytes(sent), b"\r\n"]):
        if isinstance(item, Line):
            # The digits of the checksum itself may come in either case.
            assert isinstance(pattern.read(item.text), NotAnId) or pattern.read(item.text) == Id(tag.hex().upper())


@pytest.mark.parametrize("text", ["", "$", "*", "$*", "$*0000", f"${'x' * (MAX_ID + 1)}*", "04A1*FFFF", "$04A1FFFF"])
def test_a_line_of_another_form_is_no_id(text: str) -> None:
    assert isinstance(LinePattern(prefix="$", suffix="*", checksum="crc16").read(text), NotAnId)
