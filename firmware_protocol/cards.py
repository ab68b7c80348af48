"""The 52 cards, as every part of the product writes them: rank then suit, "9H", "TS", "AC".

The one file that the wire and the game share. It imports nothing of either.
"""

from enum import Enum


class Rank(Enum):
    ACE = "A"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    TEN = "T"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"


class Suit(Enum):
    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"


class BadCardError(ValueError):
    """A text that is not a card."""


class Card(Enum):
    """One of the 52 faces; two copies of the nine of hearts in a shoe are the same `Card`."""

    ACE_OF_CLUBS = "AC"
    TWO_OF_CLUBS = "2C"
    THREE_OF_CLUBS = "3C"
    FOUR_OF_CLUBS = "4C"
    FIVE_OF_CLUBS = "5C"
    SIX_OF_CLUBS = "6C"
    SEVEN_OF_CLUBS = "7C"
    EIGHT_OF_CLUBS = "8C"
    NINE_OF_CLUBS = "9C"
    TEN_OF_CLUBS = "TC"
    JACK_OF_CLUBS = "JC"
    QUEEN_OF_CLUBS = "QC"
    KING_OF_CLUBS = "KC"
    ACE_OF_DIAMONDS = "AD"
    TWO_OF_DIAMONDS = "2D"
    THREE_OF_DIAMONDS = "3D"
    FOUR_OF_DIAMONDS = "4D"
    FIVE_OF_DIAMONDS = "5D"
    SIX_OF_DIAMONDS = "6D"
    SEVEN_OF_DIAMONDS = "7D"
    EIGHT_OF_DIAMONDS = "8D"
    NINE_OF_DIAMONDS = "9D"
    TEN_OF_DIAMONDS = "TD"
    JACK_OF_DIAMONDS = "JD"
    QUEEN_OF_DIAMONDS = "QD"
    KING_OF_DIAMONDS = "KD"
    ACE_OF_HEARTS = "AH"
    TWO_OF_HEARTS = "2H"
    THREE_OF_HEARTS = "3H"
    FOUR_OF_HEARTS = "4H"
    FIVE_OF_HEARTS = "5H"
    SIX_OF_HEARTS = "6H"
    SEVEN_OF_HEARTS = "7H"
    EIGHT_OF_HEARTS = "8H"
    NINE_OF_HEARTS = "9H"
    TEN_OF_HEARTS = "TH"
    JACK_OF_HEARTS = "JH"
    QUEEN_OF_HEARTS = "QH"
    KING_OF_HEARTS = "KH"
    ACE_OF_SPADES = "AS"
    TWO_OF_SPADES = "2S"
    THREE_OF_SPADES = "3S"
    FOUR_OF_SPADES = "4S"
    FIVE_OF_SPADES = "5S"
    SIX_OF_SPADES = "6S"
    SEVEN_OF_SPADES = "7S"
    EIGHT_OF_SPADES = "8S"
    NINE_OF_SPADES = "9S"
    TEN_OF_SPADES = "TS"
    JACK_OF_SPADES = "JS"
    QUEEN_OF_SPADES = "QS"
    KING_OF_SPADES = "KS"

    # Cards are compared by identity, so they are hashed by it too; Enum's own hash is a Python call.
    __hash__ = object.__hash__

    def __init__(self, code: str) -> None:
        self.rank = Rank(code[0])
        self.suit = Suit(code[1])
        rank_from_ace = "A23456789TJQK".index(code[0])
        self.points = rank_from_ace + 1 if rank_from_ace < 9 else 0
        """Point value: ace 1, two to nine their number, ten and court cards 0."""
        self.number = rank_from_ace * 4 + "CDHS".index(code[1])
        """0 to 51. Its two lowest bits are the suit and the others the rank, so that hands compare quickly."""

    def __str__(self) -> str:
        return self.value

    @staticmethod
    def parse(text: str) -> "Card":
        """Read a card as a person writes it: any case, "T" or "10" for a ten."""
        code = text.strip().upper() if text.isascii() else ""
        if code.startswith("10"):
            code = "T" + code[2:]
        card = _CARDS.get(code)
        if card is None:
            raise BadCardError(
                f"{_shortened(text)!r} is not a card: "
                "write a rank (A 2 3 4 5 6 7 8 9 T J Q K) and a suit (C D H S), as in 9H"
            )
        return card


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"


_CARDS: dict[str, Card] = {card.value: card for card in Card}

CARDS_BY_NUMBER: tuple[Card, ...] = tuple(sorted(Card, key=lambda card: card.number))
