"""The fields of every native frame and event by name, in the order of the wire, with their codes in words.

`PROTOCOL.md` has the same tables for people. Codes come from the layouts; names and sizes are here, and a test reads
every vector by them. Layouts that share a key share a field, so that one filter finds both.
"""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from firmware_protocol.cards import Card, Rank, Suit
from firmware_protocol.events import (
    Burn,
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
    Health,
    LidChanged,
    Misread,
    PresetChanged,
    ResultIndicated,
    ShoeEvent,
    Standby,
    StartCause,
    Started,
)
from firmware_protocol.native.event_layouts import BUTTONS, CARDS, FAULTS, GATES, HANDS, START_CAUSES, WINNERS
from firmware_protocol.native.messages import (
    CAPABILITY_BITS,
    LAMP_BITS,
    TAG_BYTES,
    FrameType,
    RejectReason,
)
from firmware_protocol.native.session import FRAME_TAG_BYTES


class Size(Enum):
    """What a field is on the wire; numbers are big-endian."""

    U8 = "u8"
    U16 = "u16"
    I16 = "i16"
    U32 = "u32"
    U64 = "u64"
    NONCE = "nonce"
    TEXT = "text"


class Field(NamedTuple):
    size: Size
    codes: Mapping[int, str] = {}
    """What each value means, where values are codes."""
    others: str = ""
    """What a value beside `codes` is taken as; where this is empty, such a value is not understood."""
    flags: Mapping[str, int] = {}
    """Key of each flag, and its mask."""
    absent: int | None = None
    """The value which says that there is none."""
    unit: str = ""
    hexadecimal: bool = False
    """Shown in hexadecimal digits: it means little as a number."""
    in_summary: bool = True
    """Whether it is worth a place in the one line about a frame."""


class Layout(NamedTuple):
    keys: tuple[str, ...]
    tag_bytes: int = 0
    """Bytes of the tag at its end."""
    given: str = ""
    """A coded field that must not be 0 in this layout."""


def in_words(name: str) -> str:
    return name.lower().replace("_", " ")


def _words(codes: Mapping[int, Enum | None], none: str) -> dict[int, str]:
    return {code: none if value is None else in_words(str(value.value)) for code, value in codes.items()}


def _face(card: Card | None) -> str:
    if card is None:
        return "not disclosed"
    rank, suit = Rank(card.value[0]), Suit(card.value[1])
    number = "10" if rank is Rank.TEN else rank.value
    return f"{number if number.isdigit() else in_words(rank.name)} of {in_words(suit.name)}"


CAPABILITY, LAMP = "has_", "lamp_"
"""How the keys of these flags begin; their names stand below the name of their field, and do without."""

HAND_WORDS = _words(HANDS, "none")
GATE_WORDS = {code: {None: "unspecified", False: "unlocked", True: "locked"}[locked] for code, locked in GATES.items()}

FIELDS: dict[str, Field] = {
    # The handshake.
    "oldest_version": Field(Size.U8),
    "newest_version": Field(Size.U8),
    "hello_flags": Field(Size.U8, flags={"insecure": 0x01}),
    "controller_nonce": Field(Size.NONCE, in_summary=False),
    "version": Field(Size.U8),
    "hello_oldest_version": Field(Size.U8, in_summary=False),
    "hello_newest_version": Field(Size.U8, in_summary=False),
    "shoe_nonce": Field(Size.NONCE, in_summary=False),
    "boot_id": Field(Size.U32, hexadecimal=True, in_summary=False),
    "start_cause": Field(Size.U8, codes=_words(START_CAUSES, ""), others=in_words(StartCause.UNKNOWN.value)),
    "capabilities": Field(
        Size.U16, flags={f"{CAPABILITY}{name}": 1 << bit for name, bit in CAPABILITY_BITS.items()}, in_summary=False
    ),
    "model": Field(Size.TEXT),
    "firmware": Field(Size.TEXT),
    "serial_number": Field(Size.TEXT),
    "sequence": Field(Size.U32),
    "reason": Field(Size.U8, codes={reason: in_words(reason.name) for reason in RejectReason}, others="unknown"),
    # Payloads of sealed frames.
    "age": Field(Size.U32, unit="ms"),
    "oldest_event": Field(Size.U32),
    "next_event": Field(Size.U32),
    "total": Field(Size.U32),
    "revision": Field(Size.U32),
    "status_flags": Field(Size.U8, flags={"recognised": 0x01, "gate_locked_by_silence": 0x02, "store_full": 0x04}),
    "gate": Field(Size.U8, codes=GATE_WORDS),
    "lamps": Field(Size.U8, flags={f"{LAMP}{lamp.value}": mask for lamp, mask in LAMP_BITS.items()}),
    "next_hand": Field(Size.U8, codes=HAND_WORDS),
    "unix_time": Field(Size.U64, unit="ms"),
    "seconds": Field(Size.U8, unit="s"),
    # Payloads of events.
    "hand": Field(Size.U8, codes=HAND_WORDS),
    "position": Field(Size.U8, absent=0),
    "card": Field(Size.U8, codes={code: _face(card) for code, card in CARDS.items()}, hexadecimal=True),
    "card_id": Field(Size.TEXT),
    "deck_set": Field(Size.TEXT),
    "burns_left": Field(Size.U8, absent=0xFF),
    "card_flags": Field(Size.U8, flags={"first_of_shoe": 0x01, "carried_over": 0x02}),
    "winner": Field(Size.U8, codes=_words(WINNERS, "none: forced end")),
    "result_flags": Field(Size.U8, flags={"player_pair": 0x01, "banker_pair": 0x02, "banker_six": 0x04}),
    "cards": Field(Size.U8),
    "lid": Field(Size.U8, codes={0: "closed", 1: "opened"}, others="opened"),
    "button": Field(Size.U8, codes=_words(BUTTONS, "")),
    "fault": Field(Size.U8, codes=_words(FAULTS, ""), others=in_words(FaultCode.OTHER.value)),
    "fault_flags": Field(Size.U8, flags={"stopped": 0x01, "detail_given": 0x02}),
    "detail": Field(Size.U32),
    "millivolts": Field(Size.U16),
    "celsius": Field(Size.I16),
    "cards_since_load": Field(Size.U16),
}

FRAMES: dict[FrameType, Layout] = {
    FrameType.HELLO: Layout(("oldest_version", "newest_version", "hello_flags", "controller_nonce")),
    FrameType.PROOF: Layout(("shoe_nonce", "boot_id", "sequence"), TAG_BYTES),
    FrameType.ACK: Layout(("boot_id", "sequence"), FRAME_TAG_BYTES),
    FrameType.NAK: Layout(("sequence",), FRAME_TAG_BYTES),
    FrameType.DESIRE: Layout(("revision", "gate", "lamps", "next_hand"), FRAME_TAG_BYTES),
    FrameType.CLOCK: Layout(("unix_time",), FRAME_TAG_BYTES),
    FrameType.IDENTIFY: Layout(("seconds",), FRAME_TAG_BYTES),
    FrameType.AWAKE: Layout(()),
    FrameType.CHALLENGE: Layout(
        (
            "version",
            "oldest_version",
            "newest_version",
            "hello_oldest_version",
            "hello_newest_version",
            "hello_flags",
            "controller_nonce",
            "shoe_nonce",
            "boot_id",
            "start_cause",
            "capabilities",
            "model",
            "firmware",
            "serial_number",
        ),
        TAG_BYTES,
    ),
    FrameType.REJECT: Layout(("reason", "oldest_version", "newest_version", "controller_nonce")),
    FrameType.EVENT: Layout(("boot_id", "sequence", "age"), FRAME_TAG_BYTES),
    FrameType.STATUS: Layout(("oldest_event", "next_event", "total", "revision", "status_flags"), FRAME_TAG_BYTES),
}
"""What follows the type, and in a sealed frame the counter; the kind and the event follow the fields of EVENT."""

_IDS = ("card_id", "deck_set")

EVENTS: dict[type[ShoeEvent], Layout] = {
    Started: Layout(("start_cause",)),
    Standby: Layout(()),
    CardIdentified: Layout(("hand", "position", "card", *_IDS), given="hand"),
    ResultIndicated: Layout(("winner", "result_flags")),
    CutCard: Layout(()),
    Burn: Layout(("cards",)),
    CardReturned: Layout(("card", "card_id")),
    GateChanged: Layout(("gate",)),
    LidChanged: Layout(("lid",)),
    ButtonPressed: Layout(("button",)),
    Fault: Layout(("fault", "fault_flags", "detail")),
    FaultCleared: Layout(("fault", "fault_flags", "detail")),
    PresetChanged: Layout(()),
    Health: Layout(("millivolts", "celsius", "cards_since_load")),
    CardDrawn: Layout(("total", "hand", "position", "card", "burns_left", "card_flags", *_IDS)),
    DoubleFeed: Layout(("total", "cards")),
    Misread: Layout(("total", "hand", "position")),
    ForeignCard: Layout(("total", "hand", "position", "card", *_IDS)),
}
