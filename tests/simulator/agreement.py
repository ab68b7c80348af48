"""Compares what a controller's link delivered with what really happened."""

from collections.abc import Iterable
from typing import NamedTuple

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    CardDrawn,
    CardIdentified,
    DoubleFeed,
    ForeignCard,
    Hand,
    IndicatedWinner,
    Misread,
    ResultIndicated,
    Started,
)
from simulator.truth import AnyHappening, CardOut, Reading, RoundEnded


class SeenCard(NamedTuple):
    """A card, where it went, and its face where that is known."""

    hand: Hand | None
    position: int | None
    card: Card | None


def cards_of_truth(truth: Iterable[AnyHappening]) -> list[SeenCard]:
    """All cards that left; of two that left at once, the one that was laid to a hand."""
    return [
        SeenCard(happening.to, happening.position, happening.card if happening.reading is Reading.READ else None)
        for happening in truth
        if isinstance(happening, CardOut)
        and not (happening.reading is Reading.WITH_ANOTHER and happening.to is Hand.EXTRA)
    ]


def cards_of_events(events: Iterable[object]) -> list[SeenCard]:
    """All cards that were reported to a controller, with the faces that it learned at once or later."""
    cards: list[SeenCard] = []
    round_begins = 0
    for event in events:
        match event:
            case CardDrawn(carried_over=False) | Misread():
                face = event.card if isinstance(event, CardDrawn) else None
                cards.append(SeenCard(event.hand, event.position, face))
            case ForeignCard():
                cards.append(SeenCard(event.hand, event.position, None))
            case DoubleFeed():
                cards.append(SeenCard(None, None, None))
            case CardIdentified():
                _identify(cards, round_begins, event)
            case ResultIndicated() | Started():
                round_begins = len(cards)
    return cards


def _identify(cards: list[SeenCard], round_begins: int, event: CardIdentified) -> None:
    """The card may not be among them: its own telegram was lost, or it was carried over from the round before."""
    for place in range(round_begins, len(cards)):
        if cards[place][:2] == (event.hand, event.position):
            cards[place] = SeenCard(event.hand, event.position, event.card)


def same_card(true: SeenCard, heard: SeenCard) -> bool:
    """A double feed names no hand, and a face may be kept from the controller; what is reported must be true."""
    place_fits = heard.hand is None or heard[:2] == true[:2]
    return place_fits and heard.card in (None, true.card)


def results_of_truth(truth: Iterable[AnyHappening]) -> list[tuple[IndicatedWinner | None, bool, bool]]:
    return [
        (happening.winner, happening.player_pair, happening.banker_pair)
        for happening in truth
        if isinstance(happening, RoundEnded)
    ]


def results_of_events(events: Iterable[object]) -> list[tuple[IndicatedWinner | None, bool, bool]]:
    return [
        (event.winner, event.player_pair, event.banker_pair) for event in events if isinstance(event, ResultIndicated)
    ]


def assert_agreement(truth: list[AnyHappening], events: Iterable[object], *, with_results: bool = True) -> None:
    """Every card and every result arrived, once, in order, and as it was. A reader of ids tells of no results."""
    events = list(events)
    true_cards, heard_cards = cards_of_truth(truth), cards_of_events(events)
    assert len(heard_cards) == len(true_cards)
    for number, (true, heard) in enumerate(zip(true_cards, heard_cards, strict=True), start=1):
        assert same_card(true, heard), f"card {number}: {heard} was received, {true} happened"
    assert results_of_events(events) == (results_of_truth(truth) if with_results else [])


def assert_nothing_invented(truth: list[AnyHappening], events: Iterable[object]) -> None:
    """Whatever arrived had happened, in that order."""
    true_cards = iter(cards_of_truth(truth))
    for heard in cards_of_events(events):
        assert any(same_card(true, heard) for true in true_cards), f"{heard} never happened, or not in this order"


def unknown_faces_in_hands(events: Iterable[object]) -> int:
    return sum(card.card is None and card.hand in (Hand.PLAYER, Hand.BANKER) for card in cards_of_events(events))
