"""The one table of everything that goes wrong: its name, how grave it is, what the dealer is told, and who may end it.

The operator's manual is generated from it. What raises each alert is in the files that look at the inputs
(`dealing.py`, `identifying.py`, `shoe_events.py`, `link_events.py`); what ends it is an act of this table's
`ended_by`, or its cause going away.
"""

from enum import Enum

import msgspec


class Severity(Enum):
    STOPS = "stops"
    """The round stops, the gate is locked where the shoe can, nothing is settled until it is over."""
    WARNS = "warns"
    """Shown, and on the record; the table goes on."""


class Scope(Enum):
    """What an alert is about, and so what ends it together with that."""

    ROUND = "round"
    SHOE = "shoe"
    TABLE = "table"


class Clearer(Enum):
    """Who may end an alert by looking at it and saying that all is well."""

    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    NOBODY = "nobody"
    """Only one of the acts that put it right."""


class AlertKind(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    severity: Severity = Severity.STOPS
    scope: Scope
    happened: str
    """A sentence for the dealer."""
    to_do: str
    """What the dealer does now."""
    cleared_by: Clearer
    ended_by: tuple[str, ...] = ()
    """Other acts that end it. A void of the round always ends what is about the round, and a supervisor who ends the
    shoe ends what is about the shoe."""
    ends_itself: str = ""
    """When it ends without anybody, if it does."""


_CALL = "Draw nothing more and call a supervisor."

_KINDS = (
    # --- cards that do not fit the round -----------------------------------------------------------------------------
    AlertKind(
        name="over_draw",
        scope=Scope.ROUND,
        happened="A card was drawn after the last card of the round.",
        to_do="Leave the card where it is and call a supervisor: it is burned, or begins the next round.",
        cleared_by=Clearer.SUPERVISOR,
        ended_by=("use_extra_card", "burn_extra_card"),
    ),
    AlertKind(
        name="extra_card",
        scope=Scope.ROUND,
        happened="A card was drawn outside the round, while the shoe was stopped or locked.",
        to_do="Leave the card where it is and call a supervisor.",
        cleared_by=Clearer.NOBODY,
        ended_by=("burn_extra_card",),
    ),
    AlertKind(
        name="out_of_turn",
        scope=Scope.ROUND,
        happened="A card went to the hand whose turn it was not.",
        to_do="Do not move the card. Draw nothing more and call a supervisor: the round can only be voided.",
        cleared_by=Clearer.NOBODY,
    ),
    AlertKind(
        name="place_filled",
        scope=Scope.ROUND,
        happened="The shoe told of a second card for a place that has one already.",
        to_do="Draw nothing more and call a supervisor: something was missed, and the round can only be voided.",
        cleared_by=Clearer.NOBODY,
    ),
    AlertKind(
        name="misread",
        scope=Scope.ROUND,
        happened="A card left the shoe and could not be read.",
        to_do="Leave the card where it is and call a supervisor, who says which card it is.",
        cleared_by=Clearer.NOBODY,
        ended_by=("identify_card",),
        ends_itself="when the shoe says after all which card it is",
    ),
    AlertKind(
        name="undisclosed_card",
        scope=Scope.ROUND,
        happened="The shoe did not say which card it was, and it is needed now.",
        to_do="Leave the cards where they are and call a supervisor, who says which card it is.",
        cleared_by=Clearer.NOBODY,
        ended_by=("identify_card",),
        ends_itself="when the shoe says after all which card it is",
    ),
    AlertKind(
        name="too_many_copies",
        scope=Scope.ROUND,
        happened="A card came more often than the decks hold it.",
        to_do=_CALL,
        cleared_by=Clearer.NOBODY,
        ended_by=("correct_card",),
    ),
    AlertKind(
        name="card_twice",
        scope=Scope.ROUND,
        happened="One and the same piece of card came out of this shoe twice.",
        to_do="Draw nothing more, keep the card apart and call a supervisor: the round can only be voided.",
        cleared_by=Clearer.NOBODY,
    ),
    AlertKind(
        name="foreign_card",
        scope=Scope.ROUND,
        happened="A card came that does not belong to this table's decks.",
        to_do="Draw nothing more, keep the card apart and call a supervisor: the round can only be voided.",
        cleared_by=Clearer.NOBODY,
    ),
    AlertKind(
        name="double_feed",
        scope=Scope.ROUND,
        happened="More than one card left the shoe at once.",
        to_do="Draw nothing more and call a supervisor: the round can only be voided.",
        cleared_by=Clearer.NOBODY,
    ),
    AlertKind(
        name="card_not_due",
        scope=Scope.ROUND,
        happened="As the cards are known now, one that was dealt already should not have been drawn.",
        to_do="The cards stay where they are. Unless a card was named wrongly, the round can only be voided.",
        cleared_by=Clearer.NOBODY,
        ended_by=("correct_card",),
    ),
    AlertKind(
        name="bad_card_out_of_round",
        scope=Scope.SHOE,
        happened="A card that is in no hand could not be read, is foreign, or came too often.",
        to_do="Show the card to a supervisor before dealing on.",
        cleared_by=Clearer.SUPERVISOR,
    ),
    AlertKind(
        name="card_pushed_back",
        scope=Scope.ROUND,
        happened="A card was pushed back into the shoe.",
        to_do=_CALL,
        cleared_by=Clearer.SUPERVISOR,
    ),
    AlertKind(
        name="late_wager",
        scope=Scope.ROUND,
        happened="The first card had left the shoe before a wager was accepted.",
        to_do="Call a supervisor, who voids the round, or clears the alert: then the late seats' wagers are returned.",
        cleared_by=Clearer.SUPERVISOR,
    ),
    AlertKind(
        name="draw_before_close",
        scope=Scope.ROUND,
        happened='A card was drawn before "no more bets".',
        to_do=_CALL,
        cleared_by=Clearer.SUPERVISOR,
    ),
    # --- the result --------------------------------------------------------------------------------------------------
    AlertKind(
        name="result_too_early",
        scope=Scope.ROUND,
        happened="The result was asked for while a card is still to come.",
        to_do="Clear the alert and draw the card that is due.",
        cleared_by=Clearer.DEALER,
    ),
    AlertKind(
        name="result_differs",
        scope=Scope.ROUND,
        happened="The shoe's result is not what the cards come to.",
        to_do="Pay nothing and call a supervisor, who compares the cards on the table with the display.",
        cleared_by=Clearer.SUPERVISOR,
        ended_by=("correct_card",),
    ),
    AlertKind(
        name="settled_result_differs",
        scope=Scope.SHOE,
        happened="The round was settled, and then the shoe gave a result that is not what the cards came to.",
        to_do="Call a supervisor, who compares the cards with the display; two supervisors may take the result back.",
        cleared_by=Clearer.SUPERVISOR,
        ended_by=("undo_last_result",),
    ),
    AlertKind(
        name="ended_by_force",
        scope=Scope.ROUND,
        happened="The round was ended by force at the shoe.",
        to_do="Pay nothing and call a supervisor.",
        cleared_by=Clearer.SUPERVISOR,
    ),
    AlertKind(
        name="result_undone",
        scope=Scope.ROUND,
        happened="The last result was taken back.",
        to_do="Wait: a supervisor corrects a card, confirms the result or voids the round.",
        cleared_by=Clearer.NOBODY,
        ended_by=("confirm",),
        ends_itself="when a corrected card asks for another card",
    ),
    AlertKind(
        name="result_after_shoe_change",
        scope=Scope.SHOE,
        happened="A result came after the shoe was changed, when no round had been dealt from it.",
        to_do="Pay nothing on it and call a supervisor.",
        cleared_by=Clearer.SUPERVISOR,
    ),
    AlertKind(
        name="stray_result",
        scope=Scope.SHOE,
        happened="The shoe gave a result although no round was waiting for one.",
        to_do="Pay nothing on it and call a supervisor.",
        cleared_by=Clearer.SUPERVISOR,
    ),
    # --- shoe and procedure ------------------------------------------------------------------------------------------
    AlertKind(
        name="draw_too_slow",
        severity=Severity.WARNS,
        scope=Scope.ROUND,
        happened="The next card has been due for a long time.",
        to_do="Draw the card that is due, or call a supervisor.",
        cleared_by=Clearer.DEALER,
        ends_itself="when the card comes",
    ),
    AlertKind(
        name="no_card_came",
        scope=Scope.ROUND,
        happened="The shoe is empty or jammed: a card was pulled and none came.",
        to_do="Call a supervisor, who clears the jam, or voids the round and ends the shoe.",
        cleared_by=Clearer.SUPERVISOR,
    ),
    AlertKind(
        name="burn_differs",
        scope=Scope.SHOE,
        happened="Not as many cards were burned as the first card says.",
        to_do=_CALL,
        cleared_by=Clearer.SUPERVISOR,
    ),
    AlertKind(
        name="burned_between_rounds",
        severity=Severity.WARNS,
        scope=Scope.SHOE,
        happened="A card was burned between two rounds.",
        to_do="Tell a supervisor why.",
        cleared_by=Clearer.SUPERVISOR,
    ),
    AlertKind(
        name="card_without_shoe",
        scope=Scope.SHOE,
        happened="A card was drawn although no shoe is open.",
        to_do="Announce the new shoe before the first card, and call a supervisor for the card that was drawn.",
        cleared_by=Clearer.SUPERVISOR,
        ended_by=("open_shoe",),
    ),
    AlertKind(
        name="card_after_end",
        scope=Scope.SHOE,
        happened="A card was drawn after the end of the shoe.",
        to_do="Put the card with the discards, tell a supervisor, and change the cards.",
        cleared_by=Clearer.SUPERVISOR,
        ended_by=("open_shoe",),
    ),
    AlertKind(
        name="shoe_changed",
        scope=Scope.ROUND,
        happened="A new shoe was announced in the middle of a round.",
        to_do="Call a supervisor, who voids the round; then announce the new shoe again.",
        cleared_by=Clearer.NOBODY,
    ),
    AlertKind(
        name="lid_opened",
        scope=Scope.TABLE,
        happened="The lid of the shoe was opened while it is in play.",
        to_do="Close the lid and call a supervisor.",
        cleared_by=Clearer.SUPERVISOR,
        ended_by=("open_shoe", "end_shoe"),
    ),
    AlertKind(
        name="gate_forced",
        scope=Scope.TABLE,
        happened="The gate of the shoe was forced.",
        to_do=_CALL,
        cleared_by=Clearer.SUPERVISOR,
    ),
    AlertKind(
        name="shoe_restarted",
        scope=Scope.ROUND,
        happened="The shoe restarted in the middle of a round and may have forgotten it.",
        to_do=_CALL,
        cleared_by=Clearer.SUPERVISOR,
    ),
    AlertKind(
        name="shoe_lost",
        scope=Scope.ROUND,
        happened="The connection to the shoe was lost in the middle of a round.",
        to_do="Draw nothing. Check the cable; if the alert stays, call a supervisor.",
        cleared_by=Clearer.SUPERVISOR,
        ends_itself="when the shoe is back and has kept every event",
    ),
    AlertKind(
        name="event_gap",
        scope=Scope.ROUND,
        happened="The shoe told of something that never arrived: a card may have been missed.",
        to_do="Draw nothing more and call a supervisor, who compares the table with the display. If another round was "
        "dealt meanwhile, this one is to be voided.",
        cleared_by=Clearer.SUPERVISOR,
    ),
    AlertKind(
        name="shoe_stopped",
        scope=Scope.TABLE,
        happened="The shoe reports a fault and has stopped.",
        to_do="See what the shoe shows, and call a supervisor.",
        cleared_by=Clearer.SUPERVISOR,
        ends_itself="when the shoe says that the fault is over",
    ),
    AlertKind(
        name="shoe_ailing",
        severity=Severity.WARNS,
        scope=Scope.TABLE,
        happened="The shoe reports a fault and goes on.",
        to_do="Tell a supervisor.",
        cleared_by=Clearer.SUPERVISOR,
        ends_itself="when the shoe says that the fault is over",
    ),
    AlertKind(
        name="preset_changed",
        severity=Severity.WARNS,
        scope=Scope.TABLE,
        happened="Somebody changed the shoe's own settings.",
        to_do="Tell a supervisor.",
        cleared_by=Clearer.SUPERVISOR,
    ),
    AlertKind(
        name="line_refused",
        severity=Severity.WARNS,
        scope=Scope.TABLE,
        happened="Something on the shoe's line was not believed: a forged or repeated frame, or a wrong key.",
        to_do="Tell a supervisor. No card was taken from it.",
        cleared_by=Clearer.SUPERVISOR,
    ),
    # --- the controller ----------------------------------------------------------------------------------------------
    AlertKind(
        name="clock_stepped",
        severity=Severity.WARNS,
        scope=Scope.TABLE,
        happened="The controller's clock was set to another time.",
        to_do="Nothing; times on the record may jump.",
        cleared_by=Clearer.DEALER,
    ),
    AlertKind(
        name="journal_full",
        scope=Scope.TABLE,
        happened="The controller cannot store what happens: its disk is full or fails.",
        to_do="Draw nothing and call the technician.",
        cleared_by=Clearer.NOBODY,
        ends_itself="when there is room again",
    ),
    AlertKind(
        name="journal_damaged",
        scope=Scope.TABLE,
        happened="The controller's journal was damaged and has been set aside; a new one was begun.",
        to_do="Call a supervisor and the technician. Void the round on the table and open a new shoe.",
        cleared_by=Clearer.SUPERVISOR,
    ),
    AlertKind(
        name="messages_refused",
        severity=Severity.WARNS,
        scope=Scope.TABLE,
        happened="The broker does not take the table's messages: displays do not show what happens.",
        to_do="Tell a supervisor and the technician. Nothing is lost; the messages wait.",
        cleared_by=Clearer.NOBODY,
        ends_itself="when the broker takes them again",
    ),
    AlertKind(
        name="supervisor_called",
        severity=Severity.WARNS,
        scope=Scope.TABLE,
        happened="The dealer calls for a supervisor.",
        to_do="Wait for the supervisor.",
        cleared_by=Clearer.SUPERVISOR,
    ),
)

ALERTS: dict[str, AlertKind] = {kind.name: kind for kind in _KINDS}


def how_it_ends(kind: AlertKind) -> str:
    """Who or what ends an alert, as the manual says it."""
    ways = []
    if kind.ends_itself:
        ways.append(f"by itself {kind.ends_itself}")
    if kind.cleared_by is not Clearer.NOBODY:
        ways.append(f"the {kind.cleared_by.value} clears it")
    ways += [f"`{act}`" for act in kind.ended_by]
    if kind.scope is Scope.ROUND:
        ways.append("`void_round`")
        ways.append("`void_and_replay`")
    if kind.scope is Scope.SHOE:
        ways.append("`end_shoe`")
    return ", ".join(ways)


def markdown_table() -> str:
    lines = ["| alert | | what happened | what the dealer does | what ends it |", "|---|---|---|---|---|"]
    lines += [
        f"| `{kind.name}` | {kind.severity.value} | {kind.happened} | {kind.to_do} | {how_it_ends(kind)} |"
        for kind in ALERTS.values()
    ]
    return "\n".join(lines) + "\n"
