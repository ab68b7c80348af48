"""Events in frames: each comes back as it was; what cannot be understood becomes a fault that says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    Burn,
    ButtonPressed,
    CardDrawn,
    CardIdentified,
    DoubleFeed,
    Fault,
    FaultCleared,
    FaultCode,
    Hand,
    Health,
    Misread,
    StartCause,
    Started,
)
from firmware_protocol.native.event_layouts import CARDS, cards_leaving, decode_event, encode_event
from firmware_protocol.native.texts import UnsendableError
from tests.firmware_protocol.native.events import any_event

TOTALS = st.integers(0, 2**32 - 1)


@given(any_event(TOTALS))
def test_an_event_comes_back(event: AnyShoeEvent) -> None:
    kind, payload = encode_event(event)[0], encode_event(event)[1:]
    assert decode_event(kind, payload) == event


@given(any_event(TOTALS), st.binary(min_size=1, max_size=20))
def test_what_a_newer_shoe_appends_is_ignored(event: AnyShoeEvent, more: bytes) -> None:
    encoded = encode_event(event)
    assert decode_event(encoded[0], encoded[1:] + more) == event


@given(any_event(TOTALS))
def test_a_payload_that_is_cut_short_is_never_another_event_of_its_kind(event: AnyShoeEvent) -> None:
    encoded = encode_event(event)
    kind, payload = encoded[0], encoded[1:]
    for end in range(len(payload)):
        assert decode_event(kind, payload[:end]) == Fault(code=FaultCode.OTHER, detail=kind)


@given(st.integers(0, 255), st.binary(max_size=100))
def test_any_bytes_are_some_event(kind: int, payload: bytes) -> None:
    event = decode_event(kind, payload)
    if not (isinstance(event, Fault) and event.code is FaultCode.OTHER):
        assert encode_event(event)[0] == kind


def test_all_52_cards_have_their_own_byte_and_all_others_have_none() -> None:
    for code in range(256):
        event = decode_event(0x10, bytes((0, 0, 0, 7, 1, 1, code, 255, 0, 0, 0)))
        suit, rank = divmod(code, 16)
        if code == 0:
            assert event == CardDrawn(hand=Hand.PLAYER, position=1, total=7)
        elif 1 <= suit <= 4 and 1 <= rank <= 13:
            card = Card("A23456789TJQK"[rank - 1] + "CDHS"[suit - 1])
            assert event == CardDrawn(hand=Hand.PLAYER, position=1, card=card, total=7)
        else:
            assert event == Fault(code=FaultCode.OTHER, detail=0x10)
    assert len(CARDS) == 53


def test_every_fault_code_is_a_fault() -> None:
    for code in range(256):
        fault = decode_event(0x0B, bytes((code, 1, 0, 0, 0, 0)))
        cleared = decode_event(0x0C, bytes((code, 0, 0, 0, 0, 0)))
        assert isinstance(fault, Fault)
        assert isinstance(cleared, FaultCleared)
        assert fault.stopped
        assert fault.code is cleared.code
        assert (fault.code is FaultCode.OTHER) == (code not in range(1, 14))


def test_a_start_for_an_unknown_cause_is_still_a_start() -> None:
    assert decode_event(0x01, b"\xc8") == Started(cause=StartCause.UNKNOWN)


@pytest.mark.parametrize(
    "event",
    [
        CardDrawn(total=1, position=0),
        CardDrawn(total=1, position=256),
        CardDrawn(total=1, burns_left=255),
        CardDrawn(total=2**32),
        CardDrawn(total=None),
        CardDrawn(total=1, card_id=""),
        CardDrawn(total=1, card_id="x" * 33),
        CardDrawn(total=1, deck_set="Ö"),
        CardDrawn(total=1, deck_set="a\nb"),
        CardIdentified(hand=Hand.PLAYER, position=-1),
        DoubleFeed(cards=300, total=1),
        Burn(cards=-1),
        Health(millivolts=70_000, celsius=0, cards_since_load=0),
        Fault(code=FaultCode.JAM, detail=2**32),
    ],
    ids=str,
)
def test_a_value_without_a_place_is_refused_before_it_is_sent(event: AnyShoeEvent) -> None:
    with pytest.raises(UnsendableError):
        encode_event(event)


@pytest.mark.parametrize(
    ("event", "leaving"),
    [
        (CardDrawn(), 1),
        (CardDrawn(carried_over=True), 0),
        (Misread(), 1),
        (DoubleFeed(), 2),
        (DoubleFeed(cards=3), 3),
        (CardIdentified(hand=Hand.BURN), 0),
        (Burn(cards=4), 0),
    ],
    ids=str,
)
def test_how_far_an_event_moves_the_lifetime_total(event: AnyShoeEvent, leaving: int) -> None:
    assert cards_leaving(event) == leaving


def test_an_unknown_button_is_not_taken_for_another() -> None:
    pressed = [decode_event(0x0A, bytes((code,))) for code in range(256)]
    assert sum(isinstance(event, ButtonPressed) for event in pressed) == 5
