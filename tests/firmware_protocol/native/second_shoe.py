"""A shoe written from PROTOCOL.md alone, by the second reader: the least one that keeps the page's promises.

Like the codec in `second_reader`, it imports nothing of the product. Sections 3, 6 and 8 of the page are in here. How
HELLOs are compared and where NAK goes back to follow later words of the page, by a hand that knew the code.
"""

import hmac
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.firmware_protocol.native.second_reader import (
    ACK,
    AWAKE,
    CAUSES,
    CHALLENGE,
    DESIRE,
    EVENT,
    HELLO,
    INSECURE,
    INSECURE_HELLO,
    MESSAGES,
    NAK,
    NEWEST_VERSION,
    NO_COMMON_VERSION,
    OLDEST_VERSION,
    PROOF,
    RECOGNISED,
    REJECT,
    SECURE_HELLO,
    STATUS,
    Fields,
    Line,
    MalformedError,
    RefusedError,
    cards_of,
    controller_tag,
    event_bytes,
    framed,
    is_bare,
    is_from_shoe,
    key_from_shoe,
    key_to_shoe,
    message_bytes,
    message_fields,
    opened,
    said_again,
    sealed,
    shoe_tag,
)

WINDOW = 32


@dataclass(frozen=True)
class Held:
    """An event in the shoe's memory; `said` is its `kind ‖ payload`."""

    sequence: int
    boot_id: int
    said: bytes


@dataclass
class Memory:
    """What a shoe keeps over a loss of power."""

    held: list[Held] = field(default_factory=list)
    next_sequence: int = 1
    total: int = 0
    acknowledged: tuple[int, int] = (0, 0)
    """Boot id and sequence of the last event acknowledged."""

    def acknowledge(self, boot_id: int, sequence: int) -> bool:
        """Delete up to the named event, if it is held."""
        for place, held in enumerate(self.held):
            if (held.boot_id, held.sequence) == (boot_id, sequence):
                del self.held[: place + 1]
                self.acknowledged = (boot_id, sequence)
                return True
        return False

    def recognises(self, boot_id: int, sequence: int) -> bool:
        named = (boot_id, sequence)
        return named in {(0, 0), self.acknowledged} or self.acknowledge(boot_id, sequence)


@dataclass
class _Session:
    asked: bytes
    """The fields of the HELLO from which it came."""
    proof: bytes
    from_shoe: bytes
    to_shoe: bytes
    recognised: bool
    sent: int = 0
    taken: int = 0
    revision: int = 0
    next_to_send: int = 0
    """Sequence of the event that is sent next; all held ones before it are under way, all others count as not sent."""
    window: int = WINDOW
    wait: float = 0.25
    quiet_since: float = 0.0
    """When the wait started: something was acknowledged, sent with nothing else under way, or the shoe went back."""


@dataclass(frozen=True)
class Identity:
    boot_id: int
    cause: int = 1
    capabilities: int = 0x0007
    model: str = "second"
    firmware: str = "0.1"
    serial_number: str = "S-2"


class SecondShoe:
    """One power-up of a shoe. What outlives it is the `Memory`; a restart is a new `SecondShoe` with the same one.

    Left out: the gate's lock on silence and a full store, whose flags in STATUS stay 0, and measuring the round trip
    (the wait begins at 0.25 s and doubles up to 2 s).
    """

    def __init__(
        self, *, key: bytes | None, memory: Memory, identity: Identity, nonce: Callable[[], bytes], now: float
    ) -> None:
        self.memory = memory
        self.refused = 0
        self.desires: list[Fields] = []
        self._key, self._insecure = (bytes(32), True) if key is None else (key, False)
        self._identity, self._nonce = identity, nonce
        self._line = Line()
        self._out = bytearray()
        self._challenge: tuple[bytes, bytes] | None = None
        """The fields of the HELLO and the body without tag of the CHALLENGE that is not proven yet."""
        self._session: _Session | None = None
        self._powered_up = self._last_sent = now
        self._answered_hello = self._last_awake = float("-inf")
        self._happened: dict[int, float] = {}
        self._awake(now)
        self.report({"event": "started", "cause": CAUSES[identity.cause]}, now)

    @property
    def in_session(self) -> bool:
        return self._session is not None

    def report(self, event: Fields, now: float) -> int:
        """Something happened at the shoe; the total of cards is the shoe's own to fill in."""
        self.memory.total += cards_of(event)
        said = event_bytes({**event, "total": self.memory.total})
        sequence = self.memory.next_sequence
        self.memory.held.append(Held(sequence, self._identity.boot_id, said))
        self.memory.next_sequence += 1
        self._happened[sequence] = now
        self._send_events(now)
        return sequence

    def to_send(self) -> bytes:
        out, self._out = bytes(self._out), bytearray()
        return out

    def receive(self, data: bytes, now: float) -> None:
        for body in self._line.bodies(data):
            try:
                self._hear(body, now)
            except (RefusedError, MalformedError):
                self.refused += 1
        self._send_events(now)

    def tick(self, now: float) -> None:
        session = self._session
        if session is None:
            return
        under_way = self.memory.held and session.next_to_send > self.memory.held[0].sequence
        if under_way and now - session.quiet_since >= session.wait:
            session.wait = min(2 * session.wait, 2.0)
            session.window = 1
            session.next_to_send = self.memory.held[0].sequence
        self._send_events(now)
        if now - self._last_sent >= 0.5:
            self._send_status(now)

    def _hear(self, body: bytes, now: float) -> None:
        type_ = body[0]
        if is_from_shoe(type_):
            raise RefusedError("reflected")
        if type_ == HELLO:
            self._hear_hello(body, now)
        elif type_ == PROOF:
            self._hear_proof(body, now)
        elif not is_bare(type_):
            self._hear_sealed(body, now)

    def _hear_hello(self, hello: bytes, now: float) -> None:
        fields = message_fields(HELLO, hello)
        asked = said_again(hello) + fields["nonce_c"]
        if now - self._answered_hello < 0.1 or (self._session and self._session.asked == asked):
            return
        self._answered_hello = now
        versions = {"oldest": OLDEST_VERSION, "newest": NEWEST_VERSION}
        version = min(fields["newest"], NEWEST_VERSION)
        reason = 0
        if version < max(fields["oldest"], OLDEST_VERSION):
            reason = NO_COMMON_VERSION
        elif bool(fields["flags"] & INSECURE) != self._insecure:
            reason = SECURE_HELLO if self._insecure else INSECURE_HELLO
        if reason:
            self._send(message_bytes(REJECT, versions | {"reason": reason, "nonce_c": fields["nonce_c"]}), now)
            return
        if self._challenge is None or self._challenge[0] != asked:
            said = vars(self._identity) | versions | {"version": version, "hello_bytes": said_again(hello)}
            nonces = {"nonce_c": fields["nonce_c"], "nonce_s": self._nonce()}
            self._challenge = (asked, message_bytes(CHALLENGE, said | nonces))
        challenge = self._challenge[1]
        self._send(challenge + shoe_tag(self._key, challenge), now)

    def _hear_proof(self, body: bytes, now: float) -> None:
        proof, tag = body[:-16], body[-16:]
        fields = message_fields(PROOF, proof)
        if self._session is not None and self._session.proof == body:
            self._send_status(now)
            return
        if self._challenge is None or fields["nonce_s"] != self._challenge[1][23:39]:
            self._awake(now)
            return
        asked, challenge = self._challenge
        if not hmac.compare_digest(tag, controller_tag(self._key, challenge, proof)):
            raise RefusedError("the controller holds another key")
        self._challenge = None
        keys = key_from_shoe(self._key, challenge), key_to_shoe(self._key, challenge)
        recognised = self.memory.recognises(fields["boot_id"], fields["sequence"])
        self._session = _Session(asked, body, *keys, recognised)
        self._send_status(now)

    def _hear_sealed(self, body: bytes, now: float) -> None:
        session = self._session
        if session is None:
            self._awake(now)
            return
        session.taken, payload = opened(session.to_shoe, body, session.taken)
        type_ = body[0]
        if type_ not in MESSAGES:
            return
        fields = message_fields(type_, payload)
        if type_ == ACK and self.memory.acknowledge(fields["boot_id"], fields["sequence"]):
            session.window = min(2 * session.window, WINDOW)
            session.wait, session.quiet_since = 0.25, now
        elif type_ == NAK:
            held = {held.sequence for held in self.memory.held}
            if fields["sequence"] in held and fields["sequence"] < session.next_to_send:
                session.next_to_send, session.quiet_since = fields["sequence"], now
            else:
                self._send_status(now)
        elif type_ == DESIRE:
            if fields["revision"] != session.revision:
                self.desires.append(fields)
                session.revision = fields["revision"]
            self._send_status(now)

    def _send_events(self, now: float) -> None:
        session = self._session
        if session is None:
            return
        for held in self.memory.held[: session.window]:
            if held.sequence < session.next_to_send:
                continue
            if held is self.memory.held[0]:
                session.quiet_since = now
            happened = self._happened.get(held.sequence, self._powered_up)
            age = min(round((now - happened) * 1000), 0xFFFFFFFF)
            event = {"boot_id": held.boot_id, "sequence": held.sequence, "age": age, "event": held.said}
            self._send_sealed(EVENT, event, now)
            session.next_to_send = held.sequence + 1

    def _send_status(self, now: float) -> None:
        session = self._session
        if session is None:
            return
        memory = self.memory
        oldest = memory.held[0].sequence if memory.held else memory.next_sequence
        status = {"oldest": oldest, "next": memory.next_sequence, "total": memory.total}
        flags = RECOGNISED if session.recognised else 0
        self._send_sealed(STATUS, status | {"revision": session.revision, "flags": flags}, now)

    def _send_sealed(self, type_: int, fields: Fields, now: float) -> None:
        session = self._session
        if session is None:
            return
        session.sent += 1
        self._send(sealed(session.from_shoe, type_, session.sent, message_bytes(type_, fields)), now)

    def _awake(self, now: float) -> None:
        if self._session is None and now - self._last_awake >= 1.0:
            self._last_awake = now
            self._send(bytes([AWAKE]), now)

    def _send(self, body: bytes, now: float) -> None:
        self._last_sent = now
        self._out += framed(body)
