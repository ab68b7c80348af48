"""The tables of the dissector: complete, in the file as they are, and true of every frame of the vectors."""

import struct

import pytest

from firmware_protocol.native.event_layouts import KINDS
from firmware_protocol.native.messages import SEALED, BadFrameError, FrameType
from firmware_protocol.wireshark.fields import EVENTS, FIELDS, FRAMES, Field, Size
from firmware_protocol.wireshark.lua import renewed
from tests.firmware_protocol.wireshark import frames
from tests.firmware_protocol.wireshark.in_words import Words, is_not_understood, words_of_frame
from tests.firmware_protocol.wireshark.renew import DISSECTOR

FORMATS = {Size.U8: ">B", Size.U16: ">H", Size.I16: ">h", Size.U32: ">I", Size.U64: ">Q", Size.NONCE: ">16s"}


def test_the_dissector_is_up_to_date() -> None:
    """If this is meant: `python -m tests.firmware_protocol.wireshark.renew`."""
    script = DISSECTOR.read_text(encoding="utf-8")
    assert renewed(script) == script


def test_a_script_without_its_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="one generated part, not 0"):
        renewed("local nothing = 1\n")


def test_every_frame_and_every_event_has_its_fields() -> None:
    assert FRAMES.keys() == set(FrameType)
    assert EVENTS.keys() == set(KINDS.values())
    used = {key for layout in (*FRAMES.values(), *EVENTS.values()) for key in layout.keys}
    assert used == FIELDS.keys()
    flags = [flag for field in FIELDS.values() for flag in field.flags]
    assert len({*flags, *FIELDS}) == len(flags) + len(FIELDS)


def read_by_table(body: bytes) -> Words:
    """A frame with all its fields, read by the tables alone."""
    layout = FRAMES[FrameType(body[0])]
    words = {"type": FrameType(body[0]).name}
    keys, rest = list(layout.keys), body[1 : len(body) - layout.tag_bytes]
    if body[0] & SEALED:
        words["counter"], rest = str(int.from_bytes(rest[:8], "big")), rest[8:]
    while keys:
        key = keys.pop(0)
        field = FIELDS[key]
        if field.size is Size.TEXT:
            words[key], rest = rest[1 : 1 + rest[0]].decode(), rest[1 + rest[0] :]
        else:
            size = struct.calcsize(FORMATS[field.size])
            words |= number_in_words(key, field, struct.unpack(FORMATS[field.size], rest[:size])[0])
            rest = rest[size:]
        if not keys and body[0] == FrameType.EVENT and "kind" not in words:
            event = KINDS[rest[0]]
            words["kind"] = str(event.__struct_config__.tag).upper()
            keys, rest = list(EVENTS[event].keys), rest[1:]
    return words


def number_in_words(key: str, field: Field, value: int | bytes) -> Words:
    if isinstance(value, bytes):
        return {key: value.hex()}
    if field.flags:
        return {flag: "yes" if value & mask else "no" for flag, mask in field.flags.items()}
    if field.codes:
        return {key: field.codes.get(value, field.others)}
    if field.hexadecimal:
        return {key: f"{value:#010x}"}
    shown = f"{value} {field.unit}".strip()
    return {key: f"{shown} (not given)" if value == field.absent else shown}


def test_the_tables_read_every_frame_of_the_vectors_as_our_decoders_do() -> None:
    understood = [event for event in frames.events() if not is_not_understood(event[0], event[1:])]
    for body in (*frames.bodies(), *map(frames.in_event, understood), *frames.rare_frames()):
        try:
            expected = words_of_frame(body)
        except (BadFrameError, ValueError):
            continue  # malformed, or of a type that nobody knows; `test_dissector.py` has those
        if "unix_time" in expected:
            expected["unix_time"] = expected["unix_time"].partition(",")[0]
        assert expected.items() <= read_by_table(body).items()
