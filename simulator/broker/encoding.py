"""Encodes packets for a client, in that client's protocol version."""

from simulator.broker.fields import write_text, write_variable
from simulator.broker.packets import (
    MQTT_5,
    Connack,
    Disconnect,
    PacketType,
    Pong,
    Puback,
    Publish,
    SubscriptionAnswer,
    ToClient,
)
from simulator.broker.properties import NONE, write_properties
from simulator.broker.reasons import FIRST_FAILURE, Reason

# The return codes of MQTT 3.1.1 for a refused connection; for anything else it just closes.
REFUSALS_IN_3_1_1 = {
    Reason.UNSUPPORTED_PROTOCOL_VERSION: 1,
    Reason.CLIENT_ID_NOT_VALID: 2,
    Reason.NOT_AUTHORISED: 5,
}


def encode(packet: ToClient, version: int) -> bytes:
    match packet:
        case Publish():
            return _publish(packet, version)
        case Puback():
            body = packet.packet_id.to_bytes(2, "big")
            # A success needs no reason code, and 3.1.1 has none for a failure.
            if version == MQTT_5 and packet.reason != Reason.SUCCESS:
                body += packet.reason.to_bytes(1, "big")
            return _packet(PacketType.PUBACK, 0, body)
        case Connack():
            return _connack(packet, version)
        case SubscriptionAnswer():
            return _subscription_answer(packet, version)
        case Pong():
            return _packet(PacketType.PINGRESP, 0, b"")
        case Disconnect():
            properties = b"" if packet.properties == NONE else write_properties(packet.properties)
            return _packet(PacketType.DISCONNECT, 0, packet.reason.to_bytes(1, "big") + properties)


def _publish(packet: Publish, version: int) -> bytes:
    flags = packet.dup << 3 | packet.qos << 1 | packet.retain
    body = write_text(packet.topic)
    if packet.packet_id is not None:
        body += packet.packet_id.to_bytes(2, "big")
    if version == MQTT_5:
        body += write_properties(packet.properties)
    return _packet(PacketType.PUBLISH, flags, body + packet.payload)


def _connack(packet: Connack, version: int) -> bytes:
    present = packet.session_present.to_bytes(1, "big")
    if version == MQTT_5:
        return _packet(
            PacketType.CONNACK, 0, present + packet.reason.to_bytes(1, "big") + write_properties(packet.properties)
        )
    code = REFUSALS_IN_3_1_1[packet.reason] if packet.reason else 0
    return _packet(PacketType.CONNACK, 0, present + code.to_bytes(1, "big"))


def _subscription_answer(packet: SubscriptionAnswer, version: int) -> bytes:
    body = packet.packet_id.to_bytes(2, "big")
    if version == MQTT_5:
        body += write_properties(NONE) + bytes(packet.codes)
    elif packet.kind is PacketType.SUBACK:
        body += bytes(min(code, FIRST_FAILURE) for code in packet.codes)
    return _packet(packet.kind, 0, body)


def _packet(kind: PacketType, flags: int, body: bytes) -> bytes:
    return bytes([kind << 4 | flags]) + write_variable(len(body)) + body
