"""Extra cards that lie ready for the next round: one that everyone has seen never begins a round with wagers."""

from shoe_controller.messages.facts import ExtraCardDecided
from shoe_controller.messages.phases import Phase
from shoe_controller.messages.procedure import Reveal, ShownCard
from shoe_controller.table.draft import Draft
from shoe_controller.table.state import ExtraCard, Shoe, TableState

NEVER_WITH_WAGERS = 3
"""The `REVISION` of the running program from which this holds, also in a shoe that an earlier one opened."""

STAYS_FIRST = 4
"""The `REVISION` of the running program from which no card is entered before the one that was carried."""


def was_shown(shoe: Shoe, extra: ExtraCard) -> bool:
    """Whether everyone has seen the card."""
    return extra.shown or shoe.rules.procedure.reveal is Reveal.AT_DRAW


def can_only_be_burned(state: TableState, extra: ExtraCard) -> bool:
    """Whether everyone has seen the card, and the house burns such a card."""
    shoe = state.shoe
    if shoe is None or state.lasting.revision < NEVER_WITH_WAGERS:
        return False
    return shoe.rules.procedure.shown_card is ShownCard.BURN and was_shown(shoe, extra)


def awaits_extra_card(state: TableState) -> bool:
    """Whether the shoe has reported an over-draw, and its card is still to come: nobody can decide on it yet."""
    return state.shoe is not None and state.shoe.over_draw_awaited and not state.lasting.hand_entry


def carries(state: TableState) -> ExtraCard | None:
    """The card that lies ready as the first of the round that comes."""
    before = state.phase in (Phase.BETTING, Phase.CLOSED)
    return state.shoe.carried if before and state.shoe is not None else None


def begins_with_carried(state: TableState) -> bool:
    """Whether a card of the round before is the first of this one, or lies ready for it: none left the shoe between."""
    if carries(state) is not None:
        return True
    cards = () if state.round is None else state.round.cards
    return state.lasting.revision >= STAYS_FIRST and bool(cards) and cards[0].carried


def carries_shown(state: TableState) -> bool:
    """Whether a card that everyone has seen is to begin the next round, which can then have no wagers."""
    shoe = state.shoe
    if shoe is None or shoe.carried is None or state.lasting.revision < NEVER_WITH_WAGERS:
        return False
    return was_shown(shoe, shoe.carried)


def burn_carried(draft: Draft) -> None:
    """The card that was to begin the next round is burned after all."""
    carried = draft.shoe.carried
    if carried is not None:
        draft.shoe.carried = None
        draft.shoe.burned += 1
        draft.shoe.burned_extras = (carried, *draft.shoe.burned_extras)
        draft.emit(ExtraCardDecided, burned=1, used=False)


def burn_carried_before_wagers(draft: Draft) -> None:
    """A shoe that an earlier version opened carries a card that everyone has seen into a round with wagers."""
    if carries_shown(draft.state) and carries(draft.state) is not None and not draft.round.free:
        burn_carried(draft)
