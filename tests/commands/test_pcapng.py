"""`shoe-controller decode --pcap`: every byte of the line is in the file, with its direction and its time."""

import json
import struct
from pathlib import Path
from typing import NamedTuple

import pytest

from firmware_protocol.native.framing import encode_frame
from shoe_controller.commands.captures import Piece
from shoe_controller.commands.pcapng import INBOUND, LINK_TYPE, LONGEST_PACKET, OUTBOUND, PcapngWriter
from tests.commands.running import Answer, run

AWAKE, HELLO = encode_frame(b"\x81"), encode_frame(b"\x01\x01\x01\x00" + bytes(range(16)))


class Packet(NamedTuple):
    seconds: float
    direction: int
    data: bytes


def blocks_of(file: bytes) -> list[tuple[int, bytes]]:
    """Kind and content of each block, as the format says."""
    blocks = []
    while file:
        kind, length = struct.unpack_from("<II", file)
        assert length % 4 == 0
        assert struct.unpack_from("<I", file, length - 4) == (length,)
        blocks.append((kind, file[8 : length - 4]))
        file = file[length:]
    return blocks


def packets_of(file: bytes) -> list[Packet]:
    (section, magic), (interface, about), *packets = blocks_of(file)
    assert (section, magic[:4]) == (0x0A0D0D0A, bytes.fromhex("4d3c2b1a"))
    assert (interface, struct.unpack_from("<H", about)) == (1, (LINK_TYPE,))
    read = []
    for kind, packet in packets:
        assert kind == 6
        _, high, low, captured, length = struct.unpack_from("<IIIII", packet)
        assert captured == length
        code, size, direction = struct.unpack_from("<HHI", packet, 20 + length + -length % 4)
        assert (code, size) == (2, 4)
        read.append(Packet((high << 32 | low) / 1e6, direction, packet[20 : 20 + length]))
    return read


def written(*pieces: Piece) -> list[Packet]:
    file = bytearray()
    writer = PcapngWriter(file.extend)
    for piece in pieces:
        writer.add(piece)
    writer.finish()
    return packets_of(bytes(file))


def test_each_frame_is_a_packet_however_its_bytes_came() -> None:
    line = b"\0" + AWAKE + AWAKE + b"\0\0" + HELLO
    expected = [b"\0" + AWAKE, AWAKE, b"\0\0" + HELLO]
    assert [packet.data for packet in written(Piece(1.0, from_shoe=True, data=line))] == expected
    for size in (1, 2, 3, 7):
        pieces = [Piece(at, from_shoe=True, data=line[at : at + size]) for at in range(0, len(line), size)]
        packets = written(*pieces)
        assert [packet.data for packet in packets] == expected
        # The time of the byte that ended it.
        ends = [len(b"".join(expected[: number + 1])) - 1 for number in range(3)]
        assert [packet.seconds for packet in packets] == [end - end % size for end in ends]


def test_directions_are_told_apart_and_kept_in_order() -> None:
    assert written(
        Piece(0.5, from_shoe=True, data=AWAKE[:2]),
        Piece(1.0, from_shoe=False, data=HELLO),
        Piece(1.5, from_shoe=True, data=AWAKE[2:]),
    ) == [Packet(1.0, OUTBOUND, HELLO), Packet(1.5, INBOUND, AWAKE)]


def test_what_never_ends_is_there_too() -> None:
    packets = written(Piece(2.0, from_shoe=False, data=HELLO[:5]), Piece(3.0, from_shoe=True, data=b"\0\0"))
    assert packets == [Packet(3.0, INBOUND, b"\0\0"), Packet(3.0, OUTBOUND, HELLO[:5])]


@pytest.mark.parametrize("data", [b"x" * 300_000, bytes(300_000), b"x" * 300_000 + b"\0", (b"y" * 500 + b"\0") * 9])
def test_no_noise_makes_a_long_packet_and_none_of_it_is_left_out(data: bytes) -> None:
    for size in (1000, 65536, len(data)):
        pieces = [Piece(0.0, from_shoe=True, data=data[at : at + size]) for at in range(0, len(data), size)]
        packets = written(*pieces)
        assert b"".join(packet.data for packet in packets) == data
        assert max(len(packet.data) for packet in packets) <= LONGEST_PACKET


@pytest.mark.parametrize(("at", "seconds"), [(-5.0, 0.0), (1e300, 2**63 / 1e6), (0.000001, 0.000001)])
def test_any_time_that_a_recorder_wrote_can_be_written(at: float, seconds: float) -> None:
    assert [packet.seconds for packet in written(Piece(at, from_shoe=True, data=AWAKE))] == [pytest.approx(seconds)]


# --- The command. -----------------------------------------------------------------------------------------------------


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    lines = [{"t": 0.25, "dir": "shoe", "hex": AWAKE.hex()}, {"t": 0.5, "dir": "host", "hex": HELLO.hex(" ")}]
    file = tmp_path / "traffic.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return file


def decode(capsys: pytest.CaptureFixture[str], *arguments: str | Path, wire: str = "native") -> Answer:
    return run(capsys, "decode", "--wire", wire, *map(str, arguments))


def test_a_recording_becomes_a_file_beside_the_events(
    capture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = decode(capsys, "--pcap", tmp_path / "line.pcapng", capture)
    assert answer.exit_code == 0
    assert answer.err == "0 events, 0 repeats, 0 line errors, 0 gaps\n"
    packets = packets_of((tmp_path / "line.pcapng").read_bytes())
    assert packets == [Packet(0.25, INBOUND, AWAKE), Packet(0.5, OUTBOUND, HELLO)]


def test_raw_bytes_are_the_shoes_and_have_no_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "capture.bin").write_bytes(AWAKE + AWAKE)
    assert decode(capsys, "--pcap", tmp_path / "line.pcapng", tmp_path / "capture.bin").exit_code == 0
    assert packets_of((tmp_path / "line.pcapng").read_bytes()) == [Packet(0.0, INBOUND, AWAKE)] * 2


def test_what_was_read_before_a_bad_line_is_in_the_file(
    capture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with capture.open("a", encoding="utf-8") as file:
        file.write("{nonsense\n")
    answer = decode(capsys, "--pcap", tmp_path / "line.pcapng", capture)
    assert answer.exit_code == 2
    assert len(packets_of((tmp_path / "line.pcapng").read_bytes())) == 2


def test_nothing_is_overwritten(capture: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = capture.read_bytes()
    answer = decode(capsys, "--pcap", capture, capture)
    assert answer.exit_code == 2
    assert "exists already and was left alone" in answer.err
    assert capture.read_bytes() == before


def test_a_place_that_cannot_be_written_is_named(
    capture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = decode(capsys, "--pcap", tmp_path / "nowhere" / "line.pcapng", capture)
    assert answer.exit_code == 2
    assert "nowhere/line.pcapng cannot be written: No such file or directory" in answer.err


def test_the_other_wire_is_refused_and_leaves_no_file(
    capture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = decode(capsys, "--pcap", tmp_path / "line.pcapng", capture, wire="angel_eye")
    assert answer.exit_code == 2
    assert "Wireshark reads only the native wire" in answer.err
    assert not (tmp_path / "line.pcapng").exists()
