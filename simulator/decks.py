"""The physical cards in a shoe: decks shuffled from a seed, or an exact list in its order.

A `Piece` is one physical card: two nines of hearts are two pieces. Nothing here knows of a shoe.
"""

import random
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from firmware_protocol.cards import BadCardError, Card

USUAL_DECKS = 8
MOST_DECKS = 16
_ONE_DECK = tuple(Card)


class BadCardsError(ValueError):
    """A list of cards that cannot be loaded; the message names every place that is wrong."""


class Piece(NamedTuple):
    """One physical card, with the number that is printed invisibly on it."""

    card: Card
    number: int
    deck_set: str

    @property
    def card_id(self) -> str:
        return f"{self.deck_set}-{self.number:03d}"


class Decks(NamedTuple):
    """What is loaded into a shoe at once, top card first."""

    pieces: tuple[Piece, ...]
    deck_set: str
    copies: int
    """How many copies of one face there should be: the number of decks."""


def new_deck_set(generator: random.Random) -> str:
    """Return a name for cards that were made together, by which a shoe knows its own cards."""
    return f"{generator.getrandbits(24):06X}"


def shuffled_decks(decks: int, generator: random.Random) -> Decks:
    if not 1 <= decks <= MOST_DECKS:
        raise BadCardsError(f"a shoe takes 1 to {MOST_DECKS} decks, not {decks}")
    deck_set = new_deck_set(generator)
    pieces = [Piece(card, number, deck_set) for number, card in enumerate(_ONE_DECK * decks, start=1)]
    generator.shuffle(pieces)
    return Decks(tuple(pieces), deck_set, decks)


def exact_cards(cards: Iterable[Card], generator: random.Random) -> Decks:
    """These cards, in this order; `copies` is the number of decks they would need."""
    deck_set = new_deck_set(generator)
    pieces = tuple(Piece(card, number, deck_set) for number, card in enumerate(cards, start=1))
    if not pieces:
        raise BadCardsError("a list of cards needs at least one card")
    copies = max(Counter(piece.card for piece in pieces).values())
    return Decks(pieces, deck_set, copies)


def read_cards(text: str, name: str) -> list[Card]:
    """Read cards from a file's text: separated by spaces, commas or lines; # begins a comment."""
    cards = []
    problems = []
    for number, line in enumerate(text.splitlines(), start=1):
        for word in line.partition("#")[0].replace(",", " ").split():
            try:
                cards.append(Card.parse(word))
            except BadCardError as error:
                problems.append(f"{name}, line {number}: {error}")
    if problems:
        raise BadCardsError("\n".join(problems))
    if not cards:
        raise BadCardsError(f"{name} contains no cards")
    return cards
