"""The first card of a shoe and the burned cards; what is wrong with a card that lies in no hand."""

import msgspec

from firmware_protocol.cards import Card
from firmware_protocol.events import Burn
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import AnyAlertEnd
from shoe_controller.messages.details import (
    BurnCountDiffers,
    BurnedTooMany,
    BurnsLeftDiffer,
    CardProblem,
    FirstCardOfShoe,
    ProblemCard,
)
from shoe_controller.messages.facts import CardBurned
from shoe_controller.messages.phases import Phase
from shoe_controller.table.counting import Arrived, count_face
from shoe_controller.table.draft import Draft
from shoe_controller.table.finishing import open_betting
from shoe_controller.table.phases import Move
from shoe_controller.table.state import ExtraCard

FACE_CARDS_BURN = 10

COUNTS_BURNED = 4
"""The `REVISION` of the running program from which a first card that is named late is compared with what was burned."""


def burn_announced(draft: Draft, event: Burn) -> None:
    if draft.phase is Phase.BURNING and event.cards != draft.shoe.burns and not draft.shoe.first_corrected:
        differs = BurnCountDiffers(shoe=event.cards, first_card=draft.shoe.burns or 0)
        draft.alert(AlertKind.BURN_DIFFERS, differs)


def first_card(draft: Draft, arrived: Arrived) -> None:
    # Everyone at the table counts the burn, so the first card is shown whatever the house reveals later.
    to_burn, by = burns_for(arrived.card), arrived.entered_by
    seq = draft.emit(CardBurned, card=arrived.card, burned=0, to_burn=to_burn, entered_by=by)
    draft.shoe.first_card = ExtraCard(
        card=arrived.card, card_id=arrived.card_id, seq=seq, drawn=arrived.drawn, entered=arrived.entered
    )
    if arrived.card is None and CardProblem.FOREIGN_CARD not in arrived.problems:
        misread = CardProblem.MISREAD in arrived.problems
        draft.alert(AlertKind.MISREAD if misread else AlertKind.UNDISCLOSED_CARD, FirstCardOfShoe(), card=0)
        return
    problem_out_of_round(draft, arrived)
    first_card_known(draft)


def identify_first(draft: Draft, card: Card, identified_by: AnyAlertEnd) -> None:
    """The first card was not read; a supervisor, or the shoe, names it now."""
    first = draft.shoe.first_card
    if first is None:
        return
    if not count_face(draft, card):
        bad_card_out_of_round(draft, CardProblem.TOO_MANY_COPIES)
    seq = draft.emit(CardBurned, card=card, burned=draft.shoe.burned, to_burn=burns_for(card))
    draft.shoe.first_card = msgspec.structs.replace(first, card=card, seq=seq)
    for alert in draft.lasting.alerts:
        if alert.card == 0:
            draft.end_alert(alert, identified_by)
    if draft.phase is Phase.FIRST_CARD:
        if draft.lasting.revision >= COUNTS_BURNED:
            _burned_too_many(draft, burns_for(card) or 0)
        first_card_known(draft)


def first_card_known(draft: Draft) -> None:
    """Begin to burn; a foreign first card burns nothing."""
    first = draft.shoe.first_card
    draft.shoe.burns = burns_for(None if first is None else first.card) or 0
    draft.move(Move.SHOW_FIRST)
    end_burning_when_done(draft)


def correct_first(draft: Draft, card: Card, corrected_by: AnyAlertEnd) -> None:
    """The first card was read wrongly; what remains to burn follows from what it is."""
    first, shoe = draft.shoe.first_card, draft.shoe
    if first is None or first.card is None:
        return
    count_face(draft, first.card, by=-1)
    if not count_face(draft, card):
        bad_card_out_of_round(draft, CardProblem.TOO_MANY_COPIES)
    shoe.burns, shoe.first_corrected = burns_for(card), True
    seq = draft.emit(CardBurned, card=card, burned=shoe.burned, to_burn=shoe.burns, replaces=first.seq)
    shoe.first_card = msgspec.structs.replace(first, card=card, seq=seq)
    draft.end_alerts(corrected_by, AlertKind.BURN_DIFFERS)
    _burned_too_many(draft, shoe.burns or 0)
    end_burning_when_done(draft)


def _burned_too_many(draft: Draft, to_burn: int) -> None:
    if draft.shoe.burned > to_burn:
        draft.alert(AlertKind.BURN_DIFFERS, BurnedTooMany(burned=draft.shoe.burned, to_burn=to_burn))


def burns_for(card: Card | None) -> int | None:
    return None if card is None else card.points or FACE_CARDS_BURN


def card_burned(draft: Draft, arrived: Arrived) -> None:
    shoe = draft.shoe
    shoe.burned += 1
    draft.emit(CardBurned, card=None, burned=shoe.burned, to_burn=shoe.burns, entered_by=arrived.entered_by)
    left = (shoe.burns or 0) - shoe.burned
    told = None if shoe.first_corrected else arrived.burns_left
    if told is not None and shoe.burns is not None and told != left:
        draft.alert(AlertKind.BURN_DIFFERS, BurnsLeftDiffer(shoe=told, first_card=left))
    problem_out_of_round(draft, arrived)
    end_burning_when_done(draft)


def end_burning_when_done(draft: Draft) -> None:
    if draft.phase is Phase.BURNING and draft.shoe.burned >= (draft.shoe.burns or 0):
        end_burning(draft)


def end_burning(draft: Draft) -> None:
    draft.move(Move.BURN_LAST)
    open_betting(draft)


def problem_out_of_round(draft: Draft, arrived: Arrived) -> None:
    for problem in arrived.problems:
        bad_card_out_of_round(draft, problem)


def bad_card_out_of_round(draft: Draft, problem: CardProblem) -> None:
    draft.alert(AlertKind.BAD_CARD_OUT_OF_ROUND, ProblemCard(problem=problem), fault=problem)
