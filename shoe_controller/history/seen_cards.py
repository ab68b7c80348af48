"""The cards of a shoe that have been shown, from its facts: what everybody at the table has seen."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from msgspec.structs import replace

from firmware_protocol.cards import Card
from shoe_controller.baccarat.outcome import RoundOutcome
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.facts import (
    AnyFact,
    CardBurned,
    CardCorrected,
    CardDealt,
    CardDiscarded,
    CardPlace,
    CardsAssigned,
    CardSetAside,
    CardsShown,
    RoundAmended,
    RoundResult,
    RoundVoided,
    ShoeOpened,
)

FACTS_ABOUT_CARDS = tuple(
    str(kind.__struct_config__.tag)
    for kind in (
        ShoeOpened,
        CardBurned,
        CardDealt,
        CardsShown,
        CardCorrected,
        CardsAssigned,
        CardDiscarded,
        CardSetAside,
        RoundResult,
        RoundVoided,
        RoundAmended,
    )
)
"""The names of the events that it takes."""


class SeenCards:
    """Takes the facts of one shoe, in order. A card that nobody could see is left out, even if the shoe reported it."""

    def __init__(self) -> None:
        self.decks = 0
        self._first: Card | None = None
        self._places: dict[tuple[int, int], CardPlace] = {}
        """By round and place: a result that is taken back goes on with the cards of its round."""
        self._aside: defaultdict[int, list[Card | None]] = defaultdict(list)
        """By round, in no hand; a face that is not known is `None`."""
        self._out_of_play: Counter[Card] = Counter()

    def take_all(self, facts: Iterable[AnyFact]) -> None:
        for fact in facts:
            self.take(fact)

    @property
    def cards(self) -> Counter[Card]:
        lying = [place.card for place in self._places.values()]
        lying += [card for aside in self._aside.values() for card in aside]
        return self._out_of_play + Counter(card for card in (*lying, self._first) if card is not None)

    def take(self, fact: AnyFact) -> None:
        match fact:
            case ShoeOpened():
                self.decks = fact.decks
            case CardBurned():
                self._first = fact.card if fact.card is not None else self._first
            case RoundResult():
                self._lie_as(fact.round, fact.outcome)
            case RoundVoided():
                self._out_of_play.update(place.card for place in self._taken_up(fact.round) if place.card is not None)
            case RoundAmended() if fact.of_shoe == fact.shoe:
                self._lie_as(fact.of_round, fact.outcome)
            case _:
                self._take_card(fact)

    def _take_card(self, fact: AnyFact) -> None:
        match fact:
            case CardDealt():
                if fact.carried:
                    # The first extra card of the round before begins this one.
                    self._aside[fact.round - 1] = self._aside[fact.round - 1][1:]
                before = len(self._places)
                self._lie(fact.round, (fact.place, *fact.moved))
                # Of cards that moved, one that was set aside may have a place now.
                self._aside[fact.round] = self._aside[fact.round][max(len(self._places) - before - 1, 0) :]
            case CardsShown():
                self._lie(fact.round, fact.places)
            case CardCorrected():
                self._lie(fact.round, (fact.place,))
            case CardsAssigned() | CardDiscarded():
                if isinstance(fact, CardDiscarded) and fact.place.card is not None:
                    # A foreign card is none of the shoe's decks.
                    self._out_of_play[fact.place.card] += fact.cause is not DiscardCause.FOREIGN
                self._taken_up(fact.round)
                self._lie(fact.round, fact.places)
                aside = self._aside[fact.round]
                self._aside[fact.round] = aside[max(len(aside) - fact.extra_cards, 0) :]
            case CardSetAside():
                self._aside[fact.round].append(fact.card)

    def _lie(self, of_round: int, places: Iterable[CardPlace]) -> None:
        self._places.update({(of_round, place.number): place for place in places})

    def _taken_up(self, of_round: int) -> list[CardPlace]:
        """Take up the cards of both hands of a round."""
        numbers = sorted(number for other, number in self._places if other == of_round)
        return [self._places.pop((of_round, number)) for number in numbers]

    def _lie_as(self, of_round: int, outcome: RoundOutcome) -> None:
        """At the result every card of the hands is shown."""
        hands = {Side.PLAYER: iter(outcome.player.cards), Side.BANKER: iter(outcome.banker.cards)}
        places = self._taken_up(of_round)
        self._lie(of_round, [replace(place, card=next(hands[place.hand], place.card)) for place in places])
