"""The cards of which a table's facts tell: each once, in the order in which it was told that it left the shoe. Pure."""

from typing import NamedTuple

from firmware_protocol.cards import Card
from shoe_controller.demo.truth import Happening, Truth
from shoe_controller.messages.facts import (
    AnyFact,
    CardBurned,
    CardCorrected,
    CardDealt,
    CardPlace,
    CardSetAside,
    CardsShown,
    ExtraCardDecided,
    RoundVoided,
    ShoeOpened,
)

Round = tuple[int, int]
"""Shoe and round."""


class RecordedCard(NamedTuple):
    place: str
    """ "player", "banker", "burn", or "aside" for a card in no hand."""
    card: Card | None
    """`None` where its face was never shown."""
    where: Round

    def tells_of(self, left: Happening) -> bool:
        """Whether this may be the record of that card, which left the shoe."""
        if self.card is not None and self.card is not left.card:
            return False
        return left.to != "burn" if self.place == "aside" else self.place == left.to


class CardLedger:
    def __init__(self) -> None:
        self.cards: list[RecordedCard] = []
        self._places: dict[tuple[Round, int], int] = {}
        """Where the cards of a round are in the list, by their number in the round."""
        self._first_card: int | None = None
        """Where the first card of the shoe is in the list."""
        self._burned = 0
        self._carried = False
        """A card too many lies ready as the first of the next round."""

    def is_up_to_date_with(self, truth: Truth) -> bool:
        """Whether the last card that left the shoe is the last that was told of."""
        return not truth.cards or (bool(self.cards) and self.cards[-1].tells_of(truth.cards[-1]))

    def take(self, fact: AnyFact) -> None:
        where = (fact.shoe, fact.round)
        match fact:
            case ShoeOpened():
                self._first_card, self._burned, self._carried = None, 0, False
            case CardBurned():
                self._burn(fact, where)
            case CardSetAside():
                self.cards.append(RecordedCard("aside", fact.card, where))
            case ExtraCardDecided():
                self._carried = fact.used
            case CardDealt():
                self._lay(fact.place, where)
            case CardsShown():
                self._name(fact.places, where)
            case CardCorrected():
                self._name((fact.place,), where)
            case RoundVoided():
                # If the same round is dealt again, its places are filled anew.
                self._places = {key: at for key, at in self._places.items() if key[0] != where}
            case _:
                pass

    def _burn(self, fact: CardBurned, where: Round) -> None:
        if self._first_card is None and fact.burned == 0:
            self._first_card = len(self.cards)
            self.cards.append(RecordedCard("burn", fact.card, where))
        elif self._first_card is not None and fact.card is not None:
            # It could not be read, and was named afterwards.
            self.cards[self._first_card] = RecordedCard("burn", fact.card, where)
        else:
            self.cards += [RecordedCard("burn", None, where)] * (fact.burned - self._burned)
            self._burned = fact.burned

    def _lay(self, place: CardPlace, where: Round) -> None:
        if self._carried and place.number == 1:
            # It lies on the table already, and was told of as the card too many.
            self._carried = False
            return
        self._places[where, place.number] = len(self.cards)
        self.cards.append(RecordedCard(place.hand.value, place.card, where))

    def _name(self, places: tuple[CardPlace, ...], where: Round) -> None:
        for place in places:
            at = self._places.get((where, place.number))
            if at is not None:
                self.cards[at] = self.cards[at]._replace(card=place.card)
