"""Payload layout of each shoe event in an EVENT frame; the tables are in `PROTOCOL.md`, "Events".

Numbers are big-endian. A payload may be longer than its layout (a newer shoe may append fields); the rest is ignored.
A payload that cannot be decoded must keep its place in the sequence: `decode_event` then returns the fault OTHER
with the kind as its detail, so that a person is alerted.
"""

import struct
from collections.abc import Callable
from typing import Any, Generic, TypeVar

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
    IndicatedWinner,
    LidChanged,
    Misread,
    PresetChanged,
    ResultIndicated,
    ShoeEvent,
    Standby,
    StartCause,
    Started,
)
from firmware_protocol.native.texts import UnsendableError, pack_text, unpack_text

HANDS: dict[int, Hand | None] = {0: None, 1: Hand.PLAYER, 2: Hand.BANKER, 3: Hand.BURN, 4: Hand.EXTRA}
START_CAUSES = {
    0: StartCause.UNKNOWN,
    1: StartCause.POWER_ON,
    2: StartCause.BROWN_OUT,
    3: StartCause.WATCHDOG,
    4: StartCause.RESET_BUTTON,
    5: StartCause.FIRMWARE_UPDATE,
}
WINNERS: dict[int, IndicatedWinner | None] = {
    0: None,
    1: IndicatedWinner.PLAYER,
    2: IndicatedWinner.BANKER,
    3: IndicatedWinner.TIE,
}
BUTTONS = {
    1: Button.RESULT,
    2: Button.NO_MORE_BETS,
    3: Button.NEW_SHOE,
    4: Button.BURN,
    5: Button.CALL_SUPERVISOR,
}
FAULTS = {
    0: FaultCode.OTHER,
    1: FaultCode.UNREADABLE,
    2: FaultCode.OVER_DRAW,
    3: FaultCode.BUTTON_MISUSED,
    4: FaultCode.PUSHED_BACK_AT_EXIT,
    5: FaultCode.PUSHED_BACK_HALF_WAY,
    6: FaultCode.FOREIGN_CARD,
    7: FaultCode.DRAW_TIMEOUT,
    8: FaultCode.JAM,
    9: FaultCode.SENSOR,
    10: FaultCode.GATE_FORCED,
    11: FaultCode.LOW_VOLTAGE,
    12: FaultCode.OVER_TEMPERATURE,
    13: FaultCode.EVENT_STORE_FULL,
}
GATES = {0: None, 1: False, 2: True}
"""Codes of the gate: unspecified, unlocked, locked."""
CARDS: dict[int, Card | None] = {0: None} | {
    (suit << 4) | rank: Card(f"{'A23456789TJQK'[rank - 1]}{'CDHS'[suit - 1]}")
    for suit in range(1, 5)
    for rank in range(1, 14)
}
"""High half of the byte: suit (1 clubs, 2 diamonds, 3 hearts, 4 spades); low half: rank (1 ace, 13 king)."""

HAND_CODES = {hand: code for code, hand in HANDS.items()}
START_CAUSE_CODES = {cause: code for code, cause in START_CAUSES.items()}
GATE_CODES = {locked: code for code, locked in GATES.items()}
_WINNER_CODES = {winner: code for code, winner in WINNERS.items()}
_BUTTON_CODES = {button: code for code, button in BUTTONS.items()}
_FAULT_CODES = {fault: code for code, fault in FAULTS.items()}
_CARD_CODES = {card: code for code, card in CARDS.items()}

_DRAWN = struct.Struct(">IBBBBB")
_DOUBLE_FEED = struct.Struct(">IB")
_MISREAD = struct.Struct(">IBB")
_FOREIGN = struct.Struct(">IBBB")
_FAULT = struct.Struct(">BBI")
_HEALTH = struct.Struct(">HhH")

_FIRST_OF_SHOE = 0x01
_CARRIED_OVER = 0x02
_STOPPED = 0x01
_HAS_DETAIL = 0x02
_NO_BURNS = 0xFF
_NO_TEXTS = b"\0\0"
_PLAIN_DRAWN = bytes((_NO_BURNS, 0)) + _NO_TEXTS
"""The end of most card payloads: no burns left given, no flags, no texts."""


def cards_leaving(event: AnyShoeEvent) -> int:
    """Number of cards that left the shoe with this event, which is what it adds to the lifetime total."""
    if isinstance(event, CardDrawn):
        return 0 if event.carried_over else 1
    if isinstance(event, DoubleFeed):
        return event.cards
    return 1 if isinstance(event, Misread | ForeignCard) else 0


def encode_event(event: AnyShoeEvent) -> bytes:
    """Return the kind byte and the payload."""
    layout = _BY_TYPE[type(event)]
    try:
        return bytes((layout.kind,)) + layout.pack(event)
    except UnsendableError:
        raise
    except (struct.error, ValueError, TypeError) as error:
        raise UnsendableError(f"{event} has a value that does not fit its place on the wire: {error}") from error


def decode_event(kind: int, payload: bytes) -> AnyShoeEvent:
    try:
        return _UNPACK[kind](payload)
    except (struct.error, LookupError, ValueError):
        return Fault(code=FaultCode.OTHER, detail=kind)


def _position(position: int | None) -> int:
    if position == 0:
        raise UnsendableError("position 0 cannot be sent: the first card of a hand is position 1")
    return position or 0


def _pack_ids(*texts: str | None) -> bytes:
    if "" in texts:
        raise UnsendableError("an empty card id or deck set cannot be sent: leave it out")
    return b"".join([pack_text(text or "") for text in texts])


def _unpack_ids(payload: bytes, at: int) -> tuple[str | None, str | None]:
    if payload[at : at + 2] == _NO_TEXTS:
        return None, None
    card_id, at = unpack_text(payload, at)
    deck_set, _ = unpack_text(payload, at)
    return card_id or None, deck_set or None


def _pack_drawn(event: CardDrawn) -> bytes:
    if event.burns_left == _NO_BURNS:
        raise UnsendableError(f"{_NO_BURNS} burns left cannot be sent: at most {_NO_BURNS - 1}")
    return _DRAWN.pack(
        event.total,
        HAND_CODES[event.hand],
        _position(event.position),
        _CARD_CODES[event.card],
        _NO_BURNS if event.burns_left is None else event.burns_left,
        event.first_of_shoe * _FIRST_OF_SHOE | event.carried_over * _CARRIED_OVER,
    ) + _pack_ids(event.card_id, event.deck_set)


def _unpack_drawn(payload: bytes) -> CardDrawn:
    total, hand, position, card, burns_left, flags = _DRAWN.unpack_from(payload)
    if payload[7:] == _PLAIN_DRAWN:
        return CardDrawn(hand=HANDS[hand], position=position or None, card=CARDS[card], total=total)
    card_id, deck_set = _unpack_ids(payload, 9)
    return CardDrawn(
        hand=HANDS[hand],
        position=position or None,
        card=CARDS[card],
        card_id=card_id,
        deck_set=deck_set,
        burns_left=None if burns_left == _NO_BURNS else burns_left,
        first_of_shoe=flags & _FIRST_OF_SHOE != 0,
        carried_over=flags & _CARRIED_OVER != 0,
        total=total,
    )


def _pack_identified(event: CardIdentified) -> bytes:
    place = bytes((HAND_CODES[event.hand], _position(event.position), _CARD_CODES[event.card]))
    return place + _pack_ids(event.card_id, event.deck_set)


def _unpack_identified(payload: bytes) -> CardIdentified:
    hand = HANDS[payload[0]]
    if hand is None:
        raise ValueError("an identified card without a hand")
    card_id, deck_set = _unpack_ids(payload, 3)
    card = CARDS[payload[2]]
    return CardIdentified(hand=hand, position=payload[1] or None, card=card, card_id=card_id, deck_set=deck_set)


def _pack_foreign(event: ForeignCard) -> bytes:
    place = (HAND_CODES[event.hand], _position(event.position), _CARD_CODES[event.card])
    return _FOREIGN.pack(event.total, *place) + _pack_ids(event.card_id, event.deck_set)


def _unpack_foreign(payload: bytes) -> ForeignCard:
    total, hand, position, card = _FOREIGN.unpack_from(payload)
    card_id, deck_set = _unpack_ids(payload, 7)
    return ForeignCard(
        hand=HANDS[hand],
        position=position or None,
        card=CARDS[card],
        card_id=card_id,
        deck_set=deck_set,
        total=total,
    )


def _pack_misread(event: Misread) -> bytes:
    return _MISREAD.pack(event.total, HAND_CODES[event.hand], _position(event.position))


def _unpack_misread(payload: bytes) -> Misread:
    total, hand, position = _MISREAD.unpack_from(payload)
    return Misread(hand=HANDS[hand], position=position or None, total=total)


def _unpack_double_feed(payload: bytes) -> DoubleFeed:
    total, cards = _DOUBLE_FEED.unpack_from(payload)
    return DoubleFeed(cards=cards, total=total)


def _pack_result(event: ResultIndicated) -> bytes:
    return bytes((_WINNER_CODES[event.winner], event.player_pair | event.banker_pair << 1 | event.banker_six << 2))


def _unpack_result(payload: bytes) -> ResultIndicated:
    flags = payload[1]
    return ResultIndicated(
        winner=WINNERS[payload[0]],
        player_pair=flags & 1 != 0,
        banker_pair=flags & 2 != 0,
        banker_six=flags & 4 != 0,
    )


def _pack_returned(event: CardReturned) -> bytes:
    return bytes((_CARD_CODES[event.card],)) + _pack_ids(event.card_id)


def _unpack_returned(payload: bytes) -> CardReturned:
    card_id, _ = unpack_text(payload, 1)
    return CardReturned(card=CARDS[payload[0]], card_id=card_id or None)


def _pack_fault(event: Fault | FaultCleared) -> bytes:
    stopped = isinstance(event, Fault) and event.stopped
    flags = stopped * _STOPPED | (event.detail is not None) * _HAS_DETAIL
    return _FAULT.pack(_FAULT_CODES[event.code], flags, event.detail or 0)


def _unpack_fault(payload: bytes) -> Fault:
    code, flags, detail = _FAULT.unpack_from(payload)
    return Fault(
        code=FAULTS.get(code, FaultCode.OTHER),
        stopped=flags & _STOPPED != 0,
        detail=detail if flags & _HAS_DETAIL else None,
    )


def _unpack_fault_cleared(payload: bytes) -> FaultCleared:
    code, flags, detail = _FAULT.unpack_from(payload)
    return FaultCleared(code=FAULTS.get(code, FaultCode.OTHER), detail=detail if flags & _HAS_DETAIL else None)


def _unpack_health(payload: bytes) -> Health:
    millivolts, celsius, cards_since_load = _HEALTH.unpack_from(payload)
    return Health(millivolts=millivolts, celsius=celsius, cards_since_load=cards_since_load)


_Kind = TypeVar("_Kind", bound=ShoeEvent)


class _Layout(Generic[_Kind]):
    def __init__(
        self, kind: int, event: type[_Kind], pack: Callable[[_Kind], bytes], unpack: Callable[[bytes], _Kind]
    ) -> None:
        self.kind = kind
        self.event = event
        self.pack = pack
        self.unpack = unpack


_LAYOUTS: tuple[_Layout[Any], ...] = (
    _Layout(
        0x01,
        Started,
        lambda event: bytes((START_CAUSE_CODES[event.cause],)),
        lambda payload: Started(cause=START_CAUSES.get(payload[0], StartCause.UNKNOWN)),
    ),
    _Layout(0x02, Standby, lambda _: b"", lambda _: Standby()),
    _Layout(0x03, CardIdentified, _pack_identified, _unpack_identified),
    _Layout(0x04, ResultIndicated, _pack_result, _unpack_result),
    _Layout(0x05, CutCard, lambda _: b"", lambda _: CutCard()),
    _Layout(0x06, Burn, lambda event: bytes((event.cards,)), lambda payload: Burn(cards=payload[0])),
    _Layout(0x07, CardReturned, _pack_returned, _unpack_returned),
    _Layout(
        0x08,
        GateChanged,
        lambda event: bytes((GATE_CODES[event.locked],)),
        lambda payload: GateChanged(locked=GATES[payload[0]]),
    ),
    _Layout(0x09, LidChanged, lambda event: bytes((event.opened,)), lambda payload: LidChanged(opened=payload[0] != 0)),
    _Layout(
        0x0A,
        ButtonPressed,
        lambda event: bytes((_BUTTON_CODES[event.button],)),
        lambda payload: ButtonPressed(button=BUTTONS[payload[0]]),
    ),
    _Layout(0x0B, Fault, _pack_fault, _unpack_fault),
    _Layout(0x0C, FaultCleared, _pack_fault, _unpack_fault_cleared),
    _Layout(0x0D, PresetChanged, lambda _: b"", lambda _: PresetChanged()),
    _Layout(
        0x0E,
        Health,
        lambda event: _HEALTH.pack(event.millivolts, event.celsius, event.cards_since_load),
        _unpack_health,
    ),
    _Layout(0x10, CardDrawn, _pack_drawn, _unpack_drawn),
    _Layout(0x11, DoubleFeed, lambda event: _DOUBLE_FEED.pack(event.total, event.cards), _unpack_double_feed),
    _Layout(0x12, Misread, _pack_misread, _unpack_misread),
    _Layout(0x13, ForeignCard, _pack_foreign, _unpack_foreign),
)
_UNPACK: dict[int, Callable[[bytes], AnyShoeEvent]] = {layout.kind: layout.unpack for layout in _LAYOUTS}
_BY_TYPE = {layout.event: layout for layout in _LAYOUTS}

KINDS: dict[int, type[ShoeEvent]] = {layout.kind: layout.event for layout in _LAYOUTS}
"""The event of each kind byte."""
