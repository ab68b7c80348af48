"""The content of telegrams, between number and ETX, decoded to events and encoded back.

Nothing is guessed about a card: a place, card, result or error byte that is not in the tables of PROTOCOL.md is a
`BadTelegramError`. An unknown letter becomes an event, a fault of its own, so that the numbering of the
telegrams goes on.
"""

from collections.abc import Callable

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    CardDrawn,
    CardIdentified,
    CutCard,
    Fault,
    FaultCleared,
    FaultCode,
    GateChanged,
    Hand,
    IndicatedWinner,
    PresetChanged,
    ResultIndicated,
    ShoeEvent,
    Standby,
    Started,
)
from firmware_protocol.link import LinkUsageError

NOT_DISCLOSED = 0x80
UNKNOWN_LETTER = 0x100
"""Added to an unknown letter's byte to make the `detail` of the fault that reports it."""

_SUITS = {1: "D", 2: "C", 3: "S", 4: "H"}
_RANKS = dict(enumerate("A23456789TJQK", start=1))
_CARD_OF_BYTE: dict[int, Card | None] = {
    NOT_DISCLOSED: None,
    **{0x80 | suit << 4 | rank: Card(_RANKS[rank] + _SUITS[suit]) for suit in _SUITS for rank in _RANKS},
}
_BYTE_OF_CARD = {card: byte for byte, card in _CARD_OF_BYTE.items()}

_PLAYER, _BANKER, _BURN, _FIRST_OF_SHOE, _BURNS_LEFT = 0, 1, 2, 4, 5
"""The targets: bits 4 to 6 of a place byte."""
_HANDS = {_PLAYER: Hand.PLAYER, _BANKER: Hand.BANKER}
_EXTRA_PLACE = 0xA0
"""Place of the only extra card in the capture. Sites see other values too; what they distinguish is uncertain."""

_RESULTS = {
    1: (IndicatedWinner.PLAYER, False),
    2: (IndicatedWinner.TIE, False),
    4: (IndicatedWinner.BANKER, False),
    5: (IndicatedWinner.BANKER, True),
    7: (None, False),
}
_BITS_OF_RESULT = {result: bits for bits, result in _RESULTS.items()}

FAULT_NUMBERS = {
    FaultCode.UNREADABLE: 1,
    FaultCode.OVER_DRAW: 2,
    FaultCode.BUTTON_MISUSED: 3,
    FaultCode.PUSHED_BACK_AT_EXIT: 4,
    FaultCode.PUSHED_BACK_HALF_WAY: 5,
    FaultCode.FOREIGN_CARD: 6,
    FaultCode.DRAW_TIMEOUT: 7,
}
_FAULT_OF_NUMBER = {number: code for code, number in FAULT_NUMBERS.items()}


_LETTER_ALONE: dict[type[ShoeEvent], bytes] = {
    Started: b"S",
    Standby: b"P",
    GateChanged: b"L",
    PresetChanged: b"M",
    CutCard: b"C",
}


class BadTelegramError(ValueError):
    """A telegram with correct check characters and impossible content."""


class NotOnThisWireError(LinkUsageError):
    """An event for which this shoe has no telegram."""


def fault_of_number(number: int) -> FaultCode:
    return _FAULT_OF_NUMBER.get(number, FaultCode.OTHER)


def decode_data(data: bytes) -> AnyShoeEvent:
    reader = _READERS.get(data[:1])
    if reader is None:
        return Fault(code=FaultCode.OTHER, detail=UNKNOWN_LETTER + data[0])
    return reader(data[1:])


def encode_event(event: AnyShoeEvent) -> bytes:
    match event:
        case CardDrawn():
            return _encode_drawn(event)
        case CardIdentified():
            return _encode_identified(event)
        case ResultIndicated():
            return _encode_result(event)
        case Fault():
            return bytes((ord("E"), 0x80 | event.stopped << 6 | _fault_number(event)))
        case FaultCleared():
            return bytes((ord("e"), 0x80 | _fault_number(event)))
    letter = _LETTER_ALONE.get(type(event))
    if letter is None:
        raise NotOnThisWireError(f"an Angel Eye shoe has no telegram for {type(event).__name__}")
    return letter


def _read_started(rest: bytes) -> Started:
    _expect_length(rest, 0)
    return Started()


def _read_standby(rest: bytes) -> Standby:
    _expect_length(rest, 0)
    return Standby()


def _read_drawn(rest: bytes) -> CardDrawn:
    target, index, card = _read_place_and_card(rest)
    match target:
        case 0 | 1:
            return CardDrawn(hand=_HANDS[target], position=_read_position(index), card=card)
        case 2:
            return CardDrawn(hand=Hand.BURN, position=index or None, card=card)
        case 4:
            return CardDrawn(hand=Hand.BURN, first_of_shoe=True, card=card)
        case 5:
            return CardDrawn(hand=Hand.BURN, burns_left=index, card=card)
        case _:
            raise BadTelegramError(f"place {rest[0]:02x} is nothing that a card could be drawn to")


def _read_identified(rest: bytes) -> CardIdentified:
    target, index, card = _read_place_and_card(rest)
    match target:
        case 0 | 1:
            return CardIdentified(hand=_HANDS[target], position=_read_position(index), card=card)
        case 2:
            return CardIdentified(hand=Hand.BURN, position=index or None, card=card)
        case 4 | 5:
            return CardIdentified(hand=Hand.BURN, card=card)
        case _:
            raise BadTelegramError(f"place {rest[0]:02x} is nothing that a card could be drawn to")


def _read_carried_over(rest: bytes) -> CardDrawn:
    target, index, card = _read_place_and_card(rest)
    if target not in _HANDS:
        raise BadTelegramError(f"place {rest[0]:02x} is not a hand that an extra card could begin")
    return CardDrawn(hand=_HANDS[target], position=_read_position(index), card=card, carried_over=True)


def _read_extra(rest: bytes) -> CardDrawn:
    _, _, card = _read_place_and_card(rest)
    return CardDrawn(hand=Hand.EXTRA, card=card)


def _read_extra_identified(rest: bytes) -> CardIdentified:
    _, _, card = _read_place_and_card(rest)
    return CardIdentified(hand=Hand.EXTRA, card=card)


def _read_result(rest: bytes) -> ResultIndicated:
    _expect_length(rest, 1)
    byte = rest[0]
    result = _RESULTS.get(byte >> 4 & 7)
    if byte < 0x80 or result is None or byte & 0x0C:
        raise BadTelegramError(f"{byte:02x} is not a result")
    winner, banker_six = result
    return ResultIndicated(winner=winner, banker_six=banker_six, player_pair=bool(byte & 1), banker_pair=bool(byte & 2))


def _read_fault(rest: bytes) -> Fault:
    number = _read_fault_number(rest)
    return Fault(code=fault_of_number(number), stopped=bool(rest[0] & 0x40), detail=number)


def _read_fault_cleared(rest: bytes) -> FaultCleared:
    number = _read_fault_number(rest)
    return FaultCleared(code=fault_of_number(number), detail=number)


def _read_lock(_rest: bytes) -> GateChanged:
    return GateChanged(locked=None)


def _read_preset(_rest: bytes) -> PresetChanged:
    return PresetChanged()


def _read_cut_card(_rest: bytes) -> CutCard:
    return CutCard()


# No source shows a whole L, M or C telegram, so whatever follows their letter is ignored.
_READERS: dict[bytes, Callable[[bytes], AnyShoeEvent]] = {
    b"S": _read_started,
    b"P": _read_standby,
    b"D": _read_drawn,
    b"I": _read_identified,
    b"G": _read_result,
    b"d": _read_extra,
    b"i": _read_extra_identified,
    b"R": _read_carried_over,
    b"E": _read_fault,
    b"e": _read_fault_cleared,
    b"L": _read_lock,
    b"M": _read_preset,
    b"C": _read_cut_card,
}


def _expect_length(rest: bytes, length: int) -> None:
    if len(rest) != length:
        raise BadTelegramError(f"{len(rest)} bytes after the letter instead of {length}")


def _read_place_and_card(rest: bytes) -> tuple[int, int, Card | None]:
    _expect_length(rest, 2)
    place, card = rest
    if place < 0x80:
        raise BadTelegramError(f"{place:02x} is not a place")
    if card not in _CARD_OF_BYTE:
        raise BadTelegramError(f"{card:02x} is not a card")
    return place >> 4 & 7, place & 15, _CARD_OF_BYTE[card]


def _read_position(index: int) -> int:
    if index == 0:
        raise BadTelegramError("a hand has no card number 0")
    return index


def _read_fault_number(rest: bytes) -> int:
    _expect_length(rest, 1)
    if rest[0] < 0x80:
        raise BadTelegramError(f"{rest[0]:02x} is not an error")
    return rest[0] & 0x3F


def _encode_drawn(event: CardDrawn) -> bytes:
    card = _BYTE_OF_CARD[event.card]
    if event.hand is Hand.EXTRA:
        return bytes((ord("d"), _EXTRA_PLACE, card))
    if event.carried_over:
        if event.hand is Hand.BURN:
            raise NotOnThisWireError("a card that is carried over begins a hand; it cannot be a burn")
        return bytes((ord("R"), _encode_place(event.hand, event.position), card))
    if event.first_of_shoe:
        place = 0x80 | _FIRST_OF_SHOE << 4
    elif event.burns_left is not None:
        if event.burns_left not in range(16):
            raise NotOnThisWireError(f"the wire cannot express {event.burns_left} burns left, only 0 to 15")
        place = 0x80 | _BURNS_LEFT << 4 | event.burns_left
    else:
        place = _encode_place(event.hand, event.position)
    return bytes((ord("D"), place, card))


def _encode_identified(event: CardIdentified) -> bytes:
    card = _BYTE_OF_CARD[event.card]
    if event.hand is Hand.EXTRA:
        return bytes((ord("i"), _EXTRA_PLACE, card))
    return bytes((ord("I"), _encode_place(event.hand, event.position), card))


def _encode_result(event: ResultIndicated) -> bytes:
    bits = _BITS_OF_RESULT.get((event.winner, event.banker_six))
    if bits is None:
        raise NotOnThisWireError("only a Banker can win with six")
    return bytes((ord("G"), 0x80 | bits << 4 | event.banker_pair << 1 | event.player_pair))


def _encode_place(hand: Hand | None, position: int | None) -> int:
    if hand is Hand.BURN and position is None:
        return 0x80 | _BURN << 4
    target = {Hand.PLAYER: _PLAYER, Hand.BANKER: _BANKER, Hand.BURN: _BURN}.get(hand) if hand else None
    if target is None or position is None or position not in range(1, 16):
        where = "no hand" if hand is None else hand.value
        raise NotOnThisWireError(f"the wire cannot name card {position} of {where}: it needs a hand and 1 to 15")
    return 0x80 | target << 4 | position


def _fault_number(event: Fault | FaultCleared) -> int:
    number = FAULT_NUMBERS.get(event.code, event.detail)
    if number is None or number not in range(64):
        raise NotOnThisWireError(f"the wire has no number for {event.code}: give one from 0 to 63 as its detail")
    return number
