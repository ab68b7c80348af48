"""All cards of a round in the order of the draw, wherever they lie."""

from typing import NamedTuple

from shoe_controller.baccarat.sides import Side
from shoe_controller.table.state import ExtraCard, LaidCard, Round, Shoe, StrayCard


class DrawnCard(NamedTuple):
    """A card of the round, wherever it lies."""

    card: LaidCard
    hand: Side | None = None
    position: int | None = None
    """The place that a person gave for the card; or the shoe, for one that fits no place."""
    aside: ExtraCard | None = None
    """The same card, where it lies in no hand."""


def in_order(playing: Round, *, shown: bool, extras: bool = True) -> list[DrawnCard]:
    """Those that fit no place included; `shown` says whether those that lie in no hand may be shown."""
    drawn = [DrawnCard(laid) for laid in playing.cards]
    for aside in (*playing.strays, *(playing.extras if extras else ())):
        told = aside.hand if isinstance(aside, StrayCard) else None
        position = aside.position if isinstance(aside, StrayCard) else None
        drawn.append(DrawnCard(laid_from(aside, told or Side.PLAYER, shown=shown), told, position, aside))
    return sorted(drawn, key=lambda one: one.card.drawn)


def drawn_next(shoe: Shoe, playing: Round) -> ExtraCard | None:
    """The extra card of the round that left after those in the hands, also where it was burned or carried since."""
    last = playing.cards[-1].drawn if playing.cards else 0
    carried = () if shoe.carried is None else (shoe.carried,)
    aside = (*playing.extras, *shoe.burned_extras, *carried)
    of_round = (extra for extra in aside if extra.round == playing.number and not extra.declined)
    later = (extra for extra in of_round if extra.drawn > last)
    return min(later, key=lambda extra: extra.drawn, default=None)


def laid_from(aside: ExtraCard, hand: Side, *, shown: bool) -> LaidCard:
    """The card in a hand; one that everyone has seen stays so."""
    return LaidCard(
        hand=hand,
        card=aside.card,
        card_id=aside.card_id,
        shown=shown or aside.shown,
        seq=aside.seq,
        drawn=aside.drawn,
        entered=aside.entered,
        foreign=aside.foreign,
    )
