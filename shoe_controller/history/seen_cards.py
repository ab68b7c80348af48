"""The cards of a shoe that have been shown, from its facts: what everybody at the table has seen."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from firmware_protocol.cards import Card
from shoe_controller.baccarat.outcome import RoundOutcome
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.details import OneTooMany
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
    ExtraCardDecided,
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
        ExtraCardDecided,
        RoundResult,
        RoundVoided,
        RoundAmended,
    )
)
"""The names of the events that it takes."""


class _Aside(NamedTuple):
    """A card that lies in no hand."""

    card: Card | None
    """`None` for a face that is not known."""
    after: int
    """How many cards of the hands were drawn before it."""
    extra: bool
    """Whether it came when no card was due any more: what becomes of it is decided without the others."""


class SeenCards:
    """Takes the facts of one shoe, in order. A card that nobody could see is left out, even if the shoe reported it."""

    def __init__(self) -> None:
        self.decks = 0
        self._first: Card | None = None
        self._places: dict[tuple[int, int], CardPlace] = {}
        """By round and place: a result that is taken back goes on with the cards of its round."""
        self._aside: defaultdict[int, list[_Aside]] = defaultdict(list)
        """By round, in the order of the draw: what becomes of them is not decided."""
        self._decided: defaultdict[int, list[Card | None]] = defaultdict(list)
        """By round: extra cards that were burned or begin the next round, and those in no hand of a round voided."""
        self._out_of_play: Counter[Card] = Counter()

    def take_all(self, facts: Iterable[AnyFact]) -> None:
        for fact in facts:
            self.take(fact)

    @property
    def cards(self) -> Counter[Card]:
        lying = [place.card for place in self._places.values()]
        lying += [each.card for aside in self._aside.values() for each in aside]
        lying += [card for decided in self._decided.values() for card in decided]
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
                self._decided[fact.round] += [each.card for each in self._aside.pop(fact.round, [])]
            case ExtraCardDecided():
                self._decide_extras(fact.round)
            case RoundAmended() if fact.of_shoe == fact.shoe:
                self._lie_as(fact.of_round, fact.outcome)
            case _:
                self._take_card(fact)

    def _take_card(self, fact: AnyFact) -> None:
        match fact:
            case CardDealt():
                self._take_dealt(fact)
            case CardsShown():
                self._lie(fact.round, fact.places)
            case CardCorrected():
                self._lie(fact.round, (fact.place,))
            case CardsAssigned(person=None):
                known = len(self._taken_up(fact.round))
                self._lie(fact.round, fact.places)
                for place in fact.places[known:]:
                    self._take_aside(fact.round, place.card)
                # Extra cards take their places in the order of the draw: what still lies aside came after all of them.
                self._leave_aside(fact.round, self._drawn(fact.round, []))
            case CardsAssigned():
                drawn = self._drawn(fact.round, self._taken_up(fact.round))
                self._lie(fact.round, fact.places)
                self._leave_aside(fact.round, drawn[len(fact.places) :])
            case CardDiscarded():
                self._take_discarded(fact)
            case CardSetAside():
                after, extra = len(self._hands(fact.round)), isinstance(fact.why, OneTooMany)
                self._aside[fact.round].append(_Aside(fact.card, after, extra))

    def _take_dealt(self, fact: CardDealt) -> None:
        if fact.carried:
            self._take_carried(fact.round, fact.place.card)
        number, before = fact.place.number, self._hands(fact.round)
        drawn = self._drawn(fact.round, before)
        drawn.insert(self._index_of(fact.round, number), fact.place.card)
        self._lie(fact.round, (fact.place, *fact.moved))
        lie = len(self._hands(fact.round))
        if lie > len(before) + 1:
            # Of cards that moved on for one that left unseen before them, some lay in no hand.
            self._leave_aside(fact.round, drawn[lie:])
        elif fact.moved:
            aside = self._aside[fact.round]
            self._aside[fact.round] = [each._replace(after=each.after + (each.after >= number)) for each in aside]

    def _take_discarded(self, fact: CardDiscarded) -> None:
        if fact.place.card is not None:
            # A foreign card is none of the shoe's decks.
            self._out_of_play[fact.place.card] += fact.cause is not DiscardCause.FOREIGN
        drawn = self._drawn(fact.round, self._taken_up(fact.round))
        del drawn[self._index_of(fact.round, fact.place.number)]
        self._lie(fact.round, fact.places)
        self._leave_aside(fact.round, drawn[len(fact.places) :])

    # --- cards in the hands ------------------------------------------------------------------------------------------

    def _lie(self, of_round: int, places: Iterable[CardPlace]) -> None:
        self._places.update({(of_round, place.number): place for place in places})

    def _hands(self, of_round: int) -> list[CardPlace]:
        """The cards of both hands of a round, in the order of the draw."""
        return [self._places[each] for each in sorted(self._places) if each[0] == of_round]

    def _taken_up(self, of_round: int) -> list[CardPlace]:
        """Take up the cards of both hands of a round."""
        places = self._hands(of_round)
        for place in places:
            del self._places[of_round, place.number]
        return places

    def _lie_as(self, of_round: int, outcome: RoundOutcome) -> None:
        """At the result every card of the hands is shown."""
        hands = {Side.PLAYER: iter(outcome.player.cards), Side.BANKER: iter(outcome.banker.cards)}
        places = self._taken_up(of_round)
        self._lie(of_round, [replace(place, card=next(hands[place.hand], place.card)) for place in places])

    # --- cards in no hand --------------------------------------------------------------------------------------------

    def _drawn(self, of_round: int, hands: Sequence[CardPlace]) -> list[Card | None]:
        """All cards of a round that are not decided on, in the order of the draw."""
        drawn = [(place.number, 0, place.card) for place in hands]
        drawn += [(each.after, 1, each.card) for each in self._aside[of_round]]
        return [card for *_, card in sorted(drawn, key=lambda each: each[:2])]

    def _index_of(self, of_round: int, number: int) -> int:
        """Where a card of the hands is among all that are not decided on."""
        return number - 1 + sum(each.after < number for each in self._aside[of_round])

    def _leave_aside(self, of_round: int, cards: Iterable[Card | None]) -> None:
        """These cards lie in no hand, and were drawn after those that do."""
        lie = len(self._hands(of_round))
        self._aside[of_round] = [_Aside(card, lie, extra=True) for card in cards]

    def _decide_extras(self, of_round: int) -> None:
        aside = self._aside[of_round]
        self._decided[of_round] += [each.card for each in aside if each.extra]
        self._aside[of_round] = [each for each in aside if not each.extra]

    def _take_aside(self, of_round: int, card: Card | None) -> bool:
        """An extra card of the round lies in a hand now; whether there was such a one."""
        aside, decided = self._aside[of_round], self._decided[of_round]
        for place, each in enumerate(aside):
            if each.card is card:
                del aside[place]
                return True
        if card in decided:
            decided.remove(card)
            return True
        return False

    def _take_carried(self, of_round: int, card: Card | None) -> None:
        """An extra card of the round before, or of this one before it was voided, begins the round.

        Nobody may have known it before.
        """
        rounds = of_round - 1, of_round
        any(self._take_aside(each, face) for face in (card, None) for each in rounds)
