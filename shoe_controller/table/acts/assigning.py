"""Acts that put cards where the rules put them: assigned to their hands, or discarded because they may not be used."""

from collections.abc import Sequence

from shoe_controller.messages.acts import Act, AssignCards, DiscardCard
from shoe_controller.messages.refusals import (
    AnyRefusal,
    CardsLieFaceDown,
    NoSuchCard,
    NothingChanges,
    NothingDiscarded,
    OrderUnknown,
    OtherCard,
)
from shoe_controller.table.acts.act import ActAtTable, By, Seen, Targets, only_if, some
from shoe_controller.table.acts.rounds import TWO_IF_FINISHED, finished
from shoe_controller.table.assigning import (
    Arranged,
    arranged_as_said,
    arranged_without,
    assign,
    changes_nothing,
    discard,
    drawn_cards,
    take_due_place,
)
from shoe_controller.table.draft import Draft
from shoe_controller.table.drawn_order import DrawnCard
from shoe_controller.table.inputs import PersonActs
from shoe_controller.table.judging import FIRST_FOUR
from shoe_controller.table.phases import CARDS_OUT
from shoe_controller.table.remedies import discards, lie_face_down, order_unknown
from shoe_controller.table.state import Round, TableState

# --- assigned --------------------------------------------------------------------------------------------------------


def _why_not_assign(draft: Draft, act: AssignCards, _given: PersonActs) -> AnyRefusal | None:
    why = _why_not_assigned_now(draft.state, draft.round)
    if why is not None:
        return why
    drawn = drawn_cards(draft.state)
    if _would_tell(drawn, act):
        return CardsLieFaceDown()
    arranged = arranged_as_said(draft.state, act.cards)
    if not isinstance(arranged, Arranged):
        return arranged
    return NothingChanges() if changes_nothing(draft.round, arranged, act.cards) else None


def _why_not_assigned_now(state: TableState, playing: Round) -> AnyRefusal | None:
    """Why no cards can be assigned, wherever a person says that they belong."""
    if lie_face_down(playing):
        return CardsLieFaceDown()
    return OrderUnknown() if order_unknown(state) else None


def _would_tell(drawn: Sequence[DrawnCard], act: AssignCards) -> bool:
    """Whether a card that nobody has seen, set aside face down, decides where a later one belongs.

    Where the act names it, the answer depends on what it says alone.
    """
    unseen = (not one.card.shown and said.card is None for one, said in zip(drawn[:-1], act.cards, strict=False))
    return len(drawn) > len(FIRST_FOUR) and any(unseen)


def _assign(draft: Draft, act: AssignCards, by: By) -> None:
    arranged = arranged_as_said(draft.state, act.cards)
    if isinstance(arranged, Arranged):
        assign(draft, arranged, by.person)
        take_due_place(draft, by.person)


def _offers_assign(seen: Seen) -> bool:
    playing = seen.state.round
    lie_there = playing is not None and bool(drawn_cards(seen.state))
    return playing is not None and lie_there and _why_not_assigned_now(seen.state, playing) is None


# --- discarded -------------------------------------------------------------------------------------------------------


def _why_not_discard(draft: Draft, act: DiscardCard, _given: PersonActs) -> AnyRefusal | None:
    why = _why_not_discarded(draft.state, draft.round, act.number)
    if why is not None:
        return why
    laid = draft.round.cards[act.number - 1]
    if act.card is not (laid.card if laid.shown else None):
        return OtherCard(number=act.number)
    arranged = arranged_without(draft.state, draft.round.cards[act.number - 1])
    return None if isinstance(arranged, Arranged) else arranged


def _why_not_discarded(state: TableState, playing: Round, number: int) -> AnyRefusal | None:
    if not discards(state):
        return NothingDiscarded()
    if not 1 <= number <= len(playing.cards):
        return NoSuchCard(number=number)
    if order_unknown(state) or playing.strays:
        return OrderUnknown()
    # Where cards lie face down, those after the discarded one would tell of them by where they go.
    return CardsLieFaceDown() if lie_face_down(playing) and number < len(playing.cards) else None


def _discard(draft: Draft, act: DiscardCard, by: By) -> None:
    arranged = arranged_without(draft.state, draft.round.cards[act.number - 1])
    if isinstance(arranged, Arranged):
        discard(draft, act.number, act.cause, arranged, by.person)
        take_due_place(draft, by.person, replaces=True)


def _can_be_discarded(seen: Seen) -> Targets | None:
    state, playing = seen.state, seen.state.round
    if playing is None:
        return None
    numbers = range(1, len(playing.cards) + 1)
    return some("cards", tuple(number for number in numbers if _can_go(state, playing, number)))


def _can_go(state: TableState, playing: Round, number: int) -> bool:
    if _why_not_discarded(state, playing, number) is not None:
        return False
    return isinstance(arranged_without(state, playing.cards[number - 1]), Arranged)


ACTS: dict[type[Act], ActAtTable] = {
    AssignCards: ActAtTable(
        phases=CARDS_OUT,
        why_not=_why_not_assign,
        does=_assign,
        about=only_if(_offers_assign),
        takes_two=finished,
        two_if=TWO_IF_FINISHED,
    ),
    DiscardCard: ActAtTable(
        phases=CARDS_OUT,
        why_not=_why_not_discard,
        does=_discard,
        about=_can_be_discarded,
        takes_two=finished,
        two_if=TWO_IF_FINISHED,
    ),
}
