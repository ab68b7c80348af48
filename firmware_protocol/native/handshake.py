"""How a session begins: HELLO, CHALLENGE, PROOF, and the shoe's first STATUS under the new keys.

One class for each side. They hold no clock and send nothing: `controller` and `shoe` decide when, and carry the bodies.
The current session is not theirs either; it goes on until the new one is proven, so that a stranger's HELLO on the
line ends nothing.
"""

from collections.abc import Callable, Container
from hmac import compare_digest
from typing import NamedTuple

from firmware_protocol.link import LinkUsageError, RefusedCause, ShoeIdentity
from firmware_protocol.native.messages import (
    NONCE_BYTES,
    TAG_BYTES,
    Challenge,
    Hello,
    Proof,
    Reject,
    RejectReason,
    Versions,
)
from firmware_protocol.native.session import INSECURE_KEY, SealedSession, controller_tag, shoe_tag

SHOE_HAS_ANOTHER_KEY = "the shoe does not hold our key: put the same key into the shoe and into the configuration"
CONTROLLER_HAS_ANOTHER_KEY = "a controller that does not hold our key: put the same key into both"
NO_BOOT_ID = "the shoe sends boot id 0, which means none: its firmware must draw one at each power-up"
TAMPERED_HELLO = "the shoe answered a different HELLO than we sent: it was changed on the line"


class HandshakeRefusedError(Exception):
    """The other side failed authentication or is incompatible; the message says why and what to do."""

    def __init__(self, cause: RefusedCause, message: str) -> None:
        super().__init__(message)
        self.cause = cause


def fresh_nonce(nonce: Callable[[], bytes]) -> bytes:
    made = nonce()
    if len(made) != NONCE_BYTES:
        raise LinkUsageError(f"a nonce has {NONCE_BYTES} bytes, not {len(made)}")
    return made


class Proposal(NamedTuple):
    """The session that begins if the shoe accepts our PROOF, and the authenticated shoe."""

    session: SealedSession
    shoe: ShoeIdentity
    stored: tuple[int, int]
    """Boot id and sequence of the event that our PROOF names as stored last."""
    nonce: bytes
    """The shoe's."""
    repeats: bool
    """The shoe has used this nonce before: it counts its power-ups, and has lost the count."""


class ControllerHandshake:
    """One attempt by the controller. It may be answered more than once; the last good answer counts."""

    def __init__(self, key: bytes, versions: Versions, nonce: bytes) -> None:
        self._key = key
        self._hello = Hello(versions, key == INSECURE_KEY, nonce)
        self._answered: bytes | None = None
        self.to_repeat = self._hello.body()
        """The frame to repeat: HELLO, then PROOF."""
        self.proposal: Proposal | None = None

    def take_challenge(self, body: bytes, stored: tuple[int, int], used: Container[bytes] = ()) -> bool:
        """Prepare PROOF, which names the last event stored. False if the CHALLENGE does not answer our HELLO.

        `used` are nonces of earlier sessions. A shoe that uses one again may bear an event that it calls by the name of
        the one that we stored, and would let go of it: to such a shoe no event is named.
        """
        challenge = Challenge.read(body)
        if challenge.hello.nonce != self._hello.nonce or body == self._answered:
            return False
        untagged = body[:-TAG_BYTES]
        if not compare_digest(shoe_tag(self._key, untagged), body[-TAG_BYTES:]):
            raise HandshakeRefusedError(RefusedCause.KEY, SHOE_HAS_ANOTHER_KEY)
        if challenge.hello != self._hello or challenge.version != self._hello.versions.common(challenge.versions):
            raise HandshakeRefusedError(RefusedCause.CHANGED, TAMPERED_HELLO)
        if not challenge.shoe.boot_id:
            raise HandshakeRefusedError(RefusedCause.BOOT_ID, NO_BOOT_ID)
        repeats = challenge.nonce in used
        if repeats:
            stored = (0, 0)
        proof = Proof(challenge.nonce, *stored).untagged_body()
        self._answered = body
        self.to_repeat = proof + controller_tag(self._key, untagged, proof)
        session = SealedSession.of_controller(self._key, untagged)
        self.proposal = Proposal(session, challenge.shoe, stored, challenge.nonce, repeats)
        return True

    def take_reject(self, body: bytes) -> None:
        """Raise the shoe's hint as an error for people. It decides nothing: HELLO goes on."""
        reject = Reject.read(body)
        if reject.hello_nonce != self._hello.nonce or self.proposal is not None:
            return
        match reject.reason:
            case RejectReason.NO_COMMON_VERSION:
                cause = RefusedCause.VERSION
                reason = (
                    f"no common protocol version: the shoe speaks {reject.versions}, we speak "
                    f"{self._hello.versions}; update the older side"
                )
            case RejectReason.SHOE_HAS_A_KEY:
                cause = RefusedCause.NO_KEY
                reason = "the shoe speaks only with a key: put its key into the configuration"
            case RejectReason.SHOE_HAS_NO_KEY:
                cause = RefusedCause.NO_KEY
                reason = "the shoe has no key: put one into it, or set insecure = true in the configuration"
            case number:
                cause = RefusedCause.REJECTED
                reason = f"the shoe refuses the session for an unknown reason, number {number}; update the controller"
        raise HandshakeRefusedError(cause, reason)


class ShoeHandshake:
    """The shoe's side: it answers every HELLO, and keeps one unproven answer at a time."""

    def __init__(self, key: bytes, versions: Versions, shoe: ShoeIdentity, nonce: Callable[[], bytes]) -> None:
        self._key = key
        self._versions = versions
        self._shoe = shoe
        self._nonce = nonce
        self._challenge = b""
        self._challenge_nonce = b""
        self.start_afresh()
        # A name that cannot be sent is refused here, not at the first HELLO.
        no_nonce = bytes(NONCE_BYTES)
        Challenge(Hello(versions, insecure=False, nonce=no_nonce), 0, versions, no_nonce, shoe).untagged_body()

    def start_afresh(self) -> None:
        """Reset to no session and no open challenge."""
        self._open_hello: Hello | None = None
        self._proven: Hello | None = None
        self._proof = b""

    def answer(self, body: bytes) -> bytes | None:
        """Return the body that answers a HELLO; none for a late copy of the HELLO that began the current session."""
        hello = Hello.read(body)
        if hello == self._proven:
            return None
        version = self._versions.common(hello.versions)
        if version is None:
            return Reject(RejectReason.NO_COMMON_VERSION, self._versions, hello.nonce).body()
        insecure = self._key == INSECURE_KEY
        if hello.insecure != insecure:
            reason = RejectReason.SHOE_HAS_NO_KEY if insecure else RejectReason.SHOE_HAS_A_KEY
            return Reject(reason, self._versions, hello.nonce).body()
        if hello != self._open_hello:
            self._open_hello = hello
            self._challenge_nonce = fresh_nonce(self._nonce)
            challenge = Challenge(hello, version, self._versions, self._challenge_nonce, self._shoe)
            self._challenge = challenge.untagged_body()
        return self._challenge + shoe_tag(self._key, self._challenge)

    def is_proven_again(self, body: bytes) -> bool:
        """Whether this is the PROOF that began the current session, so our STATUS was lost."""
        return body == self._proof

    def take_proof(self, body: bytes) -> tuple[SealedSession, Proof] | None:
        """Return the session that a PROOF begins; none if it does not answer our CHALLENGE."""
        proof = Proof.read(body)
        if self._open_hello is None or proof.nonce != self._challenge_nonce:
            return None
        if not compare_digest(controller_tag(self._key, self._challenge, body[:-TAG_BYTES]), body[-TAG_BYTES:]):
            raise HandshakeRefusedError(RefusedCause.KEY, CONTROLLER_HAS_ANOTHER_KEY)
        session = SealedSession.of_shoe(self._key, self._challenge)
        self._proven, self._proof = self._open_hello, body
        self._open_hello = None
        return session, proof
