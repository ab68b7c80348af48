"""The data types of MQTT fields: how each is decoded and encoded."""

from simulator.broker.reasons import malformed

LARGEST_VARIABLE = 268_435_455
"""The largest variable byte integer, of four bytes."""


class FieldReader:
    """Reads fields from the front of one packet's body; an incomplete field raises `ClientError`."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def at_end(self) -> bool:
        return self._at == len(self._data)

    def take(self, size: int) -> bytes:
        end = self._at + size
        if end > len(self._data):
            raise malformed("the packet ends in the middle of a field")
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def rest(self) -> bytes:
        return self.take(len(self._data) - self._at)

    def byte(self) -> int:
        return self.take(1)[0]

    def two_bytes(self) -> int:
        return int.from_bytes(self.take(2), "big")

    def four_bytes(self) -> int:
        return int.from_bytes(self.take(4), "big")

    def variable(self) -> int:
        value = 0
        for place in range(4):
            byte = self.byte()
            value |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                if place and not byte:
                    raise malformed("a variable byte integer is longer than necessary")
                return value
        raise malformed("a variable byte integer is longer than four bytes")

    def binary(self) -> bytes:
        return self.take(self.two_bytes())

    def text(self) -> str:
        try:
            value = self.binary().decode()
        except UnicodeDecodeError as error:
            raise malformed("a string is not UTF-8") from error
        if "\0" in value:
            raise malformed("a string contains the character U+0000")
        return value

    def pair(self) -> tuple[str, str]:
        return self.text(), self.text()

    def expect_end(self) -> None:
        if not self.at_end():
            raise malformed("the packet has bytes after its last field")


def write_variable(value: int) -> bytes:
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def write_binary(value: bytes) -> bytes:
    return len(value).to_bytes(2, "big") + value


def write_text(value: str) -> bytes:
    return write_binary(value.encode())
