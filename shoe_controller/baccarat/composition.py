"""The composition of a shoe: how often each of the 52 cards is still in it."""

from collections import Counter
from collections.abc import Iterable
from math import perm

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from shoe_controller.baccarat.outcome import number_of_decks

Composition = tuple[int, ...]
"""Copies of each card, by its number (`Card.number`): 52 counts."""

DRAWN = 6
"""The longest round; shorter ones are counted with every continuation."""

MOST_CARDS = 416
"""Eight decks."""


class CompositionError(ValueError):
    """Cards that no shoe can be left with, or too few for a round."""


def full_shoe(decks: int) -> Composition:
    return (decks,) * len(CARDS_BY_NUMBER)


def shoe_without(decks: int, gone: Iterable[Card]) -> Composition:
    """Return what a full shoe is left with when these cards are gone, each as often as it comes."""
    counts = list(full_shoe(decks))
    for card, copies in Counter(gone).items():
        if copies > decks:
            raise CompositionError(f"{card} is gone {copies} times; {number_of_decks(decks)} cannot hold so many")
        counts[card.number] -= copies
    left = tuple(counts)
    check(left)
    return left


def check(composition: Composition) -> None:
    """Raise `CompositionError` unless a round can be dealt from it, and its draws be counted."""
    if len(composition) != len(CARDS_BY_NUMBER) or min(composition) < 0:
        raise CompositionError(f"a composition is {len(CARDS_BY_NUMBER)} counts, none of them below 0")
    cards = sum(composition)
    if not DRAWN <= cards <= MOST_CARDS:
        raise CompositionError(f"{cards} cards are left; odds are counted for {DRAWN} to {MOST_CARDS}")


def all_draws(composition: Composition) -> int:
    """The number of ordered six-card draws."""
    return perm(sum(composition), DRAWN)
