"""How a round can be put right in which a card lies elsewhere than the rules put it: assigned, discarded, only void."""

from shoe_controller.messages.alerts import AlertKind, Remedy
from shoe_controller.messages.details import (
    BurnedInRound,
    CardMissingBefore,
    CardOfRound,
    HandNotNamed,
    PlaceTaken,
    WrongHand,
)
from shoe_controller.messages.procedure import DiscardedCard, Reveal
from shoe_controller.table.judging import FIRST_FOUR
from shoe_controller.table.phases import CARDS_OUT
from shoe_controller.table.state import Alert, Round, TableState

OUT_OF_PLACE = (AlertKind.OUT_OF_TURN, AlertKind.PLACE_FILLED, AlertKind.CARD_NOT_DUE)
"""A card lies elsewhere than the rules put it: assigning the cards ends these."""

_ASSIGNABLE = (WrongHand, HandNotNamed, CardMissingBefore, BurnedInRound, PlaceTaken, CardOfRound)
"""Details of alerts about a card that left the shoe, and is on record in the order of the draw."""

_ORDER_LOST = (AlertKind.DOUBLE_FEED, AlertKind.SHOE_CHANGED)
_UNFIT = (AlertKind.FOREIGN_CARD, AlertKind.CARD_TWICE)
"""A card of the round may not be used."""


def remedy_of(state: TableState, alert: Alert) -> Remedy | None:
    """How the round can be put right when this alert is raised; nothing for one that is about something else."""
    if alert.kind not in (*OUT_OF_PLACE, *_ORDER_LOST, *_UNFIT):
        return None
    if loses_order(alert) or order_unknown(state):
        return Remedy.VOID
    if alert.kind in _UNFIT:
        return Remedy.DISCARD if discards(state) else Remedy.VOID
    return Remedy.ASSIGN if _may_be_assigned(state) else Remedy.VOID


def _may_be_assigned(state: TableState) -> bool:
    """Whether the cards can be seen before the result, so that a person can say where each belongs."""
    if state.shoe is None or state.round is None or state.phase not in CARDS_OUT:
        return False
    return state.shoe.rules.procedure.reveal is not Reveal.AT_RESULT or not lie_face_down(state.round)


def order_unknown(state: TableState) -> bool:
    """Whether it is not certain in which order the cards of the round left the shoe, or what they are."""
    if order_lost(state):
        return True
    playing = state.round
    # Older journals do not have the order of the draw.
    return playing is not None and any(
        one.drawn == 0 for cards in (playing.cards, playing.strays, playing.extras) for one in cards
    )


def order_lost(state: TableState) -> bool:
    """Whether an alert stands with which no card can be put in order: the round can only be voided."""
    return any(loses_order(alert) for alert in state.lasting.alerts)


def loses_order(alert: Alert) -> bool:
    return alert.kind in _ORDER_LOST or (alert.kind in OUT_OF_PLACE and not isinstance(alert.detail, _ASSIGNABLE))


def lie_face_down(playing: Round) -> bool:
    """Whether cards lie face down that decide where others belong: a refusal would tell of them."""
    drawn = len(playing.cards) + len(playing.strays) + len(playing.extras)
    decided = len(playing.cards) >= len(FIRST_FOUR) or drawn > len(FIRST_FOUR)
    return decided and not all(laid.shown for laid in playing.cards)


def discards(state: TableState) -> bool:
    """Whether the house lets a supervisor discard a card."""
    return state.shoe is not None and state.shoe.rules.procedure.discarded_card is DiscardedCard.NEXT_CARD
