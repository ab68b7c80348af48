"""The cards of a round against the drawing rules, also where some of their faces are not known yet.

Pure functions over the laid cards: they are called again whenever a card comes, is identified or is
corrected, so that a correction also updates everything after it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from firmware_protocol.cards import Card
from shoe_controller.baccarat.deal import Deal, DealError
from shoe_controller.baccarat.reasons import CardsFaceDown
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.facts import MOST_CARDS, CardPlace, Standing
from shoe_controller.table.state import LaidCard

FIRST_FOUR = (Side.PLAYER, Side.BANKER, Side.PLAYER, Side.BANKER)


class Judgement(NamedTuple):
    deal: Deal
    """Fed with the cards up to the first one that is unknown or not allowed."""
    unknown: int | None
    """The first card whose face is not known, from 1."""
    illegal: int | None
    """The first card that the rules do not allow where it lies, from 1."""

    @property
    def complete(self) -> bool:
        """Every card is known and allowed, and no more may come."""
        return self.unknown is None and self.illegal is None and self.deal.complete

    @property
    def card_is_due(self) -> bool:
        """Every card is known and allowed, and another one must come."""
        return self.unknown is None and self.illegal is None and not self.deal.complete


def judge(cards: Sequence[LaidCard]) -> Judgement:
    deal = Deal()
    for number, laid in enumerate(cards, 1):
        if laid.card is None:
            return Judgement(deal, number, _structure_broken(cards))
        try:
            deal.feed(laid.card, laid.hand)
        except DealError:
            return Judgement(deal, None, number)
    return Judgement(deal, None, None)


def _structure_broken(cards: Sequence[LaidCard]) -> int | None:
    """The first card that cannot lie where it lies, whatever the faces are."""
    for number in range(1, len(cards) + 1):
        if cards[number - 1].hand not in _possible_hands([laid.hand for laid in cards[: number - 1]]):
            return number
    return None


def one_is_due(cards: Sequence[LaidCard]) -> bool:
    """Whether another card must come, whatever those are that are not known: the first four always do."""
    judgement = judge(cards)
    return judgement.card_is_due or (judgement.illegal is None and len(cards) < len(FIRST_FOUR))


def possible_hands(cards: Sequence[LaidCard]) -> tuple[Side, ...]:
    """To which hands the next card can go; none when the round is complete."""
    judgement = judge(cards)
    if judgement.illegal is not None:
        return ()
    if judgement.unknown is None:
        due = judgement.deal.next_side
        return () if due is None else (due,)
    return _possible_hands([laid.hand for laid in cards])


def _possible_hands(hands: Sequence[Side]) -> tuple[Side, ...]:
    """What the order of the deal alone allows."""
    if len(hands) < len(FIRST_FOUR):
        return (FIRST_FOUR[len(hands)],)
    if len(hands) == MOST_CARDS or Side.BANKER in hands[len(FIRST_FOUR) :]:
        return ()
    return (Side.BANKER,) if len(hands) > len(FIRST_FOUR) else (Side.PLAYER, Side.BANKER)


def place_of(number: int, laid: LaidCard) -> CardPlace:
    return CardPlace(
        number=number,
        hand=laid.hand,
        card=laid.card if laid.shown else None,
        entered_by=None if laid.entered is None else laid.entered.by,
    )


def standing_of(cards: Sequence[LaidCard]) -> Standing:
    """How the round stands, by the cards that are shown."""
    judgement = judge(cards)
    if judgement.illegal is not None:
        return Standing(player_total=None, banker_total=None, next_hand=None, complete=None, why=None)
    totals = [_total([laid for laid in cards if laid.hand is side]) for side in (Side.PLAYER, Side.BANKER)]
    if all(laid.shown and laid.card is not None for laid in cards):
        deal = judgement.deal
        return Standing(
            player_total=totals[0],
            banker_total=totals[1],
            next_hand=deal.next_side,
            complete=deal.complete,
            why=deal.why,
        )
    # The first four cards go out in a fixed order, so showing whose is next gives nothing away.
    next_hand = FIRST_FOUR[len(cards)] if len(cards) < len(FIRST_FOUR) else None
    return Standing(
        player_total=totals[0],
        banker_total=totals[1],
        next_hand=next_hand,
        complete=None if next_hand is None else False,
        why=CardsFaceDown(),
    )


def _total(hand: Sequence[LaidCard]) -> int | None:
    faces: list[Card] = [laid.card for laid in hand if laid.shown and laid.card is not None]
    return sum(card.points for card in faces) % 10 if len(faces) == len(hand) else None
