"""Frames: what goes in comes out, whatever stands around it and however it is cut, in time that follows the length."""

from binascii import crc_hqx
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.link import LineError
from firmware_protocol.native import framing
from firmware_protocol.native.framing import MAX_BODY, MAX_ENCODED, FrameReader, decode_cobs, encode_frame

BODIES = st.binary(min_size=1, max_size=MAX_BODY)
ZERO_RICH = st.lists(st.sampled_from([0, 0, 0, 1, 255]), min_size=1, max_size=MAX_BODY).map(bytes)


def read_in_pieces(stream: bytes, cuts: list[int]) -> list[bytes | LineError]:
    reader = FrameReader()
    found: list[bytes | LineError] = []
    places = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    for start, end in pairwise(places):
        found += reader.feed(stream[start:end])
    return found


@pytest.mark.parametrize(
    ("data", "crc"),
    [(b"123456789", 0x29B1), (b"\x00", 0xE1F0), (b"", 0xFFFF)],
)
def test_the_crc_is_the_one_that_the_document_names(data: bytes, crc: int) -> None:
    assert crc_hqx(data, framing.CRC_START) == crc


@given(BODIES | ZERO_RICH)
def test_a_body_comes_back(body: bytes) -> None:
    wire = encode_frame(body)
    assert wire.count(0) == 1
    assert wire.endswith(b"\0")
    assert len(wire) == len(body) + 4
    assert FrameReader().feed(wire) == [body]


@pytest.mark.parametrize("length", [0, MAX_BODY + 1])
def test_a_body_of_a_wrong_length_is_our_own_mistake(length: int) -> None:
    with pytest.raises(ValueError, match="1 to 240 bytes"):
        encode_frame(bytes(length))


@given(st.lists(BODIES | ZERO_RICH, max_size=6), st.lists(st.integers(0, 10**6), max_size=12))
def test_frames_may_be_cut_anywhere(bodies: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(map(encode_frame, bodies))
    assert read_in_pieces(stream, cuts) == bodies


@given(st.binary(max_size=700), st.lists(st.integers(0, 10**6), max_size=12))
def test_how_a_stream_is_cut_changes_nothing(stream: bytes, cuts: list[int]) -> None:
    assert read_in_pieces(stream, cuts) == FrameReader().feed(stream)


@given(st.binary(max_size=600), BODIES)
def test_after_any_garbage_the_next_zero_byte_puts_it_right(garbage: bytes, body: bytes) -> None:
    reader = FrameReader()
    reader.feed(garbage)
    reader.feed(b"\0")
    assert reader.feed(encode_frame(body)) == [body]


@given(st.lists(st.binary(min_size=1, max_size=300).filter(lambda chunk: 0 not in chunk), max_size=5))
def test_every_bad_byte_is_in_exactly_one_report(chunks: list[bytes]) -> None:
    reader = FrameReader()
    found = reader.feed(b"".join(chunk + b"\0" for chunk in chunks))
    offset = 0
    for chunk, report in zip(chunks, found, strict=True):
        if isinstance(report, LineError):
            assert (report.offset, report.length) == (offset, len(chunk))
        else:
            assert encode_frame(report) == chunk + b"\0"
        offset += len(chunk) + 1


@pytest.mark.parametrize("turned", range(8))
def test_one_turned_bit_anywhere_is_noticed(turned: int) -> None:
    body = bytes(range(40))
    wire = encode_frame(body)
    for place in range(len(wire) - 1):
        spoilt = wire[:place] + bytes((wire[place] ^ 1 << turned,)) + wire[place + 1 :]
        found = FrameReader().feed(spoilt)
        assert found
        assert body not in found
        assert all(isinstance(item, LineError) for item in found)


def test_a_frame_that_is_too_long_is_one_report_and_no_memory() -> None:
    reader = FrameReader()
    for _ in range(1000):
        assert reader.feed(b"\x01" * 999) == []
    assert reader.held == 0
    (error,) = reader.feed(b"\0")
    assert isinstance(error, LineError)
    assert (error.offset, error.length) == (0, 999_000)
    assert reader.feed(encode_frame(b"next")) == [b"next"]


def test_the_longest_frame_fits_and_one_byte_more_does_not() -> None:
    longest = encode_frame(b"\x01" * MAX_BODY)
    assert len(longest) == MAX_ENCODED + 1
    for size in (1, 7, 1000):
        reader = FrameReader()
        pieces = [longest[at : at + size] for at in range(0, len(longest), size)]
        assert [body for piece in pieces for body in reader.feed(piece)] == [b"\x01" * MAX_BODY]
        too_long = b"\x01" + longest
        pieces = [too_long[at : at + size] for at in range(0, len(too_long), size)]
        (error,) = [item for piece in pieces for item in reader.feed(piece)]
        assert isinstance(error, LineError)


def test_a_cut_line_gives_up_its_half_frame() -> None:
    reader = FrameReader()
    reader.feed(encode_frame(b"whole") + b"\x05hal")
    (error,) = reader.drop_partial()
    assert (error.offset, error.length) == (9, 4)
    assert reader.drop_partial() == []
    assert reader.feed(encode_frame(b"whole")) == [b"whole"]


def test_zero_bytes_between_frames_mean_nothing() -> None:
    assert FrameReader().feed(b"\0\0\0" + encode_frame(b"a") + b"\0\0" + encode_frame(b"b")) == [b"a", b"b"]


class _CountingBytes(bytes):
    """Bytes that count how often they are looked at, so that work is measured and not time."""

    looked_at = 0

    def split(self, *arguments: object, **named: object) -> list[bytes]:
        type(self).looked_at += len(self)
        return super().split(*arguments, **named)  # type: ignore[arg-type]


def test_each_byte_is_looked_at_a_fixed_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded = 0

    def counting_decode(encoded: bytes) -> bytes | None:
        nonlocal decoded
        decoded += len(encoded)
        return decode_cobs(encoded)

    monkeypatch.setattr(framing, "decode_cobs", counting_decode)
    streams = [b"\x01" * 20_000, b"\x02\x01\0" * 7_000, encode_frame(b"body") * 2_000, bytes(20_000)]
    for stream in streams:
        for size in (1, 300, len(stream)):
            _CountingBytes.looked_at = decoded = 0
            reader = FrameReader()
            for at in range(0, len(stream), size):
                reader.feed(_CountingBytes(stream[at : at + size]))
                assert reader.held <= MAX_ENCODED
            assert _CountingBytes.looked_at == len(stream)
            assert decoded <= len(stream)
