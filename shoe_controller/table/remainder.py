"""The cards that are left when a shoe has ended: counted by hand, or drawn through the reader.

While they are drawn, every card that comes is counted: it belongs to no round, whatever hand the shoe gives for it, and
what the shoe makes of these cards (results, burns, over-draws) means nothing, also when it comes after the last one.
The result is one fact; a difference is an alert, and stays on the record.
"""

import msgspec

from firmware_protocol.cards import CARDS_BY_NUMBER, Card
from firmware_protocol.events import (
    AnyShoeEvent,
    Burn,
    CardDrawn,
    CardIdentified,
    CutCard,
    DoubleFeed,
    Fault,
    FaultCode,
    ForeignCard,
    Misread,
    ResultIndicated,
)
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import EndedByPerson
from shoe_controller.messages.details import RemainderOff
from shoe_controller.messages.facts import CardCounted, FaceCount, RemainderCounted, RunOutBegun
from shoe_controller.table.counting import NO_COPIES
from shoe_controller.table.draft import Draft
from shoe_controller.table.inventory import remainder_of, unseen
from shoe_controller.table.state import RunOut, Shoe

COUNTS_TO_THE_LAST = 4
"""The first `REVISION` of the program in which nothing but its end follows a run-out, and a card that comes after the
count asks for another."""


def is_counted(shoe: Shoe) -> bool:
    """Whether what is left was counted since the last card came."""
    return shoe.remainder_counted and shoe.counted_at in (None, shoe.cards_out)


def begin_run_out(draft: Draft) -> None:
    draft.shoe.run_out = RunOut(copies=NO_COPIES)
    draft.emit(RunOutBegun, expected=remainder_of(draft.shoe))


def end_run_out(draft: Draft, run_out: RunOut, person: str) -> None:
    shoe = draft.shoe
    shoe.run_out, shoe.ran_out = None, True
    faces = _faces(shoe, run_out)
    _put_on_record(draft, run_out.counted, faces, person)


def counted_by_hand(draft: Draft, cards: int, person: str) -> None:
    _put_on_record(draft, cards, None, person)


def _put_on_record(draft: Draft, found: int, faces: FaceCount | None, person: str) -> None:
    shoe = draft.shoe
    expected = remainder_of(shoe)
    wrong = faces is not None and bool(faces.extra or faces.duplicates or faces.foreign)
    fits = found == expected and not wrong
    shoe.remainder_counted = True
    shoe.counted_at = shoe.cards_out if draft.lasting.revision >= COUNTS_TO_THE_LAST else None
    shoe.remainder_seq = draft.emit(
        RemainderCounted, expected=expected, found=found, fits=fits, faces=faces, replaces=shoe.remainder_seq
    )
    # What was counted before counts no more: of several counts, the last is the one that must fit.
    draft.end_alerts(EndedByPerson(person=person), AlertKind.REMAINDER_DIFFERS)
    if not fits:
        draft.alert(AlertKind.REMAINDER_DIFFERS, RemainderOff(shoe=shoe.number, expected=expected, found=found))


def _faces(shoe: Shoe, run_out: RunOut) -> FaceCount:
    """The whole shoe, face by face: what came in play, and what was left."""
    came = [dealt + left for dealt, left in zip(shoe.copies, run_out.copies, strict=True)]
    by_face = [(CARDS_BY_NUMBER[number], copies - shoe.decks) for number, copies in enumerate(came)]
    return FaceCount(
        missing={card: -off for card, off in by_face if off < 0},
        extra={card: off for card, off in by_face if off > 0},
        unseen=unseen(shoe) + run_out.counted - sum(run_out.copies),
        duplicates=run_out.duplicates,
        foreign=run_out.foreign,
    )


def forget_count(shoe: Shoe) -> None:
    """The shoe goes on after all: what was counted of its remainder counts no more."""
    shoe.run_out, shoe.ran_out = None, False
    shoe.remainder_counted = False


# --- drawn through the reader ----------------------------------------------------------------------------------------


_ABOUT_ROUNDS = frozenset({FaultCode.UNREADABLE, FaultCode.OVER_DRAW, FaultCode.BUTTON_MISUSED})
"""Faults of a shoe that takes these cards for those of a round, or that name a card which is counted as not read."""


def counts_remainder(draft: Draft, event: AnyShoeEvent) -> bool:  # noqa: C901 - one case for each event
    """Count a card of the remainder; whether the event was about that, so that nothing more comes of it."""
    run_out = None if draft.state.shoe is None else draft.shoe.run_out
    if run_out is None:
        after = draft.state.shoe is not None and draft.shoe.ran_out
        return after and (isinstance(event, CardIdentified) or _means_nothing(event))
    match event:
        case CardDrawn():
            if not event.carried_over:
                _count(draft, run_out, event.card, event.card_id, foreign=_is_foreign(draft, event.deck_set))
        case Misread():
            _count(draft, run_out, None, None)
        case ForeignCard():
            _count(draft, run_out, None, event.card_id, foreign=True)
        case DoubleFeed():
            for _ in range(event.cards):
                _count(draft, draft.shoe.run_out or run_out, None, None)
        case CardIdentified():
            _identified(draft, run_out, event)
        case Fault(code=FaultCode.FOREIGN_CARD):
            if run_out.counted and not run_out.last_is_foreign:
                draft.shoe.run_out = msgspec.structs.replace(run_out, foreign=run_out.foreign + 1, last_is_foreign=True)
        case _:
            return _means_nothing(event)
    return True


def _means_nothing(event: AnyShoeEvent) -> bool:
    """Whether it is what a shoe says that takes these cards for those of a round."""
    if isinstance(event, Fault):
        return event.code in _ABOUT_ROUNDS
    return isinstance(event, ResultIndicated | Burn | CutCard)


def _count(draft: Draft, run_out: RunOut, card: Card | None, card_id: str | None, *, foreign: bool = False) -> None:
    counted = run_out.counted + 1
    again = card_id is not None and (card_id in draft.shoe.card_ids or card_id in run_out.card_ids)
    draft.shoe.run_out = msgspec.structs.replace(
        run_out,
        counted=counted,
        copies=_with_face(run_out, card),
        card_ids=run_out.card_ids if card_id is None else (*run_out.card_ids, card_id),
        duplicates=(*run_out.duplicates, card_id) if again and card_id is not None else run_out.duplicates,
        foreign=run_out.foreign + foreign,
        last_is_foreign=foreign,
    )
    draft.emit(CardCounted, card=card, counted=counted)


def _identified(draft: Draft, run_out: RunOut, event: CardIdentified) -> None:
    """The shoe names a card that it did not disclose as it came."""
    if event.card is not None and sum(run_out.copies) < run_out.counted:
        draft.shoe.run_out = msgspec.structs.replace(run_out, copies=_with_face(run_out, event.card))


def _with_face(run_out: RunOut, card: Card | None) -> tuple[int, ...]:
    if card is None:
        return run_out.copies
    return tuple(copies + (number == card.number) for number, copies in enumerate(run_out.copies))


def _is_foreign(draft: Draft, deck_set: str | None) -> bool:
    sets = draft.procedure.card_sets
    return bool(sets) and deck_set is not None and deck_set not in sets
