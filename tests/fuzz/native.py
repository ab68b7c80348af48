"""Any bytes, and any frames under a right check, into both ends of a native line: never an exception.

An input is a conversation of up to sixteen pieces. The fuzzer also gets to speak under right tags, as a shoe or
controller with broken firmware would: behind the handshake lies most of the code.
"""

import io
import pickle
from contextlib import suppress
from hashlib import blake2s

from firmware_protocol.cards import Card
from firmware_protocol.events import CardDrawn, Hand
from firmware_protocol.link import Delivery, DesiredShoe, LineError, ShoeIdentity
from firmware_protocol.native.controller import NativeController
from firmware_protocol.native.framing import MAX_BODY, MAX_ENCODED, encode_frame
from firmware_protocol.native.listen import NativeListener
from firmware_protocol.native.session import SealedSession
from firmware_protocol.native.shoe import NativeShoe
from firmware_protocol.native.store import EventStoreFullError, ShoeStore
from tests.fuzz.source import Source

INSTRUMENTED = (
    "firmware_protocol.native.controller",
    "firmware_protocol.native.event_layouts",
    "firmware_protocol.native.handshake",
    "firmware_protocol.native.listen",
    "firmware_protocol.native.messages",
    "firmware_protocol.native.progress",
    "firmware_protocol.native.session",
    "firmware_protocol.native.shoe",
    "firmware_protocol.native.store",
)
"""Not the framing, which every input passes through byte by byte."""
LONGEST_INPUT = 32

SHOE = ShoeIdentity(
    model="fuzz", firmware="1", serial_number="1", boot_id=7, protocol_version=1, capabilities=frozenset({"gate"})
)
CARD = CardDrawn(hand=Hand.PLAYER, position=1, card=Card.NINE_OF_HEARTS)

Line = tuple[NativeController, NativeShoe, NativeListener]


class _Nonces:
    def __init__(self) -> None:
        self._last = 0

    def __call__(self) -> bytes:
        self._last += 1
        return self._last.to_bytes(16, "big")


class _Stored:
    """A line as it was at one moment, to be had again and again: a handshake takes ten times as long."""

    def __init__(self, line: Line) -> None:
        self._shared: list[object] = []
        written = io.BytesIO()
        pickler = _SharingPickler(written, self._shared)
        pickler.dump(line)
        self._bytes = written.getvalue()

    def again(self) -> Line:
        unpickler = pickle.Unpickler(io.BytesIO(self._bytes))  # noqa: S301 - written just above
        unpickler.persistent_load = self._shared.__getitem__  # type: ignore[method-assign]  # so the documents say
        line: Line = unpickler.load()
        return line


class _SharingPickler(pickle.Pickler):
    """Leaves out what nobody changes: keyed hashes, which are only copied and cannot be stored, and the shoe's name."""

    def __init__(self, file: io.BytesIO, shared: list[object]) -> None:
        super().__init__(file)
        self._shared = shared

    def persistent_id(self, thing: object) -> int | None:
        if not isinstance(thing, blake2s | ShoeIdentity):
            return None
        self._shared.append(thing)
        return len(self._shared) - 1


def _new_line() -> Line:
    nonce = _Nonces()
    controller = NativeController(insecure=True, nonce=nonce)
    shoe = NativeShoe(identity=SHOE, store=ShoeStore(capacity=8), insecure=True, nonce=nonce, now=0.0)
    controller.connected(0.0)
    shoe.connected(0.0)
    return controller, shoe, NativeListener(None)


def _in_session() -> Line:
    controller, shoe, listener = _new_line()
    for _ in range(4):
        to_shoe = controller.to_send()
        listener.from_controller(to_shoe)
        shoe.receive(to_shoe, 0.0)
        to_controller = shoe.to_send()
        listener.from_shoe(to_controller)
        controller.receive(to_controller, 0.0)
    assert controller.shoe == SHOE, "without a session most of the code is out of reach"
    return controller, shoe, listener


_NEW, _IN_SESSION = _Stored(_new_line()), _Stored(_in_session())


def one_input(data: bytes) -> None:
    source = Source(data)
    controller, shoe, listener = (_IN_SESSION if source.number(7) else _NEW).again()
    now = 0.0
    while source.left:
        kind = source.number(255)
        now += (kind >> 5) ** 2 / 10
        to_shoe = bool(kind & 0x10)
        piece = _piece(source, kind & 0x0F, controller if to_shoe else shoe)
        if to_shoe:
            if kind % 32 == 31:
                with suppress(EventStoreFullError):
                    shoe.report(CARD, now)
            shoe.receive(piece, now)
            listener.from_controller(piece)
            shoe.tick(now)
        else:
            if kind % 32 == 15:
                controller.want(DesiredShoe(gate_locked=bool(kind & 0x20)), now)
            _receive(controller, piece, now, commits=bool(kind & 0x20))
            listener.from_shoe(piece)
            controller.tick(now)
        if kind % 3 == 0:
            shoe.receive(controller.to_send(), now)
            _receive(controller, shoe.to_send(), now, commits=bool(kind & 0x20))


def _receive(controller: NativeController, data: bytes, now: float, *, commits: bool) -> None:
    for item in controller.receive(data, now):
        if isinstance(item, Delivery) and commits:
            controller.committed(item, now)
        if isinstance(item, LineError):
            assert item.length > 0
    assert controller._reader.held <= MAX_ENCODED  # noqa: SLF001 - nobody else could know


def _piece(source: Source, kind: int, sender: NativeController | NativeShoe) -> bytes:
    """Any bytes; a right frame around any; or such a frame under the tag of its sender, if that has a session."""
    if kind < 3:
        return source.take(source.number(20) + 1) * (30 if kind == 0 else 1)
    body = source.take(source.number(20) + 1) or b"\1"
    if kind < 7:
        return encode_frame(body)
    session: SealedSession | None = sender._session  # noqa: SLF001 - nobody else could forge a right tag
    return b"" if session is None else encode_frame(session.seal(body[0], body[1 : MAX_BODY - 20]))
