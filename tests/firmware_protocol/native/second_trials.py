"""A trial of `vectors.json` as the second reader understands it, with the key, on both directions of the line."""

import pytest

from tests.firmware_protocol.native import second_reader as second
from tests.firmware_protocol.native.second_reader import Fields
from tests.firmware_protocol.native.second_vectors import TYPES, fields_of

APPENDED = (b"", b"later")
RESERVED = {second.HELLO: (3, 0x01), second.DESIRE: (5, 0x0F)}
"""Where a frame has reserved bits, and which are not."""


class Overheard:
    def __init__(self, trial: Fields) -> None:
        self._key = bytes.fromhex(trial["key"])
        self._challenges: dict[str, bytes] = {}
        self._session = b""
        self._taken = {"shoe": 0, "controller": 0}
        self.sessions = 0

    def hear(self, frame: Fields) -> None:
        type_, body = int(frame["body"][:2], 16), bytes.fromhex(frame["body"])
        if second.is_bare(type_):
            said = body[:-16] if type_ in (second.CHALLENGE, second.PROOF) else body
        elif not self._session or len(body) < 17:
            return  # of a session that there is not, or no sealed frame at all
        else:
            counter, said = self._opened(body, frame["from"])
            assert frame["says"].get("counter", counter) == counter
        if frame["type"] in TYPES:
            self._compare(frame, type_, said)
            self._handshake(frame, body, said)
        elif type_ in second.MESSAGES:
            with pytest.raises(second.MalformedError):
                second.message_fields(type_, said)

    def _opened(self, body: bytes, sender: str) -> tuple[int, bytes]:
        key = (second.key_from_shoe if sender == "shoe" else second.key_to_shoe)(self._key, self._session)
        self._taken[sender], payload = second.opened(key, body, self._taken[sender])
        return self._taken[sender], payload

    def _compare(self, frame: Fields, type_: int, said: bytes) -> None:
        """What a frame says in words is what it says in bytes, reserved bits and appended fields aside."""
        made, masked = second.message_bytes(type_, fields_of(frame)), bytearray(said)
        if type_ in RESERVED:
            place, known = RESERVED[type_]
            masked[place] &= known
        assert masked[: len(made)] == made
        assert masked[len(made) :] in APPENDED

    def _handshake(self, frame: Fields, body: bytes, said: bytes) -> None:
        if frame["type"] == "CHALLENGE":
            assert body[-16:] == second.shoe_tag(self._key, said)
            self._challenges[frame["says"]["nonce"]] = said
        elif frame["type"] == "PROOF" and not self.sessions:
            # That of an earlier CHALLENGE, and that of none, begin nothing.
            *_, (nonce, challenge) = self._challenges.items()
            if frame["says"]["nonce"] == nonce:
                assert body[-16:] == second.controller_tag(self._key, challenge, said)
                self._session, self.sessions = challenge, 1
