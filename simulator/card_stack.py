"""The cards in a shoe and those that have left it, and what a cheat or a careless hand can do to them."""

from collections import Counter

from firmware_protocol.cards import Card
from simulator.decks import Decks, Piece


class CardStack:
    def __init__(self, decks: Decks) -> None:
        self.decks = decks
        self._inside = list(reversed(decks.pieces))
        """The next card is the last of the list."""
        self._left: list[Piece] = []
        self._shown: Counter[Card] = Counter()
        self._next_number = len(decks.pieces) + 1
        """For a card that does not belong to the decks."""

    def __len__(self) -> int:
        """Cards inside."""
        return len(self._inside)

    @property
    def has_let_out_cards(self) -> bool:
        return bool(self._left)

    @property
    def top(self) -> Piece:
        """The card that leaves next."""
        return self._inside[-1]

    def let_out(self) -> Piece:
        piece = self._inside.pop()
        self._left.append(piece)
        return piece

    def face_was_shown(self, card: Card) -> None:
        """Count a card that lies in a hand and was read, so that its face is known sooner or later."""
        self._shown[card] += 1

    def take_out_all(self) -> int:
        """Empty it; return how many cards there were."""
        count = len(self._inside)
        self._inside.clear()
        return count

    def put_clone_on_top(self) -> None:
        """Put a copy of the card that left last on top, with the same number."""
        self._inside.append(self._left[-1])

    def put_foreign_on_top(self, deck_set: str, card: Card) -> None:
        self._inside.append(Piece(card, 1, deck_set))

    def put_surplus_copies_on_top(self) -> None:
        """Put copies of the most shown face on top, until it is shown once more often than the decks contain it."""
        face = self._shown.most_common(1)[0][0] if self._shown else self.top.card
        wanted = max(self.decks.copies + 1 - self._shown[face], 1)
        inside = [piece for piece in self._inside if piece.card is face][:wanted]
        self._inside = [piece for piece in self._inside if piece not in inside]
        # Cards that were burned or lie hidden were not shown: these are compensated for as well.
        for _ in range(wanted - len(inside)):
            self._inside.append(Piece(face, self._next_number, self.decks.deck_set))
            self._next_number += 1
        self._inside += inside
