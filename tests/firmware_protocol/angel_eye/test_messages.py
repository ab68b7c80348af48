"""Telegrams to events, every byte value of every field, and events to telegrams."""

import itertools

import pytest
from hypothesis import given

from firmware_protocol.angel_eye.controller import AngelEyeController
from firmware_protocol.angel_eye.messages import BadTelegramError, NotOnThisWireError, decode_data, encode_event
from firmware_protocol.angel_eye.telegrams import encode_telegram
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
    Standby,
    Started,
)
from firmware_protocol.link import Delivery, LineError
from tests.firmware_protocol.angel_eye.expressible import EXPRESSIBLE_EVENTS

SUITS = {1: "D", 2: "C", 3: "S", 4: "H"}
RANKS = "A23456789TJQK"
FAULTS = [
    FaultCode.UNREADABLE,
    FaultCode.OVER_DRAW,
    FaultCode.BUTTON_MISUSED,
    FaultCode.PUSHED_BACK_AT_EXIT,
    FaultCode.PUSHED_BACK_HALF_WAY,
    FaultCode.FOREIGN_CARD,
    FaultCode.DRAW_TIMEOUT,
]


def face(byte: int) -> tuple[bool, Card | None]:
    """Whether a byte is a card by the table of the page, and which."""
    suit, rank = byte >> 4 & 7, byte & 15
    if byte == 0x80:
        return True, None
    if byte < 0x80 or suit not in SUITS or not 1 <= rank <= 13:
        return False, None
    return True, Card(RANKS[rank - 1] + SUITS[suit])


def drawn(place: int, card: Card | None) -> CardDrawn | None:
    """By the table of the page, what `D` means for a place."""
    target, index = place >> 4 & 7, place & 15
    if place < 0x80:
        return None
    if target in (0, 1) and index:
        return CardDrawn(hand=(Hand.PLAYER, Hand.BANKER)[target], position=index, card=card)
    if target == 2:
        return CardDrawn(hand=Hand.BURN, position=index or None, card=card)
    if target == 4:
        return CardDrawn(hand=Hand.BURN, first_of_shoe=True, card=card)
    if target == 5:
        return CardDrawn(hand=Hand.BURN, burns_left=index, card=card)
    return None


def expected(data: bytes) -> AnyShoeEvent | None:
    """What the page says of data with a letter and two more bytes; `None` for what is impossible."""
    letter, place, card_byte = data[:1], data[1], data[2]
    is_card, card = face(card_byte)
    if place < 0x80 or not is_card:
        return None
    if letter in b"di":
        return (CardDrawn if letter == b"d" else CardIdentified)(hand=Hand.EXTRA, card=card)
    at = drawn(place, card)
    if at is None or letter == b"D":
        return at
    if letter == b"I":
        assert at.hand is not None
        return CardIdentified(hand=at.hand, position=at.position, card=card)
    if at.hand is Hand.BURN:
        return None
    return CardDrawn(hand=at.hand, position=at.position, card=card, carried_over=True)


@pytest.mark.parametrize("letter", [b"D", b"I", b"d", b"i", b"R"])
def test_every_place_with_every_card(letter: bytes) -> None:
    events = 0
    for place, card in itertools.product(range(256), repeat=2):
        data = letter + bytes((place, card))
        try:
            event: AnyShoeEvent | None = decode_data(data)
        except BadTelegramError:
            event = None
        assert event == expected(data), data.hex()
        events += event is not None
    assert events == {b"D": 78, b"I": 78, b"d": 128, b"i": 128, b"R": 30}[letter] * 53


def heard(data: bytes) -> tuple[list[AnyShoeEvent], list[LineError]]:
    """What a controller makes of one telegram with this data, checks right, after start-up."""
    link = AngelEyeController()
    link.connected(0)
    link.receive(encode_telegram(0, b"S"), 0)
    out = [*link.receive(encode_telegram(1, data), 0), *link.tick(100)]
    events = [item.event for item in out if isinstance(item, Delivery)]
    errors = [item for item in out if isinstance(item, LineError)]
    assert len(events) + len(errors) == len(out)
    return events, errors


@pytest.mark.parametrize("byte", range(256))
def test_every_byte_in_every_field_is_an_event_or_a_counted_error(byte: int) -> None:
    for data in (
        b"D" + bytes((byte, 0x80)),
        b"D" + bytes((0x81, byte)),
        b"I" + bytes((byte, 0xB2)),
        b"I" + bytes((0x81, byte)),
        b"d" + bytes((byte, 0x80)),
        b"i" + bytes((0xA0, byte)),
        b"R" + bytes((byte, 0x80)),
        b"G" + bytes((byte,)),
        b"E" + bytes((byte,)),
        b"e" + bytes((byte,)),
        bytes((byte,)),
        b"P" + bytes((byte,)),
        b"L" + bytes((byte,)),
        bytes((byte, 0x81, 0x80)),
    ):
        events, errors = heard(data)
        if byte < 0x20:
            # A control byte is never data: the framing refuses it, and one early ETX or ENQ may give two errors.
            assert not events
            assert errors
        else:
            assert len(events) + len(errors) == 1


@pytest.mark.parametrize("byte", range(0x20, 256))
def test_every_result(byte: int) -> None:
    winners: dict[int, IndicatedWinner | None] = {
        1: IndicatedWinner.PLAYER,
        2: IndicatedWinner.TIE,
        4: IndicatedWinner.BANKER,
        5: IndicatedWinner.BANKER,
        7: None,
    }
    outcome = byte >> 4 & 7
    events, errors = heard(b"G" + bytes((byte,)))
    if byte & 0x80 and outcome in winners and not byte & 0b1100:
        assert events == [
            ResultIndicated(
                winner=winners[outcome],
                banker_six=outcome == 5,
                player_pair=byte & 1 == 1,
                banker_pair=byte & 2 == 2,
            )
        ]
    else:
        assert errors[0].reason.startswith(f"{byte:02x} is not a result")


@pytest.mark.parametrize("byte", range(0x20, 256))
def test_every_error(byte: int) -> None:
    code = byte & 0x3F
    name = FAULTS[code - 1] if 1 <= code <= 7 else FaultCode.OTHER
    events, errors = heard(b"E" + bytes((byte,)))
    cleared, not_cleared = heard(b"e" + bytes((byte,)))
    if byte & 0x80:
        assert events == [Fault(code=name, stopped=bool(byte & 0x40), detail=code)]
        assert cleared == [FaultCleared(code=name, detail=code)]
    else:
        assert errors[0].reason.startswith(f"{byte:02x} is not an error")
        assert not_cleared[0].reason.startswith(f"{byte:02x} is not an error")


@pytest.mark.parametrize("byte", range(0x20, 256))
def test_a_letter_alone(byte: int) -> None:
    alone: dict[str, AnyShoeEvent] = {
        "P": Standby(),
        "L": GateChanged(locked=None),
        "M": PresetChanged(),
        "C": CutCard(),
    }
    events, errors = heard(bytes((byte,)))
    letter = chr(byte)
    if letter in alone:
        assert events == [alone[letter]]
    elif letter in "SDIGdiREe":
        assert not events
        assert ("belongs to start-up" if letter == "S" else "instead of") in errors[0].reason
    else:
        assert events == [Fault(code=FaultCode.OTHER, detail=256 + byte)]


def test_start_up_and_number_0_belong_together() -> None:
    assert decode_data(b"S") == Started()
    link = AngelEyeController()
    link.connected(0)
    link.receive(encode_telegram(0, b"S"), 0)
    for wrong in (encode_telegram(1, b"S"), encode_telegram(0, b"P"), encode_telegram(0, b"Z")):
        (error,) = link.receive(wrong, 0)
        assert isinstance(error, LineError)
        assert "number 0 belongs to start-up and to nothing else" in error.reason
    # None of them counted: the numbering goes on as if they had been noise.
    (delivery,) = link.receive(encode_telegram(1, b"P"), 0)
    assert isinstance(delivery, Delivery)


@given(EXPRESSIBLE_EVENTS)
def test_what_a_shoe_can_say_is_read_as_it_was_said(event: AnyShoeEvent) -> None:
    assert decode_data(encode_event(event)) == event


@pytest.mark.parametrize(
    "event",
    [
        Burn(cards=2),
        CardReturned(),
        DoubleFeed(),
        Misread(),
        ForeignCard(),
        LidChanged(opened=True),
        ButtonPressed(button=Button.RESULT),
        Health(millivolts=5000, celsius=20, cards_since_load=0),
        CardDrawn(),
        CardDrawn(hand=Hand.PLAYER),
        CardDrawn(hand=Hand.PLAYER, position=0),
        CardDrawn(hand=Hand.BANKER, position=16),
        CardDrawn(hand=Hand.BURN, burns_left=16),
        CardDrawn(hand=Hand.BURN, carried_over=True),
        CardIdentified(hand=Hand.PLAYER),
        ResultIndicated(winner=IndicatedWinner.PLAYER, banker_six=True),
        Fault(code=FaultCode.JAM),
        Fault(code=FaultCode.OTHER, detail=64),
    ],
)
def test_what_a_shoe_cannot_say_is_refused_by_name(event: AnyShoeEvent) -> None:
    with pytest.raises(NotOnThisWireError):
        encode_event(event)
