"""The one table of everything that goes wrong: how severe each alert is, what it is about, and who or what ends it.

The operator's manual is generated from it. What raises each alert is in the files that look at the inputs
(`dealing.py`, `identifying.py`, `shoe_events.py`, `link_events.py`, `pins.py`). The words are in `messages/words`.
"""

from enum import Enum

import msgspec

from firmware_protocol.link import ENDED_BY_SESSION
from shoe_controller.messages.acts import ActName
from shoe_controller.messages.alerts import AlertKind, AlertMessage, Clearer, Severity
from shoe_controller.table.state import Alert


class Scope(Enum):
    """What an alert concerns; it ends with it."""

    ROUND = "round"
    SHOE = "shoe"
    TABLE = "table"


class AlertRule(msgspec.Struct, frozen=True, kw_only=True):
    kind: AlertKind
    severity: Severity
    scope: Scope
    cleared_by: Clearer
    ended_by: tuple[ActName, ...]
    """The other acts that end it. A void ends whatever is about the round, the end of a shoe what is about the shoe."""
    ends_itself: bool
    """Whether it ends when its cause goes away."""


_ENDS_SCOPE = {
    Scope.ROUND: (ActName.VOID_ROUND, ActName.VOID_AND_REPLAY),
    Scope.SHOE: (ActName.END_SHOE,),
    Scope.TABLE: (),
}


def _rule(  # noqa: PLR0913 - one row of the table below
    kind: AlertKind,
    scope: Scope,
    cleared_by: Clearer,
    *,
    severity: Severity = Severity.STOPS,
    ended_by: tuple[ActName, ...] = (),
    ends_itself: bool = False,
    proof: bool = False,
    between: bool = False,
) -> AlertRule:
    """`proof`: it proves that the shoe is bad, so that the round is not dealt again from it.

    `between`: it can stand between two rounds, and then ends with the shoe.
    """
    of_scope = tuple(act for act in _ENDS_SCOPE[scope] if not proof or act is not ActName.VOID_AND_REPLAY)
    of_scope += (ActName.OPEN_SHOE, ActName.END_SHOE) if between else ()
    return AlertRule(
        kind=kind,
        severity=severity,
        scope=scope,
        cleared_by=cleared_by,
        ended_by=(*ended_by, *of_scope),
        ends_itself=ends_itself,
    )


_RULES = (
    _rule(
        AlertKind.OVER_DRAW,
        Scope.ROUND,
        Clearer.SUPERVISOR,
        ended_by=(
            ActName.USE_EXTRA_CARD,
            ActName.BURN_EXTRA_CARD,
            ActName.IDENTIFY_CARD,
            ActName.CORRECT_CARD,
            ActName.ASSIGN_CARDS,
            ActName.DISCARD_CARD,
            ActName.ENTER_CARD,
        ),
        between=True,
    ),
    _rule(
        AlertKind.EXTRA_CARD,
        Scope.ROUND,
        Clearer.NOBODY,
        ended_by=(
            ActName.BURN_EXTRA_CARD,
            ActName.IDENTIFY_CARD,
            ActName.CORRECT_CARD,
            ActName.ASSIGN_CARDS,
            ActName.DISCARD_CARD,
        ),
        between=True,
    ),
    _rule(
        AlertKind.OUT_OF_TURN,
        Scope.ROUND,
        Clearer.NOBODY,
        ended_by=(ActName.CORRECT_CARD, ActName.ASSIGN_CARDS, ActName.ENTER_CARD),
    ),
    _rule(AlertKind.PLACE_FILLED, Scope.ROUND, Clearer.NOBODY, ended_by=(ActName.ASSIGN_CARDS,)),
    _rule(
        AlertKind.MISREAD,
        Scope.ROUND,
        Clearer.NOBODY,
        ended_by=(ActName.IDENTIFY_CARD, ActName.ASSIGN_CARDS, ActName.DISCARD_CARD),
        ends_itself=True,
    ),
    _rule(
        AlertKind.UNDISCLOSED_CARD,
        Scope.ROUND,
        Clearer.NOBODY,
        ended_by=(ActName.IDENTIFY_CARD, ActName.ASSIGN_CARDS, ActName.DISCARD_CARD),
        ends_itself=True,
    ),
    _rule(
        AlertKind.TOO_MANY_COPIES,
        Scope.ROUND,
        Clearer.NOBODY,
        ended_by=(ActName.CORRECT_CARD, ActName.ASSIGN_CARDS, ActName.DISCARD_CARD),
        proof=True,
    ),
    _rule(AlertKind.CARD_TWICE, Scope.ROUND, Clearer.NOBODY, ended_by=(ActName.DISCARD_CARD,), proof=True),
    _rule(AlertKind.FOREIGN_CARD, Scope.ROUND, Clearer.NOBODY, ended_by=(ActName.DISCARD_CARD,), proof=True),
    _rule(AlertKind.DOUBLE_FEED, Scope.ROUND, Clearer.NOBODY),
    _rule(
        AlertKind.CARD_NOT_DUE,
        Scope.ROUND,
        Clearer.NOBODY,
        ended_by=(ActName.CORRECT_CARD, ActName.ASSIGN_CARDS, ActName.DISCARD_CARD),
    ),
    _rule(AlertKind.SHOWN_CARD_CARRIED, Scope.ROUND, Clearer.SUPERVISOR),
    _rule(AlertKind.BURNED_CARD_CARRIED, Scope.ROUND, Clearer.SUPERVISOR),
    _rule(AlertKind.BAD_CARD_OUT_OF_ROUND, Scope.SHOE, Clearer.SUPERVISOR),
    _rule(AlertKind.CARD_PUSHED_BACK, Scope.ROUND, Clearer.SUPERVISOR, between=True),
    _rule(AlertKind.ENTERED_CARD_DIFFERS, Scope.SHOE, Clearer.SUPERVISOR),
    _rule(AlertKind.LATE_WAGER, Scope.ROUND, Clearer.SUPERVISOR),
    _rule(AlertKind.DRAW_BEFORE_CLOSE, Scope.ROUND, Clearer.SUPERVISOR),
    _rule(AlertKind.RESULT_TOO_EARLY, Scope.ROUND, Clearer.DEALER),
    _rule(
        AlertKind.RESULT_DIFFERS,
        Scope.ROUND,
        Clearer.SUPERVISOR,
        ended_by=(ActName.CORRECT_CARD, ActName.ASSIGN_CARDS, ActName.DISCARD_CARD),
    ),
    _rule(AlertKind.SETTLED_RESULT_DIFFERS, Scope.SHOE, Clearer.SUPERVISOR, ended_by=(ActName.UNDO_LAST_RESULT,)),
    _rule(AlertKind.ENDED_BY_FORCE, Scope.ROUND, Clearer.SUPERVISOR),
    _rule(
        AlertKind.RESULT_UNDONE,
        Scope.ROUND,
        Clearer.NOBODY,
        ended_by=(
            ActName.CONFIRM,
            ActName.CORRECT_CARD,
            ActName.ASSIGN_CARDS,
            ActName.DISCARD_CARD,
            ActName.ENTER_CARD,
        ),
    ),
    _rule(AlertKind.RESULT_AFTER_SHOE_CHANGE, Scope.SHOE, Clearer.SUPERVISOR),
    _rule(AlertKind.STRAY_RESULT, Scope.SHOE, Clearer.SUPERVISOR),
    _rule(
        AlertKind.DRAW_TOO_SLOW,
        Scope.ROUND,
        Clearer.DEALER,
        severity=Severity.WARNS,
        ended_by=(ActName.ENTER_CARD,),
        ends_itself=True,
    ),
    _rule(AlertKind.NO_CARD_CAME, Scope.ROUND, Clearer.SUPERVISOR, between=True),
    _rule(AlertKind.BURN_DIFFERS, Scope.SHOE, Clearer.SUPERVISOR, ended_by=(ActName.CORRECT_CARD,)),
    _rule(AlertKind.BURNED_BETWEEN_ROUNDS, Scope.SHOE, Clearer.SUPERVISOR, severity=Severity.WARNS),
    _rule(AlertKind.BURN_DUE, Scope.ROUND, Clearer.SUPERVISOR),
    _rule(AlertKind.NOBODY_ON_DUTY, Scope.ROUND, Clearer.NOBODY, ends_itself=True),
    _rule(AlertKind.CARD_WITHOUT_SHOE, Scope.SHOE, Clearer.SUPERVISOR, ended_by=(ActName.OPEN_SHOE,)),
    _rule(AlertKind.CARD_AFTER_END, Scope.SHOE, Clearer.SUPERVISOR, ended_by=(ActName.OPEN_SHOE,)),
    _rule(AlertKind.SHOE_CHANGED, Scope.ROUND, Clearer.NOBODY),
    # The end of a shoe does not tell which one the cards that wait belong to.
    _rule(AlertKind.SHOE_CHANGE_UNCONFIRMED, Scope.TABLE, Clearer.SUPERVISOR, ended_by=(ActName.OPEN_SHOE,)),
    _rule(
        AlertKind.BAD_SHOE,
        Scope.SHOE,
        Clearer.NOBODY,
        ended_by=(
            ActName.CORRECT_CARD,
            ActName.ASSIGN_CARDS,
            ActName.DISCARD_CARD,
            ActName.UNDO_LAST_RESULT,
            ActName.AMEND_ROUND,
            ActName.OPEN_SHOE,
        ),
    ),
    _rule(
        AlertKind.REMAINDER_DIFFERS,
        Scope.TABLE,
        Clearer.SUPERVISOR,
        ended_by=(ActName.COUNT_REMAINDER, ActName.END_RUN_OUT),
    ),
    _rule(
        AlertKind.LID_OPENED,
        Scope.TABLE,
        Clearer.SUPERVISOR,
        ended_by=(
            ActName.OPEN_SHOE,
            ActName.END_SHOE,
        ),
    ),
    _rule(AlertKind.GATE_FORCED, Scope.TABLE, Clearer.SUPERVISOR),
    _rule(AlertKind.SHOE_RESTARTED, Scope.ROUND, Clearer.SUPERVISOR),
    _rule(AlertKind.RESTARTED_BETWEEN_ROUNDS, Scope.SHOE, Clearer.SUPERVISOR, severity=Severity.WARNS),
    _rule(
        AlertKind.SHOE_LOST,
        Scope.ROUND,
        Clearer.NOBODY,
        ended_by=(ActName.BEGIN_HAND_ENTRY,),
        ends_itself=True,
    ),
    _rule(AlertKind.EVENT_GAP, Scope.ROUND, Clearer.SUPERVISOR, between=True),
    _rule(
        AlertKind.SHOE_STOPPED,
        Scope.TABLE,
        Clearer.SUPERVISOR,
        ended_by=(ActName.BEGIN_HAND_ENTRY,),
        ends_itself=True,
    ),
    _rule(AlertKind.SHOE_FAULT, Scope.TABLE, Clearer.SUPERVISOR, severity=Severity.WARNS, ends_itself=True),
    _rule(AlertKind.GATE_UNANSWERED, Scope.TABLE, Clearer.SUPERVISOR, severity=Severity.WARNS, ends_itself=True),
    _rule(AlertKind.PRESET_CHANGED, Scope.TABLE, Clearer.SUPERVISOR, severity=Severity.WARNS),
    _rule(AlertKind.LINE_REFUSED, Scope.TABLE, Clearer.SUPERVISOR, severity=Severity.WARNS, ends_itself=True),
    _rule(AlertKind.WRONG_LINE, Scope.TABLE, Clearer.SUPERVISOR, severity=Severity.WARNS, ends_itself=True),
    _rule(AlertKind.EVENTS_CAME_AGAIN, Scope.TABLE, Clearer.SUPERVISOR, severity=Severity.WARNS),
    _rule(AlertKind.IMPOSSIBLE_AGE, Scope.TABLE, Clearer.SUPERVISOR, severity=Severity.WARNS),
    _rule(AlertKind.CLOCK_STEPPED, Scope.TABLE, Clearer.DEALER, severity=Severity.WARNS),
    _rule(AlertKind.JOURNAL_FULL, Scope.TABLE, Clearer.NOBODY, ends_itself=True),
    _rule(AlertKind.JOURNAL_DAMAGED, Scope.TABLE, Clearer.SUPERVISOR),
    _rule(AlertKind.JOURNAL_ROLLED_BACK, Scope.TABLE, Clearer.NOBODY, ended_by=(ActName.ACCEPT_ROLLBACK,)),
    _rule(AlertKind.JOURNAL_BEGUN, Scope.TABLE, Clearer.SUPERVISOR),
    _rule(AlertKind.STATUS_AHEAD, Scope.TABLE, Clearer.SUPERVISOR, severity=Severity.WARNS),
    _rule(AlertKind.ANOTHER_CONTROLLER, Scope.TABLE, Clearer.SUPERVISOR, severity=Severity.WARNS),
    _rule(AlertKind.MESSAGES_REFUSED, Scope.TABLE, Clearer.NOBODY, severity=Severity.WARNS, ends_itself=True),
    _rule(
        AlertKind.DISPUTE_OPEN,
        Scope.TABLE,
        Clearer.SUPERVISOR,
        severity=Severity.WARNS,
        ended_by=(ActName.CLOSE_DISPUTE,),
    ),
    _rule(AlertKind.SUPERVISOR_CALLED, Scope.TABLE, Clearer.SUPERVISOR, severity=Severity.WARNS),
    _rule(AlertKind.PIN_GUESSING, Scope.TABLE, Clearer.SUPERVISOR, severity=Severity.WARNS),
    _rule(AlertKind.REQUEST_FLOOD, Scope.TABLE, Clearer.SUPERVISOR, severity=Severity.WARNS),
)

ALERTS: dict[AlertKind, AlertRule] = {rule.kind: rule for rule in _RULES}


def rule_of(alert: Alert) -> AlertRule:
    return ALERTS[alert.kind]


def _was_done_to_line(alert: Alert) -> bool:
    """Whether it tells of single frames that were refused: nobody can say that there will be no more of them."""
    return alert.kind is AlertKind.LINE_REFUSED and alert.fault not in ENDED_BY_SESSION_NAMES


ENDED_BY_SESSION_NAMES = frozenset(cause.value for cause in ENDED_BY_SESSION)
"""The `fault` of an alert about refused bytes that ends when a session begins."""


def alert_message(alert: Alert) -> AlertMessage:
    """The alert as it is published."""
    rule = rule_of(alert)
    return AlertMessage(
        number=alert.number,
        kind=alert.kind,
        severity=rule.severity,
        detail=alert.detail,
        cleared_by=rule.cleared_by,
        ended_by=rule.ended_by,
        ends_itself=rule.ends_itself and not _was_done_to_line(alert),
        remedy=alert.remedy,
    )
