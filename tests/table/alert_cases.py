"""The table of cases: for each kind of alert, how it is raised and what ends it. Causes are in `alert_causes.py`."""

from collections.abc import Callable
from typing import Any, NamedTuple

from firmware_protocol.cards import Card
from firmware_protocol.events import (
    CardIdentified,
    FaultCleared,
    FaultCode,
    Hand,
    LidChanged,
    Started,
)
from shoe_controller.baccarat.sides import Side
from shoe_controller.messages.acts import (
    ActName,
    AmendedCard,
    AmendRound,
    AnyAct,
    AssignCards,
    AssignedCard,
    CloseDispute,
    CorrectCard,
    CountRemainder,
    DiscardCard,
    EnterCard,
    IdentifyCard,
)
from shoe_controller.messages.alerts import AlertKind
from shoe_controller.messages.causes import DiscardCause
from shoe_controller.messages.procedure import BetsClose, DiscardedCard, Reveal, ShownCard
from shoe_controller.table.inputs import GateAnswered, LinkBack, MessagesTaken
from tests.table.alert_causes import (
    another_controller,
    bad_burned_card,
    bad_burned_card_angel_eye,
    burn_announced_wrong,
    burn_broken_off,
    burn_counted_wrong,
    burned_between_rounds,
    burned_card_carried,
    burned_in_the_round,
    called_by_act,
    called_by_button,
    came_again,
    card_after_end,
    card_jammed,
    card_twice,
    card_without_shoe,
    clock_stepped,
    copy_of_earlier_round,
    counted_again,
    dealt_before,
    dealt_before_new_dealer_burned,
    dealt_with_nobody_on_duty,
    double_feed,
    draw_before_close,
    due_card_elsewhere,
    ended_by_force,
    entered_card_differs,
    event_gap,
    event_store_full,
    extra_card,
    extra_card_after_unread_card,
    extra_card_before_the_round,
    face_read_again,
    first_card_beside_an_alert,
    first_card_too_early,
    foreign_angel_eye,
    foreign_by_its_set,
    foreign_found_out_later,
    foreign_native,
    gap_between_rounds,
    gate_forced,
    gate_unanswered,
    impossible_age,
    journal_begun,
    journal_damaged,
    journal_rolled_back,
    late_wager,
    lid_open_at_the_opening,
    lid_opened,
    line_refused,
    messages_refused,
    misread_angel_eye,
    misread_native,
    more_cards_than_decks_hold,
    named_a_card_that_never_came,
    never_entered,
    new_shoe_button_too_early,
    no_card_came,
    no_card_came_between_rounds,
    not_due_at_the_result,
    not_due_by_correction,
    nothing_burned,
    one_card_is_missing,
    one_piece_too_many,
    out_of_turn,
    out_of_turn_undisclosed,
    over_draw_after_settlement,
    over_draw_after_unread_card,
    over_draw_after_unseen_card,
    over_draw_angel_eye,
    over_draw_native,
    over_draw_undisclosed,
    over_draw_whose_card_is_awaited,
    over_draw_without_warning,
    pin_guessing,
    place_filled,
    place_filled_later,
    preset_changed,
    pushed_back_angel_eye,
    pushed_back_between_rounds,
    pushed_back_native,
    request_flood,
    restarted_angel_eye,
    restarted_between_rounds,
    restarted_native,
    result_after_shoe_change,
    result_differs,
    result_differs_once_known,
    result_undone,
    settled_result_differs,
    shoe_changed_angel_eye,
    shoe_changed_native,
    shoe_ended_in_dispute,
    shoe_fault,
    shoe_lost,
    shoe_opened_in_dispute,
    shoe_stopped,
    shown_card_carried,
    silent_controller,
    status_ahead,
    stray_result,
    too_early_angel_eye,
    too_early_native,
    too_many_copies,
    too_many_copies_later,
    too_slow,
    two_cards_without_shoe,
    undisclosed_angel_eye,
    undisclosed_native,
    voided_foreign_card,
    wrong_key,
    wrong_line,
)
from tests.table.sitting import Sitting


class Case(NamedTuple):
    kind: AlertKind
    cause: Callable[[Sitting], None]
    acts: tuple[AnyAct, ...] = ()
    """The acts of `ended_by` that need to name a card here; the others need nothing."""
    itself: tuple[Callable[[Sitting], object], ...] = ()
    """What lets it end by itself."""
    ready: Callable[[Sitting], object] = lambda _: None
    """What must be so before anybody can clear it."""
    procedure: dict[str, Any] = {}  # noqa: RUF012 - never changed
    decks: int = 8
    between: bool = False
    """It is raised between two rounds, about what a round is about: it ends with the shoe too."""
    impossible: tuple[ActName, ...] = ()
    """Ways to end it that are not possible in the phase in which it is raised here."""

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.cause.__name__}"

    def table(self) -> Sitting:
        table = Sitting(house={"decks": self.decks}, **self.procedure)
        self.cause(table)
        return table


def close_lid(table: Sitting) -> None:
    table.event(LidChanged(opened=False))


def link_back(table: Sitting) -> None:
    table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=1))


def link_back_with_loss(table: Sitting) -> None:
    table.give(LinkBack(keeps_events=False, authenticated=False, boot_id=1))


def next_card(table: Sitting) -> None:
    table.card("KS")


def over(code: FaultCode) -> Callable[[Sitting], object]:
    return lambda table: table.event(FaultCleared(code=code))


def shoe_names_first_card(table: Sitting) -> None:
    table.event(CardIdentified(hand=Hand.PLAYER, position=1, card=Card.parse("7H")))


FIRST_IS_SEVEN = (IdentifyCard(number=1, card=Card.parse("7H")),)
OURS = {"card_sets": ("ours",)}
FREE = {"shown_card": ShownCard.FREE_HAND}
DISCARDS = {"discarded_card": DiscardedCard.NEXT_CARD}
DAMAGED = DiscardCard(number=1, cause=DiscardCause.DAMAGED, card=None)
FOREIGN = DiscardCard(number=1, cause=DiscardCause.FOREIGN, card=None)
SEVEN_DAMAGED = DiscardCard(number=1, cause=DiscardCause.DAMAGED, card=Card.parse("7H"))
SECOND_IS_FOUR = IdentifyCard(number=2, card=Card.parse("4D"))
DRAWN_IN_TRUTH = (CorrectCard(number=1, card=Card.parse("2H")),)
"""Player has 2 with it: the extra card was due."""


def assigned(hands: str, first: str | None = None) -> AssignCards:
    """All cards in the order of the draw, each to Player, to Banker, or to no hand; the first was misread."""
    sides = {"P": Side.PLAYER, "B": Side.BANKER}
    faces = [None if first is None else Card.parse(first)] + [None] * len(hands)
    return AssignCards(
        cards=tuple(AssignedCard(hand=sides.get(hand), card=face) for hand, face in zip(hands, faces, strict=False))
    )


IN_ROUND = (ActName.END_SHOE, ActName.OPEN_SHOE)
NO_CARD_OF_ROUND = (ActName.CORRECT_CARD, ActName.UNDO_LAST_RESULT)

CASES = (
    Case(AlertKind.OVER_DRAW, over_draw_native, acts=(*DRAWN_IN_TRUTH, SEVEN_DAMAGED), procedure=FREE | DISCARDS),
    Case(AlertKind.OVER_DRAW, over_draw_angel_eye, procedure=FREE),
    Case(
        AlertKind.OVER_DRAW,
        over_draw_whose_card_is_awaited,
        procedure=FREE,
        ready=over(FaultCode.OVER_DRAW),
        impossible=(ActName.USE_EXTRA_CARD, ActName.BURN_EXTRA_CARD),
    ),
    Case(AlertKind.OVER_DRAW, over_draw_undisclosed, procedure=FREE),
    Case(AlertKind.OVER_DRAW, over_draw_without_warning, acts=(assigned("PBPBP", first="2H"),), procedure=FREE),
    Case(
        AlertKind.OVER_DRAW,
        over_draw_after_settlement,
        impossible=(ActName.VOID_AND_REPLAY,),
        procedure=FREE,
        between=True,
    ),
    Case(
        AlertKind.OVER_DRAW,
        over_draw_after_unseen_card,
        acts=(EnterCard(number=2, card=Card.parse("3D")),),
        procedure=FREE,
    ),
    Case(
        AlertKind.OVER_DRAW,
        over_draw_after_unread_card,
        acts=(SECOND_IS_FOUR,),
        procedure=FREE,
        impossible=(ActName.USE_EXTRA_CARD,),
    ),
    Case(
        AlertKind.EXTRA_CARD,
        extra_card,
        acts=(assigned("PBP"), CorrectCard(number=1, card=Card.parse("8H")), SEVEN_DAMAGED),
        procedure=DISCARDS,
    ),
    Case(AlertKind.EXTRA_CARD, extra_card_after_unread_card, acts=(SECOND_IS_FOUR,)),
    Case(AlertKind.EXTRA_CARD, extra_card_before_the_round, impossible=(ActName.VOID_AND_REPLAY,), between=True),
    Case(AlertKind.OUT_OF_TURN, out_of_turn, acts=(EnterCard(number=2, card=Card.parse("KD")), assigned("PB"))),
    Case(AlertKind.OUT_OF_TURN, due_card_elsewhere, acts=(CorrectCard(number=1, card=Card.parse("7H")),)),
    Case(AlertKind.OUT_OF_TURN, out_of_turn_undisclosed, acts=(assigned("PB"),)),
    Case(AlertKind.OUT_OF_TURN, burned_in_the_round, acts=(assigned("PB"),)),
    Case(AlertKind.PLACE_FILLED, place_filled, acts=(assigned("PBP"),)),
    Case(AlertKind.PLACE_FILLED, place_filled_later),
    Case(
        AlertKind.MISREAD,
        misread_native,
        acts=(*FIRST_IS_SEVEN, assigned("P", first="7H"), DAMAGED),
        itself=(shoe_names_first_card,),
        procedure=DISCARDS,
    ),
    Case(AlertKind.MISREAD, misread_angel_eye, acts=FIRST_IS_SEVEN, itself=(shoe_names_first_card,)),
    Case(
        AlertKind.UNDISCLOSED_CARD,
        undisclosed_native,
        acts=(*FIRST_IS_SEVEN, assigned("PBPB", first="7H"), DAMAGED),
        itself=(shoe_names_first_card,),
        procedure=DISCARDS,
    ),
    Case(AlertKind.UNDISCLOSED_CARD, undisclosed_angel_eye, acts=FIRST_IS_SEVEN, itself=(shoe_names_first_card,)),
    Case(
        AlertKind.TOO_MANY_COPIES,
        too_many_copies,
        acts=(
            CorrectCard(number=6, card=Card.parse("QS")),
            assigned("PBPBPB", first="QS"),
            DiscardCard(number=6, cause=DiscardCause.FOREIGN, card=Card.parse("KS")),
        ),
        decks=5,
        procedure=DISCARDS,
    ),
    Case(AlertKind.TOO_MANY_COPIES, too_many_copies, acts=(CorrectCard(number=1, card=Card.parse("QS")),), decks=5),
    Case(
        AlertKind.TOO_MANY_COPIES,
        too_many_copies_later,
        acts=(CorrectCard(number=6, card=Card.parse("QS")),),
        decks=5,
    ),
    Case(
        AlertKind.CARD_TWICE,
        card_twice,
        acts=(DiscardCard(number=2, cause=DiscardCause.FOREIGN, card=Card.parse("7H")),),
        procedure=DISCARDS,
    ),
    Case(AlertKind.FOREIGN_CARD, foreign_native, acts=(FOREIGN,), procedure=DISCARDS),
    Case(AlertKind.FOREIGN_CARD, foreign_angel_eye),
    Case(AlertKind.FOREIGN_CARD, foreign_by_its_set, procedure=OURS),
    Case(AlertKind.FOREIGN_CARD, foreign_found_out_later, procedure=OURS),
    Case(AlertKind.DOUBLE_FEED, double_feed),
    Case(
        AlertKind.CARD_NOT_DUE,
        not_due_by_correction,
        acts=(
            CorrectCard(number=1, card=Card.parse("2H")),
            assigned("PBPB-"),
            DiscardCard(number=5, cause=DiscardCause.DAMAGED, card=Card.parse("5H")),
        ),
        procedure=DISCARDS,
    ),
    Case(AlertKind.CARD_NOT_DUE, not_due_at_the_result, acts=(CorrectCard(number=1, card=Card.parse("2H")),)),
    Case(AlertKind.SHOWN_CARD_CARRIED, shown_card_carried),
    Case(AlertKind.BURNED_CARD_CARRIED, burned_card_carried, procedure={"reveal": Reveal.AT_RESULT}),
    Case(AlertKind.BAD_CARD_OUT_OF_ROUND, bad_burned_card),
    Case(AlertKind.BAD_CARD_OUT_OF_ROUND, bad_burned_card_angel_eye),
    Case(AlertKind.ENTERED_CARD_DIFFERS, entered_card_differs, impossible=(ActName.END_SHOE,)),
    Case(AlertKind.ENTERED_CARD_DIFFERS, never_entered),
    Case(AlertKind.CARD_PUSHED_BACK, pushed_back_native),
    Case(AlertKind.CARD_PUSHED_BACK, pushed_back_angel_eye),
    Case(
        AlertKind.CARD_PUSHED_BACK,
        pushed_back_between_rounds,
        impossible=(ActName.VOID_AND_REPLAY,),
        between=True,
    ),
    Case(AlertKind.LATE_WAGER, late_wager),
    Case(AlertKind.DRAW_BEFORE_CLOSE, draw_before_close, procedure={"bets_close": BetsClose.DEALER}),
    Case(AlertKind.RESULT_TOO_EARLY, too_early_native),
    Case(AlertKind.RESULT_TOO_EARLY, too_early_angel_eye),
    Case(
        AlertKind.RESULT_DIFFERS,
        result_differs,
        acts=(CorrectCard(number=2, card=Card.parse("6D")), assigned("PBPB", first="2H"), SEVEN_DAMAGED),
        procedure=DISCARDS,
    ),
    Case(AlertKind.RESULT_DIFFERS, result_differs_once_known, acts=(CorrectCard(number=1, card=Card.parse("7H")),)),
    Case(AlertKind.SETTLED_RESULT_DIFFERS, settled_result_differs),
    Case(AlertKind.ENDED_BY_FORCE, ended_by_force),
    Case(
        AlertKind.RESULT_UNDONE,
        result_undone,
        acts=(
            CorrectCard(number=1, card=Card.parse("2H")),
            assigned("PBPB", first="2H"),
            SEVEN_DAMAGED,
            EnterCard(number=2, card=Card.parse("3D")),
        ),
        procedure=DISCARDS,
    ),
    Case(AlertKind.RESULT_AFTER_SHOE_CHANGE, result_after_shoe_change),
    Case(AlertKind.STRAY_RESULT, stray_result),
    Case(
        AlertKind.DRAW_TOO_SLOW,
        too_slow,
        acts=(EnterCard(number=3, card=Card.parse("3D")),),
        itself=(next_card,),
    ),
    Case(AlertKind.NO_CARD_CAME, no_card_came),
    Case(AlertKind.NO_CARD_CAME, card_jammed),
    Case(
        AlertKind.NO_CARD_CAME,
        no_card_came_between_rounds,
        impossible=(ActName.VOID_AND_REPLAY,),
        between=True,
    ),
    Case(AlertKind.BURN_DIFFERS, burn_announced_wrong, acts=(CorrectCard(number=0, card=Card.parse("4H")),)),
    Case(AlertKind.BURN_DIFFERS, burn_counted_wrong),
    Case(AlertKind.BURN_DIFFERS, burn_broken_off, impossible=(ActName.END_SHOE,)),
    Case(AlertKind.BURN_DIFFERS, nothing_burned, impossible=(ActName.END_SHOE,)),
    Case(AlertKind.BURNED_BETWEEN_ROUNDS, burned_between_rounds),
    Case(
        AlertKind.BURN_DUE,
        dealt_before_new_dealer_burned,
        procedure={"dealer_signs_in": True, "new_dealer_burns": True},
    ),
    Case(
        AlertKind.NOBODY_ON_DUTY,
        dealt_with_nobody_on_duty,
        itself=(Sitting.sign_in,),
        procedure={"dealer_signs_in": True},
    ),
    Case(AlertKind.CARD_WITHOUT_SHOE, card_without_shoe, impossible=(ActName.END_SHOE,)),
    Case(AlertKind.CARD_WITHOUT_SHOE, two_cards_without_shoe, impossible=(ActName.END_SHOE,)),
    Case(AlertKind.CARD_AFTER_END, card_after_end, impossible=(ActName.END_SHOE,)),
    Case(AlertKind.SHOE_CHANGED, shoe_changed_native),
    Case(AlertKind.SHOE_CHANGED, shoe_changed_angel_eye),
    Case(AlertKind.SHOE_CHANGE_UNCONFIRMED, new_shoe_button_too_early),
    Case(AlertKind.SHOE_CHANGE_UNCONFIRMED, first_card_too_early),
    Case(AlertKind.SHOE_CHANGE_UNCONFIRMED, first_card_beside_an_alert, impossible=(ActName.END_SHOE,)),
    Case(
        AlertKind.BAD_SHOE,
        too_many_copies,
        acts=(
            CorrectCard(number=6, card=Card.parse("QS")),
            assigned("PBPBPB", first="QS"),
            DiscardCard(number=6, cause=DiscardCause.FOREIGN, card=Card.parse("KS")),
        ),
        decks=5,
        procedure=DISCARDS,
        impossible=(*IN_ROUND, ActName.UNDO_LAST_RESULT),
    ),
    Case(
        AlertKind.BAD_SHOE,
        copy_of_earlier_round,
        acts=(AmendRound(shoe=1, round=1, cards=(AmendedCard(number=1, card=Card.parse("9D")),)),),
        decks=1,
        impossible=(ActName.CORRECT_CARD,),
    ),
    Case(AlertKind.BAD_SHOE, bad_burned_card_angel_eye, impossible=NO_CARD_OF_ROUND),
    Case(AlertKind.BAD_SHOE, voided_foreign_card, impossible=NO_CARD_OF_ROUND),
    Case(AlertKind.BAD_SHOE, more_cards_than_decks_hold, decks=1, impossible=NO_CARD_OF_ROUND),
    Case(
        AlertKind.REMAINDER_DIFFERS,
        one_card_is_missing,
        acts=(CountRemainder(cards=414),),
        impossible=(ActName.END_RUN_OUT,),
    ),
    Case(AlertKind.REMAINDER_DIFFERS, counted_again, impossible=(ActName.COUNT_REMAINDER,)),
    Case(
        AlertKind.REMAINDER_DIFFERS,
        one_piece_too_many,
        acts=(CountRemainder(cards=414),),
        impossible=(ActName.END_RUN_OUT,),
    ),
    Case(AlertKind.LID_OPENED, lid_opened, ready=close_lid),
    Case(AlertKind.LID_OPENED, lid_open_at_the_opening, ready=close_lid),
    Case(AlertKind.GATE_FORCED, gate_forced),
    Case(AlertKind.SHOE_RESTARTED, restarted_native),
    Case(AlertKind.SHOE_RESTARTED, restarted_angel_eye),
    Case(AlertKind.RESTARTED_BETWEEN_ROUNDS, restarted_between_rounds),
    Case(AlertKind.SHOE_LOST, shoe_lost, itself=(link_back, link_back_with_loss)),
    Case(AlertKind.EVENT_GAP, event_gap),
    Case(AlertKind.EVENT_GAP, gap_between_rounds, impossible=(ActName.VOID_AND_REPLAY,), between=True),
    Case(AlertKind.EVENT_GAP, event_store_full),
    Case(AlertKind.EVENT_GAP, named_a_card_that_never_came),
    Case(AlertKind.EVENT_GAP, face_read_again),
    Case(AlertKind.SHOE_STOPPED, shoe_stopped, itself=(over(FaultCode.SENSOR), lambda table: table.event(Started()))),
    Case(AlertKind.SHOE_FAULT, shoe_fault, itself=(over(FaultCode.LOW_VOLTAGE), lambda table: table.event(Started()))),
    Case(AlertKind.GATE_UNANSWERED, gate_unanswered, itself=(lambda table: table.give(GateAnswered()), link_back)),
    Case(AlertKind.PRESET_CHANGED, preset_changed),
    Case(AlertKind.LINE_REFUSED, line_refused),
    Case(
        AlertKind.LINE_REFUSED,
        wrong_key,
        itself=(lambda table: table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=2)),),
    ),
    Case(
        AlertKind.WRONG_LINE,
        wrong_line,
        itself=(
            lambda table: table.give(LinkBack(keeps_events=True, authenticated=True, boot_id=2)),
            over(FaultCode.LOW_VOLTAGE),
        ),
    ),
    Case(AlertKind.EVENTS_CAME_AGAIN, came_again),
    Case(AlertKind.IMPOSSIBLE_AGE, impossible_age),
    Case(AlertKind.CLOCK_STEPPED, clock_stepped),
    Case(AlertKind.MESSAGES_REFUSED, messages_refused, itself=(lambda table: table.give(MessagesTaken()),)),
    Case(AlertKind.JOURNAL_DAMAGED, journal_damaged),
    Case(AlertKind.JOURNAL_ROLLED_BACK, journal_rolled_back),
    Case(AlertKind.JOURNAL_BEGUN, journal_begun),
    Case(AlertKind.JOURNAL_BEGUN, dealt_before),
    Case(AlertKind.STATUS_AHEAD, status_ahead),
    Case(AlertKind.ANOTHER_CONTROLLER, another_controller),
    Case(AlertKind.ANOTHER_CONTROLLER, silent_controller),
    Case(AlertKind.DISPUTE_OPEN, shoe_ended_in_dispute, acts=(CloseDispute(dispute=1),)),
    Case(AlertKind.DISPUTE_OPEN, shoe_opened_in_dispute, acts=(CloseDispute(dispute=1),)),
    Case(AlertKind.SUPERVISOR_CALLED, called_by_act),
    Case(AlertKind.SUPERVISOR_CALLED, called_by_button),
    Case(AlertKind.PIN_GUESSING, pin_guessing),
    Case(AlertKind.REQUEST_FLOOD, request_flood),
)
