"""The deal of one round: fed card by card, it always knows whose card is next, and why.

The drawing rules have only a few hundred different standings, so they are worked out once, as a graph in which each
standing leads to the next by the card that comes. Feeding a card is then one step in that graph.
"""

from functools import cache

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from shoe_controller.baccarat.drawing import NOTHING_DEALT, HandTotals, dealt, next_side, reason
from shoe_controller.baccarat.facts import Facts, Likeness
from shoe_controller.baccarat.reasons import AnyReason
from shoe_controller.baccarat.sides import Side


class DealError(ValueError):
    """A card, or the end of the round, that the drawing rules do not allow. The deal is left as it was."""

    code: str

    def __init__(self, message: str, reason: AnyReason | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        """What the rules say instead."""


class OutOfTurnError(DealError):
    """The card went to one hand when it was the other's turn."""

    code = "out_of_turn"


class OverDrawError(DealError):
    """A card came after the last one."""

    code = "over_draw"


class UnderDrawError(DealError):
    """The round was ended while a card was still to come."""

    code = "under_draw"


class _Step:
    """A standing of the round, with the standing that each card leads to."""

    __slots__ = ("after", "facts", "next_side", "standing")

    def __init__(self, standing: HandTotals) -> None:
        self.standing = standing
        self.next_side = next_side(standing)
        self.after: tuple[_Step, ...] = ()
        """By the number of the card that comes; empty when the round is complete."""
        self.facts: tuple[Facts, ...] = ()
        """By the likeness of Player's cards and of Banker's; empty while the round goes on."""
        if self.next_side is None:
            self.facts = _facts_by_likeness(*standing[:4])
        else:
            by_points = [_step(dealt(standing, points)) for points in range(10)]
            self.after = tuple(by_points[card.points] for card in CARDS_BY_NUMBER)


@cache
def _step(standing: HandTotals) -> _Step:
    return _Step(standing)


def _likeness(bits: int) -> Likeness:
    pair, suited, third_suited = bits & 0b111100 == 0, bits & 0b000011 == 0, bits < 64
    if pair and suited:
        return Likeness.SUITED_PAIR if third_suited else Likeness.PERFECT_PAIR
    if pair:
        return Likeness.PAIR
    return Likeness.SUITED if suited and third_suited else Likeness.NOTHING


_LIKENESSES = len(Likeness)

_LIKENESS = tuple(_likeness(bits).value for bits in range(256))
"""What the cards of a hand have in common, by the bits in which the numbers of its first two differ.

Where the hand has a third card, the suit bits in which that one differs from the first stand above them."""


@cache
def _facts_by_likeness(player_cards: int, banker_cards: int, player_total: int, banker_total: int) -> tuple[Facts, ...]:
    return tuple(
        Facts(
            player_total=player_total,
            banker_total=banker_total,
            player_cards=player_cards,
            banker_cards=banker_cards,
            player_pair=player.pair,
            banker_pair=banker.pair,
            player_suited=player.suited,
            banker_suited=banker.suited,
            player_perfect_pair=player.perfect,
            banker_perfect_pair=banker.perfect,
        )
        for player in Likeness
        for banker in Likeness
    )


_START = _step(NOTHING_DEALT)


class Deal:
    """One round of cards, in the order in which they left the shoe."""

    __slots__ = ("_numbers", "_step")

    def __init__(self) -> None:
        self._step = _START
        self._numbers: list[int] = []

    def feed(self, card: Card, hand: Side | None = None) -> Side | None:
        """Take the next card, and the hand it went to if the shoe reports it; return whose card is next."""
        step = self._step
        number = card.number
        if hand is not None and hand is not step.next_side and step.after:
            raise OutOfTurnError(f"{card} went to {hand}, but it is {step.next_side}'s turn.", self.why)
        try:
            self._step = step = step.after[number]
        except IndexError:
            raise OverDrawError(f"{card} is one card too many.", self.why) from None
        self._numbers.append(number)
        return step.next_side

    @property
    def next_side(self) -> Side | None:
        """Whose card is next, or `None` when the round is complete."""
        return self._step.next_side

    @property
    def complete(self) -> bool:
        return self._step.next_side is None

    @property
    def why(self) -> AnyReason:
        """Why that card is next, or why none is."""
        return reason(self._step.standing)

    @property
    def cards(self) -> tuple[Card, ...]:
        """All cards, in the order in which they were dealt."""
        return tuple(CARDS_BY_NUMBER[number] for number in self._numbers)

    @property
    def player(self) -> tuple[Card, ...]:
        player_drew = self._step.standing.player_cards == 3
        return self.cards[:4:2] + (self.cards[4:5] if player_drew else ())

    @property
    def banker(self) -> tuple[Card, ...]:
        player_drew = self._step.standing.player_cards == 3
        return self.cards[1:4:2] + self.cards[5 if player_drew else 4 :]

    @property
    def standing(self) -> HandTotals:
        """Current totals and numbers of cards."""
        return self._step.standing

    def check_complete(self) -> None:
        """Raise `UnderDrawError` if a card is still to come."""
        if not self.complete:
            raise UnderDrawError("The round is not complete.", self.why)

    @property
    def facts(self) -> Facts:
        """The facts of the complete round, for its wagers."""
        step = self._step
        numbers = self._numbers
        if step.after:
            self.check_complete()
        if len(numbers) == 4:
            p1, b1, p2, b2 = numbers
            player, banker = p1 ^ p2, b1 ^ b2
        elif len(numbers) == 6:
            p1, b1, p2, b2, p3, b3 = numbers
            player, banker = p1 ^ p2 | ((p1 ^ p3) & 3) << 6, b1 ^ b2 | ((b1 ^ b3) & 3) << 6
        elif step.standing.player_cards == 3:
            p1, b1, p2, b2, p3 = numbers
            player, banker = p1 ^ p2 | ((p1 ^ p3) & 3) << 6, b1 ^ b2
        else:
            p1, b1, p2, b2, b3 = numbers
            player, banker = p1 ^ p2, b1 ^ b2 | ((b1 ^ b3) & 3) << 6
        return step.facts[_LIKENESS[player] * _LIKENESSES + _LIKENESS[banker]]
