"""The outcome of a round as one object: both hands, the winner, and the result of every wager of a schedule.

This is what `shoe-controller hand --json` prints, and what every other part that reports a round shows.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec import Meta

from firmware_protocol.cards import Card
from shoe_controller.baccarat.deal import Deal, DealError
from shoe_controller.baccarat.facts import Facts, Winner
from shoe_controller.baccarat.wagers import Result, Schedule, WagerResult


class ImpossibleCardError(DealError):
    """More copies of a card than the decks hold."""

    code = "impossible_card"


MOST_IN_HAND = 3


class HandOutcome(msgspec.Struct, frozen=True):
    """A hand as it was dealt."""

    cards: Annotated[tuple[Card, ...], Meta(min_length=2, max_length=MOST_IN_HAND)]
    """In the order in which they were dealt."""
    total: int
    """Its points."""
    natural: bool
    """Whether it has 8 or 9 on two cards."""


class WagerOutcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a wager comes to in a round."""

    result: Result
    """Whether it wins, loses or is a push."""
    pays: str | None = None
    """Only on a win: the price in lowest terms, after commission."""

    @classmethod
    def of(cls, result: WagerResult) -> "WagerOutcome":
        return cls(result.result, result.odds if result.result is Result.WIN else None)


class RoundOutcome(msgspec.Struct, frozen=True):
    """A complete round."""

    player: HandOutcome
    """Player's hand."""
    banker: HandOutcome
    """Banker's hand."""
    winner: Winner
    """The hand that won, or a tie."""
    wagers: dict[str, WagerOutcome]
    """What every wager of the house comes to, by its id."""


def dealt_round(cards: Iterable[Card], decks: int) -> Deal:
    """Deal a whole round from its cards, in the order of the draw; raise `DealError` if they are none."""
    deal = Deal()
    copies: Counter[Card] = Counter()
    for card in cards:
        copies[card] += 1
        if copies[card] > decks:
            raise ImpossibleCardError(
                f"{card} came {copies[card]} times; {number_of_decks(decks)} cannot hold so many."
            )
        deal.feed(card)
    deal.check_complete()
    return deal


def outcome_of(deal: Deal, schedule: Schedule) -> RoundOutcome:
    facts = deal.facts
    return RoundOutcome(
        player=HandOutcome(deal.player, facts.player_total, facts.player_natural),
        banker=HandOutcome(deal.banker, facts.banker_total, facts.banker_natural),
        winner=facts.winner,
        wagers=wager_outcomes(facts, schedule),
    )


def wager_outcomes(facts: Facts, schedule: Schedule) -> dict[str, WagerOutcome]:
    return {wager: WagerOutcome.of(result) for wager, result in schedule.results[facts].items()}


def number_of_decks(decks: int) -> str:
    return "one deck" if decks == 1 else f"{decks} decks"
