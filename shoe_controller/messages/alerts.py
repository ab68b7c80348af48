"""Alerts as messages: every kind, and the one shape of an alert. The rules of each kind are in `table/alerts.py`."""

from enum import StrEnum

import msgspec

from shoe_controller.messages.acts import ActName
from shoe_controller.messages.details import AnyDetail


class Severity(StrEnum):
    """How severe an alert is."""

    STOPS = "stops"
    """The round stops, the gate is locked where the shoe can, nothing is settled until the alert has ended."""
    WARNS = "warns"
    """Shown, and on the record; the table goes on."""


class Clearer(StrEnum):
    """Who may end an alert after checking that all is well."""

    DEALER = "dealer"
    """The dealer, or a supervisor."""
    SUPERVISOR = "supervisor"
    """A supervisor, with a PIN and a reason."""
    NOBODY = "nobody"
    """Only one of the acts that put it right."""


class Remedy(StrEnum):
    """How a round can be put right in which a card does not lie where the rules put it."""

    ASSIGN = "assign"
    """A supervisor assigns the cards (`assign_cards`)."""
    DISCARD = "discard"
    """A supervisor discards the card (`discard_card`)."""
    VOID = "void"
    """The round can only be voided."""


class AlertKind(StrEnum):
    """Everything that goes wrong at a table. New kinds may be added: show one that you do not know by its severity."""

    # cards that do not fit the round
    OVER_DRAW = "over_draw"
    EXTRA_CARD = "extra_card"
    OUT_OF_TURN = "out_of_turn"
    PLACE_FILLED = "place_filled"
    MISREAD = "misread"
    UNDISCLOSED_CARD = "undisclosed_card"
    TOO_MANY_COPIES = "too_many_copies"
    CARD_TWICE = "card_twice"
    FOREIGN_CARD = "foreign_card"
    DOUBLE_FEED = "double_feed"
    CARD_NOT_DUE = "card_not_due"
    SHOWN_CARD_CARRIED = "shown_card_carried"
    BURNED_CARD_CARRIED = "burned_card_carried"
    BAD_CARD_OUT_OF_ROUND = "bad_card_out_of_round"
    CARD_PUSHED_BACK = "card_pushed_back"
    ENTERED_CARD_DIFFERS = "entered_card_differs"
    LATE_WAGER = "late_wager"
    DRAW_BEFORE_CLOSE = "draw_before_close"
    # the result
    RESULT_TOO_EARLY = "result_too_early"
    RESULT_DIFFERS = "result_differs"
    SETTLED_RESULT_DIFFERS = "settled_result_differs"
    ENDED_BY_FORCE = "ended_by_force"
    RESULT_UNDONE = "result_undone"
    RESULT_AFTER_SHOE_CHANGE = "result_after_shoe_change"
    STRAY_RESULT = "stray_result"
    # shoe and procedure
    DRAW_TOO_SLOW = "draw_too_slow"
    NO_CARD_CAME = "no_card_came"
    BURN_DIFFERS = "burn_differs"
    BURNED_BETWEEN_ROUNDS = "burned_between_rounds"
    BURN_DUE = "burn_due"
    NOBODY_ON_DUTY = "nobody_on_duty"
    CARD_WITHOUT_SHOE = "card_without_shoe"
    CARD_AFTER_END = "card_after_end"
    SHOE_CHANGED = "shoe_changed"
    SHOE_CHANGE_UNCONFIRMED = "shoe_change_unconfirmed"
    BAD_SHOE = "bad_shoe"
    REMAINDER_DIFFERS = "remainder_differs"
    LID_OPENED = "lid_opened"
    GATE_FORCED = "gate_forced"
    SHOE_RESTARTED = "shoe_restarted"
    RESTARTED_BETWEEN_ROUNDS = "restarted_between_rounds"
    SHOE_LOST = "shoe_lost"
    EVENT_GAP = "event_gap"
    SHOE_STOPPED = "shoe_stopped"
    SHOE_FAULT = "shoe_fault"
    GATE_UNANSWERED = "gate_unanswered"
    PRESET_CHANGED = "preset_changed"
    LINE_REFUSED = "line_refused"
    WRONG_LINE = "wrong_line"
    EVENTS_CAME_AGAIN = "events_came_again"
    IMPOSSIBLE_AGE = "impossible_age"
    # the controller
    CLOCK_STEPPED = "clock_stepped"
    JOURNAL_FULL = "journal_full"
    JOURNAL_DAMAGED = "journal_damaged"
    JOURNAL_ROLLED_BACK = "journal_rolled_back"
    JOURNAL_BEGUN = "journal_begun"
    STATUS_AHEAD = "status_ahead"
    ANOTHER_CONTROLLER = "another_controller"
    MESSAGES_REFUSED = "messages_refused"
    DISPUTE_OPEN = "dispute_open"
    SUPERVISOR_CALLED = "supervisor_called"
    PIN_GUESSING = "pin_guessing"
    REQUEST_FLOOD = "request_flood"


class AlertMessage(msgspec.Struct, frozen=True, kw_only=True):
    """An alert, in the same shape wherever one is published."""

    number: int
    """Counts up from 1 with every alert of this journal, and names the alert in `clear_alert`.

    0 is the alert that could not be stored; it is in `status` alone."""
    kind: AlertKind
    """What went wrong."""
    severity: Severity
    """Whether it stops the table."""
    detail: AnyDetail | None
    """What exactly is wrong; null where the kind says it all."""
    cleared_by: Clearer
    """Who may end it with `clear_alert`."""
    ended_by: tuple[ActName, ...]
    """The other acts that end it."""
    ends_itself: bool
    """Whether it ends by itself when its cause goes away."""
    remedy: Remedy | None = None
    """How the round can be put right; null for alerts that are not about a card which lies elsewhere than it should."""
