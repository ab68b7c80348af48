"""MQTT's reason codes, and the error that carries one back to a client."""

from enum import IntEnum


class Reason(IntEnum):
    """The reason codes of MQTT 5 that this broker uses, by itself or on request; 0x80 and above are failures."""

    SUCCESS = 0x00
    NO_MATCHING_SUBSCRIBERS = 0x10
    NO_SUBSCRIPTION_EXISTED = 0x11
    UNSPECIFIED_ERROR = 0x80
    MALFORMED_PACKET = 0x81
    PROTOCOL_ERROR = 0x82
    IMPLEMENTATION_SPECIFIC_ERROR = 0x83
    UNSUPPORTED_PROTOCOL_VERSION = 0x84
    CLIENT_ID_NOT_VALID = 0x85
    NOT_AUTHORISED = 0x87
    BAD_AUTHENTICATION_METHOD = 0x8C
    KEEP_ALIVE_TIMEOUT = 0x8D
    SESSION_TAKEN_OVER = 0x8E
    TOPIC_NAME_INVALID = 0x90
    PACKET_ID_IN_USE = 0x91
    RECEIVE_MAXIMUM_EXCEEDED = 0x93
    PACKET_TOO_LARGE = 0x95
    QUOTA_EXCEEDED = 0x97
    PAYLOAD_FORMAT_INVALID = 0x99
    QOS_NOT_SUPPORTED = 0x9B
    SHARED_SUBSCRIPTIONS_NOT_SUPPORTED = 0x9E


FIRST_FAILURE = 0x80
REFUSALS_OF_A_MESSAGE = frozenset(
    {
        Reason.UNSPECIFIED_ERROR,
        Reason.IMPLEMENTATION_SPECIFIC_ERROR,
        Reason.NOT_AUTHORISED,
        Reason.TOPIC_NAME_INVALID,
        Reason.PACKET_ID_IN_USE,
        Reason.QUOTA_EXCEEDED,
        Reason.PAYLOAD_FORMAT_INVALID,
    }
)
"""The reasons a PUBACK can give for not taking a message."""


class ClientError(Exception):
    """A client broke the protocol or a limit: its connection ends with this reason, no other is affected."""

    def __init__(self, reason: Reason, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.sentence = sentence


def malformed(sentence: str) -> ClientError:
    return ClientError(Reason.MALFORMED_PACKET, sentence)


def protocol_error(sentence: str) -> ClientError:
    return ClientError(Reason.PROTOCOL_ERROR, sentence)
