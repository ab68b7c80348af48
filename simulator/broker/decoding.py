"""Decodes a client's frames to packets. Anything the protocol forbids raises `ClientError`."""

from simulator.broker.fields import FieldReader
from simulator.broker.framing import Frame
from simulator.broker.packets import (
    HIGHEST_QOS,
    MQTT_3_1_1,
    MQTT_5,
    Connect,
    Disconnect,
    FromClient,
    PacketType,
    Ping,
    Puback,
    Publish,
    Subscribe,
    Subscription,
    Unsubscribe,
    Will,
)
from simulator.broker.properties import NONE, Carrier, Properties, read_properties
from simulator.broker.reasons import ClientError, Reason, malformed, protocol_error
from simulator.broker.topics import is_filter, is_topic

# The low four header bits that each kind must have; PUBLISH uses them for fields.
_FLAGS = {PacketType.SUBSCRIBE: 2, PacketType.UNSUBSCRIBE: 2}


def protocol_version(frame: Frame) -> int:
    """Return the version that a client's CONNECT requests, which decides how everything after it is decoded."""
    reader = FieldReader(frame.body)
    name, version = reader.text(), reader.byte()
    if name != "MQTT" or version not in {MQTT_3_1_1, MQTT_5}:
        raise ClientError(
            Reason.UNSUPPORTED_PROTOCOL_VERSION, f"this broker speaks MQTT 5 and 3.1.1, not {name!r} at level {version}"
        )
    return version


def decode(frame: Frame, version: int) -> FromClient:
    """Decode any packet a client may send."""
    try:
        kind = PacketType(frame.kind)
    except ValueError as error:
        raise malformed(f"there is no packet type {frame.kind}") from error
    if kind is not PacketType.PUBLISH and frame.flags != _FLAGS.get(kind, 0):
        raise malformed(f"{kind.name} cannot have the flags {frame.flags:#x}")
    reader = FieldReader(frame.body)
    packet: FromClient
    match kind:
        case PacketType.CONNECT:
            packet = _connect(reader)
        case PacketType.PUBLISH:
            packet = _publish(frame.flags, reader, version)
        case PacketType.PUBACK:
            packet = _puback(reader, version)
        case PacketType.SUBSCRIBE:
            packet = _subscribe(reader, version)
        case PacketType.UNSUBSCRIBE:
            packet = _unsubscribe(reader, version)
        case PacketType.PINGREQ:
            packet = Ping()
        case PacketType.DISCONNECT:
            packet = _disconnect(reader, version)
        case _:
            raise protocol_error(f"a client cannot send {kind.name} here")
    reader.expect_end()
    return packet


def _properties(reader: FieldReader, version: int, carrier: Carrier) -> Properties:
    return read_properties(reader, carrier) if version == MQTT_5 else NONE


def _connect(reader: FieldReader) -> Connect:
    reader.text()
    version, flags = reader.byte(), reader.byte()
    if flags & 0x01:
        raise malformed("the reserved flag of CONNECT is set")
    keep_alive = reader.two_bytes()
    properties = _properties(reader, version, Carrier.CONNECT)
    if properties.authentication_data is not None and properties.authentication_method is None:
        raise protocol_error("authentication data without an authentication method")
    client_id = reader.text()
    will = _will(flags, reader, version)
    has_user, has_password = bool(flags & 0x80), bool(flags & 0x40)
    if version == MQTT_3_1_1 and has_password and not has_user:
        raise malformed("a password without a user name")
    return Connect(
        version=version,
        client_id=client_id,
        clean_start=bool(flags & 0x02),
        keep_alive=keep_alive,
        properties=properties,
        will=will,
        user=reader.text() if has_user else None,
        password=reader.binary() if has_password else None,
    )


def _will(flags: int, reader: FieldReader, version: int) -> Will | None:
    qos, retain = flags >> 3 & 0x03, bool(flags & 0x20)
    if not flags & 0x04:
        if qos or retain:
            raise malformed("the options of a will are set, but there is no will")
        return None
    _check_qos(qos)
    properties = _properties(reader, version, Carrier.WILL)
    topic, payload = reader.text(), reader.binary()
    _check_topic(topic)
    _check_response_topic(properties)
    return Will(topic=topic, payload=payload, qos=qos, retain=retain, properties=properties)


def _publish(flags: int, reader: FieldReader, version: int) -> Publish:
    qos = flags >> 1 & 0x03
    _check_qos(qos)
    if flags & 0x08 and not qos:
        raise malformed("a QoS 0 message cannot have the DUP flag")
    topic = reader.text()
    packet_id = _packet_id(reader) if qos else None
    properties = _properties(reader, version, Carrier.PUBLISH)
    _check_topic(topic)
    _check_response_topic(properties)
    return Publish(
        topic=topic,
        payload=reader.rest(),
        qos=qos,
        packet_id=packet_id,
        retain=bool(flags & 0x01),
        dup=bool(flags & 0x08),
        properties=properties,
    )


def _puback(reader: FieldReader, version: int) -> Puback:
    packet_id = _packet_id(reader)
    if version != MQTT_5 or reader.at_end():
        return Puback(packet_id)
    reason = reader.byte()
    if not reader.at_end():
        read_properties(reader, Carrier.PUBACK)
    return Puback(packet_id, reason)


def _subscribe(reader: FieldReader, version: int) -> Subscribe:
    packet_id = _packet_id(reader)
    _properties(reader, version, Carrier.SUBSCRIBE)
    subscriptions = []
    while not reader.at_end():
        topic_filter, options = reader.text(), reader.byte()
        _check_filter(topic_filter)
        reserved = 0xC0 if version == MQTT_5 else 0xFC
        qos, retain_handling = options & 0x03, options >> 4 & 0x03
        if options & reserved or qos == 3:
            raise malformed(f"{options:#04x} are not the options of a subscription")
        if retain_handling == 3:
            raise protocol_error("there is no retain handling 3")
        subscriptions.append(
            Subscription(
                topic_filter=topic_filter,
                qos=min(qos, HIGHEST_QOS),
                no_local=bool(options & 0x04),
                retain_as_published=bool(options & 0x08),
                retain_handling=retain_handling,
            )
        )
    if not subscriptions:
        raise protocol_error("SUBSCRIBE without a topic filter")
    return Subscribe(packet_id=packet_id, subscriptions=tuple(subscriptions))


def _unsubscribe(reader: FieldReader, version: int) -> Unsubscribe:
    packet_id = _packet_id(reader)
    _properties(reader, version, Carrier.UNSUBSCRIBE)
    filters = []
    while not reader.at_end():
        filters.append(reader.text())
        _check_filter(filters[-1])
    if not filters:
        raise protocol_error("UNSUBSCRIBE without a topic filter")
    return Unsubscribe(packet_id=packet_id, topic_filters=tuple(filters))


def _disconnect(reader: FieldReader, version: int) -> Disconnect:
    if version != MQTT_5 or reader.at_end():
        return Disconnect()
    reason = reader.byte()
    return Disconnect(
        reason=reason, properties=NONE if reader.at_end() else read_properties(reader, Carrier.DISCONNECT)
    )


def _packet_id(reader: FieldReader) -> int:
    packet_id = reader.two_bytes()
    if not packet_id:
        raise protocol_error("0 is not a packet identifier")
    return packet_id


def _check_qos(qos: int) -> None:
    if qos == 3:
        raise malformed("there is no QoS 3")
    if qos > HIGHEST_QOS:
        raise ClientError(
            Reason.QOS_NOT_SUPPORTED, f"this broker takes messages up to QoS {HIGHEST_QOS}, not QoS {qos}"
        )


def _check_topic(topic: str) -> None:
    if not is_topic(topic):
        raise protocol_error(f"{topic!r} is not a topic to publish under")


def _check_filter(topic_filter: str) -> None:
    if not is_filter(topic_filter):
        raise malformed(f"{topic_filter!r} is not a topic filter")


def _check_response_topic(properties: Properties) -> None:
    if properties.response_topic is not None and not is_topic(properties.response_topic):
        raise protocol_error(f"{properties.response_topic!r} is not a topic to respond to")
