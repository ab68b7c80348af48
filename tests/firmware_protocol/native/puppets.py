"""One end of a native line moved by hand: it holds the key and says whatever a test wants, sense or nonsense.

For what our own classes never do: firmware with mistakes in it, or a controller that is not ours.
"""

from firmware_protocol.events import AnyShoeEvent
from firmware_protocol.link import Delivery, LinkReport, ShoeIdentity, ShoeNotice
from firmware_protocol.native.controller import DEFAULT_TIMINGS, NativeController
from firmware_protocol.native.event_layouts import encode_event
from firmware_protocol.native.framing import encode_frame
from firmware_protocol.native.messages import (
    ACK,
    NAK,
    OUR_VERSIONS,
    TAG_BYTES,
    Challenge,
    FrameType,
    Hello,
    Proof,
    ShoeStatus,
    event_payload,
)
from firmware_protocol.native.session import SealedSession, controller_tag, payload_of, shoe_tag
from firmware_protocol.native.shoe import NativeShoe
from tests.firmware_protocol.native.line import KEY, bodies

BOOT_ID = 0x0B00710D


def new_controller(**options: object) -> NativeController:
    """A real controller with the key, on a line."""
    numbers = iter(range(1, 1000))
    made = NativeController(key=KEY, nonce=lambda: next(numbers).to_bytes(16, "big"), **options)  # type: ignore[arg-type]
    made.connected(0.0)
    return made


def only_delivery(found: list[Delivery | LinkReport]) -> Delivery:
    (delivery,) = found
    assert isinstance(delivery, Delivery)
    return delivery


class PuppetShoe:
    """Speaks with a real controller; virtual time stands still unless the test moves `now`."""

    def __init__(self, controller: NativeController, boot_id: int = BOOT_ID) -> None:
        self.controller = controller
        self.boot_id = boot_id
        self.now = 0.0
        self.nonces = 0
        """How many nonces it has used; a wiped shoe without a random source begins again at 0."""
        self.session = SealedSession(b"", b"")
        self.proof = Proof(b"", 0, 0)
        self._unread: list[bytes] = []
        self.status = ShoeStatus(1, 1, 0, 0, recognised=True, gate_locked_by_silence=False, store_full=False)

    def shake_hands(self, **status: int) -> list[Delivery | LinkReport]:
        """Answer the controller's HELLO and its PROOF; the first STATUS says what the test gives.

        A controller that has named no event may then ask once more: its second PROOF names one, and only then does the
        shoe say whether it recognises it.
        """
        self.answer_hello()
        if self.proof[1:] == (0, 0):
            found = self.say_status(**(status | {"recognised": True}))
            self.controller.tick(self.now + DEFAULT_TIMINGS.hello_again)
            self._unread = self.sent()
            if not any(body[0] == FrameType.HELLO for body in self._unread):
                return found
            self.answer_hello()
        return self.say_status(**status)

    def answer_hello(self) -> None:
        """As far as the controller's PROOF."""
        hello = next(body for body in self.sent() if body[0] == FrameType.HELLO)
        shoe = ShoeIdentity(
            model="Puppet",
            firmware="0",
            serial_number="0",
            boot_id=self.boot_id,
            protocol_version=1,
            capabilities=frozenset(),
        )
        self.nonces += 1
        nonce = self.nonces.to_bytes(16, "big")
        challenge = Challenge(Hello.read(hello), 1, OUR_VERSIONS, nonce, shoe).untagged_body()
        self.say(challenge + shoe_tag(KEY, challenge))
        self.proof = Proof.read(next(body for body in self.sent() if body[0] == FrameType.PROOF))
        self.session = SealedSession.of_shoe(KEY, challenge)

    def sent(self) -> list[bytes]:
        """What the controller has sent since the last look."""
        unread, self._unread = self._unread, []
        return unread + bodies(self.controller.to_send())

    def opened(self) -> list[tuple[int, bytes]]:
        """The same, opened: types and payloads of its sealed frames."""
        found = [body for body in self.sent() if body[0] >= FrameType.ACK]
        assert all(self.session.refuses(body) is None for body in found)
        return [(body[0], payload_of(body)) for body in found]

    def say(self, *frames: bytes) -> list[Delivery | LinkReport]:
        return self.controller.receive(b"".join(map(encode_frame, frames)), self.now)

    def say_status(self, **status: int) -> list[Delivery | LinkReport]:
        self.status = self.status._replace(**status)  # type: ignore[arg-type]
        return self.say(self.session.seal(FrameType.STATUS, self.status.payload()))

    def say_event(
        self, sequence: int, event: AnyShoeEvent, boot_id: int | None = None, age: int = 0
    ) -> list[Delivery | LinkReport]:
        payload = event_payload(boot_id or self.boot_id, sequence, age, encode_event(event))
        return self.say(self.session.seal(FrameType.EVENT, payload))

    def acks(self) -> list[tuple[int, int]]:
        """The acknowledgements among what the controller has sent since the last look."""
        return [ACK.unpack(payload) for kind, payload in self.opened() if kind == FrameType.ACK]

    def naks(self) -> list[int]:
        return [NAK.unpack(payload)[0] for kind, payload in self.opened() if kind == FrameType.NAK]

    def reconnect(self) -> None:
        self.controller.disconnected(self.now)
        self.controller.connected(self.now)


class PuppetController:
    """Speaks with a real shoe."""

    def __init__(self, shoe: NativeShoe, now: float = 0.0) -> None:
        self.shoe = shoe
        self.now = now
        self.session = SealedSession(b"", b"")
        self.nonces = 0

    def shake_hands(self, boot_id: int = 0, sequence: int = 0) -> ShoeStatus:
        """Begin a session as a controller that stored this event last; the shoe's first STATUS."""
        self.nonces += 1
        self.now += 1.0
        self.sent()
        self.say(Hello(OUR_VERSIONS, insecure=False, nonce=self.nonces.to_bytes(16, "big")).body())
        challenge = next(body for body in self.sent() if body[0] == FrameType.CHALLENGE)
        untagged = challenge[:-TAG_BYTES]
        proof = Proof(Challenge.read(challenge).nonce, boot_id, sequence).untagged_body()
        self.session = SealedSession.of_controller(KEY, untagged)
        self.say(proof + controller_tag(KEY, untagged, proof))
        frames = self.sent()
        assert self.session.refuses(frames[0]) is None
        self.first_frames = frames[1:]
        return ShoeStatus.read(payload_of(frames[0]))

    def sent(self) -> list[bytes]:
        return bodies(self.shoe.to_send())

    def opened(self) -> list[tuple[int, bytes]]:
        """Types and payloads of the sealed frames that the shoe has sent since the last look."""
        frames, self.first_frames = [*self.first_frames, *self.sent()], []
        assert all(self.session.refuses(body) is None for body in frames)
        return [(body[0], payload_of(body)) for body in frames]

    def say(self, *frames: bytes) -> list[ShoeNotice | LinkReport]:
        return self.shoe.receive(b"".join(map(encode_frame, frames)), self.now)

    def say_sealed(self, frame_type: int, payload: bytes) -> list[ShoeNotice | LinkReport]:
        return self.say(self.session.seal(frame_type, payload))
