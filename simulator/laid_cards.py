"""Cards on the table: where each was laid, how it was read, and the result of a round of them."""

from typing import NamedTuple

from firmware_protocol.cards import Card, Rank
from firmware_protocol.events import Hand, IndicatedWinner
from shoe_controller.baccarat.deal import Deal
from simulator.decks import Piece
from simulator.truth import Reading

_TENS = frozenset({Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING})


class Place(NamedTuple):
    """Where a card was laid."""

    hand: Hand
    position: int | None = None
    burns_left: int | None = None
    """Of a burned card: how many are still to be burned."""


class LaidCard(NamedTuple):
    """A card on the table."""

    piece: Piece
    place: Place
    reading: Reading
    disclosed: bool
    """Its face was disclosed when it was drawn."""


class DisclosedCard(NamedTuple):
    """What the shoe discloses of a card."""

    card: Card | None = None
    card_id: str | None = None
    deck_set: str | None = None


UNDISCLOSED = DisclosedCard()


def fully_disclosed(piece: Piece) -> DisclosedCard:
    return DisclosedCard(piece.card, piece.card_id, piece.deck_set)


class RuledResult(NamedTuple):
    """The result of a complete round by the rules."""

    winner: IndicatedWinner
    player_pair: bool
    banker_pair: bool
    banker_six: bool


def outcome_of(deal: Deal) -> RuledResult:
    facts = deal.facts
    if facts.player_total == facts.banker_total:
        winner = IndicatedWinner.TIE
    else:
        winner = IndicatedWinner.PLAYER if facts.player_total > facts.banker_total else IndicatedWinner.BANKER
    banker_six = winner is IndicatedWinner.BANKER and facts.banker_total == 6
    return RuledResult(winner, facts.player_pair, facts.banker_pair, banker_six)


def cards_to_burn(first: Card) -> int:
    """The first card's number; ten for a face card."""
    return 10 if first.rank in _TENS else first.points
