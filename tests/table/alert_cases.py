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
from shoe_controller.messages.acts import AnyAct, CorrectCard, IdentifyCard
from shoe_controller.messages.procedure import BetsClose
from shoe_controller.table.inputs import LinkBack, MessagesTaken
from tests.table.alert_causes import (
    bad_burned_card,
    bad_burned_card_angel_eye,
    burn_announced_wrong,
    burn_broken_off,
    burn_counted_wrong,
    burned_between_rounds,
    burned_in_the_round,
    called_by_act,
    called_by_button,
    card_after_end,
    card_twice,
    card_without_shoe,
    clock_stepped,
    double_feed,
    draw_before_close,
    ended_by_force,
    event_gap,
    event_store_full,
    extra_card,
    extra_card_before_the_round,
    foreign_angel_eye,
    foreign_by_its_set,
    foreign_found_out_later,
    foreign_native,
    gate_forced,
    journal_damaged,
    late_wager,
    lid_open_at_the_opening,
    lid_opened,
    line_refused,
    messages_refused,
    misread_angel_eye,
    misread_native,
    named_a_card_that_never_came,
    no_card_came,
    not_due_at_the_result,
    not_due_by_correction,
    nothing_burned,
    out_of_turn,
    out_of_turn_undisclosed,
    over_draw_after_settlement,
    over_draw_angel_eye,
    over_draw_native,
    over_draw_without_warning,
    place_filled,
    place_filled_later,
    preset_changed,
    pushed_back_angel_eye,
    pushed_back_native,
    restarted_angel_eye,
    restarted_native,
    result_after_shoe_change,
    result_differs,
    result_differs_once_known,
    result_undone,
    settled_result_differs,
    shoe_ailing,
    shoe_changed_angel_eye,
    shoe_changed_native,
    shoe_lost,
    shoe_stopped,
    stray_result,
    too_early_angel_eye,
    too_early_native,
    too_many_copies,
    too_many_copies_later,
    too_slow,
    two_cards_without_shoe,
    undisclosed_angel_eye,
    undisclosed_native,
)
from tests.table.sitting import Sitting


class Case(NamedTuple):
    kind: str
    cause: Callable[[Sitting], None]
    acts: tuple[AnyAct, ...] = ()
    """The acts of `ended_by` that need to name a card here; the others need nothing."""
    itself: tuple[Callable[[Sitting], object], ...] = ()
    """What lets it end by itself."""
    ready: Callable[[Sitting], object] = lambda _: None
    """What must be so before anybody can clear it."""
    procedure: dict[str, Any] = {}  # noqa: RUF012 - never changed
    decks: int = 8
    impossible: tuple[str, ...] = ()
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


def ask_for_another_card(table: Sitting) -> None:
    table.act(CorrectCard(number=1, card=Card.parse("2H")))


VOIDS = ("void_round", "void_and_replay")
FIRST_IS_SEVEN = (IdentifyCard(number=1, card=Card.parse("7H")),)
OURS = {"card_sets": ("ours",)}

CASES = (
    Case("over_draw", over_draw_native),
    Case("over_draw", over_draw_angel_eye),
    Case("over_draw", over_draw_without_warning),
    Case("over_draw", over_draw_after_settlement, impossible=("void_and_replay",)),
    Case("extra_card", extra_card),
    Case("extra_card", extra_card_before_the_round, impossible=("void_and_replay",)),
    Case("out_of_turn", out_of_turn),
    Case("out_of_turn", out_of_turn_undisclosed),
    Case("out_of_turn", burned_in_the_round),
    Case("place_filled", place_filled),
    Case("place_filled", place_filled_later),
    Case("misread", misread_native, acts=FIRST_IS_SEVEN, itself=(shoe_names_first_card,)),
    Case("misread", misread_angel_eye, acts=FIRST_IS_SEVEN, itself=(shoe_names_first_card,)),
    Case("undisclosed_card", undisclosed_native, acts=FIRST_IS_SEVEN, itself=(shoe_names_first_card,)),
    Case("undisclosed_card", undisclosed_angel_eye, acts=FIRST_IS_SEVEN, itself=(shoe_names_first_card,)),
    Case("too_many_copies", too_many_copies, acts=(CorrectCard(number=6, card=Card.parse("QS")),), decks=5),
    Case("too_many_copies", too_many_copies, acts=(CorrectCard(number=1, card=Card.parse("QS")),), decks=5),
    Case("too_many_copies", too_many_copies_later, acts=(CorrectCard(number=6, card=Card.parse("QS")),), decks=5),
    Case("card_twice", card_twice),
    Case("foreign_card", foreign_native),
    Case("foreign_card", foreign_angel_eye),
    Case("foreign_card", foreign_by_its_set, procedure=OURS),
    Case("foreign_card", foreign_found_out_later, procedure=OURS),
    Case("double_feed", double_feed),
    Case("card_not_due", not_due_by_correction, acts=(CorrectCard(number=1, card=Card.parse("2H")),)),
    Case("card_not_due", not_due_at_the_result, acts=(CorrectCard(number=1, card=Card.parse("2H")),)),
    Case("bad_card_out_of_round", bad_burned_card),
    Case("bad_card_out_of_round", bad_burned_card_angel_eye),
    Case("card_pushed_back", pushed_back_native),
    Case("card_pushed_back", pushed_back_angel_eye),
    Case("late_wager", late_wager),
    Case("draw_before_close", draw_before_close, procedure={"bets_close": BetsClose.DEALER}),
    Case("result_too_early", too_early_native),
    Case("result_too_early", too_early_angel_eye),
    Case("result_differs", result_differs, acts=(CorrectCard(number=2, card=Card.parse("6D")),)),
    Case("result_differs", result_differs_once_known, acts=(CorrectCard(number=1, card=Card.parse("7H")),)),
    Case("settled_result_differs", settled_result_differs),
    Case("ended_by_force", ended_by_force),
    Case("result_undone", result_undone, itself=(ask_for_another_card,)),
    Case("result_after_shoe_change", result_after_shoe_change),
    Case("stray_result", stray_result),
    Case("draw_too_slow", too_slow, itself=(next_card,)),
    Case("no_card_came", no_card_came),
    Case("burn_differs", burn_announced_wrong),
    Case("burn_differs", burn_counted_wrong),
    Case("burn_differs", burn_broken_off, impossible=("end_shoe",)),
    Case("burn_differs", nothing_burned, impossible=("end_shoe",)),
    Case("burned_between_rounds", burned_between_rounds),
    Case("card_without_shoe", card_without_shoe, impossible=("end_shoe",)),
    Case("card_without_shoe", two_cards_without_shoe, impossible=("end_shoe",)),
    Case("card_after_end", card_after_end, impossible=("end_shoe",)),
    Case("shoe_changed", shoe_changed_native),
    Case("shoe_changed", shoe_changed_angel_eye),
    Case("lid_opened", lid_opened, ready=close_lid),
    Case("lid_opened", lid_open_at_the_opening, ready=close_lid),
    Case("gate_forced", gate_forced),
    Case("shoe_restarted", restarted_native),
    Case("shoe_restarted", restarted_angel_eye),
    Case("shoe_lost", shoe_lost, itself=(link_back,), ready=link_back_with_loss),
    Case("event_gap", event_gap),
    Case("event_gap", event_store_full),
    Case("event_gap", named_a_card_that_never_came),
    Case("shoe_stopped", shoe_stopped, itself=(over(FaultCode.SENSOR), lambda table: table.event(Started()))),
    Case("shoe_ailing", shoe_ailing, itself=(over(FaultCode.LOW_VOLTAGE), lambda table: table.event(Started()))),
    Case("preset_changed", preset_changed),
    Case("line_refused", line_refused),
    Case("clock_stepped", clock_stepped),
    Case("messages_refused", messages_refused, itself=(lambda table: table.give(MessagesTaken()),)),
    Case("journal_damaged", journal_damaged),
    Case("supervisor_called", called_by_act),
    Case("supervisor_called", called_by_button),
)
