"""The conversations of `vectors.json`: our two ends on a line that takes no time and loses what it is configured to.

`make_vectors` puts them into the file. Nonces, keys and times are fixed, so every run says the same bytes.
"""

from collections.abc import Callable
from typing import Any

from firmware_protocol.cards import Card
from firmware_protocol.events import AnyShoeEvent, CardDrawn, Hand, Misread, Standby, StartCause, Started
from firmware_protocol.link import Delivery, DesiredShoe, Lamp, ShoeIdentity
from firmware_protocol.native.controller import NativeController
from firmware_protocol.native.event_layouts import encode_event
from firmware_protocol.native.framing import encode_frame
from firmware_protocol.native.progress import LastCommitted
from firmware_protocol.native.session import shared_key
from firmware_protocol.native.shoe import NativeShoe
from firmware_protocol.native.store import ShoeStore, StoredEvent
from tests.firmware_protocol.native.frame_fields import frame
from tests.firmware_protocol.native.line import bodies

Fields = dict[str, Any]

KEY = bytes.fromhex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
CONTROLLER_NONCE = bytes.fromhex("c0c1c2c3c4c5c6c7c8c9cacbcccdcecf")
SHOE_NONCE = bytes.fromhex("50515253545556575859005b5c5d5e00")
OTHER_SHOE_NONCE = bytes.fromhex("60616263646566676869006b6c6d6e00")
OLD_BOOT_ID = 0x1234ABCD
BOOT_ID = 0x00C0FFEE

SHOE = ShoeIdentity(
    model="Acme Shoe 8",
    firmware="2.0.1",
    serial_number="A8-000417",
    boot_id=BOOT_ID,
    protocol_version=1,
    capabilities=frozenset({"gate", "lamps", "card_ids", "button_result", "button_call_supervisor"}),
    start_cause=StartCause.WATCHDOG,
)


class Conversation:
    """The shoe is powered up at 0 s and says AWAKE to nobody; the controller comes when `connect` is called."""

    def __init__(
        self, *, key: bytes | None, stored: LastCommitted | None, store: ShoeStore, shoe_nonce: bytes = SHOE_NONCE
    ) -> None:
        self.now = 0.0
        self.frames: list[Fields] = []
        self._key, self._stored, self._shoe_nonce = key, stored, shoe_nonce
        self._shoe_keeps = memory(store)
        self._happens: list[Fields] = []
        self._deliveries: list[Delivery] = []
        self._is_connected = False
        insecure = key is None
        self.shoe = NativeShoe(
            identity=SHOE, store=store, nonce=lambda: shoe_nonce, now=self.now, key=key, insecure=insecure
        )
        self.controller = NativeController(
            key=key, insecure=insecure, nonce=lambda: CONTROLLER_NONCE, last_committed=stored
        )
        self.shoe.connected(self.now)
        self.report(Started(cause=SHOE.start_cause))
        self.pass_frames()

    def connect(self) -> None:
        self._is_connected = True
        self.controller.connected(self.now)
        self.pass_frames()

    def report(self, event: AnyShoeEvent) -> None:
        """Something happens at the shoe; what it says of it is not passed on yet."""
        self.shoe.report(event, self.now)
        said = encode_event(self.shoe.store.events[-1].event)
        self._happens.append({"t": self.now, "bytes": said.hex()})

    def pass_frames(self, is_lost: Callable[[Fields], bool] = lambda _: False) -> None:
        """Carry frames to and fro until both sides have nothing more to send."""
        while True:
            sent = [("shoe", body) for body in bodies(self.shoe.to_send())]
            sent += [("controller", body) for body in bodies(self.controller.to_send())]
            if not sent:
                return
            for sender, body in sent:
                shown = {"t": self.now} | frame(sender, body)
                shown["lost"] = not self._is_connected or is_lost(shown)
                self.frames.append(shown)
                if shown["lost"]:
                    continue
                if sender == "shoe":
                    found = self.controller.receive(encode_frame(body), self.now)
                    self._deliveries += [item for item in found if isinstance(item, Delivery)]
                else:
                    self.shoe.receive(encode_frame(body), self.now)

    def commit(self) -> None:
        self.controller.committed(self._deliveries[-1], self.now)
        self.pass_frames()

    def run_to(self, moment: float) -> None:
        """Let time pass; each side acts at the very moments that it has asked for."""
        while True:
            deadlines = (self.controller.next_deadline(), self.shoe.next_deadline())
            due = min((deadline for deadline in deadlines if deadline is not None), default=moment)
            if due > moment:
                self.now = moment
                return
            self.now = due
            self.controller.tick(due)
            self.shoe.tick(due)
            self.pass_frames()
            if due == moment:
                return

    def shown(self) -> Fields:
        stored = self._stored
        return {
            "key": shared_key(self._key, insecure=self._key is None).hex(),
            "controller_nonce": CONTROLLER_NONCE.hex(),
            "shoe_nonce": self._shoe_nonce.hex(),
            "stored_last": stored and {"boot_id": stored.boot_id, "sequence": stored.sequence, "total": stored.total},
            "shoe_keeps": self._shoe_keeps,
            "happens": self._happens,
            "frames": self.frames,
        }


def memory(store: ShoeStore) -> Fields:
    """What the shoe has kept over its loss of power."""

    def held(stored: StoredEvent) -> Fields:
        return {
            "sequence": stored.sequence,
            "boot_id": stored.boot_id,
            "bytes": encode_event(stored.event).hex(),
        }

    return {
        "held": [held(stored) for stored in store.events],
        "next": store.next_sequence,
        "total": store.card_total,
        "acknowledged": {"boot_id": store.acknowledged_boot_id, "sequence": store.acknowledged_sequence},
    }


def kept_from_the_last_power_up() -> ShoeStore:
    """Two cards; nothing of them was acknowledged."""
    store = ShoeStore(next_sequence=40, card_total=5000, acknowledged_boot_id=OLD_BOOT_ID, acknowledged_sequence=39)
    store.add(CardDrawn(hand=Hand.PLAYER, position=1, card=Card("9H")), OLD_BOOT_ID, 1.0)
    store.add(CardDrawn(hand=Hand.BANKER, position=1, card=Card("KS"), card_id="E280116060000209"), OLD_BOOT_ID, 1.0)
    return store


def secure() -> Conversation:
    """A shoe that restarted with events that the controller has in part, and what follows."""
    stored = LastCommitted(boot_id=OLD_BOOT_ID, sequence=40, total=5001)
    talk = Conversation(key=KEY, stored=stored, store=kept_from_the_last_power_up())
    talk.controller.want(DesiredShoe(gate_locked=False, next_hand=Hand.PLAYER), 0.0)
    talk.controller.set_clock(1_700_000_000.0, 0.0)
    talk.run_to(0.25)
    talk.connect()
    talk.run_to(0.375)
    talk.commit()
    talk.run_to(0.5)
    # The first of two cards is lost; the controller asks for it, and gets both.
    talk.report(CardDrawn(hand=Hand.PLAYER, position=2, card=Card("AC")))
    talk.pass_frames(lambda shown: shown["type"] == "EVENT")
    talk.run_to(0.625)
    talk.report(Misread(hand=Hand.BANKER, position=2))
    talk.pass_frames()
    talk.run_to(0.6875)
    talk.commit()
    talk.controller.want(DesiredShoe(gate_locked=True, lamps=frozenset({Lamp.BANKER, Lamp.ALERT})), talk.now)
    talk.controller.identify(10, talk.now)
    talk.pass_frames()
    talk.run_to(1.1875)
    return talk


def unrecognised() -> Conversation:
    """The controller names an event that this shoe never had."""
    stored = LastCommitted(boot_id=0x0BADB007, sequence=7, total=70)
    talk = Conversation(key=KEY, stored=stored, store=kept_from_the_last_power_up(), shoe_nonce=OTHER_SHOE_NONCE)
    talk.run_to(0.25)
    talk.connect()
    talk.run_to(0.375)
    talk.commit()
    return talk


def insecure() -> Conversation:
    talk = Conversation(key=None, stored=None, store=ShoeStore())
    talk.run_to(0.25)
    talk.connect()
    talk.run_to(0.3125)
    talk.report(Standby())
    talk.pass_frames()
    talk.run_to(0.375)
    talk.commit()
    return talk
