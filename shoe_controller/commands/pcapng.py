"""Writes a capture of the line as a pcapng file, which Wireshark opens: one packet for each frame, with its direction.

The line is cut after the zero byte that ends a frame, and every byte of it is in the file. A packet has the time at
which its last byte came. `firmware_protocol/wireshark/shoe_native.lua` dissects the packets; used by `decode.py`.
"""

import struct
from collections.abc import Callable, Iterator

from shoe_controller.commands.captures import Piece

LINK_TYPE = 147
"""LINKTYPE_USER0, which is for everybody's own use."""
INBOUND, OUTBOUND = 1, 2
"""From the shoe and to it, as `epb_flags` has it: a capture is made at the controller."""

LONGEST_PACKET = 4096
"""Bytes; what goes on for longer without ending a frame is noise, and comes in several packets."""

_SECTION_HEADER, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_BYTE_ORDER_MAGIC = 0x1A2B3C4D
_UNKNOWN_LENGTH = -1
_IF_NAME, _EPB_FLAGS = 2, 2
_LAST_MICROSECOND = 2**63 - 1


class PcapngWriter:
    """Holds at most one unfinished packet of each direction."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._cutters = {True: _Cutter(), False: _Cutter()}
        self._last = 0.0
        write(_block(_SECTION_HEADER, struct.pack("<IHHq", _BYTE_ORDER_MAGIC, 1, 0, _UNKNOWN_LENGTH)))
        write(
            _block(_INTERFACE, struct.pack("<HHI", LINK_TYPE, 0, 0) + _option(_IF_NAME, b"line of the shoe") + bytes(4))
        )

    def add(self, piece: Piece) -> None:
        self._last = piece.at
        for packet in self._cutters[piece.from_shoe].cut(piece.data):
            self._write(_packet(packet, piece.at, from_shoe=piece.from_shoe))

    def finish(self) -> None:
        """Write what there is of frames that never ended."""
        for from_shoe, cutter in self._cutters.items():
            for packet in cutter.rest():
                self._write(_packet(packet, self._last, from_shoe=from_shoe))


class _Cutter:
    """Cuts one direction of the line into packets; zero bytes before a frame belong to its packet."""

    def __init__(self) -> None:
        self._partial = bytearray()
        self._has_body = False
        """Whether `_partial` has more than zero bytes."""

    def cut(self, data: bytes) -> Iterator[bytes]:
        *ended, rest = data.split(b"\0")
        for run in ended:
            self._partial += run
            self._partial.append(0)
            if run or self._has_body or len(self._partial) == LONGEST_PACKET:
                yield from self.rest()
        self._partial += rest
        self._has_body = self._has_body or bool(rest)
        if len(self._partial) > LONGEST_PACKET:
            yield from self.rest()

    def rest(self) -> Iterator[bytes]:
        held = bytes(self._partial)
        self._partial.clear()
        self._has_body = False
        for at in range(0, len(held), LONGEST_PACKET):
            yield held[at : at + LONGEST_PACKET]


def _packet(data: bytes, at: float, *, from_shoe: bool) -> bytes:
    # A recorder may have written any time; a file has none before 1970 and none without end.
    microseconds = int(min(max(at, 0.0) * 1e6, float(_LAST_MICROSECOND)))
    header = struct.pack("<IIIII", 0, microseconds >> 32, microseconds & 0xFFFFFFFF, len(data), len(data))
    direction = _option(_EPB_FLAGS, struct.pack("<I", INBOUND if from_shoe else OUTBOUND))
    return _block(_PACKET, header + _padded(data) + direction + bytes(4))


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + _padded(value)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _block(kind: int, body: bytes) -> bytes:
    length = 12 + len(body)
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)
