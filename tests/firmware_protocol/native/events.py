"""Shoe events for the native tests: any that the wire can carry (hypothesis), and a long, plausible sequence."""

from collections.abc import Iterator

from hypothesis import strategies as st

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
    StartCause,
    Started,
)

_BYTE = st.integers(0, 255)
_POSITION = st.none() | st.integers(1, 255)
_CARD = st.none() | st.sampled_from(Card)
_HAND = st.none() | st.sampled_from(Hand)
_TEXT = st.none() | st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=32)
_DETAIL = st.none() | st.integers(0, 2**32 - 1)


def any_event(total: st.SearchStrategy[int | None]) -> st.SearchStrategy[AnyShoeEvent]:
    """Every event that a shoe can send, with these card totals."""
    return st.one_of(
        st.builds(Started, cause=st.sampled_from(StartCause)),
        st.builds(Standby),
        st.builds(
            CardDrawn,
            hand=_HAND,
            position=_POSITION,
            card=_CARD,
            card_id=_TEXT,
            deck_set=_TEXT,
            burns_left=st.none() | st.integers(0, 254),
            first_of_shoe=st.booleans(),
            carried_over=st.booleans(),
            total=total,
        ),
        st.builds(
            CardIdentified, hand=st.sampled_from(Hand), position=_POSITION, card=_CARD, card_id=_TEXT, deck_set=_TEXT
        ),
        st.builds(
            ResultIndicated,
            winner=st.none() | st.sampled_from(IndicatedWinner),
            player_pair=st.booleans(),
            banker_pair=st.booleans(),
            banker_six=st.booleans(),
        ),
        st.builds(CutCard),
        st.builds(Burn, cards=_BYTE),
        st.builds(CardReturned, card=_CARD, card_id=_TEXT),
        st.builds(DoubleFeed, cards=_BYTE, total=total),
        st.builds(Misread, hand=_HAND, position=_POSITION, total=total),
        st.builds(ForeignCard, hand=_HAND, position=_POSITION, card=_CARD, card_id=_TEXT, deck_set=_TEXT, total=total),
        st.builds(GateChanged, locked=st.none() | st.booleans()),
        st.builds(LidChanged, opened=st.booleans()),
        st.builds(ButtonPressed, button=st.sampled_from(Button)),
        st.builds(Fault, code=st.sampled_from(FaultCode), stopped=st.booleans(), detail=_DETAIL),
        st.builds(FaultCleared, code=st.sampled_from(FaultCode), detail=_DETAIL),
        st.builds(PresetChanged),
        st.builds(
            Health,
            millivolts=st.integers(0, 65535),
            celsius=st.integers(-32768, 32767),
            cards_since_load=st.integers(0, 65535),
        ),
    )


def table_events(count: int) -> Iterator[AnyShoeEvent]:
    """What a shoe says at a table, no two cards in it alike."""
    cards = list(Card)
    for number in range(count):
        match number % 23:
            case 6:
                yield Health(millivolts=3300, celsius=31, cards_since_load=number % 416)
            case 9:
                yield Misread(hand=Hand.PLAYER, position=3)
            case 13:
                yield ResultIndicated(winner=IndicatedWinner.BANKER, banker_pair=True)
            case 17:
                yield DoubleFeed(cards=2)
            case 22:
                yield Standby()
            case _:
                yield CardDrawn(
                    hand=Hand.BANKER, position=number % 3 + 1, card=cards[number % 52], card_id=f"card-{number}"
                )
