"""Splits a client's byte stream into packets; buffers at most one packet."""

from typing import NamedTuple

from simulator.broker.reasons import ClientError, Reason, malformed


class Frame(NamedTuple):
    """One whole packet, with its header decoded."""

    kind: int
    flags: int
    body: bytes


class PacketSplitter:
    """Bytes in, frames out. A packet over the limit is refused as soon as its header is complete."""

    def __init__(self, largest_packet: int) -> None:
        self._largest = largest_packet
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def next_kind(self) -> int | None:
        """Return the kind of the next packet, as soon as its first byte is there."""
        return self._buffer[0] >> 4 if self._buffer else None

    def next_frame(self) -> Frame | None:
        """Return the next whole packet, or `None` if there is none yet."""
        length = 0
        for place in range(4):
            if len(self._buffer) < place + 2:
                return None
            byte = self._buffer[place + 1]
            length |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                if place and not byte:
                    raise malformed("a packet's length is encoded longer than necessary")
                return self._frame(place + 2, length)
        raise malformed("a packet's length is longer than four bytes")

    def _frame(self, header: int, length: int) -> Frame | None:
        size = header + length
        if size > self._largest:
            raise ClientError(
                Reason.PACKET_TOO_LARGE, f"a packet of {size} bytes is over this broker's limit of {self._largest}"
            )
        if len(self._buffer) < size:
            return None
        first = self._buffer[0]
        frame = Frame(kind=first >> 4, flags=first & 0x0F, body=bytes(self._buffer[header:size]))
        del self._buffer[:size]
        return frame
