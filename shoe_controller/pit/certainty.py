"""Which alerts leave it open what everybody has seen of a shoe. Pure.

Cards that left the shoe and were not shown are no doubt: burned, or not read, they are unknown cards, as to everybody
at the table. In doubt is a card that players may have seen, and of which the table's events do not tell.
"""

from shoe_controller.messages.alerts import AlertKind

HIDES_CARDS = frozenset({
    AlertKind.EVENT_GAP,
    AlertKind.SHOE_RESTARTED,
    AlertKind.RESTARTED_BETWEEN_ROUNDS,
    AlertKind.CARD_PUSHED_BACK,  # it was out, and may come again
    AlertKind.LID_OPENED,
    AlertKind.GATE_FORCED,
    AlertKind.STRAY_RESULT,  # of a round of which no card came
    AlertKind.RESULT_AFTER_SHOE_CHANGE,
    AlertKind.SHOE_CHANGE_UNCONFIRMED,
    AlertKind.ENTERED_CARD_DIFFERS,
    AlertKind.JOURNAL_DAMAGED,
    AlertKind.JOURNAL_ROLLED_BACK,
    AlertKind.JOURNAL_BEGUN,
    AlertKind.STATUS_AHEAD,
    AlertKind.ANOTHER_CONTROLLER,
})  # fmt: skip
"""Alerts after which the rest of the shoe has no edges, whoever clears them."""

PROVES_BAD = frozenset({
    AlertKind.BAD_SHOE,
    AlertKind.TOO_MANY_COPIES,
    AlertKind.CARD_TWICE,
    AlertKind.FOREIGN_CARD,
    AlertKind.BAD_CARD_OUT_OF_ROUND,
})  # fmt: skip
"""Alerts while which the shoe holds something else than its decks; they end where a card was only read wrongly."""
