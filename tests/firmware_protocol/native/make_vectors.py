"""Writes `firmware_protocol/native/vectors.json`: frames and handshakes byte by byte, from our own two ends.

    python -m tests.firmware_protocol.native.make_vectors

`PROTOCOL.md`, section 11, says what is in the file. A test compares it with what this makes.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

import firmware_protocol.native
from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    Burn,
    Button,
    ButtonPressed,
    CardDrawn,
    CardIdentified,
    CardReturned,
    CutCard,
    DoubleFeed,
    Fault,
    FaultCleared,
    FaultCode,
    ForeignCard,
    GateChanged,
    Hand,
    Health,
    LidChanged,
    Misread,
    PresetChanged,
    ResultIndicated,
    Standby,
    StartCause,
    Started,
    Winner,
)
from firmware_protocol.link import Delivery, DesiredShoe, Lamp, ShoeIdentity
from firmware_protocol.native.controller import NativeController
from firmware_protocol.native.event_layouts import encode_event
from firmware_protocol.native.framing import encode_frame
from firmware_protocol.native.messages import TAG_BYTES, FrameType, Hello, Versions
from firmware_protocol.native.progress import LastCommitted
from firmware_protocol.native.session import controller_tag, session_keys, shared_key, shoe_tag
from firmware_protocol.native.shoe import NativeShoe
from firmware_protocol.native.store import ShoeStore
from tests.firmware_protocol.native.frame_fields import frame
from tests.firmware_protocol.native.line import bodies

FILE = Path(firmware_protocol.native.__file__).parent / "vectors.json"

KEY = bytes.fromhex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
CONTROLLER_NONCE = bytes.fromhex("c0c1c2c3c4c5c6c7c8c9cacbcccdcecf")
SHOE_NONCE = bytes.fromhex("50515253545556575859005b5c5d5e00")
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

EVENTS: list[AnyShoeEvent] = [
    *(Started(cause=cause) for cause in StartCause),
    Standby(),
    CardIdentified(hand=Hand.PLAYER, position=1, card=Card("2S")),
    CardIdentified(hand=Hand.EXTRA, card_id="E2801160", deck_set="SET-9"),
    ResultIndicated(winner=Winner.PLAYER, player_pair=True),
    ResultIndicated(winner=Winner.BANKER, banker_pair=True, banker_six=True),
    ResultIndicated(winner=Winner.TIE),
    ResultIndicated(winner=None),
    CutCard(),
    Burn(cards=4),
    CardReturned(),
    CardReturned(card=Card("KD"), card_id="E2801160"),
    GateChanged(locked=None),
    GateChanged(locked=False),
    GateChanged(locked=True),
    LidChanged(opened=False),
    LidChanged(opened=True),
    *(ButtonPressed(button=button) for button in Button),
    *(Fault(code=code) for code in FaultCode),
    Fault(code=FaultCode.JAM, stopped=True, detail=0),
    Fault(code=FaultCode.OTHER, detail=0xDEADBEEF),
    *(FaultCleared(code=code) for code in FaultCode),
    FaultCleared(code=FaultCode.SENSOR, detail=7),
    PresetChanged(),
    Health(millivolts=3290, celsius=-11, cards_since_load=208),
    *(CardDrawn(hand=Hand.BANKER, position=2, card=card, total=1000 + number) for number, card in enumerate(Card)),
    CardDrawn(total=1),
    CardDrawn(
        hand=Hand.BURN,
        position=10,
        card=Card("TC"),
        card_id="E280116060000209",
        deck_set="GREEN 41",
        burns_left=0,
        first_of_shoe=True,
        carried_over=True,
        total=0xFFFFFFFF,
    ),
    DoubleFeed(cards=2, total=301),
    Misread(total=302),
    Misread(hand=Hand.PLAYER, position=3, total=303),
    ForeignCard(total=304),
    ForeignCard(hand=Hand.BANKER, position=1, card=Card("9H"), card_id="X", deck_set="RED", total=305),
]


class Conversation:
    """Our two ends, on a line that loses what it is told to."""

    def __init__(self, key: bytes | None, last_committed: LastCommitted | None, store: ShoeStore) -> None:
        insecure = key is None
        self.now = 0.0
        self.frames: list[dict[str, Any]] = []
        self.deliveries: list[Delivery] = []
        self.shoe = NativeShoe(
            identity=SHOE, store=store, nonce=lambda: SHOE_NONCE, now=0.0, key=key, insecure=insecure
        )
        self.controller = NativeController(
            key=key, insecure=insecure, nonce=lambda: CONTROLLER_NONCE, last_committed=last_committed
        )
        self.shoe.connected(0.0)
        self.controller.connected(0.0)

    def pass_frames(self, is_lost: Callable[[dict[str, Any]], bool] = lambda _: False) -> None:
        """Carry frames to and fro until both sides have said what they have to say."""
        while True:
            sent = [("shoe", body) for body in bodies(self.shoe.to_send())]
            sent += [("controller", body) for body in bodies(self.controller.to_send())]
            if not sent:
                return
            for sender, body in sent:
                shown = frame(sender, body)
                shown["lost"] = is_lost(shown)
                self.frames.append(shown)
                if shown["lost"]:
                    continue
                if sender == "shoe":
                    found = self.controller.receive(encode_frame(body), self.now)
                    self.deliveries += [item for item in found if isinstance(item, Delivery)]
                else:
                    self.shoe.receive(encode_frame(body), self.now)

    def commit(self) -> None:
        self.controller.committed(self.deliveries[-1], self.now)
        self.pass_frames()

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.controller.tick(self.now)
        self.shoe.tick(self.now)
        self.pass_frames()


def secure_conversation() -> Conversation:
    """A shoe that restarted with three events that the controller has in part, and what follows."""
    store = ShoeStore(next_sequence=40, card_total=5000, acknowledged_boot_id=OLD_BOOT_ID, acknowledged_sequence=39)
    for event in (
        CardDrawn(hand=Hand.PLAYER, position=1, card=Card("9H")),
        CardDrawn(hand=Hand.BANKER, position=1, card=Card("KS"), card_id="E280116060000209"),
    ):
        store.add(event, OLD_BOOT_ID, 1.0)
    talk = Conversation(KEY, LastCommitted(boot_id=OLD_BOOT_ID, sequence=40, total=5001), store)
    talk.controller.want(DesiredShoe(gate_locked=False, next_hand=Hand.PLAYER), 0.0)
    talk.controller.set_clock(1_700_000_000.0, 0.0)
    talk.shoe.report(Started(cause=StartCause.WATCHDOG), 0.0)
    talk.now = 0.25
    talk.pass_frames()
    talk.commit()
    talk.now = 0.5
    # The first of two cards is lost; the controller asks for it, and gets both.
    talk.shoe.report(CardDrawn(hand=Hand.PLAYER, position=2, card=Card("AC")), talk.now)
    talk.pass_frames(lambda shown: shown["type"] == "EVENT")
    talk.now = 0.51
    talk.shoe.report(Misread(hand=Hand.BANKER, position=2), talk.now)
    talk.pass_frames()
    talk.commit()
    desired = DesiredShoe(gate_locked=True, lamps=frozenset({Lamp.BANKER, Lamp.ALERT}))
    talk.controller.want(desired, talk.now)
    talk.controller.identify(10, talk.now)
    talk.pass_frames()
    talk.wait(0.5)
    return talk


def refused(talk: Conversation) -> Iterator[dict[str, Any]]:
    """Frames that must change nothing after that conversation."""
    last = {
        sender: bytes.fromhex(next(shown["body"] for shown in reversed(talk.frames) if shown["from"] == sender))
        for sender in ("shoe", "controller")
    }
    event = bytes.fromhex(next(shown["body"] for shown in reversed(talk.frames) if shown["type"] == "EVENT"))
    for by, body, why in (
        ("controller", last["shoe"], "replayed: its counter is not above the last"),
        ("shoe", last["controller"], "replayed: its counter is not above the last"),
        ("controller", event, "replayed: its counter is not above the last"),
        ("controller", event[:1] + (99).to_bytes(8, "big") + event[9:], "forged: the counter is under the tag"),
        ("controller", event[:-1] + bytes((event[-1] ^ 1,)), "forged: the tag is wrong"),
        ("controller", event[:26] + bytes((event[26] ^ 1,)) + event[27:], "forged: the payload is under the tag"),
        ("controller", last["controller"], "reflected: a frame of its own direction"),
        ("controller", bytes((FrameType.STATUS,)) + last["controller"][1:], "reflected under the shoe's type"),
        ("shoe", last["shoe"], "reflected: a frame of its own direction"),
    ):
        yield {"by": by, "body": body.hex(), "wire": encode_frame(body).hex(), "why": why}


def rejected() -> Iterator[dict[str, Any]]:
    """A HELLO that a shoe cannot answer, and what it says to it."""
    for versions, insecure, shoe_key in (
        (Versions(2, 4), False, KEY),
        (Versions(1, 1), True, KEY),
        (Versions(1, 1), False, None),
    ):
        hello = Hello(versions, insecure, CONTROLLER_NONCE).body()
        talk = Conversation(shoe_key, None, ShoeStore())
        talk.shoe.to_send()
        talk.shoe.receive(encode_frame(hello), 0.0)
        (reject,) = bodies(talk.shoe.to_send())
        yield {
            "shoe_has_a_key": shoe_key is not None,
            "hello": frame("controller", hello),
            "reject": frame("shoe", reject),
        }


def keys(talk: Conversation) -> dict[str, str]:
    challenge = bytes.fromhex(next(shown["body"] for shown in talk.frames if shown["type"] == "CHALLENGE"))[:-TAG_BYTES]
    proof = bytes.fromhex(next(shown["body"] for shown in talk.frames if shown["type"] == "PROOF"))[:-TAG_BYTES]
    from_shoe, to_shoe = session_keys(KEY, challenge)
    return {
        "key": KEY.hex(),
        "challenge": challenge.hex(),
        "proof": proof.hex(),
        "shoe_tag": shoe_tag(KEY, challenge).hex(),
        "controller_tag": controller_tag(KEY, challenge, proof).hex(),
        "key_from_shoe": from_shoe.hex(),
        "key_to_shoe": to_shoe.hex(),
    }


def framing() -> list[dict[str, str]]:
    chosen = [b"\x01", b"\x00", b"\x00\x00\x00", b"123456789", b"\x11\x00\x22", bytes(range(240)), b"\xff" * 240]
    return [{"body": body.hex(), "wire": encode_frame(body).hex()} for body in chosen]


def bad_framing() -> list[dict[str, str]]:
    good = encode_frame(b"123456789")[:-1]
    return [
        {"between_zeros": good[:-1].hex(), "why": "cut short"},
        {"between_zeros": (good[:3] + b"\x99" + good[4:]).hex(), "why": "wrong crc"},
        {"between_zeros": (b"\x20" + good[1:]).hex(), "why": "not COBS: the last block runs over the end"},
        {"between_zeros": b"\x03\xff\xff".hex(), "why": "no body: this is the crc of nothing"},
        {"between_zeros": (b"\x01" * 244).hex(), "why": "longer than any frame"},
    ]


def make() -> dict[str, Any]:
    talk = secure_conversation()
    open_talk = Conversation(None, None, ShoeStore())
    open_talk.shoe.report(Standby(), 0.0)
    open_talk.pass_frames()
    return {
        "protocol_version": 1,
        "framing": framing(),
        "bad_framing": bad_framing(),
        "events": [{"event": msgspec.to_builtins(event), "bytes": encode_event(event).hex()} for event in EVENTS],
        "keys": keys(talk),
        "conversation": {
            "key": KEY.hex(),
            "controller_nonce": CONTROLLER_NONCE.hex(),
            "shoe_nonce": SHOE_NONCE.hex(),
            "stored_last": {"boot_id": OLD_BOOT_ID, "sequence": 40, "total": 5001},
            "frames": talk.frames,
        },
        "refused": list(refused(talk)),
        "rejected": list(rejected()),
        "insecure": {"key": shared_key(None, insecure=True).hex(), "frames": open_talk.frames},
    }


def text() -> str:
    """Each frame and event on one line, so that a change shows as what it is."""
    made = make()
    parts = []
    for name, value in made.items():
        if isinstance(value, list):
            lines = ",\n".join(f"    {json.dumps(item)}" for item in value)
            parts.append(f"  {json.dumps(name)}: [\n{lines}\n  ]")
        elif isinstance(value, dict) and "frames" in value:
            rest = "".join(
                f"    {json.dumps(key)}: {json.dumps(item)},\n" for key, item in value.items() if key != "frames"
            )
            lines = ",\n".join(f"      {json.dumps(item)}" for item in value["frames"])
            parts.append(f'  {json.dumps(name)}: {{\n{rest}    "frames": [\n{lines}\n    ]\n  }}')
        else:
            parts.append(f"  {json.dumps(name)}: {json.dumps(value, indent=4)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
