"""Keys and tags, by which frames are authenticated. Specified in `PROTOCOL.md`, "Authenticity".

All of it is keyed BLAKE2s. The shared key signs the handshake and makes one key for each direction; these make the
tag of every frame after it. The direction is part of the key derivation, so a frame reflected to its sender fails; the
counter is covered by the tag, so no frame is accepted twice.
"""

from hashlib import blake2s
from hmac import compare_digest

from firmware_protocol.link import LinkUsageError
from firmware_protocol.native.messages import SEALED_HEADER, TAG_BYTES

KEY_BYTES = 32
INSECURE_KEY = bytes(KEY_BYTES)
"""The public key of an insecure link: it proves nothing and keeps the frames the same."""
FRAME_TAG_BYTES = 8
MIN_SEALED = SEALED_HEADER.size + FRAME_TAG_BYTES
_TAG = slice(-FRAME_TAG_BYTES, None)
_TAGGED = slice(None, -FRAME_TAG_BYTES)
_SHORTENED = slice(None, FRAME_TAG_BYTES)
_counter_of = SEALED_HEADER.unpack_from

SHOE_TAG_LABEL = b"SHOE-TAG"
CONTROLLER_TAG_LABEL = b"CTRL-TAG"
SHOE_KEY_LABEL = b"SHOE-KEY"
CONTROLLER_KEY_LABEL = b"CTRL-KEY"

FORGED = "a frame with a wrong tag: forged, or from another session"
REPLAYED = "a frame that was replayed, or arrived after its successor"


def shared_key(key: bytes | None, *, insecure: bool) -> bytes:
    """Return the key to use; a link without a key must be requested explicitly."""
    if key is None:
        if insecure:
            return INSECURE_KEY
        raise LinkUsageError("a native link needs the shoe's key; to run without one, construct it with insecure=True")
    if insecure:
        raise LinkUsageError("a native link has either a key or insecure=True, not both")
    if len(key) != KEY_BYTES:
        raise LinkUsageError(f"a shoe's key has {KEY_BYTES} bytes, not {len(key)}")
    if key == INSECURE_KEY:
        raise LinkUsageError(
            "a key of 32 zero bytes is not a key: make a random one, and put it into shoe and configuration"
        )
    return key


def _keyed(key: bytes, label: bytes, *parts: bytes) -> bytes:
    return blake2s(label + b"".join(parts), key=key).digest()


def shoe_tag(key: bytes, challenge: bytes) -> bytes:
    """The tag at the end of the shoe's CHALLENGE; `challenge` is the body before it."""
    return _keyed(key, SHOE_TAG_LABEL, challenge)[:TAG_BYTES]


def controller_tag(key: bytes, challenge: bytes, proof: bytes) -> bytes:
    """The tag at the end of the controller's PROOF; both bodies are without their tags."""
    return _keyed(key, CONTROLLER_TAG_LABEL, challenge, proof)[:TAG_BYTES]


def session_keys(key: bytes, challenge: bytes) -> tuple[bytes, bytes]:
    """Derive the keys for frames from the shoe and for frames from the controller."""
    return _keyed(key, SHOE_KEY_LABEL, challenge), _keyed(key, CONTROLLER_KEY_LABEL, challenge)


class SealedSession:
    """One side of a session: seals the frames it sends and checks those it receives."""

    def __init__(self, send_key: bytes, receive_key: bytes) -> None:
        self._sender = blake2s(key=send_key)
        self._receiver = blake2s(key=receive_key)
        self._sent = 0
        self._received = 0
        """The counter of the last frame in either direction; the first frame has 1."""

    @classmethod
    def of_controller(cls, key: bytes, challenge: bytes) -> "SealedSession":
        from_shoe, from_controller = session_keys(key, challenge)
        return cls(from_controller, from_shoe)

    @classmethod
    def of_shoe(cls, key: bytes, challenge: bytes) -> "SealedSession":
        from_shoe, from_controller = session_keys(key, challenge)
        return cls(from_shoe, from_controller)

    def seal(self, frame_type: int, payload: bytes) -> bytes:
        """Return the body of the next frame."""
        self._sent += 1
        untagged = SEALED_HEADER.pack(frame_type, self._sent) + payload
        tag = self._sender.copy()
        tag.update(untagged)
        return untagged + tag.digest()[_SHORTENED]

    def refuses(self, body: bytes) -> str | None:
        """Return why this frame is refused; `None` if it is accepted, and then no frame up to it will be again."""
        tag = self._receiver.copy()
        tag.update(body[_TAGGED])
        if not compare_digest(tag.digest()[_SHORTENED], body[_TAG]) or len(body) < MIN_SEALED:
            return FORGED
        _, counter = _counter_of(body)
        if counter <= self._received:
            return REPLAYED
        self._received = counter
        return None


def payload_of(body: bytes) -> bytes:
    """The payload of a sealed frame, between its counter and its tag."""
    return body[SEALED_HEADER.size : -FRAME_TAG_BYTES]
