"""Framing: COBS between zero bytes, with a CRC at the end. All of it is in this file.

A frame on the wire is `COBS(body, CRC) 00`. Zero bytes occur nowhere else, so a reader that has lost
synchronisation regains it at the next one. `messages` decodes bodies, `session` authenticates them.
"""

from binascii import crc_hqx

from firmware_protocol.link import LineError

MAX_BODY = 240
"""Bytes. Body and CRC stay under 254, so COBS costs exactly one byte and never needs its long block."""
MAX_ENCODED = MAX_BODY + 3
"""Bytes between two zero bytes: one of COBS, the body, two of CRC."""
CRC_START = 0xFFFF
"""CRC-16 with polynomial 0x1021, not reflected, no final XOR; sent high byte first, so the CRC of a good frame is 0."""


def encode_frame(body: bytes) -> bytes:
    """Return the frame on the wire for a body, with the zero byte that ends it."""
    if not 0 < len(body) <= MAX_BODY:
        raise ValueError(f"a frame carries 1 to {MAX_BODY} bytes, not {len(body)}")
    checked = body + crc_hqx(body, CRC_START).to_bytes(2, "big")
    encoded = bytearray()
    for block in checked.split(b"\0"):
        encoded.append(len(block) + 1)
        encoded += block
    encoded.append(0)
    return bytes(encoded)


def decode_cobs(encoded: bytes) -> bytes | None:
    """Decode the bytes between two zero bytes; `None` if they are not COBS."""
    data = bytearray(encoded)
    end = len(data)
    at = 0
    while at < end:
        step = data[at]
        data[at] = 0
        at += step
    if at != end:
        return None
    del data[0]
    return bytes(data)


class FrameReader:
    """Splits a stream into frame bodies. It holds at most one frame, and looks at each byte a fixed number of times."""

    def __init__(self) -> None:
        self._partial = bytearray()
        self._pending = 0
        """Bytes since the last zero byte; more than `_partial` holds once the frame is known to be too long."""
        self._offset = 0
        """Where the current frame began, counted from the first byte ever received."""

    @property
    def held(self) -> int:
        """Number of bytes buffered of an unfinished frame."""
        return len(self._partial)

    def feed(self, data: bytes) -> list[bytes | LineError]:
        """Return bodies, without their CRC, and line errors, in order of arrival."""
        *complete, rest = data.split(b"\0")
        found: list[bytes | LineError] = []
        offset = self._offset
        if complete and self._pending:
            length = self._pending + len(complete[0])
            if length > MAX_ENCODED:
                found.append(_too_long(offset, length))
                offset += length + 1
                del complete[0]
            else:
                complete[0] = bytes(self._partial) + complete[0]
            self._partial.clear()
            self._pending = 0
        for chunk in complete:
            length = len(chunk)
            if length > MAX_ENCODED:
                found.append(_too_long(offset, length))
            elif length:
                checked = decode_cobs(chunk)
                if checked is None:
                    found.append(LineError(offset=offset, length=length, reason="not a COBS frame"))
                elif crc_hqx(checked, CRC_START) or length < 4:
                    found.append(LineError(offset=offset, length=length, reason="wrong checksum"))
                else:
                    found.append(checked[:-2])
            offset += length + 1
        self._offset = offset
        if rest:
            self._keep(rest)
        return found

    def _keep(self, rest: bytes) -> None:
        self._pending += len(rest)
        if self._pending <= MAX_ENCODED:
            self._partial += rest
        else:
            self._partial.clear()

    def drop_partial(self) -> list[LineError]:
        """Drop and report an unfinished frame: the line was cut, so its rest will never come."""
        pending = self._pending
        if not pending:
            return []
        error = LineError(offset=self._offset, length=pending, reason="the line ended in the middle of a frame")
        self._offset += pending
        self._partial.clear()
        self._pending = 0
        return [error]


def _too_long(offset: int, length: int) -> LineError:
    return LineError(offset=offset, length=length, reason=f"a frame of more than {MAX_ENCODED} bytes")
