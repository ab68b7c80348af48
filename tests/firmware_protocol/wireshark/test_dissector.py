"""The dissector in a real tshark: every frame of the vectors as our decoders read it, damaged ones, streams of TCP."""

import os
import random
import struct
from collections.abc import Iterable
from pathlib import Path

import pytest

from firmware_protocol.link import LineError
from firmware_protocol.native.framing import FrameReader, encode_frame
from firmware_protocol.native.messages import FROM_SHOE, BadFrameError, FrameType
from shoe_controller.commands.captures import Piece
from shoe_controller.commands.pcapng import PcapngWriter
from tests.commands.running import run
from tests.documents.snippets import snippets_of
from tests.firmware_protocol.wireshark import frames
from tests.firmware_protocol.wireshark.in_words import is_not_understood, words_of_frame
from tests.firmware_protocol.wireshark.tshark import Shown, dissected, needs_tshark, tshark

pytestmark = needs_tshark

LONG = bool(os.environ.get("LONG_TESTS"))
DAMAGED = 20_000 if LONG else 600
PAGE = "firmware_protocol/wireshark/README.md"
RECORDINGS = Path(__file__).parents[2] / "recordings"
KIND_AT = 21
"""Where the kind stands in the body of an EVENT."""


UNFINISHED = encode_frame(bytes(range(100)))[:50]


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> dict[bytes, Shown]:
    """Everything that one tshark is given, by what stood between two zero bytes."""
    lines = [encode_frame(body)[:-1] for body in _all_bodies()]
    lines += [bytes.fromhex(vector["between_zeros"]) for vector in frames.VECTORS["bad_framing"]]
    lines += frames.noise(seed=2, count=DAMAGED // 4)
    lines = list(dict.fromkeys(lines))
    file = tmp_path_factory.mktemp("line") / "line.pcapng"
    with file.open("wb") as output:
        writer = PcapngWriter(output.write)
        for line in lines:
            writer.add(Piece(0.0, from_shoe=True, data=b"\0" + line + b"\0"))
        writer.add(Piece(0.0, from_shoe=False, data=UNFINISHED))
        writer.finish()
    lines.append(UNFINISHED)
    packets = dissected(file)
    assert [len(packet) for packet in packets] == [1] * len(lines)
    return {line: packet[0] for line, packet in zip(lines, packets, strict=True)}


@pytest.fixture
def shown(everything: dict[bytes, Shown]) -> dict[bytes, Shown]:
    return dict(everything)


def _all_bodies() -> list[bytes]:
    framing = [bytes.fromhex(vector["body"]) for vector in (*frames.VECTORS["framing"], *frames.VECTORS["refused"])]
    return [*_good_bodies(), *framing, *frames.damaged(seed=1, count=DAMAGED)]


def _good_bodies() -> list[bytes]:
    return [*frames.bodies(), *map(frames.in_event, frames.events()), *frames.rare_frames()]


def test_every_field_is_shown_as_our_decoders_read_it(shown: dict[bytes, Shown]) -> None:
    compared = 0
    for body in dict.fromkeys([*_good_bodies(), *frames.damaged(seed=1, count=DAMAGED)]):
        found = shown[encode_frame(body)[:-1]]
        try:
            expected = words_of_frame(body)
        except ValueError:
            continue  # an unknown type, or malformed: see below
        if body[0] == FrameType.EVENT and is_not_understood(body[KIND_AT], body[KIND_AT + 1 : -8]):
            continue
        assert expected.items() <= found.fields.items(), body.hex()
        assert found.experts.keys() <= {"newer", "reflected"}, body.hex()
        compared += 1
    assert compared > len(_good_bodies())


def test_an_event_is_marked_if_and_only_if_our_decoder_does_not_understand_it(shown: dict[bytes, Shown]) -> None:
    marked = set()
    for body in _all_bodies():
        if body[0] == FrameType.EVENT and len(body) >= KIND_AT + 1 + 8:
            kind, payload = body[KIND_AT], body[KIND_AT + 1 : -8]
            expected = is_not_understood(kind, payload)
            found = shown[encode_frame(body)[:-1]]
            assert ("not_understood" in found.experts) == expected, body.hex()
            assert "malformed" not in found.experts
            assert ("fault 'other'" in found.experts.get("not_understood", "")) == expected
            marked.add(expected)
    assert marked == {False, True}


def test_a_frame_is_malformed_if_and_only_if_our_decoder_says_so(shown: dict[bytes, Shown]) -> None:
    seen = set()
    for body in _all_bodies():
        found = shown[encode_frame(body)[:-1]]
        known = body[0] in list(FrameType)
        assert ("unknown_type" in found.experts) == (not known and "malformed" not in found.experts), body.hex()
        if not known:
            continue
        try:
            words_of_frame(body)
            malformed = False
        except BadFrameError:
            malformed = True
        assert ("malformed" in found.experts) == malformed, body.hex()
        seen.add((FrameType(body[0]), malformed))
    assert {malformed for _, malformed in seen} == {False, True}


def test_what_is_no_frame_is_marked_with_our_readers_reason(shown: dict[bytes, Shown]) -> None:
    reasons = set()
    assert shown.pop(UNFINISHED).experts == {"not_a_frame": "the line ended in the middle of a frame"}
    for line, found in shown.items():
        (read,) = FrameReader().feed(line + b"\0")
        if isinstance(read, LineError):
            assert found.experts == {"not_a_frame": read.reason}
            assert found.fields.keys() == {"line_bytes"}
            reasons.add(read.reason)
        else:
            assert found.fields["crc"] == f"0x{frames.checksum(read):04x} [correct]"
            assert "not_a_frame" not in found.experts
    assert len(reasons) == 3


def test_counter_tag_and_appended_fields_are_shown(shown: dict[bytes, Shown]) -> None:
    for body in frames.bodies():
        fields = shown[encode_frame(body)[:-1]].fields
        if body[0] & 0x70 and len(body) >= len(frames.sealed(body[0], b"")):
            assert (fields["counter"], fields["tag"]) == (str(int.from_bytes(body[1:9], "big")), body[-8:].hex())
    body = next(
        body for body in frames.damaged(seed=1, count=DAMAGED) if body[0] == FrameType.STATUS and len(body) > 34
    )
    found = shown[encode_frame(body)[:-1]]
    assert found.fields["appended"].startswith(body[26 : min(len(body) - 8, 50)].hex())
    assert "newer" in found.experts


def test_a_frame_of_the_other_direction_is_marked(shown: dict[bytes, Shown]) -> None:
    for body in _all_bodies():
        found = shown[encode_frame(body)[:-1]]
        assert ("reflected" in found.experts) == (body[0] & FROM_SHOE == 0), body.hex()


def test_the_example_of_its_page_is_what_tshark_writes(tmp_path: Path) -> None:
    file = tmp_path / "line.pcapng"
    with file.open("wb") as output:
        writer = PcapngWriter(output.write)
        for vector in frames.VECTORS["conversation"]["frames"]:
            data = bytes.fromhex(vector["wire"])
            writer.add(Piece(vector["t"], from_shoe=vector["from"] == "shoe", data=data))
    # Both the list of packets and the fields of each.
    written = {line.strip() for line in tshark(file, "-P", "-O", "shoe").splitlines()}
    (example,) = [text for _, language, text in snippets_of(PAGE) if language == "text"]
    assert {line.strip() for line in example.splitlines()} <= written


# --- Recordings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(1, 11) if LONG else (3,))
def test_a_recording_shows_every_event_that_decode_finds_in_it(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording, file = RECORDINGS / f"native_{number:02}.jsonl.gz", tmp_path / "line.pcapng"
    answer = run(capsys, "decode", "--wire", "native", "--pcap", str(file), str(recording))
    assert answer.exit_code == 0
    packets = [packet[0] for packet in dissected(file) if packet]
    shown = {(found.fields["sequence"], found.fields["kind"]) for found in packets if "kind" in found.fields}
    events = {(str(item["sequence"]), item["event"].upper()) for item in answer.json_lines if "sequence" in item}
    assert events <= shown
    assert len(events) > 50
    # A line error is a packet that is no frame, but for bytes after the last zero byte of all.
    errors = [item["reason"] for item in answer.json_lines if item["event"] == "line_error"]
    assert [found.experts["not_a_frame"] for found in packets if "not_a_frame" in found.experts] == errors


# --- TCP --------------------------------------------------------------------------------------------------------------

SHOE_PORT, OTHER_SHOE_PORT, NOISY_PORT, WEB_PORT, CONTROLLER_PORT = 4001, 4002, 4003, 8080, 50000


def segment(source: int, target: int, sequence: int, data: bytes) -> bytes:
    tcp = struct.pack(">HHIIBBHHH", source, target, sequence, 1, 0x50, 0x18, 8192, 0, 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(data), 0, 0, 64, 6, 0, bytes(4), bytes(4))
    return ip + tcp + data


def write_pcap(file: Path, packets: Iterable[bytes]) -> None:
    """A plain pcap file of IP packets."""
    with file.open("wb") as output:
        output.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
        for number, packet in enumerate(packets):
            output.write(struct.pack("<IIII", number, 0, len(packet), len(packet)) + packet)


def conversation(shoe_port: int, chance: random.Random, first: int) -> list[bytes]:
    """The segments of the vectors' conversation, cut anywhere after the first bytes of the shoe."""
    streams = {FROM_SHOE: b"", 0: b""}
    for shown in frames.VECTORS["conversation"]["frames"]:
        wire = bytes.fromhex(shown["wire"])
        streams[int(shown["body"][:2], 16) & FROM_SHOE] += b"\0" + wire
    sent = {FROM_SHOE: 0, 0: 0}
    segments: list[bytes] = []
    while any(sent[side] < len(streams[side]) for side in streams):
        side = chance.choice([side for side in streams if sent[side] < len(streams[side])]) if segments else FROM_SHOE
        at = sent[side]
        data = streams[side][at : at + (chance.randint(1, 60) if segments else first)]
        ports = (shoe_port, CONTROLLER_PORT) if side == FROM_SHOE else (CONTROLLER_PORT, shoe_port)
        segments.append(segment(*ports, 1 + at, data))
        sent[side] += len(data)
    return segments


def types_by_side(packets: list[list[Shown]]) -> tuple[list[str], list[str]]:
    names = [found.fields["type"] for packet in packets for found in packet]
    from_shoe = {frame_type.name for frame_type in FrameType if frame_type & FROM_SHOE}
    return [name for name in names if name in from_shoe], [name for name in names if name not in from_shoe]


def test_frames_are_put_together_from_tcp_segments(tmp_path: Path) -> None:
    """One stream is recognised by its first frame; one begins with half a frame, and is named with `Decode as`."""
    chance = random.Random(3)  # noqa: S311 - repeatable
    recognised = conversation(SHOE_PORT, chance, first=6)
    named = conversation(OTHER_SHOE_PORT, chance, first=3)
    noisy = [
        segment(NOISY_PORT, CONTROLLER_PORT, 1, b"x" * 400),
        segment(NOISY_PORT, CONTROLLER_PORT, 401, b"x" * 10 + b"\0" + encode_frame(b"\x81")),
    ]
    others = [
        segment(WEB_PORT, CONTROLLER_PORT, 1, b"HTTP/1.1 200 OK\r\n\r\n"),
        segment(WEB_PORT, CONTROLLER_PORT, 20, bytes(range(256)) * 3),
    ]
    write_pcap(tmp_path / "tcp.pcap", [*recognised, *named, *others, *noisy])
    as_shoe = [word for port in (OTHER_SHOE_PORT, NOISY_PORT) for word in ("-d", f"tcp.port=={port},shoe")]
    *packets, long, after = dissected(tmp_path / "tcp.pcap", *as_shoe)
    said = [vector["type"] for vector in frames.VECTORS["conversation"]["frames"]]
    from_shoe = {frame_type.name for frame_type in FrameType if frame_type & FROM_SHOE}
    expected = [name for name in said if name in from_shoe], [name for name in said if name not in from_shoe]
    assert types_by_side(packets[: len(recognised)]) == expected
    assert types_by_side(packets[len(recognised) : len(recognised) + len(named)]) == expected
    assert packets[-2:] == [[], []]
    assert all(not found.experts for packet in packets for found in packet)
    # Noise is not waited for: its rest is no frame either, and the frame after it is seen.
    assert [found.experts for found in long] == [{"not_a_frame": "a frame of more than 243 bytes"}]
    assert [found.fields.get("type") for found in after] == [None, "AWAKE"]
