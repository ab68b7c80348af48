"""What happened at the shoe in each sequence of PROTOCOL.md, with faces; for tests of the wire and of rounds."""

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    AnyShoeEvent,
    CardDrawn,
    CardIdentified,
    Fault,
    FaultCleared,
    FaultCode,
    Hand,
    IndicatedWinner,
    ResultIndicated,
    Standby,
)

PLACES = [(Hand.PLAYER, 1), (Hand.BANKER, 1), (Hand.PLAYER, 2), (Hand.BANKER, 2)]


def drawn(hand: Hand, position: int, face: str) -> CardDrawn:
    return CardDrawn(hand=hand, position=position, card=Card(face))


def four_cards(faces: str) -> list[AnyShoeEvent]:
    """The first four cards of a round, in the order of the draw: Player, Banker, Player, Banker."""
    return [drawn(hand, position, face) for (hand, position), face in zip(PLACES, faces.split(), strict=True)]


NEW_SHOE: list[AnyShoeEvent] = [
    CardDrawn(hand=Hand.BURN, first_of_shoe=True, card=Card.TWO_OF_CLUBS),
    CardDrawn(hand=Hand.BURN, burns_left=1),
    CardDrawn(hand=Hand.BURN, burns_left=0),
]

PLAIN_ROUND: list[AnyShoeEvent] = [
    *four_cards("2S KH 3C KD"),
    drawn(Hand.PLAYER, 3, "4H"),
    drawn(Hand.BANKER, 3, "6S"),
    ResultIndicated(winner=IndicatedWinner.PLAYER, banker_pair=True),
    Standby(),
]
"""Player 2+3+4 = 9, Banker two kings and 6."""

_OVER_DRAW = Fault(code=FaultCode.OVER_DRAW, detail=2)
_OVER_DRAW_CLEARED = FaultCleared(code=FaultCode.OVER_DRAW, detail=2)
_EXTRA = CardDrawn(hand=Hand.EXTRA, card=Card.ACE_OF_CLUBS)

OVER_DRAW_BURNED: list[AnyShoeEvent] = [
    *four_cards("9S KH KC 7D"),
    _OVER_DRAW,
    _EXTRA,
    CardIdentified(hand=Hand.EXTRA, card=Card.ACE_OF_CLUBS),
    _OVER_DRAW_CLEARED,
    ResultIndicated(winner=IndicatedWinner.PLAYER),
]
"""A natural 9, and a fifth card that should not have been drawn."""

OVER_DRAW_CARRIED_OVER: list[AnyShoeEvent] = [
    *four_cards("9S KH KC 7D"),
    _OVER_DRAW,
    _EXTRA,
    _OVER_DRAW_CLEARED,
    ResultIndicated(winner=IndicatedWinner.PLAYER),
    CardDrawn(hand=Hand.PLAYER, position=1, card=Card.ACE_OF_CLUBS, carried_over=True),
    *four_cards("AC 8H 5D KS")[1:],
    ResultIndicated(winner=IndicatedWinner.BANKER),
    Standby(),
]
"""The fifth card begins the next round, in which Banker has a natural 8."""


def told(events: list[AnyShoeEvent]) -> list[AnyShoeEvent]:
    """What a shoe says of this that discloses faces at the result, and the first card of a shoe at once."""
    out: list[AnyShoeEvent] = []
    faces: list[AnyShoeEvent] = []
    for event in events:
        if isinstance(event, CardDrawn) and not event.first_of_shoe:
            hand, position = event.hand, event.position
            if hand in (Hand.PLAYER, Hand.BANKER):
                faces.append(CardIdentified(hand=hand, position=position, card=event.card))
            out.append(
                CardDrawn(hand=hand, position=position, burns_left=event.burns_left, carried_over=event.carried_over)
            )
            continue
        if isinstance(event, ResultIndicated):
            out += faces
            faces = []
        out.append(event)
    return out
