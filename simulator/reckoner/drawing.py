"""The drawing rules a second time, written from the documents; shares no code with `shoe_controller/baccarat`.

A card is a text of two characters, such as "9H".
"""

from collections.abc import Sequence
from typing import NamedTuple


class Round(NamedTuple):
    player: tuple[str, ...]
    banker: tuple[str, ...]

    @property
    def p(self) -> int:
        return total(self.player)

    @property
    def b(self) -> int:
        return total(self.banker)

    @property
    def tie(self) -> bool:
        return self.p == self.b

    def three(self, side: str, points: int) -> bool:
        """That side has these points on three cards."""
        hand = self.player if side == "P" else self.banker
        return total(hand) == points and len(hand) == 3

    def two(self, side: str, points: int) -> bool:
        hand = self.player if side == "P" else self.banker
        return total(hand) == points and len(hand) == 2

    def over(self, high: int, high_cards: Sequence[int], low: int, low_cards: Sequence[int]) -> bool:
        """A hand of `high` wins over a hand of `low`, whichever side it is on."""
        return any(
            total(first) == high and len(first) in high_cards and total(second) == low and len(second) in low_cards
            for first, second in ((self.player, self.banker), (self.banker, self.player))
        )


def points(card: str) -> int:
    return {"A": 1, "T": 0, "J": 0, "Q": 0, "K": 0}[card[0]] if card[0] in "ATJQK" else int(card[0])


def total(hand: Sequence[str]) -> int:
    return sum(points(card) for card in hand) % 10


FEWEST_CARDS = 4
"""Of a whole round."""
BANKER_DRAWS_UP_TO = {0: 3, 1: 3, 2: 4, 3: 4, 4: 5, 5: 5, 6: 6, 7: 6, 8: 2, 9: 3}
"""By the points of Player's third card: the highest total on which Banker draws."""


def burns(card: str) -> int:
    """How many cards the first card of a shoe burns."""
    return points(card) or 10


def next_hands(laid: Sequence[tuple[str, str | None]]) -> tuple[str, ...]:
    """The hands to which the next card can go, after these hands and faces; more than one where a face is not known."""
    if len(laid) < 4:
        return (("player", "banker")[len(laid) % 2],)
    faces = [face for _, face in laid]
    known = [face for face in faces if face is not None]
    thirds = [hand for hand, _ in laid[4:]]
    if "banker" in thirds:
        return ()
    if len(known) < len(faces):
        return ("banker",) if thirds else ("player", "banker")
    whole = dealt([*known, "2C", "2C"])
    if len(whole.player) == 3 and not thirds:
        return ("player",)
    return ("banker",) if len(whole.player) + len(whole.banker) > len(known) else ()


def is_whole(laid: Sequence[tuple[str, str | None]]) -> bool:
    """Whether these hands and faces, in the order of the draw, are a whole round as they lie."""
    known = [face for _, face in laid if face is not None]
    if len(known) < max(4, len(laid)):
        return False
    played = dealt([*known, "2C", "2C"])
    return all(
        [face for side, face in laid if side == hand] == list(cards)
        for hand, cards in (("player", played.player), ("banker", played.banker))
    )


def dealt(cards: Sequence[str]) -> Round:
    """The round that these cards make, in the order in which they left the shoe; cards that are not due are ignored."""
    player, banker, rest = [cards[0], cards[2]], [cards[1], cards[3]], list(cards[4:])
    if total(player) < 8 and total(banker) < 8:
        highest = 5
        if total(player) <= 5:
            player.append(rest.pop(0))
            highest = BANKER_DRAWS_UP_TO[points(player[2])]
        if total(banker) <= highest:
            banker.append(rest.pop(0))
    return Round(tuple(player), tuple(banker))
