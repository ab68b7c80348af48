"""PUBLISH packets as a broker sends them, sensible or not, and whether paho can read one."""

from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion

from tests.simulator.broker.wire import binary, variable

EMPTY_USER_PROPERTY = b"\x26\0\0\0\0"


def publish_packet(
    properties: bytes, *, topic: bytes = b"x", payload: bytes = b"", qos: int = 1, number: int = 7
) -> bytes:
    """A PUBLISH with these bytes as its properties, whatever they are."""
    packet_id = number.to_bytes(2, "big") if qos else b""
    body = binary(topic) + packet_id + variable(len(properties)) + properties + payload
    return bytes([0x30 | qos << 1]) + variable(len(body)) + body


class PahoReader:
    """A paho client that reads packets from memory."""

    def __init__(self) -> None:
        self.messages: list[MQTTMessage] = []
        self._bytes = b""
        self._client = _OnMemory(self)
        self._client.on_message = self._take
        self._client.connect("memory")

    def read(self, packet: bytes) -> MQTTMessage | None:
        """The message in a packet; `None` if paho gives up the connection over it, and then this reader is no more."""
        self._bytes = packet
        self.messages.clear()
        if self._client.loop_read() is not MQTTErrorCode.MQTT_ERR_SUCCESS:
            return None
        assert not self._bytes, "paho left something of the packet"
        (message,) = self.messages
        return message

    def _take(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        assert isinstance(message.topic, str), "reading the topic decodes it"
        self.messages.append(message)

    # --- what paho takes for a socket --------------------------------------------------------------------------------

    def recv(self, size: int) -> bytes:
        if not self._bytes:
            raise BlockingIOError
        taken, self._bytes = self._bytes[:size], self._bytes[size:]
        return taken

    def send(self, data: bytes) -> int:
        return len(data)

    def close(self) -> None: ...

    def fileno(self) -> int:
        return -1

    def setblocking(self, flag: bool) -> None: ...  # noqa: FBT001 - the shape of a socket


class _OnMemory(Client):
    def __init__(self, reader: PahoReader) -> None:
        super().__init__(CallbackAPIVersion.VERSION2, "reader", protocol=MQTTProtocolVersion.MQTTv5)
        self._reader = reader

    def _create_socket(self) -> Any:  # noqa: ANN401 - in the shape of a socket
        return self._reader
